//! Pages whose answers found no room, or had to give it up, wait outside until there is some: nobody waits for them, and they
//! are not asked for again in vain. One place of a host is left to its other pages.

use std::collections::{HashMap, VecDeque};

use revisit::PageId;

use super::Crawl;
use crate::pipeline::visit::Assignment;

/// Pages that were broken off for want of room.
#[derive(Default)]
pub(super) struct Crowded {
    /// With the room that each needs, in the order in which they came.
    waiting: VecDeque<(Assignment, usize)>,
    /// Those that were called to try again and have not yet taken their room.
    called: HashMap<PageId, usize>,
}

impl Crowded {
    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Takes the first one that fits into what is free for it and not taken by those called before.
    fn call(&mut self, free: impl Fn(&Assignment) -> usize) -> Option<Assignment> {
        let called: usize = self.called.values().sum();
        let place = self.waiting.iter().position(|(page, needs)| called + needs <= free(page))?;
        let (page, needs) = self.waiting.remove(place)?;
        self.called.insert(page.page, needs);
        Some(page)
    }
}

impl Crawl {
    /// A visit was broken off: its page waits for the room it needs, if that was it, or goes back.
    pub(super) fn give_back(&mut self, page: Assignment, needs: usize) {
        let waiting = self.crowded.waiting.iter().filter(|(other, _)| other.host == page.host).count();
        if needs == 0 || self.draining || waiting as u32 + 1 >= self.memory.hosts.places(page.host) {
            self.release(page.page);
            self.picks.look_again();
        } else {
            self.end_call(page.page);
            self.crowded.waiting.push_back((page, needs));
        }
    }

    /// Queues those again for whom there is room now.
    pub(super) fn call_crowded(&mut self) {
        while let Some(page) = self.crowded.call(|page| self.context.fetcher.free_room(page.has_parts())) {
            self.queue(page);
        }
    }

    /// A page that was called has its room, or does not need it any more.
    pub(super) fn end_call(&mut self, page: PageId) {
        self.crowded.called.remove(&page);
    }

    /// Gives back what waits for room.
    pub(super) fn dismiss_crowded(&mut self) {
        for (page, _) in std::mem::take(&mut self.crowded.waiting) {
            self.release(page.page);
        }
    }
}

#[cfg(test)]
mod tests {
    use revisit::HostId;
    use url::Url;

    use super::*;

    #[test]
    fn as_many_are_called_as_there_is_room_for() {
        let mut crowded = Crowded::default();
        for (page, needs) in [(1, 60), (2, 30), (3, 30), (4, 1)] {
            let url = Url::parse("http://a.test/").unwrap();
            crowded.waiting.push_back((Assignment::to(PageId(page), HostId(0), url), needs));
        }
        let call = |crowded: &mut Crowded| crowded.call(|_| 100).map(|page| page.page.0);
        assert_eq!([1, 2, 4].map(|_| call(&mut crowded)), [Some(1), Some(2), Some(4)], "who fits");
        assert_eq!(call(&mut crowded), None);
        crowded.called.remove(&PageId(1));
        assert_eq!([call(&mut crowded), call(&mut crowded)], [Some(3), None]);
    }
}
