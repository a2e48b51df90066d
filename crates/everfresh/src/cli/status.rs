//! `everfresh status`

use std::process::ExitCode;

use clap::Args;
use revisit::Time;

use super::Target;
use crate::clock::Clock;
use crate::models::Provenance;
use crate::output;
use crate::parse::scope::Refusal;
use crate::pipeline::Overview;
use crate::query::{CycleSummary, SiteEntry, Status as Report};
use crate::store::{LeftOutEntry, Outcomes, Totals};

/// Sites that a table shows; a report in JSON has all.
const SHOWN: usize = 50;

#[derive(Args)]
#[command(after_help = "Example:\n  everfresh status --json")]
pub(super) struct Status {
    /// List the sites too: their pages, what changed of late, how far the dates of their lists can be trusted
    #[arg(long)]
    sites: bool,
    #[command(flatten)]
    target: Target,
}

impl Status {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let settings = self.target.settings()?;
        let cycle = settings.cycle.to_string();
        let report = self.target.query()?.status(self.sites, Clock::wall().now())?;
        if self.target.json {
            output::json(&report)?;
        } else {
            print(&report, &cycle)?;
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
        output::count(report.overview.waiting as u64),
    )?;
    say!("{} visits, {} archived.", output::count(visits), output::bytes(archive_bytes))?;
    let Overview { coverage, expected_freshness, .. } = report.overview;
    say!(
        "{} of the copies are expected to be current now, {} of all pages (policy {}, {} fetches every {cycle}).",
        output::share(expected_freshness),
        output::share(expected_freshness * coverage),
        report.overview.policy,
        output::count(report.overview.budget as u64),
    )?;
    print_crawl(report)?;
    if let Some(Provenance { source, pages, cycles, .. }) = &report.model {
        let pages = output::count(*pages as u64);
        say!("Its model was trained on {pages} pages of {}, watched for {cycles} cycles.", output::safe(source))?;
    }
    for training in &report.trainings {
        say!("{}: {}", output::time(Time::from_millis(training.at)), output::safe(&training.detail))?;
    }
    print_left_out(&report.left_out)?;
    if !report.cycles.is_empty() {
        let header =
            ["cycle from (UTC)", "visits", "new", "changed", "unchanged", "gone", "failed", "expected current"];
        let rows: Vec<Vec<String>> = report.cycles.iter().map(row).collect();
        say!("\n{}", output::table(&header, &rows))?;
    }
    if let Some(sites) = &report.sites {
        say!("\n{}", table(sites, Time::from_millis(report.overview.at)))?;
    }
    Ok(())
}

/// What the crawl that runs is about.
fn print_crawl(report: &Report) -> anyhow::Result<()> {
    let (true, Overview { cycle: Some(cycle), in_flight, .. }) = (report.live, &report.overview) else { return Ok(()) };
    let left = cycle.left.map_or("as many as it takes".into(), output::count);
    let visits = output::count(cycle.outcomes.total());
    say!("A crawl runs: {in_flight} exchanges under way, {visits} visits made in this cycle, {left} left in it.")?;
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

fn row(cycle: &CycleSummary) -> Vec<String> {
    let Outcomes { first, changed, unchanged, gone, failed } = cycle.outcomes;
    let counts = [cycle.outcomes.total(), first, changed, unchanged, gone, failed].map(output::count);
    let opened = output::time(Time::from_millis(cycle.opened_at));
    [vec![opened], counts.to_vec(), vec![output::share(cycle.expected_freshness)]].concat()
}

/// The sites as a table.
fn table(sites: &[SiteEntry], now: Time) -> String {
    let header = ["site", "pages", "changed of late", "top showed", "dates: changed right", "unchanged right"];
    let share = |share: Option<f64>| share.map_or("untested".into(), output::share);
    let row = |site: &SiteEntry| {
        let seen = site.top_seen.map_or(String::new(), |seen| format!(" {} ago", now - Time::from_millis(seen)));
        vec![
            output::safe(&site.top),
            output::count(site.pages as u64),
            output::count(site.changed_of_late as u64),
            format!("{}{seen}", site.top_showed),
            share(site.dates.changed_right),
            share(site.dates.unchanged_right),
        ]
    };
    let rows: Vec<Vec<String>> = sites.iter().take(SHOWN).map(row).collect();
    let more = sites.len().saturating_sub(SHOWN);
    let more =
        if more > 0 { format!("\nand {} more: --json has all", output::count(more as u64)) } else { String::new() };
    format!("{}{more}", output::table(&header, &rows))
}
