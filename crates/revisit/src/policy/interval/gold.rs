//! `gold`: every page at its true mean change interval (Umbrich, Mrzelj & Polleres 2015, "gold").
//!
//! The reference the other strategies are held against: it knows how often each page changes, though not when. Only the
//! lab knows that. Without it, reading: the interval is one over the rate that [`poisson`] estimates from the page's
//! history.

use crate::estimate::poisson;
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Policy, interval_reason, overdue};
use crate::{History, PageId, Span, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "gold",
    paper: "Umbrich, Mrzelj & Polleres 2015",
    summary: "every page at its true mean change interval; outside the lab, at the one estimated",
    spending: Spending::Free,
    needs_truth: true,
    parameters: &[],
    build: Build::Plain(|values| {
        let truth = values.truth.map_or(&[] as &[Span], |truth| truth.mean_intervals);
        Box::new(Gold::new(truth.to_vec()))
    }),
};

/// Every page at its true mean change interval.
#[derive(Debug)]
pub(crate) struct Gold {
    intervals: Vec<Span>,
}

impl Gold {
    /// The true mean change intervals, by page; a page that is not there gets the one its history suggests.
    pub(crate) fn new(intervals: Vec<Span>) -> Gold {
        Gold { intervals }
    }

    fn interval(&self, page: PageId, history: &History) -> Span {
        self.intervals.get(page.index()).copied().unwrap_or_else(|| Span::DAY / poisson::rate(history))
    }
}

impl Policy for Gold {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        overdue(history.elapsed(now)?, self.interval(page, history))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        interval_reason(history.elapsed(now).unwrap_or_default(), self.interval(page, history))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Visit};

    #[test]
    fn the_truth_goes_before_the_estimate() {
        let policy = Gold::new(vec![Span::DAY * 3.0]);
        let mut history = History::default();
        history.record(&Visit { page: PageId(0), at: Time::from_secs(0), outcome: Outcome::First });
        assert_eq!(policy.score(PageId(0), &history, Time::from_secs(2 * 86_400)), None);
        assert_eq!(policy.score(PageId(0), &history, Time::from_secs(6 * 86_400)), Some(2.0));
        // Of the other page nothing is known: 2 ln 2 changes a day.
        assert!(policy.score(PageId(1), &history, Time::from_secs(86_400)).is_some());
    }
}
