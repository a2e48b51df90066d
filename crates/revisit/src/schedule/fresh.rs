//! Pages never seen, waiting for their first visit: in order of discovery within a host, hosts taking turns.
//!
//! Turns keep one host's burst of links (a sitemap of 50,000 pages, say) from starving every other host.

use std::collections::VecDeque;

use crate::page::{HostId, PageId};

/// A queue per host and the ring of hosts whose queue is not empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Fresh {
    queues: Vec<VecDeque<PageId>>,
    ring: VecDeque<HostId>,
    waiting: usize,
}

impl Fresh {
    /// A page was found.
    pub(super) fn push(&mut self, host: HostId, page: PageId) {
        let queue = self.open(host);
        queue.push_back(page);
        self.waiting += 1;
    }

    /// Another host has the first turn: the one that so many hosts come before.
    pub(super) fn begin_with(&mut self, host: usize) {
        let hosts = self.ring.len().max(1);
        self.ring.rotate_left(host % hosts);
    }

    /// A page taken before comes back unvisited, to the head of its queue.
    pub(super) fn give_back(&mut self, host: HostId, page: PageId) {
        let queue = self.open(host);
        queue.push_front(page);
        self.waiting += 1;
    }

    fn open(&mut self, host: HostId) -> &mut VecDeque<PageId> {
        if self.queues.len() <= host.index() {
            self.queues.resize_with(host.index() + 1, VecDeque::new);
        }
        let queue = &mut self.queues[host.index()];
        if queue.is_empty() {
            self.ring.push_back(host);
        }
        queue
    }

    /// How many pages wait.
    pub(super) fn len(&self) -> usize {
        self.waiting
    }

    /// Takes up to `most` pages, one from each host in turn; `claim` takes a place at a host and says whether there was one.
    pub(super) fn take(&mut self, most: usize, mut claim: impl FnMut(HostId) -> bool) -> Vec<PageId> {
        let mut taken = Vec::new();
        let mut full = VecDeque::new();
        while taken.len() < most {
            let Some(host) = self.ring.pop_front() else { break };
            if !claim(host) {
                full.push_back(host);
                continue;
            }
            let queue = &mut self.queues[host.index()];
            taken.extend(queue.pop_front());
            if !queue.is_empty() {
                self.ring.push_back(host);
            }
        }
        self.ring.append(&mut full);
        self.waiting -= taken.len();
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_take_turns_and_full_hosts_are_passed_over() {
        let mut fresh = Fresh::default();
        for page in 0..6 {
            fresh.push(HostId(0), PageId(page));
        }
        fresh.push(HostId(1), PageId(6));
        let mut places = [2, 1];
        let claim = |host: HostId| {
            let free = places[host.index()] > 0;
            places[host.index()] -= i32::from(free);
            free
        };
        assert_eq!(fresh.take(10, claim), [PageId(0), PageId(6), PageId(1)]);
        assert_eq!(fresh.len(), 4);
        assert_eq!(fresh.take(2, |_| true), [PageId(2), PageId(3)]);
        fresh.give_back(HostId(0), PageId(3));
        assert_eq!(fresh.take(9, |_| true), [PageId(3), PageId(4), PageId(5)]);
        assert_eq!(fresh.len(), 0);
    }
}
