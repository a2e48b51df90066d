//! The histories of all pages, in as few bytes as what is read of them: 40 a page, and 48 more where a policy reads the
//! [lengths](super::lengths) of intervals. Nothing is lost by it: times are milliseconds within 4,000 years, counts go up to 16
//! million.

use super::History;
use super::lengths::Lengths;
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::time::Time;

/// A column of histories.
#[derive(Clone, Debug)]
pub(crate) struct Histories {
    rows: Vec<Packed>,
    /// As long as the rows, or `None` where nobody reads them.
    lengths: Option<Vec<Lengths>>,
}

/// Times, counts and outcomes of one page.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
struct Packed {
    recent: u64,
    first: Moment,
    seen: Moment,
    changed: Moment,
    attempted: Moment,
    observations: Count,
    changes: Count,
    failures: u8,
}

/// A time in six bytes.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
struct Moment([u8; 6]);

/// A count in three bytes.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
struct Count([u8; 3]);

/// The lowest number of 48 bits, which stands for never.
const NEVER: i64 = -(1 << 47);
const MOST: u32 = (1 << 24) - 1;

impl Moment {
    fn of(time: Time) -> Moment {
        let millis = if time == Time::MIN { NEVER } else { time.millis().clamp(NEVER + 1, -NEVER - 1) };
        let [a, b, c, d, e, f, ..] = millis.to_le_bytes();
        Moment([a, b, c, d, e, f])
    }

    fn time(self) -> Time {
        let [a, b, c, d, e, f] = self.0;
        // Brought to the high end and back, so that the sign comes along.
        let millis = i64::from_le_bytes([0, 0, a, b, c, d, e, f]) >> 16;
        if millis == NEVER { Time::MIN } else { Time::from_millis(millis) }
    }
}

impl Count {
    fn of(count: u32) -> Count {
        let [a, b, c, _] = count.min(MOST).to_le_bytes();
        Count([a, b, c])
    }

    fn get(self) -> u32 {
        let [a, b, c] = self.0;
        u32::from_le_bytes([a, b, c, 0])
    }
}

impl Packed {
    fn of(history: &History) -> Packed {
        let History { first, seen, changed, attempted, recent, observations, changes, failures, lengths: _ } = *history;
        Packed {
            recent,
            first: Moment::of(first),
            seen: Moment::of(seen),
            changed: Moment::of(changed),
            attempted: Moment::of(attempted),
            observations: Count::of(observations),
            changes: Count::of(changes),
            failures,
        }
    }

    fn with(self, lengths: Option<Lengths>) -> History {
        History {
            first: self.first.time(),
            seen: self.seen.time(),
            changed: self.changed.time(),
            attempted: self.attempted.time(),
            recent: self.recent,
            observations: self.observations.get(),
            changes: self.changes.get(),
            failures: self.failures,
            lengths,
        }
    }
}

impl Histories {
    /// No histories yet, with the lengths of intervals or without.
    pub(crate) fn new(lengths: bool) -> Histories {
        Histories { rows: Vec::new(), lengths: lengths.then(Vec::new) }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn reserve(&mut self, rows: usize) {
        self.rows.reserve(rows);
        self.lengths.iter_mut().for_each(|lengths| lengths.reserve(rows));
    }

    /// Makes room for rows below `end`, each without a visit.
    pub(crate) fn grow(&mut self, end: usize) {
        if end > self.len() {
            self.rows.resize(end, Packed::of(&History::default()));
            self.lengths.iter_mut().for_each(|lengths| lengths.resize(end, Lengths::default()));
        }
    }

    pub(crate) fn get(&self, row: usize) -> History {
        self.rows[row].with(self.lengths.as_ref().map(|lengths| lengths[row]))
    }

    pub(crate) fn set(&mut self, row: usize, history: &History) {
        self.rows[row] = Packed::of(history);
        if let (Some(column), Some(lengths)) = (&mut self.lengths, history.lengths) {
            column[row] = lengths;
        }
    }

    pub(crate) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep_rows(&mut self.rows)?;
        self.lengths.iter_mut().try_for_each(|lengths| checkpoint.keep_rows(lengths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, PageId, Visit};
    use proptest::prelude::*;

    #[test]
    fn stays_small() {
        assert_eq!((size_of::<Packed>(), size_of::<Lengths>()), (40, 48));
    }

    #[test]
    fn times_beyond_all_calendars_stop_somewhere() {
        for time in [Time::MIN, Time::from_millis(-1), Time::from_secs(0)] {
            assert_eq!(Moment::of(time).time(), time);
        }
        assert!(Moment::of(Time::MAX).time() > Time::from_secs(100_000_000_000));
        assert_eq!(Count::of(u32::MAX).get(), MOST);
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_out_as_it_was(visits in proptest::collection::vec((0_i64..1 << 45, 0_usize..5), 0..40), kept in any::<bool>()) {
            let mut column = Histories::new(kept);
            column.grow(2);
            let mut history = column.get(1);
            for (millis, outcome) in visits {
                let visit = Visit { page: PageId(1), at: Time::from_millis(millis), outcome: Outcome::ALL[outcome] };
                history.record(&visit);
                let mut packed = column.get(1);
                packed.record(&visit);
                column.set(1, &packed);
            }
            prop_assert_eq!(column.get(1), history);
            prop_assert_eq!(column.get(0).last_attempt(), None);
        }
    }
}
