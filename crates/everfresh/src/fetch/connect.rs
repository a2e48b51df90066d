//! From a URL to a connection that can carry its request: resolve, check the address, connect, TLS, HTTP version.

use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use url::{Host, Url};

use super::dial::dial;
use super::error::is_no_handle;
use super::record::{HeadRecord, Recorded};
use super::request::PageRequest;
use super::resolve::Resolver;
use super::streams::{Stream, Streams};
use super::trust::tls_config;
use super::{FetchError, FetchSettings};

/// The buffer of an HTTP/1 connection cannot be made smaller than this.
const MIN_BUFFER_BYTES: usize = 8 * 1024;
/// How much an HTTP/2 peer may send ahead of our reading, per stream. A connection has room for this much of each of its
/// streams, so that bodies that wait do not hold up the others.
const STREAM_WINDOW_BYTES: u32 = 256 * 1024;
/// The protocol allows no larger window.
const MAX_WINDOW_BYTES: u32 = (1 << 31) - 1;
/// An HTTP/2 peer is never asked sooner than this whether it is alive.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);
/// A head may be this large over HTTP/2 even if none is taken that is: what is larger than allowed is told from what is no
/// HTTP at all only if it is read.
const READ_HEADER_BYTES: usize = 256 * 1024;
/// What HTTP/2 counts for a header field beside its name and value.
const FIELD_BYTES: usize = 32;

/// An open connection to one host.
pub(super) struct Link {
    /// The address at the other end.
    pub(super) address: SocketAddr,
    sender: Sender,
    /// The stream of a shared connection that this handle may use.
    _stream: Option<Stream>,
}

enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>, HeadRecord),
    Http2(http2::SendRequest<Full<Bytes>>, Arc<Streams>),
}

impl Link {
    /// Sends the request and waits for the response head.
    pub(super) async fn send(&mut self, request: &PageRequest<'_>) -> Result<Response<Incoming>, hyper::Error> {
        match &mut self.sender {
            Sender::Http1(sender, record) => {
                record.begin();
                sender.ready().await?;
                sender.send_request(request.http1()).await
            }
            // A host that is no authority cannot have been resolved; asking with the path alone fails cleanly.
            Sender::Http2(sender, ..) => sender.send_request(request.http2().unwrap_or_else(|| request.http1())).await,
        }
    }

    /// Whether the last request got no byte of an answer, as far as is known.
    pub(super) fn is_unanswered(&self) -> bool {
        match &self.sender {
            Sender::Http1(_, record) => record.is_empty(),
            Sender::Http2(..) => true,
        }
    }

    /// The head of the last response as it came, if this is an HTTP/1 connection.
    pub(super) fn recorded_head(&self) -> Option<Vec<u8>> {
        match &self.sender {
            Sender::Http1(_, record) => record.bytes(),
            Sender::Http2(..) => None,
        }
    }

    /// The size of a response head that came over HTTP/2, which has no other limit of ours.
    pub(super) fn size_of(&self, headers: &HeaderMap) -> usize {
        let size =
            |(name, value): (&http::HeaderName, &http::HeaderValue)| name.as_str().len() + value.len() + FIELD_BYTES;
        match &self.sender {
            Sender::Http1(..) => 0,
            Sender::Http2(..) => headers.iter().map(size).sum(),
        }
    }

    /// Whether the other end is known to be gone, or was given up.
    pub(super) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender, _) => sender.is_closed(),
            Sender::Http2(sender, streams) => sender.is_closed() || streams.is_given_up(),
        }
    }

    /// Whether it can carry several requests at once.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.sender, Sender::Http2(..))
    }

    /// A second handle to the same connection, with a stream of its own, if one is left.
    pub(super) fn share(&self) -> Option<Link> {
        let Sender::Http2(sender, streams) = &self.sender else { return None };
        let stream = streams.take()?;
        let sender = Sender::Http2(sender.clone(), Arc::clone(streams));
        Some(Link { address: self.address, sender, _stream: Some(stream) })
    }

    /// Does some work on an answer. If it is broken off, because it takes too long, the connection is given up.
    pub(super) async fn unless_late<T>(&self, work: impl Future<Output = T>) -> T {
        let late = Late(self);
        let done = work.await;
        std::mem::forget(late);
        done
    }

    /// An answer did not come in time: nobody else shares this connection.
    pub(super) fn give_up(&self) {
        if let Sender::Http2(_, streams) = &self.sender {
            streams.give_up();
        }
    }
}

/// Gives up a connection when it is dropped.
struct Late<'a>(&'a Link);

impl Drop for Late<'_> {
    fn drop(&mut self) {
        self.0.give_up();
    }
}

/// Opens connections under the settings' rules.
pub(super) struct Connector {
    resolver: Resolver,
    tls: TlsConnector,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
}

