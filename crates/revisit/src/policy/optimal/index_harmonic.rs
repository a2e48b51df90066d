//! `index-harmonic`: where staleness, one more harm for each change missed, costs most.
//!
//! Index (μ/Δ)(x − 1 + e^(−x)), x = Δτ: the objective of LambdaCrawl (Kolobov et al. 2019), for which being behind by
//! m changes costs the m-th harmonic number. It keeps growing with time, so no page is given up.

use super::index::{Index, stable};
use super::rates::{RATES, Rates};
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "index-harmonic",
    paper: "Whittle index under a Poisson process, with a point estimate of the rate",
    summary: "the visit that saves most harmonic staleness",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[RATES],
    build: Build::Plain(|values| Box::new(Index::new(Rates::of_values(values), index, "the staleness it saves is"))),
};

/// (1/Δ)(x − 1 + e^(−x)) = τ·(…)/x.
fn index(rate: f64, days: f64) -> f64 {
    let series = |x: f64| x / 2.0 - x * x / 6.0 + x * x * x / 24.0;
    days * stable(rate * days, series, |x| (x + (-x).exp_m1()) / x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_formula_worked_by_hand() {
        // Δ = 1/2 a day, τ = 2 days, x = 1: 2/e = 0.7358.
        assert!((index(0.5, 2.0) - 2.0 / std::f64::consts::E).abs() < 1e-12);
        assert_eq!(index(0.0, 2.0), 0.0);
        assert!((index(0.00999, 1.0) - index(0.01001, 1.0)).abs() < 2e-5, "no step where the series ends");
    }
}
