//! Appends encoded captures to the archive files of a collection, the only place that writes them.
//!
//! Appends are gathered in memory and reach the file in large writes; [`Writer::sync`] makes all of them durable at
//! once, and one transaction of the store then acknowledges the batch. A write that fails takes the whole batch back:
//! the file is cut to the end of the last sync, so that it always ends with a whole record.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use revisit::Time;

use super::error::ArchiveError;
use super::files::{self, CommittedFile, Owner, Recovery};
use super::gzip::Gzip;
use super::record::{Record, push_note};
use super::{date, ids};

/// Appends gathered before they are written out.
const GATHERED_BYTES: usize = 1 << 20;

/// How archive files are made.
#[derive(Clone, Debug)]
pub struct WriterSettings {
    /// A file that would grow beyond this is closed and the next one begun. A single larger capture still fits.
    pub roll_bytes: u64,
    /// Whether a sync waits for the disk.
    pub durable: bool,
    /// How file names begin.
    pub prefix: String,
    /// The collection's own number: the seed, as for [`super::Encoder::new`], and whose the files are.
    pub collection: u64,
    /// Names and values for the record that opens each file (`operator`, `http-header-user-agent`, `robots`…).
    pub info: Vec<(String, String)>,
}

/// Where a capture lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The number of the file, which is also in its name: [`Writer::file_name`].
    pub file: u32,
    /// Where in the file its first record begins.
    pub offset: u64,
}

/// The writer of a collection. There must be only one at a time; the store's lock sees to that.
pub struct Writer {
    folder: PathBuf,
    settings: WriterSettings,
    current: Option<Current>,
    next_number: u32,
    /// Files filled and closed since the last sync.
    filled: Vec<CommittedFile>,
    gathered: Vec<u8>,
}

/// The file being appended to.
struct Current {
    file: File,
    number: u32,
    name: String,
    path: PathBuf,
    /// End of what was written, without what is gathered in memory.
    written: u64,
    /// End of what was synced.
    synced: u64,
    /// End of what the last [`Writer::sync`] told its caller: where to go back to.
    told: u64,
    /// Whether the folder was synced since the file was created.
    in_folder: bool,
}

impl Writer {
    /// Opens the archive in `folder` (created if missing) after making it what the store's last transaction knows:
    /// `committed` is what the latest [`Writer::sync`] to be committed said of each file.
    pub fn open(
        folder: &Path,
        settings: WriterSettings,
        committed: &[CommittedFile],
    ) -> Result<(Writer, Recovery), ArchiveError> {
        let recovered = files::recover(folder, Owner::of_collection(settings.collection), committed)?;
        let newest = committed.iter().filter(|file| file.length > 0).max_by_key(|file| files::number(&file.name));
        let mut writer = Writer {
            folder: folder.into(),
            settings,
            current: None,
            next_number: recovered.next_number,
            filled: Vec::new(),
            gathered: Vec::new(),
        };
        if let Some(newest) = newest.filter(|newest| !recovered.report.damaged.contains(&newest.name)) {
            writer.resume(newest)?;
        }
        Ok((writer, recovered.report))
    }

    /// Appends the records of one capture and says where they will lie. Durable only after [`Writer::sync`]. If this
    /// fails, every append since the last sync is undone. `now` dates a file that has to be begun.
    pub fn append(&mut self, bytes: &[u8], now: Time) -> Result<Position, ArchiveError> {
        let fits = |end: &Position| end.offset.saturating_add(bytes.len() as u64) <= self.settings.roll_bytes;
        let position = match self.end().filter(fits) {
            Some(end) => end,
            None => self.roll(now)?,
        };
        if self.gathered.len() + bytes.len() > GATHERED_BYTES {
            self.write_out()?;
        }
        self.gathered.extend_from_slice(bytes);
        Ok(position)
    }

    /// Makes every append so far durable and returns the files that grew, for the store to commit together with the
    /// visits. All but the last of them are closed and will not grow again. If this fails, every append since the last
    /// sync is undone.
    pub fn sync(&mut self) -> Result<Vec<CommittedFile>, ArchiveError> {
        self.flush()?;
        let mut grown = std::mem::take(&mut self.filled);
        if let Some(current) = &mut self.current {
            grown.extend(current.grown());
        }
        Ok(grown)
    }

    /// The name of the file with this number.
    pub fn file_name(&self, number: u32) -> String {
        files::name(&self.settings.prefix, Owner::of_collection(self.settings.collection), number)
    }

    /// The file being appended to, if one is open: the one whose index is not final yet.
    pub fn current_file(&self) -> Option<&str> {
        self.current.as_ref().map(|current| &*current.name)
    }

