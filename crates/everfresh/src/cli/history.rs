//! `everfresh history [URL]`

use std::process::ExitCode;

use clap::Args;
use revisit::{PageId, Time};

use super::Target;
use super::exit::WrongInput;
use crate::output;
use crate::parse::normalise;
use crate::pipeline::fingerprint;
use crate::store::{PageSummary, Store, VisitEntry};

#[derive(Args)]
#[command(after_help = "Examples:\n  everfresh history https://example.org/\n  everfresh history --failed")]
pub(super) struct History {
    /// The page; all pages if absent
    url: Option<String>,
    /// Only visits that told nothing, with their reasons
    #[arg(long)]
    failed: bool,
    #[command(flatten)]
    target: Target,
}

impl History {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        // Read for its errors: a folder that is no collection is told from an empty one.
        self.target.settings()?;
        let store = Store::open_reader(self.target.collection().folder())?;
        let page = self.url.as_deref().map(|url| find(&store, url)).transpose()?;
        let mut visits = Vec::new();
        store.each_entry(page.as_ref().map(|page| PageId(page.id)), |visit| {
            if !self.failed || visit.outcome == "failed" {
                visits.push(visit);
            }
            anyhow::Ok(())
        })?;
        if self.target.json {
            output::json(&serde_json::json!({ "url": page.map(|page| page.url), "visits": visits }))?;
        } else {
            print(page.as_ref(), &visits)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The page a user means.
pub(super) fn find(store: &Store, url: &str) -> anyhow::Result<PageSummary> {
    let normal = normalise::absolute(url)
        .map_err(|problem| WrongInput(format!("'{url}' is no page: {problem}; write it as https://host/path")))?;
    if let Some(page) = store.find(normal.as_str(), fingerprint(normal.as_str()))? {
        return Ok(page);
    }
    // A query to an endpoint is a page of its own, which people name by the endpoint.
    let mut sources = store.sources_at(normal.as_str())?;
    sources.retain(|source| !url.contains('#') || source.url == url);
    match sources.len() {
        0 => {
            Err(WrongInput(format!("{normal} is not in this collection; add it with 'everfresh add {normal}'")).into())
        }
        1 => Ok(sources.swap_remove(0)),
        _ => {
            let urls: Vec<String> = sources.into_iter().map(|source| source.url).collect();
            Err(WrongInput(format!("{normal} is asked several queries; name one of {}", urls.join(" "))).into())
        }
    }
}

fn print(page: Option<&PageSummary>, visits: &[VisitEntry]) -> anyhow::Result<()> {
    if visits.is_empty() {
        say!("No such visits.")?;
        return Ok(());
    }
    let row = |visit: &VisitEntry| {
        let mut row = vec![
            output::time(Time::from_millis(visit.at)),
            visit.outcome.clone(),
            visit.rule.clone(),
            visit.status.map_or(String::new(), |status| status.to_string()),
            visit.bytes.map_or(String::new(), output::bytes),
        ];
        if page.is_none() {
            row.push(output::safe(&visit.url));
        }
        row.push(output::safe(visit.detail.as_deref().unwrap_or_default()));
        row
    };
    let rows: Vec<Vec<String>> = visits.iter().map(row).collect();
    let header: &[&str] = match page {
        Some(_) => &["time (UTC)", "outcome", "rule", "status", "size", "detail"],
        None => &["time (UTC)", "outcome", "rule", "status", "size", "page", "detail"],
    };
    say!("{}", output::table(header, &rows))?;
    Ok(())
}
