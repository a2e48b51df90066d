//! Keeps the store's log within bounds beside programs that read the store and do not end.

use super::patience::Patience;
use crate::store::{FILE, Store, StoreError};

/// A log beyond this is worth a word: no usual crawl has one.
const LARGE: u64 = 64 << 20;

/// A log that could not be emptied so many times in a row is held up from outside: our own questions are over by then.
const HELD_UP: u32 = 8;

/// The log's bounds, and what was said of it.
pub(super) struct Log {
    /// It grows beyond this only to end the crawl.
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

    /// To be called after every transaction: sees to it that the log is emptied, says how large it is if that cannot be, and
    /// waits until it can if it is too large.
    pub(super) fn mind(&mut self, store: &Store, patience: &Patience) -> Result<(), StoreError> {
        let (bytes, large) = (store.log_bytes(), LARGE.min(self.most / 2));
        if bytes < large || bytes < self.most && store.empty_log()? {
            (self.next_word, self.held_up) = (large, 0);
            return Ok(());
        }
        self.held_up += 1;
        let most = megabytes(self.most);
        if self.held_up >= HELD_UP && bytes >= self.next_word {
            self.next_word = bytes * 2;
            tracing::warn!(
                "the store's log, {FILE}-wal, has grown to {}, since another program has been reading the store all the time: \
                 close it, or let it end; the crawl waits for it at {most} (store.max_log)",
                megabytes(bytes)
            );
        }
        while store.log_bytes() >= self.most && !store.begin_log_anew()? && !patience.is_ending() {
            patience.wait(|| {
                format!(
                    "the store's log, {FILE}-wal, has reached {most} (store.max_log): the crawl waits until the program that \
                     reads the store all the time ends; visits queue up meanwhile"
                )
            });
        }
        if store.log_bytes() < large {
            (self.next_word, self.held_up) = (large, 0);
        }
        patience.end();
        Ok(())
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::shutdown::Shutdown;

    #[test]
    fn a_log_is_spoken_of_when_it_was_held_up_for_long_and_has_doubled() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path()).unwrap();
        let reader = rusqlite::Connection::open(folder.path().join(FILE)).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM pages").unwrap();
        // A crawl that is to end does not wait.
        let (stop, stopping) = Shutdown::new();
        stop.ask();
        let (patience, mut log) = (Patience::new(stopping, Duration::ZERO), Log::new(4));
        let mut mind = || {
            store.mark_running(true).unwrap();
            log.mind(&store, &patience).unwrap();
            (log.held_up, log.next_word, store.log_bytes())
        };
        for held_up in 1..HELD_UP {
            assert!(matches!(mind(), (count, 0, _) if count == held_up), "it may be a question of our own");
        }
        let (_, next_word, bytes) = mind();
        assert_eq!(next_word, 2 * bytes);
        assert_eq!(mind().1, next_word, "that was said");
        reader.execute_batch("COMMIT").unwrap();
        assert_eq!((mind().0, mind().1), (0, 2));
    }
}
