//! What the `index-…` policies share: how much a visit now is worth for an objective, the rate taken for known.
//!
//! With x = Δτ for a page of rate Δ seen τ ago, an index is the price per visit at which visiting now and waiting are
//! worth the same; always visiting the highest index is the best an interval-by-interval choice can do (Whittle's
//! argument). Each policy's file has its formula; the page's importance μ multiplies every score in the scheduler. Δ is
//! the point estimate of [`poisson`](crate::estimate::poisson).

use super::rates::Rates;
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::Policy;
use crate::{History, PageId, Time, Visit};

/// The page with the highest index first.
#[derive(Debug)]
pub(crate) struct Index {
    rates: Rates,
    /// The index, from changes a day and days since the last visit.
    value: fn(f64, f64) -> f64,
    /// What the index is a measure of.
    objective: &'static str,
}

impl Index {
    /// `value` is the index from changes a day and days since the last visit; `objective` says what it measures.
    pub(super) fn new(rates: Rates, value: fn(f64, f64) -> f64, objective: &'static str) -> Index {
        Index { rates, value, objective }
    }
}

impl Policy for Index {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        Some((self.value)(self.rates.of(page), history.elapsed(now)?.as_days().max(0.0)))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let (rate, elapsed) = (self.rates.of(page), history.elapsed(now).unwrap_or_default());
        let value = (self.value)(rate, elapsed.as_days().max(0.0));
        let objective = self.objective;
        format!("it changes about {rate:.2} times a day and was last seen {elapsed} ago: {objective} {value:.3}")
    }

    fn learn(&mut self, page: PageId, history: &History, _visit: &Visit) {
        self.rates.learn(page, history);
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.rates.keep(checkpoint)
    }
}

/// `exact`, or `series` where x is so small that `exact` would be the difference of two nearly equal numbers over zero.
pub(super) fn stable(x: f64, series: impl Fn(f64) -> f64, exact: impl Fn(f64) -> f64) -> f64 {
    if x < 0.01 { series(x) } else { exact(x) }
}
