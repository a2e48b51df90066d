//! What the program's exit code says, by the conventions of this field.

use std::io::ErrorKind;
use std::process::ExitCode;

use crate::archive::{ArchiveError, is_full};
use crate::collection::CollectionError;
use crate::config::ConfigError;
use crate::experiments::ExperimentError;
use crate::models::ModelError;
use crate::parse::scope::ScopeError;
use crate::pipeline::PipelineError;
use crate::query::QueryError;
use crate::store::StoreError;
use crate::traces::TraceError;
use crate::training::TrainError;

pub(super) const INTERRUPTED: u8 = 11;
pub(super) const INTERRUPTED_TWICE: u8 = 13;

const FAILED: u8 = 1;
const NO_SPACE: u8 = 3;
const WRONG: u8 = 4;
const IN_USE: u8 = 5;
const STORE: u8 = 6;

/// Input on the command line that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct WrongInput(pub(super) String);

/// The exit code of a command; an error is said in one line on stderr.
pub(super) fn code(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        // Whoever reads our output has had enough of it (`everfresh export | head`).
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let line = format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ");
            eprintln!("everfresh: {line}");
            ExitCode::from(of(&error))
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
    io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

fn of(error: &anyhow::Error) -> u8 {
    if error.chain().filter_map(|cause| cause.downcast_ref()).any(is_full) {
        return NO_SPACE;
    }
    if let Some(error) = error.downcast_ref::<PipelineError>() {
        return of_pipeline(error);
    }
    if let Some(error) = error.downcast_ref::<StoreError>() {
        return of_store(error);
    }
    if let Some(error) = error.downcast_ref::<TraceError>() {
        return of_trace(error);
    }
    if let Some(error) = error.downcast_ref::<ModelError>() {
        return of_model(error);
    }
    if let Some(error) = error.downcast_ref::<TrainError>() {
        return of_training(error);
    }
    if let Some(error) = error.downcast_ref::<QueryError>() {
        return of_query(error);
    }
    if let Some(error) = error.downcast_ref::<ExperimentError>() {
        return of_experiment(error);
    }
    match error.downcast_ref::<CollectionError>() {
        Some(error) => of_collection(error),
        None if error.is::<ConfigError>() || error.is::<ScopeError>() || error.is::<WrongInput>() => WRONG,
        None => FAILED,
    }
}

fn of_collection(error: &CollectionError) -> u8 {
    match error {
        CollectionError::Locked { .. } => IN_USE,
        CollectionError::Exists(_) => WRONG,
        CollectionError::Io { error, .. } if is_full(error) => NO_SPACE,
        _ => FAILED,
    }
}

fn of_pipeline(error: &PipelineError) -> u8 {
    match error {
        PipelineError::Config(_) | PipelineError::Scope(_) | PipelineError::Fetch(_) => WRONG,
        PipelineError::Store(error) => of_store(error),
        PipelineError::Archive(ArchiveError::Full { .. }) => NO_SPACE,
        PipelineError::Archive(ArchiveError::InUse { .. }) => IN_USE,
        PipelineError::UnderWay { error, .. } if is_full(error) => NO_SPACE,
        PipelineError::Collection(error) => of_collection(error),
        PipelineError::Refused(_) => WRONG,
        PipelineError::Unconfirmed(_) => IN_USE,
        _ => FAILED,
    }
}

fn of_store(error: &StoreError) -> u8 {
    match error {
        StoreError::NoSpace => NO_SPACE,
        StoreError::Newer { .. }
        | StoreError::Older { .. }
        | StoreError::Unreadable { .. }
        | StoreError::Damaged(_)
        | StoreError::Closed { .. } => STORE,
        StoreError::Busy => IN_USE,
        StoreError::Failed(_) => FAILED,
    }
}

fn of_query(error: &QueryError) -> u8 {
    match error {
        QueryError::Malformed(_) | QueryError::NotFound(_) => WRONG,
        QueryError::Store(error) => of_store(error),
        QueryError::Pipeline(error) => of_pipeline(error),
        QueryError::Version(_) | QueryError::Index(_) => FAILED,
    }
}

fn of_trace(error: &TraceError) -> u8 {
    match error {
        TraceError::Store(error) => of_store(error),
        TraceError::Io { error, .. } if is_full(error) => NO_SPACE,
        TraceError::Io { .. } => FAILED,
        _ => WRONG,
    }
}

fn of_model(error: &ModelError) -> u8 {
    match error {
        ModelError::Io { error, .. } if is_full(error) => NO_SPACE,
        ModelError::Io { doing: "write", .. } => FAILED,
        _ => WRONG,
    }
}

fn of_training(error: &TrainError) -> u8 {
    match error {
        TrainError::Io { error, .. } if is_full(error) => NO_SPACE,
        TrainError::Model(error) => of_model(error),
        TrainError::Trace(error) => of_trace(error),
        TrainError::Io { .. } => FAILED,
        _ => WRONG,
    }
}

fn of_experiment(error: &ExperimentError) -> u8 {
    match error {
        ExperimentError::Trace(error) => of_trace(error),
        ExperimentError::Train(error) => of_training(error),
        ExperimentError::BadScore { .. } => FAILED,
        _ => WRONG,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn no_room_is_no_room_whoever_says_it() {
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge] {
            let (path, doing, full) = (|| "a".to_owned(), "write", || std::io::Error::from(kind));
            let model = || ModelError::Io { doing, path: path(), error: full() };
            let errors: [anyhow::Error; 8] = [
                Err::<(), _>(full()).context("cannot write the report").unwrap_err(),
                CollectionError::Io { doing, path: path(), error: full() }.into(),
                PipelineError::Archive(ArchiveError::io(doing, "a".as_ref(), full())).into(),
                PipelineError::UnderWay { path: path(), error: full() }.into(),
                TraceError::Io { doing, path: path(), error: full() }.into(),
                model().into(),
                TrainError::Model(model()).into(),
                TrainError::Io { doing, path: path(), error: full() }.into(),
            ];
            errors.iter().for_each(|error| assert_eq!(of(error), NO_SPACE, "{error:#}"));
        }
    }
}
