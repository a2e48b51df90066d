//! A version of the page: its content decides, compared with that of the version held.

use bytes::Bytes;
use revisit::Outcome;

use super::answers::{beside, refreshed};
use super::data::Data;
use super::keep::Kept;
use super::reach::{Reach, TooMuch};
use super::read_as::ReadAs;
use super::unread::Unread;
use super::{Case, Shown, Verdict, media_type};
use crate::archive::Digest;
use crate::detect::{Body, Judgement, Known, TextDigest};
use crate::fetch::{Exchange, FetchError, product_name, text};
use crate::meaning::Format;
use crate::parse::{Directives, Kind, Parsed, is_packed_list, parse_as};
use crate::pipeline::meter::Room;
use crate::rule::Rule;
use crate::sources::{Held, Listed, Refusal};
use crate::store::CopyRow;

/// What came of a comparison.
pub(super) struct Compared {
    pub(super) judgement: Judgement,
    /// What there is to say beyond it.
    pub(super) detail: Option<String>,
    pub(super) format: Option<Format>,
}

/// Judges by the content.
pub(super) fn judged(case: &Case<'_>, held: Option<Result<Held, Refusal>>, reach: &Reach) -> Result<Verdict, TooMuch> {
    let held = match held {
        Some(Err(refusal)) => return Ok(Verdict::failed(refusal.rule(), refusal.to_string())),
        held => held.and_then(Result::ok),
    };
    if let Some(same) = same_bytes(case) {
        return Ok(same);
    }
    if reach.has_more && held.as_ref().is_some_and(|held| held.body.len() > reach.decoded) {
        return Err(TooMuch);
    }
    let meter = &case.context.meter;
    let (content, parsed) = match meter.measure(Room::Parse, || read(case, reach)) {
        Ok(read) => read?,
        Err(error @ FetchError::Decode { .. }) => return Ok(undecoded(case, &error)),
        Err(error) => return Ok(Verdict::failed(error.rule(), error.to_string())),
    };
    let compared = meter.measure(Room::Detect, || compare(case, &content, &parsed, held.as_ref(), reach))?;
    let listed = held.map_or_else(Vec::new, |held| held.listed);
    Ok(settle(case, Some(parsed), listed, compared))
}

/// Judges by the bytes, since nobody could read them for this reason; by those that are coded only where decoding can do no
/// harm, since that may be what went wrong.
pub(super) fn judged_by_bytes(case: &Case<'_>, why: &str, decodes: bool) -> Verdict {
    if let Some(same) = same_bytes(case) {
        return same;
    }
    let is_coded = case.exchanges.iter().any(Exchange::is_coded);
    let content = if is_coded && !decodes { None } else { decoded(case) };
    let body = content.as_ref().map(|content| Body { payload: case.payload().0, content, is_coded });
    let unread = Unread::bytes(body, None, why.to_owned());
    settle(case, None, Vec::new(), unread.compared(case))
}

/// What was sent without its codings, of several answers the digests, as for what was [sent](super::keep::Payloads); `None` if
/// it cannot be decoded or is too large.
fn decoded(case: &Case<'_>) -> Option<Bytes> {
    let most = case.context.settings.fetch.max_decoded_bytes;
    let digest = |exchange: &Exchange| Some(Digest::of(&exchange.content(most).ok()?).0);
    match case.exchanges {
        [only] => only.content(most).ok(),
        several => Some(several.iter().map(digest).collect::<Option<Vec<_>>>()?.concat().into()),
    }
}

/// The bytes of the version held, which was read as these would be.
fn same_bytes(case: &Case<'_>) -> Option<Verdict> {
    let is_same = |copy: &&CopyRow| {
        known(copy).is_some_and(|known| known.is_sent_as(case.payload().0))
            && ReadAs::held(copy) == Some(case.read_as())
    };
    let copy = case.version_held().filter(is_same)?;
    let copy = refreshed(copy, case.exchange()).filter(|_| case.exchanges.len() == 1);
    Some(Verdict { copy, kept: Kept::Identical, ..Verdict::of(Rule::SameBytes) })
}

/// Content as it is compared if nothing can be read from it. Without a coding it is in the memory of the body.
pub(super) fn body<'a>(case: &Case<'_>, content: &'a Bytes) -> Body<'a> {
    let is_coded = !std::ptr::eq(&content[..], &case.exchange().body[..]);
    Body { payload: case.payload().0, content, is_coded }
}

/// What cannot be decoded is kept as it was sent: as the version, or, beside one that could be decoded, as an answer that says
/// nothing of the page.
fn undecoded(case: &Case<'_>, error: &FetchError) -> Verdict {
    let compared = Unread::bytes(None, None, error.to_string()).compared(case);
    match compared.judgement.rule {
        Rule::Unjudged => beside(case, Verdict::failed(error.rule(), error.to_string())),
        _ => {
            let detail = Some(format!("judged by its bytes as sent: {error}"));
            settle(case, None, Vec::new(), Compared { detail, ..compared })
        }
    }
}

