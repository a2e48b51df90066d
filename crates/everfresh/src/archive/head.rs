//! HTTP heads made safe to archive.
//!
//! Readers find the body of an archived response after the first blank line, as they understand "blank" and "line".
//! A server that smuggles a bare line feed or a line of odd spaces into its head would move that border, and the payload
//! digest would no longer match. Clean heads, which is nearly all, are passed on byte for byte.

use std::borrow::Cow;

use super::escape::push_line;

/// A response head that every reader ends at the same place and that begins with an HTTP/1 status line.
pub(crate) fn response(head: &[u8], status: u16) -> Cow<'_, [u8]> {
    let is_status_line = |line: &[u8]| line.starts_with(b"HTTP/1.1 ") || line.starts_with(b"HTTP/1.0 ");
    if is_status_line(head) && is_clean(head) {
        return Cow::Borrowed(head);
    }
    let status_line = format!("HTTP/1.1 {status}");
    let mut lines = lines(head).peekable();
    let first = lines.next_if(|line| line.starts_with(b"HTTP/")).filter(|line| is_status_line(line));
    let first = first.unwrap_or(status_line.as_bytes());
    Cow::Owned(rebuilt(std::iter::once(first).chain(lines)))
}

/// A request head that every reader ends at the same place.
pub(crate) fn request(head: &[u8]) -> Cow<'_, [u8]> {
    match is_clean(head) {
        true => Cow::Borrowed(head),
        false => Cow::Owned(rebuilt(lines(head))),
    }
}

/// The lines of a head that carry anything. What counts as a line end is what any reader could take for one.
pub(crate) fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split(|byte| matches!(byte, b'\r' | b'\n')).filter(|line| has_text(line))
}

fn rebuilt<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines {
        push_line(&mut out, line);
    }
    out.extend_from_slice(b"\r\n");
    out
}

/// Whether `head` is lines with text, each ended by CR LF, and then one blank line.
fn is_clean(head: &[u8]) -> bool {
    let Some(fields) = head.strip_suffix(b"\r\n") else { return false };
    let is_clean_line = |line: &[u8]| {
        let text = line.strip_suffix(b"\r\n");
        text.is_some_and(|text| has_text(text) && !text.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t'))
    };
    !fields.is_empty() && fields.split_inclusive(|byte| *byte == b'\n').all(is_clean_line)
}

/// Some readers strip every kind of space, also those above ASCII, before they look whether a line is blank.
fn has_text(line: &[u8]) -> bool {
    line.iter().any(u8::is_ascii_graphic)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_clean_head_is_untouched() {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Latin: caf\xe9\r\n\r\n";
        assert!(matches!(response(head, 200), Cow::Borrowed(same) if same == head));
        assert!(matches!(request(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_smuggled_blank_line_is_gone() {
        for smuggled in ["\n\n", "\r\n\r\n", "\r\r", "\n \t\n", "\r\n\u{b}\r\n"] {
            let head = format!("HTTP/1.1 200 OK\r\nA: 1{smuggled}B: 2\r\n\r\n");
            assert_eq!(&*response(head.as_bytes(), 200), b"HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\n\r\n");
        }
        assert_eq!(&*response(b"HTTP/1.1 200 OK\r\n\xa0\r\nB: 2\r\n\r\n", 200), b"HTTP/1.1 200 OK\r\nB: 2\r\n\r\n");
    }

    #[test]
    fn a_missing_or_foreign_status_line_is_replaced() {
        assert_eq!(&*response(b"", 204), b"HTTP/1.1 204\r\n\r\n");
        assert_eq!(&*response(b"HTTP/2 200\r\nA: 1\r\n\r\n", 200), b"HTTP/1.1 200\r\nA: 1\r\n\r\n");
        assert_eq!(&*response(b"A: 1\n", 200), b"HTTP/1.1 200\r\nA: 1\r\n\r\n");
    }

    proptest! {
        #[test]
        fn any_head_ends_at_its_only_blank_line(head: Vec<u8>, status: u16) {
            let safe = response(&head, status);
            let text = safe.strip_suffix(b"\r\n").unwrap();
            prop_assert!(is_clean(&safe));
            prop_assert!(text.split(|byte| *byte == b'\n').rev().skip(1).all(has_text));
            prop_assert_eq!(&*response(&safe, status), &*safe);
        }
    }
}
