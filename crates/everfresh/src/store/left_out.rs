//! Links that guards left out, counted by reason over the life of the collection.

use rusqlite::{Transaction, params};

use super::{Store, StoreError};
use crate::parse::LeftOut;

/// Links left out for one reason.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LeftOutEntry {
    /// The name of the reason.
    pub reason: String,
    /// How many, each time one was met.
    pub links: u64,
    /// The last that was taken for an example.
    pub example: String,
}

/// Adds to what was counted before.
pub(super) fn put_left_out(transaction: &Transaction<'_>, left_out: &LeftOut) -> rusqlite::Result<()> {
    for row in left_out.rows() {
        let sql = "INSERT INTO left_out VALUES (?1, ?2, ?3)
             ON CONFLICT (reason) DO UPDATE SET links = links + excluded.links, example = excluded.example";
        let mut statement = transaction.prepare_cached(sql)?;
        statement.execute(params![row.reason.name(), row.links as i64, row.example])?;
    }
    Ok(())
}

impl Store {
    /// Links that guards left out, most first.
    pub fn left_out(&self) -> Result<Vec<LeftOutEntry>, StoreError> {
        let sql = "SELECT reason, links, example FROM left_out ORDER BY links DESC, reason";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(LeftOutEntry { reason: row.get(0)?, links: row.get::<_, i64>(1)? as u64, example: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
