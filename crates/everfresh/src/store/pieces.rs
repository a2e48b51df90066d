//! Reading in pieces: a question with many rows for an answer is put again and again, for some of them at a time.
//!
//! While a statement is open SQLite keeps the store as it was when the statement began, and the log of all that is written
//! meanwhile grows. So a piece is read, the statement ended, and only then is anything done with what was read, which may
//! take as long as whoever reads our output pleases.
//!
//! What is read is then not the state of one moment, and nobody needs that: hosts, pages and visits are only ever added, with
//! rising ids, so whoever reads them gets all that was there at the beginning, and some of what came since. Of everything
//! else there is one row a page or host, as good now as a moment ago.

use std::iter::once;
use std::time::{Duration, Instant};

use rusqlite::{Row, params_from_iter};

use super::{Store, StoreError};

/// Rows read at once, at most.
pub(super) const ROWS: usize = 1024;
/// A piece that takes longer than this, as from a slow disk, is ended early.
const TIME: Duration = Duration::from_millis(100);

/// A question whose rows come by rising keys.
pub(super) struct Question<'a> {
    /// Its first column is the key, which no two rows share, and it asks for the rows whose keys are above `?1`, in order.
    pub(super) sql: &'a str,
    /// What else it asks for, from `?2` on.
    pub(super) about: &'a [i64],
    /// The first value of `?1`.
    pub(super) after: i64,
    /// Rows read at once, at most.
    pub(super) rows: usize,
}

impl<'a> From<&'a str> for Question<'a> {
    fn from(sql: &'a str) -> Question<'a> {
        Question { sql, about: &[], after: -1, rows: ROWS }
    }
}

impl Store {
    /// Every row of the answer; ends early if `take` fails.
    pub(super) fn try_each<'a, T, E: From<StoreError>>(
        &self,
        question: impl Into<Question<'a>>,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        mut take: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        let question = question.into();
        let mut after = Some(question.after);
        while let Some(key) = after {
            let (piece, last) = self.piece(&question, key, &read)?;
            piece.into_iter().try_for_each(&mut take)?;
            after = last;
        }
        Ok(())
    }

    /// Every row of the answer.
    pub(super) fn each<'a, T>(
        &self,
        question: impl Into<Question<'a>>,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        mut take: impl FnMut(T),
    ) -> Result<(), StoreError> {
        self.try_each(question, read, |row| {
            take(row);
            Ok(())
        })
    }

    /// Some rows with keys above one, and the last of their keys if there may be more.
    fn piece<T>(
        &self,
        question: &Question<'_>,
        after: i64,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<(Vec<T>, Option<i64>), StoreError> {
        let (began, mut piece) = (Instant::now(), Vec::new());
        let mut statement = self.connection.prepare_cached(question.sql)?;
        let mut rows = statement.query(params_from_iter(once(&after).chain(question.about)))?;
        while let Some(row) = rows.next()? {
            piece.push(read(row)?);
            if piece.len() == question.rows || began.elapsed() > TIME {
                return Ok((piece, Some(row.get(0)?)));
            }
        }
        Ok((piece, None))
    }
}