    /// Goes on with a file of an earlier run, if that was ours and made with the same prefix.
    fn resume(&mut self, newest: &CommittedFile) -> Result<(), ArchiveError> {
        let CommittedFile { name, length } = newest.clone();
        let Some(number) = files::number(&name).filter(|number| self.file_name(*number) == name) else {
            return Ok(());
        };
        let path = self.folder.join(&name);
        let opened = OpenOptions::new().write(true).open(&path);
        let file = opened.and_then(|mut file| file.seek(SeekFrom::Start(length)).map(|_| file));
        let file = file.map_err(|error| ArchiveError::io("open", &path, error))?;
        files::claim(&file, &path)?;
        self.current =
            Some(Current { file, number, name, path, written: length, synced: length, told: length, in_folder: true });
        Ok(())
    }

    /// Closes the file, if there is one, and begins the next.
    fn roll(&mut self, now: Time) -> Result<Position, ArchiveError> {
        self.close()?;
        let begun = self.begin(now);
        if begun.is_err() {
            self.take_back();
        }
        begun
    }

    /// Begins the next file and returns where its first capture will lie.
    fn begin(&mut self, now: Time) -> Result<Position, ArchiveError> {
        let number = self.next_number;
        let name = self.file_name(number);
        let path = self.folder.join(&name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        let file = file.map_err(|error| ArchiveError::io("create", &path, error))?;
        files::claim(&file, &path)?;
        self.gathered = warcinfo(&self.settings, &name, now);
        self.current = Some(Current { file, number, name, path, written: 0, synced: 0, told: 0, in_folder: false });
        self.next_number += 1;
        Ok(Position { file: number, offset: self.gathered.len() as u64 })
    }

    /// Where the next append will lie if it still fits into the file.
    fn end(&self) -> Option<Position> {
        let current = self.current.as_ref()?;
        Some(Position { file: current.number, offset: current.written + self.gathered.len() as u64 })
    }

    fn close(&mut self) -> Result<(), ArchiveError> {
        self.flush()?;
        if let Some(mut current) = self.current.take() {
            self.filled.extend(current.grown());
        }
        Ok(())
    }

    /// Writes out what was gathered and makes it durable.
    fn flush(&mut self) -> Result<(), ArchiveError> {
        self.write_out()?;
        let Some(current) = &mut self.current else { return Ok(()) };
        if let Err(error) = current.sync(&self.folder, self.settings.durable) {
            self.take_back();
            return Err(error);
        }
        Ok(())
    }

    fn write_out(&mut self) -> Result<(), ArchiveError> {
        let Some(current) = &mut self.current else { return Ok(()) };
        if let Err(error) = current.file.write_all(&self.gathered) {
            let error = ArchiveError::io("write", &current.path, error);
            self.take_back();
            return Err(error);
        }
        current.written += self.gathered.len() as u64;
        self.gathered.clear();
        Ok(())
    }

    /// Undoes every append since the last sync and leaves the file: after a failed write or sync nothing is known of
    /// its end, so a later append begins a new one. Failures here are mended by the next [`Writer::open`].
    fn take_back(&mut self) {
        self.gathered.clear();
        self.filled.clear();
        match self.current.take() {
            Some(current) if current.told == 0 => _ = std::fs::remove_file(&current.path),
            Some(current) => _ = current.file.set_len(current.told),
            None => {}
        }
    }
}

impl Current {
    fn sync(&mut self, folder: &Path, durable: bool) -> Result<(), ArchiveError> {
        if durable && self.synced < self.written {
            self.file.sync_data().map_err(|error| ArchiveError::io("sync", &self.path, error))?;
        }
        self.synced = self.written;
        if durable && !self.in_folder {
            files::sync_folder(folder).map_err(|error| ArchiveError::io("sync", folder, error))?;
            self.in_folder = true;
        }
        Ok(())
    }

