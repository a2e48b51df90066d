//! Results that wait for the writer: a list may have found tens of thousands of pages, which take it a second or more to write.
//!
//! They are taken in one at a time, so that what others did is written between them, and the loop waits for none of them. The host
//! of one that waits is left alone until it is taken in. What would hold too much memory together is given back, to be visited again.

use std::collections::VecDeque;

use revisit::HostId;

use super::{Crawl, Done};

/// A result that found so many bytes is large.
const LARGE: usize = 1 << 20;
/// What waits may hold together.
const MOST: usize = 128 << 20;

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

    fn has_of(&self, host: HostId) -> bool {
        self.results.iter().any(|(done, _)| done.contacted().host == host)
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
            let host = done.contacted().host;
            self.take_in(done);
            self.turn_to(host);
        }
    }

    /// Gives back all that wait: who ends waits for none of them.
    pub(super) fn dismiss_parked(&mut self) {
        while let Some(done) = self.parked.pop() {
            self.take_in(done.broken_off());
        }
    }

    /// No page of its host is visited until it is taken in.
    fn leave_alone(&mut self, done: &Done) {
        let host = done.contacted().host;
        self.memory.scheduler.limit_host(host, 0);
        for page in self.memory.hosts.drain(host) {
            self.release(page.page);
        }
    }

    /// Pages of a host are visited again, unless another result of it waits.
    fn turn_to(&mut self, host: HostId) {
        if !self.parked.has_of(host) {
            self.memory.limit(host);
            self.picks.look_again();
        }
    }
}
