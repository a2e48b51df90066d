//! Records that the store does not know, set aside and never destroyed.
//!
//! After a crash these are a few that were synced and not yet acknowledged; beside a store that was restored from a backup
//! they are all that was archived since. A file that no transaction knows gets the suffix `.orphan`. What a known file holds
//! beyond its known end becomes a file of its own, named after where it began: `everfresh-3f2a9c1d-000002.7340.warc.gz.orphan`.
//! Without the suffix each is a WARC file like any other. A piece of a record that was never finished is no record and is
//! dropped, or every kill would leave one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;

use super::error::ArchiveError;
use super::files::{self, SUFFIX};

/// Ends the names of files that were set aside.
pub(super) const SET_ASIDE: &str = ".orphan";

/// Sets a whole file aside and returns its new name.
pub(super) fn set_file_aside(folder: &Path, name: &str) -> Result<String, ArchiveError> {
    let (path, aside) = (folder.join(name), unused(folder, name.trim_end_matches(SUFFIX)));
    fs::rename(&path, folder.join(&aside)).map_err(|error| ArchiveError::io("set aside", &path, error))?;
    Ok(aside)
}

/// Copies the whole records from `offset` on to a file of their own, durably, and returns its name; `None` if there are none.
pub(super) fn set_tail_aside(folder: &Path, name: &str, offset: u64) -> Result<Option<String>, ArchiveError> {
    let path = folder.join(name);
    let end = whole_members(&path, offset).map_err(|error| ArchiveError::io("read the end of", &path, error))?;
    if end == offset {
        return Ok(None);
    }
    let aside = unused(folder, &format!("{}.{offset}", name.trim_end_matches(SUFFIX)));
    let copied = copy(&path, offset..end, &folder.join(&aside)).and_then(|()| files::sync_folder(folder));
    copied.map_err(|error| ArchiveError::io("set aside", &path, error))?;
    Ok(Some(aside))
}

/// A name that begins so and that no file has: what was set aside before stays.
fn unused(folder: &Path, stem: &str) -> String {
    let mut name = format!("{stem}{SUFFIX}{SET_ASIDE}");
    let mut number = 2;
    while folder.join(&name).exists() {
        name = format!("{stem}.{number}{SUFFIX}{SET_ASIDE}");
        number += 1;
    }
    name
}

/// Where the last whole gzip member ends, of those from `offset` on.
fn whole_members(path: &Path, offset: u64) -> io::Result<u64> {
    let mut file = BufReader::new(File::open(path)?);
    let mut end = file.seek(SeekFrom::Start(offset))?;
    while !file.fill_buf()?.is_empty() {
        if io::copy(&mut GzDecoder::new(&mut file), &mut io::sink()).is_err() {
            break;
        }
        end = file.stream_position()?;
    }
    Ok(end)
}

fn copy(from: &Path, range: std::ops::Range<u64>, to: &PathBuf) -> io::Result<()> {
    let mut source = File::open(from)?;
    source.seek(SeekFrom::Start(range.start))?;
    let mut orphan = OpenOptions::new().write(true).create_new(true).open(to)?;
    io::copy(&mut source.take(range.end - range.start), &mut orphan)?;
    orphan.sync_all()
}

#[cfg(test)]
mod tests {
    use super::super::gzip::Gzip;
    use super::*;

    #[test]
    fn whole_records_are_kept_beside_older_ones_and_torn_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut members = b"known".to_vec();
        ["one", "two", "three"].iter().for_each(|text| _ = Gzip::new().push_member(text.as_bytes(), &mut members));
        let (name, path) = ("a-000001.warc.gz", folder.path().join("a-000001.warc.gz"));
        fs::write(&path, &members[..members.len() - 1]).unwrap();
        let aside = || set_tail_aside(folder.path(), name, 5).unwrap().unwrap();
        assert_eq!(aside(), "a-000001.5.warc.gz.orphan");
        assert_eq!(aside(), "a-000001.5.2.warc.gz.orphan");
        let mut text = String::new();
        let kept = File::open(folder.path().join("a-000001.5.warc.gz.orphan")).unwrap();
        flate2::read::MultiGzDecoder::new(kept).read_to_string(&mut text).unwrap();
        assert_eq!(text, "onetwo");
        fs::write(&path, &members[..12]).unwrap();
        assert_eq!(set_tail_aside(folder.path(), name, 5).unwrap(), None, "half a record");
        assert_eq!(set_file_aside(folder.path(), name).unwrap(), "a-000001.warc.gz.orphan");
        fs::write(&path, &members).unwrap();
        assert_eq!(set_file_aside(folder.path(), name).unwrap(), "a-000001.2.warc.gz.orphan");
        assert_eq!(fs::read(folder.path().join("a-000001.warc.gz.orphan")).unwrap().len(), 12);
    }
}
