//! A source is asked step by step, as its handler says: every request under the host's politeness and robots.txt, as if each
//! were a visit. All its answers together have a limit of size, and between two of them the crawl may be stopped.

use std::sync::Arc;

use revisit::{Signal, Span};
use serde::{Deserialize, Serialize};
use url::{Position, Url};

use super::apart::{Died, NotJudged};
use super::context::Context;
use super::reading::{NoStep, Read, Reading};
use super::visit::{Assignment, trouble};
use crate::fetch::{Exchange, FetchError, Robots, Space, Validators, brings_version};
use crate::rule::Rule;
use crate::sources::{Held, Refusal, Step};

/// What the host of a source asks of those who come.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct HostRules {
    pub(super) delay: Span,
    pub(super) robots: Arc<Robots>,
}

/// Why there is nothing to judge.
pub(super) enum NoAnswer {
    /// The visit failed.
    Failed { rule: Rule, detail: String, signal: Signal },
    /// It was broken off, through no fault of the source, and is to be made again.
    BrokenOff,
}

impl NoAnswer {
    fn failed(rule: Rule, detail: String) -> NoAnswer {
        NoAnswer::Failed { rule, detail, signal: Signal::Fine }
    }
}

impl From<FetchError> for NoAnswer {
    fn from(error: FetchError) -> NoAnswer {
        match error {
            error if error.is_ours() => NoAnswer::BrokenOff,
            error => NoAnswer::Failed { rule: error.rule(), detail: error.to_string(), signal: trouble(&error) },
        }
    }
}

impl From<Refusal> for NoAnswer {
    fn from(refusal: Refusal) -> NoAnswer {
        NoAnswer::failed(refusal.rule(), refusal.to_string())
    }
}

impl From<NoStep> for NoAnswer {
    fn from(no_step: NoStep) -> NoAnswer {
        match no_step {
            NoStep::Undecoded(error) => error.into(),
            NoStep::Refused(refusal) => refusal.into(),
            NoStep::Unread(NotJudged::GaveWay) => NoAnswer::BrokenOff,
            NoStep::Unread(NotJudged::Died(Died(why))) => {
                NoAnswer::failed(Rule::Unjudged, format!("its answers could not be read: {why}"))
            }
        }
    }
}

/// The visit of a source: what was asked, and what came.
pub(super) struct Gathering<'a> {
    context: &'a Arc<Context>,
    page: &'a Assignment,
    /// The room of all its answers.
    pub(super) space: Space,
    pub(super) exchanges: Vec<Exchange>,
    /// Requests made, those without an answer too.
    pub(super) requests: u32,
    /// Bytes of all answers, as sent and decoded.
    sent: usize,
    decoded: usize,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(context: &'a Arc<Context>, page: &'a Assignment) -> Gathering<'a> {
        let space = context.fetcher.space(&page.url, page.has_parts());
        Gathering { context, page, space, exchanges: Vec::new(), requests: 0, sent: 0, decoded: 0 }
    }

    /// Asks a source until its answers are whole, and says what they hold; `None` if the first answer brought no version,
    /// whose status says what that means, and if they are too large to be read here.
    pub(super) async fn gather(&mut self, validators: &Validators) -> Result<Option<Result<Held, Refusal>>, NoAnswer> {
        let (mut reading, first) = Reading::begin(self.page)?;
        let mut status = self.ask(first, validators).await?;
        if !brings_version(status) {
            return Ok(None);
        }
        loop {
            let step = match self.read(&mut reading).await {
                Ok(Some(step)) => step,
                Ok(None) => return Ok(reading.held().map(Ok)),
                // What is too large is not looked at once more to say so.
                Err(NoStep::Refused(refusal)) if !refusal.is_limit() => return Ok(Some(Err(refusal))),
                // The judge finds that too, and keeps what was sent.
                Err(NoStep::Undecoded(FetchError::Decode { .. })) if self.requests == 1 => return Ok(None),
                Err(no_step) => return Err(no_step.into()),
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

    /// Reads the last answer, to know what to ask next.
    async fn read(&mut self, reading: &mut Reading) -> Result<Option<Step>, NoStep> {
        self.sent += self.exchanges.last().map_or(0, |exchange| exchange.body.len());
        self.check_size()?;
        let Read { step, decoded } = reading.next(self.context, self.page, &self.exchanges, &mut self.space).await?;
        self.decoded = decoded;
        self.check_size()?;
        Ok(step)
    }

    /// All answers together must stay within a limit.
    fn check_size(&self) -> Result<(), NoStep> {
        let (limit, parts) = (self.context.settings.fetch.max_source_bytes, self.exchanges.len());
        let is_within = self.sent.max(self.decoded) <= limit;
        if is_within { Ok(()) } else { Err(NoStep::Refused(Refusal::TooLarge { limit, parts })) }
    }

    /// Before a further request: whether it may be made, and when.
    async fn prepare(&mut self, url: &Url) -> Result<(), NoAnswer> {
        let (number, rules) = (self.exchanges.len() + 1, self.page.host_rules.as_ref());
        if origin(url) != origin(&self.page.url) {
            let detail = format!("its part {number} is on another host, {url}; add that one too");
            return Err(NoAnswer::failed(Rule::Elsewhere, detail));
        }
        if rules.is_some_and(|rules| !rules.robots.allows(url)) {
            return Err(NoAnswer::failed(Rule::Robots, format!("robots.txt forbids its part {number}, {url}, to us")));
        }
        self.space.hold_large(self.sent.max(self.decoded), url).await?;
        let delay = rules.map_or(Span::ZERO, |rules| rules.delay);
        let (clock, mut stopping) = (&self.context.clock, self.context.stopping.clone());
        tokio::select! {
            biased;
            () = stopping.asked() => Err(NoAnswer::BrokenOff),
            () = self.space.asked_to_leave() => Err(NoAnswer::BrokenOff),
            () = clock.sleep_until(clock.now() + delay) => Ok(()),
        }
    }

    /// A part that is no success leaves nothing whole.
    fn check(&self, status: u16) -> Result<(), NoAnswer> {
        let number = self.exchanges.len();
        let retry = || self.exchanges.last().and_then(|exchange| exchange.retry_after(self.context.clock.now()));
        let signal = match status {
            _ if brings_version(status) => return Ok(()),
            429 | 503 => Signal::SlowDown(retry()),
            _ => Signal::Fine,
        };
        let detail = format!("part {number} was answered with status {status}");
        Err(NoAnswer::Failed { rule: Rule::Status, detail, signal })
    }
}

fn origin(url: &Url) -> &str {
    &url[..Position::BeforePath]
}
