//! All that is known of one page's visits, in the same few bytes however many they were.
//!
//! Every method needs times, counts and the last outcomes, which are kept bit by bit. Change-rate methods also need the
//! lengths of the intervals between visits; where nobody reads those, they are not kept, and all intervals are taken
//! to be of the same length. How many pages' histories lie in memory is told in `packed`.

mod lengths;
mod packed;

use crate::time::{Span, Time};
use crate::visit::{Outcome, Visit};

use lengths::Lengths;
pub(crate) use packed::Histories;

/// A change takes some time, also where a clock that was set back says that none passed.
const SHORTEST_CHANGE: Span = Span::from_secs(1);

/// A bounded summary of every visit to one page.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    // `Time::MIN` stands for never.
    first: Time,
    seen: Time,
    changed: Time,
    attempted: Time,
    recent: u64,
    observations: u32,
    changes: u32,
    failures: u8,
    /// `None` where nobody reads them.
    lengths: Option<Lengths>,
}

impl Default for History {
    fn default() -> History {
        History {
            first: Time::MIN,
            seen: Time::MIN,
            changed: Time::MIN,
            attempted: Time::MIN,
            recent: 0,
            observations: 0,
            changes: 0,
            failures: 0,
            lengths: Some(Lengths::default()),
        }
    }
}

/// A time, unless it stands for never.
fn ever(time: Time) -> Option<Time> {
    (time != Time::MIN).then_some(time)
}

impl History {
    /// Takes in a visit. Visits come in the order in which they were made.
    pub fn record(&mut self, visit: &Visit) {
        self.attempted = visit.at;
        match visit.outcome {
            Outcome::Gone | Outcome::Failed => self.failures = self.failures.saturating_add(1),
            Outcome::First => self.see(visit.at),
            Outcome::Changed | Outcome::Unchanged => {
                self.observe(visit.at, visit.outcome == Outcome::Changed);
                self.see(visit.at);
            }
        }
    }

    fn see(&mut self, at: Time) {
        if self.first == Time::MIN {
            self.first = at;
        }
        self.seen = at;
        self.failures = 0;
    }

    fn observe(&mut self, at: Time, changed: bool) {
        self.observations = self.observations.saturating_add(1);
        self.recent = self.recent << 1 | u64::from(changed);
        if changed {
            self.changes = self.changes.saturating_add(1);
            self.changed = at;
        }
        let least = if changed { SHORTEST_CHANGE } else { Span::ZERO };
        let elapsed = self.elapsed(at).map(|elapsed| elapsed.max(least));
        let known = self.first_seen().map_or(Span::ZERO, |first| (at - first).max(Span::ZERO));
        match &mut self.lengths {
            Some(lengths) if changed => lengths.add_changed(elapsed, self.observations, known),
            Some(lengths) => lengths.add_unchanged(elapsed),
            None => {}
        }
    }

    /// When the page was seen first; `None` if never.
    pub fn first_seen(&self) -> Option<Time> {
        ever(self.first)
    }

    /// When the page was last seen, whatever that visit showed of it; `None` if never.
    pub fn last_seen(&self) -> Option<Time> {
        ever(self.seen)
    }

    /// When a change was last seen.
    pub fn last_change(&self) -> Option<Time> {
        ever(self.changed)
    }

    /// When a visit was last made, successful or not.
    pub fn last_attempt(&self) -> Option<Time> {
        ever(self.attempted)
    }

    /// n: visits that could tell whether the page had changed.
    pub fn observations(&self) -> u32 {
        self.observations
    }

    /// X: visits that saw a change.
    pub fn changes(&self) -> u32 {
        self.changes
    }

    /// Visits in a row, up to the last one, that did not reach the page (failed or gone).
    pub fn failures(&self) -> u8 {
        self.failures
    }

    /// The visits in a row that did not reach the page were not its fault.
    pub(crate) fn excuse(&mut self) {
        self.failures = 0;
    }

