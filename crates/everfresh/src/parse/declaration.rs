//! The encoding that a document declares: `<meta charset>`, `<meta http-equiv>` or `<?xml encoding?>`.
//!
//! Read from bytes, before anything is known of them, as the HTML standard says ("prescan a byte stream"): comments and quoted
//! values are skipped, the first declaration that names an encoding counts, wherever in the first kilobyte it stands. Only a
//! title says nothing, which all browsers agree on. What is not declared there browsers may still meet when they build the
//! tree, and then load the page again: so do we, as far as [the head](head) goes.

mod head;

use super::{charset, sniff};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use std::borrow::Cow;

/// How far into a document a declaration is looked for.
const SCANNED_BYTES: usize = 64 * 1024;
/// How far it may stand anywhere.
const ANYWHERE_BYTES: usize = 1024;

/// The encoding that a document declares. In HTML a `<meta>` counts before the declaration of XML, in what claims to be
/// nothing behind it, and elsewhere not at all: a JSON that mentions one declares nothing.
pub(super) fn find(content: &[u8], content_type: Option<&str>) -> Option<&'static Encoding> {
    let content = &content[..content.len().min(SCANNED_BYTES)];
    match sniff::essence(content_type) {
        html if html.eq_ignore_ascii_case("text/html") => meta(content).or_else(|| xml(content)),
        nothing if sniff::is_no_claim(nothing) => xml(content).or_else(|| meta(content)),
        _ => xml(content),
    }
}

/// UTF-16 without a mark, as a document of tags in it begins (XML 1.0, appendix F).
pub(crate) fn unmarked_utf16(content: &[u8]) -> Option<&'static Encoding> {
    match content {
        [b'<', 0, 1..=255, 0, ..] => Some(UTF_16LE),
        [0, b'<', 0, 1..=255, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// What XML says of its encoding, by its first bytes or in words.
fn xml(content: &[u8]) -> Option<&'static Encoding> {
    unmarked_utf16(content).or_else(|| in_xml(content))
}

/// What `<?xml … encoding="…"?>` says.
pub(crate) fn in_xml(content: &[u8]) -> Option<&'static Encoding> {
    let content = &content[..content.len().min(SCANNED_BYTES)];
    let declaration = content.trim_ascii_start().strip_prefix(b"<?xml")?;
    let declaration = &declaration[..find_bytes(declaration, b">")?];
    let value = declaration[find_bytes(declaration, b"encoding")?..].trim_ascii_start().strip_prefix(b"=")?;
    charset::usable(unquoted(value.trim_ascii_start())?).map(from_inside)
}

/// What the first `<meta>` says that names an encoding.
fn meta(content: &[u8]) -> Option<&'static Encoding> {
    anywhere(&content[..content.len().min(ANYWHERE_BYTES)]).or_else(|| head::declared(content))
}

/// What the first `<meta>` says that names an encoding, be it in the head or not.
fn anywhere(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
        rest = &rest[at..];
        rest = match rest {
            [b'<', b'/', letter, ..] | [b'<', letter, ..] if letter.is_ascii_alphabetic() => {
                let (name, mut attributes) = tag(rest)?;
                if name.eq_ignore_ascii_case(b"meta") {
                    if let Some(encoding) = declared(&mut attributes, Cow::Borrowed)? {
                        return Some(encoding);
                    }
                    attributes.rest
                } else if name.eq_ignore_ascii_case(b"title") {
                    behind(attributes.skip()?, name)?
                } else {
                    attributes.skip()?
                }
            }
            [b'<', b'!' | b'?' | b'/', ..] => behind_no_tag(rest)?,
            _ => &rest[1..],
        };
    }
    None
}

/// The name of a tag, with its slash if it ends an element, and its attributes.
fn tag(text: &[u8]) -> Option<(&[u8], Attributes<'_>)> {
    let end = 2 + text[2..].iter().position(is_name_end)?;
    Some((&text[1..end], Attributes { rest: &text[end..] }))
}

/// What is behind a comment, a declaration or anything else in angle brackets that is no tag.
fn behind_no_tag(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'<', b'!', b'-', b'-', ..] => Some(&text[find_bytes(&text[2..], b"-->")? + 2..]),
        _ => Some(&text[find_bytes(text, b">")?..]),
    }
}

/// What is behind the text of an element of this name, which has no tags but the one that ends it; that one is first.
fn behind<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut rest = text;
    loop {
        rest = &rest[find_bytes(rest, b"</")? - 2..];
        let (found, _) = tag(rest)?;
        if found[1..].eq_ignore_ascii_case(name) {
            return Some(rest);
        }
        rest = &rest[2..];
    }
}

