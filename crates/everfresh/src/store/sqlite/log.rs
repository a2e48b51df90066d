//! The log: what SQLite has written down and not yet moved into the store's file (its write-ahead log).
//!
//! It is moved as far as nobody reads the store as it was before, and a log that was moved whole is begun anew by the next
//! transaction. So one reader that never ends makes it grow without end, unless who writes minds it.

use rusqlite::Connection;

use super::{FILE, Sqlite, log_of};
use crate::store::{Reason, StoreError};

/// A log that is begun anew is cut to this: what is written between two checkpoints of a usual crawl.
pub(super) const CUT_TO: i64 = 32 << 20;

/// A log beyond this is worth a word: no usual crawl has one.
const LARGE: u64 = 64 << 20;

/// A log that could not be emptied so many times in a row is held up from outside: our own questions are over by then.
const HELD_UP: u32 = 8;

/// The log's bounds, and what was said of it.
pub(super) struct Log {
    /// It grows beyond this only if who wrote it is told not to wait.
    most: u64,
    /// How large it has to be for the next word.
    next_word: u64,
    /// Transactions since it could be emptied.
    held_up: u32,
}

impl Log {
    pub(super) fn new(most: u64) -> Log {
        Log { most, next_word: 0, held_up: 0 }
    }
}

impl Sqlite {
    /// To be called before every transaction: sees to it that the log is emptied, says how large it is if that cannot be, and
    /// waits until it can if it is too large.
    pub(super) fn mind_log(&mut self) -> Result<(), StoreError> {
        let (bytes, large) = (self.log_bytes(), LARGE.min(self.log.most / 2));
        if bytes < large || bytes < self.log.most && self.empty_log()? {
            (self.log.next_word, self.log.held_up) = (large, 0);
            return Ok(());
        }
        self.log.held_up += 1;
        let most = megabytes(self.log.most);
        if self.log.held_up >= HELD_UP && bytes >= self.log.next_word {
            self.log.next_word = bytes * 2;
            tracing::warn!(
                "the store's log, {FILE}-wal, has grown to {}, since another program has been reading the store all the time: \
                 close it, or let it end; the crawl waits for it at {most} (store.max_log)",
                megabytes(bytes)
            );
        }
        let why = format!(
            "the store's log, {FILE}-wal, has reached {most} (store.max_log): the crawl waits until the program that reads the \
             store all the time ends; visits queue up meanwhile"
        );
        let reason = Reason { why: why.into(), must: false };
        while self.log_bytes() >= self.log.most && !self.begin_log_anew()? && self.waiter.wait(&reason) {}
        if self.log_bytes() < large {
            (self.log.next_word, self.log.held_up) = (large, 0);
        }
        self.waiter.over();
        Ok(())
    }

    /// How large the log's file is, in bytes.
    pub(super) fn log_bytes(&self) -> u64 {
        std::fs::metadata(log_of(&self.path)).map_or(0, |found| found.len())
    }

    /// Moves what the log holds into the store's file, as far as readers allow, and says whether that was all of it.
    pub(super) fn empty_log(&self) -> Result<bool, StoreError> {
        let numbers =
            |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
        let (busy, held, moved) = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], numbers)?;
        Ok(busy == 0 && held == moved)
    }

    /// Moves all that the log holds into the store's file and cuts it, if nobody reads in it at this moment; says whether that
    /// was so. Who begins to read when all was moved reads in the file, so those who take turns do not hold this up for ever.
    pub(super) fn begin_log_anew(&self) -> Result<bool, StoreError> {
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

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::store::{Batch, Commit, Opening, Waiter};

    /// One who never waits, as a crawl that is to end.
    struct Never;

    impl Waiter for Never {
        fn wait(&self, _: &Reason) -> bool {
            false
        }

        fn over(&self) {}
    }

    #[test]
    fn a_log_is_spoken_of_when_it_was_held_up_for_long_and_has_doubled() {
        let folder = tempfile::tempdir().unwrap();
        let opening = Opening { max_log: 4, waiter: Arc::new(Never), ..Opening::default() };
        let mut store = Sqlite::open(folder.path(), opening).unwrap();
        let reader = rusqlite::Connection::open(folder.path().join(FILE)).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM pages").unwrap();
        store.connection.execute_batch("INSERT INTO left_out VALUES ('x', 1, 'x')").unwrap();
        let mut mind = || {
            store.commit(&Batch { running: Some(true), ..Batch::default() }).unwrap();
            (store.log.held_up, store.log.next_word, store.log_bytes())
        };
        for held_up in 1..HELD_UP {
            assert!(matches!(mind(), (count, 0, _) if count == held_up), "it may be a question of our own");
        }
        let next_word = mind().1;
        assert!(next_word > 0);
        assert_eq!(mind().1, next_word, "that was said");
        reader.execute_batch("COMMIT").unwrap();
        assert_eq!((mind().0, mind().1), (0, 2));
    }
}
