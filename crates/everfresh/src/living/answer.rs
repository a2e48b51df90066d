//! What a living web answers to one request at one time. No socket and no clock in here.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::Full;
use revisit::Time;

use super::copies::{Copy, header, http_date, noise};
use super::data::{self, Syntax};
use super::feeds;
use super::random::Random;
use super::script::{Answer, Noise};
use super::truth::{Subject, Truth};

/// One grey dot: every image of the living web.
const IMAGE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\
    \0\0\0\nIDATx\x9cc\xa8\x07\0\0\x81\0\x80\xd3\x94SJ\0\0\0\0IEND\xaeB`\x82";
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const BARE_HTML: HeaderValue = HeaderValue::from_static("text/html");
const XML: HeaderValue = HeaderValue::from_static("application/xml");
const ATOM: HeaderValue = HeaderValue::from_static("application/atom+xml");
const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const PNG: HeaderValue = HeaderValue::from_static("image/png");

/// The web as a server holds it: the truth and the little state that answering needs.
pub(super) struct Web {
    pub(super) truth: Arc<Truth>,
    hosts: HashMap<String, usize>,
    copies: Vec<Mutex<Option<Arc<Copy>>>>,
    /// When each site last answered something other than "too fast".
    contacts: Vec<Mutex<Option<Time>>>,
    /// How often each page was answered.
    answers: Vec<AtomicU64>,
}

/// Longer than anybody waits for an answer.
const SILENCE: Duration = Duration::from_secs(600);

/// An answer and how it came about.
pub(super) struct Reply {
    /// What goes over the wire.
    pub(super) response: Response<Full<Bytes>>,
    /// The version that was sent or confirmed.
    pub(super) version: Option<u64>,
    /// How long the server takes over it.
    pub(super) wait: Duration,
}

impl Web {
    pub(super) fn new(truth: Arc<Truth>) -> Web {
        Web {
            hosts: truth.sites.iter().enumerate().map(|(number, site)| (site.host.clone(), number)).collect(),
            copies: truth.subjects.iter().map(|_| Mutex::default()).collect(),
            contacts: truth.sites.iter().map(|_| Mutex::default()).collect(),
            answers: truth.subjects.iter().map(|_| AtomicU64::new(0)).collect(),
            truth,
        }
    }

    /// Answers a request for a path (with its query) of a host.
    pub(super) fn answer(&self, host: &str, path: &str, headers: &HeaderMap, now: Time) -> Reply {
        let Some(site) = self.hosts.get(host).copied() else { return error(StatusCode::NOT_FOUND) };
        let silent = self.truth.sites[site].silent;
        if silent.is_some_and(|(from, until)| (from..until).contains(&now)) {
            return Reply { wait: SILENCE, ..error(StatusCode::GATEWAY_TIMEOUT) };
        }
        if path == "/robots.txt" {
            return self.robots(site);
        }
        if let Some(retry_after) = self.too_fast(site, now) {
            return with(error(StatusCode::TOO_MANY_REQUESTS), header::RETRY_AFTER, header(&retry_after.to_string()));
        }
        match self.truth.find(&format!("http://{host}{path}")) {
            Some(index) => self.page(index, headers, now),
            None if path == "/sitemap.xml" => document(feeds::sitemap(&self.truth, site, now), XML),
            None if path == "/feed.xml" => document(feeds::feed(&self.truth, site, now), ATOM),
            None if path.starts_with("/images/") => with(success(Bytes::from_static(IMAGE)), header::CONTENT_TYPE, PNG),
            None => error(StatusCode::NOT_FOUND),
        }
    }

    fn robots(&self, site: usize) -> Reply {
        match &self.truth.sites[site].robots_answer {
            Answer::Article => document(feeds::robots(&self.truth, site), PLAIN),
            Answer::Error { status } => error(code(*status)),
            Answer::Redirect { status, to } => redirect(*status, to),
        }
    }

    /// The seconds a client must wait if it came too early.
    fn too_fast(&self, site: usize, now: Time) -> Option<i64> {
        let gap = self.truth.sites[site].gap?;
        let mut contact = self.contacts[site].lock().unwrap_or_else(PoisonError::into_inner);
        match *contact {
            Some(last) if now - last < gap => Some(gap.as_secs().ceil() as i64),
            _ => {
                *contact = Some(now);
                None
            }
        }
    }

    fn page(&self, index: usize, headers: &HeaderMap, now: Time) -> Reply {
        let subject = &self.truth.subjects[index];
        let page = &subject.page;
        let mut reply = match &page.answer {
            _ if !subject.exists(now) => error(StatusCode::NOT_FOUND),
            _ if self.fails(subject, now) => error(StatusCode::INTERNAL_SERVER_ERROR),
            Answer::Error { status } => error(code(*status)),
            Answer::Redirect { status, to } => redirect(*status, to),
            Answer::Article => self.article(index, headers, now),
        };
        reply.wait = page.slow;
        reply
    }

    fn fails(&self, subject: &Subject, now: Time) -> bool {
        let moment = now.millis().unsigned_abs();
        subject.page.failing > 0.0 && Random::new(self.truth.seed, &subject.url, moment).chance(subject.page.failing)
    }

    /// A document of data, spelled for this answer alone. Some servers know no better than to call it text.
    fn data(&self, index: usize, syntax: Syntax, now: Time) -> Reply {
        let Some((version, _)) = self.truth.current(index, now) else { return error(StatusCode::NOT_FOUND) };
        let url = &self.truth.subjects[index].url;
        let dress = self.answers[index].fetch_add(1, Ordering::Relaxed);
        let body = data::render(self.truth.seed, url, version, syntax, dress);
        let ignorant = Random::new(self.truth.seed, url, 2).chance(0.2) && url.ends_with(syntax.ending());
        let kind = if ignorant { PLAIN } else { HeaderValue::from_static(syntax.media_type()) };
        Reply { version: Some(version), ..with(success(body.into()), header::CONTENT_TYPE, kind) }
    }

    fn article(&self, index: usize, headers: &HeaderMap, now: Time) -> Reply {
        if let Some(syntax) = self.truth.subjects[index].page.data {
            return self.data(index, syntax, now);
        }
        let Some(copy) = self.copy(index, now) else { return error(StatusCode::NOT_FOUND) };
        let mut reply = if copy.is_known(headers) {
            with_status(success(Bytes::new()), StatusCode::NOT_MODIFIED)
        } else {
            self.body(index, &copy, headers, now)
        };
        reply.version = Some(copy.version);
        let validators = [(header::ETAG, &copy.entity_tag), (header::LAST_MODIFIED, &copy.last_modified)];
        validators.into_iter().fold(reply, |reply, (name, value)| match value {
            Some(value) => with(reply, name, value.clone()),
            None => reply,
        })
    }

    fn body(&self, index: usize, copy: &Copy, headers: &HeaderMap, now: Time) -> Reply {
        let page = &self.truth.subjects[index].page;
        let compressed = page.gzip && accepts_gzip(headers);
        let body = if page.noise == Noise::default() {
            copy.quiet(compressed)
        } else {
            let answer = self.answers[index].fetch_add(1, Ordering::Relaxed) + 1;
            copy.noisy(&noise(page, self.truth.seed, answer, now), compressed)
        };
        let reply = with(success(body), header::CONTENT_TYPE, if page.latin1 { BARE_HTML } else { HTML });
        let reply =
            if page.gzip { with(reply, header::VARY, HeaderValue::from_static("accept-encoding")) } else { reply };
        if compressed { with(reply, header::CONTENT_ENCODING, HeaderValue::from_static("gzip")) } else { reply }
    }

    /// The present version, rendered again only if it is another one than last time.
    fn copy(&self, index: usize, now: Time) -> Option<Arc<Copy>> {
        let (version, began) = self.truth.current(index, now)?;
        let mut slot = self.copies[index].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(copy) = slot.as_ref().filter(|copy| copy.version == version) {
            return Some(Arc::clone(copy));
        }
        let copy = Arc::new(Copy::new(&self.truth, index, version, began));
        *slot = Some(Arc::clone(&copy));
        Some(copy)
    }
}

/// Says when the answer was given, by the clock of the living web.
pub(super) fn dated(reply: Reply, now: Time) -> Reply {
    with(reply, header::DATE, header(&http_date(now)))
}

/// A short page that says what is wrong.
pub(super) fn error(status: StatusCode) -> Reply {
    let body = format!("<!DOCTYPE html><title>{status}</title><h1>{status}</h1>\n");
    with_status(with(success(body.into()), header::CONTENT_TYPE, HTML), status)
}

fn redirect(status: u16, to: &str) -> Reply {
    with(error(code(status)), header::LOCATION, header(to))
}

fn success(body: Bytes) -> Reply {
    Reply { response: Response::new(Full::new(body)), version: None, wait: Duration::ZERO }
}

fn document(text: Option<String>, kind: HeaderValue) -> Reply {
    text.map_or_else(|| error(StatusCode::NOT_FOUND), |text| with(success(text.into()), header::CONTENT_TYPE, kind))
}

fn with(mut reply: Reply, name: HeaderName, value: HeaderValue) -> Reply {
    reply.response.headers_mut().insert(name, value);
    reply
}

fn with_status(mut reply: Reply, status: StatusCode) -> Reply {
    *reply.response.status_mut() = status;
    reply
}

fn code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT_ENCODING)
        .is_some_and(|accepted| accepted.as_bytes().windows(4).any(|word| word == b"gzip"))
}
