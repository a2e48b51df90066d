//! CDXJ indexes: one line for each capture, sorted by key and time, as pywb reads them.
//!
//! The store keeps the entries; these files are made from it, one for each archive file, so that other tools can find
//! the captures. Only responses and revisits are indexed, not requests and metadata.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use revisit::Time;
use serde::Serialize;

use super::capture::Digest;
use super::error::ArchiveError;
use super::{date, escape, files, surt};

/// Where one capture lies and what it is.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The URL of the capture.
    pub url: &'a str,
    /// When it was taken.
    pub at: Time,
    /// The status code.
    pub status: u16,
    /// The value of the Content-Type header, with or without parameters; `None` if it is empty.
    pub content_type: Option<&'a str>,
    /// SHA-1 of the body, of the original's body for a revisit.
    pub payload: Digest,
    /// Whether it is a revisit, of either profile.
    pub revisit: bool,
    /// The name of the archive file.
    pub file: &'a str,
    /// Where in the file the record begins.
    pub offset: u64,
    /// How long the record is there: [`super::Encoded::main_length`].
    pub length: u64,
}

/// The JSON part of a line. Numbers are strings, as pywb writes and expects them.
#[derive(Serialize)]
struct Fields<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    mime: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    digest: &'a str,
    length: String,
    offset: String,
    filename: &'a str,
}

impl Entry<'_> {
    /// Appends the line of this entry, with its line feed.
    pub fn push_line(&self, out: &mut Vec<u8>) {
        let url = escape::url(self.url);
        out.extend_from_slice(surt::key(&url).as_bytes());
        out.push(b' ');
        out.extend_from_slice(date::digits(self.at).as_bytes());
        out.push(b' ');
        let digest = self.payload.base32();
        let fields = Fields {
            url: &url,
            mime: if self.revisit { "warc/revisit" } else { mime(self.content_type) },
            // By convention only responses have one: replay takes that of the original for a revisit.
            status: (!self.revisit).then(|| self.status.to_string()),
            digest: str::from_utf8(&digest).unwrap_or_default(),
            length: self.length.to_string(),
            offset: self.offset.to_string(),
            filename: self.file,
        };
        serde_json::to_writer(&mut *out, &fields).expect("strings into memory always serialize");
        out.push(b'\n');
    }
}

/// The media type alone, in the letters in which it was sent; `unk` if there is none. All as pywb has it, nonsense too, so that an
/// index made anew is the same; [`Fields`] leaves an empty one out.
fn mime(content_type: Option<&str>) -> &str {
    content_type.map_or("unk", |value| value.split([';', ' ']).next().unwrap_or_default())
}

/// The index of a file, or of several, gathered in any order.
///
/// One text and the ends of its lines: an archive file of a gigabyte has some hundred thousand of them.
#[derive(Debug, Default)]
pub struct Index {
    text: Vec<u8>,
    lines: Vec<Range<usize>>,
}

impl Index {
    /// Takes in the line of `entry`.
    pub fn push(&mut self, entry: &Entry<'_>) {
        let start = self.text.len();
        entry.push_line(&mut self.text);
        self.lines.push(start..self.text.len());
    }

    /// The lines, sorted, each with its line feed.
    pub fn sorted(&mut self) -> impl Iterator<Item = &[u8]> {
        let text = &self.text;
        self.lines.sort_unstable_by(|one, other| text[one.clone()].cmp(&text[other.clone()]));
        self.lines.iter().map(|line| &text[line.clone()])
    }

    /// Writes the sorted lines to `path`, durably, and says how many bytes they are. The file appears whole or not at all; its
    /// folder is created if missing.
    pub fn write(mut self, path: &Path) -> Result<u64, ArchiveError> {
        let folder = files::folder_of(path);
        let half_done = path.with_extension("cdxj.tmp");
        let mut write = || -> io::Result<()> {
            files::make_folder(folder)?;
            let mut file = BufWriter::new(File::create(&half_done)?);
            self.sorted().try_for_each(|line| file.write_all(line))?;
            file.into_inner()?.sync_all()?;
            fs::rename(&half_done, path)?;
            files::sync_folder(folder)
        };
        write().map_err(|error| {
            // The old index, if any, is still in place; what remains of the new one only takes up space.
            _ = fs::remove_file(&half_done);
            ArchiveError::io("write the index", path, error)
        })?;
        Ok(self.text.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(url: &str, second: i64) -> Entry<'_> {
        Entry {
            url,
            at: Time::from_secs(second),
            status: 200,
            content_type: Some("text/html; charset=utf-8"),
            payload: Digest::of(b""),
            revisit: false,
            file: "a-000001.warc.gz",
            offset: 333,
            length: 1043,
        }
    }

    #[test]
    fn a_line_is_exactly_this() {
        let mut line = Vec::new();
        entry("http://www.example.com/a b", 1_794_781_800).push_line(&mut line);
        let expected = concat!(
            "com,example)/a%20b 20261115223000 ",
            r#"{"url":"http://www.example.com/a%20b","mime":"text/html","status":"200","#,
            r#""digest":"3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ","length":"1043","offset":"333","#,
            r#""filename":"a-000001.warc.gz"}"#,
            "\n"
        );
        assert_eq!(String::from_utf8(line).unwrap(), expected);
    }

    #[test]
    fn a_revisit_has_no_status_and_its_own_type() {
        let mut line = Vec::new();
        Entry { revisit: true, ..entry("http://a.example/", 1) }.push_line(&mut line);
        let line = String::from_utf8(line).unwrap();
        assert!(line.contains(r#""mime":"warc/revisit","digest""#), "{line}");
    }

    #[test]
    fn types_are_those_of_other_indexers() {
        let types = [None, Some("image/svg+xml"), Some("Text/HTML ; charset=x"), Some("; charset=x"), Some("a\"b c")];
        assert_eq!(types.map(mime), ["unk", "image/svg+xml", "Text/HTML", "", "a\"b"]);
        let mut line = Vec::new();
        Entry { content_type: Some(";"), ..entry("http://a.example/", 1) }.push_line(&mut line);
        assert!(!String::from_utf8(line).unwrap().contains("mime"));
    }

    fn index(entries: &[Entry<'_>]) -> Index {
        let mut index = Index::default();
        entries.iter().for_each(|entry| index.push(entry));
        index
    }

    #[test]
    fn an_index_is_sorted_and_replaces_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("indexes").join("a.warc.gz.cdxj");
        index(&[entry("http://z.example/", 1)]).write(&path).unwrap();
        let urls = ["http://b.example/", "http://a.example/b", "http://a.example/", "http://a.b.example/"];
        let entries: Vec<Entry<'_>> = urls.iter().flat_map(|url| [entry(url, 2), entry(url, 1)]).collect();
        index(&entries).write(&path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 8);
        assert!(lines.is_sorted());
        assert!(lines[0].starts_with("example,a)/ 19700101000001 "));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
