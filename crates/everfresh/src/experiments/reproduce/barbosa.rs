//! Figure 2 and Tables 1, 3 and 5 of Barbosa et al. 2005.
//!
//! The paper visited 84,699 pages once a day for 100 days. That data is not to be had; the default is the made-up `general`
//! world over 100 days, with several seeds. With `--trace` the seeds draw the sides and the random beginnings. Readings: the
//! first visit of a page shows its content and no change, so the warm-up is one cycle; error rates of Tables 3 and 5 are
//! shares of all test pages, those of Table 1 of a balanced sample; the interval of a group is its centre, window and
//! thresholds are those of the nearest group of Table 4; the features are those that the wrapper kept.

mod crawl;
mod experiment;
pub(crate) mod page;
mod sides;
mod statements;
mod summary;
pub(crate) mod text;

use revisit::lab::cut::Window;
use revisit::lab::population::Population;
use revisit::lab::trace::Trace;

use crate::experiments::ExperimentError;
use crate::experiments::runs::parallel;
use crate::experiments::source::Source;
use experiment::{Outcome, Plan, experiment};
pub(crate) use sides::Split;
pub(crate) use summary::summarise;

/// The made-up world that stands for the paper's pages.
const WORLD: &str = "general";
/// How many cycles there are unless told otherwise: the paper's days.
const CYCLES: usize = 100;

/// Makes the experiment once for each of so many seeds, from that of the source on.
pub(crate) fn repeat(
    source: &Source,
    split: Split,
    groups: usize,
    seeds: u64,
) -> Result<Vec<Outcome>, ExperimentError> {
    let source = source.clone().or_world(WORLD);
    let seeds = source.seeds(seeds)?;
    let plan = |seed| Plan { split, groups, seed };
    if source.is_world() {
        return parallel(&seeds, |seed| {
            let source = source.clone().with_seed(*seed);
            once(&source, &source.trace()?, plan(*seed))
        });
    }
    let trace = source.trace()?;
    parallel(&seeds, |seed| once(&source, &trace, plan(*seed)))
}

fn once(source: &Source, trace: &Trace, plan: Plan) -> Result<Outcome, ExperimentError> {
    let mut window = source.window(trace, Population::Throughout)?;
    if source.cycles.is_none() {
        window.cycles = cycles(trace, &window);
    }
    experiment(trace, window, plan)
}

/// As many cycles as the paper has days, or as the trace has from the window's start on.
fn cycles(trace: &Trace, window: &Window) -> usize {
    let (_, last) = trace.span().unwrap_or_default();
    let fitting = (last - window.start).millis() / window.cycle.millis().max(1);
    CYCLES.min(fitting.max(0) as usize)
}
