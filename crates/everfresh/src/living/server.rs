//! The living web on a socket: HTTP/1.1 with keep-alive on loopback, the `Host` header decides the site.
//!
//! Every request is logged on arrival, before any deliberate slowness, because that is the moment politeness is
//! about.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::header::{HOST, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, USER_AGENT};
use http::{Method, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use revisit::Time;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use url::Url;

use crate::clock::Clock;

use super::answer::{Web, dated, error};
use super::listener::Listener;
use super::script::Script;
use super::truth::Truth;

/// The log keeps this many requests, the first ones.
const MOST_REQUESTS: usize = 1_000_000;

/// One request as it was received and answered.
#[derive(Clone, Debug)]
pub struct Request {
    /// When it came.
    pub at: Time,
    /// When its answer was ready to be sent; none as long as it is not, or if the client went away before.
    pub answered: Option<Time>,
    /// The host it asked for, without a port.
    pub host: String,
    /// The path it asked for, with the query.
    pub path: String,
    /// The status it was answered with.
    pub status: u16,
    /// Whether it carried a validator.
    pub conditional: bool,
    /// The version of the page that was sent or confirmed; none if the answer was no article.
    pub version: Option<u64>,
    /// What the client calls itself.
    pub user_agent: String,
}

/// A running living web. It stops when dropped.
pub struct LivingWeb {
    listener: Listener,
    shared: Arc<Shared>,
}

struct Shared {
    web: Web,
    now: Box<dyn Fn() -> Time + Send + Sync>,
    /// The clock on which its answers take their time, if not by the wall.
    clock: Clock,
    log: Mutex<Vec<Request>>,
    /// How many requests came.
    asked: watch::Sender<usize>,
    /// How many connections are open.
    open: watch::Sender<usize>,
}

impl LivingWeb {
    /// Serves a script on a port of loopback that the system chooses, within the current tokio runtime, and lives by a clock.
    pub async fn start(script: Script, clock: Clock) -> io::Result<LivingWeb> {
        let now = clock.clone();
        LivingWeb::serve(script, Box::new(move || now.now()), clock).await
    }

    /// The same, but somebody else says how late it is in the living web.
    pub async fn start_told(script: Script, now: impl Fn() -> Time + Send + Sync + 'static) -> io::Result<LivingWeb> {
        LivingWeb::serve(script, Box::new(now), Clock::wall()).await
    }

    async fn serve(script: Script, now: Box<dyn Fn() -> Time + Send + Sync>, clock: Clock) -> io::Result<LivingWeb> {
        let web = Web::new(Arc::new(Truth::new(script)));
        let shared = Arc::new(Shared {
            web,
            now,
            clock,
            log: Mutex::default(),
            asked: watch::Sender::default(),
            open: watch::Sender::default(),
        });
        let served = Arc::clone(&shared);
        let listener = Listener::start(move |stream| serve(stream, Open::begin(&served))).await?;
        Ok(LivingWeb { listener, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address
    }

    /// The host names that must lead to [`LivingWeb::address`].
    pub fn hosts(&self) -> Vec<String> {
        self.truth().sites.iter().map(|site| site.host.clone()).collect()
    }

    /// The front pages. They carry no port: the crawler must be told where the names lead.
    pub fn seeds(&self) -> Vec<Url> {
        let front = |host: String| Url::parse(&format!("http://{host}/")).ok();
        self.hosts().into_iter().filter_map(front).collect()
    }

    /// The requests so far, about in the order in which they came.
    pub fn log(&self) -> Vec<Request> {
        self.shared.log().clone()
    }

    /// Waits until so many requests came since the start.
    pub async fn asked(&self, requests: usize) {
        // It cannot fail: who counts lives as long as this.
        let _ = self.shared.asked.subscribe().wait_for(|asked| *asked >= requests).await;
    }

    /// Waits until all clients have gone and everything they sent is dealt with; clients that do not go keep it waiting.
    pub async fn deserted(&self) -> io::Result<()> {
        // Connections are taken in one after the other: when this one was, and has been closed in turn, no client that
        // came before is still at the door.
        let mut knock = TcpStream::connect(self.address()).await?;
        knock.shutdown().await?;
        while knock.read(&mut [0; 64]).await? > 0 {}
        let _ = self.shared.open.subscribe().wait_for(|open| *open == 0).await;
        Ok(())
    }

    /// What is so. A clone of it outlives the server.
    pub fn truth(&self) -> &Arc<Truth> {
        &self.shared.web.truth
    }

    /// Stops listening and closes every connection.
    pub async fn stop(self) {
        self.listener.stop().await;
    }
}

/// A connection that is open as long as this lives.
struct Open {
    shared: Arc<Shared>,
}

impl Open {
    fn begin(shared: &Arc<Shared>) -> Open {
        shared.open.send_modify(|open| *open += 1);
        Open { shared: Arc::clone(shared) }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.shared.open.send_modify(|open| *open -= 1);
    }
}

async fn serve(stream: TcpStream, open: Open) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| answer(&open.shared, request));
    // A client that breaks off is no concern of the server.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(shared: &Shared, request: http::Request<Incoming>) -> Result<http::Response<Full<Bytes>>, Infallible> {
    let mut entry = received(&request, (shared.now)());
    let now = entry.at;
    let reply = match *request.method() {
        Method::GET | Method::HEAD => shared.web.answer(&entry.host, &entry.path, request.headers(), now),
        _ => error(StatusCode::METHOD_NOT_ALLOWED),
    };
    entry.status = reply.response.status().as_u16();
    entry.version = reply.version;
    let asked = [entry.host.as_str(), entry.path.as_str()].concat();
    let number = shared.note(entry);
    if !reply.wait.is_zero() {
        let _waiting = shared.clock.waiting(&asked);
        tokio::time::sleep(reply.wait).await;
    }
    // Noted before the first byte of it: a client that counts from the end of its answer cannot count from before this.
    shared.answered(number);
    Ok(dated(reply, now).response)
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Vec<Request>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a request into the log and returns its number there.
    fn note(&self, entry: Request) -> usize {
        let mut log = self.log();
        let number = log.len();
        if number < MOST_REQUESTS {
            log.push(entry);
        }
        drop(log);
        self.asked.send_modify(|asked| *asked += 1);
        number
    }

    fn answered(&self, number: usize) {
        let now = (self.now)();
        if let Some(entry) = self.log().get_mut(number) {
            entry.answered = Some(now);
        }
    }
}

/// The log entry of a request that is not answered yet.
fn received(request: &http::Request<Incoming>, at: Time) -> Request {
    let headers = request.headers();
    Request {
        at,
        answered: None,
        host: host(request),
        path: request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        status: 0,
        conditional: headers.contains_key(IF_NONE_MATCH) || headers.contains_key(IF_MODIFIED_SINCE),
        version: None,
        user_agent: text(headers, USER_AGENT).to_owned(),
    }
}

fn host(request: &http::Request<Incoming>) -> String {
    let named = request.uri().host().unwrap_or_else(|| text(request.headers(), HOST));
    named.split_once(':').map_or(named, |(name, _)| name).to_ascii_lowercase()
}

fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
