//! `everfresh explain URL`: why, when, from what evidence.

use std::process::ExitCode;

use clap::Args;
use revisit::estimate::gamma::Gamma;
use revisit::site::Claim;
use revisit::{History, PageId, Rank, Scheduler, Span, Time};
use serde::Serialize;
use url::Url;

use super::Target;
use super::history::{find, source};
use super::sites::{Arranged, DatesReport};
use crate::clock::Clock;
use crate::meaning::Rules;
use crate::output;
use crate::pipeline::Memory;
use crate::settings::Settings;
use crate::store::{self, HintEntry, Order, PageSummary, Reader, StoreError, VisitEntry};

#[derive(Args)]
#[command(after_help = "Example:\n  everfresh explain https://example.org/")]
pub(super) struct Explain {
    /// The page
    url: String,
    #[command(flatten)]
    target: Target,
}

#[derive(Serialize)]
struct Report {
    page: PageSummary,
    policy: String,
    reason: String,
    when: String,
    score: Option<f64>,
    rank: Option<usize>,
    of: Option<usize>,
    evidence: Evidence,
    source: SourceReport,
    last_visit: Option<VisitEntry>,
    site: Option<SiteOfPage>,
    list: Option<ListSaid>,
}

/// How a page is asked.
#[derive(Serialize)]
struct SourceReport {
    kind: &'static str,
    handler: &'static str,
    accept: Option<String>,
    query: Option<String>,
    rules: Rules,
}

/// The site a page is in, by its top page.
#[derive(Serialize)]
struct SiteOfPage {
    top: String,
    /// The top's last visit.
    top_last_visit: Option<VisitEntry>,
}

/// What the lists of its host say of a page.
#[derive(Serialize)]
struct ListSaid {
    #[serde(flatten)]
    hint: HintEntry,
    /// What that means since the last visit: `changed`, `unchanged`, or nothing.
    claim: Option<&'static str>,
    dates: DatesReport,
}

#[derive(Serialize)]
struct Evidence {
    observations: u32,
    changes: u32,
    failures_in_a_row: u8,
    last_seen: Option<i64>,
    last_change: Option<i64>,
    changes_per_day: f64,
    chance_current: Option<f64>,
    /// Newest first, at most 64.
    recent_changes: Vec<bool>,
}

