//! Why an experiment could not be made.

use std::fmt::Display;

use revisit::lab::cut::WindowError;
use revisit::policy::registry::PolicyError;

use crate::traces::TraceError;
use crate::training::TrainError;

/// Why an experiment could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExperimentError {
    /// What was asked for cannot be had.
    #[error("{0}")]
    Wrong(String),
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The window does not fit the trace.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// There is no such policy.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// Nothing could be learned.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A score without a place in an order.
    #[error("policy '{policy}' scored {url} with {score}: scores must be finite numbers")]
    BadScore {
        /// Whose score it is.
        policy: String,
        /// The page that it is of.
        url: String,
        /// The score.
        score: f64,
    },
}

impl ExperimentError {
    /// Input that nothing can be made of, as the user is told.
    pub(crate) fn wrong(said: impl Display) -> ExperimentError {
        ExperimentError::Wrong(said.to_string())
    }
}
