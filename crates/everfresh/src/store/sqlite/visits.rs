//! Visits in the file: appended, replayed, and told to people.

use revisit::{Outcome, PageId, Time, Visit};
use rusqlite::types::Type;
use rusqlite::{Row, Transaction, params};

use super::Sqlite;
use super::pieces::ROWS;
use crate::rule::Rule;
use crate::store::{CaptureRow, Cursor, Order, PartRow, Piece, StoreError, ToldVisit, VisitEntry, VisitRow};

/// Appends visits, numbered from `next` on.
pub(super) fn put(transaction: &Transaction<'_>, next: u64, visits: &[VisitRow]) -> rusqlite::Result<()> {
    for (id, visit) in (next as i64..).zip(visits) {
        put_visit(transaction, id, visit)?;
    }
    Ok(())
}

fn put_visit(transaction: &Transaction<'_>, id: i64, row: &VisitRow) -> rusqlite::Result<()> {
    let (answer, capture) = (row.answer.as_ref(), row.capture.as_ref());
    transaction
        .prepare_cached(
            "INSERT INTO visits (id, page, at, outcome, rule, detail, status, mime, bytes, millis, payload, revisit, file, position, length, further)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        )?
        .execute(params![
            id,
            row.visit.page.0,
            row.visit.at.millis(),
            row.visit.outcome.name(),
            row.rule.name(),
            row.detail,
            answer.map(|answer| answer.status),
            answer.and_then(|answer| answer.mime.as_deref()),
            answer.map(|answer| answer.bytes as i64),
            answer.map(|answer| answer.millis as i64),
            capture.map(|capture| capture.payload),
            capture.map(|capture| capture.revisit),
            capture.map(|capture| capture.file),
            capture.map(|capture| capture.position as i64),
            capture.map(|capture| capture.length as i64),
            (row.requests != 1).then_some(i64::from(row.requests) - 1)
        ])?;
    if row.parts.is_empty() { Ok(()) } else { put_parts(transaction, id, &row.parts) }
}

/// The further exchanges of a visit.
fn put_parts(transaction: &Transaction<'_>, visit: i64, parts: &[PartRow]) -> rusqlite::Result<()> {
    let mut statement =
        transaction.prepare_cached("INSERT INTO parts VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?;
    for (number, part) in (1..).zip(parts) {
        let PartRow { url, status, mime, capture } = part;
        let CaptureRow { payload, revisit, file, position, length } = capture;
        let (position, length) = (*position as i64, *length as i64);
        statement.execute(params![visit, number, url, status, mime, payload, revisit, file, position, length])?;
    }
    Ok(())
}

impl Sqlite {
    /// Visits for a replay.
    pub(super) fn read_visits(&self, from: u64) -> Result<Vec<ToldVisit>, StoreError> {
        let read = |row: &Row<'_>| {
            let visit =
                Visit { page: PageId(row.get(1)?), at: Time::from_millis(row.get(2)?), outcome: read_outcome(row, 3)? };
            let further = row.get::<_, Option<i64>>(4)?.unwrap_or(0);
            let requests = u32::try_from(further.saturating_add(1)).unwrap_or(0);
            let missed = visit.outcome == Outcome::Failed && misses_host(row, 5)?;
            Ok(ToldVisit { number: row.get::<_, i64>(0)? as u64, visit, requests, missed })
        };
        let sql = "SELECT id, page, at, outcome, further, rule, status FROM visits WHERE id >= ?1 ORDER BY id";
        self.numbered(sql, from, ROWS, read)
    }

    /// Visits for people.
    pub(super) fn read_history(
        &self,
        of: Option<PageId>,
        order: Order,
        after: Option<Cursor>,
    ) -> Result<Piece<VisitEntry>, StoreError> {
        let of_page = if of.is_some() { "AND visits.page = ?2" } else { "" };
        let (beyond, direction, start) = match order {
            Order::OldestFirst => (">", "ASC", i64::MIN),
            Order::NewestFirst => ("<", "DESC", i64::MAX),
        };
        let sql = format!(
            "SELECT visits.id, pages.url, at, outcome, rule, detail, status, bytes, millis, files.name, position, visits.length
             FROM visits JOIN pages ON pages.id = visits.page LEFT JOIN files ON files.id = visits.file
             WHERE visits.id {beyond} ?1 {of_page} ORDER BY visits.id {direction}"
        );
        let key = after.map_or(start, |Cursor(_, key)| key);
        let about = [Some(key), of.map(|page| page.0.into())];
        self.piece(&sql, &about.into_iter().flatten().collect::<Vec<i64>>(), read_entry)
    }
}

fn read_outcome(row: &Row<'_>, column: usize) -> rusqlite::Result<Outcome> {
    let name = row.get_ref(column)?.as_str()?;
    Outcome::from_name(name).ok_or_else(|| {
        let problem = format!("'{name}' is no outcome of a visit");
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, problem.into())
    })
}

/// Whether the rule in a column, with the status in the next one, says that the host did not answer.
fn misses_host(row: &Row<'_>, rule: usize) -> rusqlite::Result<bool> {
    let (name, status) = (row.get_ref(rule)?.as_str()?, row.get(rule + 1)?);
    Ok(Rule::from_name(name).is_some_and(|rule| rule.misses_host(status)))
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
