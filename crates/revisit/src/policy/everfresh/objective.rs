//! What the user wants of the budget, as the worth of one visit to a page of known rate (METHODS of the index scores).
//!
//! Each is a Whittle index: the price of a visit at which visiting now and waiting are worth the same. Visiting whatever
//! is above one price for all pages is then the best plan, and the price is where the budget ends. With x = λE:
//!
//! | objective | index | what is best |
//! |---|---|---|
//! | freshness | (1 − e^(−x)(1 + x)) / λ | the share of copies that are current |
//! | age | (x²/2 − 1 + e^(−x)(1 + x)) / λ² | the time copies have been out of date |
//! | changes, capture | 1 − e^(−x)(1 + x) | visits that find a change |
//!
//! A fixed number of visits finds most changes, of those made and of all there were, with the same order. The chance of a
//! change, 1 − e^(−x), would be the order for one cycle only: it takes a page a little before waiting would pay.
//!
//! λ stands for the time to come. If pages change more after visits like the one to be made, or less, it is higher or lower.

use super::rates::{RATES, mean_with};
use crate::policy::parameter::{Parameter, Values};

/// The parameter.
pub(super) const OBJECTIVE: Parameter = Parameter::choice(
    "objective",
    &["freshness", "age", "changes", "capture"],
    "what is best: copies that are current, copies not long out of date, visits that find a change, or changes found",
);

/// What the user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objective {
    Freshness,
    Age,
    Changes,
}

impl Objective {
    pub(super) fn of(values: &Values<'_>) -> Objective {
        match () {
            () if values.is("objective", "freshness") => Objective::Freshness,
            () if values.is("objective", "age") => Objective::Age,
            () => Objective::Changes,
        }
    }

    /// What a visit is worth over all rates a page may have, with the chance of no change at each: after so much exposure, in so
    /// many cycles (age goes by these, however busy they were), and with a time to come that counts for `after` times the usual.
    pub(super) fn worth(
        self,
        chances: &[f32; RATES],
        unchanged: &[f32; RATES],
        exposure: f32,
        elapsed: f32,
        after: f32,
    ) -> f32 {
        let caught = |rate: f32, unchanged: f32| caught(rate * exposure, unchanged);
        let waited = |rate: f32, unchanged: f32| waited(rate * exposure, unchanged);
        match self {
            Objective::Freshness => mean_with(chances, unchanged, caught) * exposure / after,
            Objective::Age => mean_with(chances, unchanged, waited) * (elapsed / after).powi(2),
            Objective::Changes => {
                mean_with(chances, unchanged, |rate, unchanged| rate * caught(rate, unchanged)) * exposure
            }
        }
    }

    /// What [`worth`](Objective::worth) measures.
    pub(super) fn name(self) -> &'static str {
        match self {
            Objective::Freshness => "for the share of copies that are current",
            Objective::Age => "for how long copies are out of date",
            Objective::Changes => "for finding changes",
        }
    }
}

/// (1 − e^(−x)(1 + x)) / x, by x and e^(−x).
fn caught(x: f32, decayed: f32) -> f32 {
    let series = x * (0.5 - x * (1.0 / 3.0 - x * (0.125 - x * (1.0 / 30.0 - x / 144.0))));
    let exact = (1.0 - decayed * (1.0 + x)) / x.max(0.2);
    if x < 0.2 { series } else { exact }
}

/// (x²/2 − 1 + e^(−x)(1 + x)) / x², by x and e^(−x).
fn waited(x: f32, decayed: f32) -> f32 {
    let series = x * (1.0 / 3.0 - x * (0.125 - x * (1.0 / 30.0 - x * (1.0 / 144.0 - x / 840.0))));
    let exact = 0.5 - (1.0 - decayed * (1.0 + x)) / (x * x).max(0.25);
    if x < 0.5 { series } else { exact }
}

#[cfg(test)]
mod tests {
    use super::super::rates::{GRID, unchanged};
    use super::*;
    use proptest::prelude::*;

    fn sure_of(place: usize) -> [f32; RATES] {
        std::array::from_fn(|other| f32::from(u8::from(other == place)))
    }

    proptest! {
        #[test]
        fn worth_is_the_index_of_the_table(place in 1..RATES, exposure in 0.01_f32..200.0) {
            let (rate, cycles) = (f64::from(GRID[place]), f64::from(exposure));
            let x = rate * cycles;
            prop_assume!(x > 0.01 && x < 60.0);
            let seen = 1.0 - (-x).exp() * (1.0 + x);
            for (objective, index) in [
                (Objective::Freshness, seen / rate),
                (Objective::Age, (x * x / 2.0 - seen) / (rate * rate)),
                (Objective::Changes, seen),
            ] {
                let worth = f64::from(objective.worth(&sure_of(place), &unchanged(exposure), exposure, exposure, 1.0));
                prop_assert!((worth / index - 1.0).abs() < 2e-3, "{objective:?} x = {x}: {worth} {index}");
            }
        }
    }

    #[test]
    fn waiting_never_makes_a_visit_worth_less() {
        for objective in [Objective::Freshness, Objective::Age, Objective::Changes] {
            let after = |cycles: f32| objective.worth(&sure_of(12), &unchanged(cycles), cycles, cycles, 1.0);
            let worth: Vec<f32> = (0..400).map(|quarters| after(quarters as f32 / 4.0)).collect();
            assert!(worth.windows(2).all(|pair| pair[1] >= pair[0] * 0.999_9), "{objective:?}");
            assert_eq!(worth[0], 0.0);
        }
    }
}
