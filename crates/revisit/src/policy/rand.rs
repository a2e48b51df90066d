//! `rand`: a page at random, the floor every method must beat (Santos 2013, baseline "Rand").
//!
//! The score is a hash of seed, page and time, so it is the same whatever the order or number of the questions.

use super::Policy;
use super::parameter::Parameter;
use super::registry::{Build, Entry, Spending};
use crate::{History, PageId, Time};

/// The registry's entry.
pub(super) const ENTRY: Entry = Entry {
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
pub struct Rand {
    seed: u64,
}

impl Rand {
    /// The random order of a seed.
    pub fn new(seed: u64) -> Rand {
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

/// A number from 0 to below 1 drawn for a seed, a page and a time.
pub(crate) fn draw(seed: u64, page: PageId, at: Time) -> f64 {
    // Multiplied, neighbouring seeds and times differ in high bits, where no page has any.
    let moment = seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(at.millis() as u64);
    let drawn = mix(moment.wrapping_mul(0xaf25_1af3_b0f0_25b5) ^ u64::from(page.0));
    (drawn >> 11) as f64 / (1_u64 << 53) as f64
}

/// The finaliser of SplitMix64: every bit of the input moves every bit of the output.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
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
