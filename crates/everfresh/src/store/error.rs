//! Why a store could not be used, and what to do next, whichever store it is.

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
    /// Made by an earlier version of this program; only who writes brings it up to date.
    #[error(
        "the store has version {found}, this program reads {known}: bring it up to date with 'everfresh run' or 'everfresh add', \
         then try again"
    )]
    Older {
        /// The store's version.
        found: usize,
        /// The version that is read here.
        known: usize,
    },
    /// Not a store, or damaged.
    #[error("{path} cannot be read as a store ({error}): restore it from a backup, or move it away and crawl anew")]
    Unreadable {
        /// Where it is.
        path: String,
        /// Why.
        error: String,
    },
    /// It cannot be opened at all.
    #[error("cannot open the store {path}: {error}; check that the file is there and that you may read and write it")]
    Closed {
        /// Where it is.
        path: String,
        /// Why.
        error: String,
    },
    /// The disk is full.
    #[error("no space left for the store: free some space and run again; nothing acknowledged is lost")]
    NoSpace,
    /// Another program holds it.
    #[error("another program writes to the store: close it and try again")]
    Busy,
    /// What it holds cannot be.
    #[error("the store is damaged: {0}; restore it from a backup, or move it away and crawl anew")]
    Damaged(String),
    /// Anything else it says.
    #[error("the store failed: {0}; check the disk and run again: nothing acknowledged is lost")]
    Failed(String),
}
