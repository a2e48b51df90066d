//! `everfresh lab reproduce umbrich`: Figures 4 to 6 of Umbrich, Mrzelj & Polleres 2015.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::super::source::SourceArguments;
use super::super::write_page;
use crate::experiments::reproduce::umbrich::{page, reproduce, text};
use crate::output;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab reproduce umbrich --trace traces/nlab
  everfresh lab reproduce umbrich --trace traces/nlab --report umbrich.html
  everfresh lab reproduce umbrich --world general --pages 2000 --json")]
pub(in crate::cli) struct Umbrich {
    #[command(flatten)]
    source: SourceArguments,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Also write a page with Figures 4 to 6, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl Umbrich {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let results = reproduce(&self.source.into())?;
        if self.json {
            output::json(&results)?;
        } else {
            text::print(&results)?;
        }
        if let Some(file) = &self.report {
            write_page(file, &page::make(&results))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
