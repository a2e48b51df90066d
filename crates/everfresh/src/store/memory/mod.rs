//! A store in memory, for tests: it shows that nothing of SQLite leaks through the interface.
//!
//! Handles of one store share what it holds, as connections to a file do.

mod commit;
mod load;
mod lost;
mod questions;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use revisit::{PageId, Time};

use super::{
    AsideRow, BatchRow, CopyRow, CycleEntry, FeaturesRow, HostRow, IndexRow, Learned, LeftOutEntry, PageEntry, PageRow,
    TrainingRow, VisitRow,
};
use crate::sources::Source;

/// Rows in a piece: few, so that small tests have several pieces.
const ROWS: usize = 3;

/// A handle of a store in memory.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<State>>);

impl Memory {
    /// A store that holds nothing.
    pub fn new() -> Memory {
        Memory::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What it holds, by numbers.
#[derive(Clone, Default)]
struct State {
    batches: Vec<BatchRow>,
    journal: BTreeMap<u64, Learned>,
    hosts: BTreeMap<u32, HostRow>,
    pages: BTreeMap<u32, PageRow>,
    /// How much pages mattered when they were found, if that has changed.
    first_weights: BTreeMap<u32, f32>,
    sources: BTreeMap<u32, Source>,
    files: BTreeMap<u32, IndexRow>,
    visits: BTreeMap<u64, VisitRow>,
    copies: BTreeMap<u32, CopyRow>,
    asides: BTreeMap<u32, AsideRow>,
    features: BTreeMap<u32, FeaturesRow>,
    links: BTreeMap<u32, Vec<PageId>>,
    hints: BTreeMap<u32, Hint>,
    left_out: BTreeMap<String, LeftOutEntry>,
    cycles: BTreeMap<u64, CycleEntry>,
    trainings: Vec<TrainingRow>,
    running: bool,
    collection: Option<u64>,
}

impl State {
    /// A page as it was found.
    fn as_found(&self, page: &PageRow) -> PageEntry {
        let weight = self.first_weights.get(&page.id.0).copied().unwrap_or(page.weight);
        PageEntry { weight, ..page.clone().into() }
    }
}

/// What lists said of a page.
#[derive(Clone, Copy)]
struct Hint {
    modified: Time,
    told_at: Time,
    told_by: PageId,
}
