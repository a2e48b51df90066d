//! What two processes tell each other: a head in JSON, then pieces of raw bytes, each behind its length.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use revisit::Time;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::fetch::Exchange;
use crate::pipeline::reading;
use crate::pipeline::visit::{FetchedRobots, Finished};

/// The largest piece: more than any limit of size that makes sense.
const MAX_PIECE_BYTES: u64 = 4 << 30;
/// The pieces of an exchange: both heads and both bodies.
const PIECES: usize = 4;

/// What a process is to do, and all it needs to know for it. The one who asks borrows what the other one owns.
#[derive(Serialize, Deserialize)]
pub(super) struct Task<Config, Work> {
    /// The process that asks.
    pub(super) parent: u32,
    /// The collection's folder.
    pub(super) folder: PathBuf,
    /// The collection's number, which ids of records follow from.
    pub(super) collection: u64,
    pub(super) config: Config,
    /// The time of the visit.
    pub(super) at: Time,
    pub(super) work: Work,
}

/// The work itself.
#[derive(Serialize, Deserialize)]
pub(super) enum Work<Page> {
    /// To judge the exchanges of a visit, whose bytes follow.
    Judge { page: Page, exchanges: Vec<Sent>, how: How },
    /// To say what a source is to be asked next, after these exchanges, whose bytes follow.
    Next { page: Page, exchanges: Vec<Sent> },
    /// To visit a page, all of it.
    Visit(Page),
    /// To fetch a robots.txt and read it.
    Robots(Url),
}

/// How far a visit is judged.
#[derive(Serialize, Deserialize)]
pub(super) enum How {
    /// As far as it goes: of data that changed, by how much it did.
    Compared,
    /// Without the version before.
    Alone,
    /// By its decoded bytes, since it cannot be read for this reason.
    ByBytes(String),
}

/// What came of it.
#[derive(Serialize, Deserialize)]
pub(super) enum Reply {
    /// A visit, whose records follow.
    Visit(Box<Finished>),
    /// What was read of a source.
    Next(reading::Read),
    /// A robots.txt.
    Robots(FetchedRobots),
}

/// An exchange but for its bytes.
#[derive(Serialize, Deserialize)]
pub(super) struct Sent {
    url: Url,
    address: std::net::SocketAddr,
    status: u16,
    fields: Vec<(String, Vec<u8>)>,
    elapsed: Duration,
}

impl Sent {
    pub(super) fn of(exchange: &Exchange) -> Sent {
        let fields = exchange.headers.iter();
        Sent {
            url: exchange.url.clone(),
            address: exchange.address,
            status: exchange.status,
            fields: fields.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect(),
            elapsed: exchange.elapsed,
        }
    }

    /// The bytes of an exchange; the bodies, which may be large, are shared.
    pub(super) fn pieces(exchange: &Exchange) -> [Bytes; PIECES] {
        let [request_head, response_head] =
            [&exchange.request_head, &exchange.response_head].map(|head| Bytes::copy_from_slice(head));
        [request_head, exchange.request_body.clone(), response_head, exchange.body.clone()]
    }

    fn with([request_head, request_body, response_head, body]: [Bytes; PIECES], sent: Sent) -> Exchange {
        let fields = sent.fields.into_iter().filter_map(|(name, value)| {
            Some((HeaderName::try_from(name).ok()?, HeaderValue::from_bytes(&value).ok()?))
        });
        Exchange {
            url: sent.url,
            address: sent.address,
            request_head: request_head.to_vec(),
            request_body,
            status: sent.status,
            response_head: response_head.to_vec(),
            headers: fields.collect(),
            body,
            elapsed: sent.elapsed,
        }
    }
}

/// Exchanges as they were before they were sent.
pub(super) fn exchanges(sent: Vec<Sent>, pieces: Vec<Bytes>) -> Vec<Exchange> {
    let (pieces, _) = pieces.as_chunks::<PIECES>();
    pieces.iter().cloned().zip(sent).map(|(pieces, sent)| Sent::with(pieces, sent)).collect()
}

/// Writes a message; the head is in JSON already.
pub(super) fn write(mut out: impl Write, head: &[u8], pieces: &[Bytes]) -> io::Result<()> {
    out.write_all(&(pieces.len() as u64).to_le_bytes())?;
    for piece in std::iter::once(head).chain(pieces.iter().map(|piece| &piece[..])) {
        out.write_all(&(piece.len() as u64).to_le_bytes())?;
        out.write_all(piece)?;
    }
    out.flush()
}

/// Reads a message.
pub(super) fn read<Head: DeserializeOwned>(mut input: impl Read) -> io::Result<(Head, Vec<Bytes>)> {
    let count = number(&mut input)?;
    let head = serde_json::from_slice(&piece(&mut input)?)?;
    let pieces = (0..count).map(|_| piece(&mut input).map(Bytes::from));
    Ok((head, pieces.collect::<io::Result<_>>()?))
}

fn number(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn piece(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let length = number(input)?;
    if length > MAX_PIECE_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a piece is longer than any can be"));
    }
    let mut piece = vec![0; length as usize];
    input.read_exact(&mut piece)?;
    Ok(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut message = Vec::new();
        write(&mut message, b"[\"head\", 7]", &["one", "", "three"].map(Bytes::from)).unwrap();
        let (head, pieces): ((String, u32), Vec<Bytes>) = read(&message[..]).unwrap();
        assert_eq!((head, pieces), (("head".into(), 7), vec!["one".into(), "".into(), "three".into()]));
        for end in 0..message.len() {
            assert!(read::<(String, u32)>(&message[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn an_exchange_is_the_same_elsewhere() {
        let headers = [("content-type", &b"text/csv"[..]), ("x", b"1"), ("x", b"\xff")];
        let fields = headers.map(|(name, value)| (name.to_owned(), value.to_vec())).to_vec();
        let url = Url::parse("http://a.test/b?c#d").unwrap();
        let sent =
            Sent { url, address: ([127, 0, 0, 1], 80).into(), status: 206, fields, elapsed: Duration::from_millis(5) };
        let there = Sent::with(["a", "b", "c", "d"].map(Bytes::from), sent);
        let mut message = Vec::new();
        write(&mut message, &serde_json::to_vec(&[Sent::of(&there)]).unwrap(), &Sent::pieces(&there)).unwrap();
        let (sent, pieces) = read(&message[..]).unwrap();
        let here = exchanges(sent, pieces).remove(0);
        assert_eq!(format!("{here:?}"), format!("{there:?}"));
    }
}
