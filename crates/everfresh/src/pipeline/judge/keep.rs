//! How the archive keeps the exchanges of a visit: each as a capture of its own, one behind the other.

use super::{Case, Verdict, media_type};
use crate::archive::{Capture, CaptureKind, Digest, Encoded, Original};
use crate::fetch::Exchange;
use crate::pipeline::meter::Room;
use crate::pipeline::visit::Assignment;
use crate::store::{CaptureRow, PartRow};

/// How the archive keeps an exchange.
#[derive(Clone, Copy)]
pub(super) enum Kept {
    Not,
    Whole,
    /// The server says that it is the version held.
    NotModified,
    /// It has the bytes of the version held.
    Identical,
    /// It has the bytes of the last answer archived that was no version.
    Again,
}

/// The digests of the bodies of a visit.
pub(super) struct Payloads {
    each: Vec<Digest>,
    /// Of all of them: that of the body if there is one, that of the digests if there are several.
    pub(super) all: Digest,
}

impl Payloads {
    pub(super) fn of(exchanges: &[Exchange]) -> Payloads {
        let each: Vec<Digest> = exchanges.iter().map(|exchange| Digest::of(&exchange.body)).collect();
        let all = match each[..] {
            [only] => only,
            _ => Digest::of(&each.iter().flat_map(|digest| digest.0).collect::<Vec<u8>>()),
        };
        Payloads { each, all }
    }
}

/// The records of all exchanges, and where among them each capture lies.
pub(super) fn encode(case: &Case<'_>, verdict: &Verdict) -> (Vec<u8>, Option<CaptureRow>, Vec<PartRow>) {
    if matches!(verdict.kept, Kept::Not) {
        return (Vec::new(), None, Vec::new());
    }
    let (mut records, first) = encode_one(case, case.exchange(), case.payloads.each[0], verdict);
    let mut parts = Vec::new();
    for (exchange, payload) in case.exchanges.iter().zip(&case.payloads.each).skip(1) {
        let (bytes, capture) = encode_one(case, exchange, *payload, verdict);
        let capture = CaptureRow { position: records.len() as u64, ..capture };
        parts.push(PartRow {
            url: exchange.url.to_string(),
            status: exchange.status,
            mime: media_type(exchange),
            capture,
        });
        records.extend_from_slice(&bytes);
    }
    (records, Some(first), parts)
}

/// How an exchange is kept, and the digest of the body that this stands for.
fn kind<'a>(page: &Assignment, url: &'a str, payload: Digest, kept: Kept) -> (CaptureKind<'a>, Digest) {
    let original = |at, payload| Original { url, at, payload };
    match (kept, &page.copy, &page.aside) {
        // The server names no body, so it is that of the version held.
        (Kept::NotModified, Some(copy), _) => {
            let held = Digest(copy.payload);
            (CaptureKind::NotModified(original(copy.since, held)), held)
        }
        (Kept::Identical, Some(copy), _) => (CaptureKind::Identical(original(copy.since, payload)), payload),
        (Kept::Again, _, Some(aside)) => (CaptureKind::Identical(original(aside.since, payload)), payload),
        _ => (CaptureKind::Response, payload),
    }
}

fn encode_one(case: &Case<'_>, exchange: &Exchange, payload: Digest, verdict: &Verdict) -> (Vec<u8>, CaptureRow) {
    let Case { context, page, at, .. } = *case;
    let url = exchange.url.as_str();
    let (kind, payload) = kind(page, url, payload, verdict.kept);
    let revisit = !matches!(kind, CaptureKind::Response);
    let (depth, millis) = (page.depth.to_string(), exchange.elapsed.as_millis().to_string());
    let notes = [
        ("fetchTimeMs", millis.as_str()),
        ("hopsFromSeed", depth.as_str()),
        ("outcome", verdict.outcome.name()),
        ("rule", verdict.rule.name()),
    ];
    let capture = Capture {
        url,
        at,
        address: Some(exchange.address.ip()),
        request_head: &exchange.request_head,
        request_body: &exchange.request_body,
        response_head: &exchange.response_head,
        body: if revisit { &[] } else { &exchange.body },
        status: exchange.status,
        payload,
        kind,
        notes: if revisit { &[] } else { &notes },
    };
    let encoded = context.meter.measure(Room::Compress, || context.encoders.with(|encoder| encoder.encode(&capture)));
    let Encoded { bytes, main_length } = encoded;
    (bytes, CaptureRow { payload: payload.0, revisit, file: 0, position: 0, length: main_length })
}
