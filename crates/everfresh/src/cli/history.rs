//! `everfresh history [URL]`

use std::process::ExitCode;

use clap::Args;
use revisit::{PageId, Time};
use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};

use super::Target;
use super::exit::WrongInput;
use crate::output::{self, Columns};
use crate::parse::normalise;
use crate::pipeline::fingerprint;
use crate::sources::Source;
use crate::store::{self, Order, PageSummary, Reader, StoreError, VisitEntry, each};

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
        let store = store::reader(self.target.collection().folder())?;
        let page = self.url.as_deref().map(|url| find(store.as_ref(), url)).transpose()?;
        let (of, failed) = (page.as_ref().map(|page| PageId(page.id)), self.failed);
        let visits = Visits { store: store.as_ref(), of, failed };
        if self.target.json {
            output::json(&Report { url: page.as_ref().map(|page| &*page.url), visits: &visits })?;
        } else {
            print(page.as_ref(), &visits)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The visits that were asked for, which may be more than memory holds.
struct Visits<'a> {
    store: &'a dyn Reader,
    of: Option<PageId>,
    /// Only those that told nothing.
    failed: bool,
}

impl Visits<'_> {
    fn each<E: From<StoreError>>(&self, mut take: impl FnMut(VisitEntry) -> Result<(), E>) -> Result<(), E> {
        let visits = |cursor| self.store.history(self.of, Order::OldestFirst, cursor);
        each(visits, |visit| if !self.failed || visit.outcome == "failed" { take(visit) } else { Ok(()) })
    }
}

#[derive(Serialize)]
struct Report<'a> {
    url: Option<&'a str>,
    visits: &'a Visits<'a>,
}

/// What ends the writing of a list.
enum Ended<E> {
    Store(StoreError),
    Out(E),
}

impl<E> From<StoreError> for Ended<E> {
    fn from(error: StoreError) -> Ended<E> {
        Ended::Store(error)
    }
}

impl Serialize for Visits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        match self.each(|visit| list.serialize_element(&visit).map_err(Ended::Out)) {
            Ok(()) => list.end(),
            Err(Ended::Out(error)) => Err(error),
            Err(Ended::Store(error)) => Err(S::Error::custom(error)),
        }
    }
}

/// How a page is asked, if that is not as for all pages.
pub(super) fn source(store: &dyn Reader, page: PageId) -> Result<Option<Source>, StoreError> {
    Ok(store.load(&[page])?.pop().and_then(|loaded| loaded.source))
}

/// The page a user means.
pub(super) fn find(store: &dyn Reader, url: &str) -> anyhow::Result<PageSummary> {
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

/// Twice over the visits: the first time for how wide the columns are.
fn print(page: Option<&PageSummary>, visits: &Visits<'_>) -> anyhow::Result<()> {
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
    let header: &[&str] = match page {
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
