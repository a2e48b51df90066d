//! What the exchanges of a visit say of the page: its outcome, the rule that decided, and what is kept of it.

mod answers;
mod content;
mod data;
mod features;
mod found;
mod keep;
mod reach;
mod read_as;
mod unread;

use http::StatusCode;
use revisit::{Outcome, Signal, Time, Visit};
use url::Url;

use super::context::Context;
use super::meter::Room;
use super::visit::{Assignment, Finished};
use crate::archive::Digest;
use crate::fetch::{Exchange, Validators, brings_version};
use crate::meaning::Format;
use crate::parse::{LeftOut, Parsed};
use crate::rule::Rule;
use crate::sources::{Held, Listed, Refusal};
use crate::store::{Answer, AsideRow, CopyRow, VisitRow};
use keep::{Kept, Payloads};
use read_as::ReadAs;

pub(super) use reach::{Reach, TooMuch};

/// The longest media type there can be, by RFC 6838.
const MAX_MEDIA_TYPE: usize = 255;

/// Said of a redirect whose target is not found.
const OUTSIDE: &str = "that is out of scope; 'everfresh add' it if it is meant";

/// A visit as it is judged.
#[derive(Clone, Copy)]
struct Case<'a> {
    context: &'a Context,
    page: &'a Assignment,
    /// At least one.
    exchanges: &'a [Exchange],
    at: Time,
    payloads: &'a Payloads,
}

impl<'a> Case<'a> {
    /// The exchange whose status and head speak for the page.
    fn exchange(&self) -> &'a Exchange {
        &self.exchanges[0]
    }

    /// The digest of all bodies as sent.
    fn payload(&self) -> Digest {
        self.payloads.all
    }

    /// The version held; a redirect is none.
    fn version_held(&self) -> Option<&'a CopyRow> {
        self.page.copy.as_ref().filter(|copy| copy.moved_to.is_none())
    }

    /// How the exchanges are read.
    fn read_as(&self) -> ReadAs {
        ReadAs::of(&self.context.settings, self.page, self.exchanges)
    }

    /// The version that the exchange brought, before anything is said of its content.
    fn new_copy(&self) -> CopyRow {
        let Validators { etag, last_modified } = self.exchange().validators();
        CopyRow {
            page: self.page.page,
            since: self.at,
            etag,
            last_modified,
            payload: self.payload().0,
            text: Vec::new(),
            simhash: 0,
            moved_to: None,
        }
    }
}

/// What an exchange says of the page.
struct Verdict {
    outcome: Outcome,
    rule: Rule,
    detail: Option<String>,
    /// The version held from now on, if it is another one.
    copy: Option<CopyRow>,
    /// The last answer archived that is no version, if it is another one.
    aside: Option<AsideRow>,
    kept: Kept,
    shown: Shown,
}

/// What an answer shows beyond that.
enum Shown {
    Nothing,
    /// The page is there.
    MovedTo(Url),
    Version {
        /// What it says, if that could be read.
        parsed: Option<Parsed>,
        /// The format by which it was judged, if it is data.
        format: Option<Format>,
        /// The entries of a catalogue.
        listed: Vec<Listed>,
    },
}

impl Shown {
    /// What the content says, and its format.
    fn content(&self) -> Option<(&Parsed, Option<Format>)> {
        match self {
            Shown::Version { parsed: Some(parsed), format, .. } => Some((parsed, *format)),
            _ => None,
        }
    }
}

impl Verdict {
    fn failed(rule: Rule, detail: String) -> Verdict {
        Verdict { outcome: Outcome::Failed, detail: Some(detail), kept: Kept::Not, ..Verdict::of(rule) }
    }

    fn of(rule: Rule) -> Verdict {
        Verdict {
            outcome: Outcome::Unchanged,
            rule,
            detail: None,
            copy: None,
            aside: None,
            kept: Kept::Whole,
            shown: Shown::Nothing,
        }
    }
}

