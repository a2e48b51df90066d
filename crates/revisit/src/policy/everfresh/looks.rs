//! What a page's looks say of its rate: how far above or below the usual it is expected to be, learned from all pages.
//!
//! Long pages, pages many others link to, pages deep down: each collection has its own reading. The logarithm of a page's
//! rate is a sum over its features and their squares, fitted to the changes that pages showed (a Poisson regression that
//! allows for pages differing beyond their looks, with a ridge; two Newton steps at each refit). Eight bytes a page: the
//! logarithms of features in 16ths, which is as fine as they matter.

use super::prior::leaning;
use crate::features::{Feature, Features};

/// Features a page may have.
const FEATURES: usize = 8;
/// A feature that is not known.
const UNKNOWN: u8 = u8::MAX;
/// Parts of one in a kept logarithm.
const PARTS: f32 = 16.0;
/// Each feature and its square.
const TERMS: usize = 2 * FEATURES;
/// How strongly weights are held to zero, as in pages.
const RIDGE: f64 = 5.0;
/// How much pages of the same looks differ: the shape of a gamma distribution.
const SHAPE: f64 = 0.5;
/// Newton steps at each refit, and how far a weight may move in one.
const STEPS: usize = 2;
const LARGEST_STEP: f64 = 0.5;
/// Values further out than this many standard deviations count as that.
const WIDEST: f32 = 3.0;

/// Which features the first visit shows.
const SHOWN: [Feature; 6] = [
    Feature::TextBytes,
    Feature::Links,
    Feature::Images,
    Feature::Emails,
    Feature::LastModified,
    Feature::DirectoryLevel,
];
/// Where what the structure shows is kept.
const LINKED: usize = 6;
const COMPANY: usize = 7;

/// The looks of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look([u8; FEATURES]);

/// A page nobody has described.
pub(super) const UNSEEN: Look = Look([UNKNOWN; FEATURES]);

impl Look {
    /// Takes in what the first version shows.
    pub(super) fn describe(&mut self, features: &Features) {
        for (kept, feature) in self.0.iter_mut().zip(SHOWN) {
            *kept = features.get(feature).map_or(UNKNOWN, |value| logarithm(value as f32));
        }
    }

    /// Takes in how many pages link to it and how many share its directory.
    pub(super) fn arrange(&mut self, linked: u32, company: u32) {
        self.0[LINKED] = logarithm(linked as f32);
        self.0[COMPANY] = logarithm(company as f32);
    }
}

/// ln(1 + x) in 16ths.
fn logarithm(value: f32) -> u8 {
    // A cast stops at the ends of its range.
    ((value.max(0.0).ln_1p() * PARTS + 0.5) as u8).min(UNKNOWN - 1)
}

/// What was seen of a page as far as looks are concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// Changes there were, going by what the visits saw.
    pub changes: f32,
    /// Cycles watched, weighed by how busy they were.
    pub exposure: f32,
}

/// How looks and rates go together.
#[derive(Clone, Debug)]
pub(super) struct Looks {
    /// Mean of each feature, and one over its standard deviation; 0 if it tells nothing.
    scale: [(f32, f32); FEATURES],
    weights: [f64; TERMS],
    /// The mean of the sums over pages: it is the rates of the prior that say how often pages change on the whole.
    centre: f64,
}

impl Default for Looks {
    fn default() -> Looks {
        Looks { scale: [(0.0, 0.0); FEATURES], weights: [0.0; TERMS], centre: 0.0 }
    }
}

impl Looks {
    /// How far a page leans to more changes than usual.
    pub(super) fn leaning(&self, look: &Look) -> u8 {
        leaning(self.offset(&self.terms(look)) as f32)
    }

    fn offset(&self, terms: &[f64; TERMS]) -> f64 {
        terms.iter().zip(&self.weights).map(|(term, weight)| term * weight).sum::<f64>() - self.centre
    }

    /// Features and their squares, each with mean 0; an unknown feature is as the usual one.
    fn terms(&self, look: &Look) -> [f64; TERMS] {
        let mut terms = [0.0; TERMS];
        for (place, (&kept, (mean, scale))) in look.0.iter().zip(self.scale).enumerate() {
            if kept != UNKNOWN && scale > 0.0 {
                let value = f64::from(((f32::from(kept) - mean) * scale).clamp(-WIDEST, WIDEST));
                (terms[place], terms[place + FEATURES]) = (value, value * value - 1.0);
            }
        }
        terms
    }

