//! One visit: fetch → parse → detect → encode for the archive. Runs beside hundreds of others and shares nothing mutable
//! but the meter and a pool of encoders; what it found goes back to the loop as a [`Finished`]. What is small is judged
//! right here, everything else [apart](super::apart).

use std::net::IpAddr;
use std::sync::Arc;

use revisit::{HostId, ListKind, Outcome, PageId, Signal, Span, Time, Visit};
use serde::{Deserialize, Serialize};
use url::Url;

use super::apart::{Died, NotJudged, blocking};
use super::context::Context;
use super::gather::{Gathering, HostRules, NoAnswer};
use super::judge::{Reach, TooMuch, judge, judge_by_bytes, mood};
use super::reading::held_again;
use crate::detect::TextDigest;
use crate::fetch::{Exchange, FetchError, Question, Redirect, Space, Validators, brings_version};
use crate::parse::{LeftOut, normalise};
use crate::rule::Rule;
use crate::sources::{Held, Refusal, Source};
use crate::store::{AsideRow, CopyRow, FeaturesRow, FoundAs, Loaded, RobotsRow, VisitRow};

/// What an answer takes beside its bytes while it waits to be judged, about.
const WAITING_BYTES: usize = 16 << 10;

/// A page to visit, with all a visit needs to know of it.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Assignment {
    pub(super) page: PageId,
    pub(super) host: HostId,
    pub(super) url: Url,
    pub(super) depth: u32,
    pub(super) hops: u8,
    pub(super) copy: Option<CopyRow>,
    pub(super) aside: Option<AsideRow>,
    /// How it is asked, if not as any page.
    pub(super) source: Option<Box<Source>>,
    /// What the host asks of those who ask it several times; known when it is contacted.
    pub(super) host_rules: Option<Box<HostRules>>,
}

impl Assignment {
    /// The visit of a page as loaded from the store; `None` if its URL cannot be read.
    pub(super) fn new(page: Loaded) -> Option<Assignment> {
        let Loaded { page, host, url, depth, hops, copy, aside, source } = page;
        let (url, source) = (Url::parse(&url).ok()?, source.map(Box::new));
        Some(Assignment { page, host, url, depth, hops, copy, aside, source, host_rules: None })
    }

    /// The first visit of a page that was never seen.
    #[cfg(test)]
    pub(super) fn to(page: PageId, host: HostId, url: Url) -> Assignment {
        Assignment { page, host, url, depth: 0, hops: 0, copy: None, aside: None, source: None, host_rules: None }
    }

    /// Whether the version held was judged by what its data says.
    pub(super) fn holds_data(&self) -> bool {
        let digest = self.copy.as_ref().and_then(|copy| TextDigest::from_start(&copy.text));
        digest.is_some_and(|digest| digest.is_data())
    }

    /// Whether a visit may take several exchanges.
    pub(super) fn has_parts(&self) -> bool {
        self.source.as_deref().is_some_and(Source::has_parts)
    }

    /// The visit that does not take place, for a reason found before the page was contacted.
    pub(super) fn refused(self, at: Time, rule: Rule, detail: String) -> Finished {
        let mut finished = Finished::told_nothing(&self, at, rule, detail, Signal::Fine);
        finished.visit.requests = 0;
        finished
    }
}

/// A page found on a visit, in scope.
#[derive(Debug, Deserialize, Serialize)]
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
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Finished {
    pub(super) host: HostId,
    pub(super) visit: VisitRow,
    #[serde(skip)]
    pub(super) records: Vec<u8>,
    pub(super) copy: Option<CopyRow>,
    pub(super) aside: Option<AsideRow>,
    pub(super) features: Option<FeaturesRow>,
    pub(super) found: Vec<Found>,
    /// Links that a guard refused.
    pub(super) left_out: LeftOut,
    /// The kind of list it is, if it is one whose dates were read.
    pub(super) list: Option<ListKind>,
    /// Whether the page was read, so that `found` is all it links to.
    pub(super) read: bool,
    pub(super) signal: Signal,
    /// Who answered.
    pub(super) address: Option<IpAddr>,
    /// The room of a large body, kept until its records are written.
    #[serde(skip)]
    pub(super) space: Option<Space>,
}

