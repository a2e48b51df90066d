//! The indexes of the archive's files: made from the store when a file will not grow any more, and mended after a crash.

use std::path::Path;

use super::PipelineError;
use crate::archive::cdxj::Index;
use crate::collection::Collection;
use crate::store::{FileRow, Store};

/// Writes the CDXJ index of one WARC file from what the store knows of it.
pub(super) fn write(store: &Store, indexes: &Path, file: &FileRow) -> Result<(), PipelineError> {
    let mut index = Index::default();
    store.each_capture(file.id, |capture| index.push(&capture.index_entry(&file.name)))?;
    Ok(index.write(&indexes.join(name(file)))?)
}

/// Writes the indexes that a crash prevented: those that are missing or not newer than their files.
pub(super) fn mend(store: &Store, collection: &Collection) -> Result<(), PipelineError> {
    let (archive, indexes) = (collection.archive(), collection.indexes());
    let files = store.files()?;
    let stale = files.iter().filter(|file| !is_newer(&indexes.join(name(file)), &archive.join(&file.name)));
    stale.into_iter().try_for_each(|file| write(store, &indexes, file))
}

fn name(file: &FileRow) -> String {
    format!("{}.cdxj", file.name.trim_end_matches(".warc.gz"))
}

fn is_newer(one: &Path, other: &Path) -> bool {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|metadata| metadata.modified());
    matches!((modified(one), modified(other)), (Ok(one), Ok(other)) if one > other)
}
