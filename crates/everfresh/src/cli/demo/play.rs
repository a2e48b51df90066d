//! `everfresh demo --trace`: the whole crawler, sockets and store included, on what really happened, beside the lab on the same.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use revisit::lab::cut::Cut;
use revisit::policy::registry;
use revisit::{Span, Time};
use serde::Serialize;

use super::beside::Beside;
use super::stages::{EARLY, Stage, stages};
use super::{Run, Scratch, observation, progress_line};
use crate::cli::exit::{self, WrongInput};
use crate::clock::Clock;
use crate::collection::Collection;
use crate::config::{self, Config};
use crate::cpu;
use crate::experiments::ExperimentError;
use crate::experiments::budget::Budget;
use crate::experiments::source::Source;
use crate::handles;
use crate::living::{LivingWeb, Observation, Played, cycle_counts};
use crate::output;
use crate::parse::scope::Mode;
use crate::pipeline::{self, Goal, Limits, Progress, add_seeds};
use crate::settings::Settings;
use crate::shutdown::Shutdown;
use crate::store::{self, Opening, Order, Reader, each};
use crate::units;

/// What is done within this time is done at one time, as all visits of a cycle are in the lab.
const GRAIN: Span = Span::from_secs(1);
/// More connections at once than this help nobody: each takes two of the system's handles.
const MOST_CONNECTIONS: usize = 2000;
/// Every so many cycles those who read are told how it goes.
const CYCLES_A_LINE: u32 = 25;

/// What to play, and to whom.
pub(super) struct Play {
    pub(super) source: Source,
    pub(super) budget: Budget,
    pub(super) policy: String,
    pub(super) keep: Option<PathBuf>,
    pub(super) json: bool,
}

#[derive(Serialize)]
struct Report {
    trace: String,
    policy: String,
    pages: usize,
    cycles: usize,
    warmup: usize,
    visits_a_cycle: usize,
    #[serde(flatten)]
    beside: Beside,
    run: Run,
}

impl Play {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (begun, scratch) = (Instant::now(), Scratch::new());
        let source = self.source.clone().with_links(true);
        let (trace, window) = source.read()?;
        let cut = Cut::new(&trace, window).map_err(ExperimentError::from)?;
        let budgeted = registry::find(&self.policy).map_err(ExperimentError::from)?.budgeted();
        let visits = if budgeted { self.budget.visits(cut.len()) } else { cut.len() };
        let length = window.cycle * window.cycles as f64;
        if window.cycle.millis() % GRAIN.millis() != 0 || length > Played::LONGEST {
            let most = Played::LONGEST;
            return Err(
                WrongInput(format!("a trace is played in cycles of whole seconds, and for {most} at most")).into()
            );
        }
        let played = Played::of(&cut, source.seed);
        let collection = Collection::at(self.keep.as_ref().unwrap_or(&scratch.0));
        let crawled = Crawl { play: &self, cut: &cut, played, collection, stages: stages(window, cut.len(), visits) };
        handles::take_all();
        let Some((beside, policy)) = Clock::stepped_runtime()?.block_on(crawled.run(visits))? else {
            return Ok(ExitCode::from(exit::INTERRUPTED));
        };
        let run = Run { seconds: begun.elapsed().as_secs_f64(), cpu_seconds: cpu::process_seconds() };
        let report = Report {
            trace: trace.name.clone(),
            policy,
            pages: cut.len(),
            cycles: window.cycles,
            warmup: window.warmup,
            visits_a_cycle: visits,
            beside,
            run,
        };
        if self.json {
            output::json(&report)?
        } else {
            report.print()?
        }
        Ok(ExitCode::SUCCESS)
    }

    fn say(&self, line: &str) -> std::io::Result<()> {
        if self.json { Ok(()) } else { say!("{line}") }
    }
}

/// A trace that is being played and crawled.
struct Crawl<'a> {
    play: &'a Play,
    cut: &'a Cut<'a>,
    played: Played,
    collection: Collection,
    stages: [Stage; 3],
}

