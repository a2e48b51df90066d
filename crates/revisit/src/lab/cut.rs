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
    changes: Vec<Vec<FirstChange>>,
}

/// A page changed in a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstChange {
    /// The page's place in the cut.
    pub index: u32,
    /// When it changed first in that cycle.
    pub at: Time,
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
        let mut changes = vec![Vec::new(); window.cycles];
        for (index, &page) in pages.iter().enumerate() {
            let mut last = None;
            for &at in within(trace.changes(page), start, end) {
                let cycle = ((at - start).millis() / window.cycle.millis()) as usize;
                if last.replace(cycle) != Some(cycle) {
                    changes[cycle].push(FirstChange { index: index as u32, at });
                }
            }
        }
        Ok(Cut { trace, window, pages, changes })
    }

    /// The trace.
    pub fn trace(&self) -> &'a Trace {
        self.trace
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

    /// The pages that changed in a cycle, in the order of their places.
    pub fn changed_in(&self, cycle: usize) -> &[FirstChange] {
        &self.changes[cycle]
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
