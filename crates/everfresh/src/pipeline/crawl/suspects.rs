//! What may have killed a crawl takes turns: one page at a time is let into the queue of its host, and few robots.txt are
//! fetched at once, so that any number of them takes no more than a few processes and nobody's place.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use revisit::{HostId, PageId, Signal};

use super::{Crawl, Done};
use crate::pipeline::apart::Died;
use crate::pipeline::context::Context;
use crate::pipeline::hosts::{Contact, Errand};
use crate::pipeline::under_way::Who;
use crate::pipeline::visit::Assignment;

/// Robots.txt that have their turn at once: they are small, and all pages of their hosts wait for them.
const ROBOTS: usize = 8;

/// Suspects that were picked.
#[derive(Default)]
pub(super) struct Suspects {
    waiting: VecDeque<Assignment>,
    /// The page whose turn it is.
    out: Option<PageId>,
    waiting_robots: VecDeque<(Contact, Errand)>,
    /// The hosts whose robots.txt have their turn.
    robots_out: HashSet<HostId>,
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

    /// Begins an errand that its host is ready for, or lets it wait for its turn.
    pub(super) fn do_errand(&mut self, contacted: Contact, errand: Errand) {
        match errand.who() {
            who @ Who::Robots(_) if self.under_way.suspects(who) => {
                self.suspects.waiting_robots.push_back((contacted, errand));
                self.call_robots();
            }
            _ => self.spawn(contacted, errand),
        }
    }

    fn call_robots(&mut self) {
        let most = ROBOTS.min(self.context.settings.concurrency);
        while self.suspects.robots_out.len() < most
            && let Some((contacted, errand)) = self.suspects.waiting_robots.pop_front()
        {
            if let Who::Robots(asker) = errand.who() {
                self.suspects.robots_out.insert(asker);
            }
            self.spawn(contacted, errand);
        }
    }

    /// A robots.txt was fetched or not; if it was a suspect, the next one has its turn.
    pub(super) fn end_robots_turn(&mut self, asker: HostId) {
        if self.suspects.robots_out.remove(&asker) {
            self.call_robots();
        }
    }

    /// Gives back what waits for its turn.
    pub(super) fn dismiss_suspects(&mut self) {
        for page in std::mem::take(&mut self.suspects.waiting) {
            self.release(page.page);
        }
        let now = self.clock.now();
        for (contacted, errand) in std::mem::take(&mut self.suspects.waiting_robots) {
            if let Who::Robots(asker) = errand.who() {
                self.memory.hosts.forget_robots(asker);
            }
            self.memory.hosts.end(contacted, now, Signal::Fine, None);
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
