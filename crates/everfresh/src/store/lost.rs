//! Captures whose records are gone, because an archive file was cut or deleted.
//!
//! The visits stay: what they showed was seen. But they point nowhere any more, and neither does a visit that refers to one
//! of them instead of holding a body of its own. A page whose held version is lost has no copy, so that its next visit asks
//! without conditions, compares with nothing and archives all it gets.

use revisit::PageId;
use rusqlite::params;

use super::{Store, StoreError};

/// What was lost with the end of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Visits whose records are gone, or name records that are.
    pub visits: usize,
    /// Pages without a copy from now on.
    pub copies: usize,
}

impl Store {
    /// Forgets the captures of a file that is only `length` bytes long, all or nothing. The file counts up to the first capture
    /// that is not whole; with length 0 it is one that is gone.
    pub fn forget_captures(&mut self, file: u32, length: u64) -> Result<Lost, StoreError> {
        let transaction = self.begin()?;
        // Where the last capture begins that may be cut: what lies before it is whole.
        let end: Option<i64> = transaction.query_row(
            "SELECT max(position) FROM visits
             WHERE id >= (SELECT since_visit FROM files WHERE id = ?1) AND file = ?1 AND position <= ?2",
            params![file, length as i64],
            |row| row.get(0),
        )?;
        let end = end.unwrap_or(0);
        transaction.execute_batch("CREATE TEMP TABLE lost (id INTEGER PRIMARY KEY, page INTEGER, at INTEGER)")?;
        transaction.execute(
            "INSERT INTO lost SELECT id, page, at FROM visits
             WHERE id >= (SELECT since_visit FROM files WHERE id = ?1) AND file = ?1 AND position >= ?2",
            params![file, end],
        )?;
        // A visit that refers to another has that one's payload, and refers to the last such one before it.
        transaction.execute(
            "INSERT OR IGNORE INTO lost SELECT id, page, at FROM visits AS later
             WHERE revisit = 1 AND page IN (SELECT page FROM lost)
                 AND (SELECT max(id) FROM visits AS original WHERE original.page = later.page AND original.revisit = 0
                          AND original.payload = later.payload AND original.id < later.id) IN (SELECT id FROM lost)",
            [],
        )?;
        let copies = transaction.execute(
            "DELETE FROM copies WHERE EXISTS (SELECT 1 FROM lost WHERE lost.page = copies.page AND lost.at = copies.since)",
            [],
        )?;
        transaction.execute(
            "DELETE FROM asides WHERE EXISTS (SELECT 1 FROM lost WHERE lost.page = asides.page AND lost.at = asides.since)",
            [],
        )?;
        transaction.execute("DELETE FROM parts WHERE visit IN (SELECT id FROM lost)", [])?;
        let visits = transaction.execute(
            "UPDATE visits SET payload = NULL, revisit = NULL, file = NULL, position = NULL, length = NULL
             WHERE id IN (SELECT id FROM lost)",
            [],
        )?;
        transaction.execute("UPDATE files SET length = ?2 WHERE id = ?1", params![file, end])?;
        // Visits in any file may have referred to what is lost, and their indexes list them.
        transaction.execute("UPDATE files SET indexed = 0", [])?;
        transaction.execute_batch("DROP TABLE lost")?;
        transaction.commit()?;
        Ok(Lost { visits, copies })
    }

    /// Every page whose copy was lost and that was not archived since.
    pub fn each_lost(&self, take: impl FnMut(PageId)) -> Result<(), StoreError> {
        self.each(
            "SELECT DISTINCT page FROM visits
             WHERE page > ?1 AND file IS NULL AND outcome IN ('first', 'changed', 'unchanged')
                 AND NOT EXISTS (SELECT 1 FROM copies WHERE copies.page = visits.page) ORDER BY page",
            |row| Ok(PageId(row.get(0)?)),
            take,
        )
    }
}
