//! The rhythm of a collection: on which days of the week, and at which hours, pages rest.
//!
//! Newsrooms and offices close; machines do not. So the collection tells when there is rest, from the changes found on each
//! day and at each hour over those expected, and every page tells for itself whether it rests then: its [`Habit`]. A
//! rhythm of all pages together was tried and lost: the few that rest make all look a little less busy on two days, and
//! of no page is that true.
//!
//! A day is quiet for those who rest and busier than usual on the others, so that their week has as many changes as
//! anybody's of their rate.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::time::{Span, Time};

const WEEK: Span = Span::from_secs(7 * 86_400);
/// Days from Monday, in UTC.
const DAYS: usize = 7;
/// Parts of a day, of three hours each.
const PARTS: usize = 8;
const SLOTS: usize = DAYS * PARTS;
const SLOT: Span = Span::from_secs(3 * 3600);
/// The begin of a week.
const MONDAY: Time = Time::from_secs(4 * 86_400);

/// How busy a time of rest is, beside the usual.
const QUIET: f32 = 0.05;
/// A day or a part of a day is one of rest if so many standard deviations of changes are missing from it,
const SURE: f32 = 4.0;
/// and so many of all changes.
const MISSING: f32 = 0.05;
/// Days are learned from visits that came after at most this time, and parts of days after at most a third of a day:
/// longer ones tell of too many at once.
const LONGEST: Span = Span::from_secs(2 * 86_400);
const LONGEST_FOR_PARTS: Span = Span::from_secs(8 * 3600);
/// How fast counts fade: to a third in eight weeks.
const FADING: f64 = 1.0 / 8.0;

/// Changes found and changes expected.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, serde::Serialize)]
struct Tally {
    found: f32,
    expected: f32,
}

/// When pages rest.
#[derive(Clone, Debug)]
pub(super) struct Rhythm {
    days: [Tally; DAYS],
    parts: [Tally; PARTS],
    /// What a page that rests does of a week's work from Monday to the begin of each slot, in slots.
    done: [f32; SLOTS + 1],
    /// The share of pages that rest, as odds in logarithms.
    usual: f32,
    /// Whether there is any rest.
    rests: bool,
    settled: Option<Time>,
}

impl Default for Rhythm {
    fn default() -> Rhythm {
        let done = std::array::from_fn(|slot| slot as f32);
        Rhythm { days: Default::default(), parts: Default::default(), done, usual: 0.0, rests: false, settled: None }
    }
}

/// Whether a page rests when others do: what its visits say, as odds in logarithms, in 1024ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(super) struct Habit(i16);

impl Habit {
    /// Nothing seen.
    pub(super) const NONE: Habit = Habit(0);

    /// Takes in how likely what a visit saw was with rest and without; what was known fades to the share `kept` first.
    pub(super) fn learn(&mut self, resting: f32, restless: f32, kept: f32) {
        let says = (resting.max(1e-4) / restless.max(1e-4)).ln();
        // A cast stops at the ends of its range.
        self.0 = (f32::from(self.0) * kept + says * 1024.0).round() as i16;
    }
}

impl Rhythm {
    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.days)?;
        checkpoint.keep(&mut self.parts)?;
        checkpoint.keep_array(&mut self.done)?;
        checkpoint.keep(&mut self.usual)?;
        checkpoint.keep(&mut self.rests)?;
        checkpoint.keep(&mut self.settled)
    }

    /// Whether there is any time of rest.
    pub(super) fn has_rest(&self) -> bool {
        self.rests
    }

    /// How busy the time between two visits was for a page that rests; 1 is as usual.
    pub(super) fn busy(&self, from: Time, to: Time) -> f32 {
        if !self.rests || to <= from {
            return 1.0;
        }
        ((self.done_by(to) - self.done_by(from)) / (slots(to) - slots(from))) as f32
    }

    /// The work done up to a time, in slots.
    fn done_by(&self, time: Time) -> f64 {
        let since_monday = time - MONDAY;
        let (week, into) =
            (since_monday.millis().div_euclid(WEEK.millis()), since_monday.millis().rem_euclid(WEEK.millis()));
        let (slot, into) = ((into / SLOT.millis()) as usize, into % SLOT.millis());
        let (before, after) = (f64::from(self.done[slot]), f64::from(self.done[slot + 1]));
        week as f64 * SLOTS as f64 + before + (after - before) * Span::from_millis(into).ratio(SLOT)
    }

    /// The chance that a page rests when others do.
    pub(super) fn chance(&self, habit: Habit) -> f32 {
        1.0 / (1.0 + (-(f32::from(habit.0) / 1024.0 + self.usual)).exp())
    }

    /// Takes in what a visit told of the time since the one before.
    pub(super) fn learn(&mut self, from: Time, to: Time, found: f32, expected: f32) {
        let long = to - from;
        if long > LONGEST || long <= Span::ZERO {
            return;
        }
        spread(&mut self.days, slots(from) / PARTS as f64, slots(to) / PARTS as f64, Tally { found, expected });
        if long <= LONGEST_FOR_PARTS {
            spread(&mut self.parts, slots(from), slots(to), Tally { found, expected });
        }
    }

    /// Finds the times of rest in what was seen so far.
    pub(super) fn settle(&mut self, now: Time) {
        let weeks = self.settled.map_or(0.0, |settled| (now - settled).ratio(WEEK));
        self.settled = Some(now);
        let kept = (-FADING * weeks).exp() as f32;
        for tally in self.days.iter_mut().chain(&mut self.parts) {
            (tally.found, tally.expected) = (tally.found * kept, tally.expected * kept);
        }
        let (days, parts) = (at_rest(&self.days), at_rest(&self.parts));
        let busy: [f32; SLOTS] = std::array::from_fn(|slot| {
            let rests = days[slot / PARTS] || parts[slot % PARTS];
            if rests { QUIET } else { 1.0 }
        });
        let scale = SLOTS as f32 / busy.iter().sum::<f32>();
        for (slot, busy) in busy.into_iter().enumerate() {
            self.done[slot + 1] = self.done[slot] + busy * scale;
        }
        self.rests = days.contains(&true) || parts.contains(&true);
        let share = missing(&self.days, days).max(missing(&self.parts, parts)).clamp(0.02, 0.9);
        self.usual = (share / (1.0 - share)).ln();
    }
}

