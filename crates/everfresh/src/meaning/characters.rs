//! The characters of a document: formats of data are UTF-8 by their standards, but for byte order marks and what XML declares
//! or shows by its first bytes.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::{Format, Unreadable};

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
}
