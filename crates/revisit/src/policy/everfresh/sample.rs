//! What looks and words are fitted to: what was seen of some 50,000 pages, all of them or every second, fourth, … of many.
//!
//! Only a page of the sample needs eight bytes for it. When there are too many, every other page leaves; those that stay were in
//! it from the beginning.

use super::looks::Seen;
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::PageId;

/// Pages in the sample, at most.
const MOST: usize = 50_000;

/// What was seen of every 2^shift-th page.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    shift: u32,
    seen: Vec<Seen>,
}

impl Sample {
    /// Takes in that there are pages with numbers below `pages`.
    pub(super) fn grow(&mut self, pages: usize) {
        while pages.div_ceil(1 << self.shift) > MOST {
            self.shift += 1;
            self.seen = self.seen.iter().step_by(2).copied().collect();
        }
        self.seen.resize(pages.div_ceil(1 << self.shift), Seen::default());
    }

    /// Every how many pages there is one in it.
    pub(super) fn step(&self) -> usize {
        1 << self.shift
    }

    /// What was seen of a page, if it is in the sample.
    pub(super) fn of(&mut self, page: PageId) -> Option<&mut Seen> {
        let is_in = page.index().is_multiple_of(self.step());
        self.seen.get_mut(page.index() >> self.shift).filter(|_| is_in)
    }

    /// What was seen of each page of the sample, in the order of the ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = Seen> + Clone + '_ {
        self.seen.iter().copied()
    }

    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.shift)?;
        checkpoint.keep_rows(&mut self.seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_page_leaves_when_there_are_too_many() {
        let mut sample = Sample::default();
        for page in 0..300_000 {
            sample.grow(page as usize + 1);
            if let Some(seen) = sample.of(PageId(page)) {
                seen.add(page as f32, 1.0, 1.0);
            }
        }
        assert_eq!(sample.step(), 8);
        let pages = (0..300_000).step_by(8).map(|page| page as f32);
        assert!(sample.iter().map(|seen| seen.changes).eq(pages), "those that stay were in it from the beginning");
        assert!([12, 400_000].into_iter().all(|page| sample.of(PageId(page)).is_none()));
    }
}
