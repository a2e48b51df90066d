//! Pages that may have killed a crawl take turns: one at a time is let into the queue of its host, so that any number of
//! them takes no more than one process and nobody's place.

use std::collections::VecDeque;

use revisit::PageId;

use super::{Crawl, Done};
use crate::pipeline::apart::Died;
use crate::pipeline::context::Context;
use crate::pipeline::hosts::{Contact, Errand};
use crate::pipeline::under_way::Who;
use crate::pipeline::visit::Assignment;
use std::sync::Arc;

/// Suspected pages that were picked.
#[derive(Default)]
pub(super) struct Suspects {
    waiting: VecDeque<Assignment>,
    /// The one whose turn it is.
    out: Option<PageId>,
}

impl Crawl {
    /// Puts a picked page into its host's queue, or among those that wait for their turn.
    pub(super) fn queue(&mut self, page: Assignment) {
        if self.under_way.suspects(Who::Page(page.page)) {
            self.suspects.waiting.push_back(page);
            self.call_suspect();
        } else {
            self.memory.hosts.queue_page(page);
        }
    }

    /// Picked pages that wait for their turn.
    pub(super) fn waiting_suspects(&self) -> usize {
        self.suspects.waiting.len()
    }

    fn call_suspect(&mut self) {
        if self.suspects.out.is_some() {
            return;
        }
        if let Some(page) = self.suspects.waiting.pop_front() {
            self.suspects.out = Some(page.page);
            self.memory.hosts.queue_page(page);
        }
    }

    /// A page was visited or given back; if it was a suspect, the next one has its turn.
    pub(super) fn end_turn(&mut self, page: PageId) {
        if self.suspects.out == Some(page) {
            self.suspects.out = None;
            self.call_suspect();
        }
    }

    /// Gives back the pages that wait for their turn.
    pub(super) fn dismiss_suspects(&mut self) {
        for page in std::mem::take(&mut self.suspects.waiting) {
            self.release(page.page);
        }
    }
}

/// Does an errand in a process of its own.
pub(super) async fn run_apart(context: &Arc<Context>, contacted: Contact, errand: Errand) -> Done {
    let (who, at) = (errand.who(), context.clock.now());
    let Some(apart) = &context.apart else {
        return Done::Died { contacted, who, reason: "there is nowhere to try it".into() };
    };
    let done = match errand {
        Errand::Page(page) => {
            let visited = apart.visit(context, &page, at).await;
            visited.map(|finished| Done::Visit { contacted, finished: Box::new(finished) })
        }
        Errand::Robots { asker, url, hops } => {
            apart.robots(context, url, at).await.map(|fetched| Done::Robots { contacted, asker, hops, fetched })
        }
    };
    done.unwrap_or_else(|Died(reason)| Done::Died { contacted, who, reason })
}
