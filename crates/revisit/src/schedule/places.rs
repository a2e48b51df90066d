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

    /// Whether there is a place at a host now. One that is out has a single place, from its `next_try` on.
    pub(super) fn has_one(&mut self, host: HostId, now: Time, next_try: Option<Time>) -> bool {
        let host = self.of(host);
        let limit = if next_try.is_some() { host.limit.min(1) } else { host.limit };
        let (has_place, paused_until) = (host.taken < limit, host.paused_until.max(next_try.unwrap_or(Time::MIN)));
        let free = has_place && paused_until <= now;
        if has_place && !free {
            self.open_at = Some(self.open_at.map_or(paused_until, |open| open.min(paused_until)));
        }
        free
    }

    /// Takes a place that there is.
    pub(super) fn take(&mut self, host: HostId) {
        self.of(host).taken += 1;
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
