//! Waiting for others: another program may hold the store, read it without end, or the way to it may be cut for a while.
//!
//! A store does not decide how long that is borne. Whoever opens one to write hands over somebody who does.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Why a store waits.
#[derive(Clone, Debug)]
pub struct Reason {
    /// What is in the way, what happens meanwhile, and what ends it, in words for people.
    pub why: Cow<'static, str>,
    /// Whether nothing can be written otherwise; if not, the store goes on at once when told not to wait.
    pub must: bool,
}

/// Who decides how long a store waits for others.
pub trait Waiter: Send + Sync {
    /// Whether to wait on. Takes its time over the answer: the store looks again after it, and asks again.
    fn wait(&self, reason: &Reason) -> bool;
    /// What was waited for, if anything, is there.
    fn over(&self);
}

/// Waits for ten seconds, as a command does that a person has typed.
#[derive(Debug, Default)]
pub struct Briefly(Mutex<Option<Instant>>);

const BRIEF: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(20);

impl Waiter for Briefly {
    fn wait(&self, _: &Reason) -> bool {
        let now = Instant::now();
        let since = *self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(now);
        let goes_on = now - since < BRIEF;
        if goes_on {
            std::thread::sleep(LOOK);
        }
        goes_on
    }

    fn over(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
