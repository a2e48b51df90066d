//! The state of a crawl and the steps of its loop.

use std::sync::Arc;
use std::time::Instant;

use revisit::{HostId, PageId, Signal, Span, Time};
use tokio::sync::mpsc;
use url::Url;

use super::PipelineError;
use super::context::{Context, Encoders, Redirects};
use super::hosts::{Errand, Next};
use super::index;
use super::memory::Memory;
use super::meter::{Meter, peak_memory, process_nanos};
use super::summary::{Progress, Summary};
use super::visit::{Assignment, Finished, Found, RobotsAnswer, robots, visit};
use super::writer::{self, Acknowledged, Entry, Order};
use crate::archive::{CommittedFile, Writer, WriterSettings};
use crate::clock::Clock;
use crate::collection::Collection;
use crate::fetch::Fetcher;
use crate::parse::normalise;
use crate::parse::scope::Scope;
use crate::settings::Settings;
use crate::store::{CycleRow, FoundAs, HostRow, Outcomes, PageRow, Store};

/// When a crawl ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Never.
    Forever,
    /// After one cycle.
    OneCycle,
    /// When no page is left to visit: one cycle without a budget.
    Idle,
}

/// What bounds a crawl.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// When it ends by itself.
    pub goal: Goal,
    /// After how many visits at the latest.
    pub max_visits: Option<u64>,
}

/// A host that wants to be left alone for longer gets its pages taken back, so that they wait in nobody's way.
const PATIENCE: Span = Span::from_secs(30);

/// A round of picks may take this share of the time.
const PICKING_SHARE: f64 = 0.05;

/// After this share of a cycle, pages that nobody wanted may be due and hosts that were left alone may be ready.
const LOOK_AGAIN: f64 = 0.05;

/// What a task says when it is done.
pub(super) enum Done {
    Visit(Box<Finished>),
    Robots { contacted: HostId, asker: HostId, hops: u8, answer: RobotsAnswer, signal: Signal },
}

/// A crawl under way.
pub(super) struct Crawl {
    pub(super) finished: mpsc::UnboundedReceiver<Done>,
    pub(super) writer: writer::Handle,
    finish: mpsc::UnboundedSender<Done>,
    context: Arc<Context>,
    clock: Clock,
    memory: Memory,
    reader: Store,
    limits: Limits,
    next_page: u32,
    /// Pages picked and not yet recorded.
    outstanding: usize,
    in_flight: usize,
    picked: u64,
    draining: bool,
    /// Nothing more to pick until something changes, or time alone may have changed it.
    exhausted: bool,
    look_again: Time,
    next_pick: Instant,
    cycle: Cycle,
    outcomes: Outcomes,
    started: Instant,
    cpu_before: u64,
}

/// The cycle under way.
struct Cycle {
    number: u32,
    opened_at: Time,
    outcomes: Outcomes,
}

impl Crawl {
    /// Opens the collection: mends the archive, rebuilds memory, starts the writer.
    pub(super) fn open(
        collection: &Collection,
        settings: Settings,
        clock: Clock,
        limits: Limits,
    ) -> Result<Crawl, PipelineError> {
        let (started, cpu_before, now) = (Instant::now(), process_nanos(), clock.now());
        let mut store = Store::open(collection.folder())?;
        let clean = store.mark_running(true)?;
        let number = store.collection_number(draw(collection, now))?;
        let archive = open_archive(collection, &settings, &store, number)?;
        if !clean {
            index::mend(&store, collection)?;
        }
        let memory = Memory::rebuild(&store, &settings, now, clean)?;
        let seeds: Vec<Url> = store.seeds()?.iter().filter_map(|seed| Url::parse(seed).ok()).collect();
        let reader = Store::open_reader(collection.folder())?;
        let context = Arc::new(Context {
            fetcher: Fetcher::new(settings.fetch.clone())?,
            scope: Scope::new(&settings.scope, &seeds)?,
            clock,
            meter: Meter::default(),
            redirects: Redirects::default(),
            encoders: Encoders::new(number),
            settings,
        });
        let writer = writer::start(store, archive, collection.indexes(), context.clone());
        let (finish, finished) = mpsc::unbounded_channel();
        let mut crawl = Crawl {
            finished,
            writer: writer.map_err(PipelineError::Thread)?,
            finish,
            context,
            clock,
            next_page: memory.scheduler.pages().len() as u32,
            memory,
            reader,
            limits,
            outstanding: 0,
            in_flight: 0,
            picked: 0,
            draining: false,
            exhausted: false,
            look_again: now,
            next_pick: started,
            cycle: Cycle { number: 0, opened_at: now, outcomes: Outcomes::default() },
            outcomes: Outcomes::default(),
            started,
            cpu_before,
        };
        crawl.open_first_cycle(now);
        Ok(crawl)
    }

