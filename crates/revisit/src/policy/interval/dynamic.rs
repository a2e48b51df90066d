//! `dyn`: as `fix`, but the longer the interval the fewer visits need to agree (Umbrich, Mrzelj & Polleres 2015,
//! "dyn").
//!
//! 1 visit if the interval is longer than 2 months, 2 if longer than 1 month, 3 if longer than 1 week, else 4. At a
//! long interval a visit is rare, so waiting for several of them would take years. The steps are those of
//! [`fix`](super::fix).

use super::archiver::{MONTH, START, WEEK, bounds};
use super::fix::Snapshots;
use crate::Span;
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "dyn",
    paper: "Umbrich, Mrzelj & Polleres 2015",
    summary: "as fix, but the longer the interval the fewer visits need to agree",
    spending: Spending::Free,
    needs_truth: false,
    parameters: &[START],
    build: Build::Plain(|values| Box::new(Snapshots::new(bounds(values), needed))),
};

/// How many visits must agree at an interval.
pub(super) fn needed(interval: Span) -> u32 {
    match interval {
        interval if interval > MONTH * 2.0 => 1,
        interval if interval > MONTH => 2,
        interval if interval > WEEK => 3,
        _ => 4,
    }
}
