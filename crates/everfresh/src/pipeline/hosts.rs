//! The hosts: who may be contacted next, with what errand, under which robots.txt.
//!
//! Each host has a queue of errands and a state of politeness; a heap knows which host is ready first. The errand of a
//! page waits until the host's robots.txt is known. A robots.txt that redirects is an errand to the host it redirects to.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use revisit::{HostId, Politeness, Signal, Span, Time};
use url::{Position, Url};

use super::visit::Assignment;
use crate::fetch::Robots;
use crate::settings::Settings;
use crate::store::{HostRow, RobotsRow};

/// A host that wants to be left alone for longer gets its pages taken back, so that they wait in nobody's way.
pub(super) const PATIENCE: Span = Span::from_secs(30);

/// RFC 9309 asks for at least five redirects to be followed for a robots.txt.
const ROBOTS_HOPS: u8 = 5;

/// Something to do at a host.
#[derive(Debug)]
pub(super) enum Errand {
    /// Visit a page.
    Page(Box<Assignment>),
    /// Fetch the robots.txt of `asker`, which may be another host.
    Robots { asker: HostId, url: Url, hops: u8 },
}

/// What to do now.
pub(super) enum Next {
    /// Contact the host; its politeness has been told.
    Contact(HostId, Errand),
    /// The host's robots.txt forbids the visit: nothing is contacted.
    Forbidden(Box<Assignment>),
}

struct Host {
    name: String,
    politeness: Politeness,
    robots: RobotsState,
    queue: VecDeque<Errand>,
    in_heap: bool,
    pages: u32,
}

enum RobotsState {
    Unknown,
    Asked,
    Known(Robots, Time),
}

/// All hosts.
pub(super) struct Hosts {
    hosts: Vec<Host>,
    by_name: HashMap<String, HostId>,
    heap: BinaryHeap<Reverse<(Time, HostId)>>,
    robots_cache: Span,
    agent: String,
    contacted: Time,
    now: Time,
}

impl Hosts {
    /// No hosts yet. Any host may have been contacted until `contacted`, whatever the store says.
    pub(super) fn new(settings: &Settings, contacted: Time, now: Time) -> Hosts {
        Hosts {
            hosts: Vec::new(),
            by_name: HashMap::new(),
            heap: BinaryHeap::new(),
            robots_cache: settings.robots_cache,
            agent: settings.fetch.user_agent.clone(),
            contacted,
            now,
        }
    }

    /// Takes in a host from the store.
    pub(super) fn restore(&mut self, row: HostRow, settings: &Settings) {
        let manners = settings.manners(host_name(&row.name));
        let last_contact = row.last_contact.max(self.contacted);
        let mut politeness = Politeness::restore(manners, last_contact, row.blocked_until, row.pause, self.now);
        let robots = match &row.robots {
            Some(stored) => {
                let robots = rules(stored, &self.agent);
                politeness.set_crawl_delay(robots.crawl_delay());
                RobotsState::Known(robots, stored.at)
            }
            None => RobotsState::Unknown,
        };
        self.push(Host { robots, ..Host::new(row.name, politeness) });
    }

    fn push(&mut self, host: Host) -> HostId {
        let id = HostId(self.hosts.len() as u32);
        self.by_name.insert(host.name.clone(), id);
        self.hosts.push(host);
        id
    }

    /// The host that serves a URL, and whether it is new.
    pub(super) fn of(&mut self, url: &Url, settings: &Settings) -> (HostId, bool) {
        let name = origin(url);
        if let Some(&id) = self.by_name.get(name) {
            return (id, false);
        }
        let manners = settings.manners(host_name(name));
        let politeness = Politeness::restore(manners, self.contacted, Time::MIN, Span::ZERO, self.now);
        (self.push(Host::new(name.to_owned(), politeness)), true)
    }

    /// One page more is kept of a host; false if it has `most` already.
    pub(super) fn admit_page(&mut self, host: HostId, most: u32) -> bool {
        let host = &mut self.hosts[host.index()];
        let admitted = host.pages < most;
        host.pages += u32::from(admitted);
        admitted
    }

    /// Queues the visit of a page.
    pub(super) fn queue_page(&mut self, assignment: Assignment) {
        let host = assignment.host;
        self.hosts[host.index()].queue.push_back(Errand::Page(Box::new(assignment)));
        self.offer(host);
    }

    /// How many pages of a host may wait in its queue: some seconds' work, so that slow hosts do not crowd out fast ones.
    pub(super) fn places(&self, host: HostId) -> u32 {
        let politeness = &self.hosts[host.index()].politeness;
        let delay = politeness.delay().as_secs().max(0.001);
        (10.0 / delay).clamp(2.0, 64.0) as u32 * politeness.connections()
    }

    /// How many hosts are known.
    pub(super) fn len(&self) -> usize {
        self.hosts.len()
    }

    /// Whether a host wants to be left alone for longer than its pages should wait in its queue.
    pub(super) fn is_blocked(&self, host: HostId, now: Time) -> bool {
        self.blocked_until(host) > now + PATIENCE
    }

    /// Puts a host with something to do into the heap, once.
    fn offer(&mut self, id: HostId) {
        let host = &mut self.hosts[id.index()];
        let waits_for_robots =
            matches!(host.robots, RobotsState::Asked) && matches!(host.queue.front(), Some(Errand::Page(_)));
        if host.in_heap || host.queue.is_empty() || waits_for_robots {
            return;
        }
        if let Some(ready) = host.politeness.ready_at() {
            self.heap.push(Reverse((ready, id)));
            host.in_heap = true;
        }
    }

