//! Versions of pages, read back from the archive as what was judged when they came.

use std::path::Path;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};
use url::Url;

use crate::archive::{ArchiveError, reader};
use crate::fetch::{FetchError, decoded};
use crate::sources::{Answer, Held, Refusal, Source};
use crate::store::ArchivedEntry;

/// An exchange that is larger, as archived, is not read.
const MAX_RECORD_BYTES: usize = 256 << 20;
/// What an archived exchange may hold beyond its body.
const MAX_HEAD_BYTES: usize = 1 << 20;

/// Why a version cannot be read back.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// The archive failed.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A body cannot be decoded.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// Its answers are no version of the source as it is described now.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The archive has no such version.
    #[error("the archive has no version of {url} from that time; 'everfresh history' lists those it has")]
    Missing {
        /// The page.
        url: String,
    },
}

/// One version: what was judged, and the answer it came with.
#[derive(Debug)]
pub struct Version {
    /// The first answer, decoded.
    pub answer: Answer,
    /// What all answers hold.
    pub held: Held,
}

/// The version of a page that these exchanges of the archive in `folder` were; bodies may be `max` bytes long when decoded.
pub fn read(
    folder: &Path,
    exchanges: &[ArchivedEntry],
    url: &Url,
    source: Option<&Source>,
    max: usize,
) -> Result<Version, VersionError> {
    let missing = || VersionError::Missing { url: url.to_string() };
    let mut handler = source.unwrap_or(&Source::default()).handler(url)?;
    // A body is rarely larger as sent than decoded, and never by much.
    let max_record = max.saturating_mul(2).saturating_add(MAX_HEAD_BYTES).min(MAX_RECORD_BYTES);
    let mut first = None;
    for entry in exchanges {
        let url = Url::parse(&entry.url).map_err(|_| missing())?;
        let record = reader::read(&folder.join(&entry.file), entry.position, entry.length, max_record)?;
        let (head, body) = record.http();
        let (status, headers) = fields(head);
        let body = decoded(&url, &Bytes::copy_from_slice(body), &headers, max)?;
        let answer = Answer { url, status, headers, body };
        first.get_or_insert_with(|| answer.clone());
        handler.take(answer)?;
    }
    Ok(Version { answer: first.ok_or_else(missing)?, held: handler.finish() })
}

/// The status and the fields of an archived head; lines that are no field are left out.
fn fields(head: &[u8]) -> (u16, HeaderMap) {
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let status = lines.next().and_then(|line| str::from_utf8(line.get(9..12)?).ok()?.parse().ok());
    let mut headers = HeaderMap::new();
    for line in lines {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let name = HeaderName::from_bytes(&line[..colon]);
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(line[colon + 1..].trim_ascii())) {
            headers.append(name, value);
        }
    }
    (status.unwrap_or(0), headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_far_as_they_are_heads() {
        let (status, headers) =
            fields(b"HTTP/1.1 206 Partial\r\nContent-Type: text/csv \r\nodd line\r\nX: 1\r\nX: 2\r\n\r\n");
        assert_eq!((status, headers.len()), (206, 3));
        assert_eq!(headers["content-type"], "text/csv");
        assert_eq!(fields(b"").0, 0);
        assert_eq!(fields(b"HTTP/1.1 2\xff\r\n").0, 0);
    }
}
