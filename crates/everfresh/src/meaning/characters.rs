//! The characters of a document: formats of data are UTF-8 by their standards, but for byte order marks and what XML declares
//! or shows by its first bytes.

use std::borrow::Cow;

use bytes::Bytes;
use encoding_rs::{Encoding, UTF_8};

use super::{Format, Unreadable};
use crate::parse::{claimed_charset, declared_in_xml, decode_as, unmarked_utf16};

/// The byte order mark of UTF-8.
const MARK: &str = "\u{feff}";

/// The body as text, without a byte order mark. An encoding that XML declares counts if the bytes are in it: those of
/// ISO-2022-JP always are UTF-8 too.
pub fn text(body: &[u8], format: Format) -> Result<Cow<'_, str>, Unreadable> {
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return decode(encoding, &body[mark..], format);
    }
    let shown = Some(body).filter(|_| is_xml(format)).and_then(unmarked_utf16);
    if let Some(encoding) = shown {
        return decode(encoding, body, format);
    }
    match declared(body, format) {
        Some(encoding) => decode(encoding, body, format).or_else(|_| decode(UTF_8, body, format)),
        None => decode(UTF_8, body, format),
    }
}

/// A body in UTF-8, if its media type claims another charset. Tables and XML leave it to the type to say; elsewhere it is only
/// asked where the bytes are no UTF-8.
pub fn in_utf8(body: Bytes, media_type: Option<&str>, format: Format) -> Bytes {
    let is_open = |body: &[u8]| match format {
        Format::Csv | Format::Tsv => Encoding::for_bom(body).is_none(),
        // A type that claims UTF-16 does not say which way round.
        Format::Xml | Format::RdfXml => Encoding::for_bom(body).is_none() && unmarked_utf16(body).is_none(),
        _ => std::str::from_utf8(body).is_err(),
    };
    let declares_another = declared(&body, format).is_some();
    let claimed = media_type.and_then(claimed_charset).filter(|encoding| *encoding != UTF_8 || declares_another);
    let decoded = claimed
        .filter(|_| is_open(&body))
        .and_then(|encoding| encoding.decode_without_bom_handling_and_without_replacement(&body));
    match decoded {
        // A mark counts more than what is declared.
        Some(text) if declares_another => [MARK, &text].concat().into(),
        Some(Cow::Owned(text)) => text.into(),
        // The same in UTF-8, or a claim that is wrong.
        Some(Cow::Borrowed(_)) | None => body,
    }
}

fn is_xml(format: Format) -> bool {
    matches!(format, Format::Xml | Format::RdfXml)
}

/// The encoding that XML declares, if it is not UTF-8.
fn declared(body: &[u8], format: Format) -> Option<&'static Encoding> {
    declared_in_xml(body).filter(|encoding| is_xml(format) && *encoding != UTF_8)
}

fn decode<'a>(encoding: &'static Encoding, body: &'a [u8], format: Format) -> Result<Cow<'a, str>, Unreadable> {
    let decoded = encoding.decode_without_bom_handling_and_without_replacement(body);
    decoded.ok_or(Unreadable::Encoding(format.name()))
}

/// The body as bytes in which ASCII stands for itself: all that tables and lines need.
pub(super) fn bytes(body: &[u8]) -> Cow<'_, [u8]> {
    match Encoding::for_bom(body) {
        Some((encoding, _)) if encoding != UTF_8 => {
            Cow::Owned(decode_as(body, encoding.name()).into_owned().into_bytes())
        }
        Some((_, mark)) => Cow::Borrowed(&body[mark..]),
        None => Cow::Borrowed(body),
    }
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
    fn a_declared_encoding_counts_though_the_bytes_may_be_read_as_utf8() {
        let declared = |encoding: &str, rest: &[u8]| {
            [format!("<?xml version='1.0' encoding='{encoding}'?>").as_bytes(), rest].concat()
        };
        let read = |encoding: &str, rest: &[u8]| text(&declared(encoding, rest), Format::Xml).unwrap().into_owned();
        assert!(read("iso-2022-jp", b"<a>\x1b$B$\"\x1b(B</a>").ends_with("<a>あ</a>"));
        assert!(read("iso-8859-1", "<a>é</a>".as_bytes()).ends_with("<a>Ã©</a>"));
        assert!(read("UTF-16", "<a>é</a>".as_bytes()).ends_with("<a>é</a>"), "it can be read byte by byte");
        assert!(read("shift_jis", "<a>あ</a>".as_bytes()).ends_with("<a>あ</a>"), "it is nothing else");
        assert!(read("iso-2022-kr", "<a>é</a>".as_bytes()).ends_with("<a>é</a>"), "nobody reads that");
        let json = declared("iso-2022-jp", b"<a>\x1b$B$\"\x1b(B</a>");
        assert_eq!(text(&json, Format::Json).unwrap().as_bytes(), json);
    }

    #[test]
    fn the_media_type_counts_more_than_the_declaration() {
        let declared = |rest: &[u8]| [b"<?xml version='1.0' encoding='koi8-r'?>", rest].concat();
        for (charset, rest) in
            [("koi8-r", &b"<a>\xc1</a>"[..]), ("utf-8", "<a>а</a>".as_bytes()), ("windows-1251", b"<a>\xe0</a>")]
        {
            let body = in_utf8(declared(rest).into(), Some(&format!("text/xml; charset={charset}")), Format::Xml);
            assert!(text(&body, Format::Xml).unwrap().ends_with("<a>а</a>"), "{charset}");
        }
        let plain = Bytes::from_static(b"<a/>");
        assert_eq!(in_utf8(plain.clone(), Some("text/xml; charset=utf-8"), Format::Xml), plain);
    }

    #[test]
    fn utf16_is_read_the_way_round_it_shows() {
        let document = "<?xml version='1.0' encoding='UTF-16'?><a>é</a>";
        let ways: [fn(u16) -> [u8; 2]; 2] = [u16::to_be_bytes, u16::to_le_bytes];
        for (way, charset) in ways.iter().flat_map(|way| ["utf-16", "utf-16le", "utf-16be"].map(|name| (way, name))) {
            let wide: Vec<u8> = document.encode_utf16().flat_map(way).collect();
            let body = in_utf8(wide.into(), Some(&format!("text/xml; charset={charset}")), Format::Xml);
            assert!(text(&body, Format::Xml).unwrap().ends_with("<a>é</a>"), "{charset}");
        }
    }

    #[test]
    fn units_of_a_table_that_are_no_characters_are_told_apart() {
        assert_ne!(bytes(b"\xff\xfea\0\x01\xd8"), bytes(b"\xff\xfea\0\x02\xd8"));
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