/// A visit that was broken off, through no fault of the page: it is as if it had not begun, but for its requests.
pub(super) struct BrokenOff {
    pub(super) page: Box<Assignment>,
    pub(super) requests: u32,
    /// The room for large bodies that was missing; zero if that was not it.
    pub(super) needs: usize,
}

/// What the fetch of a robots.txt brought.
#[derive(Debug, Deserialize, Serialize)]
pub(super) enum RobotsAnswer {
    /// The file, or the news that there is none.
    Is(RobotsRow),
    /// It is elsewhere.
    MovedTo(Url),
    /// The server could not be reached or is in trouble: nothing may be fetched.
    OutOfReach { rule: Rule, detail: String },
}

/// A robots.txt was asked for.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct FetchedRobots {
    pub(super) answer: RobotsAnswer,
    pub(super) signal: Signal,
    /// Who answered.
    pub(super) address: Option<IpAddr>,
}

/// Hears, before a visit is over, that the host has answered so many requests, and from where: what takes long to judge keeps
/// nobody waiting.
pub(super) type Answered<'a> = &'a (dyn Fn(Signal, IpAddr, u32) + Sync);

/// Visits a page.
pub(super) async fn visit(
    context: &Arc<Context>,
    page: Box<Assignment>,
    answered: Answered<'_>,
) -> Result<Finished, BrokenOff> {
    visit_at(context, page, context.clock.now(), answered).await
}

/// Visits a page at the time at which somebody else began to: until a process of its own stands, its clock has moved on.
pub(super) async fn visit_at(
    context: &Arc<Context>,
    page: Box<Assignment>,
    at: Time,
    answered: Answered<'_>,
) -> Result<Finished, BrokenOff> {
    let validators = page.validators(&context.settings);
    if page.source.is_some() {
        // In a box: few pages are sources, and every visit would have to carry the room that their steps need.
        return Box::pin(visit_source(context, page, validators, at, answered)).await;
    }
    let mut space = context.fetcher.space(&page.url, false);
    let mut requests = 1;
    let mut fetched = context.fetcher.ask(&page.url, &Question::default(), &validators, &mut space).await;
    if let Some(spelling) = fetched.as_ref().ok().and_then(|exchange| other_spelling(&page, exchange)) {
        requests = 2;
        fetched = Box::pin(ask_as_spelled(context, &page, spelling, &validators, &mut space)).await;
    }
    let exchange = match fetched {
        Ok(exchange) => exchange,
        Err(error) if error.is_ours() => return Err(BrokenOff { page, requests, needs: space.wanted() }),
        Err(error) => {
            let mut failed = Finished::told_nothing(&page, at, error.rule(), error.to_string(), trouble(&error));
            failed.visit.requests = requests;
            return Ok(failed);
        }
    };
    let address = Some(exchange.address.ip());
    let mut finished = match judge_here(context, &page, std::slice::from_ref(&exchange), None, at) {
        Ok(finished) => finished,
        Err(TooMuch) => Box::pin(judge_elsewhere(context, page, vec![exchange], at, answered, &mut space)).await?,
    };
    finished.visit.requests = requests;
    Ok(Finished { space: Some(space), address, ..finished })
}

/// The page's own URL in another spelling (`/%7Eu`, `/q?`, with the number of a session), if that is where it redirects to and
/// its host lets us ask for it: to us these are one page, which is what is there.
fn other_spelling(page: &Assignment, exchange: &Exchange) -> Option<Url> {
    let target = exchange.redirect()?.target.ok()?;
    let is_allowed = page.host_rules.as_ref().is_some_and(|rules| rules.robots.allows(&target));
    let is_other =
        target != exchange.url && normalise::normalise(target.clone()).is_ok_and(|target| target == page.url);
    (is_other && is_allowed).then_some(target)
}

/// Asks for a page as its host spells its URL, when the host may be asked again. What it says is archived under the URL of the page.
async fn ask_as_spelled(
    context: &Context,
    page: &Assignment,
    spelling: Url,
    validators: &Validators,
    space: &mut Space,
) -> Result<Exchange, FetchError> {
    let delay = page.host_rules.as_ref().map_or(Span::ZERO, |rules| rules.delay);
    context.clock.sleep_until(context.clock.now() + delay).await;
    let exchange = context.fetcher.ask(&spelling, &Question::default(), validators, space).await?;
    Ok(Exchange { url: page.url.clone(), ..exchange })
}

