//! The one clock: wall time, time that runs faster for a person who watches, and time that jumps for tests and figures.
//!
//! On the [stepped](Clock::stepped) clock time stands still while anything can be done and jumps to the next thing due when
//! nothing can. What happens is then a function of what was scripted, whatever the machine is busy with.

mod stepped;
mod wall;

use revisit::{Span, Time};
use tokio::time::Instant;

use stepped::Stepped;
pub use stepped::{Asking, Hold, Waiting};
use wall::Wall;
pub(crate) use wall::since_start;

/// Says what time it is, and how long to sleep until another time.
#[derive(Clone, Debug)]
pub struct Clock {
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Wall(Wall),
    Fast { start: Time, started: Instant, speed: f64 },
    Stepped(Stepped),
}

impl Clock {
    /// The wall clock.
    pub fn wall() -> Clock {
        Clock { kind: Kind::Wall(Wall::new()) }
    }

    /// A clock that reads `start` now and runs `speed` times as fast as the wall.
    pub fn fast(start: Time, speed: f64) -> Clock {
        Clock { kind: Kind::Fast { start, started: Instant::now(), speed } }
    }

    /// A clock that reads `at` for as long as any crawl may take: what is due then is done, and nothing becomes due.
    pub fn standing(at: Time) -> Clock {
        // A speed of zero would have no instant for a later time.
        Clock::fast(at, 1e-9)
    }

    /// A clock that reads `start` now and steps. It needs a current-thread runtime of tokio that was started with its time
    /// paused ([`Clock::stepped_runtime`]), and must be made within it; all timers of that runtime follow it.
    pub fn stepped(start: Time) -> Clock {
        Clock::stepped_by(start, Span::from_millis(1))
    }

    /// The same, but it shows no time finer than `grain`, at least a millisecond: what is done one thing after the other is done at one time, as
    /// the visits of a cycle are in the lab.
    pub fn stepped_by(start: Time, grain: Span) -> Clock {
        Clock { kind: Kind::Stepped(Stepped::new(start, grain.max(Span::from_millis(1)))) }
    }

    /// The runtime in which a clock can step.
    pub fn stepped_runtime() -> std::io::Result<tokio::runtime::Runtime> {
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build()
    }

    /// Whether time stands still while there is work.
    pub fn is_stepped(&self) -> bool {
        matches!(self.kind, Kind::Stepped(_))
    }

    /// The time.
    pub fn now(&self) -> Time {
        match &self.kind {
            Kind::Wall(wall) => wall.now(),
            Kind::Fast { start, started, speed } => {
                *start + Span::from_millis((started.elapsed().as_secs_f64() * 1000.0 * speed) as i64)
            }
            Kind::Stepped(stepped) => stepped.now(),
        }
    }

    /// Makes up for what the system's clock was set forward, if this is the one on the wall, and says how much that was.
    pub fn follow(&self) -> Span {
        if let Kind::Wall(wall) = &self.kind { wall.follow() } else { Span::ZERO }
    }

    /// When timers show what this clock will call `time`; now if that has passed.
    pub fn instant(&self, time: Time) -> Instant {
        let span = match &self.kind {
            Kind::Wall(_) => (time - self.now()).as_secs().max(0.0),
            Kind::Fast { speed, .. } => (time - self.now()).as_secs().max(0.0) / speed,
            Kind::Stepped(stepped) => stepped.until(time).as_secs(),
        };
        // A day is long enough for any sleep; the sleeper looks again then.
        Instant::now() + std::time::Duration::from_secs_f64(span.min(86_400.0))
    }

    /// Sleeps until a time.
    pub async fn sleep_until(&self, time: Time) {
        while self.now() < time {
            tokio::time::sleep_until(self.instant(time)).await;
        }
    }

    /// Waits until nothing more can happen at this instant. Only stepped time has such an end of an instant.
    pub async fn settle(&self) {
        if self.is_stepped() {
            // The shortest step there is: time takes it when nothing else can be done.
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    }

    /// Keeps stepped time still as long as it lives: for work that tokio does not see, as that of our own threads.
    pub fn hold(&self) -> Hold {
        Hold::of(self.steps())
    }

    /// Keeps stepped time still while bytes to or from a server may be on their way, but for when the server
    /// [waits](Clock::waiting).
    pub fn asking(&self, address: impl FnOnce() -> String) -> Asking {
        Asking::of(self.steps(), address)
    }

    /// A scripted server takes its time over what it was [asked](Clock::asking): stepped time may pass as long as it lives.
    pub fn waiting(&self, address: &str) -> Waiting {
        Waiting::of(self.steps(), address)
    }

    fn steps(&self) -> Option<&Stepped> {
        match &self.kind {
            Kind::Stepped(stepped) => Some(stepped),
            Kind::Wall(_) | Kind::Fast { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
