//! The crawl of a trace that is played: stage by stage on the stepped clock, and from where it ended if it was kept.

use anyhow::Context;
use revisit::lab::cut::Cut;
use revisit::{Span, Time};

use super::beside::Beside;
use super::stages::{EARLY, Stage};
use super::{observation, progress_line};
use crate::cli::exit::{self, WrongInput};
use crate::clock::Clock;
use crate::collection::Collection;
use crate::config::{self, Config};
use crate::living::{LivingWeb, Observation, Played, cycle_counts};
use crate::parse::scope::Mode;
use crate::pipeline::{self, Goal, Limits, Progress, add_seeds};
use crate::settings::Settings;
use crate::shutdown::Shutdown;
use crate::store::{self, Opening, Order, Reader, each};
use crate::units;

/// What is done within this time is done at one time, as all visits of a cycle are in the lab.
pub(super) const GRAIN: Span = Span::from_secs(1);
/// More connections at once than this help nobody: each takes two of the system's handles.
const MOST_CONNECTIONS: usize = 2000;
/// Every so many cycles those who read are told how it goes.
const CYCLES_A_LINE: u32 = 25;

/// A trace that is being played and crawled.
pub(super) struct Crawl<'a> {
    pub(super) cut: &'a Cut<'a>,
    pub(super) played: Played,
    pub(super) policy: String,
    pub(super) collection: Collection,
    pub(super) stages: [Stage; 2],
    /// A cycle, after the warm-up.
    pub(super) visits: usize,
    pub(super) quiet: bool,
}

impl Crawl<'_> {
    /// Crawls all stages and holds what came of it against the lab; `None` if somebody ended it early.
    pub(super) async fn run(&self) -> anyhow::Result<Option<Beside>> {
        let start = self.begin()?;
        let clock = Clock::stepped_by(start, GRAIN);
        let web = LivingWeb::start(self.played.script.clone(), clock.clone()).await;
        let web = web.context("cannot start the living web")?;
        self.say_what_is_up(&web)?;
        let lock = self.collection.lock("demo")?;
        let mut signals = Shutdown::on_signals(exit::INTERRUPTED_TWICE.into())?;
        for stage in self.stages.iter().filter(|stage| start < stage.end) {
            tokio::select! { () = clock.sleep_until(stage.begin) => {}, () = signals.asked() => return Ok(None) }
            if !self.follow(*stage, &web, &clock, signals.clone()).await? {
                return Ok(None);
            }
        }
        drop(lock);
        let beside = self.judged(&web)?;
        web.stop().await;
        Ok(Some(beside))
    }

    fn say_what_is_up(&self, web: &LivingWeb) -> std::io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        let (pages, hosts, trace) = (self.cut.len(), web.hosts().len(), &self.cut.trace().name);
        let (cycles, visits) = (self.cut.window().cycles, self.visits);
        say!(
            "{pages} pages of {trace} are up, on {hosts} hosts. Crawling them for {cycles} cycles with {visits} visits each."
        )
    }

    /// Makes the collection, unless it was kept; says when to begin.
    fn begin(&self) -> anyhow::Result<Time> {
        let (folder, addresses) = (self.collection.folder(), &self.played.addresses);
        if !folder.join(config::FILE).exists() {
            self.collection.init()?;
        }
        let mut store = store::open(folder, Opening::default())?;
        let known = store.seeds(None)?.rows;
        if known.is_empty() {
            add_seeds(store.as_mut(), addresses, 1.0, self.stages[0].begin)?;
        } else if store.totals()?.pages as usize != addresses.len() || !known.iter().all(|url| self.is_ours(url)) {
            let folder = folder.display();
            return Err(WrongInput(format!("{folder} holds a crawl of something else: keep this one elsewhere")).into());
        }
        // A cycle that was under way goes on at the time it began, since all its visits are made then.
        let last = store.cycles(1)?.first().map(|cycle| cycle.opened_at);
        Ok(last.unwrap_or(self.stages[0].begin))
    }

    fn is_ours(&self, url: &str) -> bool {
        self.played.addresses.iter().any(|address| address.as_str() == url)
    }

    /// Crawls until the end of a stage; false if somebody ended it before.
    async fn follow(
        &self,
        stage: Stage,
        web: &LivingWeb,
        clock: &Clock,
        mut signals: Shutdown,
    ) -> anyhow::Result<bool> {
        let config = self.config(web, stage.visits);
        let typed = self.collection.folder().join(config::FILE);
        std::fs::write(&typed, toml::to_string(&config)?)
            .with_context(|| format!("cannot write {}", typed.display()))?;
        // What a power cut takes of a demo is made again in seconds.
        let mut settings = Settings::resolve(config)?;
        settings.durable = false;
        let (trigger, shutdown) = Shutdown::new();
        let ending = clock.clone();
        let ended = tokio::spawn(async move {
            let is_over = tokio::select! {
                () = ending.sleep_until(stage.end) => true,
                () = signals.asked() => false,
            };
            trigger.ask();
            is_over
        });
        let (quiet, told, mut reports) = (self.quiet, clock.clone(), 0);
        let report = move |progress: &Progress| {
            reports += 1;
            if !quiet && reports % CYCLES_A_LINE == 0 {
                // Whoever does not read the progress may still want the end.
                let _ = say!("{}", progress_line(progress, told.now()));
            }
        };
        let limits = Limits { goal: Goal::Forever, max_visits: None };
        pipeline::run(&self.collection, settings, clock.clone(), limits, shutdown, report).await?;
        Ok(ended.await?)
    }

    /// All pages may be visited at once, and nobody is asked twice for a robots.txt.
    fn config(&self, web: &LivingWeb, visits: usize) -> Config {
        let mut config = Config::default();
        config.schedule.cycle = units::Duration(self.cut.window().cycle);
        config.schedule.budget = visits;
        config.schedule.policy = self.policy.clone();
        config.scope.mode = Mode::List;
        config.fetch.delay = units::Duration(Span::ZERO);
        config.fetch.concurrency = self.cut.len().min(MOST_CONNECTIONS);
        config.fetch.connections = config.fetch.concurrency as u32;
        config.fetch.hosts_per_address = config.fetch.concurrency as u32;
        config.fetch.robots_cache = units::Duration(Played::LONGEST * 2.0);
        config.fetch.allow_private = true;
        let address = web.address().to_string();
        config.fetch.resolve = web.hosts().into_iter().map(|host| (host, address.clone())).collect();
        config
    }

    fn judged(&self, web: &LivingWeb) -> anyhow::Result<Beside> {
        let observed = visited(store::reader(self.collection.folder())?.as_ref())?;
        let counts = cycle_counts(web.truth(), &observed, self.cut.window(), EARLY);
        let settings = Settings::resolve(self.config(web, self.visits))?;
        Beside::of(self.cut, &self.played, || settings.new_policy(), self.visits, (&observed, &counts))
    }
}

/// Every visit, oldest first.
fn visited(store: &dyn Reader) -> anyhow::Result<Vec<Observation>> {
    let mut visits = Vec::new();
    each(
        |cursor| store.history(None, Order::OldestFirst, cursor),
        |visit| {
            visits.extend(observation(&visit.url, visit.at, &visit.outcome));
            anyhow::Ok(())
        },
    )?;
    Ok(visits)
}
