//! Record ids that follow from what they name.
//!
//! An id is a hash of the collection, the URL, the time and the payload, written as a version 8 (custom) UUID. So a
//! revisit can name the record it refers to without anybody having stored that record's id, every worker can make ids
//! without coordination, and the same capture gives the same bytes in a test.

use revisit::Time;

use super::capture::{Capture, Digest};

/// The ids of the records of one capture.
pub(crate) struct RecordIds {
    /// Of the response or revisit record.
    pub(crate) main: String,
    /// Of the request record.
    pub(crate) request: String,
    /// Of the metadata record.
    pub(crate) metadata: String,
}

impl RecordIds {
    /// The ids of `capture` in the collection with the seed `collection`.
    pub(crate) fn of(collection: u64, capture: &Capture<'_>) -> RecordIds {
        let mut bytes = [0; 48];
        hash(collection, capture.url, capture.at, &capture.payload).finalize_xof().fill(&mut bytes);
        RecordIds { main: urn(&bytes[..16]), request: urn(&bytes[16..32]), metadata: urn(&bytes[32..]) }
    }
}

/// The id of the response record that a capture of `url` at `at` wrote.
pub(crate) fn of_response(collection: u64, url: &str, at: Time, payload: &Digest) -> String {
    urn(&hash(collection, url, at, payload).finalize().as_bytes()[..16])
}

/// The id of the record that opens the file `name`.
pub(crate) fn of_warcinfo(collection: u64, name: &str, at: Time) -> String {
    urn(&hash(collection, name, at, &Digest([0; 20])).finalize().as_bytes()[..16])
}

fn hash(collection: u64, url: &str, at: Time, payload: &Digest) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    // The parts of fixed length first, so that no two inputs run together.
    hasher.update(&collection.to_be_bytes()).update(&at.millis().to_be_bytes()).update(&payload.0);
    hasher.update(url.as_bytes());
    hasher
}

/// `bytes` (16 of them) as a UUID of version 8 and the RFC 9562 variant.
fn urn(bytes: &[u8]) -> String {
    let mut uuid = bytes.to_vec();
    uuid[6] = uuid[6] & 0x0f | 0x80;
    uuid[8] = uuid[8] & 0x3f | 0x80;
    let hex = data_encoding::HEXLOWER.encode(&uuid);
    format!("<urn:uuid:{}-{}-{}-{}-{}>", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_uuid_of_version_8() {
        assert_eq!(urn(&[0xff; 16]), "<urn:uuid:ffffffff-ffff-8fff-bfff-ffffffffffff>");
        assert_eq!(urn(&[0; 16]), "<urn:uuid:00000000-0000-8000-8000-000000000000>");
    }

    #[test]
    fn whatever_differs_gives_another_id() {
        let (url, at, payload) = ("http://a.example/", Time::from_secs(1), Digest::of(b"a"));
        let id = of_response(1, url, at, &payload);
        assert_eq!(id, of_response(1, url, at, &payload));
        assert_ne!(id, of_response(2, url, at, &payload));
        assert_ne!(id, of_response(1, "http://b.example/", at, &payload));
        assert_ne!(id, of_response(1, url, Time::from_secs(2), &payload));
        assert_ne!(id, of_response(1, url, at, &Digest::of(b"b")));
    }
}
