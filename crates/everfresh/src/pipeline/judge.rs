//! What the exchanges of a visit say of the page: its outcome, the rule that decided, and what is kept of it.

mod data;
mod features;
mod found;
mod keep;
mod reach;
mod unread;

use bytes::Bytes;
use http::StatusCode;
use revisit::{Outcome, Signal, Time, Visit};
use url::Url;

use super::context::Context;
use super::known::fingerprint;
use super::meter::Room;
use super::visit::{Assignment, Finished};
use crate::archive::Digest;
use crate::detect::{Judgement, Known, Rule, TextDigest};
use crate::fetch::{Exchange, FetchError, Redirect, Validators};
use crate::meaning::Format;
use crate::parse::{Kind, Parsed, is_packed_list, normalise, parse};
use crate::sources::{Held, Listed, Refusal};
use crate::store::{Answer, CopyRow, VisitRow};
use data::Data;
use keep::{Kept, Payloads};
use unread::Unread;

pub(super) use reach::{Reach, SMALL_BYTES, TooMuch};

/// What an exchange says of the page.
struct Verdict {
    outcome: Outcome,
    rule: &'static str,
    detail: Option<String>,
    /// The version held from now on, if it is another one.
    copy: Option<CopyRow>,
    parsed: Option<Parsed>,
    /// The format by which it was judged, if it is data.
    format: Option<Format>,
    /// The entries of a catalogue.
    listed: Vec<Listed>,
    moved_to: Option<Url>,
    kept: Kept,
}

/// Judges a visit by its exchanges, at least one; `held` is what those of a source hold, if the first was a success.
pub(super) fn judge(
    context: &Context,
    page: &Assignment,
    exchanges: &[Exchange],
    held: Option<Result<Held, Refusal>>,
    at: Time,
    reach: &Reach,
) -> Result<Finished, TooMuch> {
    let exchange = &exchanges[0];
    let payloads = context.meter.measure(Room::Detect, || Payloads::of(exchanges));
    let payload = payloads.all;
    let verdict = match StatusCode::from_u16(exchange.status) {
        _ if exchange.redirect().is_some() => redirected(context, page, exchange, at, payload),
        Ok(StatusCode::NOT_MODIFIED) => not_modified(page, exchange),
        Ok(StatusCode::NOT_FOUND | StatusCode::GONE) => Verdict::gone(format!("status {}", exchange.status)),
        Ok(status) if status.is_success() => content(context, page, exchanges, held, at, payload, reach)?,
        _ => Verdict::failed(
            "status",
            format!("the server answered with status {}{}", exchange.status, said(page, exchange)),
        ),
    };
    Ok(finish(context, page, exchanges, at, &payloads, verdict))
}

/// Says what can be said of a visit whose content no judge could read, for this reason.
pub(super) fn judge_by_bytes(
    context: &Context,
    page: &Assignment,
    exchanges: &[Exchange],
    at: Time,
    why: &str,
) -> Finished {
    let payloads = Payloads::of(exchanges);
    let copy = version_held(page);
    let verdict = same_bytes(copy, exchanges, payloads.all).unwrap_or_else(|| {
        let unread = Unread { content: None, format: None, why: why.to_owned() };
        settle(page, exchanges, at, payloads.all, None, unread.compared(context, page, payloads.all))
    });
    finish(context, page, exchanges, at, &payloads, verdict)
}

