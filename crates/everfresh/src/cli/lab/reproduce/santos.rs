//! `everfresh lab reproduce santos`: Table 4.3 and Figure 4.2 of Santos 2013; with `--gp` Tables 4.2 to 4.4.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::super::source::SourceArguments;
use super::super::write_page;
use crate::cli::exit::WrongInput;
use crate::experiments::budget::Budget;
use crate::experiments::reproduce::santos::{gp, page, repeat, summarise, text};
use crate::output;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab reproduce santos
  everfresh lab reproduce santos --seeds 10 --report santos.html
  everfresh lab reproduce santos --gp --pages 417048
  everfresh lab reproduce santos --trace traces/endoflife --budget 10% --json")]
pub(in crate::cli) struct Santos {
    #[command(flatten)]
    source: SourceArguments,
    /// Visits a cycle: a number, or a share of the pages such as 5%
    #[arg(long, default_value = "5%")]
    budget: String,
    /// Also breed formulas: Tables 4.2 to 4.4, over 5 folds of one world and so many seeds of the breeding
    #[arg(long, conflicts_with = "report")]
    gp: bool,
    /// How many worlds, with seeds from --seed on
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Also write a page with Figure 4.2, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl Santos {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (source, budget) = (self.source.into(), self.budget.parse::<Budget>().map_err(WrongInput)?);
        if self.gp {
            let results = gp::reproduce(&source, budget, self.seeds)?;
            if self.json {
                output::json(&results)?
            } else {
                results.print()?
            }
            return Ok(ExitCode::SUCCESS);
        }
        let repetitions = repeat(&source, budget, self.seeds)?;
        let results = summarise(&repetitions);
        if self.json {
            output::json(&results)?;
        } else {
            text::print(&results)?;
        }
        if let Some(file) = &self.report {
            write_page(file, &page::make(&results, &repetitions))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
