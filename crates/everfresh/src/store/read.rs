//! Reading: one page for its next visit, everything at the start, and what people ask for.

use revisit::{HostId, Outcome, PageId, Span, Time, Visit};
use rusqlite::types::Type;
use rusqlite::{OptionalExtension, Row, params};

use crate::archive::{Digest, cdxj};

use super::pieces::{Question, ROWS};
use super::rows::{AsideRow, CopyRow, CycleRow, FeaturesRow, FileRow, HostRow, Outcomes, RobotsRow, TrainingRow};
use super::{Store, StoreError, links};

/// Hosts read at once, with their robots.txt of up to half a megabyte each.
const HOSTS: usize = 16;

/// A page as its next visit needs it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its number.
    pub page: PageId,
    /// Its host.
    pub host: HostId,
    /// Its URL.
    pub url: String,
    /// Links from a seed.
    pub depth: u32,
    /// Redirects in a row that led to it.
    pub hops: u8,
    /// The version held, if any.
    pub copy: Option<CopyRow>,
    /// The last answer archived that was no version, if any.
    pub aside: Option<AsideRow>,
}

/// A page as people ask for it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct PageSummary {
    /// Its number.
    pub id: u32,
    /// Its URL.
    pub url: String,
    /// How much it matters.
    pub weight: f64,
    /// Links from a seed.
    pub depth: u32,
    /// How it was found.
    pub found_as: String,
    /// On which page.
    pub found_on: Option<String>,
    /// When, in milliseconds since 1970.
    pub found_at: i64,
}

/// A visit as people ask for it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct VisitEntry {
    /// The page's URL.
    pub url: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What it showed.
    pub outcome: String,
    /// The rule that decided.
    pub rule: String,
    /// What there is to say beyond the rule.
    pub detail: Option<String>,
    /// HTTP status.
    pub status: Option<u16>,
    /// Bytes as sent.
    pub bytes: Option<u64>,
    /// How long the exchange took.
    pub millis: Option<u64>,
    /// The WARC file that holds it.
    pub file: Option<String>,
    /// Where in the file.
    pub position: Option<u64>,
    /// How many bytes.
    pub length: Option<u64>,
}

/// An index entry as CDXJ needs it.
#[derive(Clone, Debug)]
pub struct CaptureEntry {
    /// The page's URL.
    pub url: String,
    /// When.
    pub at: Time,
    /// HTTP status.
    pub status: u16,
    /// Media type.
    pub mime: Option<String>,
    /// SHA-1 of the payload.
    pub payload: [u8; 20],
    /// Whether it refers to an earlier record.
    pub revisit: bool,
    /// Where in the file.
    pub position: u64,
    /// How many bytes.
    pub length: u64,
}

impl CaptureEntry {
    /// The line of the index, given the name of the file.
    pub fn index_entry<'a>(&'a self, file: &'a str) -> cdxj::Entry<'a> {
        cdxj::Entry {
            url: &self.url,
            at: self.at,
            status: self.status,
            content_type: self.mime.as_deref(),
            payload: Digest(self.payload),
            revisit: self.revisit,
            file,
            offset: self.position,
            length: self.length,
        }
    }
}

/// How large the collection is.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Totals {
    /// Hosts known.
    pub hosts: u64,
    /// Pages known.
    pub pages: u64,
    /// Pages of which a version is held.
    pub copies: u64,
    /// Visits made.
    pub visits: u64,
    /// Bytes in the archive.
    pub archive_bytes: u64,
}

