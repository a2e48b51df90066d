//! A server apart from the living web that tries to break whoever comes: one trap a path, an index of them at "/".
//!
//! It speaks raw TCP, because a proper HTTP library would refuse to send most of this.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use super::listener::Listener;
pub use super::traps::Trap;
use super::traps::{TRAPS, spring};

/// The name under which the hostile server is to be visited.
const HOST: &str = "hostile.living.test";
/// A request head longer than this is cut off.
const MOST_HEAD: usize = 16 << 10;
/// The log keeps this many paths, the first ones.
const MOST_PATHS: usize = 1_000_000;

/// A running hostile server. It stops when dropped.
pub struct Hostile {
    listener: Listener,
    log: Arc<Mutex<Vec<String>>>,
}

impl Hostile {
    /// Listens on a port of loopback that the system chooses, within the current tokio runtime.
    pub async fn start() -> io::Result<Hostile> {
        let log = Arc::<Mutex<Vec<String>>>::default();
        let kept = Arc::clone(&log);
        let listener = Listener::start(move |stream| meet(stream, Arc::clone(&kept))).await?;
        Ok(Hostile { listener, log })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address
    }

    /// The host name that must lead to [`Hostile::address`].
    pub fn host(&self) -> &'static str {
        HOST
    }

    /// Every trap. The page at "/" links to all of them.
    pub fn traps(&self) -> &'static [Trap] {
        TRAPS
    }

    /// The paths asked for so far, with their queries.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops listening and closes every connection.
    pub async fn stop(self) {
        self.listener.stop().await;
    }
}

/// Answers one request; only the smuggled response pretends that the connection goes on.
async fn meet(mut stream: TcpStream, log: Arc<Mutex<Vec<String>>>) {
    let Some(path) = asked(&mut stream).await else { return };
    {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        if log.len() < MOST_PATHS {
            log.push(path.clone());
        }
    }
    // A client that breaks off has escaped: the hoped-for end of many traps.
    let _ = spring(&path, &mut stream).await;
}

