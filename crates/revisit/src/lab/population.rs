//! Who is there: the pages that exist throughout a window, or all pages as they came and went.
//!
//! With [`Population::All`] a page appears in the first cycle at whose end it is there and is gone from the first cycle at
//! whose end it is not there any more. A page that was there when the window began is treated as every page is otherwise.
//! Any other is discovered at the end of the cycle in which it appears. That visit is outside the budget, as those of the
//! warm-up are, because what is compared is how pages are visited *again*: it counts in no measure, shows the first version
//! and is no observation of change. What changed before it cannot be seen by anybody and is no change here. In the cycle in
//! which a page is gone the scheduler is told so, again outside the budget, and never picks it again; what a copy of it
//! missed is counted no more. A page that nobody could have met at a cycle's end is left out.
//!
//! The budget of a cycle, if a share, is a share of the pages there at its end. If all pages exist throughout, both
//! populations give the same numbers.

use super::cut::Window;
use super::trace::TracePage;
use crate::features::Features;
use crate::history::History;
use crate::page::{PageId, Pages};
use crate::policy::{Budget, Needs, Policy};
use crate::site::Structure;
use crate::time::{Span, Time};
use crate::visit::Visit;

/// Which pages of a trace a cut holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Population {
    /// Those that exist throughout the window.
    #[default]
    Throughout,
    /// All, each as long as it exists.
    All,
}

/// The shortest time that is told apart.
const INSTANT: Span = Span::from_millis(1);

/// When a page is there, in cycles of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Life {
    /// The cycle in which it appears; `None` if it was there when the window began.
    pub(super) appears: Option<usize>,
    /// The first cycle at whose end it is not there; the number of cycles if there is none.
    pub(super) gone: usize,
}

impl Life {
    /// A page's life within a window; `None` if it is at no cycle's end there.
    pub(super) fn of(page: &TracePage, window: &Window) -> Option<Life> {
        let cycle_of = |time: Time| (time - window.start).millis().div_euclid(window.cycle.millis());
        let gone = usize::try_from(cycle_of(page.last_seen)).ok()?.min(window.cycles);
        // Whoever appears at a cycle's end is there when its visits are made.
        let appears = (page.first_seen > window.start).then(|| cycle_of(page.first_seen - INSTANT) as usize);
        (gone > appears.unwrap_or(0)).then_some(Life { appears, gone })
    }

    /// The first cycle whose changes can be seen.
    pub(super) fn first_cycle(&self) -> usize {
        self.appears.map_or(0, |cycle| cycle + 1)
    }

    /// Whether a population holds a page that lives so, among so many cycles.
    pub(super) fn belongs_to(&self, population: Population, cycles: usize) -> bool {
        population == Population::All || (self.appears.is_none() && self.gone == cycles)
    }
}

/// A policy that is never asked about a page that is gone.
///
/// In the lab every visit reaches its page, so a page that could not be reached is one that is gone.
pub(super) struct UntilGone(pub(super) Box<dyn Policy>);

impl Policy for UntilGone {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        if is_gone(history) { None } else { self.0.score(page, history, now) }
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        self.0.reason(page, history, now)
    }

    fn chance_current(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.0.chance_current(page, history, now)
    }

    fn locate(&mut self, page: PageId, url: &str) {
        self.0.locate(page, url);
    }

    fn describe(&mut self, page: PageId, features: &Features) {
        self.0.describe(page, features);
    }

    fn learn(&mut self, page: PageId, history: &History, visit: &Visit) {
        self.0.learn(page, history, visit);
    }

    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn survey(&mut self, structure: &Structure) {
        self.0.survey(structure);
    }

    fn plan(&mut self, pages: &Pages, budget: Budget, now: Time) {
        self.0.plan(pages, budget, now);
    }
}

/// Whether a page of the lab is gone.
pub(super) fn is_gone(history: &History) -> bool {
    history.failures() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(first: i64, last: i64) -> Option<(Option<usize>, usize)> {
        let day = |day: i64| Time::from_secs(day * 43_200);
        let window = Window { start: day(20), cycle: Span::DAY, cycles: 5, warmup: 1 };
        let life = Life::of(&TracePage::named("", day(first), day(last)), &window);
        life.map(|life| (life.appears, life.gone))
    }

    #[test]
    fn lives_by_hand() {
        // In half days; the window is from 20 to 30, cycles end at 22, 24, 26, 28 and 30.
        assert_eq!(life(20, 30), Some((None, 5)), "throughout");
        assert_eq!(life(3, 24), Some((None, 2)), "there at the end of the second cycle");
        assert_eq!(life(3, 25), Some((None, 2)));
        assert_eq!(life(23, 99), Some((Some(1), 5)));
        assert_eq!(life(24, 29), Some((Some(1), 4)), "there when the second cycle's visits are made");
        assert_eq!(life(22, 23), Some((Some(0), 1)));
        assert_eq!(life(23, 23), None, "at no cycle's end");
        assert_eq!((life(3, 19), life(3, 21), life(31, 40)), (None, None, None));
    }
}
