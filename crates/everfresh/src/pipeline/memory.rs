//! What the crawl knows in memory, rebuilt from the store: who the hosts and pages are, and all that happened, told again.

mod rebuilt;
mod retold;

use std::collections::HashSet;
use std::path::Path;

use revisit::{HostId, PageId, Policy, Scheduler, Time};

use super::PipelineError;
use super::addresses::Addresses;
use super::checkpoint::Base;
use super::hosts::Hosts;
use crate::settings::Settings;
use crate::sources::Source;
use crate::store::{Event, Reader, SourceRow, Span, replay};
use rebuilt::{Purpose, Rebuilding};
pub(super) use retold::{Future, Retold, ToldCycle, learn};

/// The store's content in the form in which the loop works with it.
pub struct Memory {
    /// Pages, histories and the policy, in the cycle that began last.
    pub scheduler: Scheduler,
    /// That cycle; `None` if nobody wrote down when cycles began.
    pub(super) cycle: Option<ToldCycle>,
    /// The last batch that the scheduler has learned of.
    pub(super) batch: u64,
    /// What a start would be told that is in no checkpoint: visits, and the pages that each cycle looked at.
    pub(super) untold: u64,
    pub(super) hosts: Hosts,
    /// Empty in memory that is only asked.
    pub(super) addresses: Addresses,
    /// The pages that are asked in a way of their own.
    pub(super) sources: HashSet<PageId>,
}

impl Memory {
    /// Rebuilds what is known, for who asks and does not crawl.
    pub fn read(folder: &Path, store: &dyn Reader, settings: &Settings, now: Time) -> Result<Memory, PipelineError> {
        let mut memory = Rebuilding { folder, store, settings, now, purpose: Purpose::Questions }.memory()?;
        // Policies are fitted when a cycle opens, and nobody wrote down when those of earlier versions did.
        if memory.cycle.is_none() {
            memory.scheduler.open_cycle(0, 0, now);
        }
        Ok(memory)
    }

    /// Rebuilds what is known of the collection in a folder for a crawl. If the last one did not end in order (`clean` is false),
    /// hosts may have been contacted at any time until `now`.
    pub fn rebuild(
        folder: &Path,
        store: &dyn Reader,
        settings: &Settings,
        now: Time,
        clean: bool,
    ) -> Result<Memory, PipelineError> {
        Rebuilding { folder, store, settings, now, purpose: Purpose::Crawl { clean } }.memory()
    }

    /// A new policy that has learned what the current one has: all that happened is told again to it.
    pub(super) fn new_policy(
        &self,
        store: &dyn Reader,
        settings: &Settings,
        now: Time,
    ) -> Result<Box<dyn Policy>, PipelineError> {
        let mut future = Future::none(now);
        let mut retold = Retold::new(Base::nothing(settings)?.scheduler, None, last_cycle(store)?, &mut future);
        // The store may know of batches that come back to the loop later.
        replay(store, Span::until(self.batch), &mut |event| match event {
            Event::Page(page) if !self.scheduler.pages().contains(page.id) => {}
            other => retold.hear(&other),
        })?;
        Ok(retold.scheduler.into_policy())
    }

    /// Tells the scheduler what the hosts allow: places in their queues, and nothing while they want to be left alone.
    pub(super) fn respect_hosts(&mut self, now: Time) {
        for host in self.hosts.ids() {
            self.limit(host);
            if self.hosts.is_blocked(host, now) {
                self.scheduler.pause_host(host, self.hosts.blocked_until(host));
            }
        }
    }

    /// A page was found to be a source; what is known of it already stands.
    pub(super) fn describe(&mut self, page: PageId, source: Option<Box<Source>>) -> Option<SourceRow> {
        let source = *source?;
        self.sources.insert(page).then_some(SourceRow { page, source })
    }

    /// Tells the scheduler how many pages of a host may wait for their visit.
    pub(super) fn limit(&mut self, host: HostId) {
        self.scheduler.limit_host(host, self.hosts.places(host));
    }
}

/// The number of the cycle that began last, if it was written down after what it did.
pub(super) fn last_cycle(store: &dyn Reader) -> Result<Option<u64>, PipelineError> {
    Ok(store.cycles(1)?.first().and_then(|last| Some(last.opened.as_ref()?.number)))
}
