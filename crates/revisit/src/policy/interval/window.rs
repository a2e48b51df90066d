//! `window`: an interval that moves with the share of changes among the last visits (Umbrich, Mrzelj & Polleres 2015,
//! "window").
//!
//! r = the share of changed visits among the last min(10, half of all), at least 1. The higher the share the shorter
//! the interval becomes: r > .9 → ÷ 3, > .75 → ÷ 2, > .6 → ÷ 1.5; r < .1 → × 3, < .25 → × 2, < .4 → × 1.5. Reading:
//! half is rounded down.

use super::archiver::{START, bounds, factor};
use super::intervals::{Bounds, Intervals};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::Policy;
use crate::policy::registry::{Build, Entry, Spending};
use crate::{History, Outcome, PageId, Time, Visit};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "window",
    paper: "Umbrich, Mrzelj & Polleres 2015",
    summary: "an interval per page that moves with the share of changes among its last visits",
    spending: Spending::Free,
    needs_truth: false,
    parameters: &[START],
    build: Build::Plain(|values| Box::new(Window::new(bounds(values)))),
};

/// An interval per page that moves with the share of changes among its last visits.
#[derive(Debug)]
pub(crate) struct Window {
    intervals: Intervals,
}

impl Window {
    /// Intervals within `bounds`.
    pub(crate) fn new(bounds: Bounds) -> Window {
        Window { intervals: Intervals::new(bounds) }
    }
}

/// Changed visits, and visits, within the window.
fn window(history: &History) -> (u32, u32) {
    let visits = (history.observations() / 2).clamp(1, 10);
    ((history.recent_bits() & ((1 << visits) - 1)).count_ones(), visits)
}

impl Policy for Window {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.intervals.score(page, history, now)
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let ((changed, visits), rest) = (window(history), self.intervals.reason(page, history, now));
        format!("{changed} of its last {visits} visits saw a change; {rest}")
    }

    fn learn(&mut self, page: PageId, history: &History, visit: &Visit) {
        if matches!(visit.outcome, Outcome::Changed | Outcome::Unchanged) {
            let (changed, visits) = window(history);
            self.intervals.stretch(page, factor(f64::from(changed) / f64::from(visits)));
        }
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.intervals.keep(checkpoint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_half_of_all_visits_and_at_most_ten() {
        let mut history = History::default();
        for visit in 0..30 {
            let outcome = if visit % 2 == 0 { Outcome::Changed } else { Outcome::Unchanged };
            history.record(&Visit { page: PageId(0), at: Time::from_secs(visit), outcome });
            match visit + 1 {
                1 => assert_eq!(window(&history), (1, 1)),
                5 => assert_eq!(window(&history), (1, 2)),
                30 => assert_eq!(window(&history), (5, 10)),
                _ => {}
            }
        }
    }
}
