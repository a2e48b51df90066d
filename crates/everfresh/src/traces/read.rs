//! A folder's tables as a trace.

use std::path::Path;

use hashbrown::HashMap;
use revisit::lab::links::Links;
use revisit::lab::trace::{Trace, TracePage};
use revisit::{PageId, Time};
use url::Url;

use crate::parse::directory_level;

use super::table::{Row, Table};
use super::{CHANGES, FIRST_LINKS, LINKS, META, Meta, PAGES, TraceError, files};

/// Reads the trace in a folder.
pub fn read(folder: &Path) -> Result<Trace, TraceError> {
    let mut pages = Pages::read(folder)?;
    pages.take_changes(folder)?;
    Ok(Trace::new(name(folder)?, pages.pages))
}

/// Reads the trace in a folder with its links, if it has any. Some know the future: see [`super`].
pub fn read_with_links(folder: &Path) -> Result<Trace, TraceError> {
    let mut pages = Pages::read(folder)?;
    pages.take_changes(folder)?;
    let (links, first) = (pages.links(folder, LINKS)?, pages.links(folder, FIRST_LINKS)?);
    Ok(Trace::new(name(folder)?, pages.pages).with_links(links).with_first_links(first))
}

/// What the trace calls itself, or else the folder's name.
fn name(folder: &Path) -> Result<String, TraceError> {
    let path = folder.join(META);
    let mut said = None;
    if path.exists() {
        let text = std::fs::read(&path).map_err(TraceError::io("read", &path))?;
        let file = path.display().to_string();
        said = serde_json::from_slice::<Meta>(&text).map_err(|error| TraceError::Meta { file, error })?.name;
    }
    Ok(said.unwrap_or_else(|| folder_name(folder)))
}

/// The name of a folder, however it was pointed at.
pub(super) fn folder_name(folder: &Path) -> String {
    let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    full.file_name().map_or_else(|| "trace".into(), |name| name.to_string_lossy().into_owned())
}

/// The pages read so far, with their changes.
struct Pages {
    pages: Vec<(TracePage, Vec<Time>)>,
    /// Where each `page_id` is in `pages`.
    places: HashMap<u64, u32>,
}

/// Where the columns of `pages.csv` are.
struct Columns {
    id: usize,
    url: usize,
    first_seen: usize,
    last_seen: usize,
    features: [Option<usize>; 8],
}

const FEATURES: [&str; 8] = ["text_bytes", "links", "images", "emails", "dir_level", "format", "host_kind", "max_age"];

impl Pages {
    fn read(folder: &Path) -> Result<Pages, TraceError> {
        let mut table = Table::open(folder, PAGES)?;
        let columns = Columns::of(&table)?;
        let mut pages = Pages { pages: Vec::new(), places: HashMap::new() };
        while let Some(row) = table.next()? {
            let id = row.number(columns.id, "page_id")?;
            if pages.places.insert(id, pages.pages.len() as u32).is_some() {
                return Err(row.wrong(format!("page {id} is there already, on an earlier line")));
            }
            pages.pages.push((columns.page(&row)?, Vec::new()));
        }
        if pages.pages.is_empty() {
            return Err(TraceError::Empty(folder.display().to_string()));
        }
        Ok(pages)
    }

    fn take_changes(&mut self, folder: &Path) -> Result<(), TraceError> {
        let mut table = Table::open(folder, CHANGES)?;
        let (id, time) = (table.required("page_id")?, table.required("time")?);
        while let Some(row) = table.next()? {
            let id = row.number(id, "page_id")?;
            let place = self.places.get(&id).ok_or_else(|| row.wrong(format!("page {id} is not in {PAGES}")))?;
            let (page, changes) = &mut self.pages[*place as usize];
            let at = row.time(time, "time")?;
            if let Some(problem) = out_of_order(page, changes.last(), at) {
                return Err(row.wrong(format!("page {id} {problem}")));
            }
            changes.push(at);
        }
        Ok(())
    }
}

impl Pages {
    /// The links between the pages, if the folder has that table of them.
    fn links(&self, folder: &Path, table: &'static str) -> Result<Option<Links>, TraceError> {
        if !files::candidates(folder, table).any(|path| path.exists()) {
            return Ok(None);
        }
        let mut table = Table::open(folder, table)?;
        let columns = [("page_id", table.required("page_id")?), ("target_page_id", table.required("target_page_id")?)];
        let mut links = Vec::new();
        while let Some(row) = table.next()? {
            let [source, target] = columns.map(|(name, place)| self.page(&row, place, name));
            links.push((source?, target?));
            if links.len() >= u32::MAX as usize {
                return Err(row.wrong("there are more links than can be held: leave some pages out"));
            }
        }
        // As many as were taken can be numbered.
        Ok(Links::new(self.pages.len(), links).ok())
    }

    /// The page that a field names.
    fn page(&self, row: &Row<'_>, place: usize, column: &str) -> Result<PageId, TraceError> {
        let id = row.number(place, column)?;
        let place = self.places.get(&id).ok_or_else(|| row.wrong(format!("page {id} is not in {PAGES}")))?;
        Ok(PageId(*place))
    }
}

/// Why a page cannot change at this time, after its last change.
fn out_of_order(page: &TracePage, last: Option<&Time>, at: Time) -> Option<&'static str> {
    if at < page.first_seen {
        Some("changes before it was first seen")
    } else if at > page.last_seen {
        Some("changes after it was last seen")
    } else if last.is_some_and(|last| at < *last) {
        Some("changes before the change on an earlier line: sort the rows by time")
    } else {
        None
    }
}

impl Columns {
    fn of(table: &Table) -> Result<Columns, TraceError> {
        Ok(Columns {
            id: table.required("page_id")?,
            url: table.required("url")?,
            first_seen: table.required("first_seen")?,
            last_seen: table.required("last_seen")?,
            features: FEATURES.map(|name| table.column(name)),
        })
    }

    fn page(&self, row: &Row<'_>) -> Result<TracePage, TraceError> {
        let first_seen = row.time(self.first_seen, "first_seen")?;
        let last_seen = row.time(self.last_seen, "last_seen")?;
        if last_seen < first_seen {
            return Err(row.wrong("the page was last seen before it was first seen"));
        }
        let feature = |index: usize| row.feature(self.features[index], FEATURES[index]);
        let url = row.text(self.url, "url")?.to_owned();
        Ok(TracePage {
            directory_level: feature(4)?.map(|told| level(&url).unwrap_or(told)),
            url,
            first_seen,
            last_seen,
            text_bytes: feature(0)?,
            links: feature(1)?,
            images: feature(2)?,
            emails: feature(3)?,
            format: feature(5)?,
            host_kind: feature(6)?,
            max_age: feature(7)?,
        })
    }
}

/// What an address says of its directory level; traces of others do not all count from 1, as a crawl does.
fn level(url: &str) -> Option<f32> {
    let url = Url::parse(url).ok().filter(Url::has_host)?;
    Some(f32::from(directory_level(&url)))
}
