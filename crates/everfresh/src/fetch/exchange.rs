//! One request and its answer: the bytes for the archive, and what the head says to those who come after.

use std::net::SocketAddr;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use encoding_rs::UTF_8;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use revisit::{Span, Time};
use url::Url;

use super::decode::{DecodeError, decode, is_coded};
use super::{FetchError, Validators, media_type, reference};

/// A complete exchange with a server, whatever its status.
#[derive(Debug)]
pub struct Exchange {
    /// What was asked for.
    pub url: Url,
    /// Who answered.
    pub address: SocketAddr,
    /// The request as it was sent, blank line included; an HTTP/2 request in its HTTP/1.1 form.
    pub request_head: Vec<u8>,
    /// The body of the request; empty unless something was posted.
    pub request_body: Bytes,
    /// The status code.
    pub status: u16,
    /// The response head as it came, blank line included, but for a Transfer-Encoding, which no longer applies and is
    /// renamed; an HTTP/2 head in its HTTP/1.1 form.
    pub response_head: Vec<u8>,
    /// The fields of the response head.
    pub headers: HeaderMap,
    /// The body, without transfer coding and with its content coding.
    pub body: Bytes,
    /// From the call to the last byte of the body, connecting included; waiting for room is not.
    pub elapsed: Duration,
}

/// Where a redirect leads.
#[derive(Debug)]
pub struct Redirect {
    /// The page to fetch instead, without a fragment.
    pub target: Result<Url, FetchError>,
    /// Whether the target replaces the page for good.
    pub permanent: bool,
}

/// Whether an answer of this status brings a version of the page: a success, unless it has no content (204, 205), promises
/// some for later (202), is a part (206, 226), which nobody asks for, or tells how several requests went (207, 208). One
/// that nobody knows is as good as 200 (RFC 9110, 15).
pub fn brings_version(status: u16) -> bool {
    (200..300).contains(&status) && !matches!(status, 202 | 204..=208 | 226)
}

/// A body that came with these headers without its content codings, at most `max` bytes of it.
pub fn decoded(url: &Url, body: &Bytes, headers: &HeaderMap, max: usize) -> Result<Bytes, FetchError> {
    let coding = codings(headers);
    decode(body, &coding, max).map_err(|problem| {
        let url = url.to_string();
        match problem {
            DecodeError::TooLarge(_) => FetchError::DecodedTooLarge { url, limit: max },
            problem => FetchError::Decode { url, coding, problem: problem.to_string() },
        }
    })
}

