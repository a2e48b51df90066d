//! `rand`: a page at random, the floor every method must beat (Santos 2013, baseline "Rand").
//!
//! The score is a hash of seed, page and time, so it is the same whatever the order or number of the questions.

use crate::policy::Policy;
use crate::policy::draw::draw;
use crate::policy::parameter::Parameter;
use crate::policy::registry::{Build, Entry, Spending};
use crate::{History, PageId, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "rand",
    paper: "Santos 2013 (baseline Rand)",
    summary: "pages at random",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[Parameter::number("seed", "1", (0.0, 9e15), "the seed of the random order")],
    build: Build::Plain(|values| Box::new(Rand::new(values.number("seed") as u64))),
};

/// A random order, drawn anew at each time.
#[derive(Debug)]
pub(crate) struct Rand {
    seed: u64,
}

impl Rand {
    /// The random order of a seed.
    pub(crate) fn new(seed: u64) -> Rand {
        Rand { seed }
    }
}

impl Policy for Rand {
    fn score(&self, page: PageId, _history: &History, now: Time) -> Option<f64> {
        Some(draw(self.seed, page, now))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        format!("drew {:.3} of 1 at random", self.score(page, history, now).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_spread_evenly() {
        let policy = Rand::new(7);
        let draw = |page| policy.score(PageId(page), &History::default(), Time::from_secs(1)).unwrap();
        let mean = (0..10_000).map(draw).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
