//! `nutch-adaptive`: an interval per page that grows when nothing changed and shrinks when something did.
//!
//! Apache Nutch's AdaptiveFetchSchedule: interval · (1 + 0.4) after an unchanged visit, · (1 − 0.2) after a changed one,
//! kept within 60 s .. 365 d. Reading: a new page starts at `start` (1 day here; Nutch's own default is 30 days).

use super::{Policy, interval_reason, overdue};
use crate::{History, Outcome, PageId, Span, Time, Visit};

/// How the interval moves.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// The interval of a page seen once.
    pub start: Span,
    /// Grows by this share after an unchanged visit.
    pub grow: f64,
    /// Shrinks by this share after a changed visit.
    pub shrink: f64,
    /// Never shorter.
    pub min: Span,
    /// Never longer.
    pub max: Span,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps { start: Span::DAY, grow: 0.4, shrink: 0.2, min: Span::MINUTE, max: Span::DAY * 365.0 }
    }
}

/// One interval a page, moved by what each visit showed.
#[derive(Debug)]
pub struct NutchAdaptive {
    steps: Steps,
    /// Seconds, by page; 0 where nothing was observed yet.
    intervals: Vec<f32>,
}

impl NutchAdaptive {
    /// Intervals that move by `steps`.
    pub fn new(steps: Steps) -> NutchAdaptive {
        NutchAdaptive { steps, intervals: Vec::new() }
    }

    fn interval(&self, page: PageId) -> Span {
        match self.intervals.get(page.index()) {
            Some(&seconds) if seconds > 0.0 => Span::from_millis((f64::from(seconds) * 1000.0) as i64),
            _ => self.steps.start,
        }
    }
}

impl Policy for NutchAdaptive {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        overdue(history.elapsed(now)?, self.interval(page))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        interval_reason(history.elapsed(now).unwrap_or_default(), self.interval(page))
    }

    fn learn(&mut self, page: PageId, _history: &History, visit: &Visit) {
        let factor = match visit.outcome {
            Outcome::Changed => 1.0 - self.steps.shrink,
            Outcome::Unchanged => 1.0 + self.steps.grow,
            Outcome::First | Outcome::Gone | Outcome::Failed => return,
        };
        let interval = (self.interval(page) * factor).clamp(self.steps.min, self.steps.max);
        if self.intervals.len() <= page.index() {
            self.intervals.resize(page.index() + 1, 0.0);
        }
        self.intervals[page.index()] = interval.as_secs() as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_move_as_nutch_moves_them() {
        let mut policy = NutchAdaptive::new(Steps::default());
        let page = PageId(0);
        let mut see = |outcome| {
            policy.learn(page, &History::default(), &Visit { page, at: Time::from_secs(0), outcome });
            policy.interval(page).as_secs().round()
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
