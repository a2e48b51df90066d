//! The hosts: who may be contacted next, with what errand, under which robots.txt.
//!
//! Each host has a queue of errands; a heap knows which host is ready first. Politeness is owed to the server behind a name,
//! whether it is asked by `http` or `https`; a robots.txt speaks for one of the two. The errand of a page waits until the
//! host's robots.txt is known. A robots.txt that redirects is an errand to the host it redirects to.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use revisit::{HostId, Politeness, Signal, Span, Time};
use url::{Position, Url};

use super::gather::HostRules;
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

/// A scheme, name and port: what a robots.txt speaks for.
struct Host {
    name: String,
    server: usize,
    robots: RobotsState,
    /// What its robots.txt asked for when it was last read.
    crawl_delay: Option<Span>,
    queue: VecDeque<Errand>,
    in_heap: bool,
    pages: u32,
}

enum RobotsState {
    Unknown,
    Asked,
    Known(Robots, Time),
}

/// What answers under a name, for `http` and `https` alike: what politeness is owed to.
struct Server {
    politeness: Politeness,
    hosts: Vec<HostId>,
}

/// All hosts.
pub(super) struct Hosts {
    hosts: Vec<Host>,
    servers: Vec<Server>,
    server_by_authority: HashMap<String, usize>,
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
            servers: Vec::new(),
            server_by_authority: HashMap::new(),
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
        let id = self.push(row.name, settings);
        let server = self.hosts[id.index()].server;
        let manners = settings.manners(host_name(&self.hosts[id.index()].name));
        let politeness = &mut self.servers[server].politeness;
        // The other scheme of the same server may have been taken in before: the later times count.
        *politeness = Politeness::restore(
            manners,
            row.last_contact.max(politeness.last_contact()),
            row.blocked_until.max(politeness.blocked_until()),
            row.pause.max(politeness.pause()),
            self.now,
        );
        if let Some(stored) = &row.robots {
            let robots = rules(stored, &self.agent);
            self.know(id, robots, stored.at);
        }
        self.settle_delay(server);
    }

    fn know(&mut self, id: HostId, robots: Robots, at: Time) {
        let host = &mut self.hosts[id.index()];
        host.crawl_delay = robots.crawl_delay();
        host.robots = RobotsState::Known(robots, at);
    }

    /// A server is asked no faster than the strictest robots.txt under its name allows.
    fn settle_delay(&mut self, server: usize) {
        let server = &mut self.servers[server];
        let asked = server.hosts.iter().filter_map(|host| self.hosts[host.index()].crawl_delay).max();
        server.politeness.set_crawl_delay(asked);
    }

    fn push(&mut self, name: String, settings: &Settings) -> HostId {
        let id = HostId(self.hosts.len() as u32);
        let authority = name.split_once("://").map_or(name.as_str(), |(_, authority)| authority).to_owned();
        let server = *self.server_by_authority.entry(authority).or_insert(self.servers.len());
        if server == self.servers.len() {
            let manners = settings.manners(host_name(&name));
            let politeness = Politeness::restore(manners, self.contacted, Time::MIN, Span::ZERO, self.now);
            self.servers.push(Server { politeness, hosts: Vec::new() });
        }
        self.servers[server].hosts.push(id);
        self.by_name.insert(name.clone(), id);
        self.hosts.push(Host::new(name, server));
        id
    }

    fn politeness(&self, host: HostId) -> &Politeness {
        &self.servers[self.hosts[host.index()].server].politeness
    }

    fn politeness_mut(&mut self, host: HostId) -> &mut Politeness {
        &mut self.servers[self.hosts[host.index()].server].politeness
    }

    /// The host that serves a URL, and whether it is new.
    pub(super) fn of(&mut self, url: &Url, settings: &Settings) -> (HostId, bool) {
        let name = origin(url);
        match self.by_name.get(name) {
            Some(&id) => (id, false),
            None => (self.push(name.to_owned(), settings), true),
        }
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
        let politeness = self.politeness(host);
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
        let ready = self.politeness(id).ready_at();
        let host = &mut self.hosts[id.index()];
        let waits_for_robots =
            matches!(host.robots, RobotsState::Asked) && matches!(host.queue.front(), Some(Errand::Page(_)));
        if host.in_heap || host.queue.is_empty() || waits_for_robots {
            return;
        }
        if let Some(ready) = ready {
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
        if self.politeness(id).ready_at().is_none_or(|ready| ready > now) {
            return None;
        }
        let next = self.errand_of(id, now);
        if let Some(Next::Contact(..)) = next {
            self.politeness_mut(id).begin(now);
        }
        next
    }

    fn errand_of(&mut self, id: HostId, now: Time) -> Option<Next> {
        let (cache, host) = (self.robots_cache, &mut self.hosts[id.index()]);
        let Some(Errand::Page(page)) = host.queue.front() else {
            return Some(Next::Contact(id, host.queue.pop_front()?));
        };
        match &host.robots {
            RobotsState::Known(robots, at) if now - *at < cache => {
                let allowed = robots.allows(&page.url);
                match host.queue.pop_front()? {
                    Errand::Page(page) if !allowed => Some(Next::Forbidden(page)),
                    Errand::Page(mut page) if page.source.is_some() => {
                        let delay = self.servers[host.server].politeness.delay();
                        page.host_rules = Some(Box::new(HostRules { delay, robots: robots.clone().into() }));
                        Some(Next::Contact(id, Errand::Page(page)))
                    }
                    errand => Some(Next::Contact(id, errand)),
                }
            }
            RobotsState::Asked => None,
            RobotsState::Known(..) | RobotsState::Unknown => {
                let url = page.url.join("/robots.txt").ok()?;
                host.robots = RobotsState::Asked;
                Some(Next::Contact(id, Errand::Robots { asker: id, url, hops: 0 }))
            }
        }
    }

    /// An exchange with a host ended.
    pub(super) fn end(&mut self, id: HostId, now: Time, signal: Signal) {
        self.politeness_mut(id).end(now, signal);
        let server = self.hosts[id.index()].server;
        for index in 0..self.servers[server].hosts.len() {
            self.offer(self.servers[server].hosts[index]);
        }
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
        self.know(asker, robots, row.at);
        self.settle_delay(self.hosts[asker.index()].server);
        self.offer(asker);
        sitemaps
    }

    /// A host's robots.txt could not be had: it will be asked for again when the host is next contacted.
    pub(super) fn forget_robots(&mut self, asker: HostId) {
        self.hosts[asker.index()].robots = RobotsState::Unknown;
    }

    /// Takes what other hosts ask of this one out of its queue: the hosts whose robots.txt it keeps.
    pub(super) fn drain_askers(&mut self, id: HostId) -> Vec<HostId> {
        let mut askers = Vec::new();
        self.hosts[id.index()].queue.retain(|errand| match errand {
            Errand::Robots { asker, .. } if *asker != id => {
                askers.push(*asker);
                false
            }
            _ => true,
        });
        askers
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
        self.politeness(id).blocked_until()
    }

    /// The host as the store keeps it, without its robots.txt, which the store keeps as it was unless told.
    pub(super) fn row(&self, id: HostId) -> HostRow {
        let politeness = self.politeness(id);
        HostRow {
            id,
            name: self.hosts[id.index()].name.clone(),
            robots: None,
            last_contact: politeness.last_contact(),
            blocked_until: politeness.blocked_until(),
            pause: politeness.pause(),
        }
    }

    /// Every host's number.
    pub(super) fn ids(&self) -> impl Iterator<Item = HostId> + use<> {
        (0..self.hosts.len() as u32).map(HostId)
    }
}

