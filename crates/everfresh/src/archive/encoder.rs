//! Turns a capture into the gzip members of its records. One encoder per worker: it owns the buffers and the
//! compression state that are reused from page to page.
//!
//! The order is response or revisit, request, metadata; the latter two name the first by `WARC-Concurrent-To`. A revisit of
//! the same URL has no request of its own: it was asked as the original was, with the validators that the original's head
//! names. Most visits find nothing new, and their records are most of what a collection grows by.
//!
//! A revisit of the profile *identical-payload-digest* holds the head of the response that was received. One of the
//! profile *server-not-modified* has an empty block: pywb replays a head with status 304 as an empty 304 answer, and
//! only without one does it show the page as it still was. The lines of the 304 go into the metadata record.

use super::capture::{Capture, CaptureKind};
use super::gzip::Gzip;
use super::ids::{self, RecordIds};
use super::record::{Record, push_note};
use super::{date, escape, head};

const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";
const IDENTICAL: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const HTTP_RESPONSE: &str = "application/http; msgtype=response";
const HTTP_REQUEST: &str = "application/http; msgtype=request";

/// Buffers above this are given back, so that one huge page does not stay in every worker's memory.
const KEPT_BYTES: usize = 1 << 20;

/// Encodes captures, one after the other.
pub struct Encoder {
    collection: u64,
    gzip: Gzip,
    record: Vec<u8>,
    notes: Vec<u8>,
    members: Vec<u8>,
}

/// The records of one capture, compressed and ready to be appended.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// The gzip members, back to back.
    pub bytes: Vec<u8>,
    /// How many of them, from the first byte, are the response or revisit record: the length the index needs.
    pub main_length: u64,
}

/// What the records of one capture share.
struct Shared<'a> {
    capture: &'a Capture<'a>,
    ids: RecordIds,
    date: String,
}

impl Encoder {
    /// An encoder for the collection with the seed `collection`, which must stay the same for the collection's life:
    /// the ids of records follow from it, and revisits name older records by their ids.
    pub fn new(collection: u64) -> Encoder {
        Encoder { collection, gzip: Gzip::new(), record: Vec::new(), notes: Vec::new(), members: Vec::new() }
    }

    /// The records of `capture`.
    pub fn encode(&mut self, capture: &Capture<'_>) -> Encoded {
        let shared = Shared { capture, ids: RecordIds::of(self.collection, capture), date: date::iso(capture.at) };
        self.members.clear();
        self.main(&shared);
        let main_length = self.gzip.push_member(&self.record, &mut self.members) as u64;
        if capture.kind.original().is_none_or(|original| original.url != capture.url) {
            self.request(&shared);
            self.gzip.push_member(&self.record, &mut self.members);
        }
        if self.metadata(&shared) {
            self.gzip.push_member(&self.record, &mut self.members);
        }
        // A copy of just the right size: many captures wait for the writer at once, and compressing needs more room.
        let bytes = self.members.as_slice().to_vec();
        for buffer in [&mut self.record, &mut self.notes, &mut self.members] {
            buffer.clear();
            buffer.shrink_to(KEPT_BYTES);
        }
        Encoded { bytes, main_length }
    }

    fn main(&mut self, Shared { capture, ids, date }: &Shared<'_>) {
        let (kind, payload) = match &capture.kind.original() {
            None => ("response", &capture.payload),
            Some(original) => ("revisit", &original.payload),
        };
        let mut record = Record::begin(&mut self.record, kind, &ids.main, date);
        record.url("WARC-Target-URI", capture.url);
        if let Some(address) = capture.address {
            record.field("WARC-IP-Address", address.to_canonical().to_string().as_bytes());
        }
        refers_to(&mut record, self.collection, &capture.kind);
        record.digest("WARC-Payload-Digest", payload);
        let head = head::response(capture.response_head, capture.status);
        match capture.kind {
            CaptureKind::Response => record.end(HTTP_RESPONSE, &[&head, capture.body]),
            CaptureKind::Identical(_) => record.end(HTTP_RESPONSE, &[&head]),
            CaptureKind::NotModified(_) => record.end(HTTP_RESPONSE, &[]),
        }
    }

    fn request(&mut self, Shared { capture, ids, date }: &Shared<'_>) {
        let mut record = Record::begin(&mut self.record, "request", &ids.request, date);
        record.url("WARC-Target-URI", capture.url);
        record.field("WARC-Concurrent-To", ids.main.as_bytes());
        record.end(HTTP_REQUEST, &[&head::request(capture.request_head), capture.request_body]);
    }