    /// When the next host is ready; `None` if no host has anything to do.
    pub(super) fn next_ready(&self) -> Option<Time> {
        self.heap.peek().map(|Reverse((ready, _))| *ready)
    }

    /// What can be done now, if anything.
    pub(super) fn next(&mut self, now: Time) -> Option<Next> {
        while let Some(&Reverse((ready, id))) = self.heap.peek() {
            if ready > now {
                return None;
            }
            self.heap.pop();
            self.hosts[id.index()].in_heap = false;
            let next = self.next_of(id, now);
            self.offer(id);
            if next.is_some() {
                return next;
            }
        }
        None
    }

    fn next_of(&mut self, id: HostId, now: Time) -> Option<Next> {
        let (cache, host) = (self.robots_cache, &mut self.hosts[id.index()]);
        if host.politeness.ready_at().is_none_or(|ready| ready > now) {
            return None;
        }
        let Some(Errand::Page(page)) = host.queue.front() else {
            let errand = host.queue.pop_front()?;
            host.politeness.begin(now);
            return Some(Next::Contact(id, errand));
        };
        match &host.robots {
            RobotsState::Known(robots, at) if now - *at < cache => {
                let allowed = robots.allows(&page.url);
                match host.queue.pop_front()? {
                    Errand::Page(page) if !allowed => Some(Next::Forbidden(page)),
                    errand => {
                        host.politeness.begin(now);
                        Some(Next::Contact(id, errand))
                    }
                }
            }
            RobotsState::Asked => None,
            RobotsState::Known(..) | RobotsState::Unknown => {
                let url = page.url.join("/robots.txt").ok()?;
                host.robots = RobotsState::Asked;
                host.politeness.begin(now);
                Some(Next::Contact(id, Errand::Robots { asker: id, url, hops: 0 }))
            }
        }
    }

    /// An exchange with a host ended.
    pub(super) fn end(&mut self, id: HostId, now: Time, signal: Signal) {
        self.hosts[id.index()].politeness.end(now, signal);
        self.offer(id);
    }

    /// A robots.txt redirects: asks there instead, unless it was sent around too often already. RFC 9309: then the file
    /// counts as unavailable, which allows everything. Gives the host it redirects to, which may be new.
    pub(super) fn redirect_robots(
        &mut self,
        asker: HostId,
        target: Url,
        hops: u8,
        now: Time,
        settings: &Settings,
    ) -> Option<HostId> {
        if hops >= ROBOTS_HOPS {
            self.set_robots(asker, &RobotsRow { status: 404, body: Vec::new(), at: now });
            return None;
        }
        let (host, _) = self.of(&target, settings);
        let errand = Errand::Robots { asker, url: target, hops: hops + 1 };
        self.hosts[host.index()].queue.push_front(errand);
        self.offer(host);
        Some(host)
    }

    /// A host's robots.txt is known, or known to be out of reach; gives the sitemaps it names.
    pub(super) fn set_robots(&mut self, asker: HostId, row: &RobotsRow) -> Vec<Url> {
        let robots = rules(row, &self.agent);
        let sitemaps = robots.sitemaps().to_vec();
        let host = &mut self.hosts[asker.index()];
        host.politeness.set_crawl_delay(robots.crawl_delay());
        host.robots = RobotsState::Known(robots, row.at);
        self.offer(asker);
        sitemaps
    }

    /// A host's robots.txt could not be had: it will be asked for again when the host is next contacted.
    pub(super) fn forget_robots(&mut self, asker: HostId) {
        self.hosts[asker.index()].robots = RobotsState::Unknown;
    }

    /// Takes all pages out of a host's queue.
    pub(super) fn drain(&mut self, id: HostId) -> Vec<Assignment> {
        let host = &mut self.hosts[id.index()];
        let (mut pages, mut rest) = (Vec::new(), VecDeque::new());
        for errand in host.queue.drain(..) {
            match errand {
                Errand::Page(page) => pages.push(*page),
                robots => rest.push_back(robots),
            }
        }
        host.queue = rest;
        pages
    }

    /// How long a host is left alone from now on, if that is longer than its usual delay.
    pub(super) fn blocked_until(&self, id: HostId) -> Time {
        self.hosts[id.index()].politeness.blocked_until()
    }

    /// The host as the store keeps it, without its robots.txt, which the store keeps as it was unless told.
    pub(super) fn row(&self, id: HostId) -> HostRow {
        let host = &self.hosts[id.index()];
        HostRow {
            id,
            name: host.name.clone(),
            robots: None,
            last_contact: host.politeness.last_contact(),
            blocked_until: host.politeness.blocked_until(),
            pause: host.politeness.pause(),
        }
    }

    /// Every host's number.
    pub(super) fn ids(&self) -> impl Iterator<Item = HostId> + use<> {
        (0..self.hosts.len() as u32).map(HostId)
    }
}

impl Host {
    fn new(name: String, politeness: Politeness) -> Host {
        Host { name, politeness, robots: RobotsState::Unknown, queue: VecDeque::new(), in_heap: false, pages: 0 }
    }
}

fn rules(row: &RobotsRow, agent: &str) -> Robots {
    Robots::from_response(row.status, &row.body, agent)
}

/// Scheme, host and port: what a robots.txt speaks for.
fn origin(url: &Url) -> &str {
    &url[..Position::BeforePath]
}

/// The host's name in an origin.
fn host_name(origin: &str) -> &str {
    let authority = origin.split_once("://").map_or(origin, |(_, authority)| authority);
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    }
}
