//! Whether archive, index and store say the same.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Read, copy, sink};
use std::path::{Path, PathBuf};
use std::process::Command;

use everfresh::archive::{Digest, reader};
use everfresh::collection::Collection;
use everfresh::store::{self, CaptureEntry, FileRow, Reader, StoreError, each, each_numbered};
use flate2::read::MultiGzDecoder;
use revisit::PageId;

/// More than any record in these tests has.
const RECORD_LIMIT: usize = 1 << 24;

/// Asserts that every file is whole, that every capture the store knows lies where it says, and that the indexes list
/// exactly these. Returns how many there are.
pub(crate) fn assert_consistent(folder: &Path) -> usize {
    let (collection, store) = (Collection::at(folder), store::reader(folder).unwrap());
    let files: Vec<FileRow> = files(store.as_ref()).into_iter().filter(|file| file.length > 0).collect();
    assert_eq!(names(&collection.archive(), ".warc.gz"), names_of(&files, ".warc.gz"));
    assert_eq!(names(&collection.indexes(), ""), names_of(&files, ".cdxj"));
    files.iter().map(|file| assert_file(&collection, store.as_ref(), file)).sum()
}

fn files(store: &dyn Reader) -> Vec<FileRow> {
    store.files().unwrap().into_iter().map(|row| row.file).collect()
}

/// Every capture that the store knows in a file.
pub(crate) fn captures(store: &dyn Reader, file: u32) -> Vec<CaptureEntry> {
    let mut captures = Vec::new();
    let taken: Result<(), StoreError> = each(
        |cursor| store.captures(file, cursor),
        |capture| {
            captures.push(capture);
            Ok(())
        },
    );
    taken.unwrap();
    captures
}

fn assert_file(collection: &Collection, store: &dyn Reader, file: &FileRow) -> usize {
    let path = collection.archive().join(&file.name);
    assert_eq!(fs::metadata(&path).unwrap().len(), file.length, "{}", file.name);
    assert_readable_to_the_end(&path);
    let captures = captures(store, file.id);
    captures.iter().for_each(|capture| assert_archived(&path, capture));
    let index = collection.indexes().join(file.name.replace(".warc.gz", ".cdxj"));
    let listed = fs::read_to_string(&index).unwrap();
    assert_eq!(listed.lines().collect::<Vec<_>>(), index_lines(&captures, &file.name), "{}", index.display());
    captures.len()
}

/// Every byte belongs to a whole gzip member.
fn assert_readable_to_the_end(path: &Path) {
    let mut members = MultiGzDecoder::new(File::open(path).unwrap());
    let read = copy(&mut members, &mut sink());
    assert!(read.is_ok(), "{}: {read:?}", path.display());
    assert_eq!(members.get_mut().read(&mut [0]).unwrap(), 0, "{} has junk at its end", path.display());
}

fn assert_archived(path: &Path, capture: &CaptureEntry) {
    let record = reader::read(path, capture.position, capture.length, RECORD_LIMIT).unwrap();
    assert_eq!(record.field("WARC-Target-URI"), Some(capture.url.as_str()));
    let digest = format!("sha1:{}", String::from_utf8_lossy(&Digest(capture.payload).base32()));
    assert_eq!(record.field("WARC-Payload-Digest"), Some(digest.as_str()), "{}", capture.url);
    if capture.revisit {
        assert_eq!(record.field("WARC-Type"), Some("revisit"));
    } else {
        assert_eq!(record.field("WARC-Type"), Some("response"));
        assert_eq!(Digest::of(record.http().1).0, capture.payload, "{}", capture.url);
    }
}

fn index_lines(captures: &[CaptureEntry], file: &str) -> Vec<String> {
    let line = |capture: &CaptureEntry| {
        let mut line = Vec::new();
        capture.index_entry(file).push_line(&mut line);
        String::from_utf8(line).unwrap().trim_end().to_owned()
    };
    let mut lines: Vec<String> = captures.iter().map(line).collect();
    lines.sort_unstable();
    lines
}

/// The names in a folder that end so. Files that were set aside end otherwise.
fn names(folder: &Path, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| name.ends_with(ending)).collect();
    names.sort_unstable();
    names
}

fn names_of(files: &[FileRow], ending: &str) -> Vec<String> {
    files.iter().map(|file| file.name.replace(".warc.gz", ending)).collect()
}

/// Asserts that `warcio check`, which is not ours, finds nothing wrong with any file.
pub(crate) fn assert_warcio_agrees(folder: &Path) {
    warcio(&Collection::at(folder).archive(), &["check"]);
}

/// Asserts that every page has a copy that can be read, and that every capture that refers to another refers to one that
/// warcio finds in the archive. Returns how many do.
pub(crate) fn assert_nothing_missing(folder: &Path) -> usize {
    let (archive, store) = (Collection::at(folder).archive(), store::reader(folder).unwrap());
    let mut pages: Vec<PageId> = Vec::new();
    let taken: Result<(), StoreError> = each_numbered(
        |from| store.pages(from),
        |page| {
            pages.push(page.id);
            Ok(())
        },
    );
    taken.unwrap();
    for page in store.load(&pages).unwrap() {
        assert!(page.copy.is_some(), "{} has no copy", page.url);
        let held = store.archived(page.page, page.copy.unwrap().since).unwrap();
        assert!(!held.is_empty(), "the copy of {} is nowhere", page.url);
        for entry in held {
            reader::read(&archive.join(&entry.file), entry.position, entry.length, RECORD_LIMIT).unwrap();
        }
    }
    let fields = "warc-type,warc-target-uri,warc-date";
    let there: HashSet<String> = warcio(&archive, &["index", "-f", fields]).lines().map(String::from).collect();
    let mut revisits = 0;
    for file in files(store.as_ref()) {
        for capture in captures(store.as_ref(), file.id).into_iter().filter(|capture| capture.revisit) {
            let path = archive.join(&file.name);
            let record = reader::read(&path, capture.position, capture.length, RECORD_LIMIT).unwrap();
            let field = |name: &str| record.field(name).unwrap().to_owned();
            let (uri, date) = (field("WARC-Refers-To-Target-URI"), field("WARC-Refers-To-Date"));
            let original =
                format!("{{\"warc-type\": \"response\", \"warc-target-uri\": \"{uri}\", \"warc-date\": \"{date}\"}}");
            assert!(there.contains(&original), "{} refers to what is not there: {original}", capture.url);
            revisits += 1;
        }
    }
    revisits
}

/// What a command of warcio says of all WARC files in a folder.
pub(crate) fn warcio(archive: &Path, arguments: &[&str]) -> String {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let installed = Command::new(repository.join("scripts/python-tools.sh")).status().unwrap();
    assert!(installed.success(), "scripts/python-tools.sh failed");
    let files: Vec<PathBuf> = names(archive, ".warc.gz").iter().map(|name| archive.join(name)).collect();
    let mut command = Command::new(repository.join("target/python/bin/warcio"));
    let output = command.args(arguments).args(files).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    said
}
