//! The contract of a store, through the interface alone: every store must pass all of it.

mod batches;
mod numbers;
mod questions;
mod replayed;
mod rows;

use revisit::{HostId, PageId};

use super::{Batch, Committed, Memory, Opening, Reader, StoreError, Writer, each, each_numbered, open, reader};
use rows::*;

/// A store that holds nothing, of one kind.
struct Kind {
    name: &'static str,
    writer: Box<dyn Writer>,
    again: Box<dyn Fn() -> Box<dyn Reader>>,
}

impl Kind {
    fn commit(&mut self, batch: Batch) -> Committed {
        self.writer.commit(&batch).unwrap()
    }

    /// Another connection.
    fn reader(&self) -> Box<dyn Reader> {
        (self.again)()
    }
}

/// Runs a test over every kind of store.
fn over_all(test: impl Fn(&mut Kind)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let writer = open(&path, Opening { durable: false, ..Opening::default() }).unwrap();
    test(&mut Kind { name: "sqlite", writer, again: Box::new(move || reader(&path).unwrap()) });
    let memory = Memory::new();
    let again = memory.clone();
    test(&mut Kind { name: "memory", writer: Box::new(memory), again: Box::new(move || Box::new(again.clone())) });
}

/// Every row of an answer that comes by cursors.
fn all<T>(ask: impl Fn(Option<super::Cursor>) -> Result<super::Piece<T>, StoreError>) -> Vec<T> {
    let mut rows = Vec::new();
    let taken: Result<(), StoreError> = each(ask, |row| {
        rows.push(row);
        Ok(())
    });
    taken.unwrap();
    rows
}

/// Every row of a table.
fn table<T: super::Numbered>(ask: impl Fn(u64) -> Result<Vec<T>, StoreError>) -> Vec<T> {
    let mut rows = Vec::new();
    let taken: Result<(), StoreError> = each_numbered(ask, |row| {
        rows.push(row);
        Ok(())
    });
    taken.unwrap();
    rows
}

fn ids(pages: impl IntoIterator<Item = u32>) -> Vec<PageId> {
    pages.into_iter().map(PageId).collect()
}

fn host_ids(reader: &dyn Reader) -> Vec<HostId> {
    table(|from| reader.hosts(from)).into_iter().map(|host| host.id).collect()
}
