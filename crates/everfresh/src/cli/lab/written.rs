//! What a command of the lab says of a trace it wrote.

use std::fmt;
use std::path::Path;

use revisit::Time;
use revisit::lab::trace::Trace;
use serde::Serialize;

use crate::output;

/// A trace that was written, and what it holds.
#[derive(Serialize)]
pub(super) struct Written {
    trace: String,
    name: String,
    pages: usize,
    changes: usize,
    /// First and last time at which a page was there, in unix seconds: windows lie in between.
    span_unix: Option<[i64; 2]>,
}

impl Written {
    pub(super) fn of(folder: &Path, trace: &Trace) -> Written {
        Written {
            trace: folder.display().to_string(),
            name: trace.name.clone(),
            pages: trace.len(),
            changes: trace.change_count(),
            span_unix: trace.span().map(|(first, last)| [first.secs(), last.secs()]),
        }
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pages, changes) = (output::count(self.pages as u64), output::count(self.changes as u64));
        write!(f, "{}: {pages} pages, {changes} changes", self.trace)?;
        let Some(span) = self.span_unix else { return Ok(()) };
        let [first, last] = span.map(|seconds| output::time(Time::from_secs(seconds)));
        write!(f, ", {first} to {last}")
    }
}
