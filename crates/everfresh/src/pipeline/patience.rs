//! Patience with other programs that use the store: the writer waits for them, visits queue up before it, and people are told.
//!
//! The writer has a thread of its own, so it asks for itself whether the crawl is to end: the loop may be waiting for the
//! writer, and hear of it only when the writer has given up.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::shutdown::Shutdown;
use crate::store::{Reason, Waiter};

/// Who is held up for less than this need not hear of it.
const UNTOLD: Duration = Duration::from_secs(1);
/// How long between two looks whether the wait is over.
const LOOK: Duration = Duration::from_millis(20);
/// A crawl that has not begun waits no longer than this: who started it is told who is in the way.
const TO_BEGIN: Duration = Duration::from_secs(10);

/// Waits for others, for as long as the crawl is to go on.
#[derive(Clone)]
pub(super) struct Patience {
    stop: Shutdown,
    /// How long a crawl that is to end still waits.
    grace: Duration,
    wait: Arc<Mutex<Wait>>,
}

/// The wait under way.
#[derive(Default)]
struct Wait {
    since: Option<Instant>,
    /// Since when it is known that the crawl is to end.
    ending_since: Option<Instant>,
    told: bool,
    /// Whether the crawl has begun.
    begun: bool,
}

impl Patience {
    pub(super) fn new(stop: Shutdown, grace: Duration) -> Patience {
        Patience { stop, grace, wait: Arc::default() }
    }

    /// The crawl has begun, and bears from now on with whoever is in its way.
    pub(super) fn begin(&self) {
        self.lock().begun = true;
    }

    fn lock(&self) -> MutexGuard<'_, Wait> {
        self.wait.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter for Patience {
    /// Waits a moment; people are told once a wait. False if the crawl is to end and has waited long enough for that, or need
    /// not wait to end.
    fn wait(&self, reason: &Reason) -> bool {
        let (now, ending) = (Instant::now(), self.stop.is_asked());
        {
            let mut wait = self.lock();
            let waited = now - *wait.since.get_or_insert(now);
            if !wait.begun && waited >= TO_BEGIN {
                return false;
            }
            if wait.begun && waited >= UNTOLD && !wait.told {
                tracing::warn!("{}", reason.why);
                wait.told = true;
            }
            let grace = if reason.must { self.grace } else { Duration::ZERO };
            if ending && now - *wait.ending_since.get_or_insert(now) >= grace {
                return false;
            }
        }
        std::thread::sleep(LOOK);
        true
    }

    fn over(&self) {
        let mut wait = self.lock();
        let begun = wait.begun;
        let wait = std::mem::replace(&mut *wait, Wait { begun, ..Wait::default() });
        if let (Some(since), true) = (wait.since, wait.told) {
            tracing::warn!("the wait of {:.0} s for another program is over", since.elapsed().as_secs_f64());
        }
    }
}
