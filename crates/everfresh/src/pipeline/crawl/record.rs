//! Archive, record, learn: what tasks found goes to the writer, and what the writer made durable comes back.

use std::net::IpAddr;

use revisit::{HostId, Outcome, PageId, PageOrder, Signal, Time, Visit};

use super::places::LONGEST;
use super::{Crawl, Done};
use crate::parse::scope::Refusal;
use crate::parse::{LeftOut, normalise};
use crate::pipeline::addresses::fingerprint;
use crate::pipeline::checkpoint::Extent;
use crate::pipeline::hosts::{Contact, PATIENCE, Redirected};
use crate::pipeline::inbox::News;
use crate::pipeline::memory::learn;
use crate::pipeline::under_way::Who;
use crate::pipeline::visit::{Assignment, BrokenOff, FetchedRobots, Finished, Found, RobotsAnswer};
use crate::pipeline::writer::{Acknowledged, Entry, Order};
use crate::rule::Rule;
use crate::store::{Event, FoundAs, HintsRow, HostRow, LinksRow, PageEntry, PageRow, SourceRow};

/// How much of what a visit has to say is kept: hosts have a word in it.
const DETAIL_CHARACTERS: usize = 500;

/// What came of the pages that a visit found.
pub(super) struct Met {
    /// Pages nobody knew.
    pages: Vec<PageRow>,
    /// Hosts nobody knew.
    hosts: Vec<HostRow>,
    /// All pages found, those nobody knew among them.
    targets: Vec<PageId>,
    /// What a list says of them.
    hints: Vec<(PageId, Time)>,
    /// Those of them that are sources from now on.
    sources: Vec<SourceRow>,
    /// Those for which there is no place.
    left_out: LeftOut,
}

impl Crawl {
    /// Takes in what happened, and learns what is durable.
    pub(in crate::pipeline) fn take_in_all(&mut self, news: News) {
        // One after the other, as they will be told again at the next start.
        news.acknowledged.into_iter().for_each(|batch| self.learn(batch));
        news.done.into_iter().for_each(|done| self.take_in_in_turn(done));
    }

    /// Archive and record: hands what a task found to the writer.
    pub(super) fn take_in(&mut self, done: Done) {
        let who = done.who();
        let is_survived = match done {
            Done::Died { .. } => false,
            // Nobody knows what a suspect would have done.
            Done::BrokenOff { .. } | Done::GaveWay { .. } => !self.under_way.suspects(who),
            _ => true,
        };
        match done {
            Done::Answered { contacted, who, signal, address, requests } => {
                return self.take_answer(contacted, who, signal, address, requests);
            }
            Done::Visit { contacted, finished } => {
                let (signal, address) = (finished.signal, finished.address);
                self.expect(who, finished.visit.requests.saturating_sub(1));
                let finished = self.unless_in_circles(*finished);
                self.record(finished);
                self.end_errand(contacted, who, signal, address)
            }
            Done::Robots { contacted, asker, hops, fetched: FetchedRobots { answer, signal, address } } => {
                // In this order: a page that waits for a robots.txt out of reach fails, before a pause takes all back.
                self.take_robots(asker, hops, answer);
                self.end_errand(contacted, who, signal, address)
            }
            Done::GivenBack { contacted, broken_off: BrokenOff { page, requests, needs } } => {
                self.expect(who, requests.saturating_sub(1));
                let further = self.memory.scheduler.unforeseen(page.page, requests.saturating_sub(1) as usize);
                self.memory.scheduler.expect_no_more(further);
                self.give_back(*page, needs);
                self.charge(requests);
                self.end_errand(contacted, who, Signal::Fine, None)
            }
            Done::GaveWay { contacted, who } if !self.under_way.suspects(who) => {
                let detail =
                    format!("it took longer than {LONGEST}, and others waited for its place (fetch.concurrency)");
                self.take_failed(contacted, who, Rule::GaveWay, detail);
                self.end_errand(contacted, who, Signal::Trouble, None)
            }
            // A suspect has another turn later.
            Done::BrokenOff { contacted, who } | Done::GaveWay { contacted, who } => {
                match who {
                    Who::Page(page) => {
                        self.release(page);
                        self.charge(1);
                        self.picks.look_again();
                    }
                    Who::Robots(asker) => self.memory.hosts.forget_robots(asker),
                }
                self.end_errand(contacted, who, Signal::Fine, None)
            }
            Done::Lost { contacted, who } => {
                let detail = "this page made everfresh fail within; please report it".to_owned();
                self.take_failed(contacted, who, Rule::Crashed, detail);
                self.end_errand(contacted, who, Signal::Fine, None)
            }
            Done::Died { contacted, who, reason } => {
                let detail =
                    format!("it was under way when a crawl was killed, and tried apart it failed again: {reason}");
                self.take_failed(contacted, who, Rule::Crashed, detail);
                self.end_errand(contacted, who, Signal::Fine, None)
            }
        }
        if is_survived {
            self.under_way.end(who);
        }
        if let Who::Robots(_) = who {
            self.end_turn(who);
            self.pay(1);
        }
    }