/// What a verdict leaves to be recorded.
fn finish(
    context: &Context,
    page: &Assignment,
    exchanges: &[Exchange],
    at: Time,
    payloads: &Payloads,
    mut verdict: Verdict,
) -> Finished {
    let exchange = &exchanges[0];
    let (records, capture, parts) = keep::encode(context, page, exchanges, at, payloads, &verdict);
    let first_content = page.copy.as_ref().is_none_or(|copy| copy.moved_to.is_some());
    let features = verdict.parsed.as_ref().filter(|_| first_content);
    let features = features.map(|parsed| features::features_row(page, parsed, verdict.format, exchange));
    let list = found::list_kind(&verdict);
    let read = verdict.parsed.is_some() || verdict.moved_to.is_some();
    let found = found::found(context, page, &mut verdict, exchange, at);
    Finished {
        host: page.host,
        records,
        features,
        found,
        list,
        read,
        signal: mood(exchange, at),
        address: None,
        large: None,
        copy: verdict.copy,
        visit: VisitRow {
            visit: Visit { page: page.page, at, outcome: verdict.outcome },
            rule: verdict.rule.into(),
            detail: verdict.detail,
            answer: Some(answer(exchange)),
            capture,
            parts,
            further: 0,
        },
    }
}

/// What the server of a source says to a refusal, as endpoints do of queries they do not understand.
fn said(page: &Assignment, exchange: &Exchange) -> String {
    let is_text = media_type(exchange).is_some_and(|media_type| !media_type.contains("html"));
    if page.source.is_none() || !is_text || exchange.body.is_empty() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&exchange.body[..exchange.body.len().min(1000)]).into_owned();
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
    format!(": {line}")
}

fn mood(exchange: &Exchange, at: Time) -> Signal {
    match exchange.status {
        429 | 503 => Signal::SlowDown(exchange.retry_after(at)),
        _ => Signal::Fine,
    }
}

/// The media type without parameters, if it is one worth keeping.
fn media_type(exchange: &Exchange) -> Option<String> {
    let mime = exchange.content_type().and_then(|value| value.split(';').next());
    mime.map(|mime| mime.trim().to_ascii_lowercase()).filter(|mime| mime.len() <= 100)
}

fn answer(exchange: &Exchange) -> Answer {
    Answer {
        status: exchange.status,
        mime: media_type(exchange),
        bytes: exchange.body.len() as u64,
        millis: exchange.elapsed.as_millis() as u64,
    }
}

impl Verdict {
    fn failed(rule: &'static str, detail: String) -> Verdict {
        Verdict { outcome: Outcome::Failed, detail: Some(detail), kept: Kept::Not, ..Verdict::of(rule) }
    }

    fn gone(detail: String) -> Verdict {
        Verdict { outcome: Outcome::Gone, detail: Some(detail), ..Verdict::of("gone") }
    }

    fn of(rule: &'static str) -> Verdict {
        Verdict {
            outcome: Outcome::Unchanged,
            rule,
            detail: None,
            copy: None,
            parsed: None,
            format: None,
            listed: Vec::new(),
            moved_to: None,
            kept: Kept::Whole,
        }
    }
}

/// 304: the server says that nothing changed; its validators may have.
fn not_modified(page: &Assignment, exchange: &Exchange) -> Verdict {
    let conditional = |copy: &&CopyRow| copy.etag.is_some() || copy.last_modified.is_some();
    let Some(copy) = page.copy.as_ref().filter(conditional) else {
        return Verdict::failed("status", "the server answered 304 to a request without conditions".into());
    };
    let copy = refreshed(copy, exchange);
    Verdict { copy, kept: Kept::NotModified, ..Verdict::of(Rule::NotModified.name()) }
}

/// The copy with the validators of an exchange that showed the same bytes; `None` if they are the same too.
fn refreshed(copy: &CopyRow, exchange: &Exchange) -> Option<CopyRow> {
    let Validators { etag, last_modified } = exchange.validators();
    // A 304 need not repeat the validators.
    let (etag, last_modified) = (etag.or(copy.etag.clone()), last_modified.or(copy.last_modified.clone()));
    let same = etag == copy.etag && last_modified == copy.last_modified;
    (!same).then(|| CopyRow { etag, last_modified, ..copy.clone() })
}

