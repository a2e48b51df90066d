//! The places each host has for pages picked but not yet visited.

use crate::page::HostId;
use crate::time::Time;

/// How many picked pages each host can hold, and holds.
#[derive(Default)]
pub(super) struct Places {
    hosts: Vec<Host>,
}

/// One host's places.
#[derive(Clone)]
pub(super) struct Host {
    pub(super) limit: u32,
    taken: u32,
    pub(super) paused_until: Time,
}

impl Places {
    /// The host's state, made on first use: no limit, no pause.
    pub(super) fn of(&mut self, host: HostId) -> &mut Host {
        if self.hosts.len() <= host.index() {
            let open = Host { limit: u32::MAX, taken: 0, paused_until: Time::MIN };
            self.hosts.resize(host.index() + 1, open);
        }
        &mut self.hosts[host.index()]
    }

    /// Takes a place at a host; false if there is none now.
    pub(super) fn claim(&mut self, host: HostId, now: Time) -> bool {
        let host = self.of(host);
        let free = host.taken < host.limit && host.paused_until <= now;
        host.taken += u32::from(free);
        free
    }

    /// Gives a place back.
    pub(super) fn free(&mut self, host: HostId) {
        let host = self.of(host);
        host.taken = host.taken.saturating_sub(1);
    }
}
