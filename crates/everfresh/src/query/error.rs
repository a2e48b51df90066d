//! Why a question has no answer.

use crate::pipeline::PipelineError;
use crate::store::StoreError;
use crate::versions::VersionError;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// What was asked for cannot be meant.
    #[error("{0}")]
    Malformed(String),
    /// What was asked for is not there.
    #[error("{0}")]
    NotFound(String),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What is in the store cannot be told again.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// A version cannot be read back.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// An index of the archive cannot be read, or nobody takes what is in it.
    #[error("cannot pass on the archive's index: {0}")]
    Index(#[from] std::io::Error),
}
