//! `everfresh export`

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::Target;
use crate::archive::cdxj::Index;
use crate::collection::Collection;
use crate::pipeline::index_of;
use crate::store::{self, FileRow, Order, Reader, StoreError, each, each_numbered};

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
        self.target.settings()?;
        let store = store::reader(self.target.collection().folder())?;
        let mut out = open(self.output.as_deref())?;
        match self.what {
            What::Visits => {
                let visits = |cursor| store.history(None, Order::OldestFirst, cursor);
                each(visits, |visit| line(&mut out, &visit))?;
            }
            What::Pages => each_numbered(|from| store.summaries(from), |page| line(&mut out, &page))?,
            What::Cdxj => index(&self.target.collection(), store.as_ref(), &mut out)?,
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

/// The index of all files, sorted. Each file has a sorted one of its own, which is read along with the others; those that are not
/// written yet, as that of the file which grows, are made here.
fn index(collection: &Collection, store: &dyn Reader, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut runs: Vec<Lines> = Vec::new();
    for row in store.files()? {
        let written = index_of(collection, &row).and_then(|path| File::open(path).ok());
        runs.push(match written {
            Some(file) => Box::new(BufReader::new(file).split(b'\n')),
            None => Box::new(BufReader::new(Cursor::new(made(store, &row.file)?)).split(b'\n')),
        });
    }
    let mut heads = BinaryHeap::new();
    for (run, lines) in runs.iter_mut().enumerate() {
        heads.extend(lines.next().transpose()?.map(|line| Reverse((line, run))));
    }
    while let Some(Reverse((line, run))) = heads.pop() {
        out.write_all(&line)?;
        out.write_all(b"\n")?;
        heads.extend(runs[run].next().transpose()?.map(|line| Reverse((line, run))));
    }
    Ok(())
}

/// The lines of one file's index.
type Lines = Box<dyn Iterator<Item = io::Result<Vec<u8>>>>;

/// The index of one file, sorted.
fn made(store: &dyn Reader, file: &FileRow) -> Result<Vec<u8>, StoreError> {
    let mut index = Index::default();
    each::<_, StoreError>(
        |cursor| store.captures(file.id, cursor),
        |capture| {
            index.push(&capture.index_entry(&file.name));
            Ok(())
        },
    )?;
    Ok(index.sorted().flatten().copied().collect())
}
