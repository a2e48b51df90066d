//! `everfresh lab import`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::repeat::observations;
use super::written::Written;
use crate::output;
use crate::traces::{self, days};

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab import --format days pages.txt --output trace
  everfresh lab import --collection news --output trace
  everfresh lab import --collection news --draws 5 --seed 7 --output traces

A collection knows between which visits a page changed, not when. The times are drawn at random in
between; with several draws each is a trace of its own, draw-0, draw-1 and so on.")]
pub(in crate::cli) struct Import {
    /// The file to import
    #[arg(required_unless_present = "collection", conflicts_with = "collection")]
    file: Option<PathBuf>,
    /// What the file holds
    #[arg(long, value_enum, default_value_t = Format::Days)]
    format: Format,
    /// The folder of a collection whose visits to import
    #[arg(short = 'C', long, value_name = "DIR")]
    collection: Option<PathBuf>,
    /// How many traces to draw from a collection
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    draws: u32,
    /// Seed of the draws
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder to write to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// One line a page, one character a day: 1 if it changed on that day, 0 if not
    Days,
}

impl Import {
    pub(in crate::cli) fn run(self) -> anyhow::Result<ExitCode> {
        let mut written = Vec::new();
        if let Some(file) = &self.file {
            let Format::Days = self.format;
            let trace = days::read(file)?;
            traces::write(&self.output, &trace)?;
            written.push(Written::of(&self.output, &trace));
        }
        if let Some(collection) = &self.collection {
            written = self.draw(collection)?;
        }
        if self.json {
            output::json(&serde_json::json!({ "traces": written }))?;
        } else {
            written.iter().try_for_each(|trace| say!("{trace}"))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn draw(&self, collection: &Path) -> anyhow::Result<Vec<Written>> {
        let observations = observations(collection)?;
        let mut written = Vec::new();
        for draw in 0..self.draws {
            let folder = if self.draws == 1 { self.output.clone() } else { self.output.join(format!("draw-{draw}")) };
            let trace = observations.draw(self.seed, draw);
            traces::write(&folder, &trace)?;
            written.push(Written::of(&folder, &trace));
        }
        Ok(written)
    }
}
