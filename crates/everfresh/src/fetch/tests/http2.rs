//! TLS and HTTP/2.

use std::convert::Infallible;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto::ring};

use super::*;

const HOST: &str = "secure.example";

/// No frame of ours: the settings of a server that has none, and the news that it answers nothing more.
const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
const GOING_AWAY: &[u8] = &[0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// The TLS of a server with this protocol, and whom to trust for it.
fn secured(alpn: &'static [u8]) -> (TlsAcceptor, CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed([HOST.to_owned()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    config.alpn_protocols = vec![alpn.to_vec()];
    (TlsAcceptor::from(Arc::new(config)), certificate)
}

/// A TLS server that says back which host and path it was asked for, over the protocol of `alpn`.
async fn secure_server(alpn: &'static [u8]) -> (Server, CertificateDer<'static>) {
    let (acceptor, certificate) = secured(alpn);
    let server = Server::start(move |stream, _| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let (io, service) = (TokioIo::new(stream), service_fn(echo));
            if alpn == b"h2" {
                hyper::server::conn::http2::Builder::new(TokioExecutor::new()).serve_connection(io, service).await.ok();
            } else {
                hyper::server::conn::http1::Builder::new().serve_connection(io, service).await.ok();
            }
        }
    })
    .await;
    (server, certificate)
}

/// An HTTP/2 server that sends some bytes on its first connection and then nothing more, and answers on all others.
async fn server_that_falls_silent(after: &'static [&'static [u8]]) -> (Server, CertificateDer<'static>) {
    let (acceptor, certificate) = secured(b"h2");
    let server = Server::start(move |stream, before| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            if before == 0 {
                for bytes in after {
                    stream.write_all(bytes).await.ok();
                }
                while stream.read(&mut [0; 512]).await.is_ok_and(|read| read > 0) {}
            } else {
                let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                builder.serve_connection(TokioIo::new(stream), service_fn(echo)).await.ok();
            }
        }
    })
    .await;
    (server, certificate)
}

async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    match request.uri().path() {
        "/large" => return Ok(Response::new(Full::from(vec![b'x'; 300_000]))),
        "/long-head" => {
            let fields = (0..80).map(|field| (format!("x-{field}"), "v".repeat(1000)));
            let answer = fields.fold(Response::builder(), |answer, (name, value)| answer.header(name, value));
            return Ok(answer.body(Full::default()).unwrap());
        }
        "/very-large" => return Ok(Response::new(Full::from(vec![b'x'; 2_000_000]))),
        _ => {}
    }
    let host = match request.uri().authority() {
        Some(authority) => authority.to_string(),
        None => request.headers()["host"].to_str().unwrap().to_owned(),
    };
    let body = Full::from(format!("{:?} {host} {}", request.version(), request.uri().path()));
    Ok(Response::builder().header("x-kind", "echo").body(body).unwrap())
}

fn settings(server: &Server, root: CertificateDer<'static>) -> FetchSettings {
    FetchSettings { resolve: [(HOST.to_owned(), server.address)].into(), tls_roots: vec![root], ..local() }
}

fn url(path: &str) -> Url {
    Url::parse(&format!("https://{HOST}{path}")).unwrap()
}

