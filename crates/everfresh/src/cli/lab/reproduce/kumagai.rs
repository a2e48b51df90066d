//! `everfresh lab reproduce kumagai`: Tables 2 and 3 and Figures 5 to 18 of Kumagai & Yamana 2004.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use revisit::Time;

use super::super::write_page;
use crate::experiments::reproduce::kumagai::{Question, page, text};
use crate::output;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab reproduce kumagai --trace traces/mdn --start 1693526400 --weeks 150
  everfresh lab reproduce kumagai --trace traces/nlab --start 1661990400 --weeks 150 --report kumagai.html
  everfresh lab reproduce kumagai --world 'general?days=700' --pages 5000 --json")]
pub(in crate::cli) struct Kumagai {
    /// A folder with pages.csv, changes.csv and links_last.csv (plain, .gz or .zst)
    #[arg(long, value_name = "DIR", conflicts_with = "world")]
    trace: Option<PathBuf>,
    /// A made-up world instead; 'everfresh lab world' lists them
    #[arg(long, value_name = "NAME", default_value = "general?days=700")]
    world: String,
    /// Pages of the world
    #[arg(long, default_value_t = 20_000)]
    pages: u32,
    /// Seed of the world
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// When the first span begins, in seconds since 1970; once most pages are there if absent
    #[arg(long)]
    start: Option<i64>,
    /// How many weeks; as many as most pages last if absent
    #[arg(long)]
    weeks: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Also write a page with the figures, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl Kumagai {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let Kumagai { trace, world, pages, seed, start, weeks, json, report } = self;
        let start = start.map(Time::from_secs);
        let results = Question { trace, world, pages, seed, start, weeks }.reproduce()?;
        if json {
            output::json(&results)?;
        } else {
            text::print(&results)?;
        }
        if let Some(file) = &report {
            write_page(file, &page::make(&results))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
