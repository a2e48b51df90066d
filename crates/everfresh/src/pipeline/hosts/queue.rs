//! What is to be done at a host: its own errands, and the robots.txt that others keep there. Anybody can have theirs redirect to
//! any host; so these are guests, few at a time, and take no more than every second turn.

use std::collections::VecDeque;

use revisit::{HostId, PageId};

use super::Errand;
use crate::pipeline::under_way::Who;
use crate::pipeline::visit::Assignment;

/// How many robots.txt of others wait at a host.
const MOST_GUESTS: usize = 16;

/// The errands of a host.
#[derive(Default)]
pub(super) struct Queue {
    own: VecDeque<Errand>,
    guests: VecDeque<Errand>,
    is_guests_turn: bool,
}

impl Queue {
    /// A page of the host, behind all others.
    pub(super) fn push(&mut self, page: Assignment) {
        self.own.push_back(Errand::Page(Box::new(page)));
    }

    /// A page of the host, before all others.
    pub(super) fn push_first(&mut self, page: Assignment) {
        let place = self.own.iter().take_while(|errand| matches!(errand, Errand::Robots { .. })).count();
        self.own.insert(place, Errand::Page(Box::new(page)));
    }

    /// Takes out a page.
    pub(super) fn take_back(&mut self, page: PageId) -> Option<Assignment> {
        let place = self.own.iter().position(|errand| errand.who() == Who::Page(page))?;
        if let Some(Errand::Page(page)) = self.own.remove(place) { Some(*page) } else { None }
    }

    /// Takes out the last page.
    pub(super) fn take_last(&mut self) -> Option<Assignment> {
        match self.own.pop_back()? {
            Errand::Page(page) => Some(*page),
            robots => {
                self.own.push_back(robots);
                None
            }
        }
    }

    /// The host's own robots.txt, which is elsewhere on the same host: all its pages wait for it.
    pub(super) fn push_robots(&mut self, robots: Errand) {
        self.own.push_front(robots);
    }

    /// Somebody else's robots.txt; false if too many wait already.
    pub(super) fn push_guest(&mut self, robots: Errand) -> bool {
        let fits = self.guests.len() < MOST_GUESTS;
        if fits {
            self.guests.push_back(robots);
        }
        fits
    }

    /// Whether there is something to do, if pages wait for the host's robots.txt or do not.
    pub(super) fn has_work(&self, pages_wait: bool) -> bool {
        let own_can_go = match self.own.front() {
            Some(Errand::Robots { .. }) => true,
            Some(Errand::Page(_)) => !pages_wait,
            None => false,
        };
        own_can_go || !self.guests.is_empty()
    }

    /// Takes a robots.txt whose turn it is.
    pub(super) fn take_robots(&mut self, pages_wait: bool) -> Option<Errand> {
        match self.own.front() {
            Some(Errand::Robots { .. }) => return self.own.pop_front(),
            Some(Errand::Page(_)) if !pages_wait && !self.is_guests_turn => return None,
            _ => {}
        }
        self.is_guests_turn = false;
        self.guests.pop_front()
    }

    /// The page whose turn it is next.
    pub(super) fn page(&self) -> Option<&Assignment> {
        if let Some(Errand::Page(page)) = self.own.front() { Some(page) } else { None }
    }

    /// Takes that page.
    pub(super) fn take_page(&mut self) -> Option<Box<Assignment>> {
        self.is_guests_turn = true;
        match self.own.pop_front()? {
            Errand::Page(page) => Some(page),
            robots => {
                self.own.push_front(robots);
                None
            }
        }
    }

    /// Takes out all pages.
    pub(super) fn drain_pages(&mut self) -> Vec<Assignment> {
        let (mut pages, mut rest) = (Vec::new(), VecDeque::new());
        for errand in self.own.drain(..) {
            match errand {
                Errand::Page(page) => pages.push(*page),
                robots => rest.push_back(robots),
            }
        }
        self.own = rest;
        pages
    }

    /// Takes out all guests: the hosts whose robots.txt they are.
    pub(super) fn drain_guests(&mut self) -> Vec<HostId> {
        let askers = self.guests.drain(..).filter_map(|guest| match guest {
            Errand::Robots { asker, .. } => Some(asker),
            Errand::Page(_) => None,
        });
        askers.collect()
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn url() -> Url {
        Url::parse("http://a.test/x").unwrap()
    }

    fn guest(asker: u32) -> Errand {
        Errand::Robots { asker: HostId(asker), url: url(), hops: 1 }
    }

    fn with_pages(number: u32) -> Queue {
        let mut queue = Queue::default();
        (0..number).for_each(|page| queue.push(Assignment::to(PageId(page), HostId(0), url())));
        queue
    }

    /// Whose turns come, guests below zero.
    fn turns(queue: &mut Queue, pages_wait: bool) -> Vec<i64> {
        let mut turns = Vec::new();
        while queue.has_work(pages_wait) {
            turns.push(match queue.take_robots(pages_wait) {
                Some(Errand::Robots { asker, .. }) => -i64::from(asker.0),
                _ => i64::from(queue.take_page().unwrap().page.0),
            });
        }
        turns
    }

    #[test]
    fn guests_take_every_second_turn() {
        let mut queue = with_pages(4);
        assert!((1..=6).all(|asker| queue.push_guest(guest(asker))));
        assert_eq!(turns(&mut queue, false), [0, -1, 1, -2, 2, -3, 3, -4, -5, -6]);
    }

    #[test]
    fn guests_do_not_wait_for_the_host_s_own_robots() {
        let mut queue = with_pages(1);
        assert!(queue.push_guest(guest(1)) && queue.push_guest(guest(2)));
        assert_eq!(turns(&mut queue, true), [-1, -2]);
        queue.push_robots(guest(9));
        assert!(queue.has_work(true));
        assert_eq!(turns(&mut queue, false), [-9, 0]);
    }

    #[test]
    fn a_page_is_put_before_all_others_and_taken_back() {
        let mut queue = with_pages(2);
        queue.push_robots(guest(9));
        queue.push_first(Assignment::to(PageId(7), HostId(0), url()));
        assert_eq!(queue.take_back(PageId(1)).map(|page| page.page), Some(PageId(1)));
        assert!(queue.take_back(PageId(1)).is_none());
        assert_eq!(turns(&mut queue, false), [-9, 7, 0]);
    }

    #[test]
    fn few_guests_wait_at_a_time() {
        let mut queue = Queue::default();
        assert_eq!((1..100).filter(|asker| queue.push_guest(guest(*asker))).count(), MOST_GUESTS);
        assert_eq!(queue.drain_guests().len(), MOST_GUESTS);
    }
}