    /// What was visited within the last cycle's time counts against a crawl that goes on, not against one asked for now.
    fn open_first_cycle(&mut self, now: Time) {
        let budget = self.context.settings.budget;
        let budget = match self.limits.goal {
            Goal::Idle => usize::MAX,
            Goal::OneCycle => budget,
            Goal::Forever => budget.saturating_sub(self.memory.recent_visits),
        };
        self.open_cycle(budget, now);
    }

    fn open_cycle(&mut self, budget: usize, now: Time) {
        self.memory.scheduler.open_cycle(budget, now);
        self.cycle = Cycle { number: self.cycle.number + 1, opened_at: now, outcomes: Outcomes::default() };
        self.exhausted = false;
    }

    fn cycle_end(&self) -> Time {
        match self.limits.goal {
            Goal::Forever => self.cycle.opened_at + self.context.settings.cycle,
            Goal::OneCycle | Goal::Idle => Time::MAX,
        }
    }

    /// Ends the cycle when its time is over and opens the next.
    pub(super) async fn turn_cycle(&mut self) {
        let now = self.clock.now();
        if now >= self.cycle_end() && !self.draining {
            self.close_cycle(now).await;
            self.open_cycle(self.context.settings.budget, now);
        }
    }

    async fn close_cycle(&mut self, now: Time) {
        let cycle = CycleRow {
            opened_at: self.cycle.opened_at,
            closed_at: now,
            outcomes: self.cycle.outcomes,
            expected_freshness: self.memory.scheduler.expected_freshness(now),
        };
        self.order(Order::CloseCycle(cycle)).await
    }

    /// Schedule: picks pages and puts them into their hosts' queues, if these run low.
    pub(super) fn schedule(&mut self) -> Result<(), PipelineError> {
        let (begun, now) = (Instant::now(), self.clock.now());
        if !self.may_pick() || begun < self.next_pick || (self.exhausted && now < self.look_again) {
            return Ok(());
        }
        let left = self.limits.max_visits.map_or(u64::MAX, |most| most.saturating_sub(self.picked));
        let most =
            (self.context.settings.concurrency * 2 - self.outstanding).min(usize::try_from(left).unwrap_or(usize::MAX));
        let picks = self.memory.scheduler.pick(now, most)?;
        self.next_pick = begun + begun.elapsed().div_f64(PICKING_SHARE);
        self.exhausted = picks.len() < most || left == 0;
        self.look_again = now + self.context.settings.cycle * LOOK_AGAIN;
        self.outstanding += picks.len();
        self.picked += picks.len() as u64;
        for loaded in self.reader.load(&picks)? {
            let page = loaded.page;
            match Assignment::new(loaded) {
                Some(assignment) => self.memory.hosts.queue_page(assignment),
                None => self.release(page),
            }
        }
        Ok(())
    }

    /// Whether the hosts' queues run low.
    fn may_pick(&self) -> bool {
        !self.draining && self.outstanding <= self.context.settings.concurrency
    }

    fn release(&mut self, page: PageId) {
        self.memory.scheduler.release(page);
        self.outstanding -= 1;
        self.picked -= 1;
    }

    /// Fetch, parse, detect: starts what hosts are ready for, in tasks of their own.
    pub(super) async fn contact_hosts(&mut self) {
        while self.in_flight < self.context.settings.concurrency {
            let now = self.clock.now();
            match self.memory.hosts.next(now) {
                Some(Next::Contact(host, errand)) => self.spawn(host, errand),
                Some(Next::Forbidden(page)) => {
                    let detail = "robots.txt forbids this page to us".to_owned();
                    self.record(page.refused(now, "robots", detail)).await;
                }
                None => break,
            }
        }
    }

    fn spawn(&mut self, contacted: HostId, errand: Errand) {
        let (context, finish) = (self.context.clone(), self.finish.clone());
        self.in_flight += 1;
        tokio::spawn(async move {
            let done = match errand {
                Errand::Page(page) => Done::Visit(Box::new(visit(&context, *page).await)),
                Errand::Robots { asker, url, hops } => {
                    let (answer, signal) = robots(&context, url).await;
                    Done::Robots { contacted, asker, hops, answer, signal }
                }
            };
            // The loop may have ended after an error; then nobody needs the result.
            let _ = finish.send(done);
        });
    }

