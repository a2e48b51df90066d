//! `stormcrawler-adaptive`: an interval per page, half as long after a change and half as long again after none.
//!
//! Apache StormCrawler's AdaptiveScheduler: ± 50 %, kept within 60 min .. 14 d. The rule is that of
//! [`nutch_adaptive`](super::nutch_adaptive) with other numbers. A new page starts at its default of 1 day.

use super::nutch_adaptive::Adaptive;
use crate::policy::parameter::Parameter;
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "stormcrawler-adaptive",
    paper: "Apache StormCrawler, AdaptiveScheduler",
    summary: "an interval per page: half as long again after an unchanged visit, half as long after a changed one",
    spending: Spending::Free,
    needs_truth: false,
    parameters: &[
        Parameter::number("start", "1", (1e-4, 3650.0), "first interval, in days"),
        Parameter::number("grow", "0.5", (0.0, 100.0), "longer by this share"),
        Parameter::number("shrink", "0.5", (0.0, 0.99), "shorter by this share"),
        Parameter::number("min", "3600", (1.0, 1e9), "least interval, in seconds"),
        Parameter::number("max", "14", (1e-4, 36500.0), "greatest interval, in days"),
    ],
    build: Build::Plain(Adaptive::built),
};
