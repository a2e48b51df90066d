//! What the crawl answers to [calls](crate::pipeline::calls), a little in every turn of its loop.

use std::collections::{HashMap, VecDeque};
use std::sync::PoisonError;

use revisit::{PageId, PageOrder, Rank, Ranking, Time};
use tokio::sync::oneshot;
use url::Url;

use super::Crawl;
use crate::pipeline::calls::{Asked, Call, Calls, ENDS, Reply};
use crate::pipeline::memory::Memory;
use crate::pipeline::seeds::{Added, Addition, NewPage, Register, Seeds, check_weight};
use crate::pipeline::state::{CycleState, Overview};
use crate::pipeline::writer::{Confirm, Entry, Order};
use crate::settings::Settings;
use crate::sources::Source;
use crate::store::StoreError;

/// Pages that are looked at in a turn for somebody who asks where one stands: some milliseconds.
const LOOKS_A_TURN: usize = 1 << 14;

/// What was asked and takes more than a turn.
#[derive(Default)]
pub(super) struct Desk {
    inquiries: VecDeque<Inquiry>,
    /// Orders that are not yet durable.
    unconfirmed: usize,
    /// Pages that are to be asked in another way than they were, and whether that is durable: what a visit brings that began
    /// before is no version to compare with.
    redescribed: HashMap<PageId, bool>,
}

/// Somebody asks where a page stands.
struct Inquiry {
    page: PageId,
    now: Time,
    ranking: Ranking,
    reply: oneshot::Sender<Reply>,
}

impl Desk {
    /// Whether there is something to do in every turn.
    pub(super) fn is_busy(&self) -> bool {
        !self.inquiries.is_empty()
    }

    /// Whether everybody has their answer.
    pub(super) fn is_done(&self) -> bool {
        self.inquiries.is_empty() && self.unconfirmed == 0
    }

    /// A visit ends; says whether it asked the page in a way that is over.
    pub(super) fn end_visit(&mut self, page: PageId) -> bool {
        let is_durable = self.redescribed.get(&page).copied();
        if is_durable == Some(true) {
            self.redescribed.remove(&page);
        }
        is_durable.is_some()
    }
}

impl Crawl {
    /// Answers the next call, and goes on with what takes long.
    pub(in crate::pipeline) fn answer(&mut self, calls: &mut Calls) {
        match calls.next() {
            // Who keeps asking would keep it from ending.
            Some(Asked { reply, .. }) if self.draining => _ = reply.send(Reply::Refused(ENDS.into())),
            Some(Asked { call: Call::Overview, reply }) => _ = reply.send(Reply::Overview(self.overview())),
            Some(Asked { call: Call::Page(page), reply }) => self.inquire(page, reply),
            Some(Asked { call: Call::Add(addition), reply }) => self.add(&addition, reply),
            Some(Asked { call: Call::Order(pages, order), reply }) => self.command(pages, order, reply),
            None => {}
        }
        self.look_on();
    }

    fn overview(&self) -> Overview {
        let (cycle, left) = (&self.cycle, self.memory.scheduler.left());
        Overview {
            cycle: Some(CycleState::new(cycle.id, cycle.opened_at, left, cycle.outcomes)),
            picked: self.picks.outstanding(),
            in_flight: self.places.taken(),
            ..self.memory.overview(&self.context.settings, self.clock.now())
        }
    }

    fn inquire(&mut self, page: PageId, reply: oneshot::Sender<Reply>) {
        let now = self.clock.now();
        if !self.memory.scheduler.pages().contains(page) {
            let _ = reply.send(Reply::Page(None));
            return;
        }
        match self.memory.scheduler.ranking(page, now) {
            Ok(Some(ranking)) => self.desk.inquiries.push_back(Inquiry { page, now, ranking, reply }),
            Ok(None) => self.tell(page, None, now, reply),
            Err(error) => _ = reply.send(Reply::Refused(error.to_string())),
        }
    }

    /// Some pages more are held against the one that was asked about first.
    fn look_on(&mut self) {
        let Some(mut inquiry) = self.desk.inquiries.pop_front() else { return };
        if inquiry.reply.is_closed() {
            return;
        }
        match self.memory.scheduler.look_on(&mut inquiry.ranking, LOOKS_A_TURN) {
            Ok(None) => self.desk.inquiries.push_front(inquiry),
            Ok(rank) => self.tell(inquiry.page, rank, inquiry.now, inquiry.reply),
            Err(error) => _ = inquiry.reply.send(Reply::Refused(error.to_string())),
        }
    }

    fn tell(&self, page: PageId, rank: Option<Rank>, now: Time, reply: oneshot::Sender<Reply>) {
        let state = self.memory.page_ranked(page, rank, &self.context.settings, now);
        let _ = reply.send(Reply::Page(Some(Box::new(state))));
    }

