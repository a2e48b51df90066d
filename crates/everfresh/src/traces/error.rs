//! Why a trace cannot be read, made or written.

use std::path::Path;

use crate::store::StoreError;

/// Why a trace cannot be read, made or written.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The folder lacks a table.
    #[error("{folder} has no {table}: a trace is a folder with pages.csv and changes.csv, plain, .gz or .zst")]
    Missing {
        /// The folder.
        folder: String,
        /// The table.
        table: &'static str,
    },
    /// The folder has a table twice.
    #[error("{folder} has {table} more than once, plain or compressed: keep one of them")]
    Ambiguous {
        /// The folder.
        folder: String,
        /// The table.
        table: &'static str,
    },
    /// A table lacks a column.
    #[error("{file} has no column '{column}': its first line must name its columns")]
    Column {
        /// The table's file.
        file: String,
        /// The column.
        column: &'static str,
    },
    /// A line cannot be used.
    #[error("{file}, line {line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
    /// There is no page.
    #[error("{0} has no page: there is nothing to replay")]
    Empty(String),
    /// There is a trace where one was to be written.
    #[error("{0} holds a trace already: choose another folder or remove it")]
    Exists(String),
    /// `meta.json` is no description of a trace.
    #[error("{file} cannot be read as JSON ({error}): mend or remove it")]
    Meta {
        /// The file.
        file: String,
        /// Why.
        error: serde_json::Error,
    },
    /// A file cannot be read or written.
    #[error("cannot {doing} {path}: {error}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The collection's store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TraceError {
    /// An error of the system, of doing something to a path.
    pub(super) fn io(doing: &'static str, path: &Path) -> impl Fn(std::io::Error) -> TraceError {
        move |error| TraceError::Io { doing, path: path.display().to_string(), error }
    }

    /// A line of a file that cannot be used.
    pub(super) fn line(file: &Path, line: u64, problem: impl Into<String>) -> TraceError {
        TraceError::Line { file: file.display().to_string(), line, problem: problem.into() }
    }
}
