//! All that is known of one page's visits, in 96 bytes however many they were.
//!
//! Change-rate methods need counts, times and the lengths of the intervals in which a change was or was not seen. Of an
//! unchanged interval only the length matters, and lengths add up; a changed interval enters nonlinearly, so changed
//! intervals are counted in buckets whose lengths grow by 2.5 from minutes to years. Methods that weigh a change by how
//! recent it is need where among the visits and when the changes were seen: both are kept as sums, so that no score has
//! to walk through anything. The last 64 outcomes are kept bit by bit.

use crate::time::{Span, Time};
use crate::visit::{Outcome, Visit};

/// Buckets for the lengths of changed intervals: under 5 minutes, then 5–12.5, 12.5–31, …; the last from 1.4 years on.
const BUCKETS: usize = 15;
/// Where the second bucket begins, in minutes.
const SHORTEST: f64 = 5.0;
/// How much longer each bucket is than the one before.
const GROWTH: f64 = 2.5;

/// A change takes some time, also where a clock that was set back says that none passed.
const SHORTEST_CHANGE: Span = Span::from_secs(1);

/// A bounded summary of every visit to one page.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct History {
    // `Time::MIN` stands for never: an `Option` would take twice the room in every page.
    first: Time,
    seen: Time,
    changed: Time,
    attempted: Time,
    recent: u64,
    observations: u32,
    changes: u32,
    // Sums in f32 are exact for whole numbers up to 16 million, and right to a millionth beyond.
    change_places: f32,
    change_minutes: f32,
    unchanged_minutes: f32,
    changed_minutes: f32,
    changed_intervals: [u16; BUCKETS],
    failures: u8,
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
            change_places: 0.0,
            change_minutes: 0.0,
            unchanged_minutes: 0.0,
            changed_minutes: 0.0,
            changed_intervals: [0; BUCKETS],
            failures: 0,
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
        let least = if changed { SHORTEST_CHANGE } else { Span::ZERO };
        let minutes = self.elapsed(at).map(|elapsed| minutes_of(elapsed.max(least)));
        if changed {
            self.changes = self.changes.saturating_add(1);
            self.changed = at;
            self.change_places += self.observations as f32;
            self.change_minutes +=
                self.first_seen().map_or(0.0, |first| minutes_of((at - first).max(Span::ZERO)) as f32);
        }
        match minutes {
            Some(minutes) if changed => {
                let bucket = &mut self.changed_intervals[bucket_of(minutes)];
                *bucket = bucket.saturating_add(1);
                self.changed_minutes += minutes as f32;
            }
            Some(minutes) => self.unchanged_minutes += minutes as f32,
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
        f64::from(self.change_places)
    }

    /// When changes were seen, in days since the page was first seen, added up.
    pub fn change_days(&self) -> f64 {
        f64::from(self.change_minutes) / 1440.0
    }

    /// Time since the page was last seen; `None` if never. Zero if a clock that was set back puts that into the future.
    pub fn elapsed(&self, now: Time) -> Option<Span> {
        self.last_seen().map(|seen| (now - seen).max(Span::ZERO))
    }

    /// Days spent in intervals at whose end nothing had changed.
    pub fn unchanged_days(&self) -> f64 {
        f64::from(self.unchanged_minutes) / 1440.0
    }

    /// The intervals at whose end a change was seen, as (how many, length in days).
    ///
    /// Within a bucket lengths are unknown, so each stands for the bucket's middle; all are scaled by one factor such that
    /// they add up to the true total, which keeps the error of a rate below a few per cent.
    pub fn changed_intervals(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let middles: f64 = self.counts().map(|(bucket, count)| f64::from(count) * middle_of(bucket)).sum();
        let scale = if middles > 0.0 { f64::from(self.changed_minutes) / middles / 1440.0 } else { 0.0 };
        self.counts().map(move |(bucket, count)| (count, middle_of(bucket) * scale))
    }

    fn counts(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let counts = self.changed_intervals.iter().enumerate();
        counts.filter(|(_, count)| **count > 0).map(|(bucket, count)| (bucket, u32::from(*count)))
    }
}

fn minutes_of(span: Span) -> f64 {
    span.as_secs() / 60.0
}

fn bucket_of(minutes: f64) -> usize {
    if minutes < SHORTEST {
        return 0;
    }
    (1 + ((minutes / SHORTEST).ln() / GROWTH.ln()) as usize).min(BUCKETS - 1)
}

/// The geometric middle of a bucket, in minutes: rates are judged by ratios.
fn middle_of(bucket: usize) -> f64 {
    SHORTEST * GROWTH.powf(bucket as f64 - 0.5)
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
    fn stays_small() {
        assert!(size_of::<History>() <= 96, "{}", size_of::<History>());
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
    fn buckets_cover_every_length() {
        assert_eq!([0.0, 4.9, 5.0, 12.4, 12.6, 1e12].map(bucket_of), [0, 0, 1, 1, 2, BUCKETS - 1]);
        for bucket in 0..BUCKETS {
            assert_eq!(bucket_of(middle_of(bucket)), bucket);
        }
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
