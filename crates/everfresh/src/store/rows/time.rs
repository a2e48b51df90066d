//! What passes while a crawl goes on: batches, cycles, trainings.

use revisit::Time;
use serde::{Deserialize, Serialize};

use super::visit::Outcomes;
#[cfg(doc)]
use crate::store::Batch;
use crate::store::learned::Learned;
use crate::store::piece::Numbered;

/// A cycle as it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct OpenedCycle {
    /// Its number, which no other has.
    pub number: u64,
    /// When it began.
    pub at: Time,
    /// The last batch that the crawl had learned of.
    pub after: u64,
    /// Fetches it plans with.
    pub budget: u64,
    /// Visits it may make.
    pub visits: u64,
}

impl Numbered for OpenedCycle {
    fn number(&self) -> u64 {
        self.number
    }
}

/// A cycle as it ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClosedCycle {
    /// Its number.
    pub number: u64,
    /// When it ended.
    pub at: Time,
    /// How its visits ended.
    pub outcomes: Outcomes,
    /// The share of pages expected to be current when it ended.
    pub expected_freshness: f64,
}

/// A batch, and where it ends: what has a number below these was there when it was committed, if it ever was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchRow {
    /// Its number, from 1; 0 stands for the time before the first.
    pub number: u64,
    /// Above every visit's number.
    pub next_visit: u64,
    /// Above every page's number: what the next page is called.
    pub next_page: u32,
    /// Above every host's number: what the next host is called.
    pub next_host: u32,
    /// Above the number of every entry of the journal.
    pub next_change: u64,
    /// What tells it from another batch of the same numbers, in a store that went another way: see [`Batch::mark`].
    pub mark: u64,
}

impl Default for BatchRow {
    fn default() -> BatchRow {
        BatchRow { number: 0, next_visit: 1, next_page: 0, next_host: 0, next_change: 1, mark: 0 }
    }
}

impl Numbered for BatchRow {
    fn number(&self) -> u64 {
        self.number
    }
}

/// A model that was trained while the crawl went on, and whether it was better than the one in use.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingRow {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The model's file.
    pub model: String,
    /// Whether it is used from then on.
    pub adopted: bool,
    /// The freshness it would have kept of pages it was not trained on; `None` if there is no such model.
    pub freshness: Option<f64>,
    /// The freshness that the model in use would have kept of them.
    pub freshness_before: Option<f64>,
    /// How many such pages there are.
    pub pages: usize,
    /// What happened, in words.
    pub detail: String,
}

impl Numbered for (u64, Learned) {
    fn number(&self) -> u64 {
        self.0
    }
}
