//! A host's failure is the host's: while a host does not answer it is tried now and then, and when it answers again, its pages are due
//! as if they had not failed meanwhile.
//!
//! A page that fails rests for 1, 2, 4, … cycles. For a page that is broken that is right; for the pages of a host that was down it would
//! mean that the last of them is visited weeks after the host is back. So a host that several visits in a row did not reach is
//! out: it is tried once a cycle, and less often the longer it has been out, a hundred-and-twentieth of that time apart. Which page is
//! tried, the usual order says; since each rests longer every time it failed, up to a cycle for every page that the host has, they
//! take turns. All follows from the visits.

use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::HostId;
use crate::time::{Span, Time};

/// A host is out after so many visits in a row that did not reach it.
const OUT_AFTER: u32 = 3;
/// The next try comes after such a part of the time that it has been out.
const PART: f64 = 1.0 / 120.0;

/// What the visits to a host say of whether it answers.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct Reach {
    /// Pages that it has.
    pages: u32,
    /// Visits in a row, up to the last one, that did not reach it.
    missed: u32,
    /// When the first and the last of them were made.
    from: Time,
    tried: Time,
    /// When it was out before that, the last time.
    outage: (Time, Time),
}

/// Nobody has visited it, or every visit reached it.
const REACHED: Reach = Reach { pages: 0, missed: 0, from: Time::MIN, tried: Time::MIN, outage: (Time::MAX, Time::MIN) };

/// Which hosts do not answer, and which did not.
#[derive(Debug, Default)]
pub(super) struct Outages {
    hosts: Vec<Reach>,
    /// How many of them have pages.
    known: usize,
}

impl Outages {
    fn of(&mut self, host: HostId) -> &mut Reach {
        if self.hosts.len() <= host.index() {
            self.hosts.resize(host.index() + 1, REACHED);
        }
        &mut self.hosts[host.index()]
    }

    /// A host has one page more.
    pub(super) fn add_page(&mut self, host: HostId) {
        let reach = self.of(host);
        reach.pages += 1;
        self.known += usize::from(reach.pages == 1);
    }

    /// How many hosts have pages.
    pub(super) fn hosts(&self) -> usize {
        self.known
    }

    /// A visit did not reach a host.
    pub(super) fn miss(&mut self, host: HostId, at: Time) {
        let reach = self.of(host);
        if reach.missed == 0 {
            reach.from = at;
        }
        reach.missed = reach.missed.saturating_add(1);
        reach.tried = at;
    }

    /// A visit reached a host.
    pub(super) fn reach(&mut self, host: HostId, at: Time) {
        let Some(reach) = self.hosts.get_mut(host.index()) else { return };
        if std::mem::take(&mut reach.missed) >= OUT_AFTER {
            reach.outage = (reach.from, at);
        }
    }

    /// When a host that is out is to be tried again; `None` if it is not.
    pub(super) fn next_try(&self, host: HostId, cycle: Span) -> Option<Time> {
        let reach = self.hosts.get(host.index()).filter(|reach| reach.missed >= OUT_AFTER)?;
        Some(reach.tried + cycle.max((reach.tried - reach.from) * PART))
    }

    /// For how many cycles a page of a host rests after it failed, if it were so many by itself; `None` if it failed because the host
    /// was out, which it is not any more.
    pub(super) fn rest(&self, host: HostId, failed: Time, cycles: u32) -> Option<u32> {
        let Some(reach) = self.hosts.get(host.index()) else { return Some(cycles) };
        if (reach.outage.0..=reach.outage.1).contains(&failed) {
            return None;
        }
        let is_out = reach.missed >= OUT_AFTER && failed >= reach.from;
        Some(if is_out { cycles.min(reach.pages.max(1)) } else { cycles })
    }

    /// Writes them down, or brings them back.
    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep_rows(&mut self.hosts)?;
        checkpoint.keep(&mut self.known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: HostId = HostId(2);

    fn at(hour: i64) -> Time {
        Time::from_secs(hour * 3600)
    }

    #[test]
    fn a_host_is_tried_once_a_cycle_and_less_often_when_it_is_out_for_long() {
        let mut outages = Outages::default();
        outages.miss(HOST, at(0));
        outages.miss(HOST, at(0));
        assert_eq!(outages.next_try(HOST, Span::HOUR), None, "twice is no outage");
        outages.miss(HOST, at(1));
        assert_eq!(outages.next_try(HOST, Span::HOUR), Some(at(2)));
        outages.miss(HOST, at(240));
        assert_eq!(outages.next_try(HOST, Span::HOUR), Some(at(242)));
        assert_eq!(outages.next_try(HostId(1), Span::HOUR), None);
    }

    #[test]
    fn what_failed_while_a_host_was_out_is_excused_when_it_is_back() {
        let mut outages = Outages::default();
        (0..5).for_each(|_| outages.add_page(HOST));
        (3..9).for_each(|hour| outages.miss(HOST, at(hour)));
        let rests = |outages: &Outages| [2, 3, 8, 11].map(|hour| outages.rest(HOST, at(hour), 16));
        assert_eq!(rests(&outages), [Some(16), Some(5), Some(5), Some(5)], "five pages take turns");
        outages.reach(HOST, at(10));
        assert_eq!(outages.next_try(HOST, Span::HOUR), None);
        assert_eq!(rests(&outages), [Some(16), None, None, Some(16)]);
        outages.miss(HOST, at(11));
        outages.reach(HOST, at(13));
        assert_eq!(rests(&outages), [Some(16), None, None, Some(16)], "the last one was to blame itself");
    }
}
