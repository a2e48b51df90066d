//! Reading in pieces: a question with many rows for an answer is put again and again, for some of them at a time.
//!
//! While a statement is open SQLite keeps the store as it was when the statement began, and the log of all that is written
//! meanwhile grows. So a piece is read, the statement ended, and only then is anything done with what was read, which may
//! take as long as whoever reads our output pleases.

use std::time::{Duration, Instant};

use rusqlite::{Row, params_from_iter};

use super::Sqlite;
use crate::store::{Cursor, Piece, StoreError};

/// Rows read at once, at most.
pub(super) const ROWS: usize = 1024;
/// A piece that takes longer than this, as from a slow disk, is ended early.
const TIME: Duration = Duration::from_millis(100);

impl Sqlite {
    /// Up to so many rows of an answer, and whether there may be more.
    pub(super) fn some<T>(
        &self,
        sql: &str,
        about: &[i64],
        most: usize,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<(Vec<T>, bool), StoreError> {
        let (began, mut some) = (Instant::now(), Vec::new());
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params_from_iter(about))?;
        while let Some(row) = rows.next()? {
            some.push(read(row)?);
            if some.len() == most || began.elapsed() > TIME {
                return Ok((some, true));
            }
        }
        Ok((some, false))
    }

    /// Some rows of a table: the question asks for those from the number `?1` on, in order.
    pub(super) fn numbered<T>(
        &self,
        sql: &str,
        from: u64,
        most: usize,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        Ok(self.some(sql, &[from], most, read)?.0)
    }

    /// A piece of an answer whose rows come by keys; the first column is the key, and `about` asks for those beyond the last.
    pub(super) fn piece<T>(
        &self,
        sql: &str,
        about: &[i64],
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Piece<T>, StoreError> {
        let keyed = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, read(row)?));
        let (rows, more) = self.some(sql, about, ROWS, keyed)?;
        let next = rows.last().filter(|_| more).map(|(key, _)| Cursor(0, *key));
        Ok(Piece { rows: rows.into_iter().map(|(_, row)| row).collect(), next })
    }
}
