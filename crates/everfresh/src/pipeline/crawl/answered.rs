//! Hosts that have answered while what they said is still being judged apart: they need not wait for it, since others may be
//! judged before, and so their next pages are fetched meanwhile. What waits to be judged has [room](crate::fetch) for its
//! bytes, which is what bounds it; its requests are spoken for at once, or others would be made for the same budget.

use std::net::IpAddr;

use revisit::Signal;

use super::Crawl;
use crate::pipeline::hosts::Contact;
use crate::pipeline::under_way::Who;

impl Crawl {
    /// A host has answered, and its answer is being judged: the contact is over before the errand is.
    pub(super) fn take_answer(&mut self, contacted: Contact, who: Who, signal: Signal, address: IpAddr, requests: u32) {
        self.expect(who, requests.saturating_sub(1));
        self.answered.insert(who);
        if let Who::Page(page) = who {
            self.end_call(page);
        }
        self.give_place_back(contacted, who);
        self.end_contact(contacted, signal, Some(address));
    }

    /// Of the requests of an errand beyond its first one, those that nobody spoke for when its page was picked.
    fn unforeseen(&self, who: Who, further: u32) -> usize {
        match who {
            Who::Page(page) => self.memory.scheduler.unforeseen(page, further as usize),
            Who::Robots(_) => further as usize,
        }
    }

    /// Speaks for the requests of an errand beyond its first one until it is recorded, which was done before if its host has
    /// answered before.
    pub(super) fn expect(&mut self, who: Who, further: u32) {
        if !self.answered.contains(&who) {
            let further = self.unforeseen(who, further);
            self.memory.scheduler.expect(further);
        }
    }
}
