//! `cg`: the page with the highest change rate first (Cho & Garcia-Molina's estimator as a score; Santos 2013, "CG").
//!
//! Score = −ln((n − X + 0.5) / (n + 0.5)). A page that has shown no change scores 0 for ever, which is why this loses to
//! round robin on real traces.

use crate::estimate::regular;
use crate::policy::Policy;
use crate::policy::registry::{Build, Entry, Spending};
use crate::{History, PageId, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "cg",
    paper: "Cho & Garcia-Molina 2003; Santos 2013 (CG)",
    summary: "the page with the highest change rate first",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[],
    build: Build::Plain(|_| Box::new(Cg)),
};

/// The fastest page first, however long ago it was seen.
#[derive(Debug, Default)]
pub(crate) struct Cg;

impl Policy for Cg {
    fn score(&self, _page: PageId, history: &History, _now: Time) -> Option<f64> {
        Some(regular::rate(history.observations(), history.changes()))
    }

    fn reason(&self, _page: PageId, history: &History, _now: Time) -> String {
        let (n, x) = (history.observations(), history.changes());
        format!("{x} of {n} visits saw a change: {:.3} changes a visit interval", regular::rate(n, x))
    }
}
