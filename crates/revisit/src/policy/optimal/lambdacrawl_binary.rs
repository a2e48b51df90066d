//! `lambdacrawl-binary`: the Poisson crawl rates that keep most copies current (Azar et al. 2018).
//!
//! ρ = max(0, √(μΔ/λ) − Δ), with λ such that the rates add up to the budget: `allocation` with h(v) = max(0, √v − 1). A
//! page that changes too fast gets no visit at all. Random times, rates and parameters are those of
//! [`lambdacrawl`](super::lambdacrawl).

use super::lambdacrawl::{LambdaCrawl, PARAMETERS};
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "lambdacrawl-binary",
    paper: "Azar et al. 2018 (binary freshness)",
    summary: "Poisson crawl rates that keep most copies current within the budget",
    spending: Spending::Solves,
    needs_truth: false,
    parameters: PARAMETERS,
    build: Build::Plain(|values| LambdaCrawl::built(values, response)),
};

/// h(v) = max(0, √v − 1).
fn response(value: f64) -> f64 {
    (value.sqrt() - 1.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_response_is_the_papers_rate() {
        // Δ = 1/4, μ = 1, λ = 1: √(1/4) − 1/4 = 1/4 = Δ·h(4).
        assert_eq!(0.25 * response(4.0), 0.25);
        assert_eq!(response(0.5), 0.0);
    }
}
