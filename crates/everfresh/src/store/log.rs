//! The log: what SQLite has written down and not yet moved into the store's file (its write-ahead log).
//!
//! It is moved as far as nobody reads the store as it was before, and a log that was moved whole is begun anew by the next
//! transaction. So one reader that never ends makes it grow without end.

use rusqlite::Connection;

use super::{Store, StoreError};

/// A log that is begun anew is cut to this: what is written between two checkpoints of a usual crawl.
pub(super) const CUT_TO: i64 = 32 << 20;

impl Store {
    /// How large the log's file is, in bytes.
    pub fn log_bytes(&self) -> u64 {
        let mut name = self.path.clone().into_os_string();
        name.push("-wal");
        std::fs::metadata(name).map_or(0, |found| found.len())
    }

    /// Moves what the log holds into the store's file, as far as readers allow, and says whether that was all of it.
    pub fn empty_log(&self) -> Result<bool, StoreError> {
        let numbers =
            |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
        let (busy, held, moved) = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], numbers)?;
        Ok(busy == 0 && held == moved)
    }

    /// Moves all that the log holds into the store's file and cuts it, if nobody reads in it at this moment; says whether that
    /// was so. Who begins to read when all was moved reads in the file, so those who take turns do not hold this up for ever.
    pub fn begin_log_anew(&self) -> Result<bool, StoreError> {
        // By a connection that waits for nobody: this one has patience with those who hold its lock.
        let connection = Connection::open(&self.path)?;
        let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        match busy.map_err(StoreError::from) {
            Ok(busy) => Ok(busy == 0),
            Err(StoreError::Busy) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
