//! Why nothing could be learned.

use std::io;

use crate::models::ModelError;
use crate::traces::TraceError;

use revisit::BadScore;
use revisit::lab::cut::WindowError;
use revisit::learn::LearnError;
use revisit::learn::dataset::DatasetError;
use revisit::learn::gp::{BadSetting, FoldError};
use revisit::learn::groups::GroupsError;
use revisit::model::groups::GroupingError;
use revisit::policy::registry::PolicyError;

/// Why nothing could be learned.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The collection's visits cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The model in use cannot be read, or the new one not be written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Nothing to learn from.
    #[error("{trace} has no pages to learn from: crawl for a while, or name another source")]
    NoPages {
        /// Where pages were looked for.
        trace: String,
    },
    /// The window does not fit the trace.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// Too few pages for folds, or no such fold.
    #[error(transparent)]
    Folds(#[from] FoldError),
    /// A setting that makes no sense.
    #[error(transparent)]
    Setting(#[from] BadSetting),
    /// Too few different pages for groups.
    #[error(transparent)]
    Groups(#[from] GroupsError),
    /// Nothing to tell apart.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// Features that cannot be learned from.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// What was learned makes no model.
    #[error(transparent)]
    Grouping(#[from] GroupingError),
    /// No feature differs from page to page.
    #[error(
        "no feature tells pages apart: {}; use pages whose first visits are known, or 'everfresh train groups', which needs no \
         features",
        said(missing, constant)
    )]
    NoFeatures {
        /// Features that are known of no page.
        missing: Vec<String>,
        /// Features that are the same for all pages.
        constant: Vec<String>,
    },
    /// A policy that cannot be built.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A score without a place in an order.
    #[error("policy '{policy}' scored a page with {}: scores must be finite numbers", error.score)]
    Score {
        /// The policy.
        policy: String,
        /// The score.
        error: BadScore,
    },
    /// A checkpoint stands in the way.
    #[error("{path} {problem}: add --restart to throw it away and begin anew")]
    Checkpoint {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A checkpoint cannot be read or written.
    #[error("cannot {doing} the checkpoint {path}: {error}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: String,
        /// What the system says.
        error: io::Error,
    },
}

/// What is wrong with features, in words.
fn said(missing: &[String], constant: &[String]) -> String {
    let part = |names: &[String], what: &str| (!names.is_empty()).then(|| format!("{} {what}", names.join(", ")));
    let parts = [part(missing, "unknown of all"), part(constant, "the same for all")];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
