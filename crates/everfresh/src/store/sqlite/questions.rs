//! What people ask.

use std::collections::BTreeMap;

use revisit::{HostId, PageId, Time};
use rusqlite::{OptionalExtension, Row, params};

use super::load::{read_opened, read_page};
use super::pieces::ROWS;
use super::{Sqlite, learn};
use crate::store::{
    ArchivedEntry, Ask, CaptureEntry, ClosedCycle, Cursor, CycleEntry, FileRow, HintEntry, IndexRow, LeftOutEntry,
    LinksRow, Order, Outcomes, PageEntry, PageSummary, Piece, StoreError, Totals, TrainingRow, VersionEntry,
    VisitEntry,
};

/// A page as people ask for it.
const SUMMARY: &str =
    "SELECT pages.id, pages.url, pages.weight, pages.depth, pages.found_as, parents.url, pages.found_at
     FROM pages LEFT JOIN pages AS parents ON parents.id = pages.found_on";

impl Ask for Sqlite {
    fn collection(&self) -> Result<Option<u64>, StoreError> {
        let text = self.fact("collection")?;
        let damaged = |text: &str| StoreError::Damaged(format!("'{text}' is no number of a collection"));
        text.map(|text| text.parse().map_err(|_| damaged(&text))).transpose()
    }

    fn is_running(&self) -> Result<bool, StoreError> {
        Ok(self.fact("running")?.as_deref() == Some("yes"))
    }

    fn totals(&self) -> Result<Totals, StoreError> {
        let counts = self.counts()?;
        let sql = "SELECT coalesce(sum(length), 0) FROM files";
        let archive_bytes = self.connection.query_row(sql, [], |row| row.get::<_, i64>(0))? as u64;
        let [hosts, pages, copies] = ["hosts", "pages", "copies"].map(|what| counts.of(what));
        Ok(Totals { hosts, pages, copies, visits: counts.outcomes().total(), archive_bytes })
    }

    fn outcomes(&self) -> Result<Outcomes, StoreError> {
        Ok(self.counts()?.outcomes())
    }