    /// Fits the weights to pages.
    pub(super) fn refit<'a>(&mut self, pages: impl Iterator<Item = (&'a Look, Seen)> + Clone) {
        self.measure(pages.clone().map(|(look, _)| look));
        if self.scale.iter().all(|(_, scale)| *scale == 0.0) {
            return;
        }
        for _ in 0..STEPS {
            self.step(pages.clone());
            let (mut offsets, mut count) = (0.0, 0.0);
            for (look, _) in pages.clone() {
                offsets += self.offset(&self.terms(look));
                count += 1.0;
            }
            self.centre += offsets / f64::max(count, 1.0);
        }
    }

    fn measure<'a>(&mut self, looks: impl Iterator<Item = &'a Look>) {
        let mut sums = [(0.0_f64, 0.0_f64, 0.0_f64); FEATURES];
        for look in looks {
            for (sum, &kept) in sums.iter_mut().zip(&look.0).filter(|(_, kept)| **kept != UNKNOWN) {
                let value = f64::from(kept);
                *sum = (sum.0 + 1.0, sum.1 + value, sum.2 + value * value);
            }
        }
        for (scale, (count, sum, squares)) in self.scale.iter_mut().zip(sums) {
            let mean = sum / f64::max(count, 1.0);
            let variance = squares / f64::max(count, 1.0) - mean * mean;
            *scale = (mean as f32, if variance > 0.25 { variance.sqrt().recip() as f32 } else { 0.0 });
        }
    }

    /// One Newton step towards the weights under which the changes seen are likeliest.
    fn step<'a>(&mut self, pages: impl Iterator<Item = (&'a Look, Seen)> + Clone) {
        let (mut changes, mut expected) = (0.0, 0.0);
        for (look, seen) in pages.clone() {
            changes += f64::from(seen.changes);
            expected += f64::from(seen.exposure) * self.offset(&self.terms(look)).exp();
        }
        if changes <= 0.0 || expected <= 0.0 {
            return;
        }
        let usual = changes / expected;
        let mut slope = self.weights.map(|weight| -RIDGE * weight);
        let mut bend = [[0.0; TERMS]; TERMS];
        for (look, seen) in pages {
            let terms = self.terms(look);
            let expected = f64::from(seen.exposure) * usual * self.offset(&terms).exp();
            let unsure = 1.0 + expected / SHAPE;
            let surprise = (f64::from(seen.changes) - expected) / unsure;
            for (row, term) in terms.iter().enumerate().filter(|(_, term)| **term != 0.0) {
                slope[row] += term * surprise;
                let weight = term * expected / unsure;
                bend[row].iter_mut().zip(&terms).for_each(|(sum, other)| *sum += weight * other);
            }
        }
        (0..TERMS).for_each(|row| bend[row][row] += RIDGE);
        for (weight, step) in self.weights.iter_mut().zip(solve(bend, slope)) {
            *weight += step.clamp(-LARGEST_STEP, LARGEST_STEP);
        }
    }
}

/// Solves a system of equations whose matrix is symmetric and positive, by elimination in place.
fn solve(mut matrix: [[f64; TERMS]; TERMS], mut right: [f64; TERMS]) -> [f64; TERMS] {
    for pivot in 0..TERMS {
        let row = matrix[pivot];
        for below in pivot + 1..TERMS {
            let factor = matrix[below][pivot] / row[pivot];
            if factor != 0.0 {
                (pivot..TERMS).for_each(|column| matrix[below][column] -= factor * row[column]);
                right[below] -= factor * right[pivot];
            }
        }
    }
    for pivot in (0..TERMS).rev() {
        let known: f64 = (pivot + 1..TERMS).map(|column| matrix[pivot][column] * right[column]).sum();
        right[pivot] = (right[pivot] - known) / matrix[pivot][pivot];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::super::prior::NEUTRAL;
    use super::*;

    /// Pages of which long ones change often.
    fn pages() -> Vec<(Look, Seen)> {
        (0..400)
            .map(|page| {
                let long = page % 2 == 0;
                let mut look = UNSEEN;
                let bytes = if long { 9000.0 } else { 300.0 } + page as f32;
                look.describe(&Features::default().with(Feature::TextBytes, bytes).with(Feature::Images, 3.0));
                (look, Seen { changes: if long { 8.0 } else { 1.0 }, exposure: 50.0 })
            })
            .collect()
    }

    #[test]
    fn learns_which_looks_change_often() {
        let pages = pages();
        let mut looks = Looks::default();
        assert_eq!(looks.leaning(&pages[0].0), NEUTRAL);
        (0..10).for_each(|_| looks.refit(pages.iter().map(|(look, seen)| (look, *seen))));
        let [long, short] = [0, 1].map(|page| f64::from(looks.leaning(&pages[page].0)) * 0.1);
        assert!((long - short - 8.0_f64.ln()).abs() < 0.4, "{long} {short}");
        assert!((looks.leaning(&UNSEEN)).abs_diff(NEUTRAL) < 3, "as the usual page");
    }

    #[test]
    fn pages_without_looks_or_changes_teach_nothing() {
        let mut looks = Looks::default();
        looks.refit([(&UNSEEN, Seen { changes: 2.0, exposure: 9.0 })].into_iter());
        let unchanged: Vec<(Look, Seen)> = pages().into_iter().map(|(look, _)| (look, Seen::default())).collect();
        looks.refit(unchanged.iter().map(|(look, seen)| (look, *seen)));
        assert_eq!(looks.weights, [0.0; TERMS]);
    }

    #[test]
    fn equations_worked_by_hand() {
        let mut matrix = [[0.0; TERMS]; TERMS];
        (0..TERMS).for_each(|row| matrix[row][row] = 2.0);
        (matrix[0][1], matrix[1][0]) = (1.0, 1.0);
        let mut right = [2.0; TERMS];
        right[0] = 3.0;
        let solved = solve(matrix, right);
        // 2a + b = 3 and a + 2b = 2.
        assert!((solved[0] - 4.0 / 3.0).abs() < 1e-12 && (solved[1] - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(solved[2], 1.0);
    }
}
