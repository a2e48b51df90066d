//! A source is asked step by step, as its handler says: every request under the host's politeness and robots.txt, as if each
//! were a visit.

use std::sync::Arc;

use revisit::{Signal, Span};
use serde::{Deserialize, Serialize};
use tokio::sync::SemaphorePermit;
use url::{Position, Url};

use super::apart::Died;
use super::context::Context;
use super::reading::{NoStep, Reading};
use super::visit::{Assignment, trouble};
use crate::fetch::{Exchange, FetchError, Robots, Validators};
use crate::sources::{Held, Refusal, Step};

/// What the host of a source asks of those who come.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct HostRules {
    pub(super) delay: Span,
    pub(super) robots: Robots,
}

/// The exchanges of a visit, and what they hold.
pub(super) struct Gathered<'a> {
    pub(super) exchanges: Vec<Exchange>,
    /// `None` if the first answer was no success, whose status says what that means; and if the answers are too large to be
    /// read here.
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

impl From<NoStep> for Failed {
    fn from(no_step: NoStep) -> Failed {
        match no_step {
            NoStep::Undecoded(error) => error.into(),
            NoStep::Refused(refusal) => refusal.into(),
            NoStep::Unread(Died(why)) => {
                let detail = format!("its answers could not be read: {why}");
                Failed { rule: "unjudged", detail, signal: Signal::Fine }
            }
        }
    }
}

/// Asks a source until its answers are whole.
pub(super) async fn gather<'a>(
    context: &'a Arc<Context>,
    page: &Assignment,
    validators: &Validators,
) -> Result<Gathered<'a>, Failed> {
    let (mut reading, Step { url, question }) = Reading::begin(page)?;
    let mut gathered = Gathered { exchanges: Vec::new(), held: None, _permit: None };
    let first = context.fetcher.ask(&url, &question, validators).await?;
    let is_success = (200..300).contains(&first.status);
    gathered.exchanges.push(first);
    if !is_success {
        return Ok(gathered);
    }
    loop {
        let step = match reading.next(context, page, &gathered.exchanges).await {
            Ok(Some(step)) => step,
            Ok(None) => break,
            Err(NoStep::Refused(refusal)) => {
                gathered.held = Some(Err(refusal));
                return Ok(gathered);
            }
            Err(no_step) => return Err(no_step.into()),
        };
        if gathered._permit.is_none() {
            gathered._permit = context.many_parts.acquire().await.ok();
        }
        let exchange = further(context, page, step, gathered.exchanges.len() + 1).await?;
        gathered.exchanges.push(exchange);
    }
    gathered.held = reading.held().map(Ok);
    Ok(gathered)
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
