//! What sitemaps and feeds said of pages, and what that was worth, as the store keeps it.
//!
//! Of a page only the latest date is kept, so a sitemap that calls everything new costs a row a page and not a row a
//! reading. Trust is learned from visits and from what was claimed before each of them, which nobody keeps; so its sums are
//! written down at the end of each cycle.

use std::collections::BTreeMap;

use revisit::site::Trust;
use revisit::{HostId, ListKind, PageId, Time};
use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::{Store, StoreError};

/// All that one reading of a list says of its host's pages.
#[derive(Clone, Debug, PartialEq)]
pub struct HintsRow {
    /// The list.
    pub list: PageId,
    /// Its kind.
    pub kind: ListKind,
    /// When it was read.
    pub at: Time,
    /// Pages, and when they last changed.
    pub entries: Vec<(PageId, Time)>,
}

/// What was last said of a page, as people ask for it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct HintEntry {
    /// When the page last changed, in milliseconds since 1970.
    pub modified: i64,
    /// When that was said first.
    pub told_at: i64,
    /// The URL of the list that said it.
    pub told_by: String,
}

/// A date that is not later than the one kept changes nothing, and most are not.
const PUT: &str = "INSERT INTO hints VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (page) DO UPDATE SET
        told_at = iif(excluded.modified > modified, excluded.told_at, told_at),
        told_by = iif(excluded.modified > modified, excluded.told_by, told_by),
        sitemap = coalesce(excluded.sitemap, sitemap),
        modified = max(modified, excluded.modified)
    WHERE excluded.modified > modified OR coalesce(excluded.sitemap, sitemap) IS NOT sitemap";

pub(super) fn put_hints(transaction: &Transaction<'_>, row: &HintsRow) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(PUT)?;
    let sitemap = (row.kind == ListKind::Sitemap).then_some(row.list.0);
    for (page, modified) in &row.entries {
        statement.execute(params![page.0, modified.millis(), row.at.millis(), row.list.0, sitemap])?;
    }
    Ok(())
}

pub(super) fn put_trust(transaction: &Transaction<'_>, host: HostId, trust: &Trust) -> rusqlite::Result<()> {
    let [claimed_changed, claimed_unchanged, denied_changed, denied_unchanged, share, readings] = trust.numbers();
    transaction.prepare_cached("INSERT OR REPLACE INTO trust VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?.execute(
        params![host.0, claimed_changed, claimed_unchanged, denied_changed, denied_unchanged, share, readings],
    )?;
    Ok(())
}

impl Store {
    /// What was said of every page: the page, its date, the list and its kind. A page of a sitemap whose date came from
    /// elsewhere is told by the sitemap.
    pub fn each_hint(&self, mut take: impl FnMut(PageId, Time, PageId, ListKind)) -> Result<(), StoreError> {
        let read = |row: &Row<'_>| {
            let (list, kind) = match row.get(3)? {
                Some(sitemap) => (PageId(sitemap), ListKind::Sitemap),
                None => (PageId(row.get(2)?), ListKind::Feed),
            };
            Ok((PageId(row.get(0)?), Time::from_millis(row.get(1)?), list, kind))
        };
        let sql = "SELECT page, modified, told_by, sitemap FROM hints WHERE page > ?1 ORDER BY page";
        self.each(sql, read, |(page, modified, list, kind)| take(page, modified, list, kind))
    }

    /// What was last said of a page.
    pub fn hint(&self, page: PageId) -> Result<Option<HintEntry>, StoreError> {
        let sql = "SELECT modified, told_at, pages.url FROM hints JOIN pages ON pages.id = told_by WHERE page = ?1";
        let read = |row: &Row<'_>| Ok(HintEntry { modified: row.get(0)?, told_at: row.get(1)?, told_by: row.get(2)? });
        Ok(self.connection.query_row(sql, [page.0], read).optional()?)
    }

    /// The URLs of some pages.
    pub fn urls(&self, pages: impl IntoIterator<Item = PageId>) -> Result<BTreeMap<PageId, String>, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT url FROM pages WHERE id = ?1")?;
        let mut urls = BTreeMap::new();
        for page in pages {
            urls.insert(page, statement.query_row([page.0], |row| row.get(0))?);
        }
        Ok(urls)
    }

    /// What the dates of every host were worth.
    pub fn each_trust(&self, mut take: impl FnMut(HostId, Trust)) -> Result<(), StoreError> {
        let read = |row: &Row<'_>| {
            let mut numbers = [0.0; 6];
            for (column, number) in (1..).zip(&mut numbers) {
                *number = row.get(column)?;
            }
            Ok((HostId(row.get(0)?), Trust::from_numbers(numbers)))
        };
        let sql = "SELECT * FROM trust WHERE host > ?1 ORDER BY host";
        self.each(sql, read, |(host, trust)| take(host, trust))
    }
}
