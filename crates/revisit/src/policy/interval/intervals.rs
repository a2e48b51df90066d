//! One interval a page, for the methods that move it at every visit.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::{interval_reason, overdue};
use crate::{History, PageId, Span, Time};

/// Where intervals begin and what they are kept within.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    /// The interval of a page of which nothing was observed yet.
    pub(crate) start: Span,
    /// Never shorter.
    pub(crate) min: Span,
    /// Never longer.
    pub(crate) max: Span,
}

/// The intervals of all pages.
#[derive(Debug)]
pub(super) struct Intervals {
    bounds: Bounds,
    /// By page; zero where nothing was observed yet.
    column: Vec<Span>,
}

impl Intervals {
    pub(super) fn new(bounds: Bounds) -> Intervals {
        Intervals { bounds, column: Vec::new() }
    }

    pub(super) fn of(&self, page: PageId) -> Span {
        self.column.get(page.index()).copied().filter(|interval| *interval > Span::ZERO).unwrap_or(self.bounds.start)
    }

    /// Makes a page's interval `factor` times as long, within the bounds. Says whether that moved it.
    pub(super) fn stretch(&mut self, page: PageId, factor: f64) -> bool {
        let old = self.of(page);
        let new = (old * factor).max(self.bounds.min).min(self.bounds.max);
        if self.column.len() <= page.index() {
            self.column.resize(page.index() + 1, Span::ZERO);
        }
        self.column[page.index()] = new;
        new != old
    }

    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep_rows(&mut self.column)
    }

    /// `None` until due, then how many intervals have gone by.
    pub(super) fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        overdue(history.elapsed(now)?, self.of(page))
    }

    pub(super) fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        interval_reason(history.elapsed(now).unwrap_or_default(), self.of(page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_stay_within_their_bounds() {
        let bounds = Bounds { start: Span::DAY, min: Span::HOUR * 12.0, max: Span::DAY * 3.0 };
        let mut intervals = Intervals::new(bounds);
        let page = PageId(2);
        assert_eq!(intervals.of(page), Span::DAY);
        assert!(intervals.stretch(page, 2.0) && intervals.stretch(page, 2.0));
        assert_eq!(intervals.of(page), Span::DAY * 3.0);
        assert!(!intervals.stretch(page, 2.0), "it is as long as it may be");
        assert!(intervals.stretch(page, 0.001));
        assert_eq!(intervals.of(page), Span::HOUR * 12.0);
        assert_eq!(intervals.of(PageId(0)), Span::DAY, "other pages are where they began");
    }
}
