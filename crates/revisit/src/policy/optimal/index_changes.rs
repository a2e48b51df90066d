//! `index-changes`: where most changes have happened since the last visit.
//!
//! Score x = Δτ, the changes expected since the last visit. 1 − e^(−x), the chance that there was any, gives the same
//! order, so this serves recall and Change Ratio alike.

use super::index::Index;
use super::rates::{RATES, Rates};
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "index-changes",
    paper: "Whittle index under a Poisson process, with a point estimate of the rate",
    summary: "the page with the most changes expected since its last visit first",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[RATES],
    build: Build::Plain(|values| Box::new(Index::new(Rates::of_values(values), index, "the changes expected are"))),
};

/// x = Δτ.
fn index(rate: f64, days: f64) -> f64 {
    rate * days
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_rate_is_worth_twice_the_wait() {
        assert_eq!(index(0.5, 2.0), index(0.25, 4.0));
    }
}