impl Store {
    /// The pages with these numbers, for their next visits.
    pub fn load(&self, pages: &[PageId]) -> Result<Vec<Loaded>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT pages.host, pages.url, pages.depth, pages.hops,
                    copies.since, copies.etag, copies.last_modified, copies.payload, copies.text, copies.simhash, copies.moved_to,
                    asides.since, asides.payload
             FROM pages LEFT JOIN copies ON copies.page = pages.id LEFT JOIN asides ON asides.page = pages.id
             WHERE pages.id = ?1",
        )?;
        let mut loaded = Vec::with_capacity(pages.len());
        for piece in pages.chunks(ROWS) {
            // One transaction, or the file would be locked and unlocked for each page.
            let transaction = self.connection.unchecked_transaction()?;
            for &page in piece {
                loaded.push(statement.query_row([page.0], |row| read_loaded(page, row))?);
            }
            transaction.commit()?;
        }
        Ok(loaded)
    }

    /// Every page in the order of the ids: fingerprint, host, weight, URL.
    pub fn each_page(&self, mut take: impl FnMut(u64, HostId, f32, &str)) -> Result<(), StoreError> {
        self.each(
            "SELECT id, fingerprint, host, weight, url FROM pages WHERE id > ?1 ORDER BY id",
            |row| Ok((row.get::<_, i64>(1)? as u64, HostId(row.get(2)?), row.get(3)?, row.get::<_, String>(4)?)),
            |(fingerprint, host, weight, url)| take(fingerprint, host, weight, &url),
        )
    }

    /// Every visit in the order in which they were made.
    pub fn each_visit(&self, mut take: impl FnMut(&Visit)) -> Result<(), StoreError> {
        self.each(
            "SELECT id, page, at, outcome FROM visits WHERE id > ?1 ORDER BY id",
            |row| {
                let outcome = read_outcome(row, 3)?;
                Ok(Visit { page: PageId(row.get(1)?), at: Time::from_millis(row.get(2)?), outcome })
            },
            |visit| take(&visit),
        )
    }

    /// The links of every page that has some, in the order of the ids.
    pub fn each_links(&self, mut take: impl FnMut(PageId, &mut dyn Iterator<Item = PageId>)) -> Result<(), StoreError> {
        self.each(
            "SELECT page, targets FROM links WHERE page > ?1 ORDER BY page",
            |row| Ok((PageId(row.get(0)?), row.get::<_, Vec<u8>>(1)?)),
            |(page, packed)| take(page, &mut links::unpack(&packed)),
        )
    }

    /// The features of every page that has some, in the order of the ids.
    pub fn each_features(&self, mut take: impl FnMut(&FeaturesRow)) -> Result<(), StoreError> {
        self.each(
            "SELECT page, depth, text_bytes, links, images, emails, directory_level, last_modified, nofollow, noindex,
                    format, host_kind, max_age
             FROM features JOIN pages ON pages.id = features.page WHERE page > ?1 ORDER BY page",
            read_features,
            |features| take(&features),
        )
    }

    /// Every host in the order of the ids, a few at a time: a robots.txt may be large.
    pub fn each_host(&self, take: impl FnMut(HostRow)) -> Result<(), StoreError> {
        let sql = "SELECT id, name, robots_status, robots_body, robots_at, last_contact, blocked_until, pause
             FROM hosts WHERE id > ?1 ORDER BY id";
        self.each(Question { rows: HOSTS, ..sql.into() }, read_host, take)
    }

    /// The robots.txt of a host, if it was ever fetched.
    pub fn robots(&self, host: HostId) -> Result<Option<RobotsRow>, StoreError> {
        let sql = "SELECT robots_status, robots_body, robots_at FROM hosts WHERE id = ?1 AND robots_status IS NOT NULL";
        let read = |row: &Row<'_>| {
            Ok(RobotsRow { status: row.get(0)?, body: row.get(1)?, at: Time::from_millis(row.get(2)?) })
        };
        Ok(self.connection.prepare_cached(sql)?.query_row([host.0], read).optional()?)
    }

    /// URLs of the pages the user named to begin with. Sources are meant alone, not with all that is around them.
    pub fn seeds(&self) -> Result<Vec<String>, StoreError> {
        let mut seeds = Vec::new();
        self.each(
            "SELECT id, url FROM pages INDEXED BY pages_that_are_seeds
             WHERE id > ?1 AND found_as = 'seed' AND id NOT IN (SELECT page FROM sources) ORDER BY id",
            |row| row.get(1),
            |url| seeds.push(url),
        )?;
        Ok(seeds)
    }

    /// The archive's files and how much of each is committed, in the order in which they were begun.
    pub fn files(&self) -> Result<Vec<FileRow>, StoreError> {
        let mut statement = self.connection.prepare("SELECT id, name, length FROM files ORDER BY id")?;
        let rows = statement.query_map([], |row| {
            Ok(FileRow { id: row.get(0)?, name: row.get(1)?, length: row.get::<_, i64>(2)? as u64 })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The page with this URL.
    pub fn find(&self, url: &str, fingerprint: u64) -> Result<Option<PageSummary>, StoreError> {
        let found = self.connection.query_row(
            "SELECT pages.id, pages.url, pages.weight, pages.depth, pages.found_as, parents.url, pages.found_at
             FROM pages LEFT JOIN pages AS parents ON parents.id = pages.found_on
             WHERE pages.fingerprint = ?1 AND pages.url = ?2",
            params![fingerprint as i64, url],
            read_summary,
        );
        Ok(found.optional()?)
    }

    /// Every page, for people; ends early if `take` fails.
    pub fn each_summary<E: From<StoreError>>(&self, take: impl FnMut(PageSummary) -> Result<(), E>) -> Result<(), E> {
        let sql = "SELECT pages.id, pages.url, pages.weight, pages.depth, pages.found_as, parents.url, pages.found_at
             FROM pages LEFT JOIN pages AS parents ON parents.id = pages.found_on WHERE pages.id > ?1 ORDER BY pages.id";
        self.try_each(sql, read_summary, take)
    }

    /// The visits of one page, or of all pages, oldest first; ends early if `take` fails.
    pub fn each_entry<E: From<StoreError>>(
        &self,
        page: Option<PageId>,
        take: impl FnMut(VisitEntry) -> Result<(), E>,
    ) -> Result<(), E> {
        let filter = if page.is_some() { "AND visits.page = ?2" } else { "" };
        let sql = format!(
            "SELECT visits.id, pages.url, at, outcome, rule, detail, status, bytes, millis, files.name, position, visits.length
             FROM visits JOIN pages ON pages.id = visits.page LEFT JOIN files ON files.id = visits.file
             WHERE visits.id > ?1 {filter} ORDER BY visits.id"
        );
        let about = page.map(|page| page.0.into());
        self.try_each(Question { about: about.as_slice(), ..sql.as_str().into() }, read_entry, take)
    }

    /// Each capture that the archive holds in one file.
    pub fn each_capture(&self, file: u32, mut take: impl FnMut(CaptureEntry)) -> Result<(), StoreError> {
        let sql = "SELECT visits.id, pages.url, at, status, mime, payload, revisit, position, visits.length, file
             FROM visits JOIN pages ON pages.id = visits.page WHERE visits.id > ?1 AND file >= ?2 ORDER BY visits.id";
        let Some(since) = self.since_visit(file)? else { return Ok(()) };
        let question = Question { about: &[file.into()], after: since - 1, ..sql.into() };
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, u32>(9)?, read_capture(row)?));
        let mut last: i64 = 0;
        let taken: Result<(), Option<StoreError>> = self.try_each(question, read, |(visit, held_in, capture)| {
            // Files are filled one after the other: the first visit of the next one ends this one.
            if held_in != file {
                return Err(None);
            }
            last = visit;
            take(capture);
            Ok(())
        });
        if let Err(Some(error)) = taken {
            return Err(error);
        }
        let sql = "SELECT visit << 32 | number, url, visits.at, parts.status, parts.mime, parts.payload, parts.revisit,
                    parts.position, parts.length
             FROM parts JOIN visits ON visits.id = parts.visit
             WHERE (visit, number) > (?1 >> 32, ?1 & 0xffffffff) AND visit <= ?3 AND parts.file = ?2 ORDER BY visit, number";
        self.each(Question { about: &[file.into(), last], after: since << 32, ..sql.into() }, read_capture, take)
    }

    fn since_visit(&self, file: u32) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT since_visit FROM files WHERE id = ?1";
        Ok(self.connection.query_row(sql, [file], |row| row.get(0)).optional()?)
    }

    /// How large the collection is.
    pub fn totals(&self) -> Result<Totals, StoreError> {
        let number =
            |sql: &str| self.connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(|found| found as u64);
        // Hosts and pages are numbered from 0, visits from 1, and none is ever removed.
        Ok(Totals {
            hosts: number("SELECT coalesce(max(id) + 1, 0) FROM hosts")?,
            pages: number("SELECT coalesce(max(id) + 1, 0) FROM pages")?,
            copies: self.count_copies()?,
            visits: number("SELECT coalesce(max(id), 0) FROM visits")?,
            archive_bytes: number("SELECT coalesce(sum(length), 0) FROM files")?,
        })
    }

    fn count_copies(&self) -> Result<u64, StoreError> {
        let mut copies = 0;
        self.each("SELECT page FROM copies WHERE page > ?1 ORDER BY page", |_| Ok(()), |()| copies += 1)?;
        Ok(copies)
    }

    /// Visits counted by outcome.
    pub fn outcomes(&self) -> Result<Outcomes, StoreError> {
        let mut outcomes = Outcomes::default();
        self.each_visit(|visit| outcomes.count(visit.outcome))?;
        Ok(outcomes)
    }

    /// When the first visit was made.
    pub fn first_visit(&self) -> Result<Option<Time>, StoreError> {
        let first = self.connection.query_row("SELECT at FROM visits ORDER BY id LIMIT 1", [], |row| row.get(0));
        Ok(first.optional()?.map(Time::from_millis))
    }

    /// The last trainings, newest first.
    pub fn trainings(&self, most: usize) -> Result<Vec<TrainingRow>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT at, model, adopted, freshness, freshness_before, pages, detail
             FROM trainings ORDER BY id DESC LIMIT ?1",
        )?;
        let read = |row: &Row<'_>| {
            Ok(TrainingRow {
                at: row.get(0)?,
                model: row.get(1)?,
                adopted: row.get(2)?,
                freshness: row.get(3)?,
                freshness_before: row.get(4)?,
                pages: row.get::<_, i64>(5)? as usize,
                detail: row.get(6)?,
            })
        };
        let rows = statement.query_map([most as i64], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The last cycles, newest first.
    pub fn cycles(&self, most: usize) -> Result<Vec<CycleRow>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT opened_at, closed_at, first, changed, unchanged, gone, failed, expected_freshness
             FROM cycles ORDER BY id DESC LIMIT ?1",
        )?;
        let rows = statement.query_map([most as i64], read_cycle)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn read_loaded(page: PageId, row: &Row<'_>) -> rusqlite::Result<Loaded> {
    let copy = match row.get::<_, Option<i64>>(4)? {
        None => None,
        Some(since) => Some(CopyRow {
            page,
            since: Time::from_millis(since),
            etag: row.get(5)?,
            last_modified: row.get(6)?,
            payload: row.get(7)?,
            text: row.get(8)?,
            simhash: row.get::<_, i64>(9)? as u64,
            moved_to: row.get(10)?,
        }),
    };
    let aside = match row.get::<_, Option<i64>>(11)? {
        None => None,
        Some(since) => Some(AsideRow { page, since: Time::from_millis(since), payload: row.get(12)? }),
    };
    Ok(Loaded { page, host: HostId(row.get(0)?), url: row.get(1)?, depth: row.get(2)?, hops: row.get(3)?, copy, aside })
}

