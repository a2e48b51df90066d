//! HTTP/1.1 as it should be: kept connections, exact heads, conditional requests, codings.

use std::io::Write;
use std::sync::{Arc, Mutex};

use super::*;

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let server = Server::start(|mut stream, _| async move {
        while read_head(&mut stream).await.is_some() {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi").await.unwrap();
        }
    })
    .await;
    let fetcher = fetcher(local());
    for _ in 0..5 {
        let exchange = fetcher.get(&server.url("/"), &Validators::default()).await.unwrap();
        assert_eq!((exchange.status, &exchange.body[..]), (200, b"hi".as_slice()));
        assert_eq!(exchange.address, server.address);
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn heads_are_kept_byte_for_byte() {
    let seen = Arc::new(Mutex::new(String::new()));
    let seen_by_server = seen.clone();
    let answer =
        "HTTP/1.1 203 Whatever it is\r\nserver:  odd \r\nX-CaSe: Kept\r\nX-CaSe: twice\r\nContent-Length: 0\r\n\r\n";
    let server = Server::start(move |mut stream, _| {
        let seen = seen_by_server.clone();
        async move {
            *seen.lock().unwrap() = read_head(&mut stream).await.unwrap();
            stream.write_all(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n").await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            read_head(&mut stream).await;
        }
    })
    .await;
    let validators = Validators { etag: Some("\"v1\"".into()), last_modified: Some("yesterday".into()) };
    let exchange = fetcher(local()).get(&server.url("/a?b=c"), &validators).await.unwrap();
    assert_eq!(String::from_utf8(exchange.response_head).unwrap(), answer);
    assert_eq!(String::from_utf8(exchange.request_head).unwrap(), *seen.lock().unwrap());
    assert_eq!(exchange.status, 203);
}

#[tokio::test]
async fn chunks_are_joined_and_the_head_says_so() {
    let server = Server::answering(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: x\r\n\r\n",
    )
    .await;
    let exchange = server.get(local()).await.unwrap();
    assert_eq!(exchange.body, "hello world");
    assert_eq!(exchange.response_head, b"HTTP/1.1 200 OK\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n\r\n");
}

#[tokio::test]
async fn a_body_may_end_with_the_connection() {
    let server = Server::answering("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end").await;
    let exchange = server.get(local()).await.unwrap();
    assert_eq!(exchange.body, "until the end");
    assert_eq!(exchange.content_type(), Some("text/plain"));
}

#[tokio::test]
async fn validators_get_a_304() {
    let server = Server::start(|mut stream, _| async move {
        while let Some(head) = read_head(&mut stream).await {
            let known = head.contains("If-None-Match: \"v1\"\r\n");
            let answer = if known {
                "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nContent-Length: 7\r\n\r\n"
            } else {
                "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 7\r\n\r\nversion"
            };
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    })
    .await;
    let fetcher = fetcher(local());
    let first = fetcher.get(&server.url("/"), &Validators::default()).await.unwrap();
    assert_eq!((first.status, &first.body[..]), (200, b"version".as_slice()));
    let second = fetcher.get(&server.url("/"), &first.validators()).await.unwrap();
    assert_eq!((second.status, second.body.len()), (304, 0));
    assert_eq!(fetcher.get(&server.url("/"), &Validators::default()).await.unwrap().body, "version");
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_died_while_idle_is_replaced_once() {
    let server = Server::start(|mut stream, number| async move {
        read_head(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na").await.unwrap();
        if number == 0 {
            // Wait for the second request on the first connection, and drop it unanswered.
            read_head(&mut stream).await;
        }
    })
    .await;
    let fetcher = fetcher(local());
    for _ in 0..2 {
        assert_eq!(fetcher.get(&server.url("/"), &Validators::default()).await.unwrap().body, "a");
    }
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_408_on_a_kept_connection_is_about_the_connection() {
    let server = Server::start(|mut stream, number| async move {
        while read_head(&mut stream).await.is_some() {
            let answer = match number {
                0 => "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
                _ => "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n",
            };
            stream.write_all(answer.as_bytes()).await.unwrap();
            if number == 0 {
                read_head(&mut stream).await;
                stream.write_all(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n").await.unwrap();
                return;
            }
        }
    })
    .await;
    let fetcher = fetcher(local());
    let mut statuses = Vec::new();
    for _ in 0..2 {
        statuses.push(fetcher.get(&server.url("/"), &Validators::default()).await.unwrap().status);
    }
    // The second connection is new: what it says is about the request.
    assert_eq!((statuses, server.connections()), (vec![200, 408], 2));
}

#[tokio::test]
async fn blank_lines_before_the_status_line_are_not_archived() {
    let server = Server::answering("\r\n\r\nHTTP/1.1 200 OK\r\neTag: x\r\nContent-Length: 2\r\n\r\nhi").await;
    let exchange = server.get(local()).await.unwrap();
    assert_eq!(exchange.response_head, b"HTTP/1.1 200 OK\r\neTag: x\r\nContent-Length: 2\r\n\r\n");
    assert_eq!(exchange.body, "hi");
}

#[tokio::test]
async fn a_new_connection_without_answer_is_not_tried_again() {
    let server = Server::answering("").await;
    assert_eq!(server.get(local()).await.unwrap_err().rule().name(), "reset");
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn closed_connections_are_not_kept() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na").await;
    let fetcher = fetcher(local());
    for _ in 0..3 {
        fetcher.get(&server.url("/"), &Validators::default()).await.unwrap();
    }
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn idle_connections_per_host_are_bounded() {
    let all = Arc::new(Barrier::new(4));
    let server = Server::start(move |mut stream, _| {
        let all = all.clone();
        async move {
            while read_head(&mut stream).await.is_some() {
                // All four requests are under way before the first answer.
                all.wait().await;
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na").await.unwrap();
            }
        }
    })
    .await;
    let fetcher = fetcher(FetchSettings { connections_per_host: 2, ..local() });
    let (url, none) = (server.url("/"), Validators::default());
    for _ in 0..2 {
        let get = || fetcher.get(&url, &none);
        let (a, b, c, d) = tokio::join!(get(), get(), get(), get());
        assert!(a.is_ok() && b.is_ok() && c.is_ok() && d.is_ok());
    }
    assert_eq!(server.connections(), 6, "four new ones, then two kept and two new ones");
}

#[tokio::test]
async fn content_is_decoded_and_the_body_is_not() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"hello").unwrap();
    let coded = encoder.finish().unwrap();
    let mut answer =
        format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", coded.len()).into_bytes();
    answer.extend_from_slice(&coded);
    let exchange = Server::answering(answer).await.get(local()).await.unwrap();
    assert_eq!(exchange.body, coded);
    assert_eq!(exchange.content(100).unwrap(), "hello");
    assert_eq!(exchange.content(4).unwrap_err().rule().name(), "decoded-too-large");
}
