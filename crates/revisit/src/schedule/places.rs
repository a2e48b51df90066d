//! The places each host has for pages picked but not yet visited.

use crate::page::HostId;
use crate::time::Time;

/// How many picked pages each host can hold, and holds.
#[derive(Default)]
pub(super) struct Places {
    hosts: Vec<Host>,
    /// When the first of the pauses ends for which a place was refused.
    open_at: Option<Time>,
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
        let (has_place, paused_until) = (host.taken < host.limit, host.paused_until);
        let free = has_place && paused_until <= now;
        host.taken += u32::from(free);
        if has_place && !free {
            self.open_at = Some(self.open_at.map_or(paused_until, |open| open.min(paused_until)));
        }
        free
    }

    /// When a host has a place again that was refused since this was last asked because the host pauses.
    pub(super) fn take_open_at(&mut self) -> Option<Time> {
        self.open_at.take()
    }

    /// Gives a place back.
    pub(super) fn free(&mut self, host: HostId) {
        let host = self.of(host);
        host.taken = host.taken.saturating_sub(1);
    }
}
