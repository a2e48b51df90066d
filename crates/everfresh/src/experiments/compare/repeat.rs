//! A comparison made more than once: over the seeds of a world, folds of a trace's pages, or draws from a collection.
//!
//! A world is made anew with each seed, a collection's trace drawn anew with each draw, and the comparison's numbers are the
//! means. Folds are parts of the pages of one trace, each replayed on its own with its part of the budget; there the numbers
//! stay those of the whole trace, and only the intervals come from the folds. Pages of one site may fall into several folds
//! and change together, so intervals over folds are somewhat too narrow.

use revisit::lab::cut::{Cut, Window};
use revisit::lab::limit::Limits;
use revisit::lab::measure::Measures;
use revisit::lab::population::Population;
use revisit::lab::run::Run;
use revisit::lab::trace::Trace;

use super::comparison::{Over, Repeated};
use crate::experiments::ExperimentError;
use crate::experiments::budget::Budget;
use crate::experiments::runs::{Stage, parallel};
use crate::experiments::source::Source;
use crate::traces::collection::Observations;

/// Where the traces to compare on come from, and how many of them.
pub(crate) struct Origin {
    pub(crate) source: Source,
    /// What a collection's visits showed, if traces are drawn from one.
    pub(crate) observations: Option<Observations>,
    pub(crate) repeated: Option<Repeated>,
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

    fn run(stage: &Stage<'_>, names: &[String], budget: Budget) -> Result<Trial, ExperimentError> {
        let measures = names.iter().map(|name| Ok(stage.run(name, budget)?.measures()));
        Ok(Trial { measures: measures.collect::<Result<_, ExperimentError>>()?, limits: stage.limits(budget) })
    }
}

impl Origin {
    /// The trace with this number, from 0, and the window to look at.
    pub(crate) fn read(&self, number: u64, population: Population) -> Result<(Trace, Window), ExperimentError> {
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
    ) -> Result<Vec<Trial>, ExperimentError> {
        let cut = whole.cut;
        match self.repeated {
            None => Ok(vec![first]),
            Some(Repeated { over: Over::Folds, count }) => {
                if count > cut.len() {
                    let said = format!("--folds {count} is more than the {} pages there are", cut.len());
                    return Err(ExperimentError::Wrong(said));
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