impl Host {
    fn new(name: String, server: usize) -> Host {
        let (robots, queue) = (RobotsState::Unknown, VecDeque::new());
        Host { name, server, robots, crawl_delay: None, queue, in_heap: false, pages: 0 }
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

#[cfg(test)]
mod tests {
    use revisit::PageId;

    use super::*;
    use crate::config::Config;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn both_schemes_of_a_name_share_its_politeness() {
        let settings = Settings::resolve(Config::default()).unwrap();
        let (now, later) = (Time::from_secs(100), Time::from_secs(102));
        let mut hosts = Hosts::new(&settings, Time::MIN, now);
        let plain = hosts.of(&url("http://a.test/x"), &settings).0;
        let secure = hosts.of(&url("https://a.test/"), &settings).0;
        let other = hosts.of(&url("http://a.test:8080/"), &settings).0;
        assert!(plain != secure && secure != other);
        for (host, text) in [(plain, "http://a.test/x"), (secure, "https://a.test/"), (other, "http://a.test:8080/")] {
            hosts.queue_page(Assignment::to(PageId(host.0), host, url(text)));
        }
        let contacted = |hosts: &mut Hosts, now| {
            std::iter::from_fn(|| match hosts.next(now) {
                Some(Next::Contact(host, _)) => Some(host),
                _ => None,
            })
            .collect::<Vec<_>>()
        };
        assert_eq!(contacted(&mut hosts, now), [plain, other], "one of the two schemes, and another port");
        hosts.end(plain, now, Signal::Fine);
        assert_eq!(contacted(&mut hosts, now), [], "the delay is owed to the server");
        assert_eq!(contacted(&mut hosts, later), [secure]);
    }

    fn row(id: u32, name: &str, robots: Option<&str>) -> HostRow {
        let robots = robots.map(|text| RobotsRow { status: 200, body: text.into(), at: Time::from_secs(1) });
        let (last_contact, blocked_until) = (Time::MIN, Time::MIN);
        HostRow { id: HostId(id), name: name.into(), robots, last_contact, blocked_until, pause: Span::ZERO }
    }

    #[test]
    fn a_server_keeps_the_strictest_delay_of_its_names() {
        let settings = Settings::resolve(Config::default()).unwrap();
        let patient = "User-agent: *\nCrawl-delay: 10";
        let delays = |rows: &[HostRow]| {
            let mut hosts = Hosts::new(&settings, Time::MIN, Time::from_secs(100));
            rows.iter().for_each(|row| hosts.restore(row.clone(), &settings));
            hosts
        };
        let rows = [row(0, "http://a.test", Some(patient)), row(1, "https://a.test", Some("User-agent: *"))];
        let unasked = [rows[0].clone(), row(1, "https://a.test", None)];
        for rows in [&rows, &unasked] {
            let mut hosts = delays(rows);
            assert_eq!(hosts.politeness(HostId(1)).delay(), Span::from_secs(10), "restored");
            let fetched = |text: &str| RobotsRow { status: 200, body: text.into(), at: Time::from_secs(100) };
            hosts.set_robots(HostId(1), &fetched("User-agent: *\nCrawl-delay: 3"));
            assert_eq!(hosts.politeness(HostId(0)).delay(), Span::from_secs(10), "the other scheme asks for less");
            hosts.set_robots(HostId(0), &fetched(""));
            assert_eq!(hosts.politeness(HostId(0)).delay(), Span::from_secs(3), "it asks for nothing any more");
        }
    }
}