    fn find(&self, url: &str, fingerprint: u64) -> Result<Option<PageSummary>, StoreError> {
        let sql = format!("{SUMMARY} WHERE pages.fingerprint = ?1 AND pages.url = ?2");
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row(params![fingerprint as i64, url], read_summary).optional()?)
    }

    fn find_host(&self, name: &str) -> Result<Option<HostId>, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT id FROM hosts WHERE name = ?1")?;
        Ok(statement.query_row([name], |row| row.get(0)).optional()?.map(HostId))
    }

    fn sources_at(&self, endpoint: &str) -> Result<Vec<PageSummary>, StoreError> {
        let sql = format!(
            "{SUMMARY} JOIN sources ON sources.page = pages.id
             WHERE kind = 'sparql' AND substr(pages.url, 1, length(?1)) = ?1
                 AND substr(pages.url, length(?1) + 1, 1) IN ('?', '&', '#') ORDER BY pages.id"
        );
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map([endpoint], read_summary)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn summaries(&self, from: u64) -> Result<Vec<PageSummary>, StoreError> {
        self.numbered(&format!("{SUMMARY} WHERE pages.id >= ?1 ORDER BY pages.id"), from, ROWS, read_summary)
    }

    fn links(&self, from: u64) -> Result<Vec<LinksRow>, StoreError> {
        let sql = "SELECT page, targets FROM links WHERE page >= ?1 ORDER BY page";
        self.numbered(sql, from, ROWS, learn::read_links)
    }

    fn pages_on(&self, host: HostId, from: u64) -> Result<Vec<PageEntry>, StoreError> {
        let sql = "SELECT id, fingerprint, host, coalesce(first_weight, weight), url FROM pages
             WHERE id >= ?1 AND host = ?2 ORDER BY id";
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        Ok(self.some(sql, &[from, host.0.into()], ROWS, read_page)?.0)
    }

    fn links_of(&self, pages: &[PageId]) -> Result<Vec<LinksRow>, StoreError> {
        self.each_of("SELECT page, targets FROM links WHERE page = ?1", pages, |_, row| learn::read_links(row))
    }

    fn urls(&self, pages: &[PageId]) -> Result<BTreeMap<PageId, String>, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT url FROM pages WHERE id = ?1")?;
        let mut urls = BTreeMap::new();
        for page in pages {
            let url = statement.query_row([page.0], |row| row.get(0)).optional()?;
            urls.extend(url.map(|url| (*page, url)));
        }
        Ok(urls)
    }

    fn seeds(&self, after: Option<Cursor>) -> Result<Piece<String>, StoreError> {
        let sql = "SELECT id, url FROM pages INDEXED BY pages_that_are_seeds
             WHERE id > ?1 AND found_as = 'seed' AND id NOT IN (SELECT page FROM sources) ORDER BY id";
        self.piece(sql, &[key(after)], |row| row.get(1))
    }

    fn history(
        &self,
        of: Option<PageId>,
        order: Order,
        after: Option<Cursor>,
    ) -> Result<Piece<VisitEntry>, StoreError> {
        self.read_history(of, order, after)
    }

    fn first_visit(&self) -> Result<Option<Time>, StoreError> {
        let first = self.connection.query_row("SELECT at FROM visits ORDER BY id LIMIT 1", [], |row| row.get(0));
        Ok(first.optional()?.map(Time::from_millis))
    }

    fn versions(&self, page: PageId, after: Option<Cursor>) -> Result<Piece<VersionEntry>, StoreError> {
        let sql = "SELECT id, at, outcome FROM visits
             WHERE id > ?1 AND page = ?2 AND revisit = 0 AND status BETWEEN 200 AND 299
                 AND outcome IN ('first', 'changed', 'unchanged') ORDER BY id";
        self.piece(sql, &[key(after), page.0.into()], |row| {
            Ok(VersionEntry { at: row.get(1)?, changed: row.get_ref(2)?.as_str()? != "unchanged" })
        })
    }

    fn archived(&self, page: PageId, at: Time) -> Result<Vec<ArchivedEntry>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT visits.id, pages.url, files.name, position, visits.length
             FROM visits JOIN pages ON pages.id = visits.page JOIN files ON files.id = visits.file
             WHERE visits.page = ?1 AND at = ?2 AND revisit = 0 ORDER BY visits.id DESC LIMIT 1",
        )?;
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, read_archived(row)?));
        let first = statement.query_row(params![page.0, at.millis()], read).optional()?;
        let Some((visit, first)) = first else { return Ok(Vec::new()) };
        let mut statement = self.connection.prepare_cached(
            "SELECT parts.visit, url, files.name, position, parts.length FROM parts JOIN files ON files.id = parts.file
             WHERE visit = ?1 ORDER BY number",
        )?;
        let mut archived = vec![first];
        for part in statement.query_map([visit], read_archived)? {
            archived.push(part?);
        }
        Ok(archived)
    }

    fn files(&self) -> Result<Vec<IndexRow>, StoreError> {
        let sql = "SELECT id, name, length, indexed, index_length FROM files ORDER BY id";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            let bytes = |column| row.get::<_, i64>(column).map(|bytes| bytes as u64);
            let file = FileRow { id: row.get(0)?, name: row.get(1)?, length: bytes(2)? };
            Ok(IndexRow { file, indexed: bytes(3)?, length: bytes(4)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// First the visits' own captures, then those of their parts.
    fn captures(&self, file: u32, after: Option<Cursor>) -> Result<Piece<CaptureEntry>, StoreError> {
        let sql = "SELECT since_visit, until_visit FROM files WHERE id = ?1";
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let Some((since, until)) = self.connection.query_row(sql, [file], read).optional()? else {
            return Ok(Piece { rows: Vec::new(), next: None });
        };
        let Cursor(of_parts, key) = after.unwrap_or(Cursor(0, since - 1));
        if of_parts == 0 {
            let sql = "SELECT visits.id, pages.url, at, status, mime, payload, revisit, position, visits.length
                 FROM visits JOIN pages ON pages.id = visits.page
                 WHERE visits.id > ?1 AND visits.id < ?3 AND file = ?2 ORDER BY visits.id";
            let mut piece = self.piece(sql, &[key, file.into(), until], read_capture)?;
            piece.next = piece.next.or(Some(Cursor(1, since << 32)));
            return Ok(piece);
        }
        let sql = "SELECT visit << 32 | number, url, visits.at, parts.status, parts.mime, parts.payload, parts.revisit,
                    parts.position, parts.length
             FROM parts JOIN visits ON visits.id = parts.visit
             WHERE (visit, number) > (?1 >> 32, ?1 & 0xffffffff) AND visit < ?3 AND parts.file = ?2 ORDER BY visit, number";
        let mut piece = self.piece(sql, &[key, file.into(), until], read_capture)?;
        piece.next = piece.next.map(|Cursor(_, key)| Cursor(1, key));
        Ok(piece)
    }

    fn hint(&self, page: PageId) -> Result<Option<HintEntry>, StoreError> {
        let sql = "SELECT modified, told_at, pages.url FROM hints JOIN pages ON pages.id = told_by WHERE page = ?1";
        let read = |row: &Row<'_>| Ok(HintEntry { modified: row.get(0)?, told_at: row.get(1)?, told_by: row.get(2)? });
        Ok(self.connection.query_row(sql, [page.0], read).optional()?)
    }

    fn left_out(&self) -> Result<Vec<LeftOutEntry>, StoreError> {
        let sql = "SELECT reason, links, example FROM left_out ORDER BY links DESC, reason";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(LeftOutEntry { reason: row.get(0)?, links: row.get::<_, i64>(1)? as u64, example: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn cycles(&self, most: usize) -> Result<Vec<CycleEntry>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT id, opened_at, after_batch, budget, allowed, closed_at, first, changed, unchanged, gone, failed,
                    expected_freshness
             FROM cycles ORDER BY id DESC LIMIT ?1",
        )?;
        let rows = statement.query_map([i64::try_from(most).unwrap_or(i64::MAX)], read_cycle)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn trainings(&self, most: usize) -> Result<Vec<TrainingRow>, StoreError> {
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
        let rows = statement.query_map([i64::try_from(most).unwrap_or(i64::MAX)], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Sqlite {
    /// A fact of the collection as a whole.
    fn fact(&self, name: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT CAST(value AS TEXT) FROM meta WHERE key = ?1";
        Ok(self.connection.query_row(sql, [name], |row| row.get(0)).optional()?)
    }
}

/// The key after which rows are asked for.
fn key(after: Option<Cursor>) -> i64 {
    after.map_or(-1, |Cursor(_, key)| key)
}

fn read_summary(row: &Row<'_>) -> rusqlite::Result<PageSummary> {
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

fn read_archived(row: &Row<'_>) -> rusqlite::Result<ArchivedEntry> {
    let (position, length) = (row.get::<_, i64>(3)? as u64, row.get::<_, i64>(4)? as u64);
    Ok(ArchivedEntry { url: row.get(1)?, file: row.get(2)?, position, length })
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

fn read_cycle(row: &Row<'_>) -> rusqlite::Result<CycleEntry> {
    let count = |column| row.get::<_, i64>(column).map(|count| count as u64);
    let (number, opened_at) = (count(0)?, Time::from_millis(row.get(1)?));
    let opened = row.get::<_, Option<i64>>(2)?.map(|_| read_opened(row)).transpose()?;
    let closed = match row.get::<_, Option<i64>>(5)? {
        Some(at) => Some(ClosedCycle {
            number,
            at: Time::from_millis(at),
            outcomes: Outcomes {
                first: count(6)?,
                changed: count(7)?,
                unchanged: count(8)?,
                gone: count(9)?,
                failed: count(10)?,
            },
            expected_freshness: row.get(11)?,
        }),
        None => None,
    };
    Ok(CycleEntry { number, opened_at, opened, closed })
}
