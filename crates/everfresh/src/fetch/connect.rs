//! From a URL to a connection that can carry its request: resolve, check the address, connect, TLS, HTTP version.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore, pki_types::ServerName};
use url::{Host, Url};

use super::record::{HeadRecord, Recorded};
use super::request::PageRequest;
use super::{FetchError, FetchSettings, guard};

/// The buffer of an HTTP/1 connection cannot be made smaller than this.
const MIN_BUFFER_BYTES: usize = 8 * 1024;
/// How much an HTTP/2 peer may send ahead of our reading, per stream. A connection has room for this much of each of its
/// streams, so that bodies that wait do not hold up the others.
const STREAM_WINDOW_BYTES: u32 = 256 * 1024;
/// The protocol allows no larger window.
const MAX_WINDOW_BYTES: u32 = (1 << 31) - 1;
/// A host with more addresses than this has only the first ones tried.
const MAX_ADDRESSES: usize = 4;

/// An open connection to one host.
pub(super) struct Link {
    /// The address at the other end.
    pub(super) address: SocketAddr,
    sender: Sender,
}

enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>, HeadRecord),
    Http2(http2::SendRequest<Full<Bytes>>),
}

impl Link {
    /// Sends the request and waits for the response head.
    pub(super) async fn send(&mut self, request: &PageRequest<'_>) -> Result<Response<Incoming>, hyper::Error> {
        match &mut self.sender {
            Sender::Http1(sender, record) => {
                sender.ready().await?;
                record.begin();
                sender.send_request(request.http1()).await
            }
            // A host that is no authority cannot have been resolved; asking with the path alone fails cleanly.
            Sender::Http2(sender) => sender.send_request(request.http2().unwrap_or_else(|| request.http1())).await,
        }
    }

    /// Whether the last request got no byte of an answer, so that sending it again cannot be seen as a second visit.
    /// Streams of a shared HTTP/2 connection fail together, and what we ask may be asked again.
    pub(super) fn is_unanswered(&self) -> bool {
        match &self.sender {
            Sender::Http1(_, record) => record.is_empty(),
            Sender::Http2(_) => true,
        }
    }

    /// The head of the last response as it came, if this is an HTTP/1 connection.
    pub(super) fn recorded_head(&self) -> Option<Vec<u8>> {
        match &self.sender {
            Sender::Http1(_, record) => record.bytes(),
            Sender::Http2(_) => None,
        }
    }

    /// Whether the other end is known to be gone.
    pub(super) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender, _) => sender.is_closed(),
            Sender::Http2(sender) => sender.is_closed(),
        }
    }

    /// A second handle to the same connection, if it can carry several requests at once.
    pub(super) fn share(&self) -> Option<Link> {
        match &self.sender {
            Sender::Http1(..) => None,
            Sender::Http2(sender) => Some(Link { address: self.address, sender: Sender::Http2(sender.clone()) }),
        }
    }
}

/// Opens connections under the settings' rules.
pub(super) struct Connector {
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
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(STREAM_WINDOW_BYTES.saturating_mul(streams).min(MAX_WINDOW_BYTES))
            .max_header_list_size(u32::try_from(settings.max_header_bytes).unwrap_or(u32::MAX));
        Ok(Connector { tls: TlsConnector::from(Arc::new(tls_config(settings)?)), http1, http2 })
    }

    /// Opens a new connection for `url` within the connect timeout.
    pub(super) async fn connect(&self, settings: &FetchSettings, url: &Url) -> Result<Link, FetchError> {
        let limit = settings.connect_timeout;
        let late = |_| FetchError::ConnectTimeout { host: host_of(url), limit };
        timeout(limit, self.open(settings, url)).await.map_err(late)?
    }

    async fn open(&self, settings: &FetchSettings, url: &Url) -> Result<Link, FetchError> {
        let addresses = allowed_addresses(settings, url).await?;
        let (stream, address) = connect_any(&addresses, url, settings.connect_timeout).await?;
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
        Ok(Link { address, sender: Sender::Http1(sender, record) })
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
        tokio::spawn(async move { connection.await.ok() });
        Ok(Link { address, sender: Sender::Http2(sender) })
    }
}

fn tls_config(settings: &FetchSettings) -> Result<ClientConfig, FetchError> {
    let bad = |problem: rustls::Error| FetchError::BadSetting { setting: "tls_roots", problem: problem.to_string() };
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for root in &settings.tls_roots {
        roots.add(root.clone()).map_err(bad)?;
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(bad)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// The addresses of the URL's host that may be contacted: looked up once, so what is checked is what is used.
async fn allowed_addresses(settings: &FetchSettings, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
    let mut addresses = resolve(settings, url).await?;
    let first = addresses.first().map(SocketAddr::ip);
    addresses.retain(|address| settings.allow_private || guard::is_public(address.ip()));
    addresses.truncate(MAX_ADDRESSES);
    match first {
        Some(address) if addresses.is_empty() => Err(FetchError::RefusedAddress { host: host_of(url), address }),
        Some(_) => Ok(addresses),
        None => Err(FetchError::Dns { host: host_of(url), source: io::Error::other("it has no address") }),
    }
}

async fn resolve(settings: &FetchSettings, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
    let port = url.port_or_known_default().unwrap_or(80);
    if let Some(address) = url.host_str().and_then(|host| settings.resolve.get(host)) {
        return Ok(vec![*address]);
    }
    match url.host() {
        Some(Host::Ipv4(address)) => Ok(vec![SocketAddr::new(address.into(), port)]),
        Some(Host::Ipv6(address)) => Ok(vec![SocketAddr::new(address.into(), port)]),
        Some(Host::Domain(name)) => match tokio::net::lookup_host((name, port)).await {
            Ok(addresses) => Ok(addresses.collect()),
            Err(source) => Err(FetchError::Dns { host: name.to_owned(), source }),
        },
        None => Err(FetchError::BadUrl { url: url.to_string(), problem: "it has no host" }),
    }
}

/// Tries the addresses in turn; each gets its share of the time, so that a dead first one leaves some for the next.
async fn connect_any(
    addresses: &[SocketAddr],
    url: &Url,
    limit: Duration,
) -> Result<(TcpStream, SocketAddr), FetchError> {
    let share = limit / u32::try_from(addresses.len()).unwrap_or(1).max(1);
    let mut failure = FetchError::ConnectTimeout { host: host_of(url), limit };
    for &address in addresses {
        match timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // A request is one small write: waiting to fill a packet would only delay it. If that cannot be
                // switched off, the connection still works.
                stream.set_nodelay(true).ok();
                return Ok((stream, address));
            }
            Ok(Err(source)) => failure = FetchError::Connect { host: host_of(url), address, source },
            Err(_) => failure = FetchError::ConnectTimeout { host: host_of(url), limit },
        }
    }
    Err(failure)
}

fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}
