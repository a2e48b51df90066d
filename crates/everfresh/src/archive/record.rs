//! The text of one WARC record: `WARC/1.1`, named fields, a blank line, the block, two blank lines.

use super::capture::Digest;
use super::escape;

/// A record being written into a buffer, field by field.
pub(crate) struct Record<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> Record<'a> {
    /// Starts a record in `out`, whose former content is dropped.
    pub(crate) fn begin(out: &'a mut Vec<u8>, kind: &str, id: &str, date: &str) -> Record<'a> {
        out.clear();
        out.extend_from_slice(b"WARC/1.1\r\n");
        let mut record = Record { out };
        record.field("WARC-Type", kind.as_bytes());
        record.field("WARC-Record-ID", id.as_bytes());
        record.field("WARC-Date", date.as_bytes());
        record
    }

    /// Adds a named field whose value this crate made.
    pub(crate) fn field(&mut self, name: &str, value: &[u8]) {
        self.name(name);
        self.out.extend_from_slice(value);
        self.out.extend_from_slice(b"\r\n");
    }

    /// Adds a named field with a URL from outside.
    pub(crate) fn url(&mut self, name: &str, url: &str) {
        self.field(name, escape::url(url).as_bytes());
    }

    /// Adds a named field with a digest.
    pub(crate) fn digest(&mut self, name: &str, digest: &Digest) {
        self.name(name);
        self.out.extend_from_slice(b"sha1:");
        self.out.extend_from_slice(&digest.base32());
        self.out.extend_from_slice(b"\r\n");
    }

    /// Ends the record with its block, given in parts.
    pub(crate) fn end(mut self, content_type: &str, block: &[&[u8]]) {
        let length: usize = block.iter().map(|part| part.len()).sum();
        // Of nothing there is nothing to say.
        if length > 0 {
            self.digest("WARC-Block-Digest", &Digest::of_parts(block));
            self.field("Content-Type", content_type.as_bytes());
        }
        self.field("Content-Length", length.to_string().as_bytes());
        self.out.reserve(length + 6);
        self.out.extend_from_slice(b"\r\n");
        for part in block {
            self.out.extend_from_slice(part);
        }
        self.out.extend_from_slice(b"\r\n\r\n");
    }

    fn name(&mut self, name: &str) {
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b": ");
    }
}

/// Appends one `name: value` line of an `application/warc-fields` block.
pub(crate) fn push_note(out: &mut Vec<u8>, name: &str, value: &str) {
    escape::push_line(out, format!("{name}: {value}").as_bytes());
}
