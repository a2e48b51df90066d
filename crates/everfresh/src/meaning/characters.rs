//! The characters of a document: formats of data are UTF-8 by their standards, but for byte order marks and what XML declares.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

use super::{Format, Unreadable};

/// How far into an XML document its declaration may reach.
const DECLARATION_BYTES: usize = 256;

/// The body as text.
pub(super) fn text(body: &[u8], format: Format) -> Result<Cow<'_, str>, Unreadable> {
    let declared = || if matches!(format, Format::Xml | Format::RdfXml) { declared(body) } else { None };
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return decode(encoding, &body[mark..], format);
    }
    match std::str::from_utf8(body) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => decode(declared().unwrap_or(UTF_8), body, format),
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
        assert_eq!(*bytes(b"\xff\xfea\0"), *b"a");
        assert_eq!(*bytes(b"caf\xe9"), *b"caf\xe9");
    }
}
