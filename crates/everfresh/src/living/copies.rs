//! The version of a page that is being served, in bytes, with its validators: rendered once, then only handed out.

use std::io::Write;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use revisit::Time;

use super::random::Random;
use super::render::{Rendered, render};
use super::script::{Noise, Page, Validators};
use super::truth::Truth;

/// The last second that an HTTP date can name.
const LAST_SECOND: i64 = 253_402_300_799;

/// One version, ready to be sent.
pub(super) struct Copy {
    pub(super) version: u64,
    pub(super) entity_tag: Option<HeaderValue>,
    pub(super) last_modified: Option<HeaderValue>,
    began: Time,
    before: Bytes,
    after: Bytes,
    /// The whole body without noise.
    whole: Bytes,
    zipped: Option<Bytes>,
}

impl Copy {
    /// Renders a version that began at `began`.
    pub(super) fn new(truth: &Truth, index: usize, version: u64, began: Time) -> Copy {
        let subject = &truth.subjects[index];
        let page = &subject.page;
        let Rendered { before, after } = render(truth, index, version, began);
        let whole = encoded(&(before.clone() + &after), page.latin1);
        let strength = if page.noise == Noise::default() { "" } else { "W/" };
        let name = Random::new(truth.seed, &subject.url, version).draw();
        let tagged = matches!(page.validators, Validators::Both | Validators::EntityTag);
        let dated = matches!(page.validators, Validators::Both | Validators::LastModified);
        Copy {
            version,
            entity_tag: tagged.then(|| header(&format!("{strength}\"{name:016x}\""))),
            last_modified: dated.then(|| header(&http_date(began))),
            began,
            before: encoded(&before, page.latin1),
            after: encoded(&after, page.latin1),
            zipped: page.gzip.then(|| gzip(&whole)),
            whole,
        }
    }

    /// Whether the client that sent these headers has this version already. The entity tag decides if one is given
    /// (RFC 9110, 13.2.2).
    pub(super) fn is_known(&self, headers: &HeaderMap) -> bool {
        match (headers.get(IF_NONE_MATCH), &self.entity_tag) {
            (Some(known), Some(own)) => {
                let mut tags = known.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
                tags.any(|tag| tag == own.as_bytes() || tag == b"*")
            }
            (Some(_), None) => false,
            (None, _) if self.last_modified.is_none() => false,
            (None, _) => {
                headers.get(IF_MODIFIED_SINCE).and_then(seconds).is_some_and(|since| since >= self.began.secs())
            }
        }
    }

    /// The body without noise, compressed or not.
    pub(super) fn quiet(&self, compressed: bool) -> Bytes {
        let zipped = self.zipped.as_ref().filter(|_| compressed);
        zipped.unwrap_or(&self.whole).clone()
    }

    /// The body with noise in its place.
    pub(super) fn noisy(&self, noise: &str, compressed: bool) -> Bytes {
        let body = [&*self.before, noise.as_bytes(), &*self.after].concat();
        if compressed { gzip(&body) } else { body.into() }
    }
}

/// The noise of one answer, each part in an element whose class says what it is.
pub(super) fn noise(page: &Page, seed: u64, answer: u64, now: Time) -> String {
    let mut html = String::new();
    if page.noise.clock {
        html.push_str(&format!(
            "<p class=\"clock\">Rendered at {}.{:03}</p>\n",
            http_date(now),
            now.millis().rem_euclid(1000)
        ));
    }
    if page.noise.token {
        let token = Random::new(seed, "token", answer).draw();
        let field = format!("<input class=\"token\" type=\"hidden\" name=\"token\" value=\"{token:016x}\">");
        html.push_str(&format!("<form action=\"/search\">{field}<input name=\"q\"></form>\n"));
    }
    if page.noise.counter {
        html.push_str(&format!("<p class=\"counter\">You are visitor number {answer}</p>\n"));
    }
    html
}

/// A time as HTTP headers write it; times that HTTP cannot name become the nearest that it can.
pub(super) fn http_date(at: Time) -> String {
    let seconds = at.secs().clamp(0, LAST_SECOND).unsigned_abs();
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

/// A header value; what cannot be one becomes empty.
pub(super) fn header(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

fn seconds(date: &HeaderValue) -> Option<i64> {
    let date = httpdate::parse_http_date(date.to_str().ok()?).ok()?;
    i64::try_from(date.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs()).ok()
}

fn encoded(text: &str, latin1: bool) -> Bytes {
    if latin1 {
        text.chars().map(|letter| u8::try_from(letter).unwrap_or(b'?')).collect()
    } else {
        Bytes::copy_from_slice(text.as_bytes())
    }
}

fn gzip(body: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 2), Compression::fast());
    // Writing to a vector cannot fail.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::living::{Script, Site};

    fn copy(page: Page) -> Copy {
        let truth = Truth::new(Script::new(1).site(Site::new("a.test").page(page)));
        Copy::new(&truth, 1, 2, Time::from_secs(1_000_000))
    }

    fn asked(name: http::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, header(value))])
    }

    #[test]
    fn validators_recognise_their_version() {
        let copy = copy(Page::new("/a"));
        let tag = copy.entity_tag.clone().unwrap();
        let tag = tag.to_str().unwrap();
        assert!(copy.is_known(&asked(IF_NONE_MATCH, tag)));
        assert!(copy.is_known(&asked(IF_NONE_MATCH, &format!("\"other\", {tag}"))));
        assert!(!copy.is_known(&asked(IF_NONE_MATCH, "\"other\"")));
        assert!(copy.is_known(&asked(IF_MODIFIED_SINCE, &http_date(Time::from_secs(1_000_000)))));
        assert!(!copy.is_known(&asked(IF_MODIFIED_SINCE, &http_date(Time::from_secs(999_999)))));
        assert!(!copy.is_known(&asked(IF_MODIFIED_SINCE, "yesterday")));
        assert!(!copy.is_known(&HeaderMap::new()));
    }

    #[test]
    fn a_page_without_validators_recognises_nothing() {
        let copy = copy(Page::new("/a").validators(Validators::Absent));
        assert!(!copy.is_known(&asked(IF_NONE_MATCH, "*")));
        assert!(!copy.is_known(&asked(IF_MODIFIED_SINCE, &http_date(Time::from_secs(2_000_000)))));
    }

    #[test]
    fn noise_differs_in_every_answer_and_says_what_it_is() {
        let page = Page::new("/a").noise(Noise { clock: true, token: true, counter: true });
        let first = noise(&page, 1, 1, Time::from_millis(5));
        assert_ne!(first, noise(&page, 1, 2, Time::from_millis(5)));
        assert!(["clock", "token", "counter"].iter().all(|class| first.contains(&format!("class=\"{class}\""))));
        assert_eq!(copy(page).noisy("", false), copy(Page::new("/a")).quiet(false));
    }

    #[test]
    fn latin_1_is_one_byte_a_letter() {
        assert_eq!(&encoded("née—", true)[..], b"n\xE9e?");
    }

    #[test]
    fn dates_beyond_http_do_no_harm() {
        assert_eq!(http_date(Time::MIN), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(http_date(Time::MAX), "Fri, 31 Dec 9999 23:59:59 GMT");
    }
}
