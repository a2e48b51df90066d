//! Keeps hostile text inside its field: no URL, header or note may end a line of a record or an index.

use std::borrow::Cow;
use std::fmt::Write;

/// `url` as a server was asked for it, which is without its fragment, with everything but visible ASCII percent-encoded, and
/// the brackets and quotes that tools give a meaning to. Normalised URLs come back as they are.
pub(crate) fn url(url: &str) -> Cow<'_, str> {
    let url = url.split('#').next().unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>' | b'"');
    if url.bytes().all(plain) {
        return Cow::Borrowed(url);
    }
    let mut escaped = String::with_capacity(url.len() + 16);
    for byte in url.bytes() {
        match plain(byte) {
            true => escaped.push(char::from(byte)),
            // Writing to a String cannot fail.
            false => _ = write!(escaped, "%{byte:02X}"),
        }
    }
    Cow::Owned(escaped)
}

/// Appends one line of a header, its control characters replaced by spaces. Bytes above ASCII are kept as they came.
pub(crate) fn push_line(out: &mut Vec<u8>, line: &[u8]) {
    let visible = |byte: &u8| !byte.is_ascii_control() || *byte == b'\t';
    out.extend(line.iter().map(|byte| if visible(byte) { *byte } else { b' ' }));
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_cannot_leave_its_line() {
        assert_eq!(url("http://a.example/\r\nX: y"), "http://a.example/%0D%0AX:%20y");
        assert_eq!(url("<http://ä.example/>"), "%3Chttp://%C3%A4.example/%3E");
        assert!(matches!(url("http://a.example/?q=%20"), Cow::Borrowed(_)));
        assert_eq!(url("http://a.example/sparql#query"), "http://a.example/sparql");
    }

    #[test]
    fn a_line_stays_one_line() {
        let mut out = Vec::new();
        push_line(&mut out, b"via: a\r\nb\0c\td");
        assert_eq!(out, b"via: a  b c\td\r\n");
    }
}
