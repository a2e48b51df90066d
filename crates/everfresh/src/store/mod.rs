//! Room 7: everything known of hosts, pages and visits, in one SQLite file a user can open with any tool.
//!
//! One writer commits batches: a transaction holds visits, the copies they left, pages and hosts they found and the index
//! entries of what the archive already has on disk, so that after a crash either all of a visit is there or nothing.
//! Visits are append-only; replaying them rebuilds every history. Readers use connections of their own, and read in pieces, so
//! that none of them holds up the log.

mod hints;
mod indexes;
mod left_out;
mod links;
mod log;
mod lost;
mod pieces;
mod read;
mod rows;
mod schema;
mod sources;
mod versions;
mod write;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::archive::is_full;

pub use hints::{HintEntry, HintsRow};
pub use indexes::IndexRow;
pub use left_out::LeftOutEntry;
pub use lost::Lost;
pub use read::{CaptureEntry, Loaded, PageSummary, Totals, VisitEntry};
pub use rows::{
    Answer, AsideRow, CaptureRow, CopyRow, CycleRow, FeaturesRow, FileRow, FoundAs, HostRow, LinksRow, Outcomes,
    PageRow, RobotsRow, TrainingRow, VisitRow,
};
pub use sources::{PartRow, SourceRow};
pub use versions::{ArchivedEntry, VersionEntry};
pub use write::Batch;

/// The name of the file in a collection's folder.
pub const FILE: &str = "everfresh.db";

/// How long the store's lock is waited for.
const BUSY: Duration = Duration::from_secs(10);

/// Why the store could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Made by a later version of this program.
    #[error("the store has version {found}, this program knows {known}: use a newer everfresh")]
    Newer {
        /// The store's version.
        found: usize,
        /// The latest version known here.
        known: usize,
    },
    /// Not a store, or damaged.
    #[error("{path} cannot be read as a store ({error}): restore it from a backup, or move it away and crawl anew")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        error: rusqlite::Error,
    },
    /// The file cannot be opened at all.
    #[error("cannot open the store {path}: {error}; check that the file is there and that you may read and write it")]
    Closed {
        /// The file.
        path: String,
        /// Why.
        error: rusqlite::Error,
    },
    /// The disk is full.
    #[error("no space left for the store: free some space and run again; nothing acknowledged is lost")]
    NoSpace,
    /// Another program holds it.
    #[error("another program writes to the store: close it and try again")]
    Busy,
    /// Anything else SQLite says.
    #[error("the store failed: {0}; check the disk and run again: nothing acknowledged is lost")]
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::NoSpace,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
            // SQLite knows a full disk, but no quota or limit on the size of files; what the system last said here does.
            Some(ErrorCode::SystemIoFailure) if is_full(&std::io::Error::last_os_error()) => StoreError::NoSpace,
            _ => StoreError::Sqlite(error),
        }
    }
}

fn is_no_store(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// A connection to a collection's store.
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens the store in a collection's folder for writing, makes it if there is none and migrates it if it is old.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let mut store = Store::connect(folder, OpenFlags::default())?;
        let prepared = store.prepare();
        prepared.map_err(|error| store.unreadable(error))?;
        Ok(store)
    }

    /// Another connection to a store that exists, for reading beside the writer.
    pub fn open_reader(folder: &Path) -> Result<Store, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let mut store = Store::connect(folder, flags)?;
        let checked = schema::migrate(&mut store.connection);
        checked.map_err(|error| store.unreadable(error))?;
        store.connection.pragma_update(None, "query_only", true)?;
        Ok(store)
    }

    fn connect(folder: &Path, flags: OpenFlags) -> Result<Store, StoreError> {
        let path = folder.join(FILE);
        let connection = Connection::open_with_flags(&path, flags)
            .map_err(|error| StoreError::Closed { path: path.display().to_string(), error })?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.busy_timeout(BUSY)?;
        Ok(Store { connection, path })
    }

    /// From now on, while another program holds the store's lock, asks `wait` again and again whether to wait on; it takes its
    /// time over the answer. Otherwise that is an error after ten seconds.
    pub fn wait_for_lock(&mut self, mut wait: impl FnMut() -> bool + Send + 'static) -> Result<(), StoreError> {
        Ok(self.connection.busy_handler(Some(move |_| wait()))?)
    }

    /// A transaction that will write. It takes the lock at once: one that has read first could not wait for it.
    fn begin(&mut self) -> Result<Transaction<'_>, StoreError> {
        Ok(self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }

    /// From now on a commit does not wait for the disk: a loss of power may take it back.
    pub(crate) fn wait_for_no_disk(&self) -> Result<(), StoreError> {
        Ok(self.connection.pragma_update(None, "synchronous", "OFF")?)
    }

    fn prepare(&mut self) -> Result<(), StoreError> {
        self.connection.pragma_update(None, "journal_mode", "WAL")?;
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        self.connection.pragma_update(None, "cache_size", -32_000)?;
        // Checkpoints move pages from the log to the file; fewer of them write a hot page less often.
        self.connection.pragma_update(None, "wal_autocheckpoint", 8_000)?;
        self.connection.pragma_update(None, "journal_size_limit", log::CUT_TO)?;
        schema::migrate(&mut self.connection)
    }

    /// What is no store, or a damaged one, needs its file named; other trouble says itself what to do.
    fn unreadable(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Sqlite(error) if is_no_store(&error) => {
                StoreError::Unreadable { path: self.path.display().to_string(), error }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests;
