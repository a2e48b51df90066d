//! `everfresh demo`: the whole loop on a living web of its own, compared with the truth. Its six weeks take as long as the work in
//! them; who wants to watch sees them pass in a minute.

mod beside;
mod crawl;
mod play;
mod stages;

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use revisit::{Outcome, Span, Time};
use serde::Serialize;

use super::exit::WrongInput;
use super::lab::source::SourceArguments;
use super::{exit, runtime};
use crate::clock::Clock;
use crate::collection::Collection;
use crate::config::{self, Config};
use crate::cpu;
use crate::experiments::source::Source;
use crate::handles;
use crate::living::{Judgement, LivingWeb, Observation, Script, aligned, compare, freshness_at};
use crate::output;
use crate::pipeline::{self, Goal, Limits, Progress, Summary, add_seeds};
use crate::settings::Settings;
use crate::shutdown::Shutdown;
use crate::store::{self, ClosedCycle, Opening, Order, Reader, each};
use crate::units;
use play::Play;

/// A minute shows six weeks to those who watch.
const DAYS_PER_SECOND: f64 = 0.7;
/// Who does not watch is told every week.
const CYCLES_A_WEEK: u32 = 28;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh demo --days 14 --keep my-demo
  everfresh demo --trace traces/endoflife --cycle 7d --cycles 150 --start 1661990400 --budget 10% --policy nad

With a trace (or a --world) the living web has its pages, which change when they really did; what the crawl makes of
them is held against the lab on the same. What was kept of such a crawl goes on when the same is asked for again.")]
pub(super) struct Demo {
    /// How many days to live
    #[arg(long, default_value_t = 42.0, value_parser = days, conflicts_with_all = ["trace", "world"])]
    days: f64,
    /// Let the time pass as one can watch it, 0.7 days a second, instead of jumping from one thing to the next
    #[arg(long, conflicts_with_all = ["trace", "world"])]
    live: bool,
    #[command(flatten)]
    source: SourceArguments,
    /// Visits a cycle, where a trace is played: a number, or a share of the pages such as 2% [default: 2%]
    #[arg(long)]
    budget: Option<String>,
    /// Which pages first
    #[arg(long, default_value = "everfresh")]
    policy: String,
    /// Keep the collection in this folder, to look at it with status, history and explain
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    pages: usize,
    visits: u64,
    changes_caught: usize,
    changes_missed: usize,
    /// Over all the time.
    true_freshness: f64,
    /// At the ends of cycles, when copies are oldest, on average.
    true_freshness_at_cycle_ends: f64,
    /// What the replica believed at those moments.
    estimated_freshness: f64,
    fetches_saved: i64,
    false_alarms: usize,
    cycles: u32,
    days: f64,
    run: Run,
}

/// What differs from run to run.
#[derive(Serialize)]
struct Run {
    seconds: f64,
    cpu_seconds: f64,
}

fn days(text: &str) -> Result<f64, String> {
    let days = text.parse().ok().filter(|days| (0.1..=3650.0).contains(days));
    days.ok_or_else(|| "give a number of days between 0.1 and 3650".to_owned())
}

