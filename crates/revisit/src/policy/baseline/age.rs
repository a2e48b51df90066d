//! `age`: round robin. The page not seen for longest goes first.
//!
//! Score = t, the cycles since the last visit (Santos 2013, section 4.2, baseline "Age"). It knows nothing of change and
//! is hard to beat on real traces, because it never forgets a page.

use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Policy, cycles_since};
use crate::{History, PageId, Pages, Span, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "age",
    paper: "Santos 2013 (baseline Age)",
    summary: "round robin: the page not seen for longest goes first",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[],
    build: Build::Plain(|_| Box::new(Age::new())),
};

/// The longest-waiting page first.
#[derive(Debug)]
pub(crate) struct Age {
    cycle: Span,
}

impl Age {
    /// Round robin.
    pub(crate) fn new() -> Age {
        Age { cycle: Span::HOUR }
    }
}

impl Default for Age {
    fn default() -> Age {
        Age::new()
    }
}

impl Policy for Age {
    fn score(&self, _page: PageId, history: &History, now: Time) -> Option<f64> {
        Some(cycles_since(history, self.cycle, now))
    }

    fn reason(&self, _page: PageId, history: &History, now: Time) -> String {
        format!("last seen {} ago; the page not seen for longest goes first", history.elapsed(now).unwrap_or_default())
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, _now: Time) {
        self.cycle = budget.cycle;
    }
}
