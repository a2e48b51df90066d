//! The folder of archive files: how they are named, and how it is brought back in step with the store after a crash.
//!
//! The store's last transaction says how long each file is. What lies beyond, and files that no transaction knows, are
//! [set aside](super::orphan): usually that is the last batch before a crash, but should somebody go back to an older store, it
//! is their archive.
//!
//! Names say whose the files are, `everfresh-3f2a9c1d-000001.warc.gz`: those of another owner, who may be writing them at this
//! moment, are neither cut nor set aside. Files of earlier versions name no owner; they belong to whose folder it is. A copy of a
//! collection has the same name: so who appends to a file has it [locked](claim), and nobody touches anything meanwhile.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
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
    /// Files of others that no transaction knows.
    pub of_others: Vec<String>,
}

/// The folder after recovery.
pub(crate) struct Recovered {
    pub(crate) report: Recovery,
    /// Above every number in use.
    pub(crate) next_number: u32,
}

/// Whose a file is: the head of a collection's own number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner(u32);

impl Owner {
    /// The owner that a collection of this number is.
    pub(crate) fn of_collection(number: u64) -> Owner {
        Owner((number >> 32) as u32)
    }

    /// The one in a name made by [`name`], with any prefix, or of what belongs to that file; `None` if it names none.
    fn in_name(name: &str) -> Option<Owner> {
        let mut parts = name.split('.').next()?.rsplit('-');
        let (_number, owner) = (parts.next()?, parts.next()?);
        if owner.len() == 8 { u32::from_str_radix(owner, 16).ok().map(Owner) } else { None }
    }

    /// Whether a file of this name is another's.
    pub(crate) fn is_not_of(self, name: &str) -> bool {
        Owner::in_name(name).is_some_and(|owner| owner != self)
    }
}

/// The name of an owner's file with this number.
pub(crate) fn name(prefix: &str, owner: Owner, number: u32) -> String {
    format!("{prefix}-{:08x}-{number:06}{SUFFIX}", owner.0)
}

/// The number in a name made by [`name`], with any prefix.
pub(crate) fn number(name: &str) -> Option<u32> {
    name.strip_suffix(SET_ASIDE).unwrap_or(name).strip_suffix(SUFFIX)?.rsplit_once('-')?.1.parse().ok()
}

/// Makes the files in `folder` what `committed` says they are, as far as they are not another owner's.
pub(crate) fn recover(folder: &Path, owner: Owner, committed: &[CommittedFile]) -> Result<Recovered, ArchiveError> {
    make_folder(folder).map_err(|error| ArchiveError::io("create", folder, error))?;
    let mut missing: HashMap<&str, u64> = committed.iter().map(|file| (&*file.name, file.length)).collect();
    let mut recovered = Recovered { report: Recovery::default(), next_number: 1 };
    let mut names = names(folder).map_err(|error| ArchiveError::io("list", folder, error))?;
    names.sort_unstable();
    for name in names.iter().map(String::as_str).chain(committed.iter().map(|file| &*file.name)) {
        recovered.next_number = recovered.next_number.max(number(name).map_or(0, |number| number.saturating_add(1)));
    }
    names.retain(|name| name.ends_with(SUFFIX));
    names.iter().filter(|name| !owner.is_not_of(name)).try_for_each(|name| refuse_if_written(&folder.join(name)))?;
    for name in &names {
        let committed = missing.remove(&**name);
        match owner.is_not_of(name) {
            false => mend(folder, name, committed, &mut recovered.report)?,
            true => look_at(folder, name, committed, &mut recovered.report)?,
        }
    }
    let gone = missing.into_iter().filter(|(_, length)| *length > 0);
    recovered.report.damaged.extend(gone.map(|(name, _)| name.to_owned()));
    recovered.report.damaged.sort_unstable();
    sync_folder(folder).map_err(|error| ArchiveError::io("sync", folder, error))?;
    Ok(recovered)
}

/// Has a file for oneself, until it is closed. Where a file system knows no locks, it is had without.
pub(super) fn claim(file: &File, path: &Path) -> Result<(), ArchiveError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(ArchiveError::InUse { path: path.into() }),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Somebody else may have a file. What is no file, or cannot be opened, is told by who needs it.
fn refuse_if_written(path: &Path) -> Result<(), ArchiveError> {
    let opened = if path.is_file() { File::open(path).ok() } else { None };
    opened.map_or(Ok(()), |file| claim(&file, path))
}

