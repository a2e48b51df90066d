//! The traps of the hostile server: what each path does to whoever asks for it.
//!
//! Bodies without end are written piece by piece until the client goes away, so that a trap costs the server no
//! memory.

use std::io;
use std::time::Duration;

use flate2::{Compress, Compression, FlushCompress};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::random::Random;
use super::small_traps::{self, Small};

/// One path of the hostile server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The path that springs it.
    pub path: &'static str,
    /// What it does.
    pub what: &'static str,
    /// Whether a careful crawler records a failed visit; otherwise the page is odd but can be kept.
    pub fails: bool,
}

const fn failing(path: &'static str, what: &'static str) -> Trap {
    Trap { path, what, fails: true }
}

const fn odd(path: &'static str, what: &'static str) -> Trap {
    Trap { path, what, fails: false }
}

/// Every trap, in the order in which the front page links to them.
pub(super) const TRAPS: &[Trap] = &[
    failing("/huge", "declares a body of 10 GB and begins to send it"),
    failing("/endless-body", "sends chunks for ever"),
    failing("/endless-headers", "sends headers for ever"),
    failing("/gzip-bomb", "4 MB of gzip that unpack to 4 GB"),
    failing("/zstd-bomb", "128 KB of zstd that unpack to 4 GB"),
    odd("/nested", "a million nested tags in 7 MB"),
    odd("/lying-charset", "declares UTF-16 and sends ISO 8859-1"),
    odd("/lying-type", "declares text/html and sends an image"),
    failing("/loop", "redirects to itself"),
    failing("/onward/1", "redirects to /onward/2, that to /onward/3, and so on for ever"),
    failing("/to-file", "redirects to file:///etc/passwd"),
    failing("/to-metadata", "redirects to http://169.254.169.254/"),
    failing("/stall-before-headers", "says nothing"),
    failing("/stall-in-body", "stops in the middle of a body"),
    failing("/drip", "sends one byte of body every 200 ms for ever"),
    failing("/reset", "resets the connection in the middle of a body"),
    failing("/garbage", "answers with bytes that are no HTTP"),
    failing("/short", "declares 1000 bytes, sends 100 and closes"),
    odd("/smuggled", "sends a second, forged response behind the declared body"),
    odd("/injection", "a header and a body that try to look like the records of an archive"),
    odd("/many-links", "a million links in 14 MB"),
    odd("/calendar?month=1", "links to the next month, for ever"),
    odd("/repeat/", "links to itself one path segment deeper, for ever"),
    odd("/unique/0", "links to ten pages that link to ten pages each, for ever"),
    odd("/many-attributes", "6,835 attributes of one tag, in 108 bytes of gzip"),
    odd("/numbers.jsonld", "15 million numbers as JSON-LD, in 29 KB of gzip"),
    odd("/contexts.jsonld", "a context of 50,000 contexts"),
    odd("/blanks.ttl", "700,000 blank nodes in 2 KB of gzip"),
    odd("/alike.ttl", "a graph whose blank nodes are all alike"),
    odd("/rows.csv", "a million rows in 4 KB of gzip, all others at every visit"),
    odd("/deep.json", "four million nested arrays"),
    odd("/deep.xml", "four million nested elements"),
    odd("/laughs.xml", "an entity of 10³⁰ laughs"),
    odd("/entries.atom", "a feed of 200,000 entries"),
];

const DECLARED_HUGE: u64 = 10_000_000_000;
const MILLION: usize = 1_000_000;

