//! The robots.txt rules that are held in memory: a bounded number of bytes over all hosts.
//!
//! A robots.txt may be half a megabyte and a crawl may meet thousands of hosts. The rules of nearly all of them are a few
//! kilobytes and stay; when all together take too much, those held longest are dropped and read from the store again when their
//! host has its next page to visit.

use std::collections::VecDeque;
use std::sync::Arc;

use revisit::{HostId, Time};

use crate::fetch::Robots;

/// What the rules of all hosts take together.
const MAX_BYTES: usize = 64 << 20;

/// What is known of a host's robots.txt.
pub(super) enum RobotsState {
    Unknown,
    Asked,
    /// Fetched at a time; the rules may have been dropped.
    Known(Time, Option<Arc<Robots>>),
}

/// How much is held, and whose rules are dropped next.
#[derive(Default)]
pub(super) struct Held {
    bytes: usize,
    order: VecDeque<HostId>,
}

impl Held {
    /// The rules of one more host are held.
    pub(super) fn add(&mut self, host: HostId, rules: &Robots) {
        self.bytes += rules.bytes();
        self.order.push_back(host);
    }

    /// These rules are held no more.
    pub(super) fn subtract(&mut self, rules: &Robots) {
        self.bytes -= rules.bytes();
    }

    /// The host whose rules are to be dropped, as long as all take too much.
    pub(super) fn next_to_drop(&mut self) -> Option<HostId> {
        if self.bytes > MAX_BYTES { self.order.pop_front() } else { None }
    }
}
