//! `everfresh history [URL]`

use std::process::ExitCode;

use clap::Args;
use revisit::Time;

use super::Target;
use crate::output::{self, Columns};
use crate::query;
use crate::store::VisitEntry;

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
        let query = self.target.query()?;
        let history = query.history(self.url.as_deref(), self.failed)?;
        if self.target.json {
            output::json(&history)?;
        } else {
            print(&history)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Twice over the visits: the first time for how wide the columns are.
fn print(history: &query::History<'_>) -> anyhow::Result<()> {
    let query::History { url, visits } = history;
    let row = |visit: &VisitEntry| {
        let mut row = vec![
            output::time(Time::from_millis(visit.at)),
            visit.outcome.clone(),
            visit.rule.clone(),
            visit.status.map_or(String::new(), |status| status.to_string()),
            visit.bytes.map_or(String::new(), output::bytes),
        ];
        if url.is_none() {
            row.push(output::safe(&visit.url));
        }
        row.push(output::safe(visit.detail.as_deref().unwrap_or_default()));
        row
    };
    let header: &[&str] = match url {
        Some(_) => &["time (UTC)", "outcome", "rule", "status", "size", "detail"],
        None => &["time (UTC)", "outcome", "rule", "status", "size", "page", "detail"],
    };
    let header: Vec<String> = header.iter().map(|name| (*name).to_owned()).collect();
    let (mut columns, mut any) = (Columns::of(&header), false);
    visits.each(|visit| {
        columns.fit(&row(&visit));
        any = true;
        anyhow::Ok(())
    })?;
    if !any {
        say!("No such visits.")?;
        return Ok(());
    }
    say!("{}", columns.line(&header))?;
    visits.each(|visit| Ok(say!("{}", columns.line(&row(&visit)))?))
}
