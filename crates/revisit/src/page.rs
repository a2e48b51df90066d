//! Who the pages are: numbers, so that everything known of them is a column indexed by that number. A page keeps the number it
//! was given; numbers that nobody has, or has any more, leave their rows empty.

use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::column::Column;
use crate::history::{Histories, History};

/// A page, numbered in the order of discovery. Numbers are small and mostly without gaps, since columns are as long as the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct PageId(pub u32);

/// A host: the pages that share a server and therefore its politeness. Numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct HostId(pub u32);

/// The host of what is no page.
const NOWHERE: HostId = HostId(u32::MAX);

impl PageId {
    /// The page's place in a column.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl HostId {
    /// The host's place in a column.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// All pages, as parallel columns.
#[derive(Clone, Debug)]
pub struct Pages {
    histories: Histories,
    hosts: Column<HostId>,
    /// Rows below the end without a page: their host is [`NOWHERE`].
    absent: usize,
    weights: Column<f32>,
}

impl Default for Pages {
    fn default() -> Pages {
        Pages::new(true)
    }
}

impl Pages {
    /// No pages yet, whose histories will keep the lengths of intervals or not.
    pub(crate) fn new(lengths: bool) -> Pages {
        let histories = Histories::new(lengths);
        Pages { histories, hosts: Column::new(HostId(0)), absent: 0, weights: Column::new(1.0) }
    }

    /// Makes room for so many pages more.
    pub(crate) fn reserve(&mut self, pages: usize) {
        self.histories.reserve(pages);
    }

    /// Takes in a page that was never visited. What was said of it first stands.
    pub(crate) fn add(&mut self, page: PageId, host: HostId, weight: f32) {
        if self.contains(page) {
            return;
        }
        for absent in self.end()..page.index() {
            self.hosts.set(absent, NOWHERE);
        }
        self.absent += page.index().saturating_sub(self.end());
        // Below the end, it fills a gap.
        self.absent -= usize::from(page.index() < self.end());
        self.histories.grow(page.index() + 1);
        self.hosts.set(page.index(), host);
        self.weights.set(page.index(), weight);
    }

    pub(crate) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.absent)?;
        self.histories.keep(checkpoint)?;
        self.hosts.keep(checkpoint)?;
        self.weights.keep(checkpoint)
    }

    /// How many pages are known, visited or not.
    pub fn len(&self) -> usize {
        self.histories.len() - self.absent
    }

    /// Above every page's number: how long a column over pages is.
    pub fn end(&self) -> usize {
        self.histories.len()
    }

    /// Whether a page is known.
    pub fn contains(&self, page: PageId) -> bool {
        page.index() < self.end() && self.hosts.get(page.index()) != NOWHERE
    }

    /// Whether no page is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All that is known of a page's visits.
    pub fn history(&self, page: PageId) -> History {
        self.histories.get(page.index())
    }

    /// Replaces what is known of a page's visits.
    pub(crate) fn set_history(&mut self, page: PageId, history: &History) {
        self.histories.set(page.index(), history);
    }

    /// The host that serves a page.
    pub fn host(&self, page: PageId) -> HostId {
        self.hosts.get(page.index())
    }

    /// How much a page matters to the user; 1 unless told.
    pub fn weight(&self, page: PageId) -> f64 {
        f64::from(self.weights.get(page.index()))
    }

    /// Sets how much a page matters.
    pub(crate) fn weigh(&mut self, page: PageId, weight: f32) {
        self.weights.set(page.index(), weight);
    }

    /// Every page with its history, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (PageId, History)> {
        self.ids().map(|page| (page, self.history(page)))
    }

    /// Every page, in the order of the ids.
    pub fn ids(&self) -> impl Iterator<Item = PageId> {
        (0..self.end() as u32).map(PageId).filter(|page| self.absent == 0 || self.contains(*page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_keep_their_numbers_and_gaps_count_for_nothing() {
        let mut pages = Pages::default();
        for (page, host) in [(5, 1), (2, 0), (2, 9), (0, 0)] {
            pages.add(PageId(page), HostId(host), 1.0);
        }
        assert_eq!((pages.len(), pages.end()), (3, 6));
        assert_eq!(pages.iter().map(|(page, _)| page.0).collect::<Vec<_>>(), [0, 2, 5]);
        assert_eq!([0, 1, 2, 5, 6].map(|page| pages.contains(PageId(page))), [true, false, true, true, false]);
        assert_eq!((pages.host(PageId(2)), pages.host(PageId(5))), (HostId(0), HostId(1)));
    }
}