#[tokio::test]
async fn http2_is_used_where_offered_and_its_connection_shared() {
    let (server, root) = secure_server(b"h2").await;
    let fetcher = fetcher(settings(&server, root));
    let exchange = fetcher.get(&url("/a"), &Validators::default()).await.unwrap();
    assert_eq!(exchange.body, "HTTP/2.0 secure.example /a");
    let head = String::from_utf8(exchange.response_head).unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\nx-kind: echo\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    assert!(exchange.request_head.starts_with(b"GET /a HTTP/1.1\r\nHost: secure.example\r\n"));
    let (b, c, none) = (url("/b"), url("/large"), Validators::default());
    let (b, c) = tokio::join!(fetcher.get(&b, &none), fetcher.get(&c, &none));
    assert_eq!((b.unwrap().status, c.unwrap().body.len()), (200, 300_000));
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn http1_over_tls_keeps_its_connection_too() {
    let (server, root) = secure_server(b"http/1.1").await;
    let fetcher = fetcher(settings(&server, root));
    for path in ["/a", "/b"] {
        let exchange = fetcher.get(&url(path), &Validators::default()).await.unwrap();
        assert_eq!(exchange.body, format!("HTTP/1.1 secure.example {path}"));
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn body_limits_hold_over_http2() {
    let (server, root) = secure_server(b"h2").await;
    let fetcher = fetcher(FetchSettings { max_body_bytes: 1000, ..settings(&server, root) });
    let error = fetcher.get(&url("/large"), &Validators::default()).await.unwrap_err();
    assert_eq!(error.reason(), "body-too-large");
    assert_eq!(fetcher.get(&url("/ok"), &Validators::default()).await.unwrap().status, 200);
    assert_eq!(server.connections(), 1, "one page too large does not cost the others their connection");
}

#[tokio::test(start_paused = true)]
async fn large_bodies_that_wait_leave_room_on_their_connection() {
    let (server, root) = secure_server(b"h2").await;
    // Two may hold a large body.
    let fetcher = stepped(FetchSettings { max_decoded_bytes: 100 << 20, ..settings(&server, root) });
    let large = || {
        let fetcher = fetcher.clone();
        async move { fetcher.get(&url("/very-large"), &Validators::default()).await.unwrap() }
    };
    let held = (large().await, large().await);
    let mut waiting: tokio::task::JoinSet<Exchange> = (0..7).map(|_| large()).collect();
    // Time passes only when all seven have what needs no permit, and wait.
    tokio::time::sleep(SHORT).await;
    assert_eq!(fetcher.get(&url("/small"), &Validators::default()).await.unwrap().status, 200);
    drop(held);
    // Each is dropped before the next is taken, as only two can be held.
    while let Some(exchange) = waiting.join_next().await {
        assert_eq!(exchange.unwrap().body.len(), 2_000_000);
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_on_which_no_answer_came_is_given_up() {
    let (server, root) = server_that_falls_silent(&[SETTINGS]).await;
    let fetcher = fetcher(FetchSettings { first_byte_timeout: SHORT, ..settings(&server, root) });
    let error = fetcher.get(&url("/"), &Validators::default()).await.unwrap_err();
    assert_eq!(error.reason(), "first-byte-timeout");
    // On a slow machine an honest answer may take as long too.
    for _ in 0..50 {
        if let Ok(exchange) = fetcher.get(&url("/"), &Validators::default()).await {
            assert_eq!(exchange.status, 200);
            return;
        }
    }
    panic!("the dead connection is still in use; {} were made", server.connections());
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_gives_no_sign_of_life_is_replaced() {
    let (server, root) = server_that_falls_silent(&[SETTINGS]).await;
    // Not in stepped time, which would stand still: here it passes as soon as nobody can do anything.
    let fetcher = fetcher(settings(&server, root));
    let error = fetcher.get(&url("/"), &Validators::default()).await.unwrap_err();
    assert_eq!(error.reason(), "reset", "well before the answer is late: {error}");
}

#[tokio::test]
async fn who_goes_away_before_it_looked_at_a_request_is_asked_again() {
    let (server, root) = server_that_falls_silent(&[SETTINGS, GOING_AWAY]).await;
    let exchange = fetcher(settings(&server, root)).get(&url("/a"), &Validators::default()).await.unwrap();
    assert_eq!((exchange.status, server.connections()), (200, 2));
}

#[tokio::test]
async fn where_no_stream_is_left_another_connection_is_made() {
    let (acceptor, root) = secured(b"h2");
    let both = Arc::new(Barrier::new(2));
    let server = Server::start(move |stream, _| {
        let (acceptor, both) = (acceptor.clone(), both.clone());
        async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let service = service_fn(move |request: Request<Incoming>| {
                let both = both.clone();
                async move {
                    if request.uri().path() != "/first" {
                        both.wait().await;
                    }
                    echo(request).await
                }
            });
            let mut builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            builder.max_concurrent_streams(1).serve_connection(TokioIo::new(stream), service).await.ok();
        }
    })
    .await;
    let fetcher = fetcher(settings(&server, root));
    fetcher.get(&url("/first"), &Validators::default()).await.unwrap();
    let (a, b, none) = (url("/a"), url("/b"), Validators::default());
    let (a, b) = tokio::join!(fetcher.get(&a, &none), fetcher.get(&b, &none));
    assert_eq!((a.unwrap().status, b.unwrap().status, server.connections()), (200, 200, 2));
}

#[tokio::test]
async fn a_head_that_is_too_large_is_called_that() {
    let (server, root) = secure_server(b"h2").await;
    let error = fetcher(settings(&server, root)).get(&url("/long-head"), &Validators::default()).await.unwrap_err();
    assert_eq!(error.reason(), "headers-too-large", "{error}");
}

#[tokio::test]
async fn a_certificate_nobody_vouches_for_is_refused() {
    let (server, root) = secure_server(b"h2").await;
    let fetcher = fetcher(FetchSettings { tls_roots: Vec::new(), ..settings(&server, root) });
    let error = fetcher.get(&url("/"), &Validators::default()).await.unwrap_err();
    assert_eq!(error.reason(), "tls");
    assert!(error.to_string().contains(HOST), "{error}");
}

#[tokio::test]
async fn plain_text_on_the_tls_port_is_a_tls_error() {
    let server = Server::start(|mut stream, _| async move {
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.ok();
        while stream.read(&mut [0; 512]).await.is_ok_and(|read| read > 0) {}
    })
    .await;
    let server_url = Url::parse(&format!("https://{}/", server.address)).unwrap();
    let error = fetcher(local()).get(&server_url, &Validators::default()).await.unwrap_err();
    assert_eq!(error.reason(), "tls", "{error}");
}