impl Crawl<'_> {
    /// Crawls all stages and holds what came of it against the lab; `None` if somebody ended it early. A collection that was
    /// kept goes on where it ended.
    async fn run(self, visits: usize) -> anyhow::Result<Option<(Beside, String)>> {
        let start = self.begin()?;
        let clock = Clock::stepped_by(start, GRAIN);
        let web = LivingWeb::start(self.played.script.clone(), clock.clone()).await;
        let web = web.context("cannot start the living web")?;
        let (pages, hosts) = (self.cut.len(), web.hosts().len());
        let (trace, cycles) = (&self.cut.trace().name, self.cut.window().cycles);
        self.play.say(&format!(
            "{pages} pages of {trace} on {hosts} hosts are up: {cycles} cycles, {visits} visits each."
        ))?;
        let lock = self.collection.lock("demo")?;
        let mut signals = Shutdown::on_signals(exit::INTERRUPTED_TWICE.into())?;
        for stage in self.stages.iter().filter(|stage| start < stage.end) {
            tokio::select! { () = clock.sleep_until(stage.begin) => {}, () = signals.asked() => return Ok(None) }
            if !self.follow(*stage, &web, &clock, signals.clone()).await? {
                return Ok(None);
            }
        }
        drop(lock);
        let observed = visited(store::reader(self.collection.folder())?.as_ref())?;
        let counts = cycle_counts(web.truth(), &observed, self.cut.window(), EARLY);
        let settings = Settings::resolve(self.config(&web, visits))?;
        let beside = Beside::of(self.cut, &self.played.addresses, settings.new_policy()?, visits, &counts, &observed)?;
        web.stop().await;
        Ok(Some((beside, settings.policy)))
    }

    /// Makes the collection, unless it was kept; says when to begin.
    fn begin(&self) -> anyhow::Result<Time> {
        let folder = self.collection.folder();
        if !folder.join(config::FILE).exists() {
            self.collection.init()?;
        }
        let mut store = store::open(folder, Opening::default())?;
        let known = store.seeds(None)?.rows;
        if known.is_empty() {
            add_seeds(store.as_mut(), &self.played.addresses, 1.0, self.stages[0].begin)?;
        } else if store.totals()?.pages as usize != self.cut.len() || known[0] != self.played.addresses[0].as_str() {
            let folder = folder.display();
            return Err(WrongInput(format!(
                "{folder} is a collection of something else: keep this one in another folder"
            ))
            .into());
        }
        let last = store.cycles(1)?.first().map(|cycle| cycle.opened_at);
        Ok(last.unwrap_or(self.stages[0].begin))
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
        let (told, mut reports) = (clock.clone(), 0);
        let report = |progress: &Progress| {
            reports += 1;
            if reports % CYCLES_A_LINE == 0 {
                // Whoever does not read the progress may still want the end.
                let _ = self.play.say(&progress_line(progress, told.now()));
            }
        };
        let limits = Limits { goal: Goal::Forever, max_visits: None };
        pipeline::run(&self.collection, settings, clock.clone(), limits, shutdown, report).await?;
        Ok(ended.await?)
    }

    /// All pages may be visited at once, and nobody is asked twice for a robots.txt.
    fn config(&self, web: &LivingWeb, visits: usize) -> Config {
        let (pages, window) = (self.cut.len(), self.cut.window());
        let mut config = Config::default();
        config.schedule.cycle = units::Duration(window.cycle);
        config.schedule.budget = visits;
        config.schedule.policy = self.play.policy.clone();
        config.scope.mode = Mode::List;
        config.fetch.delay = units::Duration(Span::ZERO);
        config.fetch.concurrency = pages.min(MOST_CONNECTIONS);
        config.fetch.connections = config.fetch.concurrency as u32;
        config.fetch.hosts_per_address = config.fetch.concurrency as u32;
        config.fetch.robots_cache = units::Duration(Played::LONGEST * 2.0);
        config.fetch.allow_private = true;
        let address = web.address().to_string();
        config.fetch.resolve = web.hosts().into_iter().map(|host| (host, address.clone())).collect();
        config
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

impl Report {
    fn print(&self) -> anyhow::Result<()> {
        let Beside { live, lab, visits, made_by_both, made_live_only } = &self.beside;
        let row = |name: &str, live: f64, lab: f64| vec![name.to_owned(), format!("{live:.4}"), format!("{lab:.4}")];
        let downloads = [live.downloads, lab.downloads].map(|downloads| output::count(downloads as u64));
        let [live_downloads, lab_downloads] = downloads;
        let rows = [
            row("Change Ratio", live.change_ratio, lab.change_ratio),
            row("freshness", live.freshness, lab.freshness),
            row("age in days", live.age_days, lab.age_days),
            row("precision", live.precision, lab.precision),
            row("recall", live.recall, lab.recall),
            vec!["visits after the warm-up".to_owned(), live_downloads, lab_downloads],
        ];
        say!("\n{}", output::table(&[&self.policy, "live", "lab"], &rows))?;
        if self.beside.is_same() {
            say!("\nAll {} visits are the same, cycle by cycle.", output::count(*visits as u64))?;
        } else {
            let [both, all, more] = [*made_by_both, *visits, *made_live_only].map(|count| output::count(count as u64));
            say!(
                "\n{both} of the lab's {all} visits were made live too, in the same cycle and with the same outcome, and {more} others."
            )?;
        }
        Ok(())
    }
}
