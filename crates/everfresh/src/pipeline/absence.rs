//! When this program itself stood still: stopped by a signal, asleep with its machine, or without a processor.
//!
//! Whatever failed meanwhile says nothing about anybody else: time-outs passed unseen, and servers closed connections on which
//! nobody spoke. It is done again.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::clock::since_start;

/// How often a sign of life is given.
const BEAT: Duration = Duration::from_secs(1);
/// Who gave none for longer stood still.
const STILL_MILLIS: i64 = 5_000;

/// Knows when this program stood still last; clones know the same.
#[derive(Clone, Debug)]
pub(super) struct Absence {
    times: Arc<Times>,
}

/// In milliseconds since the machine was started.
#[derive(Debug)]
struct Times {
    last_sign: AtomicI64,
    last_return: AtomicI64,
}

/// A moment to which an absence is compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment(i64);

impl Absence {
    /// Watches from now on, if time is not stepped: that knows no absence. To be called within a runtime.
    pub(super) fn watch(is_stepped: bool) -> Absence {
        let absence = Absence::last_seen(if is_stepped { i64::MAX } else { since_start().millis() });
        let times = Arc::downgrade(&absence.times);
        if !is_stepped {
            tokio::spawn(async move {
                while let Some(times) = times.upgrade() {
                    times.sign(since_start().millis());
                    drop(times);
                    tokio::time::sleep(BEAT).await;
                }
            });
        }
        absence
    }

    fn last_seen(at: i64) -> Absence {
        let times = Times { last_sign: AtomicI64::new(at), last_return: AtomicI64::new(i64::MIN) };
        Absence { times: Arc::new(times) }
    }

    pub(super) fn now(&self) -> Moment {
        Moment(since_start().millis())
    }

    /// Whether this program stood still since then.
    pub(super) fn was_since(&self, then: Moment) -> bool {
        self.was_between(then, since_start().millis())
    }

    fn was_between(&self, then: Moment, now: i64) -> bool {
        let (sign, back) =
            (self.times.last_sign.load(Ordering::Relaxed), self.times.last_return.load(Ordering::Relaxed));
        // Who looks before the next sign is given sees that none was for long.
        back >= then.0 || now.saturating_sub(sign.max(then.0)) > STILL_MILLIS
    }
}

impl Times {
    fn sign(&self, now: i64) {
        let last = self.last_sign.swap(now, Ordering::Relaxed);
        if now - last > STILL_MILLIS {
            self.last_return.store(now, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasted_through_an_absence_is_known_by_it() {
        let absence = Absence::last_seen(10_000);
        let (before, during) = (Moment(9_000), Moment(10_500));
        assert!(!absence.was_between(before, 10_900) && !absence.was_between(during, 15_000));
        assert!(absence.was_between(during, 60_000), "nobody has given a sign yet");
        absence.times.sign(60_000);
        assert!(absence.was_between(before, 60_001) && absence.was_between(during, 60_001));
        assert!(!absence.was_between(Moment(60_001), 60_500), "what began later is not excused");
        absence.times.sign(61_000);
        assert!(absence.was_between(during, 61_001) && !absence.was_between(Moment(60_001), 61_500));
    }

    #[test]
    fn stepped_time_knows_none() {
        let absence = Absence::last_seen(i64::MAX);
        assert!(!absence.was_between(Moment(0), 1_000_000));
    }
}
