//! One spelling for every URL, so that a page is known once whatever its links look like.
//!
//! The `url` crate already lower-cases hosts, drops default ports and resolves dot segments. What is left is done here:
//! fragments and credentials go, percent-encoding gets one form, parameters that only track a visitor go, an empty query
//! loses its `?`. The order of parameters stays, because servers may care. Almost every link is already in normal form, so
//! one scan over its bytes decides whether there is anything to do; only then is a string built and parsed again.

use crate::fetch::reference;
use encoding_rs::{Encoding, UTF_8};
use thiserror::Error;
use url::Url;

/// The longest URL kept, in bytes; longer ones are almost always traps.
pub const MAX_URL_BYTES: usize = 2048;
/// A reference longer than this is not worth parsing: nothing shortens it to [`MAX_URL_BYTES`].
const MAX_REFERENCE_BYTES: usize = 4 * MAX_URL_BYTES;

/// Why a URL is not one of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unfit {
    /// The text is no URL, not even a relative one.
    #[error("it is not a URL; write it whole, such as https://example.org/")]
    Malformed,
    /// The scheme is not one that is crawled.
    #[error("its scheme is neither http nor https; only these are crawled")]
    Scheme,
    /// It is longer than [`MAX_URL_BYTES`].
    #[error("it is longer than {MAX_URL_BYTES} bytes; such URLs are not kept")]
    TooLong,
}

/// Reads an absolute URL, as a seed list has it, into its normal form.
pub fn absolute(text: &str) -> Result<Url, Unfit> {
    if text.len() > MAX_REFERENCE_BYTES {
        return Err(Unfit::TooLong);
    }
    normalise(Url::parse(text.trim()).map_err(|_| Unfit::Malformed)?)
}

/// Resolves a reference found on a page at `base` into its normal form.
pub fn resolve(base: &Url, reference: &str) -> Result<Url, Unfit> {
    resolve_in(UTF_8, base, reference)
}

/// Resolves a reference found on a page in this encoding, which queries are sent in.
pub(super) fn resolve_in(encoding: &'static Encoding, base: &Url, reference: &str) -> Result<Url, Unfit> {
    if reference.len() > MAX_REFERENCE_BYTES {
        return Err(unfit_by_length(reference));
    }
    normalise(reference::join(encoding, base, reference).map_err(|_| Unfit::Malformed)?)
}

/// What is wrong with a reference that is not even parsed: a picture or a program written into a link is no long URL.
fn unfit_by_length(reference: &str) -> Unfit {
    let is_of = |scheme: &&str| reference.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if ["data:", "javascript:", "mailto:"].iter().any(is_of) { Unfit::Scheme } else { Unfit::TooLong }
}

/// Brings a URL into its normal form; doing so twice changes nothing.
pub fn normalise(mut url: Url) -> Result<Url, Unfit> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Unfit::Scheme);
    }
    if needs_work(&url) {
        url.set_fragment(None);
        // Both fail only for URLs without a host, which http and https always have.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url = rebuild(&url)?;
    }
    if url.as_str().len() > MAX_URL_BYTES {
        return Err(Unfit::TooLong);
    }
    Ok(url)
}

/// Whether any rule of this file might apply; false for the ordinary link.
fn needs_work(url: &Url) -> bool {
    let bytes = url.as_str().as_bytes();
    if !bytes.iter().any(|byte| matches!(byte, b'%' | b'#' | b'?' | b';' | b'@')) {
        return false;
    }
    url.fragment().is_some()
        || !url.username().is_empty()
        || url.password().is_some()
        || !percent_is_normal(bytes)
        || has_session_segment(url.path())
        || url.query().is_some_and(|query| is_blank(query) || query.split('&').any(is_tracking))
}

fn rebuild(url: &Url) -> Result<Url, Unfit> {
    let mut text = String::with_capacity(url.as_str().len());
    text.push_str(&url[..url::Position::BeforePath]);
    push_path(&percent_normal(url.path()), &mut text);
    push_query(&percent_normal(url.query().unwrap_or_default()), &mut text);
    Url::parse(&text).map_err(|_| Unfit::Malformed)
}

