//! What reaches the loop from outside: what tasks say when they are done, and what the writer made durable.
//!
//! All that is there is taken at once, in an order that does not depend on who was faster. On the stepped clock that is all
//! that happens at one instant, so that a crawl does the same on every machine.

use std::pin::pin;

use tokio::sync::mpsc;

use super::crawl::Done;
use super::writer::Acknowledged;
use crate::clock::Clock;

/// The way into the loop.
pub(super) struct Inbox {
    finished: mpsc::UnboundedReceiver<Done>,
    acknowledged: mpsc::UnboundedReceiver<Acknowledged>,
    clock: Clock,
    /// What was received but not yet handed over.
    news: News,
}

/// What happened.
#[derive(Default)]
pub(super) struct News {
    /// By page and host.
    pub(super) done: Vec<Done>,
    pub(super) acknowledged: Vec<Acknowledged>,
    /// The writer ended, though nobody asked it to.
    pub(super) writer_ended: bool,
}

impl Inbox {
    pub(super) fn new(
        finished: mpsc::UnboundedReceiver<Done>,
        acknowledged: mpsc::UnboundedReceiver<Acknowledged>,
        clock: Clock,
    ) -> Inbox {
        Inbox { finished, acknowledged, clock, news: News::default() }
    }

    /// Waits until something happens. Nothing is lost if the waiting is broken off.
    pub(super) async fn news(&mut self) -> News {
        while self.news.is_empty() {
            self.receive().await;
        }
        let clock = self.clock.clone();
        let mut settled = pin!(clock.settle());
        loop {
            tokio::select! {
                biased;
                () = self.receive(), if !self.news.writer_ended => {}
                () = &mut settled => break,
            }
        }
        let mut news = std::mem::take(&mut self.news);
        news.done.sort_by_key(Done::turn);
        news
    }

    async fn receive(&mut self) {
        tokio::select! {
            Some(done) = self.finished.recv() => self.news.done.push(done),
            acknowledged = self.acknowledged.recv() => match acknowledged {
                Some(acknowledged) => self.news.hear(acknowledged),
                None => self.news.writer_ended = true,
            },
        }
    }
}

impl News {
    fn hear(&mut self, mut acknowledged: Acknowledged) {
        acknowledged.holds.clear();
        self.acknowledged.push(acknowledged);
    }

    fn is_empty(&self) -> bool {
        self.done.is_empty() && self.acknowledged.is_empty() && !self.writer_ended
    }
}
