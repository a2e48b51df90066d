//! The characters of a document: formats of data are UTF-8 by their standards, but for byte order marks and what XML declares
//! or shows by its first bytes.

use std::borrow::Cow;

use bytes::Bytes;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::{Format, Unreadable};
use crate::parse::claimed_charset;

/// How far into an XML document its declaration may reach.
const DECLARATION_BYTES: usize = 256;

/// The body as text, without a byte order mark.
pub fn text(body: &[u8], format: Format) -> Result<Cow<'_, str>, Unreadable> {
    let is_xml = matches!(format, Format::Xml | Format::RdfXml);
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return decode(encoding, &body[mark..], format);
    }
    if let Some(encoding) = unmarked_utf16(body).filter(|_| is_xml) {
        return decode(encoding, body, format);
    }
    match std::str::from_utf8(body) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => decode(declared(body).filter(|_| is_xml).unwrap_or(UTF_8), body, format),
    }
}

/// A body in UTF-8, if its media type claims another charset. Tables and XML leave it to the type to say; elsewhere it is only
/// asked where the bytes are no UTF-8.
pub fn in_utf8(body: Bytes, media_type: Option<&str>, format: Format) -> Bytes {
    let is_open = |body: &[u8]| match format {
        Format::Csv | Format::Tsv | Format::Xml | Format::RdfXml => Encoding::for_bom(body).is_none(),
        _ => std::str::from_utf8(body).is_err(),
    };
    let claimed = media_type.and_then(claimed_charset).filter(|encoding| *encoding != UTF_8);
    match claimed.filter(|_| is_open(&body)) {
        Some(encoding) => match encoding.decode_without_bom_handling_and_without_replacement(&body) {
            Some(Cow::Owned(text)) => text.into(),
            // The same in UTF-8, or a claim that is wrong.
            Some(Cow::Borrowed(_)) | None => body,
        },
        None => body,
    }
}

fn decode<'a>(encoding: &'static Encoding, body: &'a [u8], format: Format) -> Result<Cow<'a, str>, Unreadable> {
    let decoded = encoding.decode_without_bom_handling_and_without_replacement(body);
    decoded.ok_or(Unreadable::Encoding(format.name()))
}

/// The body as bytes in which ASCII stands for itself: all that tables and lines need.
pub(super) fn bytes(body: &[u8]) -> Cow<'_, [u8]> {
    match Encoding::for_bom(body) {
        Some((encoding, mark)) if encoding != UTF_8 => {
            Cow::Owned(encoding.decode_without_bom_handling(&body[mark..]).0.into_owned().into_bytes())
        }
        Some((_, mark)) => Cow::Borrowed(&body[mark..]),
        None => Cow::Borrowed(body),
    }
}

/// UTF-16 without a mark, as XML in it begins (XML 1.0, appendix F).
fn unmarked_utf16(body: &[u8]) -> Option<&'static Encoding> {
    match body {
        [b'<', 0, 1..=255, 0, ..] => Some(UTF_16LE),
        [0, b'<', 0, 1..=255, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// The encoding of `<?xml … encoding="…"?>`.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let beginning = body[..body.len().min(DECLARATION_BYTES)].strip_prefix(b"<?xml")?;
    let declaration = String::from_utf8_lossy(beginning);
    let value = declaration.split("?>").next()?.split_once("encoding")?.1.split(['"', '\'']).nth(1)?;
    Encoding::for_label(value.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_declarations_are_followed() {
        assert_eq!(text(b"\xef\xbb\xbf{}", Format::Json).unwrap(), "{}");
        assert_eq!(text(b"\xff\xfe{\0}\0", Format::Json).unwrap(), "{}");
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>";
        assert!(text(latin, Format::Xml).unwrap().ends_with("<a>é</a>"));
        assert_eq!(text(latin, Format::Json), Err(Unreadable::Encoding("JSON")));
        for format in [Format::Xml, Format::RdfXml] {
            assert_eq!(text(b"<\0a\0/\0>\0", format).unwrap(), "<a/>");
            assert_eq!(text(b"\0<\0a\0/\0>", format).unwrap(), "<a/>");
            assert_eq!(text(b"\xfe\xff\0<\0a\0/\0>", format).unwrap(), "<a/>");
        }
        assert_eq!(*bytes(b"\xff\xfea\0"), *b"a");
        assert_eq!(*bytes(b"caf\xe9"), *b"caf\xe9");
    }

    #[test]
    fn a_claimed_charset_is_heeded_where_the_format_leaves_it_open() {
        let recoded =
            |body: &'static [u8], media_type, format| in_utf8(Bytes::from_static(body), Some(media_type), format);
        for format in [Format::Csv, Format::Xml, Format::Json] {
            assert_eq!(recoded(b"caf\xe9", "text/csv; charset=windows-1252", format), "café");
            assert_eq!(recoded(b"caf\xe9", "text/csv", format), b"caf\xe9".as_slice());
            assert_eq!(recoded(b"caf\xe9", "text/csv; charset=utf-8", format), b"caf\xe9".as_slice());
            assert_eq!(recoded(b"caf\xff", "text/csv; charset=shift_jis", format), b"caf\xff".as_slice());
        }
        let utf8 = "café".as_bytes();
        assert_eq!(recoded(utf8, "application/json; charset=windows-1252", Format::Json), "café");
        assert_eq!(recoded(utf8, "text/csv; charset=windows-1252", Format::Csv), "cafÃ©");
        assert_eq!(recoded(b"\xff\xfea\0", "text/csv; charset=koi8-r", Format::Csv), b"\xff\xfea\0".as_slice());
    }
}
