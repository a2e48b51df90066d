//! The hosts: who may be contacted next, with what errand, under which robots.txt.
//!
//! Each host has a queue of errands; a heap knows which host is ready first. Politeness is owed to the server behind a name,
//! whether it is asked by `http` or `https`, and within limits to the [machine](machines) that many servers may share; a
//! robots.txt speaks for one scheme of a name. The errand of a page waits until the host's robots.txt is known. A robots.txt
//! that redirects is an errand to the host it redirects to.

mod machines;
mod name;
mod queue;
mod robots;
mod rules;
mod table;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::net::IpAddr;

use revisit::{HostId, PageId, Politeness, Signal, Span, Time};
use url::Url;

use super::gather::HostRules;
use super::under_way::Who;
use super::visit::Assignment;
use crate::parse::scope;
use crate::settings::Settings;
use crate::store::HostRow;
use machines::{MachineId, Machines};
use name::{authority, domain_of, host_name, origin};
use queue::Queue;
use robots::parsed;
use rules::{Held, RobotsState};
use table::Table;

/// A host that wants to be left alone for longer gets its pages taken back, so that they wait in nobody's way.
pub(super) const PATIENCE: Span = Span::from_secs(30);

/// Pages that may wait in the queue of a host, for each of its connections.
const FEWEST_PLACES: f64 = 2.0;
const MOST_PLACES: f64 = 64.0;

/// Something to do at a host.
#[derive(Debug)]
pub(super) enum Errand {
    /// Visit a page.
    Page(Box<Assignment>),
    /// Fetch the robots.txt of `asker`, which may be another host.
    Robots { asker: HostId, url: Url, hops: u8 },
}

impl Errand {
    /// Whose it is.
    pub(super) fn who(&self) -> Who {
        match self {
            Errand::Page(page) => Who::Page(page.page),
            Errand::Robots { asker, .. } => Who::Robots(*asker),
        }
    }
}

/// An exchange with a host, or several in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contact {
    pub(super) host: HostId,
    pub(super) begun: Time,
}

/// What to do now.
pub(super) enum Next {
    /// Contact the host; its politeness has been told.
    Contact(Contact, Errand),
    /// The host's robots.txt forbids the visit: nothing is contacted.
    Forbidden(Box<Assignment>),
    /// The rules of the host were dropped from memory: to be [brought back](Hosts::bring_rules) from the store first.
    Rules(HostId),
}

/// Where a robots.txt that redirects is asked for.
pub(super) enum Redirected {
    /// At this host, which may be new.
    To(HostId),
    /// Nowhere: too many others keep theirs at this host.
    Crowded(HostId),
    /// Nowhere: it was sent around too often.
    TooOften,
}

/// Whose turn it is: a host's, or that of the first host that waits for a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    Host(HostId),
    Machine(MachineId),
}

/// A scheme, name and port: what a robots.txt speaks for.
struct Host {
    id: HostId,
    name: String,
    server: usize,
    robots: RobotsState,
    /// What its robots.txt asked for when it was last read.
    crawl_delay: Option<Span>,
    queue: Queue,
    /// Whether it is in the heap, or waits for its machine.
    in_heap: bool,
    pages: u32,
}

/// What answers under a name, for `http` and `https` alike: what politeness is owed to.
struct Server {
    politeness: Politeness,
    hosts: Vec<HostId>,
    machine: MachineId,
    /// Exchanges under way.
    open: u32,
    /// Whether it takes long to answer these days.
    is_slow: bool,
}

/// All hosts.
pub(super) struct Hosts {
    hosts: Table,
    servers: Vec<Server>,
    server_by_authority: HashMap<String, usize>,
    by_name: HashMap<String, HostId>,
    /// Servers by registrable domain.
    domains: HashMap<String, u32>,
    machines: Machines,
    held: Held,
    heap: BinaryHeap<Reverse<(Time, Turn)>>,
    robots_cache: Span,
    agent: String,
    contacted: Time,
    now: Time,
}

