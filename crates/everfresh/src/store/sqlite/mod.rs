//! The store as one SQLite file, which a user can open with any tool, also while a crawl writes to it.
//!
//! Who writes keeps SQLite's [log](log) within bounds; who reads has a connection of its own, reads in [pieces](pieces), so that it
//! does not hold up that log, and can change nothing.

mod commit;
mod counts;
mod learn;
mod load;
mod log;
mod lost;
mod pieces;
mod questions;
mod schema;
mod visits;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{Opening, Reason, StoreError, Waiter};
use crate::archive::is_full;
use log::Log;

/// The name of the file in a collection's folder.
pub const FILE: &str = "everfresh.db";

/// What people are told while a writer waits for the lock.
const LOCKED: &str = "another program holds the lock of everfresh.db for writing: the crawl waits for it and visits queue up \
                      meanwhile; end that program's transaction, or close it";

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::NoSpace,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                StoreError::Unreadable { path: FILE.into(), error: error.to_string() }
            }
            // SQLite knows a full disk, but no quota or limit on the size of files; what the system last said here does.
            Some(ErrorCode::SystemIoFailure) if is_full(&std::io::Error::last_os_error()) => StoreError::NoSpace,
            _ => match error {
                rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::IntegralValueOutOfRange(..) => {
                    StoreError::Damaged(error.to_string())
                }
                _ => StoreError::Failed(error.to_string()),
            },
        }
    }
}

/// A connection to a collection's store.
pub(super) struct Sqlite {
    connection: Connection,
    path: PathBuf,
    log: Log,
    waiter: Arc<dyn Waiter>,
}

impl Sqlite {
    /// Opens the store in a collection's folder for writing, makes it if there is none and migrates it if it is old.
    pub(super) fn open(folder: &Path, opening: Opening) -> Result<Sqlite, StoreError> {
        let mut store = Sqlite::connect(folder.join(FILE), "", OpenFlags::default(), opening)?;
        let prepared = store.prepare();
        prepared.map_err(|error| named(&store.path, error))?;
        Ok(store)
    }

    /// Another connection to a store that exists, which cannot write.
    pub(super) fn open_reader(folder: &Path) -> Result<Sqlite, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let path = folder.join(FILE);
        if path.exists() && !path.is_file() {
            return Err(StoreError::Closed { path: path.display().to_string(), error: "it is no file".into() });
        }
        let store = Sqlite::connect(path.clone(), "", flags, Opening::default())?;
        match schema::check(&store.connection).map_err(|error| named(&path, error)) {
            Ok(()) => Ok(store),
            // Readers take part in the log, which they cannot where they may write nothing, or nothing more fits. If there is none,
            // nobody writes.
            Err(StoreError::Failed(_) | StoreError::NoSpace) if is_empty(&log_of(&path)) => {
                let store = Sqlite::connect(path.clone(), "?immutable=1", flags, Opening::default())?;
                schema::check(&store.connection).map_err(|error| named(&path, error))?;
                Ok(store)
            }
            Err(error) => Err(error),
        }
    }

    fn connect(path: PathBuf, how: &str, flags: OpenFlags, opening: Opening) -> Result<Sqlite, StoreError> {
        let closed =
            |error: rusqlite::Error| StoreError::Closed { path: path.display().to_string(), error: error.to_string() };
        let connection = if how.is_empty() {
            Connection::open_with_flags(&path, flags)
        } else {
            Connection::open_with_flags(uri(&path, how), flags)
        };
        let mut connection = connection.map_err(closed)?;
        connection.set_prepared_statement_cache_capacity(64);
        let (waiter, locked) = (opening.waiter.clone(), Reason { why: LOCKED.into(), must: true });
        connection.busy_handler(Some(move |_| waiter.wait(&locked)))?;
        if !opening.durable {
            connection.pragma_update(None, "synchronous", "OFF")?;
        }
        Ok(Sqlite { connection, path, log: Log::new(opening.max_log), waiter: opening.waiter })
    }

    fn prepare(&mut self) -> Result<(), StoreError> {
        let synchronous: i64 = self.connection.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
        self.connection.pragma_update(None, "journal_mode", "WAL")?;
        if synchronous != 0 {
            self.connection.pragma_update(None, "synchronous", "FULL")?;
        }
        self.connection.pragma_update(None, "cache_size", -32_000)?;
        // Checkpoints move pages from the log to the file; fewer of them write a hot page less often.
        self.connection.pragma_update(None, "wal_autocheckpoint", 8_000)?;
        self.connection.pragma_update(None, "journal_size_limit", log::CUT_TO)?;
        schema::migrate(&mut self.connection)?;
        self.waiter.over();
        Ok(())
    }
}

/// The file of SQLite's log.
fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// Whether a file holds nothing, or is not there.
fn is_empty(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |found| found.len() == 0)
}

/// A file as SQLite's URIs name it.
fn uri(path: &Path, how: &str) -> String {
    let path = path.display().to_string();
    let escaped: String = path
        .chars()
        .map(|character| match character {
            '%' => "%25".to_owned(),
            '?' => "%3f".to_owned(),
            '#' => "%23".to_owned(),
            other => other.to_string(),
        })
        .collect();
    format!("file:{escaped}{how}")
}

/// What is no store, or a damaged one, needs its file named; other trouble says itself what to do.
fn named(path: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Unreadable { error, .. } => StoreError::Unreadable { path: path.display().to_string(), error },
        other => other,
    }
}

#[cfg(test)]
mod tests;
