//! A change rate for every page, estimated anew at each of its visits, so that no score has to do it.

use crate::estimate::poisson;
use crate::{History, PageId};

/// Changes a day, by page, by the estimate of [`poisson`].
#[derive(Debug, Default)]
pub(super) struct Rates {
    column: Vec<f32>,
}

impl Rates {
    /// Takes in what a page's history says now.
    pub(super) fn learn(&mut self, page: PageId, history: &History) {
        if self.column.len() <= page.index() {
            self.column.resize(page.index() + 1, 0.0);
        }
        self.column[page.index()] = poisson::rate(history) as f32;
    }

    /// Changes a day; 0 for a page never visited.
    pub(super) fn of(&self, page: PageId) -> f64 {
        self.column.get(page.index()).copied().map_or(0.0, f64::from)
    }
}
