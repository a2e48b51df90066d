//! How often `lab compare` is to be made: over the seeds of a world, folds of a trace's pages, or draws from a collection.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::environment;
use crate::cli::exit::WrongInput;
use crate::config::Config;
use crate::experiments::compare::comparison::{Over, Repeated};
use crate::experiments::compare::repeat::Origin;
use crate::experiments::source::Source;
use crate::traces::collection::Observations;

/// More repetitions than this are a mistake.
const MOST: u64 = 1000;
/// How many traces are drawn from a collection unless told.
const DRAWS: u64 = 5;

#[derive(Args)]
pub(super) struct Repeat {
    /// Make the world with so many seeds, from --seed on; the numbers are means with intervals
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Also replay so many parts of the pages, each on its own, for intervals
    #[arg(long, value_name = "N")]
    folds: Option<u64>,
    /// The folder of a collection whose own visits to replay
    #[arg(short = 'C', long, value_name = "DIR", conflicts_with_all = ["trace", "world"])]
    collection: Option<PathBuf>,
    /// How many traces to draw from the collection: it knows between which visits a page changed, not when [default: 5]
    #[arg(long, value_name = "N")]
    draws: Option<u64>,
}

impl Repeat {
    /// Checks what was asked for, and reads the collection if one was named.
    pub(super) fn origin(&self, source: Source) -> anyhow::Result<Origin> {
        if self.collection.is_none() && !source.is_named() {
            return wrong("name a --trace, a --world or a --collection");
        }
        let asked = self.asked()?;
        if let Some(refusal) = asked.and_then(|(flag, count, over)| self.refusal(flag, count, over, &source)) {
            return wrong(refusal);
        }
        // Once is not repeated.
        let repeated = asked.filter(|(_, count, _)| *count > 1);
        let repeated = repeated.map(|(_, count, over)| Repeated { over, count: count as usize });
        let observations = self.collection.as_deref().map(observations).transpose()?;
        Ok(Origin { source, observations, repeated })
    }

    /// The flag that asks for repetition, how often, and over what.
    fn asked(&self) -> anyhow::Result<Option<(&'static str, u64, Over)>> {
        let seeds = self.seeds.map(|count| ("--seeds", count, Over::Seeds));
        let folds = self.folds.map(|count| ("--folds", count, Over::Folds));
        let draws = self.draws.map(|count| ("--draws", count, Over::Draws));
        let mut asked = [seeds, folds, draws].into_iter().flatten();
        match (asked.next(), asked.next()) {
            (Some((one, ..)), Some((other, ..))) => {
                wrong(format!("{one} and {other} repeat in different ways: choose one of them"))
            }
            (None, _) if self.collection.is_some() => Ok(Some(("--draws", DRAWS, Over::Draws))),
            (first, _) => Ok(first),
        }
    }

    /// Why what was asked for cannot be had.
    fn refusal(&self, flag: &str, count: u64, over: Over, source: &Source) -> Option<String> {
        let why = match over {
            _ if !(1..=MOST).contains(&count) => {
                return Some(format!("{flag} {count} is not a number from 1 to {MOST}"));
            }
            Over::Draws if self.collection.is_none() => "--draws needs a --collection to draw from",
            Over::Folds if self.collection.is_some() => {
                "--folds divides one trace, but a collection gives several: draw one with 'lab import' first"
            }
            Over::Seeds if !source.is_world() => {
                "--seeds is for a made-up --world; use --folds to divide a trace, --draws for a collection"
            }
            Over::Seeds if source.seed.checked_add(count).is_none() => "--seed is too large for so many seeds",
            _ => return None,
        };
        Some(why.to_owned())
    }
}

fn wrong<T>(text: impl Into<String>) -> anyhow::Result<T> {
    Err(WrongInput(text.into()).into())
}

/// What the visits of the collection in a folder showed.
pub(super) fn observations(folder: &Path) -> anyhow::Result<Observations> {
    Config::load(folder, environment(), &[])?;
    Ok(Observations::read(folder)?)
}
