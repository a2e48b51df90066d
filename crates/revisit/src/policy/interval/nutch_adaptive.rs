//! `nutch-adaptive`: an interval per page that grows when nothing changed and shrinks when something did.
//!
//! Apache Nutch's AdaptiveFetchSchedule: interval · (1 + 0.4) after an unchanged visit, · (1 − 0.2) after a changed one,
//! kept within 60 s .. 365 d. Reading: a new page starts at `start` (1 day here; Nutch's own default is 30 days).

use super::intervals::{Bounds, Intervals};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::Policy;
use crate::policy::parameter::{Parameter, Values};
use crate::policy::registry::{Build, Entry, Spending};
use crate::{History, Outcome, PageId, Span, Time, Visit};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "nutch-adaptive",
    paper: "Apache Nutch, AdaptiveFetchSchedule",
    summary: "an interval per page: longer after an unchanged visit, shorter after a changed one",
    spending: Spending::Free,
    needs_truth: false,
    parameters: &[
        Parameter::number("start", "1", (1e-4, 3650.0), "first interval, in days"),
        Parameter::number("grow", "0.4", (0.0, 100.0), "longer by this share"),
        Parameter::number("shrink", "0.2", (0.0, 0.99), "shorter by this share"),
        Parameter::number("min", "60", (1.0, 1e9), "least interval, in seconds"),
        Parameter::number("max", "365", (1e-4, 36500.0), "greatest interval, in days"),
    ],
    build: Build::Plain(Adaptive::built),
};

/// One interval a page, moved by what each visit showed.
#[derive(Debug)]
pub(crate) struct Adaptive {
    intervals: Intervals,
    grow: f64,
    shrink: f64,
}

impl Adaptive {
    /// Intervals within `bounds` that grow and shrink by these shares.
    pub(crate) fn new(bounds: Bounds, grow: f64, shrink: f64) -> Adaptive {
        Adaptive { intervals: Intervals::new(bounds), grow, shrink }
    }

    pub(super) fn built(values: &Values<'_>) -> Box<dyn Policy> {
        let min = Span::from_secs(1) * values.number("min");
        let max = (Span::DAY * values.number("max")).max(min);
        let start = (Span::DAY * values.number("start")).clamp(min, max);
        Box::new(Adaptive::new(Bounds { start, min, max }, values.number("grow"), values.number("shrink")))
    }
}

impl Policy for Adaptive {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.intervals.score(page, history, now)
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        self.intervals.reason(page, history, now)
    }

    fn learn(&mut self, page: PageId, _history: &History, visit: &Visit) {
        match visit.outcome {
            Outcome::Changed => self.intervals.stretch(page, 1.0 - self.shrink),
            Outcome::Unchanged => self.intervals.stretch(page, 1.0 + self.grow),
            Outcome::First | Outcome::Gone | Outcome::Failed => false,
        };
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.intervals.keep(checkpoint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_move_as_nutch_moves_them() {
        let bounds = Bounds { start: Span::DAY, min: Span::MINUTE, max: Span::DAY * 365.0 };
        let mut policy = Adaptive::new(bounds, 0.4, 0.2);
        let page = PageId(0);
        let mut see = |outcome| {
            policy.learn(page, &History::default(), &Visit { page, at: Time::from_secs(0), outcome });
            policy.intervals.of(page).as_secs().round()
        };
        assert_eq!(see(Outcome::Unchanged), (86_400.0_f64 * 1.4).round());
        assert_eq!(see(Outcome::Changed), (86_400.0_f64 * 1.4 * 0.8).round());
        assert_eq!(see(Outcome::Failed), (86_400.0_f64 * 1.4 * 0.8).round());
        for _ in 0..100 {
            see(Outcome::Changed);
        }
        assert_eq!(see(Outcome::Changed), 60.0);
    }
}
