//! The indexes of the archive's files: made from the store when a file will not grow any more or the crawl ends.
//!
//! What is indexed is known by the store, which hears of an index when it is on disk. So every start sees by one look at each
//! file which indexes a kill prevented or somebody removed, whatever the clock said when they were written.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::PipelineError;
use crate::archive::cdxj::Index;
use crate::archive::{ArchiveError, Owner};
use crate::collection::Collection;
use crate::store::{Batch, FileRow, IndexRow, StoreError, Writer, each};

/// Writes the CDXJ index of one WARC file from what the store knows of it.
pub(super) fn write(store: &mut dyn Writer, indexes: &Path, file: FileRow) -> Result<(), PipelineError> {
    let mut index = Index::default();
    each::<_, StoreError>(
        |cursor| store.captures(file.id, cursor),
        |capture| {
            index.push(&capture.index_entry(&file.name));
            Ok(())
        },
    )?;
    let length = index.write(&indexes.join(name(&file)))?;
    let written = IndexRow { indexed: file.length, length, file };
    store.commit(&Batch { indexes: vec![written], ..Batch::default() })?;
    Ok(())
}

/// Makes the indexes those of the files there are: writes those that are not as the store knows them, and removes those whose
/// files the store does not know.
pub(super) fn mend(store: &mut dyn Writer, indexes: &Path) -> Result<(), PipelineError> {
    let rows: Vec<IndexRow> = store.files()?.into_iter().filter(|row| row.file.length > 0).collect();
    let known: HashSet<OsString> = rows.iter().map(|row| name(&row.file).into()).collect();
    let owner = Owner::of_collection(store.collection()?.unwrap_or_default());
    let unknown = |name: &OsStr| is_ours(name, owner) && !known.contains(name);
    let unknown = |path: &PathBuf| path.file_name().is_some_and(unknown);
    existing(indexes)?.iter().filter(|path| unknown(path)).try_for_each(|path| remove(path))?;
    let stale = rows.into_iter().filter(|row| !is_current(row, &indexes.join(name(&row.file))));
    stale.into_iter().try_for_each(|row| write(store, indexes, row.file))
}

/// Whether a name is one that we give: other tools and other collections may have indexes here too.
fn is_ours(name: &OsStr, owner: Owner) -> bool {
    name.to_str().is_some_and(|name| name.starts_with("everfresh-") && !owner.is_not_of(name))
}

/// The index files there are.
fn existing(indexes: &Path) -> Result<Vec<PathBuf>, PipelineError> {
    if !indexes.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(indexes).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let paths: Vec<PathBuf> = entries.map_err(|error| ArchiveError::io("list", indexes, error))?;
    Ok(paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "cdxj")).collect())
}

fn remove(path: &Path) -> Result<(), PipelineError> {
    Ok(fs::remove_file(path).map_err(|error| ArchiveError::io("remove", path, error))?)
}

fn name(file: &FileRow) -> String {
    format!("{}.cdxj", file.name.trim_end_matches(".warc.gz"))
}

/// The file with the index of one of the archive's files, if it is there and lists all of it.
pub fn index_of(collection: &Collection, row: &IndexRow) -> Option<PathBuf> {
    let path = collection.indexes().join(name(&row.file));
    is_current(row, &path).then_some(path)
}

/// Whether an index goes to the end of its file, and is what was written.
fn is_current(row: &IndexRow, path: &Path) -> bool {
    row.indexed == row.file.length && fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == row.length)
}
