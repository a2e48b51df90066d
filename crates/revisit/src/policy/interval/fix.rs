//! `fix`: an interval that moves when the last two visits agree (Umbrich, Mrzelj & Polleres 2015, "fix").
//!
//! Looks at the last 2 visits made at the page's current interval: all changed → shorter, none → longer, else as it
//! was. Shorter by 1.5 if the interval is longer than a month, else by 2; longer by 1.5 if it is shorter than a month,
//! else by 2. `dyn` is the same with another number of visits.

use super::archiver::{MONTH, START, bounds};
use super::intervals::{Bounds, Intervals};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::Policy;
use crate::policy::registry::{Build, Entry, Spending};
use crate::{History, Outcome, PageId, Span, Time, Visit};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "fix",
    paper: "Umbrich, Mrzelj & Polleres 2015",
    summary: "an interval per page that moves when the last two visits at it agree",
    spending: Spending::Free,
    needs_truth: false,
    parameters: &[START],
    build: Build::Plain(|values| Box::new(Snapshots::new(bounds(values), |_| 2))),
};

/// An interval per page that moves when enough visits at it agree.
#[derive(Debug)]
pub(crate) struct Snapshots {
    intervals: Intervals,
    /// How many visits must agree at an interval.
    needed: fn(Span) -> u32,
    /// Visits made at the current interval, by page.
    visits: Vec<u8>,
}

impl Snapshots {
    /// Intervals within `bounds`; `needed` tells how many visits must agree at an interval.
    pub(crate) fn new(bounds: Bounds, needed: fn(Span) -> u32) -> Snapshots {
        Snapshots { intervals: Intervals::new(bounds), needed, visits: Vec::new() }
    }

    /// Visits made at the page's current interval, this one included.
    fn count(&mut self, page: PageId) -> &mut u8 {
        if self.visits.len() <= page.index() {
            self.visits.resize(page.index() + 1, 0);
        }
        let visits = &mut self.visits[page.index()];
        *visits = visits.saturating_add(1);
        visits
    }
}

/// Shorter after changes only.
fn shorter(interval: Span) -> f64 {
    if interval > MONTH { 1.0 / 1.5 } else { 1.0 / 2.0 }
}

/// Longer after no change.
fn longer(interval: Span) -> f64 {
    if interval < MONTH { 1.5 } else { 2.0 }
}

impl Policy for Snapshots {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.intervals.score(page, history, now)
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let needed = (self.needed)(self.intervals.of(page));
        let rest = self.intervals.reason(page, history, now);
        format!("{rest} (the interval moves when {needed} visits at it agree)")
    }

    fn learn(&mut self, page: PageId, history: &History, visit: &Visit) {
        if !matches!(visit.outcome, Outcome::Changed | Outcome::Unchanged) {
            return;
        }
        let interval = self.intervals.of(page);
        let needed = (self.needed)(interval);
        if u32::from(*self.count(page)) < needed {
            return;
        }
        let changed = (history.recent_bits() & ((1 << needed) - 1)).count_ones();
        let factor = match changed {
            0 => longer(interval),
            all if all == needed => shorter(interval),
            _ => return,
        };
        if self.intervals.stretch(page, factor) {
            self.visits[page.index()] = 0;
        }
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.intervals.keep(checkpoint)?;
        checkpoint.keep_rows(&mut self.visits)
    }
}

#[cfg(test)]
mod tests {
    use super::super::dynamic::needed;
    use super::*;

    fn days_after(outcomes: &str, start: f64, needed: fn(Span) -> u32) -> Vec<f64> {
        let bounds = Bounds { start: Span::DAY * start, min: Span::DAY, max: MONTH * 6.0 };
        let (mut policy, mut history, page) = (Snapshots::new(bounds, needed), History::default(), PageId(0));
        let interval = |(day, outcome): (usize, char)| {
            let outcome = if outcome == '1' { Outcome::Changed } else { Outcome::Unchanged };
            let visit = Visit { page, at: Time::from_secs(day as i64 * 86_400), outcome };
            history.record(&visit);
            policy.learn(page, &history, &visit);
            policy.intervals.of(page).as_days()
        };
        outcomes.chars().enumerate().map(interval).collect()
    }

    #[test]
    fn two_visits_at_an_interval_must_agree() {
        assert_eq!(days_after("0011", 7.0, |_| 2), [7.0, 10.5, 10.5, 5.25]);
        assert_eq!(days_after("0101100", 8.0, |_| 2), [8.0, 8.0, 8.0, 8.0, 4.0, 4.0, 6.0]);
    }

    #[test]
    fn steps_are_gentle_towards_a_month() {
        assert_eq!(days_after("11", 45.0, |_| 2), [45.0, 30.0]);
        assert_eq!(days_after("0000", 30.0, |_| 2), [30.0, 60.0, 60.0, 120.0]);
    }

    #[test]
    fn dyn_needs_fewer_visits_at_longer_intervals() {
        assert_eq!(days_after("0", 61.0, needed), [122.0]);
        assert_eq!(days_after("111", 7.5, needed), [7.5, 7.5, 3.75]);
        assert_eq!(days_after("1111", 7.0, needed), [7.0, 7.0, 7.0, 3.5]);
    }
}
