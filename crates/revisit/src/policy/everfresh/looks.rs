//! What a page's looks say of its rate: how far above or below the usual it is expected to be, learned from all pages.
//!
//! Long pages, pages many others link to, pages deep down: each collection has its own reading. The logarithm of a page's
//! rate is a sum over its features and their squares, fitted to the changes that pages showed (a Poisson regression that
//! allows for pages differing beyond their looks, with a ridge; two Newton steps at each refit). Eight bytes a page: the
//! logarithms of features in 16ths, which is as fine as they matter.

use crate::features::{Feature, Features};

/// Features a page may have.
const FEATURES: usize = 8;
/// A feature that is not known.
const UNKNOWN: u8 = u8::MAX;
/// Parts of one in a kept logarithm.
const PARTS: f32 = 16.0;
/// The usual, then each feature and its square.
const TERMS: usize = 1 + 2 * FEATURES;
/// How strongly weights are held to zero, as in pages.
const RIDGE: f64 = 10.0;
/// How much pages of the same looks differ: the shape of a gamma distribution.
const SHAPE: f64 = 1.0;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize, serde::Serialize)]
pub(super) struct Seen {
    /// Changes there were, going by what the visits saw.
    pub(crate) changes: f32,
    /// Cycles watched, weighed by how busy they were.
    pub(crate) exposure: f32,
}

impl Seen {
    /// Takes in a visit; what was seen before fades.
    pub(super) fn add(&mut self, changes: f32, exposure: f32, kept: f32) {
        *self = Seen { changes: self.changes * kept + changes, exposure: self.exposure * kept + exposure };
    }

    /// The same of a page that is expected to change so much more often, given as a logarithm.
    pub(super) fn beside(self, offset: f32) -> Seen {
        Seen { exposure: self.exposure * offset.exp(), ..self }
    }
}

/// How looks and rates go together.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
pub(super) struct Looks {
    scale: [Scale; FEATURES],
    weights: [f64; TERMS],
}

/// What each feature adds to the logarithm of a page's rate, for all it may be: a refit asks for every page.
pub(super) struct Offsets(Box<[[f32; 1 << u8::BITS]; FEATURES]>);

impl Offsets {
    /// As [`Looks::offset`].
    pub(super) fn offset(&self, look: &Look) -> f32 {
        self.0.iter().zip(look.0).map(|(shares, kept)| shares[usize::from(kept)]).sum()
    }
}

/// What is usual of a feature.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, serde::Serialize)]
struct Scale {
    mean: f32,
    /// One over the standard deviation; 0 if the feature tells nothing.
    per_deviation: f32,
    /// The means of the terms made of it.
    terms: [f32; 2],
}

impl Scale {
    /// The feature in standard deviations, and its square.
    fn terms(&self, kept: u8) -> [f32; 2] {
        let value = ((f32::from(kept) - self.mean) * self.per_deviation).clamp(-WIDEST, WIDEST);
        [value, value * value]
    }
}

impl Default for Looks {
    fn default() -> Looks {
        Looks { scale: [Scale::default(); FEATURES], weights: [0.0; TERMS] }
    }
}

impl Looks {
    /// The logarithm of how much more often than usual pages that look like this change.
    pub(super) fn offset(&self, look: &Look) -> f32 {
        (0..FEATURES).map(|place| self.share(place, look.0[place])).sum()
    }

    /// The same for any look.
    pub(super) fn offsets(&self) -> Offsets {
        let of = |place| std::array::from_fn(|kept| self.share(place, kept as u8));
        Offsets(Box::new(std::array::from_fn(of)))
    }

    /// What one feature adds to that.
    fn share(&self, place: usize, kept: u8) -> f32 {
        let scale = &self.scale[place];
        if kept == UNKNOWN || scale.per_deviation == 0.0 {
            return 0.0;
        }
        let [value, square] = scale.terms(kept);
        let [of_value, of_square] = [self.weights[1 + place], self.weights[1 + FEATURES + place]];
        (f64::from(value - scale.terms[0]) * of_value + f64::from(square - scale.terms[1]) * of_square) as f32
    }

    /// The logarithm of the changes a cycle expected of pages that look like this.
    fn logarithm(&self, terms: &[f64; TERMS]) -> f64 {
        terms.iter().zip(&self.weights).map(|(term, weight)| term * weight).sum()
    }

