//! `everfresh lab calibrate`: can the freshness that users are shown be relied on?

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::source::SourceArguments;
use super::write_page;
use crate::cli::exit::WrongInput;
use crate::experiments::budget::Budget;
use crate::experiments::calibrate::{calibrate, page, print};
use crate::experiments::entrants::Entrants;
use crate::experiments::source::Source;
use crate::output;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab calibrate --trace traces/nlab --cycle 7d --cycles 150 --start 1661990400 --budget 2%
  everfresh lab calibrate --world general --budget 5% --policy everfresh,age --report trust.html")]
pub(in crate::cli) struct Calibrate {
    #[command(flatten)]
    source: SourceArguments,
    /// Visits a cycle: a number, or a share of the pages such as 2%
    #[arg(long, default_value = "2%")]
    budget: String,
    /// Policies, separated by commas
    #[arg(long = "policy", value_name = "NAMES", default_value = "everfresh")]
    policies: Vec<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Also write a page with a plot, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl Calibrate {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let budget: Budget = self.budget.parse().map_err(WrongInput)?;
        let entrants = Entrants::named(&self.policies)?;
        let calibration = calibrate(&Source::from(self.source).with_links(true), &entrants, budget)?;
        if self.json {
            output::json(&calibration)?;
        } else {
            print(&calibration)?;
        }
        if let Some(file) = &self.report {
            write_page(file, &page(&calibration))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