/// A redirect is a page whose content is where it leads. One that holds for good means that the page itself is gone.
fn redirected(context: &Context, page: &Assignment, exchange: &Exchange, at: Time, payload: Digest) -> Verdict {
    let Some(Redirect { target, permanent }) = exchange.redirect() else {
        return Verdict::failed("bad-redirect", "a redirect without a target".into());
    };
    let target = match target.map(normalise::normalise) {
        Ok(Ok(target)) => target,
        Ok(Err(unfit)) => return Verdict::failed("bad-redirect", format!("redirects to a URL that is {unfit}")),
        Err(error) => return Verdict::failed(error.reason(), error.to_string()),
    };
    if !context.redirects.insert(fingerprint(page.url.as_str()), fingerprint(target.as_str())) {
        return Verdict::failed("redirect-loop", format!("redirects to {target}, which leads back here"));
    }
    if page.hops >= context.settings.max_redirects {
        let limit = context.settings.max_redirects;
        return Verdict::failed(
            "redirect-limit",
            format!("more than {limit} redirects in a row (fetch.max_redirects)"),
        );
    }
    let before = page.copy.as_ref().map(|copy| copy.moved_to.as_deref() == Some(target.as_str()));
    let outcome = match before {
        _ if permanent => Outcome::Gone,
        None => Outcome::First,
        Some(true) => Outcome::Unchanged,
        Some(false) => Outcome::Changed,
    };
    let moved_to = Some(target.as_str().to_owned());
    let copy = CopyRow { moved_to, ..new_copy(page, exchange, at, payload) };
    let rule = if permanent { "moved" } else { "redirect" };
    let detail = Some(format!("redirects to {target}"));
    Verdict { outcome, detail, copy: Some(copy), moved_to: Some(target), ..Verdict::of(rule) }
}

/// Success: the content decides.
fn content(
    context: &Context,
    page: &Assignment,
    exchanges: &[Exchange],
    held: Option<Result<Held, Refusal>>,
    at: Time,
    payload: Digest,
    reach: &Reach,
) -> Result<Verdict, TooMuch> {
    let exchange = &exchanges[0];
    if page.copy.as_ref().is_some_and(|copy| copy.moved_to.is_some()) {
        context.redirects.remove(fingerprint(page.url.as_str()));
    }
    let held = match held {
        Some(Err(refusal)) => return Ok(Verdict::failed(refusal.reason(), refusal.to_string())),
        held => held.and_then(Result::ok),
    };
    let copy = version_held(page);
    if let Some(same) = same_bytes(copy, exchanges, payload) {
        return Ok(same);
    }
    if reach.has_more && held.as_ref().is_some_and(|held| held.body.len() > reach.decoded) {
        return Err(TooMuch);
    }
    let (content, parsed) = match context.meter.measure(Room::Parse, || read(page, exchange, reach)) {
        Ok(read) => read?,
        Err(error) => return Ok(Verdict::failed(error.reason(), error.to_string())),
    };
    let compared = context.meter.measure(Room::Detect, || {
        compare(context, page, (exchange, &content), &parsed, held.as_ref(), payload, reach)
    })?;
    let listed = held.map_or_else(Vec::new, |held| held.listed);
    Ok(Verdict { listed, ..settle(page, exchanges, at, payload, Some(parsed), compared) })
}

/// The version held; a redirect is none.
fn version_held(page: &Assignment) -> Option<&CopyRow> {
    page.copy.as_ref().filter(|copy| copy.moved_to.is_none())
}

/// The bytes of the version held.
fn same_bytes(copy: Option<&CopyRow>, exchanges: &[Exchange], payload: Digest) -> Option<Verdict> {
    let copy = copy.filter(|copy| copy.payload == payload.0)?;
    let copy = refreshed(copy, &exchanges[0]).filter(|_| exchanges.len() == 1);
    Some(Verdict { copy, kept: Kept::Identical, ..Verdict::of(Rule::SameBytes.name()) })
}

