//! Bytes to characters, whatever the server claims.
//!
//! The order is the browsers': byte order mark, `Content-Type`, what the document [declares](declaration), then a guess from
//! the bytes. A wrong claim never fails: what does not decode becomes replacement characters, which are all alike. So that they
//! hide no change, such a body can be [read again](decode_as) with a character for every byte. UTF-8, by far the most common
//! case, is checked and borrowed, not copied.

use super::{declaration, sniff};
use crate::fetch::media_type;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{DecoderResult, Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;
use std::iter::once;

/// How many bytes the guess reads; more does not make it better.
const GUESS_BYTES: usize = 64 * 1024;

/// Characters beyond ASCII for each stray byte that make a body UTF-8 all the same.
const CHARACTERS_TO_A_STRAY: usize = 3;

/// Stands for a byte that does not decode, added to it; for those beyond ASCII the character is that of `x-user-defined`.
const MALFORMED: u32 = 0xf700;

/// A body as characters.
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    /// The name of the encoding that was used.
    pub(super) charset: &'static str,
    /// Whether some bytes are not in it.
    pub(super) is_malformed: bool,
}

impl<'a> Decoded<'a> {
    fn new(encoding: &'static Encoding, content: &'a [u8]) -> Decoded<'a> {
        let (text, is_malformed) = encoding.decode_without_bom_handling(content);
        Decoded { text, charset: encoding.name(), is_malformed }
    }
}

/// Decodes a page.
pub(super) fn decode<'a>(content: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    if let Some((encoding, mark)) = Encoding::for_bom(content) {
        return Decoded::new(encoding, &content[mark..]);
    }
    // A type that claims UTF-16 does not say which way round.
    let shown = declaration::unmarked_utf16(content).filter(|_| sniff::claims_xml(content_type));
    let claimed = shown.or_else(|| content_type.and_then(from_content_type));
    let declared = claimed.or_else(|| declaration::find(content, content_type));
    Decoded::new(declared.unwrap_or_else(|| guess(content)), content)
}

/// Decodes a document whose own word counts where its type is wrong: in what XML declares, else in UTF-8, whichever its bytes
/// are in.
pub(super) fn decode_by_itself(content: &[u8]) -> Option<Decoded<'_>> {
    let mut encodings = declaration::in_xml(content).into_iter().chain([UTF_8]);
    encodings.find_map(|encoding| {
        let text = encoding.decode_without_bom_handling_and_without_replacement(content)?;
        Some(Decoded { text, charset: encoding.name(), is_malformed: false })
    })
}

/// Decodes a page again with the encoding [`decode`] named the first time, each byte that is not in it as a character of its
/// own.
pub(crate) fn decode_as<'a>(content: &'a [u8], name: &str) -> Cow<'a, str> {
    let encoding = Encoding::for_label(name.as_bytes()).unwrap_or(UTF_8);
    match encoding.decode_with_bom_removal(content) {
        (text, false) => text,
        (_, true) => Cow::Owned(told_apart(encoding, content)),
    }
}

fn told_apart(encoding: &'static Encoding, content: &[u8]) -> String {
    let mark = Encoding::for_bom(content).filter(|(marked, _)| *marked == encoding).map_or(0, |(_, bytes)| bytes);
    let (mut decoder, mut text, mut read) = (encoding.new_decoder_without_bom_handling(), String::new(), mark);
    loop {
        let rest = &content[read..];
        text.reserve(decoder.max_utf8_buffer_length_without_replacement(rest.len()).unwrap_or_default());
        let (result, bytes) = decoder.decode_to_string_without_replacement(rest, &mut text, true);
        read += bytes;
        match result {
            DecoderResult::InputEmpty => return text,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(bytes, behind) => {
                let end = read.saturating_sub(usize::from(behind));
                let malformed = &content[end.saturating_sub(usize::from(bytes))..end];
                text.extend(malformed.iter().filter_map(|byte| char::from_u32(MALFORMED + u32::from(*byte))));
            }
        }
    }
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
    let claimed = media_type::last_of(once(content_type))?;
    usable(media_type::parameter(claimed, "charset")?.as_bytes())
}