    /// False if there is nothing to say.
    fn metadata(&mut self, Shared { capture, ids, date }: &Shared<'_>) -> bool {
        self.notes.clear();
        for (name, value) in capture.notes {
            push_note(&mut self.notes, name, value);
        }
        if let CaptureKind::NotModified(_) = capture.kind {
            for (index, line) in head::lines(capture.response_head).enumerate() {
                self.notes.extend_from_slice(if index == 0 { b"http-status: " } else { b"http-header: " });
                escape::push_line(&mut self.notes, line);
            }
        }
        if self.notes.is_empty() {
            return false;
        }
        let mut record = Record::begin(&mut self.record, "metadata", &ids.metadata, date);
        record.url("WARC-Target-URI", capture.url);
        record.field("WARC-Concurrent-To", ids.main.as_bytes());
        record.end("application/warc-fields", &[&self.notes]);
        true
    }
}

/// The fields by which a revisit names the capture whose body it stands for. Replay looks that up by URL and date.
fn refers_to(record: &mut Record<'_>, collection: u64, kind: &CaptureKind<'_>) {
    let (profile, original) = match kind {
        CaptureKind::Response => return,
        CaptureKind::NotModified(original) => (NOT_MODIFIED, original),
        CaptureKind::Identical(original) => (IDENTICAL, original),
    };
    let id = ids::of_response(collection, original.url, original.at, &original.payload);
    record.field("WARC-Profile", profile.as_bytes());
    record.field("WARC-Refers-To", id.as_bytes());
    record.url("WARC-Refers-To-Target-URI", original.url);
    record.field("WARC-Refers-To-Date", date::iso(original.at).as_bytes());
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::IpAddr;

    use flate2::bufread::GzDecoder;
    use proptest::prelude::*;
    use revisit::Time;

    use super::super::capture::{Digest, Original};
    use super::*;

    const AT: Time = Time::from_millis(1_794_781_800_125);

    fn capture<'a>(kind: CaptureKind<'a>, head: &'a [u8], body: &'a [u8]) -> Capture<'a> {
        Capture {
            url: "http://a.example/page",
            at: AT,
            address: Some(IpAddr::from([192, 0, 2, 1])),
            request_head: b"GET /page HTTP/1.1\r\nHost: a.example\r\n\r\n",
            request_body: b"",
            response_head: head,
            body,
            status: 200,
            payload: Digest::of(body),
            kind,
            notes: &[("via", "http://a.example/")],
        }
    }

    /// The text of each member.
    fn members(encoded: &Encoded) -> Vec<String> {
        let mut rest = &encoded.bytes[..];
        let mut texts = Vec::new();
        while !rest.is_empty() {
            let mut text = Vec::new();
            let mut decoder = GzDecoder::new(rest);
            decoder.read_to_end(&mut text).unwrap();
            rest = decoder.into_inner();
            if texts.is_empty() {
                assert_eq!(encoded.main_length as usize, encoded.bytes.len() - rest.len());
            }
            texts.push(String::from_utf8_lossy(&text).into_owned());
        }
        texts
    }

    #[test]
    fn a_response_is_exactly_this() {
        let capture = capture(CaptureKind::Response, b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n", b"hello");
        let texts = members(&Encoder::new(1).encode(&capture));
        assert_eq!(texts.len(), 3);
        assert_eq!(
            texts[0],
            "WARC/1.1\r\nWARC-Type: response\r\n\
             WARC-Record-ID: <urn:uuid:9de163fa-8390-8402-b5a2-6f0fe05676f5>\r\nWARC-Date: 2026-11-15T22:30:00.125Z\r\n\
             WARC-Target-URI: http://a.example/page\r\nWARC-IP-Address: 192.0.2.1\r\n\
             WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\r\n\
             WARC-Block-Digest: sha1:RROKHDNGGAACWGJTQGIXMZRXSP5XOPZ4\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: 35\r\n\r\n\
             HTTP/1.1 200 OK\r\nServer: x\r\n\r\nhello\r\n\r\n"
        );
        assert_eq!(
            texts[1],
            "WARC/1.1\r\nWARC-Type: request\r\n\
             WARC-Record-ID: <urn:uuid:70afb53e-b4bc-8e48-b000-711418db3e0c>\r\nWARC-Date: 2026-11-15T22:30:00.125Z\r\n\
             WARC-Target-URI: http://a.example/page\r\n\
             WARC-Concurrent-To: <urn:uuid:9de163fa-8390-8402-b5a2-6f0fe05676f5>\r\n\
             WARC-Block-Digest: sha1:PFTOJHVWLL33NENXAWH4AOULEMAUUNIY\r\n\
             Content-Type: application/http; msgtype=request\r\nContent-Length: 39\r\n\r\n\
             GET /page HTTP/1.1\r\nHost: a.example\r\n\r\n\r\n\r\n"
        );
        assert_eq!(
            texts[2],
            "WARC/1.1\r\nWARC-Type: metadata\r\n\
             WARC-Record-ID: <urn:uuid:d2650017-3855-8ac9-b9f0-e0784a622668>\r\nWARC-Date: 2026-11-15T22:30:00.125Z\r\n\
             WARC-Target-URI: http://a.example/page\r\n\
             WARC-Concurrent-To: <urn:uuid:9de163fa-8390-8402-b5a2-6f0fe05676f5>\r\n\
             WARC-Block-Digest: sha1:XVVJLVVOD3ASB2KGSJQGGHH376AKLXRO\r\n\
             Content-Type: application/warc-fields\r\nContent-Length: 24\r\n\r\n\
             via: http://a.example/\r\n\r\n\r\n"
        );
    }

    #[test]
    fn a_revisit_names_its_original_and_has_no_body() {
        let mut encoder = Encoder::new(1);
        let first = members(&encoder.encode(&capture(CaptureKind::Response, b"HTTP/1.1 200 OK\r\n\r\n", b"hello")));
        let id =
            first[0].lines().find(|line| line.starts_with("WARC-Record-ID")).unwrap().replace("Record-ID", "Refers-To");
        let original = Original { url: "http://a.example/page", at: AT, payload: Digest::of(b"hello") };
        let not_modified = b"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n";
        for (kind, head, body) in [
            (CaptureKind::NotModified(original), &not_modified[..], &b""[..]),
            (CaptureKind::Identical(original), b"HTTP/1.1 200 OK\r\n\r\n", b"hello"),
        ] {
            let encoded = encoder.encode(&Capture { at: Time::from_secs(9), ..capture(kind, head, body) });
            assert!(encoded.main_length < 450, "{}", encoded.main_length);
            let text = &members(&encoded)[0];
            assert!(text.contains(&id), "{text}");
            assert!(text.contains("\r\nWARC-Refers-To-Target-URI: http://a.example/page\r\n"), "{text}");
            assert!(text.contains("\r\nWARC-Refers-To-Date: 2026-11-15T22:30:00.125Z\r\n"), "{text}");
            assert!(text.contains("\r\nWARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\r\n"), "{text}");
            assert!(!text.contains("hello") && !text.contains("304"), "{text}");
            assert!(members(&encoded).iter().all(|text| !text.contains("WARC-Type: request")));
        }
    }

    #[test]
    fn the_lines_of_a_304_are_kept_beside_it() {
        let original = Original { url: "http://a.example/page", at: AT, payload: Digest::of(b"hello") };
        let head = b"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n";
        let texts = members(&Encoder::new(1).encode(&capture(CaptureKind::NotModified(original), head, b"")));
        let expected =
            "via: http://a.example/\r\nhttp-status: HTTP/1.1 304 Not Modified\r\nhttp-header: ETag: \"x\"\r\n";
        assert!(texts[1].contains(expected), "{}", texts[1]);
    }

    #[test]
    fn nothing_to_note_is_no_metadata_record() {
        let capture = Capture { notes: &[], ..capture(CaptureKind::Response, b"HTTP/1.1 200 OK\r\n\r\n", b"") };
        assert_eq!(members(&Encoder::new(1).encode(&capture)).len(), 2);
    }

    proptest! {
        #[test]
        fn hostile_input_stays_in_its_record(url: String, head: Vec<u8>, body: Vec<u8>, note: String) {
            let notes = [("via", &*note)];
            let capture = Capture { url: &url, notes: &notes, ..capture(CaptureKind::Response, &head, &body) };
            let texts = members(&Encoder::new(1).encode(&capture));
            let fields: Vec<usize> =
                texts.iter().map(|text| text.split("\r\n\r\n").next().unwrap().lines().count()).collect();
            prop_assert_eq!(fields, [10, 9, 9]);
        }
    }
}