/// Judges a visit by its exchanges, at least one; `held` is what those of a source hold, if the first brought a version.
pub(super) fn judge(
    context: &Context,
    page: &Assignment,
    exchanges: &[Exchange],
    held: Option<Result<Held, Refusal>>,
    at: Time,
    reach: &Reach,
) -> Result<Finished, TooMuch> {
    let payloads = &context.meter.measure(Room::Detect, || Payloads::of(exchanges));
    let case = Case { context, page, exchanges, at, payloads };
    let verdict = match StatusCode::from_u16(case.exchange().status) {
        _ if case.exchange().redirect().is_some() => answers::redirected(&case),
        Ok(StatusCode::NOT_MODIFIED) => answers::not_modified(&case),
        Ok(StatusCode::NOT_FOUND | StatusCode::GONE) => answers::gone(&case),
        Ok(status) if brings_version(status.as_u16()) => content::judged(&case, held, reach)?,
        _ => answers::no_version(&case),
    };
    Ok(finish(&case, verdict))
}

/// Says what can be said of a visit whose content no judge could read, for this reason: by its bytes, decoded or as they were
/// sent.
pub(super) fn judge_by_bytes(
    context: &Context,
    page: &Assignment,
    exchanges: &[Exchange],
    at: Time,
    why: &str,
    decodes: bool,
) -> Finished {
    let payloads = &Payloads::of(exchanges);
    let case = Case { context, page, exchanges, at, payloads };
    finish(&case, content::judged_by_bytes(&case, why, decodes))
}

/// What a verdict leaves to be recorded.
fn finish(case: &Case<'_>, verdict: Verdict) -> Finished {
    let (page, exchange, at) = (case.page, case.exchange(), case.at);
    let (records, capture, parts) = keep::encode(case, &verdict);
    let Verdict { outcome, rule, detail, copy, aside, kept: _, shown } = verdict;
    let first_content = page.copy.as_ref().is_none_or(|copy| copy.moved_to.is_some());
    let features = shown.content().filter(|_| first_content);
    let features = features.map(|(parsed, format)| features::features_row(page, parsed, format, exchange));
    let (list, is_moved) = (found::list_kind(&shown), matches!(shown, Shown::MovedTo(_)));
    let read = is_moved || shown.content().is_some();
    let cut = shown.content().filter(|(parsed, _)| parsed.has_more_links());
    let cut = cut.map(|(parsed, _)| format!("it has more links than the {} that were read", parsed.links.len()));
    let mut left_out = LeftOut::default();
    let found = found::found(case, shown, &mut left_out);
    let outside = (is_moved && found.is_empty()).then(|| OUTSIDE.to_owned());
    Finished {
        host: page.host,
        records,
        features,
        found,
        left_out,
        list,
        read,
        signal: mood(exchange, at),
        address: None,
        space: None,
        copy,
        aside,
        visit: VisitRow {
            visit: Visit { page: page.page, at, outcome },
            rule,
            detail: [detail, cut, outside].into_iter().flatten().reduce(|told, more| format!("{told}; {more}")),
            answer: Some(answer(exchange)),
            capture,
            parts,
            requests: 1,
        },
    }
}

/// What an answer shows of its host's mood.
pub(super) fn mood(exchange: &Exchange, at: Time) -> Signal {
    match exchange.status {
        429 | 503 => Signal::SlowDown(exchange.retry_after(at)),
        _ => Signal::Fine,
    }
}

/// The media type without parameters, in the letters in which it was sent, if it is no longer than any there is.
fn media_type(exchange: &Exchange) -> Option<String> {
    let sent = exchange.content_type().map(str::trim).filter(|value| !value.is_empty())?;
    let essence = sent.split([';', ' ']).next().unwrap_or_default();
    (essence.len() <= MAX_MEDIA_TYPE).then(|| essence.to_owned())
}

fn answer(exchange: &Exchange) -> Answer {
    Answer {
        status: exchange.status,
        mime: media_type(exchange),
        bytes: exchange.body.len() as u64,
        millis: exchange.elapsed.as_millis() as u64,
    }
}
