//! The file of a checkpoint: blocks of bytes, each after its length, and at the end a digest of all of it.
//!
//! The digest is compared before anything else is believed, so what comes out is what was written, by this format.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use revisit::CheckpointError;
use rustix::fs::{OFlags, statvfs};

use crate::archive::{folder_of, sync_folder};
use crate::models::beside;
use crate::regular;

/// What begins the file: whose it is, and the version of its format. To be raised whenever what is kept changes.
const MAGIC: [u8; 16] = *b"everfresh-keep 8";
/// What the magic of every version begins with.
const NAME: usize = 14;
const DIGEST: usize = blake3::OUT_LEN;

/// Writes a file of the blocks that `keep` puts, if the disk has so much room: who needs it more should not find it full. It is there
/// whole or not at all.
pub(super) fn write(
    path: &Path,
    room: u64,
    keep: impl FnOnce(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<(), CheckpointError>,
) -> io::Result<()> {
    let disk = statvfs(folder_of(path))?;
    if disk.f_bavail.saturating_mul(disk.f_frsize) < room {
        return Err(ErrorKind::StorageFull.into());
    }
    let new = beside(path, ".new");
    let written = write_new(&new, keep).and_then(|()| std::fs::rename(&new, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    written.and_then(|()| sync_folder(folder_of(path)))
}

fn write_new(
    path: &Path,
    keep: impl FnOnce(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<(), CheckpointError>,
) -> io::Result<()> {
    // A pipe that stands there is not waited for.
    let nonblocking = OFlags::NONBLOCK.bits() as i32;
    let file = File::options().write(true).create(true).truncate(true).custom_flags(nonblocking).open(path)?;
    let (mut file, mut digest) = (BufWriter::new(file), blake3::Hasher::new());
    digest.update(&MAGIC);
    file.write_all(&MAGIC)?;
    let mut put = |block: &[u8]| {
        let length = (block.len() as u64).to_le_bytes();
        digest.update(&length).update(block);
        file.write_all(&length)?;
        file.write_all(block)
    };
    keep(&mut put).map_err(io::Error::other)?;
    file.write_all(digest.finalize().as_bytes())?;
    file.into_inner().map_err(|error| error.into_error())?.sync_all()
}

/// The blocks of a file that is whole.
pub(super) struct Blocks {
    file: BufReader<io::Take<File>>,
}

impl Blocks {
    /// Opens a file, if there is one, and looks whether it is what was written.
    pub(super) fn open(path: &Path) -> io::Result<Option<Blocks>> {
        let mut file = match regular::open(path, File::options().read(true)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let Some(length) = file.metadata()?.len().checked_sub((MAGIC.len() + DIGEST) as u64) else {
            return Err(damaged("it is cut"));
        };
        let mut magic = [0; MAGIC.len()];
        file.read_exact(&mut magic)?;
        match magic == MAGIC {
            true => {}
            false if magic[..NAME] == MAGIC[..NAME] => return Err(damaged("it is of another version")),
            false => return Err(damaged("it is no checkpoint")),
        }
        let mut digest = blake3::Hasher::new();
        digest.update(&magic).update_reader((&file).take(length))?;
        let mut kept = [0; DIGEST];
        file.read_exact(&mut kept)?;
        if digest.finalize() != kept {
            return Err(damaged("it is cut or damaged"));
        }
        file.seek(SeekFrom::Start(MAGIC.len() as u64))?;
        Ok(Some(Blocks { file: BufReader::new(file.take(length)) }))
    }

    /// The next block.
    pub(super) fn next(&mut self) -> io::Result<Vec<u8>> {
        let mut length = [0; 8];
        self.file.read_exact(&mut length)?;
        let mut block = Vec::new();
        self.file.by_ref().take(u64::from_le_bytes(length)).read_to_end(&mut block)?;
        if block.len() as u64 != u64::from_le_bytes(length) { Err(damaged("it is cut")) } else { Ok(block) }
    }
}

fn damaged(why: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        write(&path, 0, |put| Ok([&b"one"[..], b"", b"three"].into_iter().try_for_each(put)?)).unwrap();
        (folder, path)
    }

    #[test]
    fn blocks_come_back() {
        let (folder, path) = written();
        let mut blocks = Blocks::open(&path).unwrap().unwrap();
        let all: Vec<Vec<u8>> = (0..3).map(|_| blocks.next().unwrap()).collect();
        assert_eq!(all, [&b"one"[..], b"", b"three"]);
        assert!(blocks.next().is_err(), "there are no more");
        assert!(Blocks::open(&folder.path().join("none")).unwrap().is_none());
    }

    #[test]
    fn what_is_cut_or_changed_anywhere_is_told() {
        let (_folder, path) = written();
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(Blocks::open(&path).is_err(), "cut at {length}");
        }
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            assert!(Blocks::open(&path).is_err(), "changed at {place}");
        }
    }

    #[test]
    fn what_cannot_be_written_leaves_what_was_there() {
        let (folder, path) = written();
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(write(&path, u64::MAX, |_| Ok(())).unwrap_err().kind(), ErrorKind::StorageFull);
        let full = || CheckpointError::Keeper(ErrorKind::StorageFull.into());
        assert!(write(&path, 0, |_| Err(full())).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "and nothing beside it");
    }
}