/// A time in slots from a Monday.
fn slots(time: Time) -> f64 {
    (time - MONDAY).ratio(SLOT)
}

/// Adds a visit's tally to the times it tells of, each by its share. Times are given in places of the tallies.
fn spread<const N: usize>(tallies: &mut [Tally; N], from: f64, to: f64, told: Tally) {
    let mut begin = from;
    while begin < to {
        let end = (begin.floor() + 1.0).min(to);
        let share = ((end - begin) / (to - from)) as f32;
        let tally = &mut tallies[(begin.rem_euclid(N as f64) as usize).min(N - 1)];
        tally.found += told.found * share;
        tally.expected += told.expected * share;
        begin = end;
    }
}

/// Which of the times miss so many changes that pages must rest then.
fn at_rest<const N: usize>(tallies: &[Tally; N]) -> [bool; N] {
    let found: f32 = tallies.iter().map(|tally| tally.found).sum();
    let expected: f32 = tallies.iter().map(|tally| tally.expected).sum();
    tallies.map(|tally| {
        let usual = tally.expected * found / expected.max(f32::MIN_POSITIVE);
        let missing = usual - tally.found;
        missing > SURE * usual.sqrt() && missing > MISSING * usual
    })
}

/// The share of changes that is missing at the times of rest: so many are made by pages that rest.
fn missing<const N: usize>(tallies: &[Tally; N], rests: [bool; N]) -> f32 {
    let level = |rest: bool| {
        let (mut found, mut expected) = (0.0, 0.0);
        for tally in tallies.iter().zip(rests).filter(|(_, rests)| *rests == rest).map(|(tally, _)| tally) {
            (found, expected) = (found + tally.found, expected + tally.expected);
        }
        found / f32::max(expected, f32::MIN_POSITIVE)
    };
    if rests.contains(&true) { (1.0 - level(true) / level(false)) / (1.0 - QUIET) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Monday.
    const BEGIN: Time = Time::from_secs(1_700_438_400);

    fn hour(number: u32) -> Time {
        BEGIN + Span::HOUR * f64::from(number)
    }

    /// Eight weeks of visits every few hours; a fifth of the changes is never made on Saturdays and Sundays.
    fn weekends(every: u32) -> Rhythm {
        let mut rhythm = Rhythm::default();
        for visit in 1..8 * 7 * 24 / every {
            let (from, to) = (hour((visit - 1) * every), hour(visit * every));
            let weekend = ((visit - 1) * every / 24) % 7 >= 5;
            rhythm.learn(from, to, if weekend { 80.0 } else { 100.0 } * every as f32, 100.0 * every as f32);
        }
        rhythm.settle(hour(8 * 7 * 24));
        rhythm
    }

    #[test]
    fn finds_the_days_of_rest() {
        for every in [3, 24] {
            let rhythm = weekends(every);
            let busy = |day: u32| rhythm.busy(hour(24 * day), hour(24 * day + 24));
            assert!((0..5).all(|day| (busy(day) - 4.9 / 5.0 * 1.4).abs() < 0.05), "{}", busy(0));
            assert!(busy(5) < 0.1 && busy(6) < 0.1 && busy(5 + 70) < 0.1, "{}", busy(5));
            assert!((rhythm.busy(hour(7), hour(7 + 24 * 14)) - 1.0).abs() < 1e-3, "a week is a week");
            assert!((rhythm.chance(Habit::NONE) - 0.2).abs() < 0.03, "{}", rhythm.chance(Habit::NONE));
        }
    }

    #[test]
    fn finds_the_hours_of_rest() {
        let mut rhythm = Rhythm::default();
        for visit in 0..24 * 30 {
            let night = visit % 24 < 6;
            rhythm.learn(hour(visit), hour(visit + 1), if night { 40.0 } else { 100.0 }, 100.0);
        }
        rhythm.settle(hour(24 * 30));
        assert!(rhythm.busy(hour(25), hour(27)) < 0.1 && rhythm.busy(hour(34), hour(36)) > 1.2);
    }

    #[test]
    fn long_intervals_and_small_dips_make_no_rhythm() {
        assert_eq!(weekends(72).busy(hour(120), hour(144)), 1.0);
        let mut rhythm = Rhythm::default();
        (0..70).for_each(|day| {
            let found = if day % 7 == 3 { 4.0 } else { 5.0 };
            rhythm.learn(hour(24 * day), hour(24 * day + 24), found, 5.0);
        });
        rhythm.settle(hour(70 * 24));
        assert_eq!(rhythm.busy(hour(72), hour(96)), 1.0);
    }

    #[test]
    fn a_page_shows_whether_it_rests() {
        let rhythm = weekends(24);
        let (mut office, mut machine) = (Habit::NONE, Habit::NONE);
        for _ in 0..4 {
            office.learn(0.97, 0.4, 1.0);
            machine.learn(0.03, 0.6, 1.0);
        }
        assert!(rhythm.chance(office) > 0.8 && rhythm.chance(machine) < 0.01);
        office.learn(1.0, 1.0, 0.0);
        assert_eq!(office, Habit::NONE, "what was seen long ago is forgotten");
    }
}