/// Answers a request for a path. An error means that the client went away, which is the hoped-for end of many traps.
pub(super) async fn spring(path: &str, stream: &mut TcpStream) -> io::Result<()> {
    match path {
        "/" => html(stream, index().as_bytes()).await,
        "/huge" => endless(stream, &format!("content-length: {DECLARED_HUGE}\r\n"), &[b'x'; 65_536]).await,
        "/endless-body" => endless(stream, "transfer-encoding: chunked\r\n", b"10\r\n<p>for ever</p>\n\r\n").await,
        "/endless-headers" => endless_headers(stream).await,
        "/gzip-bomb" => gzip_bomb(stream).await,
        "/zstd-bomb" => zstd_bomb(stream).await,
        "/nested" => nested(stream).await,
        "/lying-charset" => {
            answer(
                stream,
                "content-type: text/html; charset=utf-16\r\n",
                b"<title>\xE9t\xE9</title><p>caf\xE9 au lait</p>",
            )
            .await
        }
        "/lying-type" => {
            answer(
                stream,
                "content-type: text/html\r\n",
                b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0<a href=/from-image>\xff\xfe",
            )
            .await
        }
        "/loop" => redirect(stream, "/loop").await,
        "/to-file" => redirect(stream, "file:///etc/passwd").await,
        "/to-metadata" => redirect(stream, "http://169.254.169.254/").await,
        "/stall-before-headers" => hold(stream).await,
        "/stall-in-body" => {
            partial(stream).await?;
            hold(stream).await
        }
        "/drip" => drip(stream).await,
        "/reset" => {
            partial(stream).await?;
            stream.set_zero_linger()
        }
        "/garbage" => garbage(stream).await,
        "/short" => partial(stream).await,
        "/smuggled" => smuggled(stream).await,
        "/injection" => injection(stream).await,
        "/many-links" => many_links(stream).await,
        _ => match small_traps::document(path) {
            Some(small) => compressed(stream, small).await,
            None => without_end(path, stream).await,
        },
    }
}

async fn compressed(stream: &mut TcpStream, small: &Small) -> io::Result<()> {
    let headers = format!("content-type: {}\r\ncontent-encoding: gzip\r\n", small.media_type);
    answer(stream, &headers, &small.gzip).await
}

/// The traps that are families of pages, each of which leads to the next.
async fn without_end(path: &str, stream: &mut TcpStream) -> io::Result<()> {
    let number = |prefix: &str| path.strip_prefix(prefix).map(|number| number.parse::<u64>().unwrap_or(0));
    if let Some(step) = number("/onward/") {
        redirect(stream, &format!("/onward/{}", step.saturating_add(1))).await
    } else if let Some(month) = number("/calendar?month=") {
        let (last, next) = (month.saturating_sub(1), month.saturating_add(1));
        let page =
            format!("<h1>Month {month}</h1><a href=\"?month={last}\">before</a> <a href=\"?month={next}\">after</a>");
        html(stream, page.as_bytes()).await
    } else if path.starts_with("/repeat/") {
        html(stream, b"<h1>Deeper</h1><a href=\"again/\">again</a>").await
    } else if let Some(page) = number("/unique/") {
        let mut random = Random::new(page, "unique", 0);
        let links: String = (0..10).map(|_| format!("<a href=\"/unique/{}\">more</a>\n", random.draw())).collect();
        html(stream, format!("<h1>{page}</h1>{links}").as_bytes()).await
    } else {
        stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await
    }
}

fn index() -> String {
    let item = |trap: &Trap| format!("<li><a href=\"{}\">{}</a></li>\n", trap.path, trap.what);
    let items: String = TRAPS.iter().map(item).collect();
    format!("<!DOCTYPE html><title>Traps</title><h1>Traps</h1><ul>\n{items}</ul>")
}

async fn head(stream: &mut TcpStream, headers: &str) -> io::Result<()> {
    stream.write_all(format!("HTTP/1.1 200 OK\r\nconnection: close\r\n{headers}\r\n").as_bytes()).await
}

async fn answer(stream: &mut TcpStream, headers: &str, body: &[u8]) -> io::Result<()> {
    head(stream, &format!("{headers}content-length: {}\r\n", body.len())).await?;
    stream.write_all(body).await
}

async fn html(stream: &mut TcpStream, body: &[u8]) -> io::Result<()> {
    answer(stream, "content-type: text/html; charset=utf-8\r\n", body).await
}

async fn redirect(stream: &mut TcpStream, to: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await
}

/// Keeps the connection open until the client closes it.
async fn hold(stream: &mut TcpStream) -> io::Result<()> {
    let mut ignored = [0; 512];
    while stream.read(&mut ignored).await? > 0 {}
    Ok(())
}

