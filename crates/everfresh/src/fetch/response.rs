//! The response head as archives hold it.

use http::response::Parts;

const RENAMED: &[u8] = b"X-Archive-Orig-";
const TRANSFER_ENCODING: &[u8] = b"transfer-encoding:";

/// The head to archive: as recorded, with the transfer coding that was removed from the body marked as such.
pub(super) fn archived_head(recorded: Option<Vec<u8>>, parts: &Parts) -> Vec<u8> {
    match recorded {
        Some(head) if parts.headers.contains_key(http::header::TRANSFER_ENCODING) => rename_transfer_encoding(&head),
        Some(head) => head,
        None => written_head(parts),
    }
}

fn rename_transfer_encoding(head: &[u8]) -> Vec<u8> {
    let mut renamed = Vec::with_capacity(head.len() + RENAMED.len());
    for line in head.split_inclusive(|&byte| byte == b'\n') {
        if line.get(..TRANSFER_ENCODING.len()).is_some_and(|name| name.eq_ignore_ascii_case(TRANSFER_ENCODING)) {
            renamed.extend_from_slice(RENAMED);
        }
        renamed.extend_from_slice(line);
    }
    renamed
}

/// An HTTP/2 head has no lines of its own; archives hold it as if it had come over HTTP/1.1.
fn written_head(parts: &Parts) -> Vec<u8> {
    let mut head = Vec::with_capacity(512);
    head.extend_from_slice(b"HTTP/1.1 ");
    head.extend_from_slice(parts.status.as_str().as_bytes());
    head.push(b' ');
    head.extend_from_slice(parts.status.canonical_reason().unwrap_or_default().as_bytes());
    head.extend_from_slice(b"\r\n");
    for (name, value) in &parts.headers {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_transfer_encoding_is_renamed() {
        let head = b"HTTP/1.1 200 OK\r\nServer: x\r\nTransfer-Encoding: chunked\r\nX-Transfer-Encoding: no\r\n\r\n";
        let expected = "HTTP/1.1 200 OK\r\nServer: x\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\nX-Transfer-Encoding: no\r\n\r\n";
        assert_eq!(String::from_utf8(rename_transfer_encoding(head)).unwrap(), expected);
    }

    #[test]
    fn a_head_without_lines_is_written_as_lines() {
        let response = http::Response::builder().status(404).header("etag", "\"x\"").body(()).unwrap();
        let (parts, ()) = response.into_parts();
        assert_eq!(archived_head(None, &parts), b"HTTP/1.1 404 Not Found\r\netag: \"x\"\r\n\r\n");
    }
}
