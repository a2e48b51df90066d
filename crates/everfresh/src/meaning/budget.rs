//! What reading a document has used up of its limits.

use std::time::Instant;

use super::{Limits, Unreadable};

/// Steps between two looks at the clock.
const STEPS_PER_LOOK: u32 = 1024;
/// The largest document, so that places in it fit 32 bits.
const MAX_BYTES: usize = 1 << 30;

/// Limits, and what was used of them so far.
pub(super) struct Budget {
    limits: Limits,
    begun: Instant,
    statements: usize,
    steps: u32,
}

impl Budget {
    /// Begins to read a document of this many bytes.
    pub(super) fn new(limits: &Limits, bytes: usize) -> Result<Budget, Unreadable> {
        let limits = Limits { bytes: limits.bytes.min(MAX_BYTES), ..*limits };
        let budget = Budget { limits, begun: Instant::now(), statements: 0, steps: 0 };
        budget.bytes(bytes)?;
        Ok(budget)
    }

    /// The limits themselves.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// One statement more.
    pub(super) fn statement(&mut self) -> Result<(), Unreadable> {
        self.statements += 1;
        if self.statements > self.limits.statements {
            return Err(Unreadable::TooLarge { what: "statements", limit: self.limits.statements });
        }
        self.step()
    }

    /// One step of work more; the clock is looked at now and then.
    pub(super) fn step(&mut self) -> Result<(), Unreadable> {
        self.steps += 1;
        if self.steps < STEPS_PER_LOOK {
            return Ok(());
        }
        self.steps = 0;
        if self.begun.elapsed() > self.limits.deadline {
            return Err(Unreadable::Deadline(self.limits.deadline));
        }
        Ok(())
    }

    /// Text of this many bytes, as sent or as written out.
    pub(super) fn bytes(&self, bytes: usize) -> Result<(), Unreadable> {
        let limit = self.limits.bytes;
        if bytes > limit { Err(Unreadable::TooLarge { what: "bytes", limit }) } else { Ok(()) }
    }

    /// Nesting of this many levels.
    pub(super) fn depth(&self, depth: usize) -> Result<(), Unreadable> {
        let limit = self.limits.depth;
        if depth > limit { Err(Unreadable::TooLarge { what: "levels of nesting", limit }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_limit_ends_the_work() {
        let limits = Limits { bytes: 10, statements: 2, depth: 3, deadline: Duration::ZERO, ..Limits::default() };
        assert!(Budget::new(&limits, 11).is_err());
        let mut budget = Budget::new(&limits, 10).unwrap();
        assert!(budget.depth(3).is_ok() && budget.depth(4).is_err());
        assert!(budget.statement().is_ok() && budget.statement().is_ok() && budget.statement().is_err());
        let late = (0..STEPS_PER_LOOK).find_map(|_| budget.step().err());
        assert_eq!(late, Some(Unreadable::Deadline(Duration::ZERO)));
    }
}
