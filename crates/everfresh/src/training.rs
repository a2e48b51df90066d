//! Training: pages that were watched become a model that a policy evaluates.
//!
//! The `train` commands and a crawl that trains itself take the same steps. A trace, or one [drawn from a collection's own
//! visits](crate::traces::collection::Observations::draw), is cut into cycles over a [`window`]. From the cut [`formula`]
//! breeds a score formula, [`groups`] finds change-rate groups and [`tree`] learns a tree that tells them apart. Pages are
//! held out of all learning, and on them [`score`] says what a policy is worth, the one in use as well as the new one.

pub mod again;
mod checkpoint;
mod error;
pub mod formula;
pub mod groups;
mod threads;
pub mod tree;

use std::collections::BTreeMap;

use revisit::Span;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::measure::Measures;
use revisit::lab::population::Population;
use revisit::lab::run::run;
use revisit::lab::trace::Trace;
use revisit::learn::gp::Sample;
use revisit::model::Model;
use revisit::policy::registry::{self, Supplies};

pub use checkpoint::Checkpoint;
pub use error::TrainError;

use crate::models::Provenance;
use crate::traces;

/// As many cycles of this length as nine in ten pages of a trace last.
pub fn window(trace: &Trace, cycle: Span, warmup: usize) -> Result<Window, TrainError> {
    let span = traces::usual_span(trace, Population::Throughout);
    let (start, end) = span.ok_or_else(|| TrainError::NoPages { trace: trace.name.clone() })?;
    let cycles = (end - start).millis() / cycle.millis().max(1);
    Ok(Window { start, cycle, cycles: cycles.max(0) as usize, warmup })
}

/// What a policy would have done on these pages if each cycle had visited this share of them: the lab's general loop.
///
/// Policies that know no budget are held to it too, as in a crawl.
pub fn score(cut: &Cut<'_>, policy: &str, model: Option<&Model>, budget: f64) -> Result<Measures, TrainError> {
    let built = registry::build_with(policy, Supplies { truth: None, model })?;
    let visits = visits(cut.len(), budget);
    let run = run(cut, built, visits).map_err(|error| TrainError::Score { policy: policy.to_owned(), error })?;
    Ok(run.measures())
}

/// How many of so many pages a cycle visits, at least one.
fn visits(pages: usize, budget: f64) -> usize {
    ((budget * pages as f64).round() as usize).clamp(1, pages.max(1))
}

/// Where a model comes from that was learned from all pages of a cut.
fn provenance(cut: &Cut<'_>, seed: u64) -> Provenance {
    let places: Vec<u32> = (0..cut.len() as u32).collect();
    let fingerprint = Sample::new(cut, &places).fingerprint();
    Provenance {
        source: cut.trace().name.clone(),
        fingerprint: format!("{fingerprint:016x}"),
        pages: cut.len(),
        cycles: cut.window().cycles,
        seed,
        scores: BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use revisit::lab::world;

    #[test]
    fn a_policy_is_held_to_the_budget() {
        let trace = world::make("general?days=40", 100, 1).unwrap();
        let window = window(&trace, Span::DAY, 2).unwrap();
        assert_eq!((window.cycles, window.warmup), (40, 2));
        let cut = Cut::new(&trace, window).unwrap();
        for policy in ["age", "week"] {
            let measures = score(&cut, policy, None, 0.05).unwrap();
            assert!(measures.downloads <= 5 * 38 && measures.freshness > 0.0, "{policy}: {measures:?}");
        }
        assert!(score(&cut, "gp", None, 0.05).unwrap_err().to_string().contains("everfresh train gp"));
        assert_eq!((visits(10, 0.01), visits(10, 0.25), visits(10, 7.0)), (1, 3, 10));
    }
}
