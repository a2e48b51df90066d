//! `lab compare` more than once: over the seeds of a world, folds of a trace's pages, or draws from a collection.
//!
//! A world is made anew with each seed, a collection's trace drawn anew with each draw, and the comparison's numbers are the
//! means. Folds are parts of the pages of one trace, each replayed on its own with its part of the budget; there the numbers
//! stay those of the whole trace, and only the intervals come from the folds. Pages of one site may fall into several folds
//! and change together, so intervals over folds are somewhat too narrow.

use std::path::{Path, PathBuf};

use clap::Args;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::limit::Limits;
use revisit::lab::measure::Measures;
use revisit::lab::population::Population;
use revisit::lab::run::Run;
use revisit::lab::trace::Trace;

use super::budget::Budget;
use super::comparison::{Over, Repeated};
use super::runs::{Stage, parallel};
use super::source::Source;
use crate::cli::environment;
use crate::cli::exit::WrongInput;
use crate::config::Config;
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

/// Where the traces to compare on come from, and how many of them.
pub(super) struct Origin {
    source: Source,
    observations: Option<Observations>,
    pub(super) repeated: Option<Repeated>,
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

/// What one repetition gave: measures a policy, and what was possible.
pub(super) struct Trial {
    pub(super) measures: Vec<Measures>,
    pub(super) limits: Limits,
}

impl Trial {
    pub(super) fn of(runs: &[Run], limits: Limits) -> Trial {
        Trial { measures: runs.iter().map(Run::measures).collect(), limits }
    }

    fn run(stage: &Stage<'_>, names: &[String], budget: Budget) -> anyhow::Result<Trial> {
        let measures = names.iter().map(|name| Ok(stage.run(name, budget)?.measures()));
        Ok(Trial { measures: measures.collect::<anyhow::Result<_>>()?, limits: stage.limits(budget) })
    }
}

impl Origin {
    /// The trace with this number, from 0, and the window to look at.
    pub(super) fn read(&self, number: u64, population: Population) -> anyhow::Result<(Trace, Window)> {
        let seed = self.source.seed;
        let trace = match &self.observations {
            Some(observations) => observations.draw(seed, number as u32),
            None => self.source.clone().with_seed(seed.saturating_add(number)).trace()?,
        };
        let window = self.source.window(&trace, population)?;
        Ok((trace, window))
    }

    /// Every repetition, given the first one; the folds of its pages, or nothing, if that one is the whole.
    pub(super) fn trials(
        &self,
        whole: &Stage<'_>,
        first: Trial,
        names: &[String],
        budget: Budget,
    ) -> anyhow::Result<Vec<Trial>> {
        let cut = whole.cut;
        match self.repeated {
            None => Ok(vec![first]),
            Some(Repeated { over: Over::Folds, count }) => {
                if count > cut.len() {
                    return wrong(format!("--folds {count} is more than the {} pages there are", cut.len()));
                }
                let folds = cut.folds(count, self.source.seed);
                parallel(&folds, |fold| Trial::run(&whole.of(fold), names, budget.part(count)))
            }
            Some(Repeated { count, .. }) => {
                let rest: Vec<u64> = (1..count as u64).collect();
                let rest = parallel(&rest, |number| {
                    let (trace, window) = self.read(*number, cut.population())?;
                    let cut = Cut::of(&trace, window, cut.population())?;
                    Trial::run(&whole.of(&cut), names, budget)
                })?;
                Ok(std::iter::once(first).chain(rest).collect())
            }
        }
    }
}