impl Demo {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let source = Source::from(self.source.clone());
        if source.is_named() {
            let budget = self.budget.as_deref().unwrap_or("2%").parse().map_err(WrongInput)?;
            let Demo { policy, keep, json, .. } = self;
            return Play { source, budget, policy, keep, json }.run();
        }
        if self.budget.is_some() || source.cycle.is_some() || source.cycles.is_some() || source.start.is_some() {
            return Err(
                WrongInput("--budget, --cycle, --cycles and --start are for a --trace or a --world".into()).into()
            );
        }
        self.live(source.seed)
    }

    /// Crawls the web of the demo.
    fn live(self, seed: u64) -> anyhow::Result<ExitCode> {
        let scratch = Scratch::new();
        let collection = Collection::at(self.keep.as_ref().unwrap_or(&scratch.0));
        collection.init()?;
        handles::take_all();
        let runtime = if self.live { runtime()? } else { Clock::stepped_runtime()? };
        let (report, interrupted) = runtime.block_on(self.crawl(&collection, seed))?;
        if self.json {
            output::json(&report)?;
        } else {
            self.print(&report)?;
        }
        Ok(if interrupted { ExitCode::from(exit::INTERRUPTED) } else { ExitCode::SUCCESS })
    }

    /// How it went, and whether somebody ended it early.
    async fn crawl(&self, collection: &Collection, seed: u64) -> anyhow::Result<(Report, bool)> {
        let script = Script::demo(seed);
        let (begun, start) = (Instant::now(), script.begins() + Span::DAY);
        let clock = if self.live { Clock::fast(start, DAYS_PER_SECOND * 86_400.0) } else { Clock::stepped(start) };
        let web = LivingWeb::start(script, clock.clone()).await.context("cannot start the living web")?;
        let config = self.config(&web);
        let typed = collection.folder().join(config::FILE);
        std::fs::write(&typed, toml::to_string(&config)?)
            .with_context(|| format!("cannot write {}", typed.display()))?;
        // What a power cut takes of a demo is made again in seconds.
        let mut settings = Settings::resolve(config)?;
        settings.durable = false;
        let cycle = settings.cycle;
        add_seeds(store::open(collection.folder(), Opening::default())?.as_mut(), &web.seeds(), 1.0, start)?;
        if !self.json {
            let (hosts, days, budget) = (web.hosts().len(), self.days, settings.budget);
            say!(
                "A living web of {hosts} hosts is up. Crawling it for {days} days with {budget} fetches every {cycle}."
            )?;
        }
        let end = start + Span::DAY * self.days;
        let summary = self.follow(collection, settings, clock.clone(), end).await?;
        let lived_to = clock.now();
        let lived = start..lived_to;
        let run = Run { seconds: begun.elapsed().as_secs_f64(), cpu_seconds: cpu::process_seconds() };
        let report = judged(&web, store::reader(collection.folder())?.as_ref(), &summary, lived, cycle, run)?;
        web.stop().await;
        Ok((report, lived_to < end))
    }

    fn config(&self, web: &LivingWeb) -> Config {
        let mut config = Config::default();
        config.schedule.cycle = units::Duration::secs(6 * 3600);
        config.schedule.budget = 120;
        config.schedule.policy = self.policy.clone();
        config.fetch.delay = units::Duration::secs(60);
        config.fetch.max_delay = units::Duration::secs(300);
        config.fetch.allow_private = true;
        config.detect.drop = [".clock", ".token", ".counter"].map(String::from).to_vec();
        let address = web.address().to_string();
        config.fetch.resolve = web.hosts().into_iter().map(|host| (host, address.clone())).collect();
        config
    }

    /// Crawls until the time is over, saying now and then how it goes.
    async fn follow(
        &self,
        collection: &Collection,
        settings: Settings,
        clock: Clock,
        end: Time,
    ) -> anyhow::Result<Summary> {
        let _lock = collection.lock("demo")?;
        let (trigger, shutdown) = Shutdown::new();
        let mut signals = Shutdown::on_signals(exit::INTERRUPTED_TWICE.into())?;
        let ending = clock.clone();
        tokio::spawn(async move {
            tokio::select! { () = ending.sleep_until(end) => {}, () = signals.asked() => {} }
            trigger.ask();
        });
        let (quiet, every, told) = (self.json, if self.live { 5 } else { CYCLES_A_WEEK }, clock.clone());
        let mut reports = 0;
        let report = move |progress: &Progress| {
            reports += 1;
            if !quiet && reports % every == 0 {
                // Whoever does not read the progress may still want the end.
                let _ = say!("{}", progress_line(progress, told.now()));
            }
        };
        let limits = Limits { goal: Goal::Forever, max_visits: None };
        Ok(pipeline::run(collection, settings, clock, limits, shutdown, report).await?)
    }

    fn print(&self, report: &Report) -> anyhow::Result<()> {
        let (cycles, saved) = (report.cycles, report.fetches_saved.max(0) as u64);
        let rows = [
            ("pages in the replica", output::count(report.pages as u64)),
            ("days lived", format!("{:.1}", report.days)),
            ("visits", output::count(report.visits)),
            ("changes caught", output::count(report.changes_caught as u64)),
            ("changes missed", output::count(report.changes_missed as u64)),
            ("false alarms", output::count(report.false_alarms as u64)),
            ("true freshness", output::share(report.true_freshness)),
            ("true freshness at cycle ends", output::share(report.true_freshness_at_cycle_ends)),
            ("freshness it believed then", output::share(report.estimated_freshness)),
            ("fetches saved", format!("{} (against every page in each of {cycles} cycles)", output::count(saved))),
        ];
        let rows: Vec<Vec<String>> = rows.into_iter().map(|(name, value)| vec![name.into(), value]).collect();
        say!("\n{}", output::table(&["the replica and the truth", ""], &rows))?;
        if let Some(folder) = &self.keep {
            let folder = folder.display();
            say!("\nLook around: everfresh history -C {folder} http://news.living.test/")?;
        }
        Ok(())
    }
}

