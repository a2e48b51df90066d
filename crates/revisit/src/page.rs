//! Who the pages are: dense numbers, so that everything known of them is a column indexed by that number.

use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::column::Column;
use crate::history::History;

/// A page, numbered in the order of discovery from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct PageId(pub u32);

/// A host: the pages that share a server and therefore its politeness. Numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct HostId(pub u32);

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
    histories: Vec<History>,
    hosts: Column<HostId>,
    weights: Column<f32>,
}

impl Default for Pages {
    fn default() -> Pages {
        Pages { histories: Vec::new(), hosts: Column::new(HostId(0)), weights: Column::new(1.0) }
    }
}

impl Pages {
    /// Makes room for so many pages more.
    pub(crate) fn reserve(&mut self, pages: usize) {
        self.histories.reserve(pages);
    }

    /// Takes in a page that was never visited.
    pub(crate) fn add(&mut self, host: HostId, weight: f32) -> PageId {
        let page = PageId(self.histories.len() as u32);
        self.histories.push(History::default());
        self.hosts.set(page.index(), host);
        self.weights.set(page.index(), weight);
        page
    }

    pub(crate) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep_rows(&mut self.histories)?;
        self.hosts.keep(checkpoint)?;
        self.weights.keep(checkpoint)
    }

    /// How many pages are known, visited or not.
    pub fn len(&self) -> usize {
        self.histories.len()
    }

    /// Whether no page is known.
    pub fn is_empty(&self) -> bool {
        self.histories.is_empty()
    }

    /// All that is known of a page's visits.
    pub fn history(&self, page: PageId) -> &History {
        &self.histories[page.index()]
    }

    pub(crate) fn history_mut(&mut self, page: PageId) -> &mut History {
        &mut self.histories[page.index()]
    }

    /// The host that serves a page.
    pub fn host(&self, page: PageId) -> HostId {
        self.hosts.get(page.index())
    }

    /// How much a page matters to the user; 1 unless told.
    pub fn weight(&self, page: PageId) -> f64 {
        f64::from(self.weights.get(page.index()))
    }

    /// Every page with its history, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (PageId, &History)> {
        self.histories.iter().enumerate().map(|(index, history)| (PageId(index as u32), history))
    }
}
