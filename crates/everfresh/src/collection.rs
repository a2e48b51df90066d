//! A collection: the folder that holds configuration, store and archive, and the lock that keeps two crawls apart.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::archive::make_folder;
use crate::config;
use crate::models::write_whole;
use crate::regular;

/// A collection's folder.
#[derive(Clone, Debug)]
pub struct Collection {
    folder: PathBuf,
}

/// A collection's folder itself, and not whatever is at its path by now.
#[derive(Debug)]
pub struct Place {
    folder: PathBuf,
    itself: (u64, u64),
}

/// The right to write to a collection; given up when dropped or when the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    _folder: File,
    _holder: File,
}

/// Why a collection cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CollectionError {
    /// `init` was asked to make a collection where there is one.
    #[error("{0} is a collection already: add pages to it with 'everfresh add'")]
    Exists(String),
    /// Another process writes to it.
    #[error("{folder} is in use by {holder}: wait for it or stop it, then try again")]
    Locked {
        /// The collection.
        folder: String,
        /// Who holds the lock.
        holder: String,
    },
    /// The folder is not where it was.
    #[error(
        "{0} was moved or deleted while it was in use: run again where it is now; nothing acknowledged is lost in it"
    )]
    Moved(String),
    /// The folder cannot be used.
    #[error("cannot {doing} {path}: {error}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
}

impl Collection {
    /// The collection in `folder`, which need not exist yet.
    pub fn at(folder: impl Into<PathBuf>) -> Collection {
        Collection { folder: folder.into() }
    }

    /// Makes the folder with a configuration that says every default.
    pub fn init(&self) -> Result<(), CollectionError> {
        let path = self.folder.join(config::FILE);
        if path.exists() {
            return Err(CollectionError::Exists(self.folder.display().to_string()));
        }
        make_folder(&self.folder).map_err(|error| io("make", &self.folder, error))?;
        write_whole(&path, config::TEMPLATE).map_err(|error| io("write", &path, error))
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the WARC files are.
    pub fn archive(&self) -> PathBuf {
        self.folder.join("archive")
    }

    /// Where the CDXJ files are.
    pub fn indexes(&self) -> PathBuf {
        self.folder.join("indexes")
    }

    /// Takes note of which folder this is.
    pub fn place(&self) -> Result<Place, CollectionError> {
        let itself = identity(&self.folder).map_err(|error| io("open", &self.folder, error))?;
        Ok(Place { folder: self.folder.clone(), itself })
    }

    /// Takes the right to write, for the command named `purpose`. The folder itself is locked, as it cannot be taken away
    /// from under those in it; the file beside says by whom, and is the lock where folders cannot be (on NFS).
    pub fn lock(&self, purpose: &str) -> Result<Lock, CollectionError> {
        let path = self.folder.join("everfresh.lock");
        let folder = File::open(&self.folder).map_err(|error| io("open", &self.folder, error))?;
        let mut options = OpenOptions::new();
        let open = regular::open_own(&path, options.read(true).write(true).create(true).truncate(false));
        let mut holder = open.map_err(|error| io("open", &path, error))?;
        match (folder.try_lock(), holder.try_lock()) {
            (Err(TryLockError::WouldBlock), _) | (_, Err(TryLockError::WouldBlock)) => {
                return Err(CollectionError::Locked {
                    folder: self.folder.display().to_string(),
                    holder: name(holder),
                });
            }
            (_, Err(TryLockError::Error(error))) => return Err(io("lock", &path, error)),
            (_, Ok(())) => {}
        }
        // Who holds the lock is a courtesy to the reader of the error above; the lock itself is the system's.
        let said = format!("'everfresh {purpose}' (process {})", std::process::id());
        let _ = holder.set_len(0).and_then(|()| holder.write_all(said.as_bytes()));
        Ok(Lock { _folder: folder, _holder: holder })
    }
}

impl Place {
    /// Whether the folder is still at its path: what is written by name would get into another one, or come to nothing.
    pub fn check(&self) -> Result<(), CollectionError> {
        let is_here = identity(&self.folder).is_ok_and(|found| found == self.itself);
        if is_here { Ok(()) } else { Err(CollectionError::Moved(self.folder.display().to_string())) }
    }
}

/// What no other folder has at the same time: its device and its number there.
fn identity(folder: &Path) -> std::io::Result<(u64, u64)> {
    let found = std::fs::metadata(folder)?;
    Ok((found.dev(), found.ino()))
}

/// A name is not longer than this.
const NAME_BYTES: u64 = 200;

/// Who holds a lock, as far as its file says.
fn name(holder: File) -> String {
    let mut name = String::new();
    let _ = holder.take(NAME_BYTES).read_to_string(&mut name);
    if name.is_empty() { "another process".into() } else { name }
}

fn io(doing: &'static str, path: &Path, error: std::io::Error) -> CollectionError {
    CollectionError::Io { doing, path: path.display().to_string(), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_can_write() {
        let folder = tempfile::tempdir().unwrap();
        let collection = Collection::at(folder.path());
        let lock = collection.lock("run").unwrap();
        let refused = collection.lock("add").unwrap_err().to_string();
        assert!(refused.contains("is in use by 'everfresh run' (process "), "{refused}");
        std::fs::remove_file(folder.path().join("everfresh.lock")).unwrap();
        assert!(matches!(collection.lock("add"), Err(CollectionError::Locked { .. })), "without its file too");
        drop(lock);
        collection.lock("add").unwrap();
    }

    #[test]
    fn a_collection_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let collection = Collection::at(folder.path().join("new"));
        collection.init().unwrap();
        assert!(matches!(collection.init(), Err(CollectionError::Exists(_))));
    }

    #[test]
    fn a_folder_is_known_by_more_than_its_path() {
        let parent = tempfile::tempdir().unwrap();
        let [here, there] = ["here", "there"].map(|name| parent.path().join(name));
        std::fs::create_dir(&here).unwrap();
        let place = Collection::at(&here).place().unwrap();
        place.check().unwrap();
        std::fs::rename(&here, &there).unwrap();
        assert!(matches!(place.check(), Err(CollectionError::Moved(_))));
        std::fs::create_dir(&here).unwrap();
        assert!(place.check().is_err(), "another one in its place is not it");
        std::fs::remove_dir(&here).unwrap();
        std::fs::rename(&there, &here).unwrap();
        place.check().unwrap();
    }
}
