//! Reading what a start and the next visits need.

use revisit::{HostId, PageId, Span, Time};
use rusqlite::types::{Type, ValueRef};
use rusqlite::{OptionalExtension, Row};

use super::pieces::ROWS;
use super::{Sqlite, learn};
use crate::sources::{Kind, Source};
use crate::store::{
    AsideRow, BatchRow, CopyRow, FeaturesRow, HostRow, Learned, Load, Loaded, OpenedCycle, PageEntry, Replay,
    RobotsRow, StoreError, ToldVisit,
};

/// Hosts read at once, with their robots.txt of up to half a megabyte each.
const HOSTS: usize = 16;

impl Replay for Sqlite {
    fn last_batch(&self) -> Result<BatchRow, StoreError> {
        Ok(learn::last(&self.connection)?)
    }

    fn batches(&self, from: u64) -> Result<Vec<BatchRow>, StoreError> {
        self.read_batches(from)
    }

    fn learned(&self, from: u64) -> Result<Vec<(u64, Learned)>, StoreError> {
        self.read_learned(from)
    }

    fn hosts(&self, from: u64) -> Result<Vec<HostRow>, StoreError> {
        let sql = "SELECT id, name, robots_status, robots_body, robots_at, last_contact, blocked_until, pause
             FROM hosts WHERE id >= ?1 ORDER BY id";
        self.numbered(sql, from, HOSTS, read_host)
    }

    fn pages(&self, from: u64) -> Result<Vec<PageEntry>, StoreError> {
        let sql =
            "SELECT id, fingerprint, host, coalesce(first_weight, weight), url FROM pages WHERE id >= ?1 ORDER BY id";
        self.numbered(sql, from, ROWS, read_page)
    }

    fn count_pages(&self, below: u32) -> Result<u64, StoreError> {
        // All are counted already, and few come after.
        let sql = "SELECT number - (SELECT count(*) FROM pages WHERE id >= ?1) FROM counts WHERE what = 'pages'";
        let count = self.connection.query_row(sql, [below], |row| row.get::<_, i64>(0))?;
        Ok(count.max(0) as u64)
    }

    fn visits(&self, from: u64) -> Result<Vec<ToldVisit>, StoreError> {
        self.read_visits(from)
    }

    fn opened_cycles(&self, from: u64) -> Result<Vec<OpenedCycle>, StoreError> {
        let sql = "SELECT id, opened_at, after_batch, budget, allowed FROM cycles
             WHERE id >= ?1 AND after_batch IS NOT NULL ORDER BY id";
        self.numbered(sql, from, ROWS, read_opened)
    }

    fn features(&self, pages: &[PageId]) -> Result<Vec<FeaturesRow>, StoreError> {
        let sql =
            "SELECT page, depth, text_bytes, links, images, emails, directory_level, last_modified, nofollow, noindex,
                    format, host_kind, max_age
             FROM features JOIN pages ON pages.id = features.page WHERE page = ?1";
        self.each_of(sql, pages, |_, row| read_features(row))
    }

    fn sources(&self, from: u64) -> Result<Vec<PageId>, StoreError> {
        let sql = "SELECT page FROM sources WHERE page >= ?1 ORDER BY page";
        self.numbered(sql, from, ROWS, |row| Ok(PageId(row.get(0)?)))
    }

    fn lost(&self, from: u64) -> Result<Vec<PageId>, StoreError> {
        let sql = "SELECT DISTINCT page FROM visits
             WHERE page >= ?1 AND file IS NULL AND outcome IN ('first', 'changed', 'unchanged')
                 AND NOT EXISTS (SELECT 1 FROM copies WHERE copies.page = visits.page) ORDER BY page";
        self.numbered(sql, from, ROWS, |row| Ok(PageId(row.get(0)?)))
    }
}

pub(super) fn read_page(row: &Row<'_>) -> rusqlite::Result<PageEntry> {
    Ok(PageEntry {
        id: PageId(row.get(0)?),
        fingerprint: row.get::<_, i64>(1)? as u64,
        host: HostId(row.get(2)?),
        weight: row.get(3)?,
        url: row.get(4)?,
    })
}

/// A cycle as it began, of which it is known after which batch.
pub(super) fn read_opened(row: &Row<'_>) -> rusqlite::Result<OpenedCycle> {
    let count = |column| row.get::<_, i64>(column).map(|count| count as u64);
    let at = Time::from_millis(row.get(1)?);
    Ok(OpenedCycle { number: count(0)?, at, after: count(2)?, budget: count(3)?, visits: count(4)? })
}

impl Load for Sqlite {
    fn load(&self, pages: &[PageId]) -> Result<Vec<Loaded>, StoreError> {
        let sql = "SELECT pages.host, pages.url, pages.depth, pages.hops,
                    copies.since, copies.etag, copies.last_modified, copies.payload, copies.text, copies.simhash, copies.moved_to,
                    asides.since, asides.payload, sources.kind, sources.accept, sources.query, sources.rules
             FROM pages LEFT JOIN copies ON copies.page = pages.id LEFT JOIN asides ON asides.page = pages.id
                 LEFT JOIN sources ON sources.page = pages.id
             WHERE pages.id = ?1";
        self.each_of(sql, pages, read_loaded)
    }

    fn robots(&self, host: HostId) -> Result<Option<RobotsRow>, StoreError> {
        let sql = "SELECT robots_status, robots_body, robots_at FROM hosts WHERE id = ?1 AND robots_status IS NOT NULL";
        let read = |row: &Row<'_>| {
            Ok(RobotsRow { status: row.get(0)?, body: row.get(1)?, at: Time::from_millis(row.get(2)?) })
        };
        Ok(self.connection.prepare_cached(sql)?.query_row([host.0], read).optional()?)
    }
}

impl Sqlite {
    /// What a question about one page answers for each of some pages, as far as it has an answer.
    pub(super) fn each_of<T>(
        &self,
        sql: &str,
        pages: &[PageId],
        read: impl Fn(PageId, &Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut found = Vec::with_capacity(pages.len());
        for piece in pages.chunks(ROWS) {
            // One transaction, or the file would be locked and unlocked for each page.
            let transaction = self.connection.unchecked_transaction()?;
            for &page in piece {
                found.extend(statement.query_row([page.0], |row| read(page, row)).optional()?);
            }
            transaction.commit()?;
        }
        Ok(found)
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
    let source = if row.get_ref(13)? == ValueRef::Null { None } else { Some(read_source(row, 13)?) };
    let (host, url) = (HostId(row.get(0)?), row.get(1)?);
    Ok(Loaded { page, host, url, depth: row.get(2)?, hops: row.get(3)?, copy, aside, source })
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

fn read_source(row: &Row<'_>, first: usize) -> rusqlite::Result<Source> {
    let wrong = |column, problem: String| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, problem.into());
    let (kind, rules): (String, String) = (row.get(first)?, row.get(first + 3)?);
    Ok(Source {
        kind: Kind::from_name(&kind).ok_or_else(|| wrong(first, format!("there is no kind {kind} of sources")))?,
        accept: row.get(first + 1)?,
        query: row.get(first + 2)?,
        rules: serde_json::from_str(&rules).map_err(|error| wrong(first + 3, error.to_string()))?,
    })
}