fn mend(folder: &Path, name: &str, committed: Option<u64>, report: &mut Recovery) -> Result<(), ArchiveError> {
    let path = folder.join(name);
    let Some(committed) = committed.filter(|length| *length > 0 && path.is_file()) else {
        report.set_aside.push(set_file_aside(folder, name)?);
        return Ok(());
    };
    let length = length(&path)?;
    if length > committed {
        report.set_aside.extend(set_tail_aside(folder, name, committed)?);
        cut(&path, committed).map_err(|error| ArchiveError::io("cut the unfinished end of", &path, error))?;
        report.cut.push((name.into(), length - committed));
    } else if length < committed {
        report.damaged.push(name.into());
    }
    Ok(())
}

/// What another writes is only looked at.
fn look_at(folder: &Path, name: &str, committed: Option<u64>, report: &mut Recovery) -> Result<(), ArchiveError> {
    match committed {
        None => report.of_others.push(name.into()),
        Some(committed) if length(&folder.join(name))? < committed => report.damaged.push(name.into()),
        Some(_) => {}
    }
    Ok(())
}

fn length(path: &Path) -> Result<u64, ArchiveError> {
    Ok(fs::metadata(path).map_err(|error| ArchiveError::io("examine", path, error))?.len())
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
        let owner = Owner::of_collection(0x00ab_cdef_0000_0001);
        assert_eq!(name("news", owner, 7), "news-00abcdef-000007.warc.gz");
        assert_eq!(number("news-00abcdef-000007.warc.gz"), Some(7));
        assert_eq!(Owner::in_name("news-00abcdef-000007.warc.gz"), Some(owner));
        assert_eq!(Owner::in_name("news-00abcdef-000007.cdxj"), Some(owner));
        assert_eq!(Owner::in_name("everfresh-000007.warc.gz"), None);
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
        let owner = Owner(7);
        let recovered = recover(folder.path(), owner, &known).unwrap();
        assert_eq!(recovered.next_number, 7);
        assert_eq!(recovered.report.cut, [("a-000002.warc.gz".to_string(), 6)]);
        assert_eq!(recovered.report.set_aside, ["a-000005.warc.gz.orphan"]);
        assert_eq!(recovered.report.damaged, ["a-000003.warc.gz", "a-000004.warc.gz"]);
        assert_eq!(fs::read(folder.path().join("a-000002.warc.gz")).unwrap(), b"0123");
        assert_eq!(fs::read(folder.path().join("a-000005.warc.gz.orphan")).unwrap(), b"0123456789");
        assert_eq!(recover(folder.path(), owner, &known).unwrap().next_number, 7);
    }

    #[test]
    fn what_is_anothers_is_neither_cut_nor_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let (own, other) = (Owner(7), Owner(8));
        let files = [name("a", own, 1), name("a", other, 2), name("a", other, 3), name("a", other, 9)];
        files.iter().for_each(|file| fs::write(folder.path().join(file), "0123456789").unwrap());
        let known = [committed(&files[1], 4), committed(&files[2], 11)];
        let Recovered { report, next_number } = recover(folder.path(), own, &known).unwrap();
        assert_eq!(next_number, 10);
        assert_eq!(report.set_aside, [format!("{}.orphan", files[0])]);
        assert_eq!((report.of_others, report.damaged), (vec![files[3].clone()], vec![files[2].clone()]));
        assert_eq!(report.cut, []);
        assert_eq!(fs::read(folder.path().join(&files[1])).unwrap(), b"0123456789", "it may be growing");
    }

    #[test]
    fn while_somebody_writes_nothing_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let owner = Owner(7);
        let files = [1, 2].map(|number| name("a", owner, number));
        files.iter().for_each(|file| fs::write(folder.path().join(file), "0123456789").unwrap());
        // The writer has come to its second file, and the copy of its store knows of a part of the first.
        let written = File::open(folder.path().join(&files[1])).unwrap();
        claim(&written, folder.path()).unwrap();
        let known = [committed(&files[0], 4)];
        let refused = recover(folder.path(), owner, &known).err().unwrap();
        assert!(matches!(&refused, ArchiveError::InUse { path } if path.ends_with(&files[1])), "{refused}");
        assert_eq!(fs::read(folder.path().join(&files[0])).unwrap(), b"0123456789");
        drop(written);
        assert_eq!(recover(folder.path(), owner, &known).unwrap().report.cut, [(files[0].clone(), 6)]);
    }
}