    /// A visit, failed if its page redirects to one that leads back to it. A visit that failed says nothing of where a page leads.
    fn unless_in_circles(&mut self, finished: Finished) -> Finished {
        let Visit { page, outcome, .. } = finished.visit.visit;
        if outcome == Outcome::Failed {
            return finished;
        }
        let from = self.memory.addresses.fingerprint(page);
        let Some(target) = finished.copy.as_ref().and_then(|copy| copy.moved_to.clone()) else {
            self.redirects.end(from);
            return finished;
        };
        match self.redirects.leads_back(from, fingerprint(&target)) {
            true => finished.into_failed(Rule::RedirectLoop, format!("redirects to {target}, which leads back here")),
            false => finished,
        }
    }

    /// A task did not come to its end: its visit failed.
    fn take_failed(&mut self, contacted: Contact, who: Who, rule: Rule, detail: String) {
        match who {
            Who::Page(page) => {
                let failed = Finished::without_answer(contacted.host, page, self.clock.now(), rule, detail);
                self.record(failed);
            }
            Who::Robots(asker) => self.refuse_host(asker, rule, &detail),
        }
    }

    /// An errand is done, and with it the contact, unless that was over before.
    fn end_errand(&mut self, contact: Contact, who: Who, signal: Signal, address: Option<IpAddr>) {
        if !self.answered.remove(&who) {
            self.give_place_back(contact, who);
            self.end_contact(contact, signal, address);
        }
    }

    /// A contact with a host is over. If the host wants to be left alone for long, its pages go back.
    pub(super) fn end_contact(&mut self, contact: Contact, signal: Signal, address: Option<IpAddr>) {
        let (host, now) = (contact.host, self.clock.now());
        self.memory.hosts.end(contact, now, signal, address);
        let until = self.memory.hosts.blocked_until(host);
        if signal == Signal::Fine || until <= now {
            return;
        }
        if self.memory.hosts.is_blocked(host, now) {
            self.memory.scheduler.pause_host(host, until);
            for page in self.memory.hosts.drain(host) {
                self.release(page.page);
            }
            self.refuse_askers(host);
        }
        let hosts = vec![self.memory.hosts.row(host)];
        self.order(Order::Record(Box::new(Entry { hosts, ..Entry::default() })));
    }

    pub(super) fn take_robots(&mut self, asker: HostId, hops: u8, answer: RobotsAnswer) {
        let now = self.clock.now();
        let (mut sitemaps, mut keeper, mut fetched) = (Vec::new(), None, None);
        match answer {
            RobotsAnswer::Is(row) => {
                sitemaps = self.memory.hosts.set_robots(asker, &row);
                fetched = Some(row);
            }
            RobotsAnswer::MovedTo(target) => {
                match self.memory.hosts.redirect_robots(asker, target, hops, now, &self.context.settings) {
                    Redirected::To(host) => keeper = Some(host),
                    Redirected::Crowded(host) => {
                        return self.refuse_asker(asker, host, "where too many others keep theirs");
                    }
                    Redirected::TooOften => {}
                }
            }
            RobotsAnswer::OutOfReach { rule, detail } => return self.refuse_host(asker, rule, &detail),
        }
        if let Some(keeper) = keeper.filter(|keeper| self.memory.hosts.is_blocked(*keeper, now)) {
            self.refuse_askers(keeper);
        }
        self.memory.limit(asker);
        let mut refused = LeftOut::default();
        let found = sitemaps.into_iter().filter_map(|url| {
            let url = normalise::normalise(url).ok()?;
            self.context.admit(url, FoundAs::Sitemap, 0, 0, now, &mut refused)
        });
        let found: Vec<Found> = found.collect();
        let Met { pages, mut hosts, mut left_out, .. } = self.meet(found, None, now);
        left_out.join(refused);
        hosts.extend(keeper.map(|host| self.memory.hosts.row(host)));
        hosts.push(HostRow { robots: fetched, ..self.memory.hosts.row(asker) });
        self.order(Order::Record(Box::new(Entry { pages, hosts, left_out, ..Entry::default() })))
    }

