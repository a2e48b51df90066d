//! The item that flows: one visit to one page, and what it showed.

use serde::{Deserialize, Serialize};

use crate::page::PageId;
use crate::time::Time;

/// What a visit showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum Outcome {
    /// The first version ever seen: nothing to compare it with, so no observation of change.
    First,
    /// The page differs from the version seen before.
    Changed,
    /// The page is as it was.
    Unchanged,
    /// The page is not there any more, or has moved for good.
    Gone,
    /// The visit told nothing about the page: a timeout, a server error, a reset.
    Failed,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Outcome; 5] =
        [Outcome::First, Outcome::Changed, Outcome::Unchanged, Outcome::Gone, Outcome::Failed];

    /// The outcome as one lower-case word, as stores and reports write it.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::First => "first",
            Outcome::Changed => "changed",
            Outcome::Unchanged => "unchanged",
            Outcome::Gone => "gone",
            Outcome::Failed => "failed",
        }
    }

    /// The outcome a word stands for; the inverse of [`Outcome::name`].
    pub fn from_name(name: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// One visit to one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Visit {
    /// The page visited.
    pub page: PageId,
    /// When.
    pub at: Time,
    /// What it showed.
    pub outcome: Outcome,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::from_name(outcome.name()), Some(outcome));
        }
        assert_eq!(Outcome::from_name("perhaps"), None);
    }
}
