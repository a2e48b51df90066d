//! What an exchange says of the page: its outcome, the rule that decided, and what is kept of it.

use http::StatusCode;
use revisit::{ListKind, Outcome, Signal, Time, Visit};
use url::{Position, Url};

use super::context::Context;
use super::known::fingerprint;
use super::meter::Room;
use super::visit::{Assignment, Finished, Found};
use crate::archive::{Capture, CaptureKind, Digest, Original};
use crate::detect::{Judgement, Known, Rule, TextDigest};
use crate::fetch::{Exchange, Redirect, Validators};
use crate::parse::{Directives, Features, Kind, Parsed, normalise, parse};
use crate::store::{Answer, CaptureRow, CopyRow, FeaturesRow, FoundAs, VisitRow};

/// When the first web page went up: 6 August 1991.
const FIRST_PAGE: Time = Time::from_secs(681_436_800);

/// What an exchange says of the page.
struct Verdict {
    outcome: Outcome,
    rule: &'static str,
    detail: Option<String>,
    /// The version held from now on, if it is another one.
    copy: Option<CopyRow>,
    parsed: Option<Parsed>,
    moved_to: Option<Url>,
    kept: Kept,
}

/// How the archive keeps an exchange.
#[derive(Clone, Copy)]
enum Kept {
    Not,
    Whole,
    NotModified,
    Identical,
}

pub(super) fn judge(context: &Context, page: &Assignment, exchange: &Exchange, at: Time) -> Finished {
    let payload = context.meter.measure(Room::Detect, || Digest::of(&exchange.body));
    let mut verdict = match StatusCode::from_u16(exchange.status) {
        _ if exchange.redirect().is_some() => redirected(context, page, exchange, at, payload),
        Ok(StatusCode::NOT_MODIFIED) => not_modified(page, exchange),
        Ok(StatusCode::NOT_FOUND | StatusCode::GONE) => Verdict::gone(format!("status {}", exchange.status)),
        Ok(status) if status.is_success() => content(context, page, exchange, at, payload),
        _ => Verdict::failed("status", format!("the server answered with status {}", exchange.status)),
    };
    let (records, capture) = encode(context, page, exchange, at, payload, &verdict);
    let first_content = page.copy.as_ref().is_none_or(|copy| copy.moved_to.is_some());
    let features = verdict.parsed.as_ref().filter(|_| first_content);
    let features = features.map(|parsed| features_row(page, parsed, exchange));
    let list = verdict.parsed.as_ref().and_then(|parsed| list_kind(parsed.kind));
    let read = verdict.parsed.is_some() || verdict.moved_to.is_some();
    let found = found(context, page, &mut verdict, exchange, at);
    Finished {
        host: page.host,
        records,
        features,
        found,
        list,
        read,
        signal: mood(exchange, at),
        large: None,
        copy: verdict.copy,
        visit: VisitRow {
            visit: Visit { page: page.page, at, outcome: verdict.outcome },
            rule: verdict.rule,
            detail: verdict.detail,
            answer: Some(answer(exchange)),
            capture,
        },
    }
}

fn mood(exchange: &Exchange, at: Time) -> Signal {
    match exchange.status {
        429 | 503 => Signal::SlowDown(exchange.retry_after(at)),
        _ => Signal::Fine,
    }
}

