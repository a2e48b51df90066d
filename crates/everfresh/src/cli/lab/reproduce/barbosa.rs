//! `everfresh lab reproduce barbosa`: Figure 2 and Tables 1, 3 and 5 of Barbosa et al. 2005.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use revisit::learn::groups::USUAL_COUNT;

use super::super::source::SourceArguments;
use super::super::write_page;
use crate::experiments::reproduce::barbosa::{self, page, repeat, summarise, text};
use crate::output;

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
    source: SourceArguments,
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

/// What no two sides have in common.
#[derive(Clone, Copy, ValueEnum)]
enum Split {
    /// No page
    Page,
    /// No site
    Site,
    /// Neither page nor time: the first half trains, the second tests
    Time,
}

impl From<Split> for barbosa::Split {
    fn from(split: Split) -> barbosa::Split {
        match split {
            Split::Page => barbosa::Split::Page,
            Split::Site => barbosa::Split::Site,
            Split::Time => barbosa::Split::Time,
        }
    }
}

impl Barbosa {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let split = self.split.into();
        let outcomes = repeat(&self.source.into(), split, self.groups as usize, self.seeds)?;
        let results = summarise(&outcomes, split);
        if self.json {
            output::json(&results)?;
        } else {
            text::print(&results)?;
        }
        if let Some(file) = &self.report {
            write_page(file, &page::make(&results, &outcomes[0]))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
