//! The threads that evaluate formulas: `revisit` starts none of its own.

use std::panic::resume_unwind;
use std::thread;

use revisit::learn::gp::{Part, Workers};

/// So many threads, this one included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threads(pub(super) usize);

impl Workers for Threads {
    fn count(&self) -> usize {
        self.0
    }

    fn run(&self, parts: Vec<Part<'_>>) {
        let mut parts = parts.into_iter();
        let own = parts.next();
        thread::scope(|scope| {
            let others: Vec<_> = parts.map(|part| scope.spawn(part)).collect();
            own.into_iter().for_each(|part| part());
            others.into_iter().for_each(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        });
    }
}
