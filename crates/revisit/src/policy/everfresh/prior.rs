//! What the collection says of a page's rate before its own visits do: how common each rate is, fitted to all pages.
//!
//! The share of each rate is that of the pages which have it, going by their posteriors (expectation maximisation; a few
//! steps at each refit, each starting from the last). Shares are smoothed a little, because 100 pages cannot fill 24 rates.
//! Pages whose looks speak for more or fewer changes have the same shares at higher or lower rates; whether a page never
//! changes at all is not for looks to say. There are [`LEANINGS`] such shifts, each with its own table.

use super::evidence::Evidence;
use super::rates::{RATES, STEP};

/// Leanings of pages, from few changes to many.
pub(super) const LEANINGS: usize = 61;
/// The leaning of a page that nothing is known of.
pub(super) const NEUTRAL: u8 = (LEANINGS / 2) as u8;
/// How far apart two leanings are, as logarithms of rates: e³ = 20 times as often is as far as looks can tell.
const NOTCH: f32 = 0.1;

/// Steps of a refit.
const STEPS: usize = 3;
/// Pages that each rate has in addition.
const SMOOTHING: f32 = 0.05;
/// The share that each neighbouring rate gets of a rate's pages.
const BLUR: f32 = 0.1;

/// How common each rate is.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
pub(super) struct Prior {
    shares: [f32; RATES],
    /// The same for each leaning.
    leaning: Vec<[f32; RATES]>,
}

impl Default for Prior {
    fn default() -> Prior {
        Prior::new([1.0 / RATES as f32; RATES])
    }
}

/// The leaning nearest to a logarithm of a rate over the usual one.
pub(super) fn leaning(logarithm: f32) -> u8 {
    // A cast stops at the ends of its range.
    let notches = (logarithm / NOTCH + f32::from(NEUTRAL) + 0.5) as u8;
    notches.min(LEANINGS as u8 - 1)
}

/// Where a rate comes to stand under a leaning: two places and the share of the second.
fn moved(place: usize, leaning: usize) -> (usize, usize, f32) {
    let shift = (leaning as f32 - f32::from(NEUTRAL)) * NOTCH / STEP;
    let (whole, share) = (shift.floor(), shift - shift.floor());
    let at = |offset: f32| (place as f32 + whole + offset).clamp(1.0, (RATES - 1) as f32) as usize;
    (at(0.0), at(1.0), share)
}

impl Prior {
    fn new(shares: [f32; RATES]) -> Prior {
        let leaning = (0..LEANINGS).map(|leaning| lean(&shares, leaning)).collect();
        Prior { shares, leaning }
    }

    /// What is known before of a page of this leaning.
    pub(super) fn of(&self, leaning: u8) -> &[f32; RATES] {
        &self.leaning[usize::from(leaning)]
    }

    /// Fits the shares to pages: what was seen of each, the share of it that has not faded, and its leaning.
    pub(super) fn refit<'a>(&mut self, pages: impl Iterator<Item = (&'a Evidence, f32, u8)> + Clone) {
        for _ in 0..STEPS {
            let mut found = vec![[0.0; RATES]; LEANINGS];
            for (evidence, kept, leaning) in pages.clone() {
                let chances = evidence.posterior(self.of(leaning), kept);
                found[usize::from(leaning)].iter_mut().zip(chances).for_each(|(sum, chance)| *sum += chance);
            }
            *self = Prior::new(smoothed(self.unmoved(&found)));
        }
    }

    /// How many pages have each rate, were it not for their leanings.
    fn unmoved(&self, found: &[[f32; RATES]]) -> [f32; RATES] {
        let mut pages = [0.0; RATES];
        for (leaning, (found, before)) in found.iter().zip(&self.leaning).enumerate() {
            pages[0] += found[0];
            let each = |place: usize| found[place] / before[place].max(f32::MIN_POSITIVE);
            for (place, sum) in pages.iter_mut().enumerate().skip(1) {
                let (low, high, share) = moved(place, leaning);
                *sum += self.shares[place] * ((1.0 - share) * each(low) + share * each(high));
            }
        }
        pages
    }
}

/// The shares of rates under a leaning.
fn lean(shares: &[f32; RATES], leaning: usize) -> [f32; RATES] {
    let mut leaned = [0.0; RATES];
    leaned[0] = shares[0];
    for (place, share_of_pages) in shares.iter().enumerate().skip(1) {
        let (low, high, share) = moved(place, leaning);
        leaned[low] += share_of_pages * (1.0 - share);
        leaned[high] += share_of_pages * share;
    }
    leaned
}

/// Counts of pages as shares, each a little like its neighbours'. Never has none.
fn smoothed(pages: [f32; RATES]) -> [f32; RATES] {
    let mut shares: [f32; RATES] = std::array::from_fn(|place| match place {
        0 => pages[0],
        1 => pages[1] * (1.0 - BLUR) + pages[2] * BLUR,
        _ if place == RATES - 1 => pages[place] * (1.0 - BLUR) + pages[place - 1] * BLUR,
        _ => pages[place] * (1.0 - 2.0 * BLUR) + (pages[place - 1] + pages[place + 1]) * BLUR,
    });
    shares.iter_mut().for_each(|share| *share += SMOOTHING);
    let total: f32 = shares.iter().sum();
    shares.map(|share| share / total)
}

#[cfg(test)]
mod tests {
    use super::super::evidence::NONE;
    use super::super::rates::mean;
    use super::*;

    #[test]
    fn shares_are_those_of_the_pages() {
        let [mut busy, mut calm] = [NONE; 2];
        for _ in 0..200 {
            busy.add(1.0, true, 1.0);
            calm.add(10.0, false, 1.0);
        }
        let pages = [(&busy, 1.0, NEUTRAL), (&calm, 1.0, NEUTRAL), (&calm, 1.0, NEUTRAL), (&calm, 1.0, NEUTRAL)];
        let pages = pages.repeat(100);
        let mut prior = Prior::default();
        (0..10).for_each(|_| prior.refit(pages.iter().copied()));
        let shares = prior.of(NEUTRAL);
        let often: f32 = shares[15..].iter().sum();
        assert!((0.2..0.3).contains(&often), "{shares:?}");
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-4);
    }

    #[test]
    fn a_leaning_moves_the_rates_and_nothing_else() {
        let prior = Prior::default();
        let rate = |leaning| mean(prior.of(leaning), |rate| rate);
        assert!(rate(NEUTRAL + 10) > rate(NEUTRAL) && rate(NEUTRAL) > rate(NEUTRAL - 10));
        for of in [leaning(-9.0), leaning(0.0), leaning(9.0), leaning(0.37)] {
            assert!((prior.of(of).iter().sum::<f32>() - 1.0).abs() < 1e-4);
            assert_eq!(prior.of(of)[0], prior.of(NEUTRAL)[0]);
        }
        assert_eq!((leaning(0.0), leaning(-9.0), leaning(9.0)), (NEUTRAL, 0, LEANINGS as u8 - 1));
    }
}
