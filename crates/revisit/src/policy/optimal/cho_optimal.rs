//! `cho-optimal`: the fixed intervals that keep most copies current (Cho & Garcia-Molina 2003).
//!
//! The optimum has (μ/Δ)(1 − e^(−x)(1 + x)) = λ for all pages, x = Δτ, with λ such that the visits 1/τ add up to the
//! budget. A page with μ/Δ ≤ λ changes too fast to be worth any visit and gets none. In terms of `allocation`: ρ =
//! Δ·h(v), h(v) = 1/x where 1 − e^(−x)(1 + x) = 1/v.

use super::allocation::Allocation;
use super::rates::Rates;
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Policy};
use crate::{History, PageId, Pages, Time, Visit};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "cho-optimal",
    paper: "Cho & Garcia-Molina 2003",
    summary: "the fixed intervals that keep most copies current within the budget",
    spending: Spending::Solves,
    needs_truth: false,
    parameters: &[],
    build: Build::Plain(|_| Box::new(ChoOptimal::new())),
};

/// The fixed intervals that keep most copies current.
#[derive(Debug)]
pub(crate) struct ChoOptimal {
    allocation: Allocation,
}

impl ChoOptimal {
    /// Nothing is known yet.
    pub(crate) fn new() -> ChoOptimal {
        ChoOptimal { allocation: Allocation::new(Rates::default(), response) }
    }
}

impl Default for ChoOptimal {
    fn default() -> ChoOptimal {
        ChoOptimal::new()
    }
}

/// h(v) = 1/x where 1 − e^(−x)(1 + x) = 1/v; 0 where there is none.
///
/// With L = −ln(1 − 1/v) that is x − ln(1 + x) = L. The left side is convex and at L + √(2L) not below L, so Newton's steps
/// fall towards the root from there; six are exact to the last digits.
fn response(value: f64) -> f64 {
    if value <= 1.0 {
        return 0.0;
    }
    let target = -(-1.0 / value).ln_1p();
    let mut x = target + (2.0 * target).sqrt();
    if x < 1e-6 {
        return 1.0 / x.max(1e-12);
    }
    for _ in 0..6 {
        x -= (x - x.ln_1p() - target) * (1.0 + x) / x;
    }
    1.0 / x
}

impl Policy for ChoOptimal {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.allocation.score(page, history, now, 1.0)
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        self.allocation.reason(page, history, now)
    }

    fn learn(&mut self, page: PageId, history: &History, _visit: &Visit) {
        self.allocation.learn(page, history);
    }

    fn plan(&mut self, pages: &Pages, budget: Budget, _now: Time) {
        self.allocation.plan(pages, budget);
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.allocation.keep(checkpoint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_response_inverts_the_index() {
        for x in [1e-4, 0.01, 0.5, 1.0, 3.0, 20.0] {
            let index = 1.0 - f64::exp(-x) * (1.0 + x);
            assert!((1.0 / response(1.0 / index) - x).abs() < 1e-4 * x, "{x}");
        }
        assert_eq!(response(1.0), 0.0, "not worth a visit");
        assert!(response(f64::INFINITY).is_finite());
    }
}
