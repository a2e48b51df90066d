//! `sad`: the page most likely to have changed since its last visit, only the last visit counting (Santos 2013, "SAD").
//!
//! Score = 1 − e^(−λt) with λ = 1 if the last visit saw a change, else 0; with `reading=calendar` λ = 1 only if that
//! visit was in the cycle before this one. That leaves nearly all pages with the score 0, and the public code keeps
//! equal pages in the order of the cycle before, so the page whose change was seen last goes first among them. Table
//! 4.3 cannot be had without that (.15 instead of .50 on a like set), so the calendar reading adds a term that decides
//! between equals only.

use super::weighted::{READING, Reading, Terms};
use crate::estimate::recency;
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Policy};
use crate::{History, PageId, Pages, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "sad",
    paper: "Tan & Mitra 2010; Santos 2013 (SAD)",
    summary: "the page most likely to have changed first, from its last visit only",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[READING],
    build: Build::Plain(|values| Box::new(Sad::new(Reading::of(values)))),
};

/// The most probable change first, from the last visit alone.
#[derive(Debug)]
pub(crate) struct Sad {
    terms: Terms,
}

impl Sad {
    /// Nothing is known yet.
    pub(crate) fn new(reading: Reading) -> Sad {
        Sad { terms: Terms::new(reading) }
    }

    /// λ, in changes a cycle.
    fn rate(&self, history: &History, now: Time) -> f64 {
        match self.terms.reading {
            Reading::Visits => recency::last_only(history),
            Reading::Calendar => recency::last_only_by_cycle(history, self.terms.waited(history, now)),
        }
    }
}

/// What decides between equal pages at most; scores differ by more than half.
const TIE: f64 = 1e-6;

impl Policy for Sad {
    fn score(&self, _page: PageId, history: &History, now: Time) -> Option<f64> {
        let chance = self.terms.chance(self.rate(history, now), history, now);
        match (self.terms.reading, history.last_change()) {
            (Reading::Calendar, Some(changed)) => Some(chance + TIE / (1.0 + (now - changed).ratio(self.terms.cycle))),
            _ => Some(chance),
        }
    }

    fn reason(&self, _page: PageId, history: &History, now: Time) -> String {
        self.terms.reason(self.rate(history, now), "by the last visit alone", history, now)
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, _now: Time) {
        self.terms.plan(budget);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Span, Visit};

    fn seen(outcomes: &[(i64, Outcome)]) -> History {
        let mut history = History::default();
        for &(hour, outcome) in outcomes {
            history.record(&Visit { page: PageId(0), at: Time::from_secs(hour * 3600), outcome });
        }
        history
    }

    #[test]
    fn by_the_calendar_a_change_counts_for_one_cycle_and_then_decides_between_equals() {
        let policy = Sad::new(Reading::Calendar);
        let score = |history| policy.score(PageId(0), &history, Time::from_secs(0) + Span::HOUR * 6.0).unwrap();
        let just_now = score(seen(&[(5, Outcome::Changed)]));
        let lately = score(seen(&[(4, Outcome::Changed), (5, Outcome::Unchanged)]));
        let earlier = score(seen(&[(3, Outcome::Changed)]));
        let never = score(seen(&[(5, Outcome::Unchanged)]));
        assert!((just_now - (1.0 - (-1.0_f64).exp())).abs() < 1e-5, "{just_now}");
        assert!(TIE > lately && lately > earlier && earlier > never && never == 0.0);
    }
}
