//! Archive files that somebody cut or deleted: found when a crawl starts, and what they held is forgotten.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::PipelineError;
use crate::archive::ArchiveError;
use crate::collection::Collection;
use crate::store::{self, Batch, FileRow, Lost, LostFile, Opening, Writer};

/// Forgets what is not there any more. An archive that is gone altogether is more likely away than lost, so that is refused.
pub(super) fn forget_lost(store: &mut dyn Writer, collection: &Collection) -> Result<(), PipelineError> {
    let files: Vec<FileRow> = files(store)?.into_iter().filter(|file| file.length > 0).collect();
    let (known, damaged) = (files.len(), damaged(files, collection)?);
    if known > 0 && damaged.len() == known && damaged.iter().all(|(_, length)| *length == 0) {
        return Err(PipelineError::ArchiveGone { folder: collection.archive().display().to_string(), files: known });
    }
    forget(store, &damaged)
}

/// Forgets what is not there any more, be it all: the user knows that it is lost.
pub fn accept_loss(collection: &Collection) -> Result<(), PipelineError> {
    let mut store = store::open(collection.folder(), Opening::default())?;
    let damaged = damaged(files(store.as_ref())?, collection)?;
    forget(store.as_mut(), &damaged)
}

fn files(store: &dyn Writer) -> Result<Vec<FileRow>, PipelineError> {
    Ok(store.files()?.into_iter().map(|row| row.file).collect())
}

/// The files that are shorter on disk than the store knows them, and how long they are there.
fn damaged(files: Vec<FileRow>, collection: &Collection) -> Result<Vec<(FileRow, u64)>, PipelineError> {
    let mut damaged = Vec::new();
    for file in files {
        let length = length(&collection.archive().join(&file.name))?;
        if length < file.length {
            damaged.push((file, length));
        }
    }
    Ok(damaged)
}

fn forget(store: &mut dyn Writer, damaged: &[(FileRow, u64)]) -> Result<(), PipelineError> {
    if damaged.is_empty() {
        return Ok(());
    }
    let lost = damaged.iter().map(|(file, length)| LostFile { file: file.id, length: *length }).collect();
    let Lost { visits, copies } = store.commit(&Batch { lost, ..Batch::default() })?.lost;
    let names: Vec<&str> = damaged.iter().map(|(file, _)| &*file.name).collect();
    tracing::warn!(
        "archive: {} gone or cut short; {} visits have no record any more, and {} pages no copy until they are fetched again",
        names.join(", "),
        visits,
        copies
    );
    Ok(())
}

/// How much of a file there is; nothing of what is no file.
fn length(path: &Path) -> Result<u64, ArchiveError> {
    match fs::metadata(path) {
        Ok(found) => Ok(if found.is_file() { found.len() } else { 0 }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(ArchiveError::io("examine", path, error)),
    }
}
