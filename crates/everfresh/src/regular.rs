//! Files that are opened only if they are files: a pipe is not waited for, and a device not read without end.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a file that somebody else may have made.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    checked(options.custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?)
}

/// Opens a file that nobody else has a reason to make, and follows no link: what it leads to would be overwritten.
pub(crate) fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    checked(options.custom_flags(flags.bits() as i32).open(path)?)
}

fn checked(file: File) -> io::Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "it is no file")),
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, mknodat};

    use super::*;

    #[test]
    fn only_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "x").unwrap();
        mknodat(CWD, at("pipe"), FileType::Fifo, 0o600.into(), 0).unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        let opened = |name: &str| open(&at(name), OpenOptions::new().read(true)).is_ok();
        assert_eq!(["file", "link", "pipe", "."].map(opened), [true, true, false, false]);
        let own = |name: &str| open_own(&at(name), OpenOptions::new().read(true).write(true)).is_ok();
        assert_eq!(["file", "link", "pipe", "."].map(own), [true, false, false, false]);
        assert!(open(Path::new("/dev/zero"), OpenOptions::new().read(true)).is_err());
    }
}
