//! One visit: fetch → parse → detect → encode for the archive. Runs beside hundreds of others and shares nothing mutable
//! but the meter and a pool of encoders; what it found goes back to the loop as a [`Finished`].

use std::net::IpAddr;

use revisit::{HostId, ListKind, Outcome, PageId, Signal, Time, Visit};
use url::Url;

use super::context::Context;
use super::gather::{Gathering, HostRules, NoAnswer};
use super::judge::judge;
use crate::fetch::{FetchError, LargeBody, Redirect, Validators};
use crate::sources::Source;
use crate::store::{CopyRow, FeaturesRow, FoundAs, Loaded, RobotsRow, VisitRow};

/// A page to visit, with all a visit needs to know of it.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) page: PageId,
    pub(super) host: HostId,
    pub(super) url: Url,
    pub(super) depth: u32,
    pub(super) hops: u8,
    pub(super) copy: Option<CopyRow>,
    /// How it is asked, if not as any page.
    pub(super) source: Option<Box<Source>>,
    /// What the host asks of those who ask it several times; known for sources only, when they are contacted.
    pub(super) host_rules: Option<Box<HostRules>>,
}

impl Assignment {
    /// The visit of a page as loaded from the store; `None` if its URL cannot be read.
    pub(super) fn new(page: Loaded, source: Option<Source>) -> Option<Assignment> {
        let Loaded { page, host, url, depth, hops, copy } = page;
        let (url, source) = (Url::parse(&url).ok()?, source.map(Box::new));
        Some(Assignment { page, host, url, depth, hops, copy, source, host_rules: None })
    }

    /// The first visit of a page that was never seen.
    #[cfg(test)]
    pub(super) fn to(page: PageId, host: HostId, url: Url) -> Assignment {
        Assignment { page, host, url, depth: 0, hops: 0, copy: None, source: None, host_rules: None }
    }

    /// The visit that does not take place, for a reason found before the page was contacted.
    pub(super) fn refused(self, at: Time, rule: &'static str, detail: String) -> Finished {
        Finished::told_nothing(&self, at, rule, detail, Signal::Fine)
    }
}

/// A page found on a visit, in scope.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) url: Url,
    pub(super) fingerprint: u64,
    pub(super) found_as: FoundAs,
    pub(super) depth: u32,
    pub(super) hops: u8,
    /// When a list of its own host says it last changed.
    pub(super) modified: Option<Time>,
    /// How it is asked, if not as any page.
    pub(super) source: Option<Box<Source>>,
}

/// What a visit leaves to be recorded.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) host: HostId,
    pub(super) visit: VisitRow,
    pub(super) records: Vec<u8>,
    pub(super) copy: Option<CopyRow>,
    pub(super) features: Option<FeaturesRow>,
    pub(super) found: Vec<Found>,
    /// The kind of list it is, if it is one whose dates were read.
    pub(super) list: Option<ListKind>,
    /// Whether the page was read, so that `found` is all it links to.
    pub(super) read: bool,
    pub(super) signal: Signal,
    /// Who answered.
    pub(super) address: Option<IpAddr>,
    /// The permit of a large body, kept until its records are written.
    pub(super) large: Option<LargeBody>,
}

/// A visit that was broken off, through no fault of the page: it is as if it had not begun, but for its requests.
pub(super) struct BrokenOff {
    pub(super) page: PageId,
    pub(super) requests: u32,
}

