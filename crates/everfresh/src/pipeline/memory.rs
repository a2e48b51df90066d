//! What the crawl knows in memory, rebuilt from the store: who the hosts and pages are, and all that happened, told again.

use std::collections::HashSet;

use revisit::{HostId, PageId, Policy, Scheduler, Time, Visit};

use super::PipelineError;
use super::hosts::Hosts;
use super::known::Known;
use crate::settings::Settings;
use crate::sources::Source;
use crate::store::{Event, HintsRow, Reader, SourceRow, Span, replay};

/// The store's content in the form in which the loop works with it.
pub struct Memory {
    /// Pages, histories and the policy.
    pub scheduler: Scheduler,
    /// Visits made within the last cycle's length.
    pub recent_visits: usize,
    /// Requests that these visits took after their first.
    pub recent_further: usize,
    /// The last batch that the scheduler has learned of.
    pub(super) batch: u64,
    pub(super) hosts: Hosts,
    pub(super) known: Known,
    /// The pages that are asked in a way of their own.
    pub(super) sources: HashSet<PageId>,
}

/// What a scheduler learns from what happened: the same while a crawl runs and when it is told again. What is told of pages that
/// are not there, because somebody deleted them, says nothing.
pub(super) fn learn(scheduler: &mut Scheduler, event: &Event<'_>) {
    let is_known = |scheduler: &Scheduler, page: PageId| scheduler.pages().contains(page);
    match event {
        Event::Page(page) => {
            scheduler.add(page.id, page.host, page.weight);
            scheduler.locate(page.id, &page.url);
        }
        Event::Links(row) => scheduler.link(row.page, row.targets.iter().copied()),
        Event::Hints(HintsRow { list, kind, entries, .. }) => {
            entries.iter().for_each(|(page, modified)| scheduler.hint(*page, *modified, *list, *kind));
        }
        Event::Features(row) if is_known(scheduler, row.page) => scheduler.describe(row.page, &row.features()),
        Event::Visit(visit) if is_known(scheduler, visit.page) => scheduler.record(visit),
        Event::Lost(page) if is_known(scheduler, *page) => scheduler.lose(*page),
        Event::Trust(host, trust) => scheduler.set_trust(*host, *trust),
        _ => {}
    }
}

impl Memory {
    /// Rebuilds what is known. If the last crawl did not end in order (`clean` is false), hosts may have been contacted
    /// at any time until `now`.
    pub fn rebuild(store: &dyn Reader, settings: &Settings, now: Time, clean: bool) -> Result<Memory, PipelineError> {
        let mut future = Future::none(now);
        let memory = Memory::replay(store, settings, now, clean, &mut future)?;
        // What came after tells when those visits were over, which is known when all are read.
        if future.is_misplaced() { Memory::replay(store, settings, now, clean, &mut future) } else { Ok(memory) }
    }

    fn replay(
        store: &dyn Reader,
        settings: &Settings,
        now: Time,
        clean: bool,
        future: &mut Future,
    ) -> Result<Memory, PipelineError> {
        let mut hosts = Hosts::new(settings, if clean { Time::MIN } else { now }, now);
        let mut scheduler = Scheduler::new(settings.new_policy()?, settings.cycle, settings.new_share);
        let (mut known, mut sources) = (Known::default(), HashSet::new());
        let (recent, mut recent_visits) = (now - settings.cycle, 0);
        let last = replay(store, Span::ALL, &mut |event| match event {
            Event::Host(row) => hosts.restore(row, settings),
            // Without its host, a page is out of reach.
            Event::Page(page) if !hosts.contains(page.host) => {}
            Event::Page(page) => {
                hosts.admit_page(page.host, u32::MAX);
                known.add(page.id, page.fingerprint);
                learn(&mut scheduler, &event);
            }
            Event::Visit(visit) => {
                learn(&mut scheduler, &Event::Visit(&future.taken_back(visit)));
                recent_visits += usize::from(visit.at > recent);
            }
            Event::Source(page) => _ = sources.insert(page),
            other => learn(&mut scheduler, &other),
        })?;
        known.begin_at(last.next_page);
        hosts.begin_at(last.next_host);
        scheduler.end_replay();
        let recent_further = store.further_requests(recent)? as usize;
        Ok(Memory { scheduler, recent_visits, recent_further, batch: last.number, hosts, known, sources })
    }

    /// A new policy that has learned what the current one has: all that happened is told again to it.
    pub(super) fn new_policy(
        &self,
        store: &dyn Reader,
        settings: &Settings,
        now: Time,
    ) -> Result<Box<dyn Policy>, PipelineError> {
        let mut scheduler = Scheduler::new(settings.new_policy()?, settings.cycle, settings.new_share);
        let mut future = Future::none(now);
        // The store may know of batches that come back to the loop later.
        replay(store, Span::until(self.batch), &mut |event| match event {
            Event::Page(page) if !self.scheduler.pages().contains(page.id) => {}
            Event::Visit(visit) => learn(&mut scheduler, &Event::Visit(&future.taken_back(visit))),
            other => learn(&mut scheduler, &other),
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
