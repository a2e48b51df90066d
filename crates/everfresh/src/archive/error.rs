//! What can go wrong in this room, each with what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// A failure to write or read an archive.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// No room on the disk, or none within the quota or file size limit. The file was cut back to whole records.
    #[error("no space left to write {}: free some space or move the collection, then run again", path.display())]
    Full {
        /// The file or folder that was being written.
        path: PathBuf,
    },
    /// Another failure of the file system.
    #[error("could not {action} {}: {error}; check that the file system is mounted and writable", path.display())]
    Io {
        /// What was being done.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: io::Error,
    },
    /// Another process appends to a file of this collection.
    #[error(
        "{} is being written by another process, as when a copy of a collection shares its archive folder: stop that, or give the \
         copy an archive folder of its own",
        path.display()
    )]
    InUse {
        /// The archive file.
        path: PathBuf,
    },
    /// The bytes at a place where a record should be are no valid record.
    #[error("no valid record in {} at offset {offset}: {reason}; restore the file from a backup", path.display())]
    Corrupt {
        /// The archive file.
        path: PathBuf,
        /// Where in the file.
        offset: u64,
        /// What is wrong.
        reason: &'static str,
    },
    /// A record is larger than the reader was told to accept.
    #[error("the record in {} at offset {offset} is larger than {limit} bytes: raise the limit to read it", path.display())]
    TooLarge {
        /// The archive file.
        path: PathBuf,
        /// Where in the file.
        offset: u64,
        /// How many bytes were allowed.
        limit: usize,
    },
}

/// Whether there is no room for what was to be written: on the disk, within the quota or within the limit on the size of files.
pub(crate) fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

impl ArchiveError {
    /// Sorts failures of the file system: a full disk is the one a user meets and can mend.
    pub(crate) fn io(action: &'static str, path: &Path, error: io::Error) -> ArchiveError {
        if is_full(&error) {
            return ArchiveError::Full { path: path.into() };
        }
        ArchiveError::Io { action, path: path.into(), error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_apart() {
        let full = ArchiveError::io("write", Path::new("a.warc.gz"), io::ErrorKind::StorageFull.into());
        assert!(matches!(&full, ArchiveError::Full { .. }));
        assert!(full.to_string().starts_with("no space left to write a.warc.gz"));
        let denied = ArchiveError::io("write", Path::new("a.warc.gz"), io::ErrorKind::PermissionDenied.into());
        assert!(denied.to_string().starts_with("could not write a.warc.gz: permission denied"));
    }
}
