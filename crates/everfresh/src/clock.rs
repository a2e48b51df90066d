//! The one clock: wall time, or time that runs faster from a given start for tests and the demo.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use revisit::{Span, Time};

/// Says what time it is, and how long to sleep until another time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Where fast time began and how fast it is; `None` is the wall clock, which follows the system's corrections.
    fast: Option<Fast>,
}

#[derive(Clone, Copy, Debug)]
struct Fast {
    start: Time,
    started: Instant,
    speed: f64,
}

impl Clock {
    /// The wall clock.
    pub fn wall() -> Clock {
        Clock { fast: None }
    }

    /// A clock that reads `start` now and runs `speed` times as fast as the wall.
    pub fn fast(start: Time, speed: f64) -> Clock {
        Clock { fast: Some(Fast { start, started: Instant::now(), speed }) }
    }

    /// The time.
    pub fn now(&self) -> Time {
        match self.fast {
            None => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Time::from_millis(since.as_millis() as i64)
            }
            Some(Fast { start, started, speed }) => {
                start + Span::from_millis((started.elapsed().as_secs_f64() * 1000.0 * speed) as i64)
            }
        }
    }

    /// When the wall shows what this clock will call `time`; now if that has passed.
    pub fn instant(&self, time: Time) -> Instant {
        let speed = self.fast.map_or(1.0, |fast| fast.speed);
        let span = (time - self.now()).as_secs().max(0.0) / speed;
        // A day is long enough for any sleep; the sleeper looks again then.
        Instant::now() + Duration::from_secs_f64(span.min(86_400.0))
    }
}
