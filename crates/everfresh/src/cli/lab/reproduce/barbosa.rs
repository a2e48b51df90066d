//! `everfresh lab reproduce barbosa`: Figure 2 and Tables 1, 3 and 5 of Barbosa et al. 2005.
//!
//! The paper visited 84,699 pages once a day for 100 days. That data is not to be had; the default is the made-up `general`
//! world over 100 days, with several seeds. With `--trace` the seeds draw the sides and the random beginnings. Readings: the
//! first visit of a page shows its content and no change, so the warm-up is one cycle; error rates of Tables 3 and 5 are
//! shares of all test pages, those of Table 1 of a balanced sample; the interval of a group is its centre, window and
//! thresholds are those of the nearest group of Table 4; the features are those that the wrapper kept.

mod crawl;
mod experiment;
mod page;
mod sides;
mod statements;
mod summary;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use revisit::lab::cut::Window;
use revisit::lab::population::Population;
use revisit::lab::trace::Trace;
use revisit::learn::groups::USUAL_COUNT;

use super::super::compare::write_page;
use super::super::runs::parallel;
use super::super::source::Source;
use crate::cli::exit::WrongInput;
use crate::cli::output;
use experiment::{Outcome, Plan, experiment};
use sides::Split;

/// How many cycles there are unless told otherwise: the paper's days.
const CYCLES: usize = 100;

#[derive(Args)]
#[command(
    mut_arg("warmup", |argument| argument.default_value("1")),
    mut_arg("cycles", |argument| argument.help("How many cycles; 100 if absent, or as many as there are")),
    after_help = "\
Examples:
  everfresh lab reproduce barbosa
  everfresh lab reproduce barbosa --split site --report barbosa.html
  everfresh lab reproduce barbosa --trace traces/mdn --cycle 7d --cycles 150 --start 1693526400 --json"
)]
pub(in crate::cli) struct Barbosa {
    #[command(flatten)]
    source: Source,
    /// What the pages that train and those that test have not in common
    #[arg(long, value_enum, default_value_t = Split::Page)]
    split: Split,
    /// How many change-rate groups
    #[arg(long, default_value_t = USUAL_COUNT as u64, value_parser = clap::value_parser!(u64).range(2..=6))]
    groups: u64,
    /// How many worlds, or draws from a trace, with seeds from --seed on
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Also write a page with Figure 2 and the tree, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl Barbosa {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let outcomes = self.repeat()?;
        let report = summary::summarise(&outcomes, self.split);
        if self.json {
            output::json(&report)?;
        } else {
            text::print(&report)?;
        }
        if let Some(file) = &self.report {
            write_page(file, &page::make(&report, &outcomes[0].tree))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The experiment with every seed.
    fn repeat(&self) -> anyhow::Result<Vec<Outcome>> {
        let source = self.source.clone().or_world("general");
        let Some(end) = source.seed.checked_add(self.seeds) else {
            return Err(WrongInput("--seed is too large for so many seeds".into()).into());
        };
        let seeds: Vec<u64> = (source.seed..end).collect();
        if source.is_world() {
            return parallel(&seeds, |seed| {
                let source = source.clone().with_seed(*seed);
                self.once(&source, &source.trace()?, *seed)
            });
        }
        let trace = source.trace()?;
        parallel(&seeds, |seed| self.once(&source, &trace, *seed))
    }

    fn once(&self, source: &Source, trace: &Trace, seed: u64) -> anyhow::Result<Outcome> {
        let mut window = source.window(trace, Population::Throughout)?;
        if source.cycles.is_none() {
            window.cycles = cycles(trace, &window);
        }
        experiment(trace, window, Plan { split: self.split, groups: self.groups as usize, seed })
    }
}

/// As many cycles as the paper has days, or as the trace has from the window's start on.
fn cycles(trace: &Trace, window: &Window) -> usize {
    let (_, last) = trace.span().unwrap_or_default();
    let fitting = (last - window.start).millis() / window.cycle.millis().max(1);
    CYCLES.min(fitting.max(0) as usize)
}
