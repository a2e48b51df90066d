//! Room 1, fetch: one HTTP exchange under our own rules, and what a host's robots.txt allows.
//!
//! A [`Fetcher`] asks for one URL and gives back one [`Exchange`], or a [`FetchError`] that says why there is none. It
//! follows no redirect and keeps no schedule: a redirect's target is a page of its own, with its own robots check,
//! politeness and archive record, and those belong to the pipeline.
//!
//! Everything that comes back is taken as hostile. Time (connecting, first byte, in all) and size (head, body, decoded
//! body) are bounded by [`FetchSettings`], and no address is contacted that [`guard`] refuses. HTTP comes from hyper's
//! connections, without a ready-made client on top, because a client that resolves, redirects and retries by itself cannot
//! be held to these rules.
//!
//! The way of a request: `request` → a kept connection from `pool`, or a new one from `connect` (whose addresses are
//! `resolve`d, the first to answer `dial`led and `trust`ed by its certificate; many exchanges may be `streams` of one), and
//! `again` if that one had ended → `response` (with the head as `record` saw it) → `body`, if it is a large one as far as there is `room` → `exchange`, whose content `decode` unpacks and whose `media_type` says what that is to be. `robots` stands beside
//! it, with its `pattern`; a `reference` leads to the next URL, on a page as in a header.

mod again;
mod body;
mod connect;
mod decode;
mod dial;
mod error;
mod exchange;
pub mod guard;
pub(crate) mod media_type;
mod pattern;
mod pool;
mod record;
pub(crate) mod reference;
mod request;
mod resolve;
mod response;
mod robots;
mod room;
mod streams;
#[cfg(test)]
mod tests;
mod trust;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::response::Parts;
use http::{HeaderValue, Response};
use hyper::body::Incoming;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::rustls::pki_types::CertificateDer;
use url::{Position, Url};

use crate::clock::Clock;
use again::{BETWEEN_TIMES, Over, TIMES, again, is_of_idle_connection};
use body::Arriving;
use connect::{Connector, Link, sign_of_life};
use pool::Pool;
use request::PageRequest;
use room::{Room, SMALL_BYTES};

pub use error::{FetchError, is_no_handle};
pub use exchange::{Exchange, Redirect, brings_version, decoded, text};
pub use request::{Question, Validators};
pub use robots::{Robots, product_name};
pub use room::Space;
pub use trust::certificates;

/// How long to wait for a handle before trying again.
const HANDLE_WAIT: Duration = Duration::from_millis(100);

/// The rules of every exchange.
#[derive(Clone, Debug)]
pub struct FetchSettings {
    /// Who we say we are; its first word, without the version, is the name robots.txt knows us by.
    pub user_agent: String,
    /// For resolving, connecting and the TLS handshake together.
    pub connect_timeout: Duration,
    /// From the request to the complete response head.
    pub first_byte_timeout: Duration,
    /// For the whole exchange, but for the time a large body waits for others: no page fails because others are slow.
    pub total_timeout: Duration,
    /// The largest response head.
    pub max_header_bytes: usize,
    /// The largest body, as it is transferred.
    pub max_body_bytes: usize,
    /// The largest body after decoding, to be given to [`Exchange::content`].
    pub max_decoded_bytes: usize,
    /// The largest sum of the bodies of a visit that takes several exchanges, as transferred and as decoded; to be kept by
    /// who makes them.
    pub max_source_bytes: usize,
    /// What all large bodies may hold together, from their first bytes until they are archived.
    pub large_bytes: usize,
    /// How many idle connections to one host are kept.
    pub connections_per_host: usize,
    /// How many idle connections to all hosts are kept.
    pub idle_connections: usize,
    /// Whether private, loopback and other non-public addresses may be contacted.
    pub allow_private: bool,
    /// Host names with a given address and port instead of their own; the address is still checked.
    pub resolve: HashMap<String, SocketAddr>,
    /// Whether to trust those whom the system trusts, besides the Web's usual ones.
    pub system_roots: bool,
    /// Certificates to trust besides these.
    pub tls_roots: Vec<CertificateDer<'static>>,
}

impl Default for FetchSettings {
    fn default() -> FetchSettings {
        FetchSettings {
            user_agent: concat!("everfresh/", env!("CARGO_PKG_VERSION")).to_owned(),
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(20),
            total_timeout: Duration::from_secs(60),
            max_header_bytes: 64 * 1024,
            max_body_bytes: 16 * 1024 * 1024,
            max_decoded_bytes: 32 * 1024 * 1024,
            max_source_bytes: 64 * 1024 * 1024,
            large_bytes: 128 * 1024 * 1024,
            connections_per_host: 8,
            idle_connections: 512,
            allow_private: false,
            resolve: HashMap::new(),
            system_roots: true,
            tls_roots: Vec::new(),
        }
    }
}

