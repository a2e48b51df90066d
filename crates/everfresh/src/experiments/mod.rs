//! Experiments: what `everfresh lab` and `everfresh train` compute, and how they tell it.
//!
//! Each begins with a `source` of changes, runs policies on it (`runs`) or has something learned from it,
//! and ends as typed results, which a `text` file writes for people and a `page` file draws. The loop that replays, the
//! methods and the measures are those of [`revisit::lab`]; models are made by [`training`](crate::training). Nothing here knows
//! the command line: flags are read in `cli`, one file a command.

pub(crate) mod budget;
pub(crate) mod calibrate;
pub(crate) mod compare;
mod cycle_lines;
pub(crate) mod entrants;
pub(crate) mod error;
mod models;
pub(crate) mod reproduce;
pub(crate) mod runs;
pub(crate) mod source;
pub(crate) mod trained;

pub(crate) use error::ExperimentError;
