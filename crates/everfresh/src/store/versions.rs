//! Versions: where the archive keeps what a page was at a time.

use revisit::{PageId, Time};
use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};

/// A version of a page that the archive keeps whole.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct VersionEntry {
    /// When it was archived, in milliseconds since 1970.
    pub at: i64,
    /// Whether it differs from the one before.
    pub changed: bool,
}

/// One archived exchange of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedEntry {
    /// What was asked, with the fragment that tells apart what was posted to one URL.
    pub url: String,
    /// The WARC file that holds the answer.
    pub file: String,
    /// Where in the file.
    pub position: u64,
    /// How many bytes.
    pub length: u64,
}

impl Store {
    /// The versions of a page that the archive keeps whole, oldest first.
    pub fn versions(&self, page: PageId) -> Result<Vec<VersionEntry>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT at, outcome FROM visits WHERE page = ?1 AND revisit = 0 AND status BETWEEN 200 AND 299
                 AND outcome IN ('first', 'changed', 'unchanged') ORDER BY id",
        )?;
        let rows = statement.query_map([page.0], |row| {
            Ok(VersionEntry { at: row.get(0)?, changed: row.get::<_, String>(1)? != "unchanged" })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The exchanges of the version that was archived at a time, in the order in which they were made; none if there is no
    /// such version.
    pub fn archived(&self, page: PageId, at: Time) -> Result<Vec<ArchivedEntry>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT visits.id, pages.url, files.name, position, visits.length
             FROM visits JOIN pages ON pages.id = visits.page JOIN files ON files.id = visits.file
             WHERE visits.page = ?1 AND at = ?2 AND revisit = 0 ORDER BY visits.id DESC LIMIT 1",
        )?;
        let first = statement.query_row(params![page.0, at.millis()], |row| Ok((row.get::<_, i64>(0)?, entry(row)?)));
        let Some((visit, first)) = first.optional()? else { return Ok(Vec::new()) };
        let mut statement = self.connection.prepare_cached(
            "SELECT parts.visit, url, files.name, position, parts.length FROM parts JOIN files ON files.id = parts.file
             WHERE visit = ?1 ORDER BY number",
        )?;
        let mut archived = vec![first];
        for part in statement.query_map([visit], entry)? {
            archived.push(part?);
        }
        Ok(archived)
    }
}

fn entry(row: &rusqlite::Row<'_>) -> rusqlite::Result<ArchivedEntry> {
    let (position, length) = (row.get::<_, i64>(3)? as u64, row.get::<_, i64>(4)? as u64);
    Ok(ArchivedEntry { url: row.get(1)?, file: row.get(2)?, position, length })
}
