//! A source is asked step by step, as its handler says: every request under the host's politeness and robots.txt, as if each
//! were a visit.

use revisit::{Signal, Span};
use tokio::sync::SemaphorePermit;
use url::{Position, Url};

use super::context::Context;
use super::visit::{Assignment, trouble};
use crate::fetch::{Exchange, FetchError, Robots, Validators};
use crate::sources::{Answer, Handler, Held, Refusal, Source, Step};

/// What the host of a source asks of those who come.
#[derive(Clone, Debug)]
pub(super) struct HostRules {
    pub(super) delay: Span,
    pub(super) robots: Robots,
}

/// The exchanges of a visit, and what they hold.
pub(super) struct Gathered<'a> {
    pub(super) exchanges: Vec<Exchange>,
    /// `None` if the first answer was no success: its status says what that means.
    pub(super) held: Option<Result<Held, Refusal>>,
    /// Keeps the number of sources whose many parts are held at once small.
    _permit: Option<SemaphorePermit<'a>>,
}

/// Why there is nothing to judge.
pub(super) struct Failed {
    pub(super) rule: &'static str,
    pub(super) detail: String,
    pub(super) signal: Signal,
}

impl From<FetchError> for Failed {
    fn from(error: FetchError) -> Failed {
        Failed { rule: error.reason(), detail: error.to_string(), signal: trouble(&error) }
    }
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Failed {
        Failed { rule: refusal.reason(), detail: refusal.to_string(), signal: Signal::Fine }
    }
}

/// Asks a source until its answers are whole.
pub(super) async fn gather<'a>(
    context: &'a Context,
    page: &Assignment,
    source: &Source,
    validators: &Validators,
) -> Result<Gathered<'a>, Failed> {
    let mut handler = source.handler(&page.url)?;
    let Step { url, question } = handler.first();
    let mut gathered = Gathered { exchanges: Vec::new(), held: None, _permit: None };
    let first = context.fetcher.ask(&url, &question, validators).await?;
    let is_success = (200..300).contains(&first.status);
    gathered.exchanges.push(first);
    if !is_success {
        return Ok(gathered);
    }
    loop {
        let taken = take(context, handler.as_mut(), gathered.exchanges.last())?;
        let step = match taken {
            Ok(Some(step)) => step,
            Ok(None) => break,
            Err(refusal) => {
                gathered.held = Some(Err(refusal));
                return Ok(gathered);
            }
        };
        if gathered._permit.is_none() {
            gathered._permit = context.many_parts.acquire().await.ok();
        }
        let exchange = further(context, page, step, gathered.exchanges.len() + 1).await?;
        gathered.exchanges.push(exchange);
    }
    gathered.held = Some(Ok(handler.finish()));
    Ok(gathered)
}

/// Shows the handler an answer. Reading one may take a while, so others are not made to wait for it.
fn take(
    context: &Context,
    handler: &mut dyn Handler,
    exchange: Option<&Exchange>,
) -> Result<Result<Option<Step>, Refusal>, Failed> {
    let Some(exchange) = exchange else { return Ok(Ok(None)) };
    let body = exchange.content(context.settings.fetch.max_decoded_bytes)?;
    let (url, headers) = (exchange.url.clone(), exchange.headers.clone());
    let answer = Answer { url, status: exchange.status, headers, body };
    Ok(tokio::task::block_in_place(|| handler.take(answer)))
}

/// A further exchange with the same host.
async fn further(context: &Context, page: &Assignment, step: Step, number: usize) -> Result<Exchange, Failed> {
    let Step { url, question } = step;
    let failed = |rule, detail| Failed { rule, detail, signal: Signal::Fine };
    let rules = page.host_rules.as_ref();
    if origin(&url) != origin(&page.url) {
        return Err(failed("elsewhere", format!("its part {number} is on another host, {url}; add that one too")));
    }
    if rules.is_some_and(|rules| !rules.robots.allows(&url)) {
        return Err(failed("robots", format!("robots.txt forbids its part {number}, {url}, to us")));
    }
    let delay = rules.map_or(Span::ZERO, |rules| rules.delay);
    context.clock.sleep_until(context.clock.now() + delay).await;
    let mut exchange = context.fetcher.ask(&url, &question, &Validators::default()).await?;
    // Two visits that hold a permit for one part and wait for another's would wait for ever.
    exchange.large = None;
    match exchange.status {
        200..300 => Ok(exchange),
        429 | 503 => {
            let signal = Signal::SlowDown(exchange.retry_after(context.clock.now()));
            Err(Failed {
                signal,
                ..failed("status", format!("part {number} was answered with status {}", exchange.status))
            })
        }
        status => Err(failed("status", format!("part {number} was answered with status {status}"))),
    }
}

fn origin(url: &Url) -> &str {
    &url[..Position::BeforePath]
}