/// The `replacement` encoding would turn the whole page into one character and so hide every change: better to guess.
pub(super) fn usable(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(label).filter(|encoding| *encoding != REPLACEMENT)
}

fn guess(content: &[u8]) -> &'static Encoding {
    // ISO-2022-JP is valid UTF-8 too; its escapes give it away.
    if !content.contains(&0x1b) && (std::str::from_utf8(content).is_ok() || is_nearly_utf8(content)) {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&content[..content.len().min(GUESS_BYTES)], content.len() <= GUESS_BYTES);
    detector.guess(None, Utf8Detection::Allow)
}

/// Whether a body is UTF-8 but for a few stray bytes, as those of a comment that was pasted. In no other encoding do
/// characters look like those of UTF-8 as often as not.
fn is_nearly_utf8(content: &[u8]) -> bool {
    let (mut characters, mut strays) = (0, 0);
    for chunk in content.utf8_chunks() {
        characters += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        strays += usize::from(!chunk.invalid().is_empty());
    }
    characters >= CHARACTERS_TO_A_STRAY * strays
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode<'a>(content: &'a [u8], content_type: Option<&str>) -> (Cow<'a, str>, &'static str) {
        let Decoded { text, charset, .. } = super::decode(content, content_type);
        (text, charset)
    }

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
    fn bytes_that_do_not_decode_are_told_apart_when_asked() {
        let read = |bytes: &[u8], name| decode_as(bytes, name).into_owned();
        assert_eq!(read(b"\xef\xbb\xbfa\xc4\xc1b\xe4\xbd", "UTF-8"), "a\u{f7c4}\u{f7c1}b\u{f7e4}\u{f7bd}");
        assert_eq!(read(b"\x01\xd8a\0z", "UTF-16LE"), "\u{f701}\u{f7d8}a\u{f77a}");
        assert_eq!(read(b"a\x81\x20b\xff", "Shift_JIS"), "a\u{f781} b\u{f7ff}");
        assert!(matches!(decode_as("d\u{e9}j\u{e0} vu".as_bytes(), "UTF-8"), Cow::Borrowed("d\u{e9}j\u{e0} vu")));
        let many = read(&[0xff; 100_000], "UTF-8");
        assert_eq!((many.len(), many.chars().all(|c| c == '\u{f7ff}')), (300_000, true));
    }

    #[test]
    fn undeclared_bytes_are_guessed() {
        let bytes = encoding_rs::WINDOWS_1251.encode("Привет, как дела сегодня, друзья мои").0;
        assert_eq!(decode(&bytes, None).0, "Привет, как дела сегодня, друзья мои");
    }

    #[test]
    fn a_stray_byte_does_not_make_utf8_anything_else() {
        let page = "<p>caf\u{e9} d\u{e9}j\u{e0}</p>".as_bytes();
        let stray = [page, b"<!-- caf\xe9 -->"].concat();
        assert_eq!(decode(&stray, None), (String::from_utf8_lossy(&stray), "UTF-8"));
        let latin = encoding_rs::WINDOWS_1252.encode("d\u{e9}j\u{e0} vu, \u{c3}\u{a9} Stra\u{df}e").0;
        assert_eq!(decode(&latin, None).1, "windows-1252");
        for encoding in [encoding_rs::SHIFT_JIS, encoding_rs::GBK, encoding_rs::BIG5, encoding_rs::EUC_KR] {
            let bytes = encoding.encode("\u{6771}\u{4eac}\u{65e5}\u{672c}\u{4e2d}\u{6587}").0;
            assert!(!is_nearly_utf8(&bytes), "{}", encoding.name());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_decode(bytes in proptest::collection::vec(any::<u8>(), 0..300), label in "\\PC{0,20}") {
            let (text, name) = decode(&bytes, Some(&format!("text/html; charset={label}")));
            let (guessed, _) = decode(&bytes, None);
            prop_assert!(text.len() <= 3 * bytes.len() + 3 && guessed.len() <= 3 * bytes.len() + 3);
            prop_assert!(decode_as(&bytes, name).len() <= 3 * bytes.len() + 3);
        }
    }
}