    /// A host wants to be left alone for long, so those whose robots.txt it keeps cannot have theirs.
    fn refuse_askers(&mut self, keeper: HostId) {
        for asker in self.memory.hosts.drain_askers(keeper) {
            self.refuse_asker(asker, keeper, "which wants to be left alone");
        }
    }

    /// A host cannot have its robots.txt, for a reason of the one that keeps it.
    fn refuse_asker(&mut self, asker: HostId, keeper: HostId, why: &str) {
        let detail = format!("its robots.txt is on {}, {why}", self.memory.hosts.row(keeper).name);
        self.refuse_host(asker, Rule::RobotsUnreachable, &detail);
    }

    /// Requests were made that no visit tells of.
    fn charge(&mut self, requests: u32) {
        self.memory.scheduler.expect(requests as usize);
        self.pay(requests);
    }

    /// A robots.txt is paid for too: if nothing is left of the budget, by one of the visits that wait for it.
    pub(super) fn speak_for_robots(&mut self, asker: HostId) {
        if self.memory.scheduler.left() == 0
            && let Some(page) = self.memory.hosts.take_last(asker)
        {
            self.release(page.page);
        }
        self.memory.scheduler.expect(1);
    }

    /// Requests that are spoken for are paid when that is durable.
    fn pay(&mut self, requests: u32) {
        self.order(Order::Record(Box::new(Entry { charged: requests, ..Entry::default() })));
    }

    /// Without its robots.txt nothing of a host may be fetched: the first of its waiting pages fails and says why, the others go back.
    pub(super) fn refuse_host(&mut self, host: HostId, rule: Rule, detail: &str) {
        let now = self.clock.now();
        self.memory.hosts.forget_robots(host);
        let until = self.memory.hosts.blocked_until(host).max(now + PATIENCE);
        self.memory.scheduler.pause_host(host, until);
        let mut waiting = self.memory.hosts.drain(host).into_iter();
        if let Some(first) = waiting.next() {
            self.refuse(first, rule, detail.to_owned());
        }
        waiting.for_each(|page| self.release(page.page));
    }

    /// A page is not contacted, for a reason found before; that costs no fetch.
    pub(super) fn refuse(&mut self, page: Assignment, rule: Rule, detail: String) {
        self.record(page.refused(self.clock.now(), rule, detail));
    }

    pub(super) fn record(&mut self, mut finished: Finished) {
        if let Some(detail) = finished.visit.detail.as_mut()
            && let Some((end, _)) = detail.char_indices().nth(DETAIL_CHARACTERS)
        {
            detail.truncate(end);
        }
        let at = finished.visit.visit.at;
        let page = finished.visit.visit.page;
        if self.desk.end_visit(page) {
            finished.copy = None;
        }
        self.end_call(page);
        self.end_turn(Who::Page(page));
        let kind = finished.list;
        let leads_to = finished.found.iter().find(|found| found.found_as == FoundAs::Redirect);
        let leads_to = leads_to.map(|found| found.fingerprint);
        let Met { mut pages, hosts, targets, hints, sources, mut left_out } = self.meet(finished.found, Some(page), at);
        let orders = leads_to.and_then(|target| self.weigh_target(page, target, &mut pages)).into_iter().collect();
        left_out.join(finished.left_out);
        let hints = kind.map(|kind| HintsRow { list: page, kind, at, entries: hints });
        let links = finished.read.then(|| LinksRow::new(page, targets));
        let Finished { visit, records, copy, aside, features, space, .. } = finished;
        let entry = Entry {
            visit: Some(visit),
            records,
            copy,
            aside,
            features,
            links,
            pages,
            sources,
            hosts,
            hints,
            left_out,
            orders,
            space,
            ..Entry::default()
        };
        self.order(Order::Record(Box::new(entry)))
    }

    /// Where a page leads matters as much as it does: who weighed the page meant what is found there. What is to be ordered
    /// if the target was known before and matters less.
    fn weigh_target(&self, page: PageId, target: u64, found: &mut [PageRow]) -> Option<(PageId, PageOrder)> {
        let weighs = |page| self.memory.scheduler.pages().weight(page) as f32;
        let weight = weighs(page);
        if let Some(new) = found.iter_mut().find(|new| new.fingerprint == target) {
            new.weight = weight;
            return None;
        }
        let known =
            self.memory.addresses.find(target).filter(|known| self.memory.scheduler.pages().contains(*known))?;
        (weighs(known) < weight).then_some((known, PageOrder::Weigh(weight)))
    }

