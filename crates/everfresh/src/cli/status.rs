//! `everfresh status`

use std::process::ExitCode;

use clap::Args;
use revisit::Time;
use serde::Serialize;

use super::Target;
use super::sites::{self, Arranged, SiteReport};
use crate::clock::Clock;
use crate::models::Provenance;
use crate::output;
use crate::parse::scope::Refusal;
use crate::pipeline::Memory;
use crate::store::{self, ClosedCycle, CycleEntry, LeftOutEntry, Outcomes, Totals, TrainingRow};

/// Cycles that are listed, the one that goes on left out.
const CYCLES: usize = 11;

#[derive(Args)]
#[command(after_help = "Example:\n  everfresh status --json")]
pub(super) struct Status {
    /// List the sites too: their pages, what changed of late, how far the dates of their lists can be trusted
    #[arg(long)]
    sites: bool,
    #[command(flatten)]
    target: Target,
}

#[derive(Serialize)]
struct Report {
    policy: String,
    budget: usize,
    cycle_seconds: f64,
    totals: Totals,
    outcomes: Outcomes,
    waiting: usize,
    expected_freshness: f64,
    cycles: Vec<CycleReport>,
    /// Links that guards left out, each time one was met.
    left_out: Vec<LeftOutEntry>,
    /// Where the policy's model comes from, if it has one.
    model: Option<Provenance>,
    /// Models trained while the crawl went on, newest first.
    trainings: Vec<TrainingRow>,
    /// The largest first, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sites: Option<Vec<SiteReport>>,
}

#[derive(Serialize)]
struct CycleReport {
    opened_at: i64,
    closed_at: i64,
    outcomes: Outcomes,
    expected_freshness: f64,
}

impl CycleReport {
    /// Of a cycle that ended.
    fn of(cycle: CycleEntry) -> Option<CycleReport> {
        let ClosedCycle { at, outcomes, expected_freshness, .. } = cycle.closed?;
        let (opened_at, closed_at) = (cycle.opened_at.millis(), at.millis());
        Some(CycleReport { opened_at, closed_at, outcomes, expected_freshness })
    }
}

impl Status {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let settings = self.target.settings()?;
        let store = store::reader(self.target.collection().folder())?;
        let now = Clock::wall().now();
        let scheduler = Memory::read(self.target.collection().folder(), store.as_ref(), &settings, now)?.scheduler;
        let sites = || Arranged::read(store.as_ref())?.report(store.as_ref(), &scheduler, settings.cycle, now);
        let sites = self.sites.then(sites).transpose()?;
        let report = Report {
            policy: settings.policy.clone(),
            budget: settings.budget,
            cycle_seconds: settings.cycle.as_secs(),
            totals: store.totals()?,
            outcomes: store.outcomes()?,
            waiting: scheduler.waiting(),
            expected_freshness: scheduler.expected_freshness(now),
            cycles: store.cycles(CYCLES)?.into_iter().filter_map(CycleReport::of).collect(),
            left_out: store.left_out()?,
            model: settings.model()?.map(|trained| trained.provenance),
            trainings: store.trainings(5)?,
            sites,
        };
        if self.target.json {
            output::json(&report)?;
        } else {
            print(&report, &settings.cycle.to_string())?;
            if let Some(sites) = &report.sites {
                say!("\n{}", sites::table(sites, now))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(report: &Report, cycle: &str) -> anyhow::Result<()> {
    let Totals { hosts, pages, copies, visits, archive_bytes } = report.totals;
    say!(
        "{} pages on {} hosts, {} with a copy, {} waiting for their first visit.",
        output::count(pages),
        output::count(hosts),
        output::count(copies),
        output::count(report.waiting as u64),
    )?;
    say!("{} visits, {} archived.", output::count(visits), output::bytes(archive_bytes))?;
    say!(
        "{} of the copies are expected to be current now (policy {}, {} fetches every {cycle}).",
        output::share(report.expected_freshness),
        report.policy,
        output::count(report.budget as u64),
    )?;
    if let Some(Provenance { source, pages, cycles, .. }) = &report.model {
        let pages = output::count(*pages as u64);
        say!("Its model was trained on {pages} pages of {}, watched for {cycles} cycles.", output::safe(source))?;
    }
    for training in &report.trainings {
        say!("{}: {}", output::time(Time::from_millis(training.at)), output::safe(&training.detail))?;
    }
    print_left_out(&report.left_out)?;
    if report.cycles.is_empty() {
        return Ok(());
    }
    let header = ["cycle from (UTC)", "visits", "new", "changed", "unchanged", "gone", "failed", "expected current"];
    let rows: Vec<Vec<String>> = report.cycles.iter().map(row).collect();
    say!("\n{}", output::table(&header, &rows))?;
    Ok(())
}

/// What guards left out, and what lets it in.
fn print_left_out(left_out: &[LeftOutEntry]) -> anyhow::Result<()> {
    for LeftOutEntry { reason, links, example } in left_out {
        let reason = Refusal::named(reason).map_or(reason.clone(), |known| format!("{known}; {}", known.remedy()));
        let links = output::count(*links);
        say!("Left out {links} times a link such as {}: {}.", output::safe(example), output::safe(&reason))?;
    }
    Ok(())
}

fn row(cycle: &CycleReport) -> Vec<String> {
    let Outcomes { first, changed, unchanged, gone, failed } = cycle.outcomes;
    let counts = [cycle.outcomes.total(), first, changed, unchanged, gone, failed].map(output::count);
    let opened = output::time(Time::from_millis(cycle.opened_at));
    [vec![opened], counts.to_vec(), vec![output::share(cycle.expected_freshness)]].concat()
}
