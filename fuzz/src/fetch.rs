//! What an exchange brings before anybody looks at the page: content codings, robots.txt.

use bytes::Bytes;
use everfresh::fetch::{Robots, decoded};
use http::header::{CONTENT_ENCODING, HeaderMap, HeaderValue};
use url::Url;

use crate::input;

/// The most that may come out of a coding here.
const MOST_BYTES: usize = 64 << 10;

/// A body behind its Content-Encoding: the first line.
pub(crate) fn codings(input: &[u8]) {
    let (coding, body) = input::line(input);
    let Ok(value) = HeaderValue::from_str(&coding) else { return };
    let headers = HeaderMap::from_iter([(CONTENT_ENCODING, value)]);
    let (url, body) = (Url::parse("http://a.example/").expect("a URL"), Bytes::copy_from_slice(body));
    if let Ok(content) = decoded(&url, &body, &headers, MOST_BYTES) {
        assert!(content.len() <= MOST_BYTES);
        assert!(!coding.trim().is_empty() || content == body, "a body without a coding is left alone");
    }
}

/// A robots.txt, and a path (the first line) that it is asked about.
pub(crate) fn robots(input: &[u8]) {
    let (path, body) = input::line(input);
    let host = Url::parse("http://a.example/").expect("a URL");
    let robots = Robots::from_response(200, body, "everfresh/0.1 (+http://a.example/)");
    assert!(robots.allows(&host.join("/robots.txt").expect("a URL")));
    assert!(robots.crawl_delay().is_none_or(|delay| delay.millis() >= 0));
    assert!(robots.sitemaps().len() <= 100);
    assert!(robots.sitemaps().iter().all(|url| matches!(url.scheme(), "http" | "https")));
    // What says nothing changes nothing.
    let commented = Robots::from_response(200, &[body, b"\n# nothing\n"].concat(), "everfresh");
    assert_eq!(commented, robots);
    if let Ok(url) = host.join(&path) {
        robots.allows(&url);
    }
}