impl Explain {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let settings = self.target.settings()?;
        let store = store::reader(self.target.collection().folder())?;
        let store = store.as_ref();
        let page = find(store, &self.url)?;
        let now = Clock::wall().now();
        let mut scheduler = Memory::read(self.target.collection().folder(), store, &settings, now)?.scheduler;
        let id = PageId(page.id);
        let rank = scheduler.rank(id, now, settings.budget)?;
        let history = scheduler.pages().history(id);
        let report = Report {
            policy: settings.policy.clone(),
            reason: reason(&scheduler, id, now),
            when: when(&scheduler, id, rank, now, &settings),
            score: rank.map(|rank| rank.score),
            rank: rank.map(|rank| rank.position),
            of: rank.map(|rank| rank.of),
            evidence: evidence(&scheduler.prior(), &history, now),
            source: source_of(store, &page, &settings)?,
            last_visit: last_visit(store, id)?,
            site: site_of(store, id)?,
            list: said_of(store, &scheduler, id, now)?,
            page,
        };
        if self.target.json {
            output::json(&report)?;
        } else {
            print(&report, now)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn last_visit(store: &dyn Reader, page: PageId) -> Result<Option<VisitEntry>, StoreError> {
    Ok(store.history(Some(page), Order::NewestFirst, None)?.rows.into_iter().next())
}

fn source_of(store: &dyn Reader, page: &PageSummary, settings: &Settings) -> anyhow::Result<SourceReport> {
    let source = source(store, PageId(page.id))?;
    let rules = settings.data_rules(source.as_ref());
    let source = source.unwrap_or_default();
    let handler = source.handler(&Url::parse(&page.url)?)?;
    let (handler, accept) = (handler.name(), handler.first().question.accept);
    Ok(SourceReport { kind: source.kind.name(), handler, accept, query: source.query, rules })
}

fn site_of(store: &dyn Reader, page: PageId) -> Result<Option<SiteOfPage>, StoreError> {
    let Some(top) = Arranged::read(store)?.top_of(page) else { return Ok(None) };
    let url = store.urls(&[top])?.remove(&top).unwrap_or_default();
    Ok(Some(SiteOfPage { top: url, top_last_visit: last_visit(store, top)? }))
}

fn said_of(store: &dyn Reader, scheduler: &Scheduler, page: PageId, now: Time) -> Result<Option<ListSaid>, StoreError> {
    let claim = scheduler.claim(page, now).map(|claim| match claim {
        Claim::Changed => "changed",
        Claim::Unchanged => "unchanged",
    });
    let dates = DatesReport::of(scheduler.trust(scheduler.pages().host(page)));
    Ok(store.hint(page)?.map(|hint| ListSaid { hint, claim, dates }))
}

fn reason(scheduler: &Scheduler, page: PageId, now: Time) -> String {
    let history = scheduler.pages().history(page);
    match (history.last_seen(), history.failures()) {
        (_, 1) => "its last visit did not reach it, so it rests for a cycle".into(),
        (_, failures @ 2..) => {
            format!("its last {failures} visits did not reach it, so it rests, twice as long after each")
        }
        (None, _) => "it was never visited; new pages have a share of every cycle, oldest first, hosts in turn".into(),
        (Some(_), _) => scheduler.reason(page, now),
    }
}

/// When the page's turn comes if nothing else changes.
fn when(scheduler: &Scheduler, page: PageId, rank: Option<Rank>, now: Time, settings: &Settings) -> String {
    let history = scheduler.pages().history(page);
    match (history.last_attempt(), scheduler.rests_until(page), rank) {
        (None, _, _) => "as soon as its turn among the new pages comes".into(),
        (_, Some(until), _) if until > now => format!("not before it has rested for another {}", until - now),
        (_, _, Some(rank)) => {
            let cycles = rank.position.div_ceil(settings.budget.max(1));
            let wait = if cycles <= 1 { "in the next cycle".into() } else { format!("in about {cycles} cycles") };
            format!("{wait}: it stands {} of {} with a budget of {}", rank.position, rank.of, settings.budget)
        }
        (Some(_), _, None) => "not now, even if budget is left".into(),
    }
}

fn evidence(prior: &Gamma, history: &History, now: Time) -> Evidence {
    let believed = prior.posterior(history);
    Evidence {
        observations: history.observations(),
        changes: history.changes(),
        failures_in_a_row: history.failures(),
        last_seen: history.last_seen().map(Time::millis),
        last_change: history.last_change().map(Time::millis),
        changes_per_day: believed.rate(),
        chance_current: history.elapsed(now).map(|elapsed| believed.chance_current(elapsed.as_days())),
        recent_changes: history.recent().collect(),
    }
}

fn print(report: &Report, now: Time) -> anyhow::Result<()> {
    let Report { page, evidence, .. } = report;
    say!("{}", output::safe(&page.url))?;
    let from = page.found_on.as_deref().map_or(String::new(), |parent| format!(" on {}", output::safe(parent)));
    let found = output::time(Time::from_millis(page.found_at));
    say!("  found     {found} as a {}{from}, {} links from a seed, weight {}", page.found_as, page.depth, page.weight)?;
    say!("  why       {} (policy {})", report.reason, report.policy)?;
    say!("  when      {}", report.when)?;
    let seen = evidence.last_seen.map_or("never".into(), |seen| format!("{} ago", now - Time::from_millis(seen)));
    say!("  seen      {seen}")?;
    say!("  evidence  {} of {} visits saw a change", evidence.changes, evidence.observations)?;
    if let Some(changed) = evidence.last_change {
        say!("            the last one {} ago", now - Time::from_millis(changed))?;
    }
    if let (Some(chance), true) = (evidence.chance_current, evidence.observations > 0) {
        let interval = Span::DAY / evidence.changes_per_day.max(1e-9);
        let chance = output::share(chance);
        say!("            it changes about every {interval}; the copy is current with a chance of {chance}")?;
    }
    if let Some(visit) = &report.last_visit {
        let detail = visit.detail.as_deref().map_or(String::new(), |detail| format!(": {}", output::safe(detail)));
        let handler = report.source.handler;
        say!(
            "  decided   last visit {} by rule '{}', fetched by handler '{handler}'{detail}",
            visit.outcome,
            visit.rule
        )?;
    }
    print_source(&report.source)?;
    print_site(report, now)
}

fn print_source(source: &SourceReport) -> anyhow::Result<()> {
    if let Some(accept) = &source.accept {
        say!("  source    {}, asked for {}", source.kind, output::safe(accept))?;
    }
    if let Some(query) = &source.query {
        let line = query.split_whitespace().collect::<Vec<_>>().join(" ");
        say!("  query     {}", output::safe(&line))?;
    }
    if source.rules != Rules::default() {
        say!("  rules     {}", serde_json::to_string(&source.rules)?)?;
    }
    Ok(())
}

fn print_site(report: &Report, now: Time) -> anyhow::Result<()> {
    let ago = |at: i64| format!("{} ago", now - Time::from_millis(at));
    if let Some(SiteOfPage { top, top_last_visit }) = &report.site {
        let seen = top_last_visit.as_ref().map(|visit| format!(", which was {} {}", visit.outcome, ago(visit.at)));
        say!("  site      that of {}{}", output::safe(top), seen.unwrap_or_default())?;
    }
    if let Some(ListSaid { hint, claim, dates }) = &report.list {
        let since = match claim {
            Some(claim) => format!("{claim} since it was seen"),
            None => "nothing of the time since it was seen".into(),
        };
        say!("  list      {} says it changed {}: {since}", output::safe(&hint.told_by), ago(hint.modified))?;
        let right = |share: Option<f64>| share.map_or("untested".into(), output::share);
        let (changed, unchanged) = (right(dates.changed_right), right(dates.unchanged_right));
        say!(
            "            right of late: {changed} of pages it called changed, {unchanged} of those it called unchanged"
        )?;
    }
    Ok(())
}
