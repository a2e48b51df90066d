//! A server of pages so large that a few of them fill a small disk.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

/// Bytes of a page, about. They do not compress.
pub(crate) const PAGE_BYTES: usize = 1 << 20;

/// Serves a front page that links to `pages` large ones on loopback, for as long as the test runs.
pub(crate) fn serve_large_pages(pages: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            // A client that breaks off is no concern of the server.
            thread::spawn(move || _ = answer_all(stream, pages));
        }
    });
    address
}

fn answer_all(stream: TcpStream, pages: usize) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    loop {
        let mut lines = reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty());
        let Some(request) = lines.next() else { return Ok(()) };
        lines.for_each(drop);
        let path = request.split(' ').nth(1).unwrap_or_default();
        let (status, body) = match path.strip_prefix("/").map(str::parse::<usize>) {
            _ if path == "/" => {
                ("200 OK", (1..=pages).map(|page| format!("<a href=\"/{page}\">{page}</a>\n")).collect())
            }
            Some(Ok(page)) => ("200 OK", noise(page)),
            _ => ("404 Not Found", String::new()),
        };
        let length = body.len();
        write!(stream, "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}")?;
    }
}

/// Text without a pattern, the same for the same page.
fn noise(page: usize) -> String {
    let mut digest = blake3::Hasher::new().update(&page.to_le_bytes()).finalize_xof();
    let mut bytes = vec![0; PAGE_BYTES * 3 / 4];
    digest.fill(&mut bytes);
    data_encoding::BASE64.encode(&bytes)
}