    /// The pages found, and those of them and of their hosts that nobody knew.
    pub(super) fn meet(&mut self, found: Vec<Found>, on: Option<PageId>, now: Time) -> Met {
        let settings = &self.context.settings;
        let (mut pages, mut hosts, mut targets) = (Vec::new(), Vec::new(), Vec::with_capacity(found.len()));
        let (mut hints, mut sources, mut left_out) = (Vec::new(), Vec::new(), LeftOut::default());
        // All at once: each look waits for memory, and so they wait together.
        let known: Vec<Option<PageId>> =
            found.iter().map(|page| self.memory.addresses.find(page.fingerprint)).collect();
        for (Found { url, fingerprint, found_as, depth, hops, modified, source }, known) in found.into_iter().zip(known)
        {
            // What was unknown may have been met since, a few links before.
            if let Some(page) = known.or_else(|| self.memory.addresses.find(fingerprint)) {
                targets.push(page);
                sources.extend(self.memory.describe(page, source));
                hints.extend(modified.map(|modified| (page, modified)));
                continue;
            }
            let most = if found_as == FoundAs::Seed { u32::MAX } else { settings.max_hosts_per_domain };
            if !self.memory.hosts.has_place_for(&url, most) {
                if self.tally.left_out == 0 {
                    tracing::warn!(
                        "left out {url}: more than {most} hosts of its domain (scope.max_hosts_per_domain); others like it are \
                         counted and not named"
                    );
                }
                self.tally.left_out += 1;
                left_out.count(Refusal::HostLimit, url.as_str());
                continue;
            }
            let (host, is_new) = self.memory.hosts.of(&url, settings);
            if is_new {
                hosts.push(self.memory.hosts.row(host));
                self.memory.limit(host);
            }
            if !self.memory.hosts.admit_page(host, settings.max_pages_per_host) {
                left_out.count(Refusal::PageLimit, url.as_str());
                continue;
            }
            let id = self.memory.addresses.meet(fingerprint);
            targets.push(id);
            sources.extend(self.memory.describe(id, source));
            hints.extend(modified.map(|modified| (id, modified)));
            let (url, found_on) = (url.into(), on);
            pages.push(PageRow {
                id,
                url,
                fingerprint,
                host,
                weight: 1.0,
                depth,
                hops,
                found_at: now,
                found_as,
                found_on,
            });
        }
        Met { pages, hosts, targets, hints, sources, left_out }
    }

    pub(super) fn order(&mut self, order: Order) {
        self.writer.order(order, self.clock.hold());
    }

    /// Begins a checkpoint of what was learned, if it is time for one.
    fn keep_up(&mut self) {
        let extent = Extent { batch: self.memory.batch, cycle: Some(self.cycle.id), now: self.clock.now() };
        let pages = self.memory.scheduler.pages().len();
        if self.keeper.begin(&self.context, extent, self.memory.untold, pages) {
            self.memory.untold = 0;
        }
    }

    /// Learn: what is durable now counts.
    fn learn(&mut self, acknowledged: Acknowledged) {
        self.memory.batch = acknowledged.batch;
        if acknowledged.is_empty() {
            return;
        }
        let scheduler = &mut self.memory.scheduler;
        for page in acknowledged.pages {
            learn(scheduler, &Event::Page(&PageEntry::from(page)));
        }
        acknowledged.links.iter().for_each(|row| learn(scheduler, &Event::Links(row)));
        acknowledged.hints.iter().for_each(|row| learn(scheduler, &Event::Hints(row)));
        acknowledged.features.iter().for_each(|row| learn(scheduler, &Event::Features(row)));
        acknowledged.weights.iter().for_each(|(page, weight)| learn(scheduler, &Event::Weight(*page, *weight)));
        acknowledged.orders.iter().for_each(|(page, order)| learn(scheduler, &Event::Order(*page, *order)));
        self.memory.untold += acknowledged.visits.len() as u64;
        scheduler.expect_no_more(acknowledged.charged as usize);
        learn(scheduler, &Event::Charged(acknowledged.charged));
        for told in &acknowledged.visits {
            let further = scheduler.unforeseen(told.visit.page, told.requests.saturating_sub(1) as usize);
            scheduler.expect_no_more(further);
            learn(scheduler, &Event::Visit(told));
            self.tally.outcomes.count(told.visit.outcome);
            self.cycle.outcomes.count(told.visit.outcome);
            self.picks.record();
        }
        self.picks.look_again();
        acknowledged.orders.into_iter().for_each(|(page, order)| self.obey(page, order));
        self.keep_up();
        acknowledged.confirmed.into_iter().for_each(|confirm| self.confirm(confirm));
    }
}
