//! Pages with a description of their own, and the further exchanges that a visit of them may take.

use revisit::{PageId, Time};
use rusqlite::types::Type;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::read::{PageSummary, read_summary};
use super::rows::CaptureRow;
use super::{Store, StoreError};
use crate::sources::{Kind, Source};

/// A page and how it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRow {
    /// The page.
    pub page: PageId,
    /// How it is asked.
    pub source: Source,
}

/// A further exchange of a visit, which the archive keeps beside the first.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct PartRow {
    /// What was asked.
    pub url: String,
    /// HTTP status.
    pub status: u16,
    /// Media type without parameters.
    pub mime: Option<String>,
    /// Where the archive keeps it; its position counts from that of the first exchange until the writer fills it in.
    pub capture: CaptureRow,
}

/// A page that is asked in another way than before has no version to compare with.
pub(super) fn put_source(transaction: &Transaction<'_>, row: &SourceRow) -> rusqlite::Result<()> {
    let Source { kind, accept, query, rules } = &row.source;
    let rules = serde_json::to_string(rules).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let changed = transaction
        .prepare_cached(
            "INSERT INTO sources VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (page) DO UPDATE SET
                 kind = excluded.kind, accept = excluded.accept, query = excluded.query, rules = excluded.rules
             WHERE (kind, accept, query, rules) IS NOT (excluded.kind, excluded.accept, excluded.query, excluded.rules)",
        )?
        .execute(params![row.page.0, kind.name(), accept, query, rules])?;
    if changed > 0 {
        transaction.prepare_cached("DELETE FROM copies WHERE page = ?1")?.execute([row.page.0])?;
    }
    Ok(())
}

/// The further exchanges of the visit that was written last.
pub(super) fn put_parts(transaction: &Transaction<'_>, parts: &[PartRow]) -> rusqlite::Result<()> {
    let visit = transaction.last_insert_rowid();
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

impl Store {
    /// How a page is asked, if that is not as for all pages.
    pub fn source(&self, page: PageId) -> Result<Option<Source>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT kind, accept, query, rules FROM sources WHERE page = ?1")?;
        Ok(statement.query_row([page.0], read_source).optional()?)
    }

    /// Requests that the visits since a time took after their first.
    pub fn further_requests(&self, since: Time) -> Result<u64, StoreError> {
        let sql = "SELECT coalesce(sum(further), 0) FROM visits WHERE further IS NOT NULL AND at > ?1";
        let requests: i64 = self.connection.query_row(sql, [since.millis()], |row| row.get(0))?;
        Ok(requests as u64)
    }

    /// Every page that is a source.
    pub fn each_source(&self, take: impl FnMut(PageId)) -> Result<(), StoreError> {
        self.each("SELECT page FROM sources WHERE page > ?1 ORDER BY page", |row| Ok(PageId(row.get(0)?)), take)
    }

    /// The SPARQL sources at an endpoint, which people name by its address.
    pub fn sources_at(&self, endpoint: &str) -> Result<Vec<PageSummary>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT pages.id, pages.url, pages.weight, pages.depth, pages.found_as, parents.url, pages.found_at
             FROM sources JOIN pages ON pages.id = sources.page LEFT JOIN pages AS parents ON parents.id = pages.found_on
             WHERE kind = 'sparql' AND substr(pages.url, 1, length(?1)) = ?1
                 AND substr(pages.url, length(?1) + 1, 1) IN ('?', '&', '#') ORDER BY pages.id",
        )?;
        let rows = statement.query_map([endpoint], read_summary)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn read_source(row: &Row<'_>) -> rusqlite::Result<Source> {
    let wrong = |column, problem: String| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, problem.into());
    let (kind, rules): (String, String) = (row.get(0)?, row.get(3)?);
    Ok(Source {
        kind: Kind::from_name(&kind).ok_or_else(|| wrong(0, format!("there is no kind {kind} of sources")))?,
        accept: row.get(1)?,
        query: row.get(2)?,
        rules: serde_json::from_str(&rules).map_err(|error| wrong(3, error.to_string()))?,
    })
}
