//! The streams of an HTTP/2 connection: as many exchanges at once as the other end allows.
//!
//! Who finds all of them taken opens another connection instead of waiting, as with HTTP/1: waiting would be taken for a slow
//! answer. A connection on which an answer did not come in time is given up: those under way may end, nobody else begins. So is
//! one that allows no stream although none is taken, or such connections would add up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The streams of one connection.
pub(super) struct Streams {
    /// How many the other end allows; it may change its mind.
    allowed: Box<dyn Fn() -> usize + Send + Sync>,
    open: AtomicUsize,
    given_up: AtomicBool,
}

/// A stream that is taken, until it is dropped.
pub(super) struct Stream {
    of: Arc<Streams>,
}

impl Streams {
    pub(super) fn new(allowed: impl Fn() -> usize + Send + Sync + 'static) -> Arc<Streams> {
        let (open, given_up) = (AtomicUsize::new(0), AtomicBool::new(false));
        Arc::new(Streams { allowed: Box::new(allowed), open, given_up })
    }

    /// Takes a stream, if one is left.
    pub(super) fn take(self: &Arc<Streams>) -> Option<Stream> {
        let allowed = (self.allowed)();
        let more = |open: usize| (open < allowed).then_some(open + 1);
        let taken = self.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        if allowed == 0 && taken == Err(0) {
            self.give_up();
        }
        taken.ok()?;
        Some(Stream { of: Arc::clone(self) })
    }

    pub(super) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.of.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_are_taken_than_are_allowed() {
        let allowed = Arc::new(AtomicUsize::new(1));
        let told = Arc::clone(&allowed);
        let streams = Streams::new(move || told.load(Ordering::Relaxed));
        let first = streams.take();
        assert!(first.is_some() && streams.take().is_none());
        allowed.store(2, Ordering::Relaxed);
        let second = streams.take();
        assert!(second.is_some() && streams.take().is_none());
        allowed.store(1, Ordering::Relaxed);
        drop(first);
        assert!(streams.take().is_none(), "the other end may change its mind");
        drop(second);
        assert!(streams.take().is_some());
    }

    #[test]
    fn where_nobody_can_have_any_they_are_given_up() {
        let allowed = Arc::new(AtomicUsize::new(1));
        let told = Arc::clone(&allowed);
        let streams = Streams::new(move || told.load(Ordering::Relaxed));
        let first = streams.take();
        allowed.store(0, Ordering::Relaxed);
        assert!(streams.take().is_none() && !streams.is_given_up(), "one is under way");
        drop(first);
        assert!(streams.take().is_none() && streams.is_given_up());
    }
}
