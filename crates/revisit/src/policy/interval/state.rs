//! What `state-1` and `state-2` share: a Markov chain of what visits showed (Umbrich, Mrzelj & Polleres 2015).
//!
//! For each crawl frequency it is counted how often a state (what the last one or two visits showed) was followed by a
//! change and how often not. P(change next | state) then moves the page's interval by the steps of `window`; nothing
//! known of a state yet → the interval stays. Reading: all pages count together, `counts=page` keeps every page's
//! counts apart. Reading: a visit counts for the interval at which it was made; intervals are told apart by the hour,
//! which bounds the number of counts.

use std::collections::BTreeMap;

use super::archiver::{START, bounds, factor};
use super::intervals::{Bounds, Intervals};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::Policy;
use crate::policy::parameter::{Parameter, Values};
use crate::{History, Outcome, PageId, Span, Time, Visit};

/// Lets users keep pages apart.
const COUNTS: Parameter = Parameter::choice("counts", &["all", "page"], "count over all pages, or each page by itself");

/// What can be set.
pub(super) const PARAMETERS: &[Parameter] = &[START, COUNTS];

/// How often each state was followed by what.
///
/// A state is what the last visits showed, as bits, the newest lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(crate) struct Transitions {
    next: [[u32; 2]; 4],
}

impl Transitions {
    /// Counts that `state` was followed by a visit that did or did not see a change.
    pub(crate) fn count(&mut self, state: usize, changed: bool) {
        let count = &mut self.next[state & 3][usize::from(changed)];
        *count = count.saturating_add(1);
    }

    /// P(change | state); `None` if the state was never followed by anything.
    pub(crate) fn chance(&self, state: usize) -> Option<f64> {
        let [unchanged, changed] = self.next[state & 3].map(f64::from);
        (unchanged + changed > 0.0).then(|| changed / (unchanged + changed))
    }
}

/// An interval per page that moves with the chance that the next visit sees a change.
#[derive(Debug)]
pub(crate) struct States {
    intervals: Intervals,
    /// How many visits make a state.
    memory: u32,
    by_page: bool,
    /// By page, if pages are kept apart, and interval in hours.
    known: BTreeMap<(u32, u16), Transitions>,
}

impl States {
    /// Intervals within `bounds`; `memory`, 1 or 2, is how many visits make a state.
    pub(crate) fn new(bounds: Bounds, memory: u32, by_page: bool) -> States {
        States { intervals: Intervals::new(bounds), memory, by_page, known: BTreeMap::new() }
    }

    pub(super) fn built(values: &Values<'_>, memory: u32) -> Box<dyn Policy> {
        Box::new(States::new(bounds(values), memory, values.is("counts", "page")))
    }

    fn key(&self, page: PageId) -> (u32, u16) {
        // Six months are 4320 hours.
        let hours = (self.intervals.of(page).ratio(Span::HOUR)).round() as u16;
        (if self.by_page { page.0 } else { 0 }, hours)
    }

    /// What the page's last visits showed, those of the last `skipped` left out; `None` if there were too few.
    fn state(&self, history: &History, skipped: u32) -> Option<usize> {
        let mask = (1_u64 << self.memory) - 1;
        let enough = history.observations() >= self.memory + skipped;
        enough.then_some((history.recent_bits() >> skipped & mask) as usize)
    }

    fn chance(&self, page: PageId, history: &History) -> Option<f64> {
        self.known.get(&self.key(page))?.chance(self.state(history, 0)?)
    }
}

impl Policy for States {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.intervals.score(page, history, now)
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let rest = self.intervals.reason(page, history, now);
        match self.chance(page, history) {
            Some(chance) => format!("after such visits {:.0} % saw a change; {rest}", 100.0 * chance),
            None => format!("nothing is known yet of what follows such visits; {rest}"),
        }
    }

    fn learn(&mut self, page: PageId, history: &History, visit: &Visit) {
        if !matches!(visit.outcome, Outcome::Changed | Outcome::Unchanged) {
            return;
        }
        if let Some(before) = self.state(history, 1) {
            self.known.entry(self.key(page)).or_default().count(before, visit.outcome == Outcome::Changed);
        }
        if let Some(chance) = self.chance(page, history) {
            self.intervals.stretch(page, factor(chance));
        }
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.intervals.keep(checkpoint)?;
        checkpoint.keep(&mut self.known)
    }
}

#[cfg(test)]
mod tests {
    use super::super::archiver::{MONTH, WEEK};
    use super::*;

    fn see(policy: &mut States, page: PageId, history: &mut History, outcomes: &[u8]) -> f64 {
        for &changed in outcomes {
            let outcome = if changed == 1 { Outcome::Changed } else { Outcome::Unchanged };
            let at = history.last_seen().map_or(Time::from_secs(0), |seen| seen + Span::DAY);
            let visit = Visit { page, at, outcome };
            history.record(&visit);
            policy.learn(page, history, &visit);
        }
        policy.intervals.of(page).as_days()
    }

    #[test]
    fn a_page_learns_from_others_unless_pages_are_kept_apart() {
        let bounds = Bounds { start: WEEK, min: Span::DAY, max: MONTH * 6.0 };
        for (by_page, days) in [(false, 7.0 / 3.0), (true, 7.0)] {
            let mut policy = States::new(bounds, 1, by_page);
            // At one week, no change was followed by a change.
            see(&mut policy, PageId(0), &mut History::default(), &[0, 1]);
            let interval = see(&mut policy, PageId(1), &mut History::default(), &[0]);
            assert!((interval - days).abs() < 1e-6, "{by_page} {interval}");
        }
    }

    #[test]
    fn two_visits_make_a_state() {
        let bounds = Bounds { start: WEEK, min: WEEK, max: WEEK };
        let mut policy = States::new(bounds, 2, false);
        let mut history = History::default();
        see(&mut policy, PageId(0), &mut history, &[0, 1, 1, 0, 1]);
        // 01 was followed by 1, 11 by 0, 10 by 1; now the state is 01.
        assert_eq!(policy.chance(PageId(0), &history), Some(1.0));
        see(&mut policy, PageId(0), &mut history, &[0]);
        assert_eq!(policy.chance(PageId(0), &history), Some(1.0), "after 10");
        see(&mut policy, PageId(0), &mut history, &[0]);
        assert_eq!(policy.chance(PageId(0), &history), None, "00 was never seen before");
    }

    /// Umbrich et al. 2015, Table 1: 0 → 0 ten times, 0 → 1 forty, 1 → 0 fifty, 1 → 1 ten: P(1|0) = 40/50 = 0.8.
    #[test]
    fn the_chance_of_a_change_after_none_is_that_of_umbrichs_table_1() {
        let mut table = Transitions::default();
        for (times, state, changed) in [(10, 0, false), (40, 0, true), (50, 1, false), (10, 1, true)] {
            (0..times).for_each(|_| table.count(state, changed));
        }
        assert_eq!(table.chance(0), Some(0.8));
        assert_eq!(table.chance(1), Some(10.0 / 60.0));
    }
}
