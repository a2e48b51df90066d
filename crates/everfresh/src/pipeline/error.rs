//! Why a crawl cannot go on.

use crate::archive::ArchiveError;
use crate::collection::CollectionError;
use crate::config::ConfigError;
use crate::fetch::FetchError;
use crate::parse::scope::ScopeError;
use crate::store::StoreError;

/// Why a crawl cannot go on. A page that fails is no such reason.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The folder cannot be used.
    #[error(transparent)]
    Collection(#[from] CollectionError),
    /// The scope cannot be used.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The archive failed.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The fetcher could not be set up.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A checkpoint cannot be written.
    #[error("cannot write {path}: {error}")]
    Checkpoint {
        /// The file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The policy gave a score that has no place in an order.
    #[error(transparent)]
    Score(#[from] revisit::BadScore),
    /// A process that works apart could not do so.
    #[error("cannot work apart: {0}; this command is begun by 'everfresh run' itself")]
    Apart(std::io::Error),
    /// The file of what is under way cannot be used.
    #[error("cannot open {path}: {error}; it may be deleted while no crawl runs")]
    UnderWay {
        /// The file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// None of the archive's files is there.
    #[error(
        "none of the {files} files that the store knows is in {folder}: if its disk is not mounted, mount it; if they are lost \
         for good, say so once with 'run --archive-lost', and their pages are fetched again"
    )]
    ArchiveGone {
        /// The archive's folder.
        folder: String,
        /// How many files there should be.
        files: usize,
    },
    /// Somebody deleted pages from the store of a running crawl.
    #[error("{0} pages were deleted from the store while the crawl ran: run again; it goes on without them")]
    PagesGone(usize),
    /// The crawl that runs does not do as it was told.
    #[error("the crawl that runs on this collection refuses: {0}")]
    Refused(String),
    /// The crawl that runs may have done as it was told, or not.
    #[error(
        "the crawl that runs on this collection did not confirm ({0}): it may do so yet; give the command again, which adds \
         nothing twice, or stop the crawl first"
    )]
    Unconfirmed(String),
    /// A thread could not be started.
    #[error("cannot start the writer's thread: {0}")]
    Thread(std::io::Error),
    /// The writer ended before the crawl did, without saying why.
    #[error("the writer stopped unexpectedly; run again: nothing acknowledged is lost")]
    WriterLost,
    /// The thread that makes checkpoints ended without saying why.
    #[error("the thread that makes it stopped unexpectedly")]
    KeeperLost,
}
