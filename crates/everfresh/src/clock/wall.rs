//! The time of a crawl on the wall: the system's when it began, and from then on it runs evenly and never goes back.
//!
//! A system's clock is set now and then. Set back, it would have everybody wait until it has caught up; set forward, delays
//! that hosts are owed would be cut short. So time is counted on a clock that nobody sets and that goes on while the machine
//! sleeps. What the system's clock is ahead is [made up for](Wall::follow) by who can tell those that wait; where it is
//! behind, a crawl keeps its own time until the next one begins.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use revisit::{Span, Time};
use rustix::time::{ClockId, clock_gettime};

/// Clocks that differ by less agree.
const AGREE: Span = Span::from_secs(1);

/// A clock on the wall; clones are the same clock.
#[derive(Clone, Debug)]
pub(super) struct Wall {
    /// What to add to the time since the machine was started, in milliseconds.
    offset: Arc<AtomicI64>,
}

impl Wall {
    pub(super) fn new() -> Wall {
        Wall { offset: Arc::new(AtomicI64::new((system() - since_start()).millis())) }
    }

    pub(super) fn now(&self) -> Time {
        self.at(since_start())
    }

    /// Makes up for what the system's clock is ahead, and says how much that was.
    pub(super) fn follow(&self) -> Span {
        self.follow_to(system(), since_start())
    }

    fn at(&self, since_start: Span) -> Time {
        Time::from_millis(self.offset.load(Ordering::Relaxed)) + since_start
    }

    fn follow_to(&self, system: Time, since_start: Span) -> Span {
        let ahead = system - self.at(since_start);
        if ahead < AGREE {
            return Span::ZERO;
        }
        self.offset.fetch_add(ahead.millis(), Ordering::Relaxed);
        ahead
    }
}

fn system() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time::from_millis(since.as_millis() as i64)
}

/// Since the machine was started, the time it slept included.
pub(crate) fn since_start() -> Span {
    let passed = clock_gettime(ClockId::Boottime);
    Span::from_millis(passed.tv_sec * 1000 + passed.tv_nsec / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_the_system_says() {
        let (before, now, after) = (system(), Wall::new().now(), system());
        assert!(before - AGREE < now && now < after + AGREE);
    }

    #[test]
    fn a_system_that_is_set_back_is_not_followed_and_one_set_forward_is() {
        let (noon, hour) = (Time::from_secs(43_200), Span::HOUR);
        let wall = Wall { offset: Arc::new(AtomicI64::new(noon.millis())) };
        assert_eq!(wall.follow_to(noon - hour, Span::ZERO), Span::ZERO);
        assert_eq!(wall.at(hour), noon + hour, "time goes on");
        assert_eq!(wall.follow_to(noon + hour * 3.0, hour), hour * 2.0);
        assert_eq!(wall.at(hour), noon + hour * 3.0);
        assert_eq!(wall.follow_to(noon + hour * 3.0, hour), Span::ZERO, "once");
    }
}
