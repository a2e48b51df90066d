//! The journal in the file: batches, and what each taught.

use std::collections::BTreeMap;

use revisit::site::Trust;
use revisit::{HostId, ListKind, PageId, Time};
use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::Sqlite;
use crate::store::{BatchRow, HintsRow, Learned, LinksRow, StoreError, varint};

/// Entries of the journal read at once: one may hold what a sitemap says of all its pages.
const ENTRIES: usize = 8;
/// Pages in an entry that a migration writes.
const GATHERED: usize = 4096;

const LAST: &str =
    "SELECT number, next_visit, next_page, next_host, next_change, mark FROM batches ORDER BY number DESC LIMIT 1";

/// The last batch committed.
pub(super) fn last(connection: &rusqlite::Connection) -> rusqlite::Result<BatchRow> {
    Ok(connection.prepare_cached(LAST)?.query_row([], read_batch).optional()?.unwrap_or_default())
}

/// Writes down a batch, and in the journal what it taught.
pub(super) fn put_batch(
    transaction: &Transaction<'_>,
    batch: &mut BatchRow,
    learned: &Learned,
) -> rusqlite::Result<()> {
    if !learned.is_empty() {
        put_learned(transaction, batch, learned)?;
    }
    let BatchRow { number, next_visit, next_page, next_host, next_change, .. } = *batch;
    let sql = "INSERT INTO batches (number, next_visit, next_page, next_host, next_change) VALUES (?1, ?2, ?3, ?4, ?5)";
    transaction.prepare_cached(sql)?.execute(params![
        number as i64,
        next_visit as i64,
        next_page,
        next_host,
        next_change as i64
    ])?;
    Ok(())
}

/// Marks a batch. By itself: a journal that a migration begins has batches before they had marks.
pub(super) fn mark_batch(transaction: &Transaction<'_>, batch: &BatchRow) -> rusqlite::Result<()> {
    let sql = "UPDATE batches SET mark = ?2 WHERE number = ?1";
    transaction.prepare_cached(sql)?.execute(params![batch.number as i64, batch.mark as i64])?;
    Ok(())
}

fn put_learned(transaction: &Transaction<'_>, batch: &mut BatchRow, learned: &Learned) -> rusqlite::Result<()> {
    let sql = "INSERT INTO journal VALUES (?1, ?2)";
    transaction.prepare_cached(sql)?.execute(params![batch.next_change as i64, learned.pack()])?;
    batch.next_change += 1;
    Ok(())
}

/// Begins the journal of a store that had none: one batch for everything there is, with links as they stand, and one for what
/// lists said, which came at times that nobody kept and must not be taken for tested by visits that were made before.
pub(super) fn begin(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    let number = |sql: &str| transaction.query_row(sql, [], |row| row.get::<_, u32>(0));
    let next_visit: i64 = transaction.query_row("SELECT coalesce(max(id), 0) + 1 FROM visits", [], |row| row.get(0))?;
    let mut batch = BatchRow {
        number: 1,
        next_visit: next_visit as u64,
        next_page: number("SELECT coalesce(max(id) + 1, 0) FROM pages")?,
        next_host: number("SELECT coalesce(max(id) + 1, 0) FROM hosts")?,
        next_change: 1,
        mark: 0,
    };
    if batch.next_host == 0 && batch.next_page == 0 {
        return Ok(());
    }
    begin_links(transaction, &mut batch)?;
    begin_features(transaction, &mut batch)?;
    put_batch(transaction, &mut batch, &Learned::default())?;
    batch.number += 1;
    let learned = Learned { hints: all_hints(transaction)?, trust: all_trust(transaction)?, ..Learned::default() };
    if !learned.is_empty() {
        put_batch(transaction, &mut batch, &learned)?;
    }
    Ok(())
}

