//! The folder of archive files: how they are named, and how it is brought back in step with the store after a crash.
//!
//! The store's last transaction says how long each file is. What lies beyond, and files that no transaction knows, are
//! [set aside](super::orphan): usually that is the last batch before a crash, but should somebody lose the store or go back to
//! an older one, it is their archive.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::error::ArchiveError;
use super::orphan::{SET_ASIDE, set_file_aside, set_tail_aside};

pub(super) const SUFFIX: &str = ".warc.gz";

/// An archive file and how much of it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedFile {
    /// Its name within the archive folder.
    pub name: String,
    /// Its length in bytes: the end of the last record that was synced. 0 if it is known to be gone; its number stays taken.
    pub length: u64,
}

/// What opening an archive had to mend, for the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Files with a tail no transaction knew, and how many bytes were cut off.
    pub cut: Vec<(String, u64)>,
    /// What of that were whole records, and files no transaction knew, by the names under which they are kept.
    pub set_aside: Vec<String>,
    /// Files the store knows that are gone or shorter than they were. Nothing is appended to them.
    pub damaged: Vec<String>,
}

/// The folder after recovery.
pub(crate) struct Recovered {
    pub(crate) report: Recovery,
    /// Above every number in use.
    pub(crate) next_number: u32,
}

/// The name of the file with this number.
pub(crate) fn name(prefix: &str, number: u32) -> String {
    format!("{prefix}-{number:06}{SUFFIX}")
}

/// The number in a name made by [`name`], with any prefix.
pub(crate) fn number(name: &str) -> Option<u32> {
    name.strip_suffix(SET_ASIDE).unwrap_or(name).strip_suffix(SUFFIX)?.rsplit_once('-')?.1.parse().ok()
}

/// Makes the files in `folder` what `committed` says they are.
pub(crate) fn recover(folder: &Path, committed: &[CommittedFile]) -> Result<Recovered, ArchiveError> {
    make_folder(folder).map_err(|error| ArchiveError::io("create", folder, error))?;
    let mut missing: HashMap<&str, u64> = committed.iter().map(|file| (&*file.name, file.length)).collect();
    let mut recovered = Recovered { report: Recovery::default(), next_number: 1 };
    let mut names = names(folder).map_err(|error| ArchiveError::io("list", folder, error))?;
    names.sort_unstable();
    for name in names.iter().map(String::as_str).chain(committed.iter().map(|file| &*file.name)) {
        recovered.next_number = recovered.next_number.max(number(name).map_or(0, |number| number.saturating_add(1)));
    }
    for name in names.iter().filter(|name| name.ends_with(SUFFIX)) {
        mend(folder, name, missing.remove(&**name), &mut recovered.report)?;
    }
    let gone = missing.into_iter().filter(|(_, length)| *length > 0);
    recovered.report.damaged.extend(gone.map(|(name, _)| name.to_owned()));
    recovered.report.damaged.sort_unstable();
    sync_folder(folder).map_err(|error| ArchiveError::io("sync", folder, error))?;
    Ok(recovered)
}

fn mend(folder: &Path, name: &str, committed: Option<u64>, report: &mut Recovery) -> Result<(), ArchiveError> {
    let path = folder.join(name);
    let Some(committed) = committed.filter(|length| *length > 0 && path.is_file()) else {
        report.set_aside.push(set_file_aside(folder, name)?);
        return Ok(());
    };
    let length = fs::metadata(&path).map_err(|error| ArchiveError::io("examine", &path, error))?.len();
    if length > committed {
        report.set_aside.extend(set_tail_aside(folder, name, committed)?);
        cut(&path, committed).map_err(|error| ArchiveError::io("cut the unfinished end of", &path, error))?;
        report.cut.push((name.into(), length - committed));
    } else if length < committed {
        report.damaged.push(name.into());
    }
    Ok(())
}

fn cut(path: &Path, length: u64) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path)?;
    file.set_len(length)?;
    file.sync_all()
}

/// The names in `folder` that are text; ours are.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string());
    }
    Ok(names)
}

/// The folder that a file or another folder is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a folder, and those above it if need be, that survive a power cut.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let missing: Vec<&Path> = missing.collect();
    fs::create_dir_all(folder)?;
    missing.into_iter().try_for_each(|made| sync_folder(folder_of(made)))
}

/// Makes created and renamed files and folders within it survive a power cut.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn committed(name: &str, length: u64) -> CommittedFile {
        CommittedFile { name: name.into(), length }
    }

    #[test]
    fn names_tell_their_number() {
        assert_eq!(name("news", 7), "news-000007.warc.gz");
        assert_eq!(number("a-b-1234567.warc.gz"), Some(1_234_567));
        assert_eq!(number("a-000002.warc.gz.orphan"), Some(2));
        assert_eq!(number("a-b.warc.gz"), None);
        assert_eq!(number("notes.txt"), None);
    }

    #[test]
    fn the_folder_becomes_what_the_store_knows() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a-000001.warc.gz", "a-000002.warc.gz", "a-000003.warc.gz", "a-000005.warc.gz", "README"] {
            fs::write(folder.path().join(file), "0123456789").unwrap();
        }
        let known = [
            committed("a-000001.warc.gz", 10),
            committed("a-000002.warc.gz", 4),
            committed("a-000003.warc.gz", 11),
            committed("a-000004.warc.gz", 10),
            committed("a-000006.warc.gz", 0),
        ];
        let recovered = recover(folder.path(), &known).unwrap();
        assert_eq!(recovered.next_number, 7);
        assert_eq!(recovered.report.cut, [("a-000002.warc.gz".to_string(), 6)]);
        assert_eq!(recovered.report.set_aside, ["a-000005.warc.gz.orphan"]);
        assert_eq!(recovered.report.damaged, ["a-000003.warc.gz", "a-000004.warc.gz"]);
        assert_eq!(fs::read(folder.path().join("a-000002.warc.gz")).unwrap(), b"0123");
        assert_eq!(fs::read(folder.path().join("a-000005.warc.gz.orphan")).unwrap(), b"0123456789");
        assert_eq!(recover(folder.path(), &known).unwrap().next_number, 7);
    }
}