/// A tenth of the declared body.
async fn partial(stream: &mut TcpStream) -> io::Result<()> {
    head(stream, "content-type: text/html\r\ncontent-length: 1000\r\n").await?;
    stream.write_all(&[b'x'; 100]).await
}

async fn endless(stream: &mut TcpStream, headers: &str, piece: &[u8]) -> io::Result<()> {
    head(stream, &format!("content-type: text/html\r\n{headers}")).await?;
    loop {
        stream.write_all(piece).await?;
    }
}

async fn endless_headers(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\n").await?;
    loop {
        stream.write_all(b"x-more: and more and more and more\r\n").await?;
    }
}

async fn drip(stream: &mut TcpStream) -> io::Result<()> {
    head(stream, &format!("content-type: text/html\r\ncontent-length: {DECLARED_HUGE}\r\n")).await?;
    loop {
        stream.write_all(b"x").await?;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn garbage(stream: &mut TcpStream) -> io::Result<()> {
    let mut random = Random::new(0, "garbage", 0);
    let bytes: Vec<u8> = (0..512).flat_map(|_| random.draw().to_le_bytes()).collect();
    stream.write_all(&bytes).await
}

/// Zeroes in one gzip member. After a full flush the compressor forgets everything, so the same piece can follow
/// itself.
async fn gzip_bomb(stream: &mut TcpStream) -> io::Result<()> {
    let zeroes = vec![0; 1 << 20];
    let mut piece = Vec::with_capacity(8_192);
    Compress::new(Compression::best(), false)
        .compress_vec(&zeroes, &mut piece, FlushCompress::Full)
        .map_err(io::Error::other)?;
    let head_and_tail = (b"\x1f\x8b\x08\0\0\0\0\0\0\xff", [3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let length = head_and_tail.0.len() + head_and_tail.1.len() + piece.len() * 4_096;
    head(stream, &format!("content-type: text/html\r\ncontent-encoding: gzip\r\ncontent-length: {length}\r\n")).await?;
    stream.write_all(head_and_tail.0).await?;
    for _ in 0..4_096 {
        stream.write_all(&piece).await?;
    }
    stream.write_all(&head_and_tail.1).await
}

/// A frame of blocks that each say "128 KB of this byte" (RFC 8878, 3.1.1.2) in four bytes.
async fn zstd_bomb(stream: &mut TcpStream) -> io::Result<()> {
    const FRAME: [u8; 6] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x50];
    let block = |last: u32| {
        let [low, middle, high, _] = (last | 1 << 1 | (128 << 10) << 3).to_le_bytes();
        [low, middle, high, b'x']
    };
    let mut body = FRAME.to_vec();
    (1..32_768).for_each(|_| body.extend(block(0)));
    body.extend(block(1));
    answer(stream, "content-type: text/html\r\ncontent-encoding: zstd\r\n", &body).await
}

async fn nested(stream: &mut TcpStream) -> io::Result<()> {
    let page = ["<b>".repeat(MILLION).as_str(), "the bottom", &"</b>".repeat(MILLION)].concat();
    html(stream, page.as_bytes()).await
}

async fn many_links(stream: &mut TcpStream) -> io::Result<()> {
    let links: String = (0..MILLION).map(|number| format!("<a href={number:x}>")).collect();
    html(stream, links.as_bytes()).await
}

async fn smuggled(stream: &mut TcpStream) -> io::Result<()> {
    let forged = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\nforged";
    stream
        .write_all(
            format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\ntrue{forged}").as_bytes(),
        )
        .await
}

/// Bare line feeds, tabs and bytes above ASCII in values that a crawler keeps, and a body that begins like a WARC
/// record.
async fn injection(stream: &mut TcpStream) -> io::Result<()> {
    let record = "\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    let headers = "content-type: text/html;\tcharset=\"utf-8\nx-injected: yes\r\n\
        etag: \"a\u{e9}\tWARC/1.1\"\r\n\
        last-modified: '); DROP TABLE pages; --\r\n";
    answer(stream, headers, format!("{record}<p>kept</p>").as_bytes()).await
}
