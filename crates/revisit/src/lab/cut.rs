//! A trace cut into cycles of equal length: which page changed in which cycle.
//!
//! The pages are those that exist throughout the window. A page changed in a cycle if the trace has a change of it in
//! [begin, end); several within one cycle are one.

use super::trace::Trace;
use crate::page::PageId;
use crate::time::{Span, Time};

/// The part of a trace to look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// When the first cycle begins.
    pub start: Time,
    /// How long a cycle is.
    pub cycle: Span,
    /// How many cycles there are.
    pub cycles: usize,
    /// In how many of the first of them every page is visited.
    pub warmup: usize,
}

/// Why a window cannot be cut out of a trace.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum WindowError {
    /// No page exists throughout.
    #[error(
        "no page of {trace} exists from {start} to {end} (seconds since 1970); it has pages from {first} to {last}: \
         move the window or make it shorter"
    )]
    NoPages {
        /// The trace.
        trace: String,
        /// Where the window begins.
        start: i64,
        /// Where it ends.
        end: i64,
        /// Where the trace begins.
        first: i64,
        /// Where it ends.
        last: i64,
    },
    /// All cycles are warm-up, or there are none.
    #[error("{cycles} cycles with a warm-up of {warmup} leave nothing to measure: use more cycles")]
    NothingToMeasure {
        /// The cycles.
        cycles: usize,
        /// The warm-up.
        warmup: usize,
    },
}

impl Window {
    /// When a cycle begins, which is when the one before it ends.
    pub fn begin(&self, cycle: usize) -> Time {
        self.start + Span::from_millis(self.cycle.millis() * cycle as i64)
    }

    /// When a cycle ends, which is when its visits are made.
    pub fn end(&self, cycle: usize) -> Time {
        self.begin(cycle + 1)
    }
}

/// A trace cut into cycles.
#[derive(Clone, Debug)]
pub struct Cut<'a> {
    trace: &'a Trace,
    window: Window,
    pages: Vec<PageId>,
    /// One bit a cycle, whole words a page.
    bits: Vec<u64>,
    words: usize,
}

impl<'a> Cut<'a> {
    /// Cuts a window out of a trace.
    pub fn new(trace: &'a Trace, window: Window) -> Result<Cut<'a>, WindowError> {
        if window.cycles <= window.warmup || window.warmup == 0 {
            return Err(WindowError::NothingToMeasure { cycles: window.cycles, warmup: window.warmup });
        }
        let (start, end) = (window.start, window.begin(window.cycles));
        let throughout = |page: &PageId| {
            let page = trace.page(*page);
            page.first_seen <= start && page.last_seen >= end
        };
        let pages: Vec<PageId> = trace.ids().filter(throughout).collect();
        if pages.is_empty() {
            let (first, last) = trace.span().unwrap_or_default();
            let (start, end, first, last) = (start.secs(), end.secs(), first.secs(), last.secs());
            return Err(WindowError::NoPages { trace: trace.name.clone(), start, end, first, last });
        }
        let words = window.cycles.div_ceil(64);
        let mut bits = vec![0; words * pages.len()];
        for (index, &page) in pages.iter().enumerate() {
            let row = &mut bits[index * words..(index + 1) * words];
            for &change in within(trace.changes(page), start, end) {
                let cycle = ((change - start).millis() / window.cycle.millis()) as usize;
                row[cycle / 64] |= 1 << (cycle % 64);
            }
        }
        Ok(Cut { trace, window, pages, bits, words })
    }

    /// The window.
    pub fn window(&self) -> Window {
        self.window
    }

    /// How many pages exist throughout.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is no page; never, since such a cut is an error.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The page in the trace that stands at this place in the cut.
    pub fn page(&self, index: usize) -> PageId {
        self.pages[index]
    }

    /// Whether a page changed in a cycle.
    pub fn changed(&self, index: usize, cycle: usize) -> bool {
        self.bits[index * self.words + cycle / 64] >> (cycle % 64) & 1 == 1
    }

    /// The cycles from `from` on in which a page changed.
    pub fn changed_cycles(&self, index: usize, from: usize) -> impl Iterator<Item = usize> + '_ {
        (from..self.window.cycles).filter(move |&cycle| self.changed(index, cycle))
    }

    /// When a page first changed in a cycle in which it did.
    pub fn first_change(&self, index: usize, cycle: usize) -> Time {
        let (begin, end) = (self.window.begin(cycle), self.window.end(cycle));
        within(self.trace.changes(self.pages[index]), begin, end).first().copied().unwrap_or(end)
    }

    /// A page's mean time between changes in the window; the window's length if it never changed.
    pub fn mean_interval(&self, index: usize) -> Span {
        let (start, end) = (self.window.start, self.window.begin(self.window.cycles));
        let changes = within(self.trace.changes(self.pages[index]), start, end).len();
        (end - start) / changes.max(1) as f64
    }
}

/// The changes in [from, to).
fn within(changes: &[Time], from: Time, to: Time) -> &[Time] {
    let first = changes.partition_point(|change| *change < from);
    let last = changes.partition_point(|change| *change < to);
    &changes[first..last]
}