fn push_path(path: &str, out: &mut String) {
    for (index, segment) in path.split('/').enumerate() {
        if index > 0 {
            out.push('/');
        }
        let kept = segment.split(';').enumerate().filter(|(part, text)| *part == 0 || !is_session_path(text));
        for (part, text) in kept {
            if part > 0 {
                out.push(';');
            }
            out.push_str(text);
        }
    }
}

fn push_query(query: &str, out: &mut String) {
    if query.split('&').all(|parameter| parameter.is_empty() || is_tracking(parameter)) {
        return;
    }
    let mut separator = '?';
    for parameter in query.split('&').filter(|parameter| !is_tracking(parameter)) {
        out.push(separator);
        out.push_str(parameter);
        separator = '&';
    }
}

fn is_blank(query: &str) -> bool {
    query.bytes().all(|byte| byte == b'&')
}

fn has_session_segment(path: &str) -> bool {
    path.contains(';') && path.split(['/', ';']).any(is_session_path)
}

fn is_session_path(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    name.eq_ignore_ascii_case("jsessionid")
}

/// Parameters that tell visitors or campaigns apart, never pages.
fn is_tracking(parameter: &str) -> bool {
    const NAMES: [&str; 4] = ["phpsessid", "jsessionid", "fbclid", "gclid"];
    /// Names that some sites give to pages and others to sessions: the value tells.
    const DOUBTFUL: [&str; 3] = ["sid", "sessionid", "session_id"];
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    let is_one_of = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    let campaign = name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("utm_"));
    campaign || is_one_of(&NAMES) || (is_one_of(&DOUBTFUL) && is_session_id(value))
}

/// Long and random: 16 letters and digits or more, hyphens between them at most, where a digit meets a letter once in six
/// characters or more often. In words it does so rarely, be they a title (`top-10-albums-of-1999`); what is digits alone may be
/// the number of a page. To take a session for a page costs a visit, to take a page for a session loses it.
fn is_session_id(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_change = |pair: &&[u8]| pair.iter().any(u8::is_ascii_digit) && pair.iter().any(u8::is_ascii_alphabetic);
    bytes.len() >= 16
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
        && bytes.windows(2).filter(is_change).count() * 6 >= bytes.len()
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn hex_value(byte: Option<&u8>) -> Option<u8> {
    byte.and_then(|byte| (*byte as char).to_digit(16)).map(|digit| digit as u8)
}

fn percent_is_normal(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        let (high, low) = (rest.get(at + 1), rest.get(at + 2));
        let lower_case = [high, low].iter().any(|byte| byte.is_some_and(u8::is_ascii_lowercase));
        match (hex_value(high), hex_value(low)) {
            (Some(a), Some(b)) if !lower_case && !is_unreserved(a << 4 | b) => rest = &rest[at + 3..],
            _ => return false,
        }
    }
    true
}

/// Upper-case hex digits, unreserved characters decoded, and a `%` that encodes nothing encoded itself, so that decoding
/// what follows it can never make a new escape out of it.
fn percent_normal(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut start = 0;
    while let Some(found) = bytes[start..].iter().position(|byte| *byte == b'%') {
        let at = start + found;
        // '%' is one byte, so both ends are character boundaries.
        out.push_str(&text[start..at]);
        start = at + 1;
        match (hex_value(bytes.get(at + 1)), hex_value(bytes.get(at + 2))) {
            (Some(high), Some(low)) => {
                push_escape(high << 4 | low, &mut out);
                start = at + 3;
            }
            _ => out.push_str("%25"),
        }
    }
    out.push_str(&text[start..]);
    out
}

