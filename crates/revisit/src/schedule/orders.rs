//! What a person ordered of single pages, which stands above what policy and lists say.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::PageId;

/// An order about one page. What was ordered last stands, and an order given twice comes to the same.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageOrder {
    /// Leave it alone until it is resumed. Its copy still counts.
    Pause,
    /// It is a page like any other again.
    Resume,
    /// Leave it alone for good. Its copy does not count any more, and who links to it does not bring it back.
    Remove,
    /// Visit it as soon as its host allows it, whatever the budget; once, also if it is left alone otherwise.
    Visit,
    /// It matters so much.
    Weigh(f32),
}

/// Why a page is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Held {
    /// It was paused.
    Paused,
    /// It was removed.
    Removed,
}

/// The orders that stand.
#[derive(Debug, Default)]
pub(super) struct Orders {
    held: BTreeMap<PageId, Held>,
    /// Pages to be visited now.
    called: BTreeSet<PageId>,
}

impl Orders {
    pub(super) fn hold(&mut self, page: PageId, why: Held) {
        self.held.insert(page, why);
        self.called.remove(&page);
    }

    /// Says whether it was held.
    pub(super) fn let_go(&mut self, page: PageId) -> bool {
        self.held.remove(&page).is_some()
    }

    pub(super) fn call(&mut self, page: PageId) {
        self.called.insert(page);
    }

    /// A page was visited.
    pub(super) fn visited(&mut self, page: PageId) {
        self.called.remove(&page);
    }

    pub(super) fn held(&self, page: PageId) -> Option<Held> {
        self.held.get(&page).copied()
    }

    /// Pages to be visited now, by their numbers.
    pub(super) fn called(&self) -> impl Iterator<Item = PageId> + '_ {
        self.called.iter().copied()
    }

    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        let mut held: Vec<(PageId, Held)> = self.held.iter().map(|(page, why)| (*page, *why)).collect();
        let mut called: Vec<PageId> = self.called().collect();
        checkpoint.keep_rows(&mut held)?;
        checkpoint.keep_rows(&mut called)?;
        (self.held, self.called) = (held.into_iter().collect(), called.into_iter().collect());
        Ok(())
    }
}
