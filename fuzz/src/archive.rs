//! Records written from hostile captures and read back, records of others, index lines.

use std::io::Write;
use std::net::IpAddr;

use everfresh::archive::cdxj::{Entry, Index};
use everfresh::archive::reader::{self, Record};
use everfresh::archive::{Capture, CaptureKind, Digest, Encoder, Original};
use flate2::Compression;
use flate2::write::GzEncoder;
use revisit::Time;

use crate::input;

/// The largest record read here.
const MOST_BYTES: usize = 256 << 10;
const AT: Time = Time::from_secs(1_700_000_000);

/// Any bytes as a file of records, and as the text of a record in a sound file.
pub(crate) fn warc(input: &[u8]) {
    let mut sound = GzEncoder::new(Vec::new(), Compression::none());
    sound.write_all(input).expect("writing to memory");
    for bytes in [input, &sound.finish().expect("writing to memory")] {
        if let Ok(record) = read(bytes, 0, bytes.len()) {
            let (head, body) = record.http();
            assert_eq!(head.len() + body.len(), record.block().len());
            assert!(record.block().len() <= MOST_BYTES);
        }
    }
}

fn read(bytes: &[u8], offset: usize, length: usize) -> Result<Record, everfresh::archive::ArchiveError> {
    let path = input::file("records.warc.gz", bytes);
    reader::read(&path, offset as u64, length as u64, MOST_BYTES)
}

/// A capture whose URL and media type (the first lines), head and body a server made up: what is archived is read back,
/// and a line of the index is one line.
pub(crate) fn records(input: &[u8]) {
    let (url, rest) = input::line(input);
    let (media_type, rest) = input::line(rest);
    let [head, body] = input::documents(rest);
    let original = Original { url: &url, at: AT, payload: Digest::of(body) };
    for kind in [CaptureKind::Response, CaptureKind::Identical(original), CaptureKind::NotModified(original)] {
        kept(&url, &media_type, head, body, kind);
    }
}

fn kept(url: &str, media_type: &str, head: &[u8], body: &[u8], kind: CaptureKind<'_>) {
    let capture = Capture {
        url,
        at: AT,
        address: Some(IpAddr::from([192, 0, 2, 1])),
        request_head: head,
        request_body: b"",
        response_head: head,
        body,
        status: 200,
        payload: Digest::of(body),
        kind,
        notes: &[("via", url)],
    };
    let encoded = Encoder::new(1).encode(&capture);
    let record = read(&encoded.bytes, 0, encoded.main_length as usize);
    let revisit = kind.original().is_some();
    let record = match record {
        Ok(record) => record,
        Err(error) => panic!("what was written is read back: {error}"),
    };
    assert_eq!(record.field("WARC-Type"), Some(if revisit { "revisit" } else { "response" }));
    assert!(revisit || record.http().1 == body, "the body is where readers look for it");
    indexed(url, media_type, encoded.main_length, revisit);
}

fn indexed(url: &str, media_type: &str, length: u64, revisit: bool) {
    let entry = Entry {
        url,
        at: AT,
        status: 200,
        content_type: Some(media_type),
        payload: Digest::of(url.as_bytes()),
        revisit,
        file: "a.warc.gz",
        offset: 0,
        length,
    };
    let mut index = Index::default();
    index.push(&entry);
    let line = index.sorted().next().expect("the one line").to_owned();
    let text = std::str::from_utf8(&line).expect("an index is text");
    let [key, date, json] = text.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("no three fields: {text}") };
    assert!(!key.is_empty() || url.split('#').next() == Some(""), "no key: {text}");
    assert_eq!((date, text.matches('\n').count()), ("20231114221320", 1), "{text}");
    serde_json::from_str::<serde_json::Value>(json).expect("the rest is JSON");
}
