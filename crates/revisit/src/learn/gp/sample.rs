//! The pages a formula is bred or judged on: in which cycles each of them changed.
//!
//! A page's changes are bits, one word for 64 cycles, a column of words for each 64 cycles: whether a page changed since
//! its last visit is a mask test, most often in one word.

use std::ops::RangeInclusive;

use crate::lab::cut::{Cut, Window};
use crate::model::formula::Variable;

/// Some pages of a cut, numbered from 0 in the order of their ids.
#[derive(Clone, Debug)]
pub struct Sample {
    window: Window,
    pages: usize,
    /// For each 64 cycles a column with a word a page.
    changed: Vec<Vec<u64>>,
    changed_pages: Vec<usize>,
    /// Each page's content, by [`CONTENT`].
    content: Vec<[f32; CONTENT.len()]>,
    weights: Vec<f32>,
}

/// The variables that speak of a page's content.
const CONTENT: [Variable; 5] =
    [Variable::TextBytes, Variable::Links, Variable::Images, Variable::Emails, Variable::DirectoryLevel];

impl Sample {
    /// The pages at these places of a cut, given in rising order; places the cut does not have are left out.
    pub fn new(cut: &Cut<'_>, places: &[u32]) -> Sample {
        let window = cut.window();
        let places: Vec<u32> = places.iter().copied().filter(|place| (*place as usize) < cut.len()).collect();
        let mut number_of = vec![u32::MAX; cut.len()];
        places.iter().enumerate().for_each(|(number, place)| number_of[*place as usize] = number as u32);
        let mut changed = vec![vec![0; places.len()]; window.cycles.div_ceil(64)];
        let mut changed_pages = vec![0; window.cycles];
        for cycle in 0..window.cycles {
            let numbers = cut.changed_in(cycle).iter().map(|change| number_of[change.index as usize]);
            for number in numbers.filter(|number| *number != u32::MAX) {
                changed[cycle / 64][number as usize] |= 1_u64 << (cycle % 64);
                changed_pages[cycle] += 1;
            }
        }
        let content = |place: &u32| {
            let page = cut.trace().page(cut.page(*place as usize));
            CONTENT.map(|variable| variable.of_features(&page.features()).unwrap_or_default() as f32)
        };
        let content = places.iter().map(content).collect();
        Sample { window, pages: places.len(), changed, changed_pages, content, weights: vec![1.0; places.len()] }
    }

    /// The same pages with other importances, one for each page; what is missing or not a number above zero counts as 1.
    pub fn with_weights(mut self, weights: impl IntoIterator<Item = f32>) -> Sample {
        let fine = |weight: f32| if weight.is_finite() && weight > 0.0 { weight } else { 1.0 };
        self.weights.iter_mut().zip(weights).for_each(|(own, weight)| *own = fine(weight));
        self
    }

    /// The cycles.
    pub fn window(&self) -> Window {
        self.window
    }

    /// How many pages there are.
    pub fn len(&self) -> usize {
        self.pages
    }

    /// Whether there is no page.
    pub fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// How many visits a cycle may make if it may visit this share of the pages.
    pub fn visits(&self, budget: f64) -> usize {
        (budget * self.pages as f64).round() as usize
    }

    /// A number that tells samples apart: two with the same have, almost surely, the same pages' changes and content.
    pub fn fingerprint(&self) -> u64 {
        // FNV-1a over words: the same on every machine and in every version.
        let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        let window = [self.window.cycles as u64, self.window.warmup as u64, self.pages as u64];
        let content = self.content.iter().flatten().chain(&self.weights).map(|value| u64::from(value.to_bits()));
        let words = window.into_iter().chain(self.changed.iter().flatten().copied()).chain(content);
        // The last step lets every bit of the last words reach all bits.
        mix(words.fold(0xcbf2_9ce4_8422_2325, |hash, word| mix(hash, word ^ word >> 32)), 0)
    }

    /// How many pages changed in a cycle.
    pub(super) fn changed_pages(&self, cycle: usize) -> usize {
        self.changed_pages[cycle]
    }

    /// How much a page matters.
    pub(super) fn weight(&self, page: usize) -> f64 {
        f64::from(self.weights[page])
    }

    /// A page's content; 0 for a variable that does not speak of content.
    pub(super) fn content(&self, page: usize, variable: Variable) -> f64 {
        let place = CONTENT.iter().position(|content| *content == variable);
        place.map_or(0.0, |place| f64::from(self.content[page][place]))
    }

    /// A test whether pages changed in any of these cycles.
    pub(super) fn test(&self, cycles: RangeInclusive<usize>) -> ChangeTest<'_> {
        let (first, last) = (cycles.start() / 64, cycles.end() / 64);
        let head = u64::MAX << (cycles.start() % 64);
        let tail = u64::MAX >> (63 - cycles.end() % 64);
        let columns = &self.changed[first..=last];
        if columns.len() == 1 {
            return ChangeTest { column: &columns[0], mask: head & tail, more: &[], tail };
        }
        ChangeTest { column: &columns[0], mask: head, more: &columns[1..], tail }
    }
}

/// Whether a page changed in a range of cycles: a test of one word, and of further ones if the range has any.
#[derive(Clone, Copy)]
pub(super) struct ChangeTest<'a> {
    column: &'a [u64],
    mask: u64,
    more: &'a [Vec<u64>],
    tail: u64,
}

impl ChangeTest<'_> {
    /// Whether the range lies within one word.
    #[inline]
    pub(super) fn is_short(&self) -> bool {
        self.more.is_empty()
    }

    /// The test for a range within one word.
    #[inline]
    pub(super) fn short(&self, page: u32) -> bool {
        self.column[page as usize] & self.mask != 0
    }

    /// The test for any range.
    pub(super) fn any(&self, page: u32) -> bool {
        let page = page as usize;
        let Some((last, middle)) = self.more.split_last() else { return self.short(page as u32) };
        self.column[page] & self.mask != 0
            || last[page] & self.tail != 0
            || middle.iter().any(|column| column[page] != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::trace::{FIRST_DAY, Trace};
    use crate::time::Span;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_test_sees_the_changes_within_its_range(
            changes in prop::collection::btree_set(0_u32..200, 0..8),
            first in 0_usize..200,
            length in 0_usize..200,
        ) {
            let trace = Trace::daily("made", 200, [("p", changes.iter().copied().collect::<Vec<_>>()), ("q", vec![])]);
            let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 200, warmup: 2 };
            let cut = Cut::new(&trace, window).unwrap();
            let sample = Sample::new(&cut, &[0, 1, 9]);
            let last = (first + length).min(199);
            let test = sample.test(first..=last);
            let expected = changes.iter().any(|change| (first..=last).contains(&(*change as usize)));
            prop_assert_eq!((test.any(0), test.any(1), sample.len()), (expected, false, 2));
            prop_assert!(!test.is_short() || test.short(0) == expected);
        }
    }
}