/// Judges a visit in its own task, if that takes little.
fn judge_here(
    context: &Context,
    page: &Assignment,
    exchanges: &[Exchange],
    held: Option<Result<Held, Refusal>>,
    at: Time,
) -> Result<Finished, TooMuch> {
    let reach = Reach::here(&context.settings);
    let is_large = |exchange: &Exchange| exchange.body.len() > reach.most(exchange.content_type());
    if exchanges.iter().any(is_large) || context.heavy.is_next(page.host) {
        return Err(TooMuch);
    }
    let judged = judge(context, page, exchanges, held, at, &reach);
    context.heavy.tried(page.host, judged.is_err());
    judged
}

/// Judges a visit that takes more, in a process of its own, if this is not one. What waits for that has room for its bytes,
/// however small it is, so that any number may wait.
async fn judge_elsewhere(
    context: &Arc<Context>,
    mut page: Box<Assignment>,
    exchanges: Vec<Exchange>,
    at: Time,
    answered: Answered<'_>,
    space: &mut Space,
) -> Result<Finished, BrokenOff> {
    // Whoever judges asks for nothing more.
    page.host_rules = None;
    let Some(apart) = &context.apart else {
        return Ok(judge_apart(context, &page, &exchanges, at, &Reach::apart(&context.settings)));
    };
    let bytes = exchanges.iter().map(|exchange| exchange.body.len() + exchange.response_head.len() + WAITING_BYTES);
    let requests = exchanges.len() as u32;
    if space.hold(bytes.sum(), &page.url).await.is_err() {
        return Err(BrokenOff { page, requests, needs: space.wanted() });
    }
    if let [first, ..] = &exchanges[..] {
        answered(mood(first, at), first.address.ip(), requests);
    }
    match apart.judge(context, &page, &exchanges, at, space).await {
        Ok(finished) => Ok(finished),
        Err(NotJudged::GaveWay) => Err(BrokenOff { page, requests, needs: space.wanted() }),
        Err(NotJudged::Died(Died(why))) => {
            // Records are made of all its bytes, which takes a while too.
            let context = Arc::clone(context);
            Ok(blocking(move || judge_by_bytes(&context, &page, &exchanges, at, &why, false)).await)
        }
    }
}

/// Judges a visit as far as the collection's limits allow.
pub(super) fn judge_apart(
    context: &Context,
    page: &Assignment,
    exchanges: &[Exchange],
    at: Time,
    reach: &Reach,
) -> Finished {
    let is_source = page.source.is_some() && is_success(exchanges);
    let held = if is_source { held_again(page, exchanges, reach) } else { None };
    let judged = judge(context, page, exchanges, held, at, reach);
    judged.unwrap_or_else(|TooMuch| judge_by_bytes(context, page, exchanges, at, "it takes too much", true))
}

fn is_success(exchanges: &[Exchange]) -> bool {
    exchanges.first().is_some_and(|first| brings_version(first.status))
}

/// Visits a page that is asked in a way of its own.
async fn visit_source(
    context: &Arc<Context>,
    page: Box<Assignment>,
    validators: Validators,
    at: Time,
    answered: Answered<'_>,
) -> Result<Finished, BrokenOff> {
    let mut gathering = Gathering::new(context, &page);
    let gathered = gathering.gather(&validators).await;
    let Gathering { mut space, exchanges, requests, .. } = gathering;
    let address = exchanges.last().map(|exchange| exchange.address.ip());
    let broken_off = |broken_off: BrokenOff| BrokenOff { requests, ..broken_off };
    let mut finished = match gathered {
        Err(NoAnswer::BrokenOff) => return Err(BrokenOff { page, requests, needs: space.wanted() }),
        Err(NoAnswer::Failed { rule, detail, signal }) => Finished::told_nothing(&page, at, rule, detail, signal),
        // Its answers were not read here.
        Ok(None) if is_success(&exchanges) => {
            judge_elsewhere(context, page, exchanges, at, answered, &mut space).await.map_err(broken_off)?
        }
        Ok(held) => match judge_here(context, &page, &exchanges, held, at) {
            Ok(finished) => finished,
            Err(TooMuch) => {
                judge_elsewhere(context, page, exchanges, at, answered, &mut space).await.map_err(broken_off)?
            }
        },
    };
    finished.visit.requests = requests.max(1);
    Ok(Finished { space: Some(space), address, ..finished })
}