/// Fetches pages; cheap to clone, and all clones share their connections.
#[derive(Clone)]
pub struct Fetcher {
    inner: Arc<Inner>,
}

struct Inner {
    settings: FetchSettings,
    clock: Clock,
    user_agent: HeaderValue,
    connector: Connector,
    pool: Arc<Pool>,
    room: Arc<Room>,
    room_for_parts: Arc<Room>,
}

impl Fetcher {
    /// A fetcher under these rules; stepped time stands still while it exchanges bytes.
    pub fn new(settings: FetchSettings, clock: Clock) -> Result<Fetcher, FetchError> {
        let user_agent = HeaderValue::from_str(&settings.user_agent).map_err(|_| FetchError::BadSetting {
            setting: "user_agent",
            problem: format!("{:?} cannot be sent in a header; use visible ASCII", settings.user_agent),
        })?;
        let connector = Connector::new(&settings)?;
        let pool = Arc::new(Pool::new(settings.connections_per_host, settings.idle_connections));
        let (room, room_for_parts) = (Room::for_pages(&settings), Room::for_parts(&settings));
        let inner = Inner { settings, clock, user_agent, connector, pool, room, room_for_parts };
        Ok(Fetcher { inner: Arc::new(inner) })
    }

    /// The rules this fetcher works under.
    pub fn settings(&self) -> &FetchSettings {
        &self.inner.settings
    }

    /// Asks for `url`, conditionally if there are validators. Any status is an answer, also 304, 404 and redirects. For what is
    /// used at once: a large body has its room only as long as it comes in.
    pub async fn get(&self, url: &Url, validators: &Validators) -> Result<Exchange, FetchError> {
        self.ask(url, &Question::default(), validators, &mut self.space(url, false)).await
    }

    /// Asks `url` something of its own, if there is anything: other media types, or a form by POST. A large body takes its room
    /// in the visit's space.
    pub async fn ask(
        &self,
        url: &Url,
        question: &Question,
        validators: &Validators,
        space: &mut Space,
    ) -> Result<Exchange, FetchError> {
        let asked_to_leave = space.asked_to_leave();
        tokio::select! {
            biased;
            exchange = self.exchange(url, question, validators, space) => exchange,
            () = asked_to_leave => {
                let url = url.to_string();
                Err(if space.took_long() { FetchError::GaveWay { url } } else { FetchError::Crowded { url } })
            }
        }
    }

    async fn exchange(
        &self,
        url: &Url,
        question: &Question,
        validators: &Validators,
        space: &mut Space,
    ) -> Result<Exchange, FetchError> {
        let settings = &self.inner.settings;
        let request = PageRequest::new(url, question, validators, &self.inner.user_agent)?;
        let asking = self.inner.clock.asking(|| address(url));
        let mut time = Allowance { limit: settings.total_timeout, spent: Duration::ZERO };
        let mut answer = time.spend(url, self.inner.begin(url, &request)).await?;
        while !answer.body.is_complete() {
            let expected = answer.body.expected(settings);
            let waiting = asking.waits_here();
            space.hold_large(space.with(expected), url).await?;
            drop(waiting);
            let Answer { link, body, .. } = &mut answer;
            body.reserve(expected);
            // One byte more tells that it has ended from that it goes on.
            time.spend(url, link.unless_late(body.read_to(expected + 1, url, settings))).await?;
        }
        space.arrived(answer.body.len());
        Ok(self.inner.finish(url, &request, answer, time.spent))
    }

    /// The space of a visit that may take one exchange, or several.
    pub fn space(&self, url: &Url, has_parts: bool) -> Space {
        self.room(has_parts).space(url)
    }

    /// How many bytes large bodies may have for which there is room now.
    pub fn free_room(&self, has_parts: bool) -> usize {
        self.room(has_parts).free()
    }

    /// Visits that may take several exchanges take long, and have room of their own.
    fn room(&self, has_parts: bool) -> &Arc<Room> {
        if has_parts { &self.inner.room_for_parts } else { &self.inner.room }
    }

    /// Lets nobody wait for room any more: what would have to is told that there is none.
    pub fn stop_waiting(&self) {
        self.inner.room.close();
        self.inner.room_for_parts.close();
    }
}

/// What a server sees of a URL: its host and path, with the query.
fn address(url: &Url) -> String {
    [url.host_str().unwrap_or_default(), &url[Position::BeforePath..Position::AfterQuery]].concat()
}

/// The time an exchange may take, spent piece by piece.
struct Allowance {
    limit: Duration,
    spent: Duration,
}

impl Allowance {
    async fn spend<T>(
        &mut self,
        url: &Url,
        work: impl Future<Output = Result<T, FetchError>>,
    ) -> Result<T, FetchError> {
        let (begun, limit) = (Instant::now(), self.limit);
        let result = timeout(limit.saturating_sub(self.spent), work).await;
        self.spent += begun.elapsed();
        result.map_err(|_| FetchError::TotalTimeout { url: url.to_string(), limit })?
    }
}