impl Hosts {
    /// No hosts yet. Any host may have been contacted until `contacted`, whatever the store says.
    pub(super) fn new(settings: &Settings, contacted: Time, now: Time) -> Hosts {
        Hosts {
            hosts: Table::default(),
            servers: Vec::new(),
            server_by_authority: HashMap::new(),
            by_name: HashMap::new(),
            domains: HashMap::new(),
            machines: Machines::new(settings.hosts_per_address),
            held: Held::default(),
            heap: BinaryHeap::new(),
            robots_cache: settings.robots_cache,
            agent: settings.fetch.user_agent.clone(),
            contacted,
            now,
        }
    }

    /// Takes in a host from the store.
    pub(super) fn restore(&mut self, row: HostRow, settings: &Settings) {
        let id = row.id;
        self.add(id, row.name, settings);
        let server = self.hosts[id].server;
        let manners = settings.manners(host_name(&self.hosts[id].name));
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
            self.know(id, parsed(stored, &self.agent), stored.at);
        }
        self.settle_delay(server);
    }

    /// A server is asked no faster than the strictest robots.txt under its name allows.
    fn settle_delay(&mut self, server: usize) {
        let server = &mut self.servers[server];
        let asked = server.hosts.iter().filter_map(|host| self.hosts[*host].crawl_delay).max();
        server.politeness.set_crawl_delay(asked);
    }

    /// Numbers below this one were given before.
    pub(super) fn begin_at(&mut self, next: u32) {
        self.hosts.begin_at(next);
    }

    /// Whether a host is known.
    pub(super) fn contains(&self, host: HostId) -> bool {
        self.hosts.contains(host)
    }

    fn add(&mut self, id: HostId, name: String, settings: &Settings) {
        let server = *self.server_by_authority.entry(authority(&name).to_owned()).or_insert(self.servers.len());
        if server == self.servers.len() {
            let manners = settings.manners(host_name(&name));
            let politeness = Politeness::restore(manners, self.contacted, Time::MIN, Span::ZERO, self.now);
            let domain = domain_of(&name);
            *self.domains.entry(domain.clone()).or_default() += 1;
            let machine = self.machines.of_domain(&domain);
            self.servers.push(Server { politeness, hosts: Vec::new(), machine, open: 0, is_slow: false });
        }
        self.servers[server].hosts.push(id);
        self.by_name.insert(name.clone(), id);
        self.hosts.add(Host::new(id, name, server));
    }

    fn politeness(&self, host: HostId) -> &Politeness {
        &self.servers[self.hosts[host].server].politeness
    }

    /// The host that serves a URL, and whether it is new.
    pub(super) fn of(&mut self, url: &Url, settings: &Settings) -> (HostId, bool) {
        let name = origin(url);
        match self.by_name.get(name) {
            Some(&id) => (id, false),
            None => {
                let id = self.hosts.next();
                self.add(id, name.to_owned(), settings);
                (id, true)
            }
        }
    }

    /// Whether a URL is on a host that is known, or may become so: a registrable domain has at most so many servers.
    pub(super) fn has_place_for(&self, url: &Url, most: u32) -> bool {
        let name = origin(url);
        self.by_name.contains_key(name)
            || self.server_by_authority.contains_key(authority(name))
            || self.domains.get(scope::domain(url)).is_none_or(|servers| *servers < most)
    }

    /// One page more is kept of a host; false if it has `most` already.
    pub(super) fn admit_page(&mut self, host: HostId, most: u32) -> bool {
        let host = &mut self.hosts[host];
        let admitted = host.pages < most;
        host.pages += u32::from(admitted);
        admitted
    }

    /// Queues the visit of a page.
    pub(super) fn queue_page(&mut self, assignment: Assignment) {
        let host = assignment.host;
        self.hosts[host].queue.push(assignment);
        self.offer(host);
    }

    /// Queues the visit of a page before all others of its host.
    pub(super) fn queue_page_first(&mut self, assignment: Assignment) {
        let host = assignment.host;
        self.hosts[host].queue.push_first(assignment);
        self.offer(host);
    }

    /// Takes a page out of its host's queue, if it is there.
    pub(super) fn take_back(&mut self, host: HostId, page: PageId) -> Option<Assignment> {
        self.hosts[host].queue.take_back(page)
    }

    /// Takes the last page out of a host's queue, if there is one.
    pub(super) fn take_last(&mut self, host: HostId) -> Option<Assignment> {
        self.hosts[host].queue.take_last()
    }

    /// How many pages of a host may wait in its queue: some seconds' work, so that slow hosts do not crowd out fast ones.
    pub(super) fn places(&self, host: HostId) -> u32 {
        let Server { politeness, is_slow, .. } = &self.servers[self.hosts[host].server];
        let delay = politeness.delay().as_secs().max(0.001);
        let most = if *is_slow { FEWEST_PLACES } else { MOST_PLACES };
        (10.0 / delay).clamp(FEWEST_PLACES, most) as u32 * politeness.connections()
    }

    /// Takes note of whether a host takes long to answer; says whether that is news.
    pub(super) fn set_slow(&mut self, host: HostId, is_slow: bool) -> bool {
        let server = &mut self.servers[self.hosts[host].server];
        std::mem::replace(&mut server.is_slow, is_slow) != is_slow
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
        let host = &mut self.hosts[id];
        if host.in_heap || !host.queue.has_work(matches!(host.robots, RobotsState::Asked)) {
            return;
        }
        if let Some(ready) = ready {
            self.heap.push(Reverse((ready, Turn::Host(id))));
            host.in_heap = true;
        }
    }

    /// Puts a machine that hosts wait for into the heap, once, unless it has no room before an exchange ends.
    fn offer_machine(&mut self, id: MachineId) {
        let Some(first) = self.machines.first_waiting(id) else { return };
        if let Some(ready) = self.machines.ready_at(id, self.politeness(first)) {
            self.heap.push(Reverse((ready, Turn::Machine(self.machines.real(id)))));
            self.machines.set_in_heap(id);
        }
    }

    /// When the next host is ready; `None` if no host has anything to do.
    pub(super) fn next_ready(&self) -> Option<Time> {
        self.heap.peek().map(|Reverse((ready, _))| *ready)
    }

    /// What can be done now, if anything.
    pub(super) fn next(&mut self, now: Time) -> Option<Next> {
        while let Some(&Reverse((ready, turn))) = self.heap.peek() {
            if ready > now {
                return None;
            }
            self.heap.pop();
            let id = match turn {
                Turn::Host(id) => Some(id),
                Turn::Machine(machine) => self.machines.take_turn(machine),
            };
            let next = id.and_then(|id| self.next_of(id, now));
            if let Turn::Machine(machine) = turn {
                self.offer_machine(machine);
            }
            if next.is_some() {
                return next;
            }
        }
        None
    }

    fn next_of(&mut self, id: HostId, now: Time) -> Option<Next> {
        let server = self.hosts[id].server;
        let Server { politeness, machine, .. } = &self.servers[server];
        let (machine, later) = (*machine, |ready: Option<Time>| ready.is_none_or(|ready| ready > now));
        let (too_early, crowded) = (later(politeness.ready_at()), later(self.machines.ready_at(machine, politeness)));
        if !too_early && crowded {
            self.machines.wait(machine, id);
            self.offer_machine(machine);
            return None;
        }
        self.hosts[id].in_heap = false;
        let next = if too_early { None } else { self.errand_of(id, now) };
        if let Some(Next::Contact(..)) = next {
            self.servers[server].politeness.begin(now);
            self.servers[server].open += 1;
            self.machines.begin(machine, now);
        }
        self.offer(id);
        next
    }

    fn errand_of(&mut self, id: HostId, now: Time) -> Option<Next> {
        let (cache, host) = (self.robots_cache, &mut self.hosts[id]);
        let contact = Contact { host: id, begun: now };
        if let Some(robots) = host.queue.take_robots(matches!(host.robots, RobotsState::Asked)) {
            return Some(Next::Contact(contact, robots));
        }
        let page = host.queue.page()?;
        // What a clock that was ahead put into the future is as good as old.
        let is_current = |at: Time| (Span::ZERO..cache).contains(&(now - at));
        match &host.robots {
            RobotsState::Known(at, None) if is_current(*at) => Some(Next::Rules(id)),
            RobotsState::Known(at, Some(robots)) if is_current(*at) => {
                let allowed = robots.allows(&page.url);
                let mut page = host.queue.take_page()?;
                if !allowed {
                    return Some(Next::Forbidden(page));
                }
                let delay = self.servers[host.server].politeness.delay();
                page.host_rules = Some(Box::new(HostRules { delay, robots: robots.clone() }));
                Some(Next::Contact(contact, Errand::Page(page)))
            }
            RobotsState::Asked => None,
            RobotsState::Known(..) | RobotsState::Unknown => {
                let url = page.url.join("/robots.txt").ok()?;
                self.drop_rules(id);
                self.hosts[id].robots = RobotsState::Asked;
                Some(Next::Contact(contact, Errand::Robots { asker: id, url, hops: 0 }))
            }
        }
    }

    /// The clock was set forward by so much: nobody has waited for as long as it seems.
    pub(super) fn postpone(&mut self, by: Span) {
        self.servers.iter_mut().for_each(|server| server.politeness.postpone(by));
        self.machines.postpone(by);
        let turns = std::mem::take(&mut self.heap).into_iter();
        self.heap = turns.map(|Reverse((ready, turn))| Reverse((ready + by, turn))).collect();
    }

    /// A contact with a host ended, with who answered if anybody did.
    pub(super) fn end(&mut self, contact: Contact, now: Time, signal: Signal, address: Option<IpAddr>) {
        let index = self.hosts[contact.host].server;
        let server = &mut self.servers[index];
        server.politeness.end(contact.begun, now, signal);
        server.open = server.open.saturating_sub(1);
        let (before, open) = (server.machine, server.open);
        self.machines.end(before);
        if let Some(address) = address {
            self.servers[index].machine = self.machines.settle(before, address, open);
        }
        for host in 0..self.servers[index].hosts.len() {
            self.offer(self.servers[index].hosts[host]);
        }
        self.offer_machine(before);
        self.offer_machine(self.servers[index].machine);
    }

    /// Takes all pages out of a host's queue.
    pub(super) fn drain(&mut self, id: HostId) -> Vec<Assignment> {
        self.hosts[id].queue.drain_pages()
    }

    /// How long a host is left alone from now on, if that is longer than its usual delay.
    pub(super) fn blocked_until(&self, id: HostId) -> Time {
        self.politeness(id).blocked_until()
    }

    /// How long a host is left alone between two contacts.
    pub(super) fn delay(&self, id: HostId) -> Span {
        self.politeness(id).delay()
    }

    /// The host as the store keeps it, without its robots.txt, which the store keeps as it was unless told.
    pub(super) fn row(&self, id: HostId) -> HostRow {
        let politeness = self.politeness(id);
        HostRow {
            id,
            name: self.hosts[id].name.clone(),
            robots: None,
            last_contact: politeness.last_contact(),
            blocked_until: politeness.blocked_until(),
            pause: politeness.pause(),
        }
    }

    /// Every host's number.
    pub(super) fn ids(&self) -> impl Iterator<Item = HostId> + use<> {
        self.hosts.ids().into_iter()
    }
}

impl Host {
    fn new(id: HostId, name: String, server: usize) -> Host {
        let (robots, queue) = (RobotsState::Unknown, Queue::default());
        Host { id, name, server, robots, crawl_delay: None, queue, in_heap: false, pages: 0 }
    }
}