fn read_outcome(row: &Row<'_>, column: usize) -> rusqlite::Result<Outcome> {
    let name = row.get_ref(column)?.as_str()?;
    Outcome::from_name(name).ok_or_else(|| {
        let problem = format!("'{name}' is no outcome of a visit");
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, problem.into())
    })
}

fn read_features(row: &Row<'_>) -> rusqlite::Result<FeaturesRow> {
    Ok(FeaturesRow {
        page: PageId(row.get(0)?),
        depth: row.get(1)?,
        text_bytes: row.get(2)?,
        links: row.get(3)?,
        images: row.get(4)?,
        emails: row.get(5)?,
        directory_level: row.get(6)?,
        last_modified: row.get(7)?,
        nofollow: row.get(8)?,
        noindex: row.get(9)?,
        format: row.get(10)?,
        host_kind: row.get(11)?,
        max_age: row.get(12)?,
    })
}

fn read_host(row: &Row<'_>) -> rusqlite::Result<HostRow> {
    let time = |column| row.get::<_, Option<i64>>(column).map(|time| time.map_or(Time::MIN, Time::from_millis));
    let robots = match row.get::<_, Option<u16>>(2)? {
        Some(status) => Some(RobotsRow { status, body: row.get(3)?, at: time(4)? }),
        None => None,
    };
    Ok(HostRow {
        id: HostId(row.get(0)?),
        name: row.get(1)?,
        robots,
        last_contact: time(5)?,
        blocked_until: time(6)?,
        pause: Span::from_millis(row.get(7)?),
    })
}

