//! What the crawl knows in memory, rebuilt from the store: who the hosts and pages are, and every visit replayed.

use std::collections::HashSet;

use revisit::{HostId, PageId, Policy, Scheduler, Time, Visit};

use super::PipelineError;
use super::hosts::Hosts;
use super::known::Known;
use crate::settings::Settings;
use crate::sources::Source;
use crate::store::{SourceRow, Store};

/// The store's content in the form in which the loop works with it.
pub struct Memory {
    /// Pages, histories and the policy.
    pub scheduler: Scheduler,
    /// Visits made within the last cycle's length.
    pub recent_visits: usize,
    /// Requests that these visits took after their first.
    pub recent_further: usize,
    /// Visits that the scheduler has learned of.
    pub(super) visits: u64,
    pub(super) hosts: Hosts,
    pub(super) known: Known,
    /// The pages that are asked in a way of their own.
    pub(super) sources: HashSet<PageId>,
}

impl Memory {
    /// Rebuilds what is known. If the last crawl did not end in order (`clean` is false), hosts may have been contacted
    /// at any time until `now`.
    pub fn rebuild(store: &Store, settings: &Settings, now: Time, clean: bool) -> Result<Memory, PipelineError> {
        let mut future = Future::none(now);
        let memory = Memory::replay(store, settings, now, clean, &mut future)?;
        // What came after tells when those visits were over, which is known when all are read.
        if future.is_misplaced() { Memory::replay(store, settings, now, clean, &mut future) } else { Ok(memory) }
    }

    fn replay(
        store: &Store,
        settings: &Settings,
        now: Time,
        clean: bool,
        future: &mut Future,
    ) -> Result<Memory, PipelineError> {
        let mut hosts = Hosts::new(settings, if clean { Time::MIN } else { now }, now);
        store.each_host(|row| hosts.restore(row, settings))?;
        let mut scheduler = Scheduler::new(settings.new_policy()?, settings.cycle, settings.new_share);
        let mut known = Known::default();
        // Beside a crawl the store grows while it is read: what came after the hosts, or after the pages, is left out.
        let (known_hosts, mut is_known) = (hosts.len(), true);
        store.each_page(|fingerprint, host, weight, url| {
            is_known &= host.index() < known_hosts;
            if !is_known {
                return;
            }
            let page = scheduler.add(PageId(scheduler.pages().len() as u32), host, weight);
            scheduler.locate(page, url);
            hosts.admit_page(host, u32::MAX);
            known.push(fingerprint);
        })?;
        let pages = scheduler.pages().len();
        let is_known = |page: PageId| page.index() < pages;
        if scheduler.needs().structure {
            store.each_links(|page, targets| scheduler.link(page, targets))?;
        }
        store.each_features(|row| {
            if is_known(row.page) {
                scheduler.describe(row.page, &row.features());
            }
        })?;
        let recent = now - settings.cycle;
        let (mut recent_visits, mut visits) = (0, 0);
        store.each_visit(|visit| {
            if is_known(visit.page) {
                scheduler.record(&future.taken_back(visit));
                recent_visits += usize::from(visit.at > recent);
                visits += 1;
            }
        })?;
        // After the visits, so that none of them is taken for a test of what was said later.
        store.each_hint(|page, modified, list, kind| scheduler.hint(page, modified, list, kind))?;
        let mut sources = HashSet::new();
        store.each_source(|page| _ = sources.insert(page))?;
        store.each_lost(|page| {
            if is_known(page) {
                scheduler.lose(page);
            }
        })?;
        store.each_trust(|host, trust| scheduler.set_trust(host, trust))?;
        scheduler.end_replay();
        let recent_further = store.further_requests(recent)? as usize;
        Ok(Memory { scheduler, recent_visits, recent_further, visits, hosts, known, sources })
    }

    /// A new policy that has learned what the current one has: all visits are replayed to it.
    pub(super) fn new_policy(
        &self,
        store: &Store,
        settings: &Settings,
        now: Time,
    ) -> Result<Box<dyn Policy>, PipelineError> {
        let mut scheduler = Scheduler::new(settings.new_policy()?, settings.cycle, settings.new_share);
        let pages = self.scheduler.pages();
        for (page, _) in pages.iter() {
            scheduler.add(page, pages.host(page), pages.weight(page) as f32);
        }
        store.each_features(|row| scheduler.describe(row.page, &row.features()))?;
        // The store may know of visits that come back to the loop later.
        let (mut left, mut future) = (self.visits, Future::none(now));
        store.each_visit(|visit| {
            if left > 0 {
                scheduler.record(&future.taken_back(visit));
                left -= 1;
            }
        })?;
        Ok(scheduler.into_policy())
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

/// Visits that a clock which was ahead put into the future. They were over when the next one was made that it did not.
struct Future {
    now: Time,
    /// By when they were over, as far as that was known before.
    over: Time,
    /// Whether the last visit was one of them.
    is_last: bool,
    /// When the first one after them was made.
    after: Option<Time>,
}

impl Future {
    fn none(now: Time) -> Future {
        Future { now, over: now, is_last: false, after: None }
    }

    /// The visit at the time at which it can have been made.
    fn taken_back(&mut self, visit: &Visit) -> Visit {
        if visit.at <= self.now {
            if std::mem::take(&mut self.is_last) {
                self.after = Some(visit.at);
            }
            return *visit;
        }
        self.is_last = true;
        Visit { at: self.over, ..*visit }
    }

    /// Whether they have to be replayed, with what is known now of when they were over.
    fn is_misplaced(&mut self) -> bool {
        let after = if self.is_last { None } else { self.after };
        self.over = after.unwrap_or(self.over);
        std::mem::take(&mut self.is_last);
        after.is_some()
    }
}

#[cfg(test)]
mod tests {
    use revisit::Outcome;

    use super::*;

    #[test]
    fn visits_of_the_future_were_over_when_the_next_one_was_made() {
        let visit = |second| Visit { page: PageId(0), at: Time::from_secs(second), outcome: Outcome::Failed };
        let mut future = Future::none(Time::from_secs(100));
        let mut replay = |seconds: &[i64]| {
            let taken: Vec<i64> =
                seconds.iter().map(|second| future.taken_back(&visit(*second)).at.millis() / 1000).collect();
            (taken, future.is_misplaced())
        };
        assert_eq!(replay(&[10, 20, 90]), (vec![10, 20, 90], false));
        assert_eq!(replay(&[10, 7000, 7001]), (vec![10, 100, 100], false), "nothing was made since");
        assert_eq!(replay(&[10, 7000, 60, 61]), (vec![10, 100, 60, 61], true));
        assert_eq!(replay(&[10, 7000, 60, 61]).0, vec![10, 60, 60, 61]);
    }
}
