//! `everfresh lab compare`: which policy would have kept the replica freshest, at what cost?

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use revisit::lab::cut::Cut;
use revisit::lab::population::Population;

use super::repeat::Repeat;
use super::source::SourceArguments;
use super::write_page;
use crate::cli::exit::WrongInput;
use crate::experiments::ExperimentError;
use crate::experiments::budget::Budget;
use crate::experiments::compare::Compared;
use crate::experiments::compare::text::{print_csv, print_tables};
use crate::experiments::entrants::Entrants;
use crate::experiments::source::Source;
use crate::output;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab compare --trace traces/nlab --cycle 7d --cycles 150 --start 1661990400 --budget 2%
  everfresh lab compare --world brdc12-like --pages 20000 --seed 1 --budget 5% --policy age,cg,nad
  everfresh lab compare --trace mine --budget 100 --policy 'nutch-adaptive?grow=0.5' --policy all
  everfresh lab compare --trace traces/nlab --cycle 7d --budget 2% --report nlab.html
  everfresh lab compare --world brdc12-like --seeds 5 --policy age,cg,nad --against age
  everfresh lab compare --trace traces/nlab --cycle 7d --folds 5 --population all
  everfresh lab compare --collection news --cycle 1d --draws 5 --against age")]
pub(in crate::cli) struct Compare {
    #[command(flatten)]
    source: SourceArguments,
    #[command(flatten)]
    repeat: Repeat,
    /// Which pages: those there throughout the window, or all as they came and went
    #[arg(long, value_enum, default_value_t = Pages::Throughout)]
    population: Pages,
    /// Visits a cycle: a number, or a share of the pages such as 2%
    #[arg(long, default_value = "2%")]
    budget: String,
    /// Policies: names with parameters (name?key=value) or a model (gp:FILE), separated by commas; 'all' for every one
    #[arg(long = "policy", value_name = "NAMES", default_value = "all")]
    policies: Vec<String>,
    /// Test every policy's numbers against those of this one
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Also write a page with plots, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

/// Which pages of a trace.
#[derive(Clone, Copy, ValueEnum)]
enum Pages {
    /// Those that exist throughout the window
    Throughout,
    /// All, from the cycle in which they appear until they are gone; finding a page is outside the budget
    All,
}

impl From<Pages> for Population {
    fn from(pages: Pages) -> Population {
        match pages {
            Pages::Throughout => Population::Throughout,
            Pages::All => Population::All,
        }
    }
}

impl Compare {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let budget: Budget = self.budget.parse().map_err(WrongInput)?;
        let mut entrants = Entrants::named(&self.policies)?;
        if let Some(baseline) = &self.against {
            entrants = entrants.against(baseline)?;
        }
        let origin = self.repeat.origin(Source::from(self.source).with_links(entrants.need_links()))?;
        let population = self.population.into();
        let (trace, window) = origin.read(0, population)?;
        let cut = Cut::of(&trace, window, population).map_err(ExperimentError::from)?;
        let compared = Compared::run(&origin, &cut, &entrants, budget)?;
        let comparison = compared.comparison()?;
        match (self.json, self.csv) {
            (true, _) => output::json(&comparison)?,
            (_, true) => print_csv(&comparison)?,
            _ => print_tables(&comparison)?,
        }
        if let Some(file) = &self.report {
            write_page(file, &compared.page(&comparison)?)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
