//! Patience with other programs that use the store: the writer waits for them, visits queue up before it, and people are told.
//!
//! The writer has a thread of its own, so it asks for itself whether the crawl is to end: the loop may be waiting for the
//! writer, and hear of it only when the writer has given up.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::shutdown::Shutdown;

/// Who is held up for less than this need not hear of it.
const UNTOLD: Duration = Duration::from_secs(1);
/// How long between two looks whether the wait is over.
const LOOK: Duration = Duration::from_millis(20);

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
}

impl Patience {
    pub(super) fn new(stop: Shutdown, grace: Duration) -> Patience {
        Patience { stop, grace, wait: Arc::default() }
    }

    /// Whether the crawl is to end.
    pub(super) fn is_ending(&self) -> bool {
        self.stop.is_asked()
    }

    /// Waits a moment; `why` is told once a wait. False if the crawl is to end and has waited long enough for that.
    pub(super) fn wait(&self, why: impl FnOnce() -> String) -> bool {
        let now = Instant::now();
        {
            let mut wait = self.wait.lock().unwrap_or_else(PoisonError::into_inner);
            if now - *wait.since.get_or_insert(now) >= UNTOLD && !wait.told {
                tracing::warn!("{}", why());
                wait.told = true;
            }
            if self.is_ending() && now - *wait.ending_since.get_or_insert(now) >= self.grace {
                return false;
            }
        }
        std::thread::sleep(LOOK);
        true
    }

    /// What was waited for, if anything, is there.
    pub(super) fn end(&self) {
        let wait = std::mem::take(&mut *self.wait.lock().unwrap_or_else(PoisonError::into_inner));
        if let (Some(since), true) = (wait.since, wait.told) {
            tracing::warn!("the wait of {:.0} s for another program is over", since.elapsed().as_secs_f64());
        }
    }
}
