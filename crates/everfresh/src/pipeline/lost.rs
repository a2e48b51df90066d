//! Archive files that somebody cut or deleted: found when a crawl starts, and what they held is forgotten.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::{PipelineError, index};
use crate::archive::ArchiveError;
use crate::collection::Collection;
use crate::store::{FileRow, Lost, Store};

/// Compares every file that the store knows with what is on disk, and forgets what is not there. Says whether anything was lost.
pub(super) fn forget_lost(store: &mut Store, collection: &Collection) -> Result<bool, PipelineError> {
    let mut damaged: Vec<(FileRow, u64)> = Vec::new();
    for file in store.files()? {
        let length = length(&collection.archive().join(&file.name))?;
        if length < file.length {
            damaged.push((file, length));
        }
    }
    if damaged.is_empty() {
        return Ok(false);
    }
    // All of them, and first: visits in other files may refer to what is lost, and a crash must leave no index that lists it.
    index::remove_all(&collection.indexes())?;
    let mut sum = Lost::default();
    for (file, length) in &damaged {
        let Lost { visits, copies } = store.forget_captures(file.id, *length)?;
        sum = Lost { visits: sum.visits + visits, copies: sum.copies + copies };
    }
    let names: Vec<&str> = damaged.iter().map(|(file, _)| &*file.name).collect();
    tracing::warn!(
        "archive: {} gone or cut short; {} visits have no record any more, and {} pages no copy until they are fetched again",
        names.join(", "),
        sum.visits,
        sum.copies
    );
    Ok(true)
}

fn length(path: &Path) -> Result<u64, ArchiveError> {
    match fs::metadata(path) {
        Ok(found) => Ok(found.len()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(ArchiveError::io("examine", path, error)),
    }
}
