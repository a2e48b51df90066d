//! What a page's own visits say of its rate: the likelihood of each rate, in 48 bytes however many visits there were.
//!
//! A visit that saw no change after an exposure E speaks for a rate λ with e^(−λE), one that saw a change with 1 − e^(−λE);
//! unequal intervals need nothing more. Pages drift, so what a visit said fades as it gets older. Only ratios matter, so
//! logarithms are kept below that of the likeliest rate, in 2048ths: fine enough for a quiet hour of a page that changes once in
//! 2,000 hours, and a rate 32 below is out of the question.

use super::rates::{GRID, RATES, decay};

/// Parts of one in a kept logarithm.
const PARTS: f32 = 2048.0;

/// How unlikely each rate is, beside the likeliest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(super) struct Evidence([u16; RATES]);

/// Nothing seen: all rates are alike.
pub(super) const NONE: Evidence = Evidence([0; RATES]);

impl Evidence {
    /// Takes in a visit after so much exposure (cycles, weighed by how busy they were); what was known fades to the share
    /// `kept` first.
    pub(super) fn add(&mut self, exposure: f32, changed: bool, kept: f32) {
        let mut logarithms = [0.0; RATES];
        for ((logarithm, &rate), &below) in logarithms.iter_mut().zip(&GRID).zip(&self.0) {
            let x = rate * exposure;
            // For small x, 1 − e^(−x) is x(1 − x/2), without the difference of two nearly equal numbers.
            let speaks = match (changed, x < 0.01) {
                (false, _) => -x,
                (true, true) => (x * (1.0 - x / 2.0)).max(f32::MIN_POSITIVE).ln(),
                (true, false) => (1.0 - decay(x)).ln(),
            };
            *logarithm = speaks - f32::from(below) * kept / PARTS;
        }
        let best = logarithms.iter().copied().fold(f32::MIN, f32::max);
        for (below, logarithm) in self.0.iter_mut().zip(logarithms) {
            // A cast of a number that is too large stops at the largest.
            *below = ((best - logarithm) * PARTS + 0.5) as u16;
        }
    }

    /// The chance of each rate, for pages of which the prior says `prior`, once the evidence has faded to the share `kept`.
    pub(super) fn posterior(&self, prior: &[f32; RATES], kept: f32) -> [f32; RATES] {
        let mut chances = [0.0; RATES];
        for ((chance, &below), &before) in chances.iter_mut().zip(&self.0).zip(prior) {
            *chance = decay(f32::from(below) * (kept / PARTS)) * before;
        }
        // The likeliest rate has a prior above zero, and so the sum is.
        let scale = 1.0 / sum(&chances).max(f32::MIN_POSITIVE);
        chances.map(|chance| chance * scale)
    }
}

/// The mean over rates of something that depends on the rate.
pub(super) fn mean(chances: &[f32; RATES], value: impl Fn(f32) -> f32) -> f32 {
    let mut parts = GRID.map(value);
    parts.iter_mut().zip(chances).for_each(|(part, chance)| *part *= chance);
    sum(&parts)
}

/// The sum, added up in eight columns: they do not wait for one another.
fn sum(parts: &[f32; RATES]) -> f32 {
    let mut columns = [0.0; 8];
    for row in parts.chunks_exact(columns.len()) {
        columns.iter_mut().zip(row).for_each(|(column, part)| *column += part);
    }
    columns.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: [f32; RATES] = [1.0 / RATES as f32; RATES];

    fn expected(evidence: &Evidence) -> f32 {
        mean(&evidence.posterior(&FLAT, 1.0), |rate| rate)
    }

    #[test]
    fn changes_speak_for_high_rates_and_silence_for_low_ones() {
        let (mut busy, mut calm) = (NONE, NONE);
        for _ in 0..10 {
            busy.add(1.0, true, 1.0);
            calm.add(1.0, false, 1.0);
        }
        assert!(expected(&busy) > 1.0 && expected(&calm) < 0.1, "{} {}", expected(&busy), expected(&calm));
    }

    #[test]
    fn agrees_with_the_likelihood_in_full() {
        // 20 visits after 10 cycles each, 5 of them with a change.
        let mut evidence = NONE;
        (0..20).for_each(|visit| evidence.add(10.0, visit % 4 == 0, 1.0));
        let full = GRID.map(|rate| {
            let miss = (-10.0 * f64::from(rate)).exp();
            (1.0 - miss).powi(5) * miss.powi(15)
        });
        let total: f64 = full.iter().sum();
        let mean = GRID.iter().zip(full).map(|(rate, chance)| f64::from(*rate) * chance / total).sum::<f64>();
        assert!((f64::from(expected(&evidence)) / mean - 1.0).abs() < 0.02, "{} {mean}", expected(&evidence));
    }

    #[test]
    fn what_was_seen_long_ago_fades() {
        let mut evidence = NONE;
        (0..10).for_each(|_| evidence.add(1.0, true, 1.0));
        let (fresh, faded) = (evidence.posterior(&FLAT, 1.0), evidence.posterior(&FLAT, 0.01));
        assert!(fresh[1] < 1e-6 && (faded[RATES - 1] - FLAT[0]).abs() < 0.05);
    }

    #[test]
    fn no_visit_breaks_it() {
        let mut evidence = NONE;
        for exposure in [0.0, 1e-9, 1e9, f32::MAX] {
            evidence.add(exposure, true, 1.0);
            evidence.add(exposure, false, 1.0);
            assert!(evidence.posterior(&FLAT, 1.0).iter().all(|chance| chance.is_finite()));
        }
    }
}