fn progress_line(progress: &Progress, now: Time) -> String {
    let outcomes = &progress.outcomes;
    format!(
        "{}  cycle {:>3}: {:>6} visits, {:>5} changed, {:>6} unchanged, {:>4} pages known",
        output::time(now),
        progress.cycle,
        outcomes.total(),
        outcomes.changed,
        outcomes.unchanged,
        progress.pages
    )
}

fn observation(url: &str, at: i64, outcome: &str) -> Option<Observation> {
    let judgement = match Outcome::from_name(outcome)? {
        Outcome::First | Outcome::Changed => Judgement::Changed,
        Outcome::Unchanged => Judgement::Unchanged,
        Outcome::Gone => Judgement::Gone,
        Outcome::Failed => Judgement::Failed,
    };
    Some(Observation { url: url.to_owned(), at: Time::from_millis(at), judgement })
}

/// Holds what the crawl did and believed against the truth.
fn judged(
    web: &LivingWeb,
    store: &dyn Reader,
    summary: &Summary,
    lived: Range<Time>,
    cycle: Span,
    run: Run,
) -> anyhow::Result<Report> {
    let mut visits = Vec::new();
    each(
        |cursor| store.history(None, Order::OldestFirst, cursor),
        |visit| {
            visits.extend(observation(&visit.url, visit.at, &visit.outcome));
            anyhow::Ok(())
        },
    )?;
    let visits: Vec<Observation> = aligned(visits.into_iter(), &web.log()).collect();
    let cycles = store.cycles(usize::MAX)?.into_iter();
    let cycles: Vec<ClosedCycle> = cycles.filter_map(|cycle| cycle.closed).collect();
    let ends: Vec<Time> = cycles.iter().map(|cycle| cycle.at).collect();
    let true_freshness_at_cycle_ends = freshness_at(web.truth(), visits.iter().cloned(), &ends);
    let comparison = compare(web.truth(), visits.into_iter(), lived.start, lived.end);
    let lived = lived.end - lived.start;
    Ok(Report {
        pages: comparison.pages,
        visits: summary.visits,
        changes_caught: comparison.changes_caught,
        changes_missed: comparison.changes_missed,
        true_freshness: comparison.true_freshness,
        true_freshness_at_cycle_ends,
        estimated_freshness: believed(&cycles),
        fetches_saved: (comparison.pages as f64 * lived.ratio(cycle)) as i64 - summary.visits as i64,
        false_alarms: comparison.false_alarms,
        cycles: summary.cycles,
        days: lived.as_days(),
        run,
    })
}

/// What the replica believed of itself, on average over the ends of its cycles.
fn believed(cycles: &[ClosedCycle]) -> f64 {
    let sum: f64 = cycles.iter().map(|cycle| cycle.expected_freshness).sum();
    if cycles.is_empty() { 1.0 } else { sum / cycles.len() as f64 }
}

/// A folder that is gone when the demo is.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        Scratch(std::env::temp_dir().join(format!("everfresh-demo-{}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
