//! Bytes to characters, whatever the server claims.
//!
//! The order is the browsers': byte order mark, `Content-Type`, a declaration in the first 1,024 bytes, then a guess from
//! the bytes. A wrong claim never fails: what does not decode becomes replacement characters. UTF-8, by far the most common
//! case, is checked and borrowed, not copied.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use std::borrow::Cow;

/// How far into a page a declaration is looked for, as the HTML standard says.
const DECLARATION_BYTES: usize = 1024;
/// How many bytes the guess reads; more does not make it better.
const GUESS_BYTES: usize = 64 * 1024;

/// Decodes a page; the second value is the name of the encoding that was used.
pub(super) fn decode<'a>(content: &'a [u8], content_type: Option<&str>) -> (Cow<'a, str>, &'static str) {
    if let Some((encoding, mark)) = Encoding::for_bom(content) {
        return (encoding.decode_without_bom_handling(&content[mark..]).0, encoding.name());
    }
    let declared = content_type.and_then(from_content_type).or_else(|| from_declaration(content));
    let encoding = declared.unwrap_or_else(|| guess(content));
    (encoding.decode_without_bom_handling(content).0, encoding.name())
}

/// Decodes a page again with the encoding [`decode`] named the first time.
pub(crate) fn decode_as<'a>(content: &'a [u8], name: &str) -> Cow<'a, str> {
    let encoding = Encoding::for_label(name.as_bytes()).unwrap_or(UTF_8);
    encoding.decode_with_bom_removal(content).0
}

/// Whether the header claims UTF-16, whose text is full of zero bytes.
pub(super) fn claims_utf16(content_type: Option<&str>) -> bool {
    content_type.and_then(from_content_type).is_some_and(|encoding| encoding == UTF_16LE || encoding == UTF_16BE)
}

/// The charset that a media type claims.
pub(crate) fn from_content_type(content_type: &str) -> Option<&'static Encoding> {
    let parameters = content_type.split(';').skip(1);
    let charset = parameters.filter_map(|parameter| parameter.split_once('=')).find_map(|(name, value)| {
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim_matches(|c: char| c.is_whitespace() || c == '"'))
    })?;
    usable(charset.as_bytes())
}

/// The `replacement` encoding would turn the whole page into one character and so hide every change: better to guess.
fn usable(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(label).filter(|encoding| *encoding != REPLACEMENT)
}

/// Finds `<meta charset=…>`, `<meta http-equiv content="…charset=…">` or `<?xml encoding=…?>` near the beginning.
fn from_declaration(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = &content[..content.len().min(DECLARATION_BYTES)];
    while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
        rest = &rest[at..];
        let end = if rest.starts_with(b"<!--") { find(rest, b"-->")? } else { find(rest, b">")? };
        let tag = &rest[..end];
        let label = if starts_with_ignoring_case(tag, b"<meta") {
            value_after(tag, b"charset")
        } else if tag.starts_with(b"<?xml") {
            value_after(tag, b"encoding")
        } else {
            None
        };
        if let Some(encoding) = label.and_then(usable) {
            return Some(from_inside(encoding));
        }
        rest = &rest[end..];
    }
    None
}

/// A declaration that could be read byte by byte cannot be in UTF-16, whatever it says.
fn from_inside(encoding: &'static Encoding) -> &'static Encoding {
    match encoding {
        claimed if claimed == UTF_16LE || claimed == UTF_16BE => UTF_8,
        claimed if claimed == X_USER_DEFINED => WINDOWS_1252,
        claimed => claimed,
    }
}

fn guess(content: &[u8]) -> &'static Encoding {
    // ISO-2022-JP is valid UTF-8 too; its escapes give it away.
    if !content.contains(&0x1b) && std::str::from_utf8(content).is_ok() {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&content[..content.len().min(GUESS_BYTES)], content.len() <= GUESS_BYTES);
    detector.guess(None, Utf8Detection::Allow)
}

fn find(text: &[u8], pattern: &[u8]) -> Option<usize> {
    text.windows(pattern.len()).position(|window| window == pattern).map(|at| at + pattern.len())
}

fn starts_with_ignoring_case(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
}

/// The value in `name = "value"`, quotes optional, at the first place where `name` is followed by `=`.
fn value_after<'a>(tag: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let at = tag.windows(name.len()).position(|window| window.eq_ignore_ascii_case(name))?;
    let value = tag[at + name.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    let end = value.iter().position(|byte| matches!(byte, b'"' | b'\'' | b';' | b'>' | b'?' | b'/' | b' '));
    Some(&value[..end.unwrap_or(value.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn valid_utf8_is_borrowed() {
        let (text, name) = decode("déjà vu".as_bytes(), Some("text/html; charset=utf-8"));
        assert!(matches!(text, Cow::Borrowed("déjà vu")));
        assert_eq!(name, "UTF-8");
        assert!(matches!(decode("déjà vu".as_bytes(), None).0, Cow::Borrowed(_)));
    }

    #[test]
    fn mark_beats_header_beats_declaration() {
        assert_eq!(decode(b"\xef\xbb\xbfhi", Some("text/html; charset=koi8-r")), ("hi".into(), "UTF-8"));
        assert_eq!(decode(b"\xff\xfeh\0i\0", None), ("hi".into(), "UTF-16LE"));
        let page = b"<html><META charset='windows-1251'>\xcf";
        assert_eq!(decode(page, None).1, "windows-1251");
        assert_eq!(decode(page, Some("text/html; Charset=\"koi8-r\"")).1, "KOI8-R");
    }

    #[test]
    fn declarations_in_every_form() {
        let equiv =
            b"<!-- <meta charset=koi8-r> --><meta http-equiv=Content-Type content='text/html; charset=shift_jis'>";
        assert_eq!(decode(equiv, None).1, "Shift_JIS");
        assert_eq!(decode(b"<?xml version=\"1.0\" encoding=\"iso-8859-2\"?><rss/>", None).1, "ISO-8859-2");
        assert_eq!(decode(b"<meta charset=utf-16>x", None), ("<meta charset=utf-16>x".into(), "UTF-8"));
    }

    #[test]
    fn a_lying_charset_never_fails() {
        assert_eq!(decode(b"caf\xe9", Some("text/html; charset=utf-8")), ("caf\u{fffd}".into(), "UTF-8"));
        assert_eq!(decode(b"plain", Some("text/html; charset=iso-2022-kr")), ("plain".into(), "UTF-8"));
        assert_eq!(decode(b"plain", Some("text/html; charset=no-such")), ("plain".into(), "UTF-8"));
    }

    #[test]
    fn undeclared_bytes_are_guessed() {
        let bytes = encoding_rs::WINDOWS_1251.encode("Привет, как дела сегодня, друзья мои").0;
        assert_eq!(decode(&bytes, None).0, "Привет, как дела сегодня, друзья мои");
    }

    proptest! {
        #[test]
        fn any_bytes_decode(bytes in proptest::collection::vec(any::<u8>(), 0..300), label in "\\PC{0,20}") {
            let (text, name) = decode(&bytes, Some(&format!("text/html; charset={label}")));
            let (guessed, _) = decode(&bytes, None);
            prop_assert!(text.len() <= 3 * bytes.len() + 3 && guessed.len() <= 3 * bytes.len() + 3);
            decode_as(&bytes, name);
        }
    }
}
