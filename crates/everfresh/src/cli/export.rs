//! `everfresh export`

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::Target;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh export visits > visits.jsonl
  everfresh export pages --output pages.jsonl
  everfresh export cdxj --output index.cdxj")]
pub(super) struct Export {
    /// What to write
    what: What,
    /// Where to write it; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    target: Target,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Every visit, one JSON object a line, oldest first
    Visits,
    /// Every page, one JSON object a line
    Pages,
    /// The archive's index, sorted, as pywb and other replay tools read it
    Cdxj,
}

impl Export {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let query = self.target.query()?;
        let mut out = open(self.output.as_deref())?;
        match self.what {
            What::Visits => query.history(None, false)?.visits.each(|visit| line(&mut out, &visit))?,
            What::Pages => query.each_page(|page| line(&mut out, &page))?,
            What::Cdxj => query.write_index(&mut out)?,
        }
        out.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}

fn open(path: Option<&Path>) -> anyhow::Result<Box<dyn Write>> {
    Ok(match path {
        Some(path) => {
            let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(std::io::stdout().lock())),
    })
}

/// One JSON object on a line of its own.
fn line(out: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    out.write_all(&serde_json::to_vec(value)?)?;
    Ok(out.write_all(b"\n")?)
}
