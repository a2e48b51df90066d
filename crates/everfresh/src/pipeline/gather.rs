//! A source is asked step by step, as its handler says: every request under the host's politeness and robots.txt, as if each
//! were a visit. All its answers together have a limit of size, and between two of them the crawl may be stopped.

use std::sync::Arc;

use revisit::{Signal, Span};
use serde::{Deserialize, Serialize};
use url::{Position, Url};

use super::apart::blocking;
use super::context::Context;
use super::visit::{Assignment, trouble};
use crate::fetch::{Exchange, FetchError, Robots, Space, Validators, decoded};
use crate::sources::{Answer, Handler, Held, Refusal, Source, Step};

/// What the host of a source asks of those who come.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct HostRules {
    pub(super) delay: Span,
    pub(super) robots: Arc<Robots>,
}

/// Why there is nothing to judge.
pub(super) enum NoAnswer {
    /// The visit failed.
    Failed { rule: &'static str, detail: String, signal: Signal },
    /// It was broken off, through no fault of the source, and is to be made again.
    BrokenOff,
}

impl NoAnswer {
    fn failed(rule: &'static str, detail: String) -> NoAnswer {
        NoAnswer::Failed { rule, detail, signal: Signal::Fine }
    }
}

impl From<FetchError> for NoAnswer {
    fn from(error: FetchError) -> NoAnswer {
        match error {
            FetchError::Crowded { .. } => NoAnswer::BrokenOff,
            error => NoAnswer::Failed { rule: error.reason(), detail: error.to_string(), signal: trouble(&error) },
        }
    }
}

impl From<Refusal> for NoAnswer {
    fn from(refusal: Refusal) -> NoAnswer {
        NoAnswer::failed(refusal.reason(), refusal.to_string())
    }
}

/// What a handler says to an answer: the next step, if there is one.
type Taken = Result<Option<Step>, Refusal>;

/// The visit of a source: what was asked, and what came.
pub(super) struct Gathering<'a> {
    context: &'a Arc<Context>,
    page: &'a Assignment,
    /// What its answers take: one permit for all of them.
    pub(super) space: Space,
    pub(super) exchanges: Vec<Exchange>,
    /// Requests made, those without an answer too.
    pub(super) requests: u32,
    /// Bytes of all answers, as sent and decoded.
    sent: usize,
    decoded: usize,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(context: &'a Arc<Context>, page: &'a Assignment, source: &Source) -> Gathering<'a> {
        let space = if source.has_parts() { context.fetcher.space_for_parts() } else { context.fetcher.space() };
        Gathering { context, page, space, exchanges: Vec::new(), requests: 0, sent: 0, decoded: 0 }
    }

    /// Asks a source until its answers are whole, and says what they hold; `None` if the first answer was no success: its
    /// status says what that means.
    pub(super) async fn gather(
        &mut self,
        source: &Source,
        validators: &Validators,
    ) -> Result<Option<Result<Held, Refusal>>, NoAnswer> {
        let mut handler = source.handler(&self.page.url)?;
        let mut status = self.ask(handler.first(), validators).await?;
        if !(200..300).contains(&status) {
            return Ok(None);
        }
        loop {
            let (taken, returned) = self.take(handler).await?;
            handler = returned;
            let step = match taken {
                Ok(Some(step)) => step,
                Ok(None) => return Ok(Some(Ok(handler.finish()))),
                Err(refusal) => return Ok(Some(Err(refusal))),
            };
            self.prepare(&step.url).await?;
            status = self.ask(step, &Validators::default()).await?;
            self.check(status)?;
        }
    }

    async fn ask(&mut self, step: Step, validators: &Validators) -> Result<u16, NoAnswer> {
        let Step { url, question } = step;
        self.requests += 1;
        let exchange = self.context.fetcher.ask(&url, &question, validators, &mut self.space).await?;
        let status = exchange.status;
        self.exchanges.push(exchange);
        Ok(status)
    }

    /// Shows the handler the last answer and gives it back. Reading one may take a while, so others are not made to wait for
    /// it, and memory, so few are read at once.
    async fn take(&mut self, mut handler: Box<dyn Handler>) -> Result<(Taken, Box<dyn Handler>), NoAnswer> {
        let Some(exchange) = self.exchanges.last() else { return Ok((Ok(None), handler)) };
        let (coded, url, status) = (exchange.body.clone(), exchange.url.clone(), exchange.status);
        let (headers, limits, parts) = (exchange.headers.clone(), &self.context.settings.fetch, self.exchanges.len());
        let (max, most) = (limits.max_decoded_bytes, limits.max_source_bytes);
        self.sent += coded.len();
        let (sent, before) = (self.sent, self.decoded);
        let _reading = self.context.reading.acquire().await;
        let taken = blocking(self.context, move |_| {
            let body = decoded(&url, &coded, &headers, max)?;
            let all = before + body.len();
            if sent.max(all) > most {
                return Err(NoAnswer::from(Refusal::TooLarge { limit: most, parts }));
            }
            let taken = handler.take(Answer { url, status, headers, body });
            Ok((all, taken, handler))
        });
        let (all, taken, handler) = taken.await?;
        self.decoded = all;
        Ok((taken, handler))
    }

    /// Before a further request: whether it may be made, and when.
    async fn prepare(&mut self, url: &Url) -> Result<(), NoAnswer> {
        let (number, rules) = (self.exchanges.len() + 1, self.page.host_rules.as_ref());
        if origin(url) != origin(&self.page.url) {
            let detail = format!("its part {number} is on another host, {url}; add that one too");
            return Err(NoAnswer::failed("elsewhere", detail));
        }
        if rules.is_some_and(|rules| !rules.robots.allows(url)) {
            return Err(NoAnswer::failed("robots", format!("robots.txt forbids its part {number}, {url}, to us")));
        }
        self.space.hold(self.sent.max(self.decoded), url).await?;
        let delay = rules.map_or(Span::ZERO, |rules| rules.delay);
        let (clock, mut stopping) = (&self.context.clock, self.context.stopping.clone());
        tokio::select! {
            biased;
            () = stopping.asked() => Err(NoAnswer::BrokenOff),
            () = clock.sleep_until(clock.now() + delay) => Ok(()),
        }
    }

    /// A part that is no success leaves nothing whole.
    fn check(&self, status: u16) -> Result<(), NoAnswer> {
        let number = self.exchanges.len();
        let retry = || self.exchanges.last().and_then(|exchange| exchange.retry_after(self.context.clock.now()));
        let signal = match status {
            200..300 => return Ok(()),
            429 | 503 => Signal::SlowDown(retry()),
            _ => Signal::Fine,
        };
        let detail = format!("part {number} was answered with status {status}");
        Err(NoAnswer::Failed { rule: "status", detail, signal })
    }
}

/// What the exchanges of a source hold, seen once more: as when they were gathered.
pub(super) fn replay(
    context: &Context,
    page: &Url,
    source: &Source,
    exchanges: &[Exchange],
) -> Option<Result<Held, Refusal>> {
    let max = context.settings.fetch.max_decoded_bytes;
    let is_success = exchanges.first().is_some_and(|first| (200..300).contains(&first.status));
    let held = || {
        let mut handler = source.handler(page)?;
        for exchange in exchanges {
            let body = exchange.content(max).map_err(|error| Refusal::Unreadable(error.to_string()))?;
            let (url, headers) = (exchange.url.clone(), exchange.headers.clone());
            handler.take(Answer { url, status: exchange.status, headers, body })?;
        }
        Ok(handler.finish())
    };
    is_success.then(held)
}

fn origin(url: &Url) -> &str {
    &url[..Position::BeforePath]
}