fn is_name_end(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/')
}

/// What one `<meta>` declares, its values read in this way; the outer `None` if the bytes end within it.
fn declared<'a>(
    attributes: &mut Attributes<'a>,
    read: impl Fn(&'a [u8]) -> Cow<'a, [u8]>,
) -> Option<Option<&'static Encoding>> {
    let (mut is_pragma, mut charset, mut content) = (None, None, None);
    while let Some((name, value)) = attributes.next()? {
        // The first attribute of a name counts.
        if name.eq_ignore_ascii_case(b"http-equiv") {
            is_pragma.get_or_insert(read(value).eq_ignore_ascii_case(b"content-type"));
        } else if name.eq_ignore_ascii_case(b"charset") {
            charset.get_or_insert(read(value));
        } else if name.eq_ignore_ascii_case(b"content") {
            content.get_or_insert(read(value));
        }
    }
    let content = content.filter(|_| is_pragma == Some(true));
    let label = charset.as_deref().or_else(|| in_content(content.as_deref()?));
    Some(label.and_then(charset::usable).map(from_inside))
}

/// The label in `text/html; charset=…`.
fn in_content(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        rest = rest[find_bytes(rest, b"charset")?..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            return unquoted(value.trim_ascii_start());
        }
    }
}

/// A value without its quotes; none if they are not closed.
fn unquoted(value: &[u8]) -> Option<&[u8]> {
    match value {
        [quote @ (b'"' | b'\''), rest @ ..] => Some(&rest[..rest.iter().position(|byte| byte == quote)?]),
        _ => Some(&value[..value.iter().position(|byte| is_name_end(byte) || *byte == b';').unwrap_or(value.len())]),
    }
}

/// A declaration that could be read byte by byte cannot be in UTF-16, whatever it says.
fn from_inside(encoding: &'static Encoding) -> &'static Encoding {
    match encoding {
        claimed if claimed == UTF_16LE || claimed == UTF_16BE => UTF_8,
        claimed if claimed == X_USER_DEFINED => WINDOWS_1252,
        claimed => claimed,
    }
}

/// The attributes of a tag, name and value as written.
struct Attributes<'a> {
    rest: &'a [u8],
}

impl<'a> Attributes<'a> {
    /// The next attribute, the inner `None` behind the last one; the outer if the bytes end before the tag does.
    fn next(&mut self) -> Option<Option<(&'a [u8], &'a [u8])>> {
        let skipped = self.rest.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != b'/')?;
        self.rest = &self.rest[skipped..];
        if self.rest[0] == b'>' {
            return Some(None);
        }
        // An equals sign may begin a name.
        let name = self.take(1 + self.rest[1..].iter().position(|byte| is_name_end(byte) || *byte == b'=')?);
        let Some(value) = self.rest.trim_ascii_start().strip_prefix(b"=") else { return Some(Some((name, b""))) };
        self.rest = value.trim_ascii_start();
        let value = match *self.rest.first()? {
            quote @ (b'"' | b'\'') => {
                self.rest = &self.rest[1..];
                let value = self.take(self.rest.iter().position(|byte| *byte == quote)?);
                self.rest = &self.rest[1..];
                value
            }
            _ => self.take(self.rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>')?),
        };
        Some(Some((name, value)))
    }

    /// What is behind the tag.
    fn skip(mut self) -> Option<&'a [u8]> {
        while self.next()?.is_some() {}
        Some(&self.rest[1..])
    }

    fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }
}

