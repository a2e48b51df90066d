//! Servers that stall, drip, flood, lie, break off or talk nonsense: each a typed error, never a hang or a crash.

use super::*;

async fn reason_of(server: Server, settings: FetchSettings) -> &'static str {
    let error = server.get(settings).await.unwrap_err();
    assert!(error.to_string().contains("127.0.0.1"), "the message names what was fetched: {error}");
    error.rule().name()
}

/// A server that reads the request, sends `start` and then `piece` again and again.
async fn endless(start: &'static str, piece: &'static [u8], pause: Duration) -> Server {
    Server::start(move |mut stream, _| async move {
        read_head(&mut stream).await;
        stream.write_all(start.as_bytes()).await.ok();
        while stream.write_all(piece).await.is_ok() {
            tokio::time::sleep(pause).await;
        }
    })
    .await
}

#[tokio::test]
async fn a_server_that_says_nothing() {
    let server = endless("", b"", LONG).await;
    let settings = FetchSettings { first_byte_timeout: SHORT, ..local() };
    assert_eq!(reason_of(server, settings).await, "first-byte-timeout");
}

#[tokio::test]
async fn a_server_that_drips_its_head() {
    let server = endless("HTTP/1.1 200 OK\r\n", b"a: b\r\n", Duration::from_millis(20)).await;
    let settings = FetchSettings { first_byte_timeout: SHORT, ..local() };
    assert_eq!(reason_of(server, settings).await, "first-byte-timeout");
}

#[tokio::test]
async fn a_server_that_drips_its_body() {
    let server = endless("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n", b"x", Duration::from_millis(20)).await;
    let settings = FetchSettings { total_timeout: SHORT, ..local() };
    assert_eq!(reason_of(server, settings).await, "total-timeout");
}

#[tokio::test]
async fn a_server_that_never_ends_its_interim_answers() {
    let server = endless("", b"HTTP/1.1 100 Continue\r\n\r\n", Duration::from_millis(1)).await;
    let settings = FetchSettings { total_timeout: SHORT, ..local() };
    assert_eq!(reason_of(server, settings).await, "total-timeout");
}

#[tokio::test]
async fn a_head_without_end() {
    let line = format!("HTTP/1.1 200 OK\r\nlong: {}", "x".repeat(1000)).leak();
    let server = endless(line, &[b'y'; 4096], Duration::ZERO).await;
    assert_eq!(reason_of(server, local()).await, "headers-too-large");
}

#[tokio::test]
async fn a_head_with_too_many_fields() {
    let server = endless("HTTP/1.1 200 OK\r\n", b"a: b\r\n".repeat(500).leak(), Duration::ZERO).await;
    assert_eq!(reason_of(server, local()).await, "headers-too-large");
}

#[tokio::test]
async fn a_small_head_limit_holds() {
    let server = Server::answering(format!("HTTP/1.1 200 OK\r\na: {}\r\n\r\n", "x".repeat(600))).await;
    let settings = FetchSettings { max_header_bytes: 500, ..local() };
    assert_eq!(reason_of(server, settings).await, "headers-too-large");
}

#[tokio::test]
async fn a_body_announced_too_large() {
    let server = endless("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", b"", LONG).await;
    let settings = FetchSettings { max_body_bytes: 1000, ..local() };
    assert_eq!(reason_of(server, settings).await, "body-too-large");
}

#[tokio::test]
async fn a_body_without_end() {
    for start in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"] {
        let server = endless(start, b"4\r\nabcd\r\n".repeat(500).leak(), Duration::ZERO).await;
        let settings = FetchSettings { max_body_bytes: 100_000, ..local() };
        assert_eq!(reason_of(server, settings).await, "body-too-large", "{start}");
    }
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_taken() {
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}", "x".repeat(1000));
    let settings = FetchSettings { max_body_bytes: 1000, ..local() };
    assert_eq!(Server::answering(answer).await.get(settings).await.unwrap().body.len(), 1000);
}

#[tokio::test]
async fn a_body_shorter_than_announced() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort").await;
    assert_eq!(reason_of(server, local()).await, "reset");
    let server = Server::answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n").await;
    assert_eq!(reason_of(server, local()).await, "reset");
}

#[tokio::test]
async fn a_connection_reset_within_the_body() {
    let server = Server::start(|mut stream, _| async move {
        // Left unread, the request makes the kernel answer the close with a reset.
        stream.readable().await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf").await.unwrap();
    })
    .await;
    assert_eq!(reason_of(server, local()).await, "reset");
}

#[tokio::test]
async fn garbage_instead_of_http() {
    for garbage in ["SSH-2.0-OpenSSH_9.6\r\n", "\0\u{1}\u{2}\u{3} nothing\r\n\r\n", "<html>0.9</html>\r\n\r\n"] {
        assert_eq!(reason_of(Server::answering(garbage).await, local()).await, "bad-http", "{garbage:?}");
    }
}

#[tokio::test]
async fn garbage_instead_of_a_chunk() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot hex\r\n").await;
    assert_eq!(reason_of(server, local()).await, "bad-http");
}

#[tokio::test]
async fn two_lengths_that_disagree() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab").await;
    assert_eq!(reason_of(server, local()).await, "bad-http");
}

#[tokio::test]
async fn a_bomb_is_refused_when_it_is_unpacked() {
    let bomb = zstd::encode_all(&vec![0; 64 << 20][..], 1).unwrap();
    let mut answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n".to_vec();
    answer.extend_from_slice(&bomb);
    let fetcher = fetcher(FetchSettings { max_decoded_bytes: 1 << 20, ..local() });
    let server = Server::answering(answer).await;
    let exchange = fetcher.get(&server.url("/"), &Validators::default()).await.unwrap();
    let error = exchange.content(fetcher.settings().max_decoded_bytes).unwrap_err();
    assert_eq!(error.rule().name(), "decoded-too-large");
    assert!(error.to_string().contains("max_decoded_bytes"), "{error}");
}

#[tokio::test]
async fn a_host_that_accepts_but_never_shakes_hands() {
    let server = Server::start(|stream, _| async move {
        tokio::time::sleep(LONG).await;
        drop(stream);
    })
    .await;
    let url = Url::parse(&format!("https://{}/", server.address)).unwrap();
    let fetcher = fetcher(FetchSettings { connect_timeout: SHORT, ..local() });
    let error = fetcher.get(&url, &Validators::default()).await.unwrap_err();
    assert_eq!(error.rule().name(), "connect-timeout");
}
