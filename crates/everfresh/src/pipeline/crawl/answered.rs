//! Hosts that have answered while what they said is still being judged apart: they need not wait for it, since others may be
//! judged before, and so their next pages are fetched meanwhile. What waits to be judged has [room](crate::fetch) for its
//! bytes, which is what bounds it.

use std::net::IpAddr;

use revisit::Signal;

use super::Crawl;
use crate::pipeline::hosts::Contact;
use crate::pipeline::under_way::Who;

impl Crawl {
    /// A host has answered, and its answer is being judged: the contact is over before the errand is.
    pub(super) async fn take_answer(&mut self, contacted: Contact, who: Who, signal: Signal, address: IpAddr) {
        self.answered.insert(who);
        if let Who::Page(page) = who {
            self.end_call(page);
        }
        self.give_place_back(contacted, who);
        self.end_contact(contacted, signal, Some(address)).await;
    }
}