/// The path of the request, once its head is complete.
async fn asked(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::with_capacity(1_024);
    while !head.windows(4).rev().take(1_024).any(|end| end == b"\r\n\r\n") {
        if head.len() > MOST_HEAD || stream.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let line = std::str::from_utf8(head.split(|byte| *byte == b'\r').next()?).ok()?;
    line.split(' ').nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use http_body_util::{BodyExt, Empty};
    use hyper_util::rt::TokioIo;
    use std::io::Read;
    use std::time::Duration;
    use tokio::io::AsyncWriteExt;

    async fn ask(server: &Hostile, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: {HOST}\r\n\r\n").as_bytes()).await.unwrap();
        stream
    }

    /// What comes, up to a limit or the end of the connection.
    async fn received(server: &Hostile, path: &str, limit: usize) -> (Vec<u8>, io::Result<()>) {
        let mut stream = ask(server, path).await;
        let mut bytes = Vec::new();
        while bytes.len() < limit {
            match stream.read_buf(&mut bytes).await {
                Ok(0) => return (bytes, Ok(())),
                Ok(_) => {}
                Err(error) => return (bytes, Err(error)),
            }
        }
        (bytes, Ok(()))
    }

    async fn text(server: &Hostile, path: &str) -> String {
        String::from_utf8_lossy(&received(server, path, 1 << 16).await.0).into_owned()
    }

    fn body(bytes: &[u8]) -> &[u8] {
        let cut = bytes.windows(4).position(|end| end == b"\r\n\r\n").unwrap();
        &bytes[cut + 4..]
    }

    #[tokio::test]
    async fn the_front_page_links_to_every_trap() {
        let server = Hostile::start().await.unwrap();
        let page = text(&server, "/").await;
        assert!(server.traps().iter().all(|trap| page.contains(&format!("href=\"{}\"", trap.path))));
        assert_eq!(server.log(), ["/"]);
    }

    #[tokio::test]
    async fn every_trap_is_set() {
        let server = Hostile::start().await.unwrap();
        let silent = ["/stall-before-headers", "/garbage"];
        for trap in server.traps().iter().filter(|trap| !silent.contains(&trap.path)) {
            let start = received(&server, trap.path, 12).await.0;
            assert!(start.starts_with(b"HTTP/1.1 200") || start.starts_with(b"HTTP/1.1 302"), "{trap:?}");
        }
        assert!(text(&server, "/nowhere").await.starts_with("HTTP/1.1 404"));
        server.stop().await;
    }

    #[tokio::test]
    async fn what_is_merely_odd_is_still_http() {
        let server = Hostile::start().await.unwrap();
        for trap in server.traps().iter().filter(|trap| !trap.fails) {
            let stream = TcpStream::connect(server.address()).await.unwrap();
            let (mut client, driver) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
            tokio::spawn(driver);
            let request = http::Request::get(trap.path).header("host", HOST).body(Empty::<Bytes>::new()).unwrap();
            let response = client.send_request(request).await.unwrap();
            assert_eq!(response.status(), 200, "{trap:?}");
            assert!(!response.collect().await.unwrap().to_bytes().is_empty(), "{trap:?}");
        }
    }

    #[tokio::test]
    async fn what_is_endless_goes_on() {
        let server = Hostile::start().await.unwrap();
        for path in ["/huge", "/endless-body", "/endless-headers"] {
            assert!(received(&server, path, 3 << 20).await.0.len() >= 3 << 20, "{path}");
        }
    }

    #[tokio::test]
    async fn stalls_leave_the_connection_open() {
        let server = Hostile::start().await.unwrap();
        for path in ["/stall-before-headers", "/stall-in-body"] {
            let wait = tokio::time::timeout(Duration::from_millis(100), received(&server, path, usize::MAX)).await;
            assert!(wait.is_err(), "{path} ended");
        }
    }

    #[tokio::test]
    async fn a_reset_is_an_error_and_a_short_body_is_an_end() {
        let server = Hostile::start().await.unwrap();
        assert!(received(&server, "/reset", usize::MAX).await.1.is_err());
        let (bytes, end) = received(&server, "/short", usize::MAX).await;
        assert!(end.is_ok());
        assert_eq!(body(&bytes).len(), 100);
    }

    #[tokio::test]
    async fn bombs_explode() {
        let server = Hostile::start().await.unwrap();
        let limit = 64 << 20;
        let (gzip, _) = received(&server, "/gzip-bomb", usize::MAX).await;
        assert!(gzip.len() < 6 << 20, "{} bytes of gzip", gzip.len());
        let unpacked = io::copy(&mut flate2::read::GzDecoder::new(body(&gzip)).take(limit), &mut io::sink()).unwrap();
        assert_eq!(unpacked, limit);
        let (zstd, _) = received(&server, "/zstd-bomb", usize::MAX).await;
        assert!(zstd.len() < 140 << 10, "{} bytes of zstd", zstd.len());
        let decoder = zstd::stream::read::Decoder::new(body(&zstd)).unwrap();
        assert_eq!(io::copy(&mut decoder.take(limit), &mut io::sink()).unwrap(), limit);
    }

    #[tokio::test]
    async fn big_pages_are_as_big_as_promised() {
        let server = Hostile::start().await.unwrap();
        for (path, opening) in [("/nested", "<b>"), ("/many-links", "<a href=")] {
            let (bytes, _) = received(&server, path, usize::MAX).await;
            let page = std::str::from_utf8(body(&bytes)).unwrap();
            assert_eq!(page.matches(opening).count(), 1_000_000, "{path}");
        }
    }

    #[tokio::test]
    async fn families_of_pages_have_no_end() {
        let server = Hostile::start().await.unwrap();
        assert!(text(&server, "/calendar?month=41").await.contains("?month=42"));
        assert!(text(&server, "/onward/7").await.contains("location: /onward/8\r\n"));
        assert!(text(&server, "/repeat/again/again/").await.contains("href=\"again/\""));
        assert_ne!(text(&server, "/unique/1").await, text(&server, "/unique/2").await);
    }
}
