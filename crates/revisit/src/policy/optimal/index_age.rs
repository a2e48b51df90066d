//! `index-age`: where copies are longest out of date.
//!
//! Index (μ/Δ²)(x²/2 − 1 + e^(−x)(1 + x)), x = Δτ, for the objective "time since the first change not yet seen". It
//! grows with the square of the time waited, so that fast pages go round in turn and no page is given up.

use super::index::{Index, stable};
use super::rates::{RATES, Rates};
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "index-age",
    paper: "Whittle index under a Poisson process, with a point estimate of the rate",
    summary: "the visit that takes most off the age of the copies",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[RATES],
    build: Build::Plain(|values| {
        Box::new(Index::new(Rates::of_values(values), index, "the age in square days it saves is"))
    }),
};

/// (1/Δ²)(x²/2 − 1 + e^(−x)(1 + x)) = τ²·(…)/x².
fn index(rate: f64, days: f64) -> f64 {
    let series = |x: f64| x / 3.0 - x * x / 8.0 + x * x * x / 30.0;
    days * days * stable(rate * days, series, |x| (x * x / 2.0 - 1.0 + (-x).exp() * (1.0 + x)) / (x * x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_formula_worked_by_hand() {
        // Δ = 1/2 a day, τ = 2 days, x = 1: 4(2/e - 1/2) = 0.9430.
        assert!((index(0.5, 2.0) - 4.0 * (2.0 / std::f64::consts::E - 0.5)).abs() < 1e-12);
        assert_eq!(index(0.0, 2.0), 0.0);
        assert!((index(0.00999, 1.0) - index(0.01001, 1.0)).abs() < 2e-5, "no step where the series ends");
    }
}
