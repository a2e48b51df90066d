//! A server of all documents at once, in the version of the turn, which remembers who was shown what.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::document::Document;

const NOT_FOUND: &[u8] = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

pub(crate) struct Server {
    documents: BTreeMap<String, Document>,
    turn: AtomicUsize,
    /// Versions shown, by path.
    shown: Mutex<HashMap<String, Vec<usize>>>,
}

impl Server {
    pub(crate) async fn start(documents: Vec<Document>) -> (Arc<Server>, SocketAddr) {
        let documents = documents.into_iter().map(|document| (document.path.clone(), document)).collect();
        let server = Arc::new(Server { documents, turn: AtomicUsize::new(0), shown: Mutex::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (serving, address) = (Arc::clone(&server), listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&serving).serve(stream));
            }
        });
        (server, address)
    }

    /// From now on documents are in this version.
    pub(crate) fn turn(&self, version: usize) {
        self.turn.store(version, Ordering::Relaxed);
    }

    pub(crate) fn documents(&self) -> impl Iterator<Item = &Document> {
        self.documents.values()
    }

    pub(crate) fn shown(&self, path: &str) -> Vec<usize> {
        self.shown.lock().unwrap().get(path).cloned().unwrap_or_default()
    }

    async fn serve(self: Arc<Server>, mut stream: TcpStream) {
        let mut received = Vec::new();
        while let Ok(1..) = stream.read_buf(&mut received).await {
            while let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") {
                let head: Vec<u8> = received.drain(..end + 4).collect();
                if stream.write_all(self.answer(&head)).await.is_err() {
                    return;
                }
            }
        }
    }

    fn answer(&self, head: &[u8]) -> &[u8] {
        let line = String::from_utf8_lossy(head);
        let path = line.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default();
        let Some(document) = self.documents.get(path) else { return NOT_FOUND };
        let turn = self.turn.load(Ordering::Relaxed);
        self.shown.lock().unwrap().entry(path.to_owned()).or_default().push(turn);
        &document.versions[turn].answer
    }
}
