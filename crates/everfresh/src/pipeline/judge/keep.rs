//! How the archive keeps the exchanges of a visit: each as a capture of its own, one behind the other.

use revisit::Time;

use super::{Verdict, media_type};
use crate::archive::{Capture, CaptureKind, Digest, Encoded, Original};
use crate::fetch::Exchange;
use crate::pipeline::context::Context;
use crate::pipeline::meter::Room;
use crate::pipeline::visit::Assignment;
use crate::store::{CaptureRow, CopyRow, PartRow};

/// How the archive keeps an exchange.
#[derive(Clone, Copy)]
pub(super) enum Kept {
    Not,
    Whole,
    NotModified,
    Identical,
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
pub(super) fn encode(
    context: &Context,
    page: &Assignment,
    exchanges: &[Exchange],
    at: Time,
    payloads: &Payloads,
    verdict: &Verdict,
) -> (Vec<u8>, Option<CaptureRow>, Vec<PartRow>) {
    if matches!(verdict.kept, Kept::Not) {
        return (Vec::new(), None, Vec::new());
    }
    let (mut records, first) = encode_one(context, page, &exchanges[0], at, payloads.each[0], verdict);
    let mut parts = Vec::new();
    for (exchange, payload) in exchanges.iter().zip(&payloads.each).skip(1) {
        let (bytes, capture) = encode_one(context, page, exchange, at, *payload, verdict);
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

fn encode_one(
    context: &Context,
    page: &Assignment,
    exchange: &Exchange,
    at: Time,
    payload: Digest,
    verdict: &Verdict,
) -> (Vec<u8>, CaptureRow) {
    let url = exchange.url.as_str();
    let held = page.copy.as_ref();
    let original = |copy: &CopyRow, payload| Original { url, at: copy.since, payload };
    let (kind, payload) = match (verdict.kept, held) {
        // The server names no body, so it is that of the version held.
        (Kept::NotModified, Some(copy)) => {
            (CaptureKind::NotModified(original(copy, Digest(copy.payload))), Digest(copy.payload))
        }
        (Kept::Identical, Some(copy)) => (CaptureKind::Identical(original(copy, payload)), payload),
        _ => (CaptureKind::Response, payload),
    };
    let revisit = !matches!(kind, CaptureKind::Response);
    let (depth, millis) = (page.depth.to_string(), exchange.elapsed.as_millis().to_string());
    let notes = [
        ("fetchTimeMs", millis.as_str()),
        ("hopsFromSeed", depth.as_str()),
        ("outcome", verdict.outcome.name()),
        ("rule", verdict.rule),
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
