//! `everfresh explain URL`: why, when, from what evidence.

use std::process::ExitCode;

use clap::Args;
use revisit::{Span, Time};

use super::Target;
use crate::clock::Clock;
use crate::meaning::Rules;
use crate::output;
use crate::pipeline::{Claimed, HostState};
use crate::query::{Explanation, ListSaid, SiteOfPage, SourceEntry};

#[derive(Args)]
#[command(after_help = "Example:\n  everfresh explain https://example.org/")]
pub(super) struct Explain {
    /// The page
    url: String,
    #[command(flatten)]
    target: Target,
}

impl Explain {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let explanation = self.target.query()?.explain(&self.url, Clock::wall().now())?;
        if self.target.json {
            output::json(&explanation)?;
        } else {
            print(&explanation, Time::from_millis(explanation.at))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(report: &Explanation, now: Time) -> anyhow::Result<()> {
    let Explanation { page, evidence, .. } = report;
    say!("{}", output::safe(&page.url))?;
    let from = page.found_on.as_deref().map_or(String::new(), |parent| format!(" on {}", output::safe(parent)));
    let found = output::time(Time::from_millis(page.found_at));
    say!("  found     {found} as a {}{from}, {} links from a seed, weight {}", page.found_as, page.depth, page.weight)?;
    say!("  why       {} (policy {})", report.reason, report.policy)?;
    say!("  when      {}", report.when)?;
    print_host(&report.host, now)?;
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

fn print_source(source: &SourceEntry) -> anyhow::Result<()> {
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

fn print_site(report: &Explanation, now: Time) -> anyhow::Result<()> {
    let ago = |at: i64| format!("{} ago", now - Time::from_millis(at));
    if let Some(SiteOfPage { top, top_last_visit }) = &report.site {
        let seen = top_last_visit.as_ref().map(|visit| format!(", which was {} {}", visit.outcome, ago(visit.at)));
        say!("  site      that of {}{}", output::safe(top), seen.unwrap_or_default())?;
    }
    if let Some(ListSaid { hint, claim, dates }) = &report.list {
        let since = match claim {
            Some(Claimed::Changed) => "changed since it was seen",
            Some(Claimed::Unchanged) => "unchanged since it was seen",
            None => "nothing of the time since it was seen",
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

fn print_host(host: &HostState, now: Time) -> anyhow::Result<()> {
    let until = host.blocked_until.map(Time::from_millis).filter(|until| *until > now);
    let alone = until.map_or(String::new(), |until| format!(", left alone for another {}", until - now));
    let delay = Span::from_millis((host.delay_seconds * 1000.0) as i64);
    say!("  host      {}, asked every {delay} at most{alone}", output::safe(&host.name))?;
    Ok(())
}