/// The version that was compared, and what it means for the page. What cannot be judged beside the version held leaves it as it
/// is, as an answer that says nothing of the page.
fn settle(
    case: &Case<'_>,
    parsed: Option<Parsed>,
    listed: Vec<Listed>,
    Compared { judgement: Judgement { rule, known, changed, .. }, detail, format }: Compared,
) -> Verdict {
    let outcome = match (&case.page.copy, changed) {
        // There is nothing to compare with: the page is seen anew.
        (Some(_), _) if matches!(rule, Rule::FiltersChanged | Rule::JudgedAnew) => Outcome::First,
        (Some(_), _) if rule == Rule::Unjudged => {
            return beside(case, Verdict { outcome: Outcome::Failed, detail, ..Verdict::of(rule) });
        }
        (None, _) => Outcome::First,
        // What was a redirect is a page now.
        (Some(copy), _) if copy.moved_to.is_some() => Outcome::Changed,
        (Some(_), true) => Outcome::Changed,
        (Some(_), false) => Outcome::Unchanged,
    };
    let (text, simhash) = (case.read_as().behind(known.text), known.simhash);
    let (copy, kept) = match case.version_held().filter(|_| rule == Rule::SameBytes) {
        Some(held) => (refreshed(held, case.exchange()).unwrap_or_else(|| held.clone()), Kept::Identical),
        None => (case.new_copy(), Kept::Whole),
    };
    let mut copy = CopyRow { text, simhash, ..copy };
    if case.exchanges.len() > 1 {
        // They would speak for the first part alone.
        (copy.etag, copy.last_modified) = (None, None);
    }
    let shown = Shown::Version { parsed, format, listed };
    Verdict { outcome, detail, copy: Some(copy), kept, shown, ..Verdict::of(rule) }
}

/// The content of an exchange, decoded, and what it says.
fn read(case: &Case<'_>, reach: &Reach) -> Result<Result<(Bytes, Parsed), TooMuch>, FetchError> {
    let exchange = case.exchange();
    let content = match exchange.content(reach.most(exchange.content_type())) {
        Ok(content) if reach.has_more && is_packed_list(&content) => return Ok(Err(TooMuch)),
        Err(FetchError::DecodedTooLarge { .. }) if reach.has_more => return Ok(Err(TooMuch)),
        content => content?,
    };
    reach.allow(content.len());
    let agent = product_name(&case.context.settings.fetch.user_agent);
    let mut parsed = parse_as(agent, &content, exchange.content_type(), &case.page.url);
    if reach.is_exceeded(parsed.kind, content.len()) {
        return Ok(Err(TooMuch));
    }
    parsed.directives = parsed.directives.merged(asked_by_head(exchange, agent));
    Ok(Ok((content, parsed)))
}

/// What the fields of the head ask of the robot of this name.
pub(super) fn asked_by_head(exchange: &Exchange, agent: &str) -> Directives {
    let fields = exchange.headers.get_all("x-robots-tag").into_iter();
    let asked = fields.map(|field| Directives::from_header(text(field), agent));
    asked.fold(Directives::default(), Directives::merged)
}

/// Compares with the version held: data by what it says, everything else by its text or bytes.
fn compare(
    case: &Case<'_>,
    content: &Bytes,
    parsed: &Parsed,
    held: Option<&Held>,
    reach: &Reach,
) -> Result<Compared, TooMuch> {
    let Case { context, page, .. } = *case;
    let filters = context.settings.filters(page.url.host_str().unwrap_or_default());
    let copy = case.version_held();
    let before = copy.and_then(known);
    let data = match (held, parsed.kind) {
        (Some(held), _) => Data::of_source(context, page, held),
        (None, Kind::Text | Kind::Other) => Data::of_page(context, page, case.exchange().content_type(), content),
        _ => None,
    };
    if let Some(data) = data {
        let before = before.as_ref().zip(copy.map(|copy| copy.since));
        return data.judge(case, before, filters, reach);
    }
    let body = body(case, content);
    if parsed.breaks_off {
        return Ok(Unread::beginning(body, &parsed.text).compared(case));
    }
    if let Some(why) = no_text(case, parsed.kind) {
        return Ok(Unread::bytes(Some(body), None, why).compared(case));
    }
    let judgement = match context.settings.detector.judge(before.as_ref(), body, parsed, filters) {
        Ok(judgement) => judgement,
        Err(unmatched) => return Ok(Unread::bytes(Some(body), None, unmatched.to_string()).compared(case)),
    };
    let detail = judgement.bits.map(|bits| format!("nearly the same text ({bits} of 64 bits differ)"));
    Ok(Compared { judgement, detail, format: None })
}

/// Why a body cannot be read that its type calls text: a server that forgot to name a coding, or sent another file.
fn no_text(case: &Case<'_>, kind: Kind) -> Option<String> {
    let content_type = case.exchange().content_type()?;
    let essence = media_type(case.exchange()).filter(|_| kind == Kind::Other)?.to_ascii_lowercase();
    let claims_text = essence.starts_with("text/") || essence == "application/xhtml+xml";
    let claims_data = || Format::claimed(Some(content_type), case.page.url.path()).is_some();
    (claims_text || claims_data()).then(|| format!("it is sent as {essence} and its bytes are no text"))
}

pub(super) fn known(copy: &CopyRow) -> Option<Known> {
    let text = TextDigest::from_start(&copy.text)?;
    Some(Known { payload: copy.payload, text, simhash: copy.simhash })
}
