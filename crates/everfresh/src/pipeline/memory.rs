//! What the crawl knows in memory, rebuilt from the store: who the hosts and pages are, and every visit replayed.

use revisit::{HostId, Scheduler, Time};

use super::PipelineError;
use super::hosts::Hosts;
use super::known::Known;
use crate::settings::Settings;
use crate::store::Store;

/// The store's content in the form in which the loop works with it.
pub struct Memory {
    /// Pages, histories and the policy.
    pub scheduler: Scheduler,
    /// Visits made within the last cycle's length.
    pub recent_visits: usize,
    pub(super) hosts: Hosts,
    pub(super) known: Known,
}

impl Memory {
    /// Rebuilds what is known. If the last crawl did not end in order (`clean` is false), hosts may have been contacted
    /// at any time until `now`.
    pub fn rebuild(store: &Store, settings: &Settings, now: Time, clean: bool) -> Result<Memory, PipelineError> {
        let mut hosts = Hosts::new(settings, if clean { Time::MIN } else { now });
        for row in store.hosts()? {
            hosts.restore(row, settings);
        }
        let mut scheduler = Scheduler::new(settings.new_policy()?, settings.cycle, settings.new_share);
        let mut known = Known::default();
        store.each_page(|fingerprint, host, weight| {
            scheduler.add(host, weight);
            hosts.admit_page(host, u32::MAX);
            known.insert(fingerprint);
        })?;
        let recent = now - settings.cycle;
        let mut recent_visits = 0;
        store.each_visit(|visit| {
            scheduler.record(visit);
            recent_visits += usize::from(visit.at > recent);
        })?;
        scheduler.end_replay();
        let mut memory = Memory { scheduler, recent_visits, hosts, known };
        memory.hosts.ids().for_each(|host| memory.limit(host));
        Ok(memory)
    }

    /// Tells the scheduler how many pages of a host may wait for their visit.
    pub(super) fn limit(&mut self, host: HostId) {
        self.scheduler.limit_host(host, self.hosts.places(host));
    }
}