impl Connector {
    pub(super) fn new(settings: &FetchSettings) -> Result<Connector, FetchError> {
        let mut http1 = http1::Builder::new();
        http1
            .title_case_headers(true)
            .max_header_size(settings.max_header_bytes)
            .max_buf_size(settings.max_header_bytes.max(MIN_BUFFER_BYTES));
        let streams = u32::try_from(settings.connections_per_host).unwrap_or(u32::MAX).max(4);
        let read_header_bytes = settings.max_header_bytes.saturating_mul(2).max(READ_HEADER_BYTES);
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(STREAM_WINDOW_BYTES.saturating_mul(streams).min(MAX_WINDOW_BYTES))
            // Until the other end has said how many it allows, it is one.
            .initial_max_send_streams(1)
            .timer(TokioTimer::new())
            .keep_alive_interval(sign_of_life(settings))
            .keep_alive_timeout(sign_of_life(settings))
            .max_header_list_size(u32::try_from(read_header_bytes).unwrap_or(u32::MAX));
        let tls = TlsConnector::from(Arc::new(tls_config(settings)?));
        Ok(Connector { resolver: Resolver::new(), tls, http1, http2 })
    }

    /// Opens a new connection for `url` within the connect timeout.
    pub(super) async fn connect(&self, settings: &FetchSettings, url: &Url) -> Result<Link, FetchError> {
        let addresses = self.resolver.allowed(settings, url).await?;
        let limit = settings.connect_timeout;
        let late = |_| FetchError::ConnectTimeout { host: host_of(url), limit };
        timeout(limit, self.open(settings, url, &addresses)).await.map_err(late)?
    }

    async fn open(&self, settings: &FetchSettings, url: &Url, addresses: &[SocketAddr]) -> Result<Link, FetchError> {
        let (stream, address) = dial(addresses).await.map_err(|failure| match failure {
            Some((_, source)) if is_no_handle(&source) => FetchError::NoHandle { host: host_of(url), source },
            Some((address, source)) => FetchError::Connect { host: host_of(url), address, source },
            None => FetchError::Dns { host: host_of(url), source: io::Error::other("it has no address") },
        })?;
        if addresses.first() != Some(&address) {
            self.resolver.prefer(url, address.ip());
        }
        if url.scheme() != "https" {
            return self.start_http1(stream, address, url, settings).await;
        }
        let stream =
            self.encrypt(stream, url).await.map_err(|source| FetchError::Tls { host: host_of(url), source })?;
        if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
            self.start_http2(stream, address, url, settings).await
        } else {
            self.start_http1(stream, address, url, settings).await
        }
    }

    async fn encrypt(&self, stream: TcpStream, url: &Url) -> io::Result<TlsStream<TcpStream>> {
        let name = match url.host() {
            Some(Host::Domain(name)) => ServerName::try_from(name.to_owned()).map_err(io::Error::other)?,
            Some(Host::Ipv4(address)) => ServerName::from(IpAddr::from(address)),
            Some(Host::Ipv6(address)) => ServerName::from(IpAddr::from(address)),
            None => return Err(io::ErrorKind::InvalidInput.into()),
        };
        self.tls.connect(name, stream).await
    }

    async fn start_http1<S>(
        &self,
        stream: S,
        address: SocketAddr,
        url: &Url,
        settings: &FetchSettings,
    ) -> Result<Link, FetchError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (stream, record) = Recorded::new(stream);
        let started = self.http1.handshake(TokioIo::new(stream)).await;
        let (sender, connection) =
            started.map_err(|source| FetchError::from_hyper(url, settings.max_header_bytes, source))?;
        // What ends a connection is reported to the request on it; the task has nobody else to tell.
        tokio::spawn(async move { connection.await.ok() });
        Ok(Link { address, sender: Sender::Http1(sender, record), _stream: None })
    }

    async fn start_http2(
        &self,
        stream: TlsStream<TcpStream>,
        address: SocketAddr,
        url: &Url,
        settings: &FetchSettings,
    ) -> Result<Link, FetchError> {
        let started = self.http2.handshake(TokioIo::new(stream)).await;
        let (sender, connection) =
            started.map_err(|source| FetchError::from_hyper(url, settings.max_header_bytes, source))?;
        // The connection alone knows how many streams it may have; it is held for a look or a turn, never across an await. When
        // it is over it is dropped, or those who still send over it would wait for ever.
        let connection = Arc::new(Mutex::new(Some(connection)));
        let driven = Arc::clone(&connection);
        tokio::spawn(poll_fn(move |context| {
            let mut connection = held(&driven);
            let over = connection.as_mut().map(|connection| Pin::new(connection).poll(context));
            if matches!(over, Some(Poll::Pending)) {
                return Poll::Pending;
            }
            *connection = None;
            Poll::Ready(())
        }));
        let streams = Streams::new(move || {
            held(&connection).as_ref().map_or(0, |connection| connection.current_max_send_streams())
        });
        Ok(Link { address, sender: Sender::Http2(sender, streams), _stream: None })
    }
}

/// An HTTP/2 connection on which somebody waits is asked after this long whether it is alive, and is dead if it has not said
/// so as long again.
pub(super) fn sign_of_life(settings: &FetchSettings) -> Duration {
    (settings.first_byte_timeout / 4).max(SIGN_OF_LIFE)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}
