//! TLS and HTTP/2.

use std::convert::Infallible;
use std::pin::pin;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::sync::Notify;
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
        "/long-head" => return Ok(with_head_of(80, 1000)),
        "/longer-head" => return Ok(with_head_of(200, 1000)),
        "/huge-head" => return Ok(with_head_of(40, 16_000)),
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

fn with_head_of(fields: usize, bytes: usize) -> Response<Full<Bytes>> {
    let fields = (0..fields).map(|field| (format!("x-{field}"), "v".repeat(bytes)));
    let answer = fields.fold(Response::builder(), |answer, (name, value)| answer.header(name, value));
    answer.body(Full::default()).unwrap()
}

/// An HTTP/2 server that resets its first stream like this, and answers on all others.
async fn server_that_resets(reason: h2::Reason) -> (Server, CertificateDer<'static>, Arc<AtomicUsize>) {
    let (acceptor, certificate) = secured(b"h2");
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let server = Server::start(move |stream, _| {
        let (acceptor, counter) = (acceptor.clone(), Arc::clone(&counter));
        async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let mut connection = h2::server::handshake(stream).await.unwrap();
            while let Some(Ok((_, mut respond))) = connection.accept().await {
                if counter.fetch_add(1, Ordering::SeqCst) == 0 {
                    respond.send_reset(reason);
                } else {
                    respond.send_response(Response::new(()), true).unwrap();
                }
            }
        }
    })
    .await;
    (server, certificate, asked)
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
    assert_eq!(error.rule().name(), "body-too-large");
    assert_eq!(fetcher.get(&url("/ok"), &Validators::default()).await.unwrap().status, 200);
    assert_eq!(server.connections(), 1, "one page too large does not cost the others their connection");
}

#[tokio::test(start_paused = true)]
async fn large_bodies_that_wait_leave_room_on_their_connection() {
    let (server, root) = secure_server(b"h2").await;
    // Two may hold a large body.
    let fetcher = stepped(FetchSettings { max_body_bytes: 2 << 20, large_bytes: 0, ..settings(&server, root) });
    let large = || {
        let fetcher = fetcher.clone();
        async move {
            let (url, mut space) = (url("/very-large"), fetcher.space(&url("/very-large"), false));
            let asked = fetcher.ask(&url, &Question::default(), &Validators::default(), &mut space).await;
            (asked.unwrap(), space)
        }
    };
    let held = (large().await, large().await);
    let mut waiting: tokio::task::JoinSet<(Exchange, Space)> = (0..7).map(|_| large()).collect();
    // Time passes only when all seven have what needs no room, and wait.
    tokio::time::sleep(SHORT).await;
    assert_eq!(fetcher.get(&url("/small"), &Validators::default()).await.unwrap().status, 200);
    drop(held);
    // Each is dropped before the next is taken, as only two can be held.
    while let Some(held) = waiting.join_next().await {
        assert_eq!(held.unwrap().0.body.len(), 2_000_000);
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_on_which_no_answer_came_is_given_up() {
    let (server, root) = server_that_falls_silent(&[SETTINGS]).await;
    let fetcher = fetcher(FetchSettings { first_byte_timeout: SHORT, ..settings(&server, root) });
    let error = fetcher.get(&url("/"), &Validators::default()).await.unwrap_err();
    assert_eq!(error.rule().name(), "first-byte-timeout");
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
    assert_eq!(error.rule().name(), "first-byte-timeout", "{error}");
    assert!(error.to_string().contains("within 10s"), "well before the answer is late: {error}");
    assert_eq!(fetcher.get(&url("/"), &Validators::default()).await.unwrap().status, 200);
}

#[tokio::test(start_paused = true)]
async fn who_is_allowed_to_be_slow_may_be_silent_for_longer() {
    let (acceptor, root) = secured(b"h2");
    let server = Server::start(move |stream, _| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            tokio::time::sleep(Duration::from_secs(12)).await;
            let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            builder.serve_connection(TokioIo::new(stream), service_fn(echo)).await.ok();
        }
    })
    .await;
    let fetcher = fetcher(FetchSettings { first_byte_timeout: LONG, ..settings(&server, root) });
    assert_eq!(fetcher.get(&url("/"), &Validators::default()).await.unwrap().status, 200);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_ended_while_it_was_kept_is_replaced() {
    let (acceptor, root) = secured(b"h2");
    let (answered, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let over = Arc::clone(&ended);
    let server = Server::start(move |stream, before| {
        let (acceptor, answered, over) = (acceptor.clone(), Arc::clone(&answered), Arc::clone(&over));
        async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let asked = Arc::clone(&answered);
            let service = service_fn(move |request| {
                asked.notify_one();
                echo(request)
            });
            let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
            tokio::select! {
                _ = connection.as_mut() => {}
                () = answered.notified(), if before == 0 => connection.as_mut().graceful_shutdown(),
            }
            connection.await.ok();
            over.notify_one();
        }
    })
    .await;
    let fetcher = fetcher(settings(&server, root));
    assert_eq!(fetcher.get(&url("/a"), &Validators::default()).await.unwrap().status, 200);
    ended.notified().await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(fetcher.get(&url("/b"), &Validators::default()).await.unwrap().status, 200);
    assert_eq!(server.connections(), 2);
}

/// A connection that answers signs of life and nothing else is not dead for the protocol.
#[tokio::test(start_paused = true)]
async fn a_connection_that_falls_silent_within_a_body_is_given_up() {
    let (acceptor, root) = secured(b"h2");
    let server = Server::start(move |stream, before| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let mut connection = h2::server::handshake(stream).await.unwrap();
            let mut unfinished = Vec::new();
            while let Some(Ok((_, mut respond))) = connection.accept().await {
                let mut body = respond.send_response(Response::new(()), before > 0).unwrap();
                if before == 0 {
                    body.send_data(Bytes::from_static(b"some"), false).unwrap();
                    unfinished.push(body);
                }
            }
        }
    })
    .await;
    let fetcher = fetcher(settings(&server, root));
    let error = fetcher.get(&url("/a"), &Validators::default()).await.unwrap_err();
    assert_eq!(error.rule().name(), "total-timeout", "{error}");
    assert_eq!(fetcher.get(&url("/b"), &Validators::default()).await.unwrap().status, 200);
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_stream_that_was_refused_is_asked_for_again_on_the_same_connection() {
    let (server, root, asked) = server_that_resets(h2::Reason::REFUSED_STREAM).await;
    let exchange = fetcher(settings(&server, root)).get(&url("/a"), &Validators::default()).await.unwrap();
    assert_eq!((exchange.status, server.connections(), asked.load(Ordering::SeqCst)), (200, 1, 2));
}

