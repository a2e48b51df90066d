//! Keeps the bytes of a response head as the server sent them.
//!
//! An archive should hold the head byte for byte, in its order and its letter case. The protocol layer only hands out
//! parsed fields, so the stream underneath it remembers what it read, up to the end of the head.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The head of the response that is under way on one HTTP/1 connection, shared between its stream and its user.
#[derive(Clone, Default)]
pub(super) struct HeadRecord(Arc<Mutex<Head>>);

#[derive(Default)]
struct Head {
    bytes: Vec<u8>,
    is_complete: bool,
    /// Bytes of interim heads before it.
    interim: usize,
}

/// Interim heads before a response may have as many bytes together; honest servers send one.
const MAX_INTERIM_BYTES: usize = 64 << 10;

impl HeadRecord {
    /// Forgets the last response: what is read from now on belongs to the next one.
    pub(super) fn begin(&self) {
        let mut head = self.lock();
        *head = Head { bytes: std::mem::take(&mut head.bytes), ..Head::default() };
        head.bytes.clear();
    }

    /// Whether no byte of the response has come yet.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().bytes.is_empty()
    }

    /// The head with its final blank line, once all of it was read. The buffer stays with the connection.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        let head = self.lock();
        head.is_complete.then(|| head.bytes.clone())
    }

    // The lock is held for a copy of some hundred bytes and never across an await; a panic cannot leave it half-done.
    fn lock(&self) -> MutexGuard<'_, Head> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Head {
    /// Takes in what was just read; fails if interim heads do not end. The size is bounded by the protocol layer, which stops
    /// reading a head too large.
    fn observe(&mut self, read: &[u8]) -> io::Result<()> {
        if self.is_complete {
            return Ok(());
        }
        let mut searched = self.bytes.len().saturating_sub(2);
        self.bytes.extend_from_slice(read);
        // Where the head begins that is looked at: what lies before is cut off once and not head by head.
        let mut begin = self.blank_lines();
        while let Some(end) = head_end(&self.bytes, searched.max(begin)) {
            if !is_interim(&self.bytes[begin..]) {
                self.bytes.truncate(end);
                self.is_complete = true;
                break;
            }
            self.interim += end - begin;
            (begin, searched) = (end, end);
        }
        self.bytes.drain(..begin);
        let is_endless = self.interim > MAX_INTERIM_BYTES;
        if is_endless { Err(io::Error::new(io::ErrorKind::InvalidData, "interim answers without end")) } else { Ok(()) }
    }

    /// Where the first line begins: servers may send blank ones before it.
    fn blank_lines(&self) -> usize {
        self.bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(self.bytes.len())
    }
}

/// Where the head ends, its blank line included; nothing before `from` needs to be looked at again.
fn head_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(newline) = bytes[at..].iter().position(|&byte| byte == b'\n') {
        at += newline + 1;
        match bytes[at..] {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
    None
}

/// A 1xx head (100 Continue, 103 Early Hints) comes before the real one and is not kept.
fn is_interim(head: &[u8]) -> bool {
    head.starts_with(b"HTTP/1.") && head.get(8..10) == Some(b" 1".as_slice())
}

/// A stream that lets a [`HeadRecord`] see what is read from it.
pub(super) struct Recorded<S> {
    stream: S,
    record: HeadRecord,
}

impl<S> Recorded<S> {
    /// Wraps `stream`; what is read goes to the returned record as well.
    pub(super) fn new(stream: S) -> (Recorded<S>, HeadRecord) {
        let record = HeadRecord::default();
        (Recorded { stream, record: record.clone() }, record)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Recorded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if let Poll::Ready(Ok(())) = polled {
            return Poll::Ready(self.record.lock().observe(&buffer.filled()[before..]));
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Recorded<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn observed(pieces: &[&[u8]]) -> Option<Vec<u8>> {
        let record = HeadRecord::default();
        pieces.iter().for_each(|piece| record.lock().observe(piece).unwrap());
        record.bytes()
    }

    #[test]
    fn keeps_the_head_and_not_the_body() {
        let head = observed(&[b"HTTP/1.1 200 OK\r\neTAG: x\r\n\r\nbody\r\n\r\n", b"more"]);
        assert_eq!(head.unwrap(), b"HTTP/1.1 200 OK\r\neTAG: x\r\n\r\n");
    }

    #[test]
    fn skips_interim_heads() {
        let head = observed(&[b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 2", b"04 No\n\nx"]);
        assert_eq!(head.unwrap(), b"HTTP/1.1 204 No\n\n");
    }

    #[test]
    fn interim_heads_without_end_are_refused() {
        let record = HeadRecord::default();
        let interim = b"HTTP/1.1 100 \r\n\r\n".repeat(1000);
        let refused = (0..10).find(|_| record.lock().observe(&interim).is_err());
        assert_eq!(refused, Some(MAX_INTERIM_BYTES / interim.len()));
    }

    #[test]
    fn blank_lines_before_a_head_are_no_head() {
        let head = observed(&[b"\r\n", b"\r\n\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nx"]);
        assert_eq!(head.unwrap(), b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
    }

    #[test]
    fn an_unfinished_head_is_no_head() {
        assert_eq!(observed(&[b"HTTP/1.1 200 OK\r\n", b"etag: x\r\n"]), None);
    }

    proptest! {
        #[test]
        fn finds_the_same_head_however_it_is_cut(cuts in prop::collection::vec(0usize..60, 0..6)) {
            let all = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nbody";
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(all.len())).collect();
            cuts.extend([0, all.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &all[pair[0]..pair[1]]).collect();
            prop_assert_eq!(observed(&pieces).unwrap(), b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
        }
    }
}