/// The version that was compared, and what it means for the page.
fn settle(
    page: &Assignment,
    exchanges: &[Exchange],
    at: Time,
    payload: Digest,
    parsed: Option<Parsed>,
    Compared { judgement: Judgement { rule, known, changed }, detail, format }: Compared,
) -> Verdict {
    let outcome = match (&page.copy, changed) {
        // There is nothing to compare with: the page is seen anew.
        (Some(_), _) if matches!(rule, Rule::FiltersChanged | Rule::JudgedAnew) => Outcome::First,
        // It is archived and held, but what it says is for a later visit to tell.
        (Some(_), _) if rule == Rule::Unjudged => Outcome::Failed,
        (None, _) => Outcome::First,
        // What was a redirect is a page now.
        (Some(copy), _) if copy.moved_to.is_some() => Outcome::Changed,
        (Some(_), true) => Outcome::Changed,
        (Some(_), false) => Outcome::Unchanged,
    };
    let (text, simhash) = (known.text.to_bytes().to_vec(), known.simhash);
    let mut copy = CopyRow { text, simhash, ..new_copy(page, &exchanges[0], at, payload) };
    if exchanges.len() > 1 {
        // They would speak for the first part alone.
        (copy.etag, copy.last_modified) = (None, None);
    }
    let parsed = parsed.filter(|_| outcome != Outcome::Failed);
    Verdict { outcome, detail, copy: Some(copy), parsed, format, ..Verdict::of(rule.name()) }
}

/// The content of an exchange, decoded, and what it says.
fn read(page: &Assignment, exchange: &Exchange, reach: &Reach) -> Result<Result<(Bytes, Parsed), TooMuch>, FetchError> {
    let content = match exchange.content(reach.decoded) {
        Ok(content) if reach.has_more && is_packed_list(&content) => return Ok(Err(TooMuch)),
        Err(FetchError::DecodedTooLarge { .. }) if reach.has_more => return Ok(Err(TooMuch)),
        content => content?,
    };
    reach.allow(content.len());
    let parsed = parse(&content, exchange.content_type(), &page.url);
    Ok(Ok((content, parsed)))
}

/// What came of a comparison.
struct Compared {
    judgement: Judgement,
    /// What there is to say beyond it.
    detail: Option<String>,
    format: Option<Format>,
}

/// Compares with the version held: data by what it says, everything else by its text or bytes.
fn compare(
    context: &Context,
    page: &Assignment,
    (exchange, content): (&Exchange, &Bytes),
    parsed: &Parsed,
    held: Option<&Held>,
    payload: Digest,
    reach: &Reach,
) -> Result<Compared, TooMuch> {
    let filters = context.settings.filters(page.url.host_str().unwrap_or_default());
    let copy = version_held(page);
    let before = copy.and_then(known);
    let data = match (held, parsed.kind) {
        (Some(held), _) => Data::of_source(context, page, held),
        (None, Kind::Text | Kind::Other) if !filters.has_patterns() => {
            Data::of_page(context, page, exchange.content_type(), content)
        }
        _ => None,
    };
    if let Some(data) = data {
        let before = before.as_ref().zip(copy.map(|copy| copy.since));
        return data.judge(context, page, before, payload, filters, reach);
    }
    let judgement = match context.settings.detector.judge(before.as_ref(), payload.0, parsed, content, filters) {
        Ok(judgement) => judgement,
        Err(unmatched) => {
            let unread = Unread { content: Some(content), format: None, why: unmatched.to_string() };
            return Ok(unread.compared(context, page, payload));
        }
    };
    let detail = matches!(judgement.rule, Rule::NearText { .. }).then(|| judgement.rule.to_string());
    Ok(Compared { judgement, detail, format: None })
}

/// The version that an exchange brought, before anything is said of its content.
fn new_copy(page: &Assignment, exchange: &Exchange, at: Time, payload: Digest) -> CopyRow {
    let Validators { etag, last_modified } = exchange.validators();
    let payload = payload.0;
    CopyRow { page: page.page, since: at, etag, last_modified, payload, text: Vec::new(), simhash: 0, moved_to: None }
}

fn known(copy: &CopyRow) -> Option<Known> {
    let text = TextDigest::from_bytes(copy.text.as_slice().try_into().ok()?);
    Some(Known { payload: copy.payload, text, simhash: copy.simhash })
}
