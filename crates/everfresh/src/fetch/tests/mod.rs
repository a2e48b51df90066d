//! Whole exchanges over real sockets, with servers that do exactly what each test tells them.

mod http1;
mod http2;
mod limits;
mod refusals;
mod room;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use revisit::Time;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;
use url::Url;

use super::{Exchange, FetchError, FetchSettings, Fetcher, Question, Space, Validators};
use crate::clock::Clock;

fn fetcher(settings: FetchSettings) -> Fetcher {
    Fetcher::new(settings, Clock::wall()).unwrap()
}

/// A fetcher in stepped time, for tests that start with time paused.
fn stepped(settings: FetchSettings) -> Fetcher {
    Fetcher::new(settings, Clock::stepped(Time::from_secs(0))).unwrap()
}

/// A listening server that counts its connections.
struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Handles each connection with `handler`, which is told how many came before it.
    async fn start<F, Done>(handler: F) -> Server
    where
        F: Fn(TcpStream, usize) -> Done + Send + 'static,
        Done: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counter = connections.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(handler(stream, counter.fetch_add(1, Ordering::SeqCst)));
            }
        });
        Server { address, connections }
    }

    /// Answers the first request of each connection with `answer`, and closes it.
    async fn answering(answer: impl Into<Vec<u8>>) -> Server {
        let answer: Arc<[u8]> = answer.into().into();
        Server::start(move |mut stream, _| {
            let answer = answer.clone();
            async move {
                read_head(&mut stream).await;
                stream.write_all(&answer).await.ok();
                stream.shutdown().await.ok();
                // Closing with unread bytes would reset the connection under the answer.
                while stream.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {}
            }
        })
        .await
    }

    fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.address)).unwrap()
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    async fn get(&self, settings: FetchSettings) -> Result<Exchange, FetchError> {
        fetcher(settings).get(&self.url("/"), &Validators::default()).await
    }
}

/// The next request head, or nothing if the client went away.
async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8(head).unwrap())
}

/// Settings that allow loopback, with limits small enough to be met.
fn local() -> FetchSettings {
    FetchSettings { allow_private: true, ..FetchSettings::default() }
}

/// Never in a test that passes: long enough not to be met by a slow machine.
const LONG: Duration = Duration::from_secs(60);
/// A limit that is meant to be met.
const SHORT: Duration = Duration::from_millis(200);
