//! How many there are of everything, kept up to date: to count millions of rows takes seconds.
//!
//! What is only ever added, pages and visits, is counted a batch at a time; what takes the place of something or goes away is
//! counted by triggers, also if it goes by somebody's hand.

use std::collections::HashMap;

use rusqlite::Transaction;

use super::Sqlite;
use crate::store::{Batch, Outcomes, StoreError};

/// Counts what a batch adds.
pub(super) fn add(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<()> {
    let mut made = Outcomes::default();
    batch.visits.iter().for_each(|row| made.count(row.visit.outcome));
    let Outcomes { first, changed, unchanged, gone, failed } = made;
    let visits = [("first", first), ("changed", changed), ("unchanged", unchanged), ("gone", gone), ("failed", failed)];
    let mut statement = transaction.prepare_cached("UPDATE counts SET number = number + ?2 WHERE what = ?1")?;
    let added = visits.into_iter().chain([("pages", batch.pages.len() as u64)]).filter(|(_, number)| *number > 0);
    added.into_iter().try_for_each(|(what, number)| statement.execute((what, number as i64)).map(drop))
}

/// How many there are.
#[derive(Default)]
pub(super) struct Counts(HashMap<String, u64>);

impl Counts {
    pub(super) fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or(0)
    }

    pub(super) fn outcomes(&self) -> Outcomes {
        Outcomes {
            first: self.of("first"),
            changed: self.of("changed"),
            unchanged: self.of("unchanged"),
            gone: self.of("gone"),
            failed: self.of("failed"),
        }
    }
}

impl Sqlite {
    pub(super) fn counts(&self) -> Result<Counts, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT what, number FROM counts")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.max(0) as u64)))?;
        Ok(Counts(rows.collect::<Result<_, _>>()?))
    }
}
