//! `everfresh lab compare`: which policy would have kept the replica freshest, at what cost?

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};
use revisit::lab::cut::Cut;
use revisit::lab::limit::Limits;
use revisit::lab::measure::Measures;
use revisit::lab::population::Population;
use revisit::lab::run::Run;
use revisit::policy::registry::POLICIES;

use super::budget::Budget;
use super::compare_page;
use super::compare_text::{print_csv, print_tables};
use super::comparison::{
    Against, FEWEST_CYCLES, Over, Repeated, Report, Row, blocks, differences, intervals, mean_limits, mean_row,
};
use super::models::Models;
use super::repeat::{Repeat, Trial};
use super::runs::{Stage, parallel};
use super::source::Source;
use crate::cli::exit::WrongInput;
use crate::cli::output;

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
    source: Source,
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
        let mut models = Models::default();
        let mut names = policy_names(&self.policies, &mut models)?;
        let baseline = self.against.as_deref().map(|name| place_of(name, &mut names, &mut models)).transpose()?;
        let links = names.iter().any(|name| models.build(name, None).is_ok_and(|policy| policy.needs().structure));
        let origin = self.repeat.origin(self.source.with_links(links))?;
        let population = self.population.into();
        let (trace, window) = origin.read(0, population)?;
        let cut = Cut::of(&trace, window, population)?;
        let stage = Stage::new(&cut).with(&models);
        let runs = parallel(&names, |name| stage.run(name, budget))?;
        let first = Trial::of(&runs, stage.limits(budget));
        let trials = origin.trials(&stage, first, &names, budget)?;
        let found = Found { names, baseline, runs, trials, repeated: origin.repeated };
        let report = found.report(&stage, &trace.name, budget)?;
        match (self.json, self.csv) {
            (true, _) => output::json(&report)?,
            (_, true) => print_csv(&report)?,
            _ => print_tables(&report)?,
        }
        if let Some(file) = &self.report {
            write_page(file, &compare_page::make(&report, &stage, &found.runs, budget)?)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Everything that was run.
struct Found {
    names: Vec<String>,
    /// The place of the policy that the others are tested against.
    baseline: Option<usize>,
    /// Of the first trace.
    runs: Vec<Run>,
    trials: Vec<Trial>,
    repeated: Option<Repeated>,
}

impl Found {
    fn report(&self, stage: &Stage<'_>, trace: &str, budget: Budget) -> anyhow::Result<Report> {
        let pairs: Vec<Vec<Measures>> = (0..self.names.len()).map(|place| self.samples(place)).collect();
        let baseline = self.baseline.map(|place| (place, &pairs[place]));
        let against = baseline.map(|(place, pairs)| self.against(place, pairs.len())).transpose()?;
        let row = |(place, name): (usize, &String)| {
            let tested = baseline.filter(|(baseline, _)| *baseline != place);
            Row {
                name: name.clone(),
                measures: mean_row(&self.headline(place)),
                intervals: self.repeated.and_then(|_| intervals(&pairs[place])),
                differences: tested.and_then(|(_, baseline)| differences(&pairs[place], baseline)),
            }
        };
        let limits: Vec<Limits> = self.trials.iter().map(|trial| trial.limits).collect();
        Ok(Report {
            trace: trace.to_owned(),
            pages: stage.cut.len(),
            cycles: stage.cut.window().cycles,
            k: stage.visits(budget),
            repeated: self.repeated,
            against,
            policies: self.names.iter().enumerate().map(row).collect(),
            limits: if self.whole() { mean_limits(&[stage.limits(budget)]) } else { mean_limits(&limits) },
        })
    }

    /// Whether the numbers are those of one run over the whole trace.
    fn whole(&self) -> bool {
        self.repeated.is_none_or(|repeated| repeated.over == Over::Folds)
    }

    /// What a policy's numbers are the means of.
    fn headline(&self, place: usize) -> Vec<Measures> {
        if self.whole() { vec![self.runs[place].measures()] } else { self.samples(place) }
    }

    /// What intervals and tests of a policy are made of: its repetitions, or the blocks of its only run.
    fn samples(&self, place: usize) -> Vec<Measures> {
        match self.repeated {
            Some(_) => self.trials.iter().map(|trial| trial.measures[place]).collect(),
            None => blocks(&self.runs[place]),
        }
    }

    fn against(&self, place: usize, pairs: usize) -> anyhow::Result<Against> {
        let over = self.repeated.map_or(Over::Blocks, |repeated| repeated.over);
        if pairs < 2 {
            let remedy = match over {
                Over::Blocks => format!("use at least {FEWEST_CYCLES} cycles after the warm-up"),
                _ => "repeat at least twice".to_owned(),
            };
            return Err(WrongInput(format!("--against has too little to compare: {remedy}")).into());
        }
        Ok(Against { policy: self.names[place].clone(), over, pairs })
    }
}

/// The place of a policy among others, which it joins if it is not there.
fn place_of(name: &str, names: &mut Vec<String>, models: &mut Models) -> Result<usize, WrongInput> {
    models.check(name).map_err(|error| WrongInput(format!("--against: {error}")))?;
    if let Some(place) = names.iter().position(|known| known == name) {
        return Ok(place);
    }
    names.push(name.to_owned());
    Ok(names.len() - 1)
}

/// The policies named, each known to exist.
pub(super) fn policy_names(lists: &[String], models: &mut Models) -> Result<Vec<String>, WrongInput> {
    let mut names = Vec::new();
    for name in lists.iter().flat_map(|list| list.split(',')).map(str::trim) {
        match name {
            "" => {}
            "all" => {
                names.extend(POLICIES.iter().filter(|entry| !entry.needs_model()).map(|entry| entry.name.to_owned()))
            }
            name => {
                models.check(name)?;
                names.push(name.to_owned());
            }
        }
    }
    if names.is_empty() {
        return Err(WrongInput("--policy names no policy; 'everfresh lab policies' lists them".into()));
    }
    Ok(names)
}

/// Writes a report where the user wants it.
pub(super) fn write_page(file: &Path, page: &str) -> anyhow::Result<()> {
    std::fs::write(file, page).with_context(|| format!("cannot write the report to {}", file.display()))
}
