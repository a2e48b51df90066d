//! Reads one record back from where the index says it lies.
//!
//! Archived content is never trusted: files come from other machines, other tools and servers that lie. The reader
//! takes at most as many bytes as it is told, checks the structure and the block's digest, and answers anything else
//! with an error.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::GzDecoder;

use super::capture::Digest;
use super::error::ArchiveError;

/// One record, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    fields: Vec<(String, String)>,
    block: Vec<u8>,
}

impl Record {
    /// The value of a named field; names are compared without regard to case.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// All that follows the named fields: for HTTP records the head and the body.
    pub fn block(&self) -> &[u8] {
        &self.block
    }

    /// The head, with the blank line that ends it, and the body of an HTTP record. The body may still be encoded as
    /// the head's Content-Encoding says. A block without a blank line is all head.
    pub fn http(&self) -> (&[u8], &[u8]) {
        let blank = self.block.windows(4).position(|window| window == b"\r\n\r\n");
        self.block.split_at(blank.map_or(self.block.len(), |blank| blank + 4))
    }
}

/// Reads the record whose gzip member begins at `offset` of the archive file `path` and is `length` bytes long there.
/// `limit` bounds its size after decompression.
pub fn read(path: &Path, offset: u64, length: u64, limit: usize) -> Result<Record, ArchiveError> {
    let corrupt = |reason| ArchiveError::Corrupt { path: path.into(), offset, reason };
    let member = open(path, offset, length).map_err(|error| ArchiveError::io("open", path, error))?;
    let mut text = Vec::new();
    match GzDecoder::new(member).take(limit.saturating_add(1) as u64).read_to_end(&mut text) {
        Ok(_) => {}
        Err(error) if is_damage(&error) => return Err(corrupt("the compressed data is damaged or cut short")),
        Err(error) => return Err(ArchiveError::io("read", path, error)),
    }
    if text.len() > limit {
        return Err(ArchiveError::TooLarge { path: path.into(), offset, limit });
    }
    parse(text).map_err(corrupt)
}

fn open(path: &Path, offset: u64, length: u64) -> io::Result<impl Read> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    Ok(io::BufReader::new(file.take(length)))
}

/// Whether the decoder complains about the data and not the system about the file.
fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

/// Splits the text of one record, or says what is wrong with it.
fn parse(mut text: Vec<u8>) -> Result<Record, &'static str> {
    let end = text.windows(4).position(|window| window == b"\r\n\r\n").ok_or("its header has no end")?;
    let header = str::from_utf8(&text[..end]).map_err(|_| "its header is no text")?;
    let mut lines = header.split("\r\n");
    if !lines.next().is_some_and(|version| version.starts_with("WARC/1.")) {
        return Err("it does not begin with a version of WARC");
    }
    let fields: Option<Vec<_>> = lines.map(|line| line.split_once(':')).collect();
    let fields = fields.ok_or("a line of its header has no colon")?;
    let fields = fields.into_iter().map(|(name, value)| (name.trim().into(), value.trim().into())).collect();
    let mut record = Record { fields, block: Vec::new() };
    let length = record.field("Content-Length").and_then(|length| length.parse::<usize>().ok());
    let length = length.ok_or("it does not say its length")?;
    text.drain(..end + 4);
    if text.len() < length || text[length..] != *b"\r\n\r\n" {
        return Err("its length is not what it says");
    }
    text.truncate(length);
    record.block = text;
    verified(record)
}

/// Checks the block against its digest, if it has one of the kind we write.
fn verified(record: Record) -> Result<Record, &'static str> {
    let expected = record.field("WARC-Block-Digest").and_then(|digest| digest.strip_prefix("sha1:"));
    match expected {
        Some(expected) if expected.as_bytes() != Digest::of(&record.block).base32() => Err("its digest does not match"),
        _ => Ok(record),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::gzip::Gzip;
    use super::super::record::Record as Writing;
    use super::*;

    fn text(block: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        Writing::begin(&mut text, "response", "<urn:x>", "2026-11-15T22:30:00.000Z").end("application/http", &[block]);
        text
    }

    fn file(text: &[u8]) -> (tempfile::NamedTempFile, u64) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut member = b"junk before".to_vec();
        let length = Gzip::new().push_member(text, &mut member) as u64;
        member.extend_from_slice(b"junk behind");
        std::fs::write(file.path(), member).unwrap();
        (file, length)
    }

    #[test]
    fn a_record_comes_back() {
        let (file, length) = file(&text(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\n"));
        let record = read(file.path(), 11, length, 1000).unwrap();
        assert_eq!(record.field("warc-type"), Some("response"));
        assert_eq!(record.field("WARC-Target-URI"), None);
        assert_eq!(record.http(), (&b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"[..], &b"body\r\n\r\n"[..]));
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let (file, length) = file(&text(&vec![0; 10_000_000]));
        assert!(length < 100_000);
        let error = read(file.path(), 11, length, 1000).unwrap_err();
        assert!(matches!(error, ArchiveError::TooLarge { limit: 1000, .. }), "{error}");
    }

    #[test]
    fn wrong_places_and_damage_are_told() {
        let (file, length) = file(&text(b"a block"));
        let read = |offset, length| read(file.path(), offset, length, 1000).unwrap_err();
        assert!(matches!(read(0, length), ArchiveError::Corrupt { offset: 0, .. }));
        assert!(matches!(read(11, length - 9), ArchiveError::Corrupt { .. }));
        assert!(matches!(read(5000, length), ArchiveError::Corrupt { .. }));
        let gone = super::read(Path::new("gone.warc.gz"), 0, 1, 1).unwrap_err();
        assert!(gone.to_string().starts_with("could not open gone.warc.gz"));
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let mut changed = text(b"a block");
        let at = changed.len() - 5;
        changed[at] ^= 1;
        assert_eq!(parse(changed), Err("its digest does not match"));
    }

    proptest! {
        #[test]
        fn any_block_comes_back(block: Vec<u8>) {
            prop_assert_eq!(parse(text(&block)).unwrap().block, block);
        }

        #[test]
        fn any_bytes_are_an_answer(bytes: Vec<u8>) {
            let (file, length) = file(&bytes);
            prop_assert!(read(file.path(), 11, length, 1 << 16).is_err());
            std::fs::write(file.path(), &bytes).unwrap();
            prop_assert!(read(file.path(), 0, bytes.len() as u64, 1 << 16).is_err());
        }

        #[test]
        fn any_damage_is_an_error_or_harmless(at: usize, byte: u8) {
            let good = text(b"HTTP/1.1 200 OK\r\n\r\nbody");
            let mut bad = good.clone();
            let at = at % bad.len();
            bad[at] = byte;
            if let Ok(record) = parse(bad) {
                prop_assert_eq!(record.block, parse(good).unwrap().block);
            }
        }
    }
}