/// A failure that concerns the whole host, or just this page.
pub(super) fn trouble(error: &FetchError) -> Signal {
    match error {
        FetchError::Dns { .. }
        | FetchError::DnsTimeout { .. }
        | FetchError::Connect { .. }
        | FetchError::ConnectTimeout { .. }
        | FetchError::Tls { .. }
        | FetchError::FirstByteTimeout { .. }
        | FetchError::TotalTimeout { .. }
        | FetchError::GaveWay { .. } => Signal::Trouble,
        _ => Signal::Fine,
    }
}

/// How much of a robots.txt is kept; RFC 9309 asks for at least this.
const ROBOTS_BYTES: usize = 500 << 10;

/// Fetches a robots.txt; `None` if that was broken off, through no fault of its host.
pub(super) async fn robots(context: &Context, url: Url) -> Option<FetchedRobots> {
    robots_at(context, url, context.clock.now()).await
}

/// Fetches a robots.txt at the time at which somebody else began to.
pub(super) async fn robots_at(context: &Context, url: Url, at: Time) -> Option<FetchedRobots> {
    let exchange = match context.fetcher.get(&url, &Validators::default()).await {
        Ok(exchange) => exchange,
        Err(error) if error.is_ours() => return None,
        Err(error) => {
            let detail = format!("robots.txt is out of reach: {error}");
            let answer = RobotsAnswer::OutOfReach { rule: error.rule(), detail };
            return Some(FetchedRobots { answer, signal: Signal::Trouble, address: None });
        }
    };
    let address = Some(exchange.address.ip());
    let fetched = |answer, signal| Some(FetchedRobots { answer, signal, address });
    if let Some(Redirect { target: Ok(target), .. }) = exchange.redirect() {
        return fetched(RobotsAnswer::MovedTo(target), Signal::Fine);
    }
    if exchange.status >= 500 || exchange.status == 429 {
        let detail = format!("robots.txt is out of reach: {url} answered with status {}", exchange.status);
        let signal = Signal::SlowDown(exchange.retry_after(at));
        return fetched(RobotsAnswer::OutOfReach { rule: Rule::RobotsUnreachable, detail }, signal);
    }
    // RFC 9309 has crawlers parse what they can.
    let (status, body) = (exchange.status, exchange.beginning(ROBOTS_BYTES).to_vec());
    fetched(RobotsAnswer::Is(RobotsRow { status, body, at }), Signal::Fine)
}

impl Finished {
    fn told_nothing(page: &Assignment, at: Time, rule: Rule, detail: String, signal: Signal) -> Finished {
        let visit = Visit { page: page.page, at, outcome: Outcome::Failed };
        Finished { signal, ..Finished::failed(page.host, visit, rule, detail) }
    }

    /// The visit of a page whose task did not come to its end.
    pub(super) fn without_answer(host: HostId, page: PageId, at: Time, rule: Rule, detail: String) -> Finished {
        Finished::failed(host, Visit { page, at, outcome: Outcome::Failed }, rule, detail)
    }

    /// The same visit as one that told nothing of its page, for a reason found after it was judged.
    pub(super) fn into_failed(self, rule: Rule, detail: String) -> Finished {
        let Finished { host, signal, address, space, visit: VisitRow { visit, answer, requests, .. }, .. } = self;
        let failed = Finished::failed(host, Visit { outcome: Outcome::Failed, ..visit }, rule, detail);
        let visit = VisitRow { answer, requests, ..failed.visit };
        Finished { visit, signal, address, space, ..failed }
    }

    fn failed(host: HostId, visit: Visit, rule: Rule, detail: String) -> Finished {
        Finished {
            host,
            visit: VisitRow {
                visit,
                rule,
                detail: Some(detail),
                answer: None,
                capture: None,
                parts: Vec::new(),
                requests: 1,
            },
            records: Vec::new(),
            copy: None,
            aside: None,
            features: None,
            found: Vec::new(),
            left_out: LeftOut::default(),
            list: None,
            read: false,
            signal: Signal::Fine,
            address: None,
            space: None,
        }
    }
}