#[tokio::test]
async fn a_stream_that_broke_off_is_not_asked_for_twice() {
    let (server, root, asked) = server_that_resets(h2::Reason::INTERNAL_ERROR).await;
    let fetcher = fetcher(settings(&server, root));
    let error = fetcher.get(&url("/a"), &Validators::default()).await.unwrap_err();
    assert_eq!((error.rule().name(), asked.load(Ordering::SeqCst)), ("reset", 1), "{error}");
    assert_eq!(fetcher.get(&url("/b"), &Validators::default()).await.unwrap().status, 200);
    assert_eq!(server.connections(), 1, "one page that breaks off does not cost the others their connection");
}

#[tokio::test]
async fn who_allows_one_stream_a_connection_gets_no_more_connections_than_exchanges() {
    let (acceptor, root) = secured(b"h2");
    let server = Server::start(move |stream, _| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let mut builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            builder.max_concurrent_streams(1);
            builder.serve_connection(TokioIo::new(stream), service_fn(echo)).await.ok();
        }
    })
    .await;
    let fetcher = fetcher(FetchSettings { connections_per_host: 4, ..settings(&server, root) });
    let all = (0..4).map(|_| {
        let fetcher = fetcher.clone();
        async move {
            for _ in 0..25 {
                assert_eq!(fetcher.get(&url("/"), &Validators::default()).await.unwrap().status, 200);
            }
        }
    });
    all.collect::<tokio::task::JoinSet<()>>().join_all().await;
    assert!(server.connections() <= 4, "{}", server.connections());
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
    let fetcher = fetcher(settings(&server, root));
    for path in ["/long-head", "/longer-head"] {
        let error = fetcher.get(&url(path), &Validators::default()).await.unwrap_err();
        assert_eq!(error.rule().name(), "headers-too-large", "{error}");
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_head_that_ends_its_connection_harms_nobody_else() {
    let (server, root) = secure_server(b"h2").await;
    let fetcher = fetcher(settings(&server, root));
    fetcher.get(&url("/first"), &Validators::default()).await.unwrap();
    let ask = |path: &'static str| {
        let fetcher = fetcher.clone();
        async move {
            match fetcher.get(&url(path), &Validators::default()).await {
                Ok(exchange) => (path, exchange.status.to_string()),
                Err(error) => (path, error.rule().name().to_owned()),
            }
        }
    };
    let all = (0..20).map(|place| ask(if place % 5 == 2 { "/huge-head" } else { "/a" }));
    for (path, answer) in all.collect::<tokio::task::JoinSet<_>>().join_all().await {
        assert_eq!(answer, if path == "/a" { "200" } else { "headers-too-large" }, "{path}");
    }
}

#[tokio::test]
async fn a_certificate_nobody_vouches_for_is_refused() {
    let (server, root) = secure_server(b"h2").await;
    let fetcher = fetcher(FetchSettings { tls_roots: Vec::new(), ..settings(&server, root) });
    let error = fetcher.get(&url("/"), &Validators::default()).await.unwrap_err();
    assert_eq!(error.rule().name(), "tls");
    let said = error.to_string();
    assert!(said.contains(HOST) && said.contains("fetch.ca_file"), "it says what to do: {said}");
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
    assert_eq!(error.rule().name(), "tls", "{error}");
}
