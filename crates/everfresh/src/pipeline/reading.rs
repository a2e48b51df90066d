//! Reading the answers of a source, to know what to ask next: here as long as they are small, apart from then on.
//!
//! Who reads apart has not seen the answers before and reads all of them again. That costs some time where there are many
//! large parts, and keeps every parser of a source where it can do no harm.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::apart::NotJudged;
use super::context::Context;
use super::judge::Reach;
use super::visit::Assignment;
use crate::fetch::{Exchange, FetchError, Space};
use crate::sources::{Answer, Handler, Held, Refusal, Source, Step};

/// What reading came to.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Read {
    /// What to ask next; `None` if the answers are whole, or will never be.
    pub(super) step: Option<Step>,
    /// Bytes of all answers, decoded.
    pub(super) decoded: usize,
}

/// The answers of a source, as far as they were read.
pub(super) struct Reading {
    /// `None` from the first answer on that is too large to be read here.
    handler: Option<Box<dyn Handler>>,
    decoded: usize,
}

/// Why there is nothing to ask.
pub(super) enum NoStep {
    /// An answer cannot be decoded.
    Undecoded(FetchError),
    /// The answers are no version of the source.
    Refused(Refusal),
    /// Nobody could read them.
    Unread(NotJudged),
}

impl From<NotJudged> for NoStep {
    fn from(not_judged: NotJudged) -> NoStep {
        NoStep::Unread(not_judged)
    }
}

impl Reading {
    /// Nothing read yet; also says what to ask first.
    pub(super) fn begin(page: &Assignment) -> Result<(Reading, Step), Refusal> {
        let handler = handler(page)?;
        let first = handler.first();
        Ok((Reading { handler: Some(handler), decoded: 0 }, first))
    }

    /// Reads the last of the exchanges so far and says what to ask next.
    pub(super) async fn next(
        &mut self,
        context: &Arc<Context>,
        page: &Assignment,
        exchanges: &[Exchange],
        space: &mut Space,
    ) -> Result<Read, NoStep> {
        let Some(last) = exchanges.last() else { return Ok(Read { step: None, decoded: self.decoded }) };
        let Some(apart) = &context.apart else { return self.take(last, &Reach::apart(&context.settings)) };
        if self.handler.is_some() {
            match self.take(last, &Reach::here(&context.settings)) {
                Err(NoStep::Undecoded(FetchError::DecodedTooLarge { .. })) => self.handler = None,
                taken => return taken,
            }
        }
        Ok(apart.next(context, page, exchanges, context.clock.now(), space).await?)
    }

    fn take(&mut self, exchange: &Exchange, reach: &Reach) -> Result<Read, NoStep> {
        let answer = answer(exchange, reach, self.decoded).map_err(NoStep::Undecoded)?;
        self.decoded += answer.body.len();
        let step = self.handler.as_mut().map(|handler| handler.take(answer)).transpose().map_err(NoStep::Refused)?;
        Ok(Read { step: step.flatten(), decoded: self.decoded })
    }

    /// What the answers hold; `None` if they were read apart, where they will be judged too.
    pub(super) fn held(self) -> Option<Held> {
        self.handler.map(|handler| handler.finish())
    }
}

fn handler(page: &Assignment) -> Result<Box<dyn Handler>, Refusal> {
    page.source.as_deref().unwrap_or(&Source::default()).handler(&page.url)
}

/// An answer as handlers take it, within reach together with `before` bytes that came before it.
fn answer(exchange: &Exchange, reach: &Reach, before: usize) -> Result<Answer, FetchError> {
    let claimed = Answer {
        url: exchange.url.clone(),
        status: exchange.status,
        headers: exchange.headers.clone(),
        body: Default::default(),
    };
    let body = exchange.content(reach.room_for(claimed.format(), before))?;
    Ok(Answer { body, ..claimed })
}

/// Reads all answers of a source again, as when they came.
fn again(page: &Assignment, exchanges: &[Exchange], reach: &Reach) -> Result<(Read, Box<dyn Handler>), NoStep> {
    let mut handler = handler(page).map_err(NoStep::Refused)?;
    let mut read = Read { step: None, decoded: 0 };
    for exchange in exchanges {
        let answer = answer(exchange, reach, 0).map_err(NoStep::Undecoded)?;
        reach.allow(answer.body.len());
        read.decoded += answer.body.len();
        read.step = handler.take(answer).map_err(NoStep::Refused)?;
    }
    Ok((read, handler))
}

/// What to ask after these exchanges. Why there may be nothing to ask is found again by whoever judges.
pub(super) fn next_again(page: &Assignment, exchanges: &[Exchange], reach: &Reach) -> Read {
    again(page, exchanges, reach).map_or(Read { step: None, decoded: 0 }, |(read, _)| read)
}

/// What all answers of a source hold, read again; `None` if the one answer cannot be decoded, as the judge will find too.
pub(super) fn held_again(page: &Assignment, exchanges: &[Exchange], reach: &Reach) -> Option<Result<Held, Refusal>> {
    match again(page, exchanges, reach) {
        Ok((_, handler)) => Some(Ok(handler.finish())),
        Err(NoStep::Refused(refusal)) => Some(Err(refusal)),
        Err(NoStep::Undecoded(error)) if exchanges.len() > 1 => Some(Err(Refusal::Unreadable(error.to_string()))),
        Err(NoStep::Undecoded(_) | NoStep::Unread(_)) => None,
    }
}
