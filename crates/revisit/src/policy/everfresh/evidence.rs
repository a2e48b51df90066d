//! What a page's own visits say of its rate: the likelihood of each rate, in 24 bytes however many visits there were.
//!
//! A visit that saw no change after an exposure E speaks for a rate λ with e^(−λE), one that saw a change with 1 − e^(−λE);
//! unequal intervals need nothing more. Of unchanged visits only the sum of their exposures matters. Changed ones are counted
//! by their exposures, at [knots](EXPOSURES) that grow by 1.5² as rates do by 1.5: one between two knots counts for each by its
//! share, which is right to .04 of a logarithm. Pages drift, so what a visit said fades as it gets older.

use std::sync::LazyLock;

use super::rates::{GRID, RATES, decay, largest, sum};

/// Exposures at which changes are counted.
const KNOTS: usize = 10;
/// The first of them, in cycles, and how much longer each is than the one before. The last is 185.
const SHORTEST: f32 = 0.125;
const GROWTH: f32 = 2.25;
/// Parts of one change in a count.
const PARTS: f32 = 512.0;
/// No exposure matters beyond this: even the lowest rate would have brought a change.
const LONGEST: f32 = 1e9;
/// A rate whose likelihood is below that of the likeliest by this, as a logarithm, is out of the question.
const HOPELESS: f32 = 32.0;

/// What the visits to a page saw.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
pub(super) struct Evidence {
    /// Exposure at whose end nothing had changed.
    quiet: f32,
    /// Changes seen after about so much exposure.
    changed: [u16; KNOTS],
}

/// Nothing seen: all rates are alike.
pub(super) const NONE: Evidence = Evidence { quiet: 0.0, changed: [0; KNOTS] };

/// What a change after each knot's exposure says of each rate: ln(1 − e^(−λE)).
static EXPOSURES: LazyLock<[[f32; RATES]; KNOTS]> = LazyLock::new(|| {
    std::array::from_fn(|knot| {
        let exposure = f64::from(SHORTEST) * f64::from(GROWTH).powi(knot as i32);
        GRID.map(|rate| (-(-f64::from(rate) * exposure).exp_m1()).ln() as f32)
    })
});

impl Evidence {
    /// Takes in a visit after so much exposure (cycles, weighed by how busy they were); what was known fades to the share
    /// `kept` first.
    pub(super) fn add(&mut self, exposure: f32, changed: bool, kept: f32) {
        self.fade(kept);
        if !changed {
            self.quiet = (self.quiet + exposure).min(LONGEST);
            return;
        }
        let place = ((exposure / SHORTEST).max(1.0).ln() / GROWTH.ln()).min((KNOTS - 1) as f32);
        let (knot, share) = (place as usize, place.fract());
        // Where nothing fades a count may come to its end. Halved, all of it says the same, only less firmly.
        if self.changed.iter().any(|count| f32::from(*count) + PARTS > f32::from(u16::MAX)) {
            self.fade(0.5);
        }
        self.changed[knot] += ((1.0 - share) * PARTS).round() as u16;
        if share > 0.0 {
            self.changed[knot + 1] += (share * PARTS).round() as u16;
        }
    }

    fn fade(&mut self, kept: f32) {
        self.quiet *= kept;
        self.changed.iter_mut().for_each(|count| *count = (f32::from(*count) * kept).round() as u16);
    }

    /// The logarithm of each rate's likelihood.
    fn logarithms(&self) -> [f32; RATES] {
        let mut logarithms = GRID;
        logarithms.iter_mut().for_each(|logarithm| *logarithm *= -self.quiet);
        for (count, speaks) in self.changed.iter().zip(&*EXPOSURES).filter(|(count, _)| **count > 0) {
            let changes = f32::from(*count) / PARTS;
            logarithms.iter_mut().zip(speaks).for_each(|(logarithm, speaks)| *logarithm += changes * speaks);
        }
        logarithms
    }

    /// The chance of each rate, for pages of which the prior says `prior`, once the evidence has faded to the share `kept`.
    pub(super) fn posterior(&self, prior: &[f32; RATES], kept: f32) -> [f32; RATES] {
        let mut chances = self.logarithms();
        let best = largest(&chances);
        for (chance, &before) in chances.iter_mut().zip(prior) {
            *chance = decay((best - *chance).min(HOPELESS) * kept) * before;
        }
        // The likeliest rate has a prior above zero, and so the sum is.
        let scale = 1.0 / sum(&chances).max(f32::MIN_POSITIVE);
        chances.iter_mut().for_each(|chance| *chance *= scale);
        chances
    }
}

#[cfg(test)]
mod tests {
    use super::super::rates::mean;
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
    fn agrees_with_the_likelihood_after_any_exposure() {
        for exposure in [0.2_f32, 0.5, 1.0, 2.0, 5.0, 25.0, 70.0, 150.0] {
            let mut evidence = NONE;
            evidence.add(exposure, true, 1.0);
            let told = evidence.logarithms();
            let exact = GRID.map(|rate| (-(-f64::from(rate * exposure)).exp_m1()).ln() as f32);
            let apart = |(told, exact): (f32, f32)| (told - exact).abs();
            let worst = told.into_iter().zip(exact).map(apart).fold(0.0, f32::max);
            assert!(worst < 0.05, "{exposure}: {worst}");
        }
    }

    #[test]
    fn where_nothing_fades_a_thousand_changes_say_what_a_hundred_do() {
        let (mut evidence, mut hundred) = (NONE, NONE);
        for visit in 0..3000 {
            evidence.add(3.0, visit % 3 == 0, 1.0);
            if visit < 300 {
                hundred.add(3.0, visit % 3 == 0, 1.0);
            }
        }
        assert!((expected(&evidence) / expected(&hundred) - 1.0).abs() < 0.03, "{}", expected(&evidence));
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
