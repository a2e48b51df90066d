//! Hosts that have answered while what they said is still being judged apart: they need not wait for it, since others may be
//! judged before, and so its next page is fetched meanwhile. One answer of a host at a time, and of so many hosts, so that what
//! waits to be judged stays within bounds.

use std::collections::HashMap;

use revisit::{HostId, Signal};
use std::net::IpAddr;

use super::Crawl;
use crate::pipeline::hosts::Contact;
use crate::pipeline::under_way::Who;

/// Hosts that do not wait for their judgement at once.
const MOST: usize = 64;

/// Whose contacts were over before their errands were.
#[derive(Default)]
pub(super) struct Answered {
    by_host: HashMap<HostId, Who>,
}

impl Answered {
    /// Takes note that a contact is over; false if it is to last until its errand is done.
    fn insert(&mut self, host: HostId, who: Who) -> bool {
        let fits = self.by_host.len() < MOST && !self.by_host.contains_key(&host);
        if fits {
            self.by_host.insert(host, who);
        }
        fits
    }

    /// An errand is done; says whether its contact was over before.
    pub(super) fn remove(&mut self, host: HostId, who: Who) -> bool {
        let was_over = self.by_host.get(&host) == Some(&who);
        if was_over {
            self.by_host.remove(&host);
        }
        was_over
    }
}

impl Crawl {
    /// A host has answered, and its answer is being judged.
    pub(super) async fn take_answer(&mut self, contacted: Contact, who: Who, signal: Signal, address: IpAddr) {
        if self.answered.insert(contacted.host, who) {
            self.give_place_back(contacted, who);
            self.end_contact(contacted, signal, Some(address)).await;
        } else {
            self.places.stay(contacted, who);
        }
    }
}

#[cfg(test)]
mod tests {
    use revisit::PageId;

    use super::*;

    #[test]
    fn one_answer_of_a_host_at_a_time_and_so_many_hosts() {
        let mut answered = Answered::default();
        let page = |number| Who::Page(PageId(number));
        assert!(answered.insert(HostId(1), page(1)) && !answered.insert(HostId(1), page(2)));
        assert!(!answered.remove(HostId(1), page(2)) && answered.remove(HostId(1), page(1)));
        assert!((0..MOST as u32).all(|number| answered.insert(HostId(number), page(number))));
        assert!(!answered.insert(HostId(1000), page(1000)));
    }
}
