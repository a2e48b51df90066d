//! What the store knows of the indexes of the archive's files: what was last written, and up to where in the file.

use rusqlite::params;

use super::rows::FileRow;
use super::{Store, StoreError};

/// A file of the archive and its index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexRow {
    /// The file.
    pub file: FileRow,
    /// How long the file was when its index was written; 0 if it never was, or lists what was lost since.
    pub indexed: u64,
    /// Bytes of the index.
    pub length: u64,
}

impl Store {
    /// The archive's files and what is known of their indexes, in the order in which they were begun.
    pub fn indexes(&self) -> Result<Vec<IndexRow>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT id, name, length, indexed, index_length FROM files ORDER BY id")?;
        let rows = statement.query_map([], |row| {
            let bytes = |column| row.get::<_, i64>(column).map(|bytes| bytes as u64);
            let file = FileRow { id: row.get(0)?, name: row.get(1)?, length: bytes(2)? };
            Ok(IndexRow { file, indexed: bytes(3)?, length: bytes(4)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Takes note of an index that is on disk.
    pub fn put_index(&mut self, index: &IndexRow) -> Result<(), StoreError> {
        self.connection.execute(
            "UPDATE files SET indexed = ?2, index_length = ?3 WHERE id = ?1",
            params![index.file.id, index.indexed as i64, index.length as i64],
        )?;
        Ok(())
    }
}