pub(super) fn read_summary(row: &Row<'_>) -> rusqlite::Result<PageSummary> {
    Ok(PageSummary {
        id: row.get(0)?,
        url: row.get(1)?,
        weight: row.get(2)?,
        depth: row.get(3)?,
        found_as: row.get(4)?,
        found_on: row.get(5)?,
        found_at: row.get(6)?,
    })
}

fn read_entry(row: &Row<'_>) -> rusqlite::Result<VisitEntry> {
    let number = |column| row.get::<_, Option<i64>>(column).map(|number| number.map(|number| number as u64));
    Ok(VisitEntry {
        url: row.get(1)?,
        at: row.get(2)?,
        outcome: row.get(3)?,
        rule: row.get(4)?,
        detail: row.get(5)?,
        status: row.get(6)?,
        bytes: number(7)?,
        millis: number(8)?,
        file: row.get(9)?,
        position: number(10)?,
        length: number(11)?,
    })
}

fn read_capture(row: &Row<'_>) -> rusqlite::Result<CaptureEntry> {
    let mut url: String = row.get(1)?;
    // What was posted to a URL is told apart by a fragment, which no server was sent.
    url.truncate(url.find('#').unwrap_or(url.len()));
    Ok(CaptureEntry {
        url,
        at: Time::from_millis(row.get(2)?),
        status: row.get(3)?,
        mime: row.get(4)?,
        payload: row.get(5)?,
        revisit: row.get(6)?,
        position: row.get::<_, i64>(7)? as u64,
        length: row.get::<_, i64>(8)? as u64,
    })
}

fn read_cycle(row: &Row<'_>) -> rusqlite::Result<CycleRow> {
    let count = |column| row.get::<_, i64>(column).map(|count| count as u64);
    Ok(CycleRow {
        opened_at: Time::from_millis(row.get(0)?),
        closed_at: Time::from_millis(row.get(1)?),
        outcomes: Outcomes {
            first: count(2)?,
            changed: count(3)?,
            unchanged: count(4)?,
            gone: count(5)?,
            failed: count(6)?,
        },
        expected_freshness: row.get(7)?,
    })
}