    /// What the store must be told, if the file grew since it was last told.
    fn grown(&mut self) -> Option<CommittedFile> {
        let grew = self.told < self.synced;
        self.told = self.synced;
        grew.then(|| CommittedFile { name: self.name.clone(), length: self.synced })
    }
}

/// The record that opens a file and says who made it.
fn warcinfo(settings: &WriterSettings, name: &str, now: Time) -> Vec<u8> {
    let mut notes = Vec::new();
    push_note(&mut notes, "software", concat!("everfresh/", env!("CARGO_PKG_VERSION")));
    push_note(&mut notes, "format", "WARC File Format 1.1");
    push_note(
        &mut notes,
        "conformsTo",
        "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
    );
    for (name, value) in &settings.info {
        push_note(&mut notes, name, value);
    }
    let mut text = Vec::new();
    let id = ids::of_warcinfo(settings.collection, name, now);
    let mut record = Record::begin(&mut text, "warcinfo", &id, &date::iso(now));
    record.field("WARC-Filename", name.as_bytes());
    record.end("application/warc-fields", &[&notes]);
    let mut member = Vec::new();
    Gzip::new().push_member(&text, &mut member);
    member
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::reader;
    use super::*;

    const NOW: Time = Time::from_secs(1_794_781_800);

    fn settings(roll_bytes: u64) -> WriterSettings {
        let info = vec![("operator".to_string(), "somebody\r\nelse".to_string())];
        WriterSettings { roll_bytes, durable: true, prefix: "test".into(), collection: 1 << 32, info }
    }

    fn open(folder: &Path, roll_bytes: u64, committed: &[CommittedFile]) -> (Writer, Recovery) {
        Writer::open(folder, settings(roll_bytes), committed).unwrap()
    }

    fn length(folder: &Path, name: &str) -> u64 {
        fs::metadata(folder.join(name)).unwrap().len()
    }

    #[test]
    fn a_file_opens_with_who_made_it() {
        let folder = tempfile::tempdir().unwrap();
        let (mut writer, _) = open(folder.path(), 1000, &[]);
        let position = writer.append(b"capture", NOW).unwrap();
        let grown = writer.sync().unwrap();
        assert_eq!(grown, [CommittedFile { name: "test-00000001-000001.warc.gz".into(), length: position.offset + 7 }]);
        let path = folder.path().join("test-00000001-000001.warc.gz");
        let info = reader::read(&path, 0, position.offset, 10_000).unwrap();
        assert_eq!(info.field("WARC-Type"), Some("warcinfo"));
        assert_eq!(info.field("WARC-Filename"), Some("test-00000001-000001.warc.gz"));
        let block = str::from_utf8(info.block()).unwrap();
        assert!(block.ends_with("\r\noperator: somebody  else\r\n"), "{block}");
    }

    #[test]
    fn files_roll_before_they_grow_too_large() {
        let folder = tempfile::tempdir().unwrap();
        let (mut writer, _) = open(folder.path(), 1000, &[]);
        let files: Vec<u32> = (0..5).map(|_| writer.append(&[0; 300], NOW).unwrap().file).collect();
        assert_eq!(files, [1, 1, 2, 2, 3]);
        let grown = writer.sync().unwrap();
        assert_eq!(grown.len(), 3);
        for file in &grown {
            assert_eq!(file.length, length(folder.path(), &file.name));
            assert!(file.length <= 1000);
        }
        assert_eq!(writer.sync().unwrap(), []);
        assert_eq!(writer.append(&[0; 5000], NOW).unwrap().file, 4, "a capture larger than a file has its own");
        assert_eq!(writer.current_file(), Some("test-00000001-000004.warc.gz"));
    }

    #[test]
    fn a_later_run_goes_on_where_the_store_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let (mut writer, _) = open(folder.path(), 1000, &[]);
        writer.append(b"known", NOW).unwrap();
        let committed = writer.sync().unwrap();
        writer.append(b"synced but unknown", NOW).unwrap();
        writer.sync().unwrap();
        drop(writer);
        let (mut writer, recovery) = open(folder.path(), 1000, &committed);
        assert_eq!(recovery.cut, [("test-00000001-000001.warc.gz".to_string(), 18)]);
        let position = writer.append(b"new", NOW).unwrap();
        assert_eq!((position.file, position.offset), (1, committed[0].length));
        let committed = writer.sync().unwrap();
        assert!(fs::read(folder.path().join("test-00000001-000001.warc.gz")).unwrap().ends_with(b"knownnew"));
        drop(writer);
        let other = WriterSettings { prefix: "other".into(), ..settings(1000) };
        let (mut writer, _) = Writer::open(folder.path(), other, &committed).unwrap();
        assert_eq!(writer.append(b"x", NOW).unwrap().file, 2);
        assert_eq!(writer.current_file(), Some("other-00000001-000002.warc.gz"));
    }

    #[test]
    fn a_shortened_file_is_reported_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (mut writer, _) = open(folder.path(), 1000, &[]);
        writer.append(b"known", NOW).unwrap();
        let committed = writer.sync().unwrap();
        drop(writer);
        fs::write(folder.path().join("test-00000001-000001.warc.gz"), b"short").unwrap();
        let (mut writer, recovery) = open(folder.path(), 1000, &committed);
        assert_eq!(recovery.damaged, ["test-00000001-000001.warc.gz"]);
        assert_eq!(writer.append(b"new", NOW).unwrap().file, 2);
    }
}
