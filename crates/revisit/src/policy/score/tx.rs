//! `tx`: time waited times changes seen (Santos 2013, section 4.6: a simple formula that GP4C found).
//!
//! Score = t·X, with t the cycles since the last visit. It is also how the public code's NAD ranks pages.

use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Policy, cycles_since};
use crate::{History, PageId, Pages, Span, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "tx",
    paper: "Santos 2013 (t·X)",
    summary: "the page with the most changes seen times cycles waited first",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[],
    build: Build::Plain(|_| Box::new(Tx::new())),
};

/// Cycles waited times changes seen.
#[derive(Debug)]
pub(crate) struct Tx {
    cycle: Span,
}

impl Tx {
    /// Nothing is known yet.
    pub(crate) fn new() -> Tx {
        Tx { cycle: Span::HOUR }
    }
}

impl Default for Tx {
    fn default() -> Tx {
        Tx::new()
    }
}

impl Policy for Tx {
    fn score(&self, _page: PageId, history: &History, now: Time) -> Option<f64> {
        Some(f64::from(history.changes()) * cycles_since(history, self.cycle, now))
    }

    fn reason(&self, _page: PageId, history: &History, now: Time) -> String {
        let (changes, waited) = (history.changes(), cycles_since(history, self.cycle, now));
        format!("{changes} changes were seen and {waited:.1} cycles have passed since the last visit")
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, _now: Time) {
        self.cycle = budget.cycle;
    }
}