/// Where the first place ends that has these bytes, in any case.
fn find_bytes(text: &[u8], pattern: &[u8]) -> Option<usize> {
    let at = text.windows(pattern.len()).position(|window| window.eq_ignore_ascii_case(pattern))?;
    Some(at + pattern.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(document: &str) -> Option<&'static str> {
        find(document.as_bytes(), Some("text/html")).map(Encoding::name)
    }

    #[test]
    fn declarations_in_every_form() {
        let equiv =
            "<!-- <meta charset=koi8-r> --><meta http-equiv=Content-Type content='text/html; charset=shift_jis'>";
        assert_eq!(found(equiv), Some("Shift_JIS"));
        assert_eq!(found("<META\nname=x\nCharSet = ' koi8-r '>"), Some("KOI8-R"));
        assert_eq!(found("<meta charset=bogus><meta charset=koi8-r>"), Some("KOI8-R"));
        assert_eq!(found("<meta charset=utf-16>x"), Some("UTF-8"));
        assert_eq!(found("<meta content=\"a charset; charset = 'koi8-r' x\" http-equiv=content-type>"), Some("KOI8-R"));
        assert_eq!(
            found("<p><svg><template><script><style><meta charset=koi8-r>"),
            Some("KOI8-R"),
            "in the first kilobyte"
        );
    }

    #[test]
    fn a_late_declaration_counts_in_the_head_alone() {
        let late = |before: &str, behind: &str| found(&format!("{before}{}{behind}", "\r\n".repeat(600)));
        let meta = "<meta charset=koi8-r>";
        for (before, behind) in [
            ("", ""),
            ("<!DOCTYPE html><html><head><base href=/><link rel=a><!-- <body> -->", "</p>"),
            ("<title><body></title><script>'<body>'</script><style>p{}</style><noscript><p></noscript>", "<?x?></>"),
            ("<template><template></template><p>text</template>", "<head a='>'>"),
        ] {
            assert_eq!(late(before, &format!("{behind}{meta}")), Some("KOI8-R"), "{before} … {behind}");
        }
        for (before, behind) in [
            ("<head></head>", ""),
            ("", "</head>"),
            ("", "<bogus>"),
            ("", "text"),
            ("", "</br>"),
            ("<template>", ""),
            ("<template><template></template>", ""),
            ("<noscript><template></template>", ""),
            ("<title>", ""),
            ("<script>", ""),
            ("<!--", ""),
        ] {
            assert_eq!(late(before, &format!("{behind}{meta}")), None, "{before} … {behind}");
        }
        assert_eq!(late(&meta.replace("koi8-r", "big5"), meta), Some("Big5"), "the first kilobyte comes first");
    }

    #[test]
    fn references_in_a_declaration_are_those_of_html() {
        assert_eq!(found("<head><meta charset='&#107;oi8-r'>"), Some("KOI8-R"));
        assert_eq!(found("<meta http-equiv=content-type content='charset&equals;koi8-r'>"), Some("KOI8-R"));
        assert_eq!(found("<body><meta charset='&#107;oi8-r'>"), None);
    }

    #[test]
    fn what_declares_nothing() {
        for document in [
            "<metacharset=koi8-r>",
            "<meta content='text/html; charset=koi8-r'>",
            "<meta http-equiv=refresh content='text/html; charset=koi8-r'>",
            "<p title='<meta charset=koi8-r>'>",
            "<p title='> <meta charset=koi8-r>",
            "<meta charset=koi8-r",
            "<meta charset='koi8-r>",
            "<meta http-equiv=content-type content='charset=\"koi8-r'>",
            "<!-- <meta charset=koi8-r>",
            "<title><meta charset=koi8-r></title>",
            "<title>a</titles><meta charset=koi8-r>",
        ] {
            assert_eq!(found(document), None, "{document}");
        }
    }

    #[test]
    fn xml_declares_its_own() {
        let document = b"<?xml version=\"1.0\" encoding=\"iso-8859-2\"?><meta charset='koi8-r'/>";
        let named = |content_type| find(document, content_type).map(Encoding::name);
        assert_eq!(named(Some("application/xhtml+xml")), Some("ISO-8859-2"));
        assert_eq!(named(Some("text/html")), Some("KOI8-R"));
        assert_eq!(named(None), Some("ISO-8859-2"));
        assert_eq!(find(b"{\"a\": \"<meta charset=koi8-r>\"}", Some("application/json")), None);
        assert_eq!(find(b"<\0?\0x\0m\0l\0", Some("text/xml")).map(Encoding::name), Some("UTF-16LE"));
        assert_eq!(find(b"\0<\0r\0s\0s", Some("text/xml")).map(Encoding::name), Some("UTF-16BE"));
    }

    #[test]
    fn hostile_documents_are_scanned_in_linear_time() {
        let pieces = [
            "<",
            "<!",
            "<!--",
            "<a",
            "<a ",
            "<a b=\"",
            "<meta charset",
            "<meta content=charset ",
            "</",
            "<title></title>",
        ];
        for piece in pieces.into_iter().chain(["<title>", "</title", "<template>", "<link>", "<meta charset='&amp;'>"])
        {
            find(piece.repeat(1_000_000).as_bytes(), None);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_scanned(soup in "[<>/!a-z\"'=; ?-]{0,100}") {
            find(soup.as_bytes(), None);
            find(format!("<meta {soup}>").as_bytes(), None);
            find(format!("<?xml {soup}>").as_bytes(), None);
        }
    }
}