/// An answer whose body may still be coming in.
struct Answer {
    link: Link,
    parts: Parts,
    response_head: Vec<u8>,
    body: Arriving,
}

impl Inner {
    /// The head of the answer and as much of its body as needs no room of its own.
    async fn begin(&self, url: &Url, request: &PageRequest<'_>) -> Result<Answer, FetchError> {
        let mut over = Over::Any;
        loop {
            let (link, response) = self.respond(url, request, over).await?;
            let (parts, incoming) = response.into_parts();
            let response_head = response::archived_head(link.recorded_head(), &parts);
            let mut body = Arriving::new(incoming, url, &self.settings)?;
            match link.unless_late(body.read_to(SMALL_BYTES, url, &self.settings)).await {
                Err(failure) if over != Over::Alone && failure.is_of_connection() => over = Over::Alone,
                Err(failure) => return Err(failure),
                Ok(()) => return Ok(Answer { link, parts, response_head, body }),
            }
        }
    }

    fn finish(&self, url: &Url, request: &PageRequest<'_>, answer: Answer, elapsed: Duration) -> Exchange {
        let Answer { link, parts, response_head, body } = answer;
        let address = link.address;
        // A connection that can be shared is in the pool all the time.
        if !link.is_shared() {
            self.pool.put(&url[..Position::BeforePath], link);
        }
        Exchange {
            url: url.clone(),
            address,
            request_head: request.head(),
            request_body: request.body(),
            status: parts.status.as_u16(),
            response_head,
            headers: parts.headers,
            body: body.into_bytes(),
            elapsed,
        }
    }

    /// Sends the request, again if it may be, and waits for the head of the answer.
    async fn respond(
        &self,
        url: &Url,
        request: &PageRequest<'_>,
        mut over: Over,
    ) -> Result<(Link, Response<Incoming>), FetchError> {
        let (origin, mut times) = (&url[..Position::BeforePath], 0);
        loop {
            let kept = if over == Over::Any { self.pool.take(origin) } else { None };
            let was_kept = kept.is_some();
            let mut link = match kept {
                Some(link) => link,
                // In a box: most requests find a connection, and all would have to carry the room that a handshake needs.
                None => Box::pin(self.begin_link(url, origin, over)).await?,
            };
            let failure = match self.send(&mut link, url, request).await? {
                Ok(response) if was_kept && is_of_idle_connection(&link, &response) => {
                    over = Over::New;
                    continue;
                }
                Ok(response) => return Ok((link, response)),
                Err(failure) => failure,
            };
            times += 1;
            match again(&link, was_kept, &failure) {
                Some(next) if over != Over::Alone && times < TIMES => over = next,
                _ => return Err(self.no_answer(url, failure)),
            }
            if times > 1 {
                sleep(BETWEEN_TIMES).await;
            }
        }
    }

    /// A new connection, kept for others too if it can be shared and may be.
    async fn begin_link(&self, url: &Url, origin: &str, over: Over) -> Result<Link, FetchError> {
        let mut link = self.connect(url).await?;
        if over != Over::Alone
            && let Some(shared) = link.share()
        {
            self.pool.put(origin, std::mem::replace(&mut link, shared));
        }
        Ok(link)
    }

    /// A new connection. If there is no handle for it, those of connections that nobody uses are given up; others are given
    /// back all the time.
    async fn connect(&self, url: &Url) -> Result<Link, FetchError> {
        let begun = Instant::now();
        loop {
            match self.connector.connect(&self.settings, url).await {
                Err(FetchError::NoHandle { .. }) if begun.elapsed() < self.settings.connect_timeout => {
                    self.pool.clear();
                    sleep(HANDLE_WAIT).await;
                }
                connected => return connected,
            }
        }
    }

    /// Sends the request once. A failure of the connection is no error yet.
    async fn send(
        &self,
        link: &mut Link,
        url: &Url,
        request: &PageRequest<'_>,
    ) -> Result<Result<Response<Incoming>, hyper::Error>, FetchError> {
        let (limit, most) = (self.settings.first_byte_timeout, self.settings.max_header_bytes);
        match timeout(limit, link.send(request)).await {
            Ok(Ok(response)) if link.size_of(response.headers()) > most => {
                Err(FetchError::HeadersTooLarge { url: url.to_string(), limit: most })
            }
            Ok(sent) => Ok(sent),
            Err(_) => {
                link.give_up();
                Err(FetchError::FirstByteTimeout { url: url.to_string(), limit })
            }
        }
    }

    fn no_answer(&self, url: &Url, failure: hyper::Error) -> FetchError {
        // An HTTP/2 server that gave no sign of life.
        if failure.is_timeout() {
            return FetchError::FirstByteTimeout { url: url.to_string(), limit: sign_of_life(&self.settings) * 2 };
        }
        FetchError::from_hyper(url, self.settings.max_header_bytes, failure)
    }
}