    /// Archive and record: hands what a task found to the writer.
    pub(super) async fn take_in(&mut self, done: Done) {
        self.in_flight -= 1;
        match done {
            Done::Visit(finished) => {
                let (host, signal) = (finished.host, finished.signal);
                self.record(*finished).await;
                self.end_contact(host, signal).await
            }
            Done::Robots { contacted, asker, hops, answer, signal } => {
                // In this order: pages that wait for a robots.txt out of reach fail, before a pause takes them back.
                self.take_robots(asker, hops, answer).await;
                self.end_contact(contacted, signal).await
            }
        }
    }

    /// A contact with a host is over. If the host wants to be left alone for long, its pages go back.
    async fn end_contact(&mut self, host: HostId, signal: Signal) {
        let now = self.clock.now();
        self.memory.hosts.end(host, now, signal);
        let until = self.memory.hosts.blocked_until(host);
        if signal == Signal::Fine || until <= now {
            return;
        }
        if until > now + PATIENCE {
            self.memory.scheduler.pause_host(host, until);
            for page in self.memory.hosts.drain(host) {
                self.release(page.page);
            }
        }
        let hosts = vec![self.memory.hosts.row(host)];
        self.order(Order::Record(Box::new(Entry { hosts, ..Entry::default() }))).await;
    }

    async fn take_robots(&mut self, asker: HostId, hops: u8, answer: RobotsAnswer) {
        let now = self.clock.now();
        let (mut sitemaps, mut keeper) = (Vec::new(), None);
        match answer {
            RobotsAnswer::Is(row) => sitemaps = self.memory.hosts.set_robots(asker, row),
            RobotsAnswer::MovedTo(target) => {
                keeper = self.memory.hosts.redirect_robots(asker, target, hops, now, &self.context.settings);
            }
            RobotsAnswer::OutOfReach { rule, detail } => return self.refuse_host(asker, rule, &detail).await,
        }
        self.memory.limit(asker);
        let found = sitemaps.into_iter().filter_map(|url| {
            let url = normalise::normalise(url).ok()?;
            self.context.admit(url, FoundAs::Sitemap, 0, 0, now)
        });
        let found: Vec<Found> = found.collect();
        let (pages, mut hosts) = self.meet(found, None, now);
        hosts.extend(keeper.into_iter().chain([asker]).map(|host| self.memory.hosts.row(host)));
        self.order(Order::Record(Box::new(Entry { pages, hosts, ..Entry::default() }))).await
    }

    /// Without its robots.txt nothing of a host may be fetched: its waiting pages fail, the others are not picked.
    async fn refuse_host(&mut self, host: HostId, rule: &'static str, detail: &str) {
        let now = self.clock.now();
        self.memory.hosts.forget_robots(host);
        let until = self.memory.hosts.blocked_until(host).max(now + PATIENCE);
        self.memory.scheduler.pause_host(host, until);
        for page in self.memory.hosts.drain(host) {
            self.record(page.refused(now, rule, detail.to_owned())).await;
        }
    }

    async fn record(&mut self, finished: Finished) {
        let at = finished.visit.visit.at;
        let (pages, hosts) = self.meet(finished.found, Some(finished.visit.visit.page), at);
        let Finished { visit, records, copy, features, large, .. } = finished;
        let entry = Entry { visit: Some(visit), records, copy, features, pages, hosts, large };
        self.order(Order::Record(Box::new(entry))).await
    }