fn push_escape(byte: u8, out: &mut String) {
    const HEX: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    if is_unreserved(byte) {
        out.push(char::from(byte));
    } else {
        out.extend(['%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn normal(text: &str) -> String {
        absolute(text).unwrap().into()
    }

    #[test]
    fn one_spelling_for_the_same_page() {
        assert_eq!(normal("HTTP://Example.ORG:80/a/./b/../c#top"), "http://example.org/a/c");
        assert_eq!(normal("https://example.org"), "https://example.org/");
        assert_eq!(normal("https://user:secret@example.org/a"), "https://example.org/a");
        assert_eq!(normal("https://example.org/%7euser/%e2%82%ac/%41"), "https://example.org/~user/%E2%82%AC/A");
        assert_eq!(normal("https://example.org/100%"), "https://example.org/100%25");
        assert_eq!(normal("https://example.org/a?"), "https://example.org/a");
    }

    #[test]
    fn visitor_parameters_are_dropped_and_the_rest_keeps_its_order() {
        assert_eq!(normal("http://a.org/p?z=1&PHPSESSID=x&utm_source=m&a=2"), "http://a.org/p?z=1&a=2");
        assert_eq!(normal("http://a.org/p?gclid=1&fbclid=2"), "http://a.org/p");
        assert_eq!(normal("http://a.org/p;jsessionid=ABC;v=1/q?%73id=0123456789abcdef0a1b2c"), "http://a.org/p;v=1/q");
        assert_eq!(normal("http://a.org/p?name=News&sid=42"), "http://a.org/p?name=News&sid=42", "sid may name a page");
        assert_eq!(normal("http://a.org/p?aside=1&utm=2"), "http://a.org/p?aside=1&utm=2");
    }

    #[test]
    fn what_looks_random_is_a_session_and_what_is_written_in_words_is_a_page() {
        for session in [
            "0a1b2c3d4e5f6071",
            "9f86d081884c7d659a2feaa0c55ad015",
            "c9bb1f4e-6a54-4f0f-9d2c-0a7f1c3b5e7d",
            "4bqm8k1h2v3n5s6t7u8d9e0f1g",
        ] {
            assert_eq!(normal(&format!("http://a.org/p?session_id={session}")), "http://a.org/p", "{session}");
        }
        for page in [
            "the-history-of-rome-in-brief",
            "top-10-albums-of-the-year-1999",
            "h264-vs-h265-test",
            "TheBeatles1967SgtPepper",
            "internationalization",
            "20240131235959123456",
            "2024-01-31-opening-keynote",
        ] {
            let url = format!("http://a.org/p?session_id={page}");
            assert_eq!(normal(&url), url);
        }
    }

    #[test]
    fn what_is_not_crawled_is_refused_with_its_reason() {
        let base = Url::parse("http://a.org/").unwrap();
        assert_eq!(resolve(&base, "javascript:void(0)"), Err(Unfit::Scheme));
        assert_eq!(resolve(&base, "mailto:me@a.org"), Err(Unfit::Scheme));
        assert_eq!(resolve(&base, "http://[::"), Err(Unfit::Malformed));
        assert_eq!(resolve(&base, &"a".repeat(3000)), Err(Unfit::TooLong));
        assert_eq!(resolve(&base, &"a".repeat(10_000_000)), Err(Unfit::TooLong));
    }

    proptest! {
        #[test]
        fn twice_is_once(tail in "[a-z0-9/%;=&?#.~é@:A-F-]{0,60}") {
            let base = Url::parse("http://example.org/d/e").unwrap();
            if let Ok(once) = resolve(&base, &tail) {
                prop_assert_eq!(normalise(once.clone()).unwrap(), once.clone());
                prop_assert_eq!(absolute(once.as_str()).unwrap(), once);
            }
        }

        #[test]
        fn any_text_is_resolved_or_refused(reference in "\\PC{0,80}") {
            let base = Url::parse("http://example.org/d/e").unwrap();
            if let Ok(once) = resolve(&base, &reference) {
                prop_assert_eq!(normalise(once.clone()).unwrap(), once);
            }
        }
    }
}
