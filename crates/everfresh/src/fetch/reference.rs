//! References to other pages, as headers and pages write them, resolved as browsers do (the URL standard).

use encoding_rs::{EncoderResult, Encoding, UTF_8};
use std::borrow::Cow;
use std::fmt::Write;
use url::{ParseError, Url};

/// A reference in a header field. Bytes that are no UTF-8 are escaped as they are.
pub(crate) fn in_header(value: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(value) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(3 * value.len());
    for byte in value {
        match byte {
            0..=0x7f => text.push(char::from(*byte)),
            // Writing to a string cannot fail.
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    Cow::Owned(text)
}

/// Where a reference leads that was found at `base` in a document of this encoding, which the query of a URL is sent in; all
/// else of it is sent in UTF-8.
pub(crate) fn join(encoding: &'static Encoding, base: &Url, reference: &str) -> Result<Url, ParseError> {
    let joined = join_as_written(encoding, base, reference);
    if !matches!(joined, Err(ParseError::EmptyHost)) {
        return joined;
    }
    // `///host/path` is `//host/path` to browsers, and without a host to the `url` crate.
    join_as_written(encoding, base, &with_two_slashes(reference).ok_or(ParseError::EmptyHost)?)
}

fn join_as_written(encoding: &'static Encoding, base: &Url, reference: &str) -> Result<Url, ParseError> {
    if encoding == UTF_8 || reference.is_ascii() {
        return base.join(reference);
    }
    let encoding = encoding.output_encoding();
    Url::options().base_url(Some(base)).encoding_override(Some(&|query| encoded(encoding, query))).parse(reference)
}

/// A query in another encoding. What that cannot say becomes a character reference, escaped.
fn encoded<'a>(encoding: &'static Encoding, query: &str) -> Cow<'a, [u8]> {
    let mut encoder = encoding.new_encoder();
    let mut out = Vec::with_capacity(2 * query.len());
    let mut rest = query;
    loop {
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut out, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Cow::Owned(out),
            EncoderResult::OutputFull => out.reserve(2 * rest.len() + 16),
            EncoderResult::Unmappable(character) => {
                out.extend_from_slice(format!("%26%23{}%3B", u32::from(character)).as_bytes());
            }
        }
    }
}

/// A reference that begins with slashes, with two of them.
fn with_two_slashes(reference: &str) -> Option<String> {
    let rest = reference.trim_start_matches(|c| c <= ' ');
    let host = rest.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    rest.starts_with(['/', '\\']).then(|| format!("//{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{ISO_2022_JP, SHIFT_JIS, UTF_16LE, WINDOWS_1251, WINDOWS_1252};

    #[test]
    fn headers_are_read_as_utf8_or_byte_by_byte() {
        assert_eq!(in_header("/é?é".as_bytes()), "/é?é");
        assert_eq!(in_header(b"/caf\xe9?%\xff"), "/caf%E9?%%FF");
    }

    #[test]
    fn the_query_is_in_the_encoding_of_the_page_and_the_path_is_not() {
        let base = Url::parse("http://a.org/d/?old").unwrap();
        let joined = |encoding, reference| String::from(join(encoding, &base, reference).unwrap());
        assert_eq!(joined(WINDOWS_1252, "é?q=é#é"), "http://a.org/d/%C3%A9?q=%E9#%C3%A9");
        assert_eq!(joined(WINDOWS_1251, "?é&b"), "http://a.org/d/?%26%23233%3B&b");
        assert_eq!(joined(SHIFT_JIS, "?表"), "http://a.org/d/?%95\\");
        assert_eq!(joined(ISO_2022_JP, "?日aé"), "http://a.org/d/?%1B$BF|%1B(Ba%26%23233%3B");
        assert_eq!(joined(UTF_16LE, "?é"), "http://a.org/d/?%C3%A9");
        let many = joined(WINDOWS_1252, &format!("?{}", "é☃".repeat(1000)));
        assert!(many.ends_with("%E9%26%239731%3B%E9%26%239731%3B"));
    }

    #[test]
    fn slashes_before_a_host_do_not_count() {
        let base = Url::parse("https://a.org/d/e").unwrap();
        for reference in ["//b.org/x", "///b.org/x", "\n ///\\//b.org/x", "/\\b.org/x", "https:///b.org/x"] {
            assert_eq!(join(UTF_8, &base, reference).unwrap().as_str(), "https://b.org/x", "{reference}");
        }
        assert_eq!(join(WINDOWS_1252, &base, "///b.org/?é").unwrap().as_str(), "https://b.org/?%E9");
        assert_eq!(join(UTF_8, &base, "///"), Err(ParseError::EmptyHost));
        assert_eq!(join(UTF_8, &base, "http:"), Err(ParseError::EmptyHost));
    }
}
