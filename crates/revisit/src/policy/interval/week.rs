//! `week`: every page once a week (Umbrich, Mrzelj & Polleres 2015, "week").
//!
//! The plain schedule of most archives: good recall, many visits for nothing.

use super::archiver::WEEK;
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Policy, interval_reason, overdue};
use crate::{History, PageId, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "week",
    paper: "Umbrich, Mrzelj & Polleres 2015",
    summary: "every page once a week",
    spending: Spending::Free,
    needs_truth: false,
    parameters: &[],
    build: Build::Plain(|_| Box::new(Week)),
};

/// Every page once a week.
#[derive(Debug, Default)]
pub(crate) struct Week;

impl Policy for Week {
    fn score(&self, _page: PageId, history: &History, now: Time) -> Option<f64> {
        overdue(history.elapsed(now)?, WEEK)
    }

    fn reason(&self, _page: PageId, history: &History, now: Time) -> String {
        interval_reason(history.elapsed(now).unwrap_or_default(), WEEK)
    }
}
