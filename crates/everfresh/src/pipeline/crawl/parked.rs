//! Results that wait for the writer: a list may have found tens of thousands of pages, which take it a second or more to write.
//!
//! They are taken in one at a time, so that what others did is written between them, and the loop waits for none of them. The host
//! of one that waits is left alone meanwhile. What would hold too much memory together is given back, to be visited again.

use std::collections::VecDeque;

use revisit::Span;

use super::{Crawl, Done};

/// A result that found so many bytes is large.
const LARGE: usize = 1 << 20;
/// What waits may hold together.
const MOST: usize = 128 << 20;
/// How long the host of one that waits is left alone, at least.
const PAUSE: Span = Span::from_secs(2);

/// Large results, in the order in which they came.
#[derive(Default)]
pub(super) struct Parked {
    results: VecDeque<(Done, usize)>,
    bytes: usize,
}

impl Parked {
    fn push(&mut self, done: Done, bytes: usize) {
        self.bytes += bytes;
        self.results.push_back((done, bytes));
    }

    fn pop(&mut self) -> Option<Done> {
        let (done, bytes) = self.results.pop_front()?;
        self.bytes -= bytes;
        Some(done)
    }
}

impl Crawl {
    /// Takes in what a task did, now or when there is room for it.
    pub(super) fn take_in_in_turn(&mut self, done: Done) {
        let bytes = done.found_bytes();
        let has_room = self.parked.results.is_empty() && self.writer.has_room_for_list();
        if bytes < LARGE || has_room {
            self.take_in(done);
        } else if self.draining || self.parked.bytes + bytes > MOST {
            self.take_in(done.broken_off());
        } else {
            self.leave_alone(&done);
            self.parked.push(done, bytes);
        }
    }

    /// Takes in the next result that waits, if there is room for it now.
    pub(super) fn take_parked(&mut self) {
        if self.writer.has_room_for_list()
            && let Some(done) = self.parked.pop()
        {
            self.take_in(done);
        }
    }

    /// Gives back all that wait: who ends waits for none of them.
    pub(super) fn dismiss_parked(&mut self) {
        while let Some(done) = self.parked.pop() {
            self.take_in(done.broken_off());
        }
    }

    /// No page of its host is visited for a while.
    fn leave_alone(&mut self, done: &Done) {
        let host = done.contacted().host;
        self.memory.scheduler.pause_host(host, self.clock.now() + PAUSE);
        for page in self.memory.hosts.drain(host) {
            self.release(page.page);
        }
    }
}