    /// One, then features and their squares, each with mean 0; an unknown feature is as the usual one.
    fn terms(&self, look: &Look) -> [f64; TERMS] {
        let mut terms = [0.0; TERMS];
        terms[0] = 1.0;
        for (place, (&kept, scale)) in look.0.iter().zip(&self.scale).enumerate() {
            if kept != UNKNOWN && scale.per_deviation > 0.0 {
                let [value, square] = scale.terms(kept);
                terms[1 + place] = f64::from(value - scale.terms[0]);
                terms[1 + FEATURES + place] = f64::from(square - scale.terms[1]);
            }
        }
        terms
    }

    /// Fits the weights to pages.
    pub(super) fn refit<'a>(&mut self, pages: impl Iterator<Item = (&'a Look, Seen)> + Clone) {
        self.measure(pages.clone().map(|(look, _)| look));
        (0..STEPS).for_each(|_| self.step(pages.clone()));
    }

    fn measure<'a>(&mut self, looks: impl Iterator<Item = &'a Look> + Clone) {
        for (place, scale) in self.scale.iter_mut().enumerate() {
            let known = looks.clone().map(|look| look.0[place]).filter(|kept| *kept != UNKNOWN);
            let [mean, square] = means(known.clone().map(|kept| [f32::from(kept), f32::from(kept).powi(2)]));
            let variance = square - mean * mean;
            let per_deviation = if variance > 0.25 { variance.sqrt().recip() } else { 0.0 };
            *scale = Scale { mean, per_deviation, terms: [0.0; 2] };
            scale.terms = means(known.map(|kept| scale.terms(kept)));
        }
    }

    /// One Newton step towards the weights under which the changes seen are likeliest.
    fn step<'a>(&mut self, pages: impl Iterator<Item = (&'a Look, Seen)> + Clone) {
        let (mut changes, mut expected) = (0.0, 0.0);
        for (look, seen) in pages.clone() {
            changes += f64::from(seen.changes);
            expected += f64::from(seen.exposure) * self.logarithm(&self.terms(look)).exp();
        }
        if changes <= 0.0 || expected <= 0.0 {
            return;
        }
        self.weights[0] += (changes / expected).ln();
        let mut slope = self.weights.map(|weight| -RIDGE * weight);
        slope[0] = 0.0;
        let mut bend = [[0.0; TERMS]; TERMS];
        for (look, seen) in pages {
            let terms = self.terms(look);
            let expected = f64::from(seen.exposure) * self.logarithm(&terms).exp();
            let unsure = 1.0 + expected / SHAPE;
            let surprise = (f64::from(seen.changes) - expected) / unsure;
            for (row, term) in terms.iter().enumerate().filter(|(_, term)| **term != 0.0) {
                slope[row] += term * surprise;
                let weight = term * expected / unsure;
                bend[row].iter_mut().zip(&terms).for_each(|(sum, other)| *sum += weight * other);
            }
        }
        (1..TERMS).for_each(|row| bend[row][row] += RIDGE);
        bend[0][0] += f64::MIN_POSITIVE;
        for (weight, step) in self.weights.iter_mut().zip(solve(bend, slope)) {
            *weight += step.clamp(-LARGEST_STEP, LARGEST_STEP);
        }
    }
}

/// The means of two numbers each.
fn means(pairs: impl Iterator<Item = [f32; 2]>) -> [f32; 2] {
    let (mut sums, mut count) = ([0.0_f64; 2], 0.0_f64);
    for [first, second] in pairs {
        sums = [sums[0] + f64::from(first), sums[1] + f64::from(second)];
        count += 1.0;
    }
    sums.map(|sum| (sum / count.max(1.0)) as f32)
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
        assert_eq!(looks.offset(&pages[0].0), 0.0);
        (0..10).for_each(|_| looks.refit(pages.iter().map(|(look, seen)| (look, *seen))));
        let apart = looks.offset(&pages[0].0) - looks.offset(&pages[1].0);
        assert!((apart - 8.0_f32.ln()).abs() < 0.4, "{apart}");
        assert!(looks.offset(&UNSEEN).abs() < 0.3, "as the usual page");
        let offsets = looks.offsets();
        assert!(pages.iter().all(|(look, _)| offsets.offset(look) == looks.offset(look)));
    }

    #[test]
    fn pages_without_looks_or_changes_teach_nothing() {
        let mut looks = Looks::default();
        looks.refit([(&UNSEEN, Seen { changes: 2.0, exposure: 9.0 })].into_iter());
        let unchanged: Vec<(Look, Seen)> = pages().into_iter().map(|(look, _)| (look, Seen::default())).collect();
        looks.refit(unchanged.iter().map(|(look, seen)| (look, *seen)));
        assert_eq!(looks.weights[1..], [0.0; TERMS - 1]);
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