fn begin_links(transaction: &Transaction<'_>, batch: &mut BatchRow) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare("SELECT page, targets FROM links ORDER BY page")?;
    let (mut rows, mut learned) = (statement.query([])?, Learned::default());
    while let Some(row) = rows.next()? {
        learned.links.push(read_links(row)?);
        if learned.links.len() == GATHERED {
            put_learned(transaction, batch, &std::mem::take(&mut learned))?;
        }
    }
    if learned.is_empty() { Ok(()) } else { put_learned(transaction, batch, &learned) }
}

fn begin_features(transaction: &Transaction<'_>, batch: &mut BatchRow) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare("SELECT page FROM features ORDER BY page")?;
    let (mut rows, mut learned) = (statement.query([])?, Learned::default());
    while let Some(row) = rows.next()? {
        learned.described.push(PageId(row.get(0)?));
        if learned.described.len() == GATHERED {
            put_learned(transaction, batch, &std::mem::take(&mut learned))?;
        }
    }
    if learned.is_empty() { Ok(()) } else { put_learned(transaction, batch, &learned) }
}

/// What was said of every page, by list. A page of a sitemap whose date came from elsewhere is told by the sitemap.
fn all_hints(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<HintsRow>> {
    let sql = "SELECT page, modified, told_at, coalesce(sitemap, told_by), sitemap IS NULL FROM hints ORDER BY page";
    let mut statement = transaction.prepare(sql)?;
    let (mut rows, mut lists) = (statement.query([])?, BTreeMap::new());
    while let Some(row) = rows.next()? {
        let kind = if row.get(4)? { ListKind::Feed } else { ListKind::Sitemap };
        let (list, at) = (PageId(row.get(3)?), Time::from_millis(row.get(2)?));
        let told = lists.entry((list, kind == ListKind::Feed));
        let told = told.or_insert(HintsRow { list, kind, at, entries: Vec::new() });
        told.at = told.at.max(at);
        told.entries.push((PageId(row.get(0)?), Time::from_millis(row.get(1)?)));
    }
    Ok(lists.into_values().collect())
}

fn all_trust(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<(HostId, Trust)>> {
    let mut statement = transaction.prepare("SELECT * FROM trust ORDER BY host")?;
    let read = |row: &Row<'_>| {
        let mut numbers = [0.0; 6];
        for (column, number) in (1..).zip(&mut numbers) {
            *number = row.get(column)?;
        }
        Ok((HostId(row.get(0)?), Trust::from_numbers(numbers)))
    };
    statement.query_map([], read)?.collect()
}

pub(super) fn read_links(row: &Row<'_>) -> rusqlite::Result<LinksRow> {
    let packed = row.get_ref(1)?.as_blob()?;
    Ok(LinksRow { page: PageId(row.get(0)?), targets: varint::unpack(packed).collect() })
}

fn read_batch(row: &Row<'_>) -> rusqlite::Result<BatchRow> {
    let long = |column| row.get::<_, i64>(column).map(|number| number as u64);
    Ok(BatchRow {
        number: long(0)?,
        next_visit: long(1)?,
        next_page: row.get(2)?,
        next_host: row.get(3)?,
        next_change: long(4)?,
        mark: long(5)?,
    })
}

impl Sqlite {
    pub(super) fn read_batches(&self, from: u64) -> Result<Vec<BatchRow>, StoreError> {
        let sql = "SELECT number, next_visit, next_page, next_host, next_change, mark FROM batches
             WHERE number >= ?1 ORDER BY number";
        self.numbered(sql, from, super::pieces::ROWS, read_batch)
    }

    pub(super) fn read_learned(&self, from: u64) -> Result<Vec<(u64, Learned)>, StoreError> {
        let sql = "SELECT id, learned FROM journal WHERE id >= ?1 ORDER BY id";
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)? as u64, Learned::unpack(row.get_ref(1)?.as_blob()?)));
        let entries = self.numbered(sql, from, ENTRIES, read)?;
        let damaged = |id| StoreError::Damaged(format!("entry {id} of the journal cannot be read"));
        entries.into_iter().map(|(id, learned)| Ok((id, learned.ok_or_else(|| damaged(id))?))).collect()
    }
}
