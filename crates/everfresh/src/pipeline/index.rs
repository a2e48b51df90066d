//! The indexes of the archive's files: made from the store when a file will not grow any more, and mended after a crash.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::PipelineError;
use crate::archive::ArchiveError;
use crate::archive::cdxj::Index;
use crate::collection::Collection;
use crate::store::{FileRow, Store};

/// Writes the CDXJ index of one WARC file from what the store knows of it.
pub(super) fn write(store: &Store, indexes: &Path, file: &FileRow) -> Result<(), PipelineError> {
    let mut index = Index::default();
    store.each_capture(file.id, |capture| index.push(&capture.index_entry(&file.name)))?;
    Ok(index.write(&indexes.join(name(file)))?)
}

/// Makes the indexes those of the files there are: writes those that are missing or not newer than their files, and removes
/// those whose files the store does not know.
pub(super) fn mend(store: &Store, collection: &Collection) -> Result<(), PipelineError> {
    let (archive, indexes) = (collection.archive(), collection.indexes());
    let files: Vec<FileRow> = store.files()?.into_iter().filter(|file| file.length > 0).collect();
    let known: HashSet<OsString> = files.iter().map(|file| name(file).into()).collect();
    let unknown = |path: &PathBuf| path.file_name().is_none_or(|name| !known.contains(name));
    existing(&indexes)?.iter().filter(|path| unknown(path)).try_for_each(|path| remove(path))?;
    let stale = files.iter().filter(|file| !is_newer(&indexes.join(name(file)), &archive.join(&file.name)));
    stale.into_iter().try_for_each(|file| write(store, &indexes, file))
}

/// Removes every index, for [`mend`] to write anew.
pub(super) fn remove_all(indexes: &Path) -> Result<(), PipelineError> {
    existing(indexes)?.iter().try_for_each(|path| remove(path))
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

fn is_newer(one: &Path, other: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified());
    matches!((modified(one), modified(other)), (Ok(one), Ok(other)) if one > other)
}