    /// The pages and hosts among those found that nobody knew.
    fn meet(&mut self, found: Vec<Found>, on: Option<PageId>, now: Time) -> (Vec<PageRow>, Vec<HostRow>) {
        let settings = &self.context.settings;
        let (mut pages, mut hosts) = (Vec::new(), Vec::new());
        for Found { url, fingerprint, found_as, depth, hops } in found {
            if self.memory.known.contains(fingerprint) {
                continue;
            }
            let (host, is_new) = self.memory.hosts.of(&url, settings);
            if is_new {
                hosts.push(self.memory.hosts.row(host));
                self.memory.limit(host);
            }
            if !self.memory.hosts.admit_page(host, settings.max_pages_per_host) {
                continue;
            }
            self.memory.known.insert(fingerprint);
            let id = PageId(self.next_page);
            self.next_page += 1;
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
        (pages, hosts)
    }

    async fn order(&mut self, order: Order) {
        // If the writer is gone, the loop sees that its acknowledgements ended and asks it why.
        let _ = self.writer.orders.send(order).await;
    }

    /// Learn: what is durable now counts.
    pub(super) fn learn(&mut self, acknowledged: Acknowledged) {
        for (host, weight) in acknowledged.pages {
            self.memory.scheduler.add(host, weight);
        }
        for visit in acknowledged.visits {
            self.memory.scheduler.record(&visit);
            self.outcomes.count(visit.outcome);
            self.cycle.outcomes.count(visit.outcome);
            self.outstanding -= 1;
        }
        self.exhausted = false;
    }

    /// Begins nothing new and gives back what has not begun.
    pub(super) fn drain(&mut self) {
        self.draining = true;
        for host in self.memory.hosts.ids() {
            for page in self.memory.hosts.drain(host) {
                self.release(page.page);
            }
        }
    }

    pub(super) fn is_draining(&self) -> bool {
        self.draining
    }

    /// Whether nothing is left to do.
    pub(super) fn is_done(&self) -> bool {
        let reached = self.limits.max_visits.is_some_and(|most| self.picked >= most);
        let ends = self.draining || reached || self.limits.goal != Goal::Forever;
        ends && (self.draining || self.exhausted) && self.outstanding == 0 && self.in_flight == 0
    }

    /// When to look again if nothing happens until then.
    pub(super) fn wake_at(&self) -> tokio::time::Instant {
        let ready = self.memory.hosts.next_ready().filter(|_| self.in_flight < self.context.settings.concurrency);
        let mut wake = self.clock.instant(ready.unwrap_or(Time::MAX).min(self.cycle_end()));
        if self.may_pick() {
            let look = if self.exhausted { self.clock.instant(self.look_again) } else { self.next_pick };
            wake = wake.min(look.max(self.next_pick));
        }
        wake.into()
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            outcomes: self.outcomes,
            pages: self.memory.scheduler.pages().len(),
            waiting: self.memory.scheduler.waiting(),
            in_flight: self.in_flight,
            cycle: self.cycle.number,
        }
    }

    /// Ends in order: the last cycle is closed, hosts are written down, the writer finishes and says whether all went well.
    pub(super) async fn close(mut self, result: Result<(), PipelineError>) -> Result<Summary, PipelineError> {
        let now = self.clock.now();
        self.close_cycle(now).await;
        let hosts = self.memory.hosts.ids().map(|host| self.memory.hosts.row(host)).collect();
        self.order(Order::Record(Box::new(Entry { hosts, ..Entry::default() }))).await;
        let summary = self.summary(now);
        let writer::Handle { orders, thread, .. } = self.writer;
        drop(orders);
        let written = tokio::task::spawn_blocking(move || thread.join()).await;
        written.map_err(|_| PipelineError::WriterLost)?.map_err(|_| PipelineError::WriterLost)??;
        result.map(|()| summary)
    }

    fn summary(&self, now: Time) -> Summary {
        let visits = self.outcomes.total();
        let seconds = self.started.elapsed().as_secs_f64();
        let cpu = process_nanos().saturating_sub(self.cpu_before);
        Summary {
            visits,
            outcomes: self.outcomes,
            pages: self.memory.scheduler.pages().len(),
            waiting: self.memory.scheduler.waiting(),
            cycles: self.cycle.number,
            seconds,
            pages_per_second: visits as f64 / seconds.max(1e-9),
            cpu_us_per_page: cpu as f64 / 1000.0 / visits.max(1) as f64,
            rooms: self.context.meter.rooms(cpu, visits),
            peak_memory_bytes: peak_memory(),
            expected_freshness: self.memory.scheduler.expected_freshness(now),
            interrupted: self.draining,
        }
    }
}

/// A number nobody else has: from the place and the moment in which the collection was first used.
fn draw(collection: &Collection, now: Time) -> u64 {
    let place = collection.folder().display();
    super::known::fingerprint(&format!("{place} {} {}", now.millis(), std::process::id()))
}

/// Opens the archive and cuts off what no transaction knows.
fn open_archive(
    collection: &Collection,
    settings: &Settings,
    store: &Store,
    number: u64,
) -> Result<Writer, PipelineError> {
    let files = store.files()?.into_iter();
    let committed: Vec<CommittedFile> =
        files.map(|file| CommittedFile { name: file.name, length: file.length }).collect();
    let info = [("http-header-user-agent", settings.fetch.user_agent.as_str()), ("robots", "obey")];
    let settings = WriterSettings {
        roll_bytes: settings.roll_bytes,
        prefix: "everfresh".into(),
        collection: number,
        info: info.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
    };
    let (writer, recovery) = Writer::open(&collection.archive(), settings, &committed)?;
    for (file, bytes) in &recovery.cut {
        tracing::info!("archive/{file}: cut {bytes} bytes that no visit was acknowledged for");
    }
    for file in recovery.set_aside.iter().chain(&recovery.damaged) {
        tracing::warn!("archive/{file} is not as the store knows it; new records go to another file");
    }
    Ok(writer)
}
