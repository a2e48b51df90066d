//! The index of all captures, sorted, in as much memory as one file's index takes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Write};

use super::{Query, QueryError};
use crate::archive::cdxj::Index;
use crate::pipeline::index_of;
use crate::store::{FileRow, StoreError, each};

/// The lines of one file's index.
type Lines = Box<dyn Iterator<Item = io::Result<Vec<u8>>>>;

impl Query {
    /// Writes the index of all files, sorted, as CDXJ. Each file has a sorted one of its own, which is read along with the
    /// others; those that are not written yet, as that of the file which grows, are made here.
    pub fn write_index(&self, out: &mut dyn Write) -> Result<(), QueryError> {
        let mut runs: Vec<Lines> = Vec::new();
        for row in self.store.files()? {
            let written = index_of(&self.collection, &row).and_then(|path| File::open(path).ok());
            runs.push(match written {
                Some(file) => Box::new(BufReader::new(file).split(b'\n')),
                None => Box::new(BufReader::new(Cursor::new(self.index(&row.file)?)).split(b'\n')),
            });
        }
        let mut heads = BinaryHeap::new();
        for (run, lines) in runs.iter_mut().enumerate() {
            heads.extend(lines.next().transpose()?.map(|line| Reverse((line, run))));
        }
        while let Some(Reverse((line, run))) = heads.pop() {
            out.write_all(&line)?;
            out.write_all(b"\n")?;
            heads.extend(runs[run].next().transpose()?.map(|line| Reverse((line, run))));
        }
        Ok(())
    }

    /// The index of one file, sorted.
    fn index(&self, file: &FileRow) -> Result<Vec<u8>, StoreError> {
        let mut index = Index::default();
        each::<_, StoreError>(
            |cursor| self.store.captures(file.id, cursor),
            |capture| {
                index.push(&capture.index_entry(&file.name));
                Ok(())
            },
        )?;
        Ok(index.sorted().flatten().copied().collect())
    }
}