    /// The last outcomes, newest first, at most 64: did the visit see a change?
    pub fn recent(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.observations.min(64)).map(|age| self.recent >> age & 1 == 1)
    }

    /// The last 64 outcomes as bits, the newest lowest: 1 where the visit saw a change.
    pub fn recent_bits(&self) -> u64 {
        self.recent
    }

    /// Σ i·I_i: the places, counted from 1, of the observations that saw a change, added up.
    pub fn change_places(&self) -> f64 {
        let evenly = || f64::from(self.changes) * (f64::from(self.observations) + 1.0) / 2.0;
        self.lengths.as_ref().map_or_else(evenly, Lengths::change_places)
    }

    /// When changes were seen, in days since the page was first seen, added up.
    pub fn change_days(&self) -> f64 {
        let evenly = || f64::from(self.changes) * self.known_days() / 2.0;
        self.lengths.as_ref().map_or_else(evenly, Lengths::change_days)
    }

    /// Time since the page was last seen; `None` if never. Zero if a clock that was set back puts that into the future.
    pub fn elapsed(&self, now: Time) -> Option<Span> {
        self.last_seen().map(|seen| (now - seen).max(Span::ZERO))
    }

    /// Days spent in intervals at whose end nothing had changed.
    pub fn unchanged_days(&self) -> f64 {
        let evenly = || f64::from(self.observations - self.changes) * self.usual_days();
        self.lengths.as_ref().map_or_else(evenly, Lengths::unchanged_days)
    }

    /// The intervals at whose end a change was seen, as (how many, length in days): those of about the same length together.
    pub fn changed_intervals(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let evenly = self.lengths.is_none() && self.changes > 0;
        let kept = self.lengths.iter().flat_map(Lengths::changed_intervals);
        kept.chain(evenly.then(|| (self.changes, self.usual_days())))
    }

    /// From the first time that the page was seen to the last.
    fn known_days(&self) -> f64 {
        match (self.first_seen(), self.last_seen()) {
            (Some(first), Some(last)) => (last - first).max(Span::ZERO).as_days(),
            _ => 0.0,
        }
    }

    /// The length of an interval between observations, if all are alike.
    fn usual_days(&self) -> f64 {
        self.known_days() / f64::from(self.observations.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageId;

    fn after(hours: &[(i64, Outcome)]) -> History {
        let mut history = History::default();
        for &(hour, outcome) in hours {
            history.record(&Visit { page: PageId(0), at: Time::from_secs(hour * 3600), outcome });
        }
        history
    }

    #[test]
    fn a_first_version_is_no_observation() {
        let history = after(&[(1, Outcome::First)]);
        assert_eq!((history.observations(), history.changes()), (0, 0));
        assert_eq!(history.last_seen(), Some(Time::from_secs(3600)));
    }

    #[test]
    fn counts_intervals_and_outcomes() {
        let history = after(&[
            (0, Outcome::First),
            (24, Outcome::Unchanged),
            (48, Outcome::Changed),
            (60, Outcome::Failed),
            (72, Outcome::Changed),
        ]);
        assert_eq!((history.observations(), history.changes()), (3, 2));
        assert_eq!(history.unchanged_days(), 1.0);
        let intervals: Vec<_> = history.changed_intervals().collect();
        assert_eq!(intervals.len(), 1);
        assert_eq!(intervals[0].0, 2);
        assert!((intervals[0].1 - 1.0).abs() < 1e-6);
        assert_eq!(history.recent().collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn places_and_times_of_changes_add_up() {
        let history = after(&[(24, Outcome::Changed), (48, Outcome::Unchanged), (72, Outcome::Changed)]);
        // The first and the third observation; on the day it was first seen and two days later.
        assert_eq!((history.change_places(), history.change_days()), (4.0, 2.0));
        assert_eq!(history.recent_bits(), 0b101);
    }

    #[test]
    fn where_no_lengths_are_kept_all_intervals_are_alike() {
        use Outcome::{Changed, First, Unchanged};
        let visits = [(0, First), (24, Unchanged), (48, Changed), (72, Unchanged), (96, Changed)];
        let kept = after(&visits);
        let mut short = History { lengths: None, ..History::default() };
        for (hour, outcome) in visits {
            short.record(&Visit { page: PageId(0), at: Time::from_secs(hour * 3600), outcome });
        }
        let told = |history: &History| {
            let History { observations, changes, recent, .. } = *history;
            (observations, changes, recent, history.last_change(), history.unchanged_days(), history.change_places())
        };
        assert_eq!(told(&short), (4, 2, 0b0101, Some(Time::from_secs(96 * 3600)), 2.0, 5.0));
        assert_eq!((told(&kept).0, told(&kept).4), (4, 2.0));
        assert_eq!(short.changed_intervals().collect::<Vec<_>>(), [(2, 1.0)]);
        assert_eq!((short.change_days(), kept.change_days()), (4.0, 6.0));
    }

    #[test]
    fn failures_in_a_row_end_with_a_success() {
        let mut history = after(&[(0, Outcome::First), (1, Outcome::Failed), (2, Outcome::Gone)]);
        assert_eq!(history.failures(), 2);
        assert_eq!(history.last_seen(), Some(Time::from_secs(0)));
        history.record(&Visit { page: PageId(0), at: Time::from_secs(9000), outcome: Outcome::Unchanged });
        assert_eq!(history.failures(), 0);
    }
}