fn answer(exchange: &Exchange) -> Answer {
    let mime = exchange.content_type().and_then(|value| value.split(';').next());
    Answer {
        status: exchange.status,
        mime: mime.map(|mime| mime.trim().to_ascii_lowercase()).filter(|mime| mime.len() <= 100),
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
fn content(context: &Context, page: &Assignment, exchange: &Exchange, at: Time, payload: Digest) -> Verdict {
    if page.copy.as_ref().is_some_and(|copy| copy.moved_to.is_some()) {
        context.redirects.remove(fingerprint(page.url.as_str()));
    }
    let held = page.copy.as_ref().filter(|copy| copy.moved_to.is_none());
    if let Some(copy) = held.filter(|copy| copy.payload == payload.0) {
        let copy = refreshed(copy, exchange);
        return Verdict { copy, kept: Kept::Identical, ..Verdict::of(Rule::SameBytes.name()) };
    }
    let content =
        match context.meter.measure(Room::Parse, || exchange.content(context.settings.fetch.max_decoded_bytes)) {
            Ok(content) => content,
            Err(error) => return Verdict::failed(error.reason(), error.to_string()),
        };
    let parsed = context.meter.measure(Room::Parse, || parse(&content, exchange.content_type(), &page.url));
    let judgement = context.meter.measure(Room::Detect, || {
        let filters = context.settings.filters(page.url.host_str().unwrap_or_default());
        let before = held.and_then(known);
        context.settings.detector.judge(before.as_ref(), payload.0, &parsed, &content, filters)
    });
    let outcome = match (&page.copy, judgement.changed) {
        // With other filters than last time there is nothing to compare with: the page is seen anew.
        (Some(_), _) if judgement.rule == Rule::FiltersChanged => Outcome::First,
        (None, _) => Outcome::First,
        // What was a redirect is a page now.
        (Some(copy), _) if copy.moved_to.is_some() => Outcome::Changed,
        (Some(_), true) => Outcome::Changed,
        (Some(_), false) => Outcome::Unchanged,
    };
    let Judgement { rule, known, .. } = judgement;
    let (text, simhash) = (known.text.to_bytes().to_vec(), known.simhash);
    let copy = CopyRow { text, simhash, ..new_copy(page, exchange, at, payload) };
    let detail = matches!(rule, Rule::NearText { .. }).then(|| rule.to_string());
    Verdict { outcome, detail, copy: Some(copy), parsed: Some(parsed), ..Verdict::of(rule.name()) }
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

fn encode(
    context: &Context,
    page: &Assignment,
    exchange: &Exchange,
    at: Time,
    payload: Digest,
    verdict: &Verdict,
) -> (Vec<u8>, Option<CaptureRow>) {
    let original = |copy: &CopyRow| (copy.since, Digest(copy.payload));
    let held = page.copy.as_ref().map(original);
    let url = page.url.as_str();
    let (kind, payload) = match (verdict.kept, held) {
        (Kept::Not, _) => return (Vec::new(), None),
        (Kept::NotModified, Some((at, payload))) => (CaptureKind::NotModified(Original { url, at, payload }), payload),
        (Kept::Identical, Some((at, payload))) => (CaptureKind::Identical(Original { url, at, payload }), payload),
        (Kept::Whole | Kept::NotModified | Kept::Identical, _) => (CaptureKind::Response, payload),
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
    let row = CaptureRow { payload: payload.0, revisit, file: 0, position: 0, length: encoded.main_length };
    (encoded.bytes, Some(row))
}

fn features_row(page: &Assignment, parsed: &Parsed, exchange: &Exchange) -> FeaturesRow {
    let Features { text_bytes, links, images, emails, directory_level } = parsed.features;
    let last_modified = exchange.headers.contains_key(http::header::LAST_MODIFIED);
    let Directives { nofollow, noindex } = parsed.directives;
    let (page, depth) = (page.page, page.depth);
    FeaturesRow { page, depth, text_bytes, links, images, emails, directory_level, last_modified, nofollow, noindex }
}

/// The pages in scope that a visit found.
fn found(context: &Context, page: &Assignment, verdict: &mut Verdict, exchange: &Exchange, at: Time) -> Vec<Found> {
    if let Some(target) = verdict.moved_to.take() {
        let shown = target.to_string();
        let found = context.admit_target(&page.url, target, page.depth, page.hops + 1, at);
        if found.is_none() {
            verdict.detail =
                Some(format!("redirects to {shown}, which is out of scope; 'everfresh add' it if it is meant"));
        }
        return found.into_iter().collect();
    }
    let Some(parsed) = verdict.parsed.take() else { return Vec::new() };
    let header = exchange.headers.get("x-robots-tag").and_then(|value| value.to_str().ok());
    let asked =
        header.map_or_else(Directives::default, |tag| Directives::from_header(tag, &context.settings.fetch.user_agent));
    if parsed.directives.merged(asked).nofollow {
        return Vec::new();
    }
    let found_as = match parsed.kind {
        Kind::Sitemap => FoundAs::Sitemap,
        Kind::Feed => FoundAs::Feed,
        Kind::Html | Kind::Text | Kind::Other => FoundAs::Link,
    };
    let links = parsed.links.into_iter().filter(|link| !link.nofollow);
    let links = links.map(|link| (link.last_modified, link.url)).chain(parsed.canonical.map(|url| (None, url)));
    let admitted = links.filter_map(|(modified, url)| {
        let modified = modified.filter(|modified| is_credible(*modified, at) && is_same_host(&url, &page.url));
        context.admit(url, found_as, page.depth + 1, 0, at).map(|found| Found { modified, ..found })
    });
    context.meter.measure(Room::Parse, || admitted.collect())
}

fn list_kind(kind: Kind) -> Option<ListKind> {
    match kind {
        Kind::Sitemap => Some(ListKind::Sitemap),
        Kind::Feed => Some(ListKind::Feed),
        Kind::Html | Kind::Text | Kind::Other => None,
    }
}

/// Whether a page can have changed then: not before there were pages, and not in the future.
fn is_credible(modified: Time, now: Time) -> bool {
    (FIRST_PAGE..=now).contains(&modified)
}

fn is_same_host(one: &Url, other: &Url) -> bool {
    one[..Position::BeforePath] == other[..Position::BeforePath]
}
