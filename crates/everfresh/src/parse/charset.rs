//! Bytes to characters, whatever the server claims.
//!
//! The order is the browsers': byte order mark, `Content-Type`, what the document [declares](declaration), then a guess from
//! the bytes. A wrong claim never fails: what does not decode becomes replacement characters. UTF-8, by far the most common
//! case, is checked and borrowed, not copied.

use super::declaration;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

/// How many bytes the guess reads; more does not make it better.
const GUESS_BYTES: usize = 64 * 1024;

/// Decodes a page; the second value is the name of the encoding that was used.
pub(super) fn decode<'a>(content: &'a [u8], content_type: Option<&str>) -> (Cow<'a, str>, &'static str) {
    if let Some((encoding, mark)) = Encoding::for_bom(content) {
        return (encoding.decode_without_bom_handling(&content[mark..]).0, encoding.name());
    }
    let claimed = content_type.and_then(from_content_type);
    let declared = claimed.or_else(|| declaration::find(content, content_type));
    let encoding = declared.unwrap_or_else(|| guess(content));
    (encoding.decode_without_bom_handling(content).0, encoding.name())
}

/// Decodes a page again with the encoding [`decode`] named the first time.
pub(crate) fn decode_as<'a>(content: &'a [u8], name: &str) -> Cow<'a, str> {
    let encoding = Encoding::for_label(name.as_bytes()).unwrap_or(UTF_8);
    encoding.decode_with_bom_removal(content).0
}

/// Whether a body is UTF-16 by its mark, its header or its first bytes; such text is full of zero bytes.
pub(super) fn is_utf16(content: &[u8], content_type: Option<&str>) -> bool {
    let marked = Encoding::for_bom(content).map(|(encoding, _)| encoding);
    let claimed = marked.or_else(|| content_type.and_then(from_content_type));
    let encoding = claimed.or_else(|| declaration::unmarked_utf16(content));
    encoding.is_some_and(|encoding| encoding == UTF_16LE || encoding == UTF_16BE)
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
pub(super) fn usable(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(label).filter(|encoding| *encoding != REPLACEMENT)
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
