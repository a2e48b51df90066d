//! `index-freshness`: where a visit adds most to the time copies are current.
//!
//! Index (μ/Δ)(1 − e^(−x)(1 + x)), x = Δτ. A page that changes much faster than it can be visited has a small index
//! however long it waits, at most μ/Δ: its copy would be stale again at once.

use super::index::{Index, stable};
use super::rates::{RATES, Rates};
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "index-freshness",
    paper: "Whittle index under a Poisson process, with a point estimate of the rate",
    summary: "the visit that adds most to the share of pages that are current",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[RATES],
    build: Build::Plain(|values| Box::new(Index::new(Rates::of_values(values), index, "the gain in days current is"))),
};

/// (1/Δ)(1 − e^(−x)(1 + x)) = τ·(…)/x.
fn index(rate: f64, days: f64) -> f64 {
    let series = |x: f64| x / 2.0 - x * x / 3.0 + x * x * x / 8.0;
    days * stable(rate * days, series, |x| (1.0 - (-x).exp() * (1.0 + x)) / x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_formula_worked_by_hand() {
        // Δ = 1/2 a day, τ = 2 days, x = 1: 2(1 - 2/e) = 0.5285.
        assert!((index(0.5, 2.0) - 2.0 * (1.0 - 2.0 / std::f64::consts::E)).abs() < 1e-12);
        assert_eq!(index(0.0, 2.0), 0.0);
        assert!((index(0.00999, 1.0) - index(0.01001, 1.0)).abs() < 2e-5, "no step where the series ends");
    }

    #[test]
    fn a_hopeless_page_is_worth_little() {
        assert!(index(100.0, 30.0) < index(0.1, 3.0));
    }
}