fn codings(headers: &HeaderMap) -> String {
    let codings = headers.get_all(header::CONTENT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    codings.collect::<Vec<&str>>().join(",")
}

impl Exchange {
    /// The first `most` bytes of the body without its content codings, and no more work than they take; as they came if they
    /// cannot be decoded.
    pub fn beginning(&self, most: usize) -> Bytes {
        match decode(&self.body, &codings(&self.headers), most) {
            Ok(all) | Err(DecodeError::TooLarge(all)) => all,
            Err(_) => self.body.slice(..self.body.len().min(most)),
        }
    }

    /// Whether the body has a content coding to be removed.
    pub fn is_coded(&self) -> bool {
        is_coded(&codings(&self.headers)) && !self.body.is_empty()
    }

    /// The body without its content codings, at most `max` bytes of it; shares the body's memory if it has none.
    pub fn content(&self, max: usize) -> Result<Bytes, FetchError> {
        decoded(&self.url, &self.body, &self.headers, max)
    }

    /// Where the page has moved, if the status says so and a Location is given.
    pub fn redirect(&self) -> Option<Redirect> {
        let permanent = match self.status {
            301 | 308 => true,
            302 | 303 | 307 => false,
            _ => return None,
        };
        let location = reference::in_header(self.headers.get(header::LOCATION)?.as_bytes()).into_owned();
        let target = match reference::join(UTF_8, &self.url, &location) {
            Ok(mut target) if matches!(target.scheme(), "http" | "https") => {
                target.set_fragment(None);
                Ok(target)
            }
            _ => Err(FetchError::BadRedirect { url: self.url.to_string(), location }),
        };
        Some(Redirect { target, permanent })
    }

    /// What to send next time to learn whether the page changed.
    pub fn validators(&self) -> Validators {
        Validators::from_headers(&self.headers)
    }

    /// The Content-Type as given, parameters included: the one that counts, or the first if none is a media type.
    pub fn content_type(&self) -> Option<&str> {
        let fields = || self.all_of(header::CONTENT_TYPE);
        media_type::last_of(fields()).or_else(|| fields().next())
    }

    /// For how many seconds the server says a copy may be used (Cache-Control: max-age).
    pub fn max_age(&self) -> Option<u32> {
        let directives = self.all_of(header::CACHE_CONTROL).flat_map(|field| field.split(','));
        let mut ages = directives.filter_map(|directive| {
            let (name, value) = directive.split_once('=')?;
            name.trim().eq_ignore_ascii_case("max-age").then(|| value.trim().trim_matches('"').parse().ok()).flatten()
        });
        ages.next()
    }

    /// How long the server asks us to wait, counted from `now`; zero if that time is over.
    pub fn retry_after(&self, now: Time) -> Option<Span> {
        let value = self.all_of(header::RETRY_AFTER).next()?.trim();
        if let Ok(seconds) = value.parse::<u32>() {
            return Some(Span::from_secs(seconds.into()));
        }
        let date = httpdate::parse_http_date(value).ok()?.duration_since(UNIX_EPOCH).ok()?;
        let date = Time::from_secs(i64::try_from(date.as_secs()).ok()?);
        Some((date - now).max(Span::ZERO))
    }

    fn all_of(&self, name: HeaderName) -> impl Iterator<Item = &str> {
        self.headers.get_all(name).into_iter().map(text)
    }
}

/// A field up to the first byte that is no UTF-8: a stray letter somewhere in it spoils what stands before it for nobody.
pub fn text(value: &HeaderValue) -> &str {
    value.as_bytes().utf8_chunks().next().map_or("", |chunk| chunk.valid())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(status: u16, name: &'static str, value: &'static str) -> Exchange {
        Exchange {
            url: Url::parse("http://example.org/a/b?c").unwrap(),
            address: ([127, 0, 0, 1], 80).into(),
            request_head: Vec::new(),
            request_body: Bytes::new(),
            status,
            response_head: Vec::new(),
            headers: HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_static(value))]),
            body: Bytes::new(),
            elapsed: Duration::ZERO,
        }
    }

    #[test]
    fn redirects_resolve_against_the_page_and_lose_their_fragment() {
        let redirect = exchange(302, "location", "../x#y").redirect().unwrap();
        assert_eq!(redirect.target.unwrap().as_str(), "http://example.org/x");
        assert!(!redirect.permanent);
        assert!(exchange(308, "location", "https://other.example/").redirect().unwrap().permanent);
    }

    #[test]
    fn a_location_is_read_as_browsers_do() {
        let led = |location: &'static [u8]| {
            let mut moved = exchange(302, "location", "");
            moved.headers.insert("location", HeaderValue::from_bytes(location).unwrap());
            String::from(moved.redirect().unwrap().target.unwrap())
        };
        assert_eq!(led("/é?☃".as_bytes()), "http://example.org/%C3%A9?%E2%98%83");
        assert_eq!(led(b"/caf\xe9?%\xff"), "http://example.org/caf%E9?%%FF");
        assert_eq!(led(b"///other.example/x"), "http://other.example/x");
    }

    #[test]
    fn a_field_is_read_up_to_what_is_no_text() {
        let mut page = exchange(200, "content-type", "");
        page.headers.insert("content-type", HeaderValue::from_bytes(b"text/html; charset=utf-8; x=\xe9").unwrap());
        assert_eq!(page.content_type(), Some("text/html; charset=utf-8; x="));
    }

    #[test]
    fn of_two_types_the_last_counts_that_is_one() {
        let mut page = exchange(200, "content-type", "text/plain");
        page.headers.append("content-type", HeaderValue::from_static("text/html; charset=utf-8"));
        page.headers.append("content-type", HeaderValue::from_static("nonsense"));
        assert_eq!(page.content_type(), Some("text/html; charset=utf-8"));
        assert_eq!(exchange(200, "content-type", "nonsense").content_type(), Some("nonsense"), "for the index");
    }

    #[test]
    fn a_redirect_cannot_leave_http() {
        for location in ["file:///etc/passwd", "javascript:alert(1)", "http://[bad"] {
            let target = exchange(301, "location", location).redirect().unwrap().target;
            assert_eq!(target.unwrap_err().rule().name(), "bad-redirect", "{location}");
        }
    }

    #[test]
    fn a_location_alone_is_no_redirect() {
        assert!(exchange(200, "location", "/x").redirect().is_none());
        assert!(exchange(304, "location", "/x").redirect().is_none());
        assert!(exchange(301, "etag", "\"x\"").redirect().is_none());
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = Time::from_secs(784_111_777);
        let wait = |value| exchange(503, "retry-after", value).retry_after(now);
        assert_eq!(wait("120"), Some(Span::from_secs(120)));
        assert_eq!(wait("Sun, 06 Nov 1994 08:50:37 GMT"), Some(Span::MINUTE));
        assert_eq!(wait("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Span::ZERO));
        assert_eq!(wait("soon"), None);
        assert_eq!(wait("-5"), None);
    }

    #[test]
    fn max_age_is_found_among_other_directives() {
        let age = |value| exchange(200, "cache-control", value).max_age();
        assert_eq!(age("public, Max-Age=\"3600\", s-maxage=9"), Some(3600));
        assert_eq!(age("no-store"), None);
        assert_eq!(age("max-age=soon"), None);
    }

    #[test]
    fn decoding_failures_name_the_coding() {
        let mut page = exchange(200, "content-encoding", "zstd");
        page.body = Bytes::from_static(b"x");
        let error = page.content(10).unwrap_err();
        assert_eq!((error.rule().name(), error.to_string().contains("zstd")), ("decode", true));
    }

    #[test]
    fn of_a_bomb_the_beginning_is_read_and_no_more() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, &vec![b'x'; 4 << 20]).unwrap();
        let mut page = exchange(200, "content-encoding", "gzip");
        page.body = packed.finish().unwrap().into();
        assert_eq!(page.beginning(1000), vec![b'x'; 1000]);
        page.body = Bytes::from_static(b"no gzip at all");
        assert_eq!(page.beginning(2), "no", "as it came");
    }

    #[test]
    fn long_validators_are_not_kept() {
        let long: &'static str = "x".repeat(2000).leak();
        assert_eq!(exchange(200, "etag", long).validators(), Validators::default());
        assert_eq!(exchange(200, "etag", "W/\"x\"").validators().etag.as_deref(), Some("W/\"x\""));
    }
}
