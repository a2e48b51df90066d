//! What hosts say in their robots.txt: learned, put away while nobody needs it, asked for again, redirected to other hosts.

use std::sync::Arc;

use revisit::{HostId, Time};
use url::Url;

use super::rules::RobotsState;
use super::{Errand, Hosts, Redirected};
use crate::fetch::Robots;
use crate::settings::Settings;
use crate::store::RobotsRow;

/// RFC 9309 asks for at least five redirects to be followed for a robots.txt.
const ROBOTS_HOPS: u8 = 5;

impl Hosts {
    /// Takes in the rules of a host, and drops those of others if all take too much.
    pub(super) fn know(&mut self, id: HostId, mut robots: Robots, at: Time) -> Vec<Url> {
        self.drop_rules(id);
        let sitemaps = robots.take_sitemaps();
        self.held.add(id, &robots);
        let host = &mut self.hosts[id];
        host.crawl_delay = robots.crawl_delay();
        host.robots = RobotsState::Known(at, Some(Arc::new(robots)));
        while let Some(longest) = self.held.next_to_drop() {
            self.drop_rules(longest);
        }
        sitemaps
    }

    pub(super) fn drop_rules(&mut self, id: HostId) {
        if let RobotsState::Known(_, rules) = &mut self.hosts[id].robots
            && let Some(rules) = rules.take()
        {
            self.held.subtract(&rules);
        }
    }

    /// The robots.txt of a host as the store has it. If that is not the one that was known, it is asked for again.
    pub(in crate::pipeline) fn bring_rules(&mut self, id: HostId, stored: Option<RobotsRow>) {
        let RobotsState::Known(at, _) = self.hosts[id].robots else { return };
        match stored.filter(|stored| stored.at == at) {
            Some(stored) => _ = self.know(id, parsed(&stored, &self.agent), at),
            None => self.hosts[id].robots = RobotsState::Unknown,
        }
    }

    /// A robots.txt redirects: asks there instead, unless it was sent around too often already. RFC 9309: then the file
    /// counts as unavailable, which allows everything.
    pub(in crate::pipeline) fn redirect_robots(
        &mut self,
        asker: HostId,
        target: Url,
        hops: u8,
        now: Time,
        settings: &Settings,
    ) -> Redirected {
        if hops >= ROBOTS_HOPS {
            self.set_robots(asker, &RobotsRow { status: 404, body: Vec::new(), at: now });
            return Redirected::TooOften;
        }
        let (keeper, _) = self.of(&target, settings);
        let (errand, queue) = (Errand::Robots { asker, url: target, hops: hops + 1 }, &mut self.hosts[keeper].queue);
        if keeper == asker {
            queue.push_robots(errand);
        } else if !queue.push_guest(errand) {
            return Redirected::Crowded(keeper);
        }
        self.offer(keeper);
        Redirected::To(keeper)
    }

    /// A host's robots.txt is known, or known to be out of reach; gives the sitemaps it names.
    pub(in crate::pipeline) fn set_robots(&mut self, asker: HostId, row: &RobotsRow) -> Vec<Url> {
        let sitemaps = self.know(asker, parsed(row, &self.agent), row.at);
        self.settle_delay(self.hosts[asker].server);
        self.offer(asker);
        sitemaps
    }

    /// A host's robots.txt could not be had: it will be asked for again when the host is next contacted.
    pub(in crate::pipeline) fn forget_robots(&mut self, asker: HostId) {
        self.drop_rules(asker);
        self.hosts[asker].robots = RobotsState::Unknown;
    }

    /// Takes what other hosts ask of this one out of its queue: the hosts whose robots.txt it keeps.
    pub(in crate::pipeline) fn drain_askers(&mut self, id: HostId) -> Vec<HostId> {
        self.hosts[id].queue.drain_guests()
    }
}

pub(super) fn parsed(row: &RobotsRow, agent: &str) -> Robots {
    Robots::from_response(row.status, &row.body, agent)
}