/// What the fetch of a robots.txt brought.
#[derive(Debug)]
pub(super) enum RobotsAnswer {
    /// The file, or the news that there is none.
    Is(RobotsRow),
    /// It is elsewhere.
    MovedTo(Url),
    /// The server could not be reached or is in trouble: nothing may be fetched.
    OutOfReach { rule: &'static str, detail: String },
}

/// A robots.txt was asked for.
#[derive(Debug)]
pub(super) struct FetchedRobots {
    pub(super) answer: RobotsAnswer,
    pub(super) signal: Signal,
    /// Who answered.
    pub(super) address: Option<IpAddr>,
}

/// Bodies from this size on are parsed where blocking is expected, so that they do not hold up other visits.
const LARGE: usize = 256 << 10;

/// Visits a page.
pub(super) async fn visit(context: &Context, page: Assignment) -> Result<Finished, BrokenOff> {
    let at = context.clock.now();
    let validators = page.copy.as_ref().map_or_else(Validators::default, |copy| Validators {
        etag: copy.etag.clone(),
        last_modified: copy.last_modified.clone(),
    });
    if let Some(source) = &page.source {
        // In a box: few pages are sources, and every visit would have to carry the room that their steps need.
        return Box::pin(visit_source(context, &page, source, &validators, at)).await;
    }
    let exchange = match context.fetcher.get(&page.url, &validators).await {
        Ok(exchange) => exchange,
        Err(FetchError::Crowded { .. }) => return Err(BrokenOff { page: page.page, requests: 1 }),
        Err(error) => {
            return Ok(Finished::told_nothing(&page, at, error.reason(), error.to_string(), trouble(&error)));
        }
    };
    let exchanges = std::slice::from_ref(&exchange);
    let finished = match exchange.body.len() {
        ..LARGE => judge(context, &page, exchanges, None, at),
        _ => tokio::task::block_in_place(|| judge(context, &page, exchanges, None, at)),
    };
    Ok(Finished { large: exchange.large, address: Some(exchange.address.ip()), ..finished })
}

/// Visits a page that is asked in a way of its own.
async fn visit_source(
    context: &Context,
    page: &Assignment,
    source: &Source,
    validators: &Validators,
    at: Time,
) -> Result<Finished, BrokenOff> {
    let mut gathering = Gathering::new(context, page, source);
    let mut finished = match gathering.gather(source, validators).await {
        Ok(held) => tokio::task::block_in_place(|| judge(context, page, &gathering.exchanges, held, at)),
        Err(NoAnswer::Failed { rule, detail, signal }) => Finished::told_nothing(page, at, rule, detail, signal),
        Err(NoAnswer::BrokenOff) => return Err(BrokenOff { page: page.page, requests: gathering.requests }),
    };
    finished.visit.further = gathering.requests.saturating_sub(1);
    let address = gathering.exchanges.last().map(|exchange| exchange.address.ip());
    Ok(Finished { large: gathering.space.into_permit(), address, ..finished })
}

/// A failure that concerns the whole host, or just this page.
pub(super) fn trouble(error: &FetchError) -> Signal {
    match error {
        FetchError::Dns { .. }
        | FetchError::Connect { .. }
        | FetchError::ConnectTimeout { .. }
        | FetchError::Tls { .. }
        | FetchError::FirstByteTimeout { .. } => Signal::Trouble,
        _ => Signal::Fine,
    }
}

/// Fetches a robots.txt.
pub(super) async fn robots(context: &Context, url: Url) -> FetchedRobots {
    let at = context.clock.now();
    let exchange = match context.fetcher.get(&url, &Validators::default()).await {
        Ok(exchange) => exchange,
        Err(error) => {
            let detail = format!("robots.txt is out of reach: {error}");
            let signal = if let FetchError::Crowded { .. } = error { Signal::Fine } else { Signal::Trouble };
            let answer = RobotsAnswer::OutOfReach { rule: error.reason(), detail };
            return FetchedRobots { answer, signal, address: None };
        }
    };
    let fetched = |answer, signal| FetchedRobots { answer, signal, address: Some(exchange.address.ip()) };
    if let Some(Redirect { target: Ok(target), .. }) = exchange.redirect() {
        return fetched(RobotsAnswer::MovedTo(target), Signal::Fine);
    }
    if exchange.status >= 500 || exchange.status == 429 {
        let detail = format!("robots.txt is out of reach: {url} answered with status {}", exchange.status);
        let signal = Signal::SlowDown(exchange.retry_after(at));
        return fetched(RobotsAnswer::OutOfReach { rule: "robots-unreachable", detail }, signal);
    }
    // A body that cannot be decoded is taken as it came: RFC 9309 has crawlers parse what they can.
    let body = exchange.content(context.settings.fetch.max_decoded_bytes).unwrap_or_else(|_| exchange.body.clone());
    let body = body[..body.len().min(500 << 10)].to_vec();
    fetched(RobotsAnswer::Is(RobotsRow { status: exchange.status, body, at }), Signal::Fine)
}

impl Finished {
    fn told_nothing(page: &Assignment, at: Time, rule: &'static str, detail: String, signal: Signal) -> Finished {
        let visit = Visit { page: page.page, at, outcome: Outcome::Failed };
        Finished { signal, ..Finished::failed(page.host, visit, rule, detail) }
    }

    /// The visit of a page that made its task panic.
    pub(super) fn lost(host: HostId, page: PageId, at: Time, detail: String) -> Finished {
        Finished::failed(host, Visit { page, at, outcome: Outcome::Failed }, "crashed", detail)
    }

    fn failed(host: HostId, visit: Visit, rule: &'static str, detail: String) -> Finished {
        Finished {
            host,
            visit: VisitRow {
                visit,
                rule,
                detail: Some(detail),
                answer: None,
                capture: None,
                parts: Vec::new(),
                further: 0,
            },
            records: Vec::new(),
            copy: None,
            features: None,
            found: Vec::new(),
            list: None,
            read: false,
            signal: Signal::Fine,
            address: None,
            large: None,
        }
    }
}