    /// Makes pages seeds: known from now on, and visited when they are durable.
    fn add(&mut self, addition: &Addition, reply: oneshot::Sender<Reply>) {
        let (now, settings) = (self.clock.now(), &self.context.settings);
        let mut register = Living { memory: &mut self.memory, settings };
        let seeds = |()| addition.seeds(&mut register, now).map_err(|error| error.to_string());
        let Seeds { hosts, pages, sources, adopted, orders, added } = match addition.check().and_then(seeds) {
            Ok(seeds) => self.only_news(seeds),
            Err(why) => {
                let _ = reply.send(Reply::Refused(why));
                return;
            }
        };
        if addition.source.is_none() {
            let mut scope = self.context.scope.write().unwrap_or_else(PoisonError::into_inner);
            addition.urls.iter().for_each(|url| scope.open(url));
        }
        let described: Vec<PageId> = sources.iter().map(|row| row.page).collect();
        self.memory.sources.extend(&described);
        self.desk.redescribed.extend(described.iter().map(|page| (*page, false)));
        self.desk.unconfirmed += 1;
        let done = Reply::Added(Added { by_crawl: true, ..added });
        let confirm = Some(Confirm { done, described, reply });
        let entry = Entry { hosts, pages, sources, adopted, orders, confirm, ..Entry::default() };
        self.order(Order::Record(Box::new(entry)));
    }

    /// Takes an order about pages.
    fn command(&mut self, pages: Vec<PageId>, order: PageOrder, reply: oneshot::Sender<Reply>) {
        let known = self.memory.scheduler.pages();
        let refused = match (pages.iter().find(|page| !known.contains(**page)), order) {
            (Some(page), _) => Some(format!("page {} is not there", page.0)),
            (None, PageOrder::Weigh(weight)) => check_weight(weight).err(),
            (None, _) => None,
        };
        if let Some(why) = refused {
            let _ = reply.send(Reply::Refused(why));
            return;
        }
        self.desk.unconfirmed += 1;
        let orders = pages.into_iter().map(|page| (page, order)).collect();
        let confirm = Some(Confirm { done: Reply::Ordered, described: Vec::new(), reply });
        self.order(Order::Record(Box::new(Entry { orders, confirm, ..Entry::default() })));
    }

    /// An order is durable, and was learned of: a page that is to be left alone does not wait at its host any more.
    pub(super) fn obey(&mut self, page: PageId, order: PageOrder) {
        let pages = self.memory.scheduler.pages();
        if matches!(order, PageOrder::Pause | PageOrder::Remove)
            && pages.contains(page)
            && self.memory.hosts.take_back(pages.host(page), page).is_some()
        {
            self.release(page);
        }
    }

    /// Leaves out descriptions that pages have already, so that an order which is given twice takes no page its copy.
    fn only_news(&self, mut seeds: Seeds) -> Seeds {
        let pages: Vec<PageId> = seeds.sources.iter().map(|row| row.page).collect();
        // What cannot be read is told as news.
        let known = self.reader.load(&pages).unwrap_or_default();
        let known: HashMap<PageId, Option<Source>> = known.into_iter().map(|page| (page.page, page.source)).collect();
        seeds.sources.retain(|row| known.get(&row.page).is_none_or(|source| source.as_ref() != Some(&row.source)));
        seeds
    }

    /// An order is durable, and was learned of.
    pub(super) fn confirm(&mut self, confirm: Confirm) {
        let Confirm { done, described, reply } = confirm;
        self.desk.unconfirmed -= 1;
        for page in described {
            if self.memory.scheduler.is_picked(page) {
                self.desk.redescribed.insert(page, true);
            } else {
                self.desk.redescribed.remove(&page);
            }
        }
        let _ = reply.send(done);
    }
}

/// The pages and hosts of a crawl that runs.
struct Living<'a> {
    memory: &'a mut Memory,
    settings: &'a Settings,
}

impl Register for Living<'_> {
    fn find(&self, _: &Url, fingerprint: u64) -> Result<Option<PageId>, StoreError> {
        Ok(self.memory.addresses.find(fingerprint))
    }

    fn meet(&mut self, url: &Url, fingerprint: u64) -> Result<NewPage, StoreError> {
        let (host, is_new) = self.memory.hosts.of(url, self.settings);
        if is_new {
            self.memory.limit(host);
        }
        self.memory.hosts.admit_page(host, u32::MAX);
        let new_host = is_new.then(|| self.memory.hosts.row(host));
        Ok(NewPage { page: self.memory.addresses.meet(fingerprint), host, new_host })
    }
}
