//! A host's failure is the host's: while a host does not answer it is tried now and then, and when it answers again, its pages are due
//! as if they had not failed meanwhile. And a page's failure is the page's, which takes nothing from the others of its host.
//!
//! A page that fails rests for 1, 2, 4, … cycles. For a page that is broken that is right; for the pages of a host that was down it would
//! mean that the last of them is visited weeks after the host is back. So a host that several visits in a row did not reach is
//! out: it is tried once a cycle, and less often the longer it has been out, a hundred-and-twentieth of that time apart. All follows from
//! the visits.
//!
//! Some pages may fail by themselves as if their host did not answer: a proxy says 504 of one part of a site. So a host that was reached lately
//! is out only after more of them; a page that failed already and fails again, though its host was reached meanwhile,
//! says nothing of the host; and who is tried first while it is out is the page that reached it last. Of unread pages those go first that were
//! never tried. What failed is excused only if
//! that try failed as well. Later tries go by the usual order, where each page rests longer every time it failed, up to a cycle for
//! every page that the host has, so that they take turns.

use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::{HostId, PageId};
use crate::time::{Span, Time};

/// A host is out after so many visits in a row that did not reach it,
const OUT_AFTER: u32 = 3;
/// or so many, or as many as it has pages, if it was reached lately: in this cycle or the one before.
const OUT_AFTER_IF_REACHED: u32 = 12;
const LATELY: f64 = 1.5;
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
    is_out: bool,
    /// It was tried since it is out, in vain.
    is_sure: bool,
    /// When it was reached last, and by which page.
    reached: Time,
    last: Option<PageId>,
    /// When it was out before that, the last time.
    outage: (Time, Time),
}

/// Nobody has visited it.
const UNKNOWN: Reach = Reach {
    pages: 0,
    missed: 0,
    from: Time::MIN,
    tried: Time::MIN,
    is_out: false,
    is_sure: false,
    reached: Time::MIN,
    last: None,
    outage: (Time::MAX, Time::MIN),
};

impl Reach {
    fn next_try(&self, cycle: Span) -> Option<Time> {
        self.is_out.then(|| self.tried + cycle.max((self.tried - self.from) * PART))
    }

    /// Visits in a row that have to miss it before it is out.
    fn out_after(&self, cycle: Span) -> u32 {
        let was_reached = self.reached != Time::MIN && self.from - self.reached < cycle * LATELY;
        if was_reached { self.pages.clamp(OUT_AFTER, OUT_AFTER_IF_REACHED) } else { OUT_AFTER }
    }

    fn was_out_at(&self, at: Time) -> bool {
        (self.outage.0..=self.outage.1).contains(&at)
    }
}

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
            self.hosts.resize(host.index() + 1, UNKNOWN);
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

    /// A visit did not reach a host, with a page that `failed` before without being excused, if it did.
    pub(super) fn miss(&mut self, host: HostId, failed: Option<Time>, at: Time, cycle: Span) {
        let reach = self.of(host);
        if failed.is_some_and(|failed| failed < reach.reached) {
            return;
        }
        if reach.missed == 0 {
            reach.from = at;
        }
        reach.is_sure |= reach.next_try(cycle).is_some_and(|next| next <= at);
        reach.missed = reach.missed.saturating_add(1);
        reach.tried = at;
        reach.is_out |= reach.missed >= reach.out_after(cycle);
    }

    /// A visit reached a host, and this page there unless that is gone.
    pub(super) fn reach(&mut self, host: HostId, page: Option<PageId>, at: Time) {
        let Some(reach) = self.hosts.get_mut(host.index()) else { return };
        if reach.is_sure {
            reach.outage = (reach.from, at);
        }
        let last = page.or(reach.last);
        *reach = Reach { missed: 0, is_out: false, is_sure: false, reached: at, last, ..*reach };
    }

    /// When a host that is out is to be tried again; `None` if it is not.
    pub(super) fn next_try(&self, host: HostId, cycle: Span) -> Option<Time> {
        self.hosts.get(host.index())?.next_try(cycle)
    }

    /// The page that reached a host last, if the host is out.
    pub(super) fn probe(&self, host: HostId) -> Option<PageId> {
        self.hosts.get(host.index()).filter(|reach| reach.is_out)?.last
    }

    /// Whether what failed at a host then did so because that was out, which it is not any more.
    pub(super) fn is_excused(&self, host: HostId, failed: Time) -> bool {
        self.hosts.get(host.index()).is_some_and(|reach| reach.was_out_at(failed))
    }

    /// For how many cycles a page of a host rests after it failed, if it were so many by itself; `None` if that is excused.
    pub(super) fn rest(&self, host: HostId, failed: Time, cycles: u32) -> Option<u32> {
        let Some(reach) = self.hosts.get(host.index()) else { return Some(cycles) };
        if reach.was_out_at(failed) {
            return None;
        }
        let is_due_to_host = reach.is_out && failed >= reach.from;
        Some(if is_due_to_host { cycles.min(reach.pages.max(1)) } else { cycles })
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

    fn miss(outages: &mut Outages, hour: i64) {
        outages.miss(HOST, None, at(hour), Span::HOUR);
    }

    #[test]
    fn a_host_is_tried_once_a_cycle_and_less_often_when_it_is_out_for_long() {
        let mut outages = Outages::default();
        miss(&mut outages, 0);
        miss(&mut outages, 0);
        assert_eq!(outages.next_try(HOST, Span::HOUR), None, "twice is no outage");
        miss(&mut outages, 1);
        assert_eq!(outages.next_try(HOST, Span::HOUR), Some(at(2)));
        miss(&mut outages, 240);
        assert_eq!(outages.next_try(HOST, Span::HOUR), Some(at(242)));
        assert_eq!(outages.next_try(HostId(1), Span::HOUR), None);
    }

    #[test]
    fn what_failed_while_a_host_was_out_is_excused_when_it_is_back() {
        let mut outages = Outages::default();
        (0..5).for_each(|_| outages.add_page(HOST));
        (3..9).for_each(|hour| miss(&mut outages, hour));
        let rests = |outages: &Outages| [2, 3, 8, 11].map(|hour| outages.rest(HOST, at(hour), 16));
        assert_eq!(rests(&outages), [Some(16), Some(5), Some(5), Some(5)], "five pages take turns");
        outages.reach(HOST, Some(PageId(7)), at(10));
        assert_eq!(outages.next_try(HOST, Span::HOUR), None);
        assert_eq!(rests(&outages), [Some(16), None, None, Some(16)]);
        miss(&mut outages, 11);
        outages.reach(HOST, Some(PageId(7)), at(13));
        assert_eq!(rests(&outages), [Some(16), None, None, Some(16)], "the last one was to blame itself");
    }

    #[test]
    fn pages_that_fail_beside_others_that_do_not_are_no_outage() {
        let mut outages = Outages::default();
        (0..20).for_each(|_| outages.add_page(HOST));
        outages.reach(HOST, Some(PageId(7)), at(0));
        (0..11).for_each(|_| miss(&mut outages, 0));
        assert_eq!(outages.next_try(HOST, Span::HOUR), None, "it was reached a moment ago");
        miss(&mut outages, 0);
        assert_eq!((outages.next_try(HOST, Span::HOUR), outages.probe(HOST)), (Some(at(1)), Some(PageId(7))));
        outages.reach(HOST, Some(PageId(7)), at(1));
        assert_eq!((outages.probe(HOST), outages.is_excused(HOST, at(0))), (None, false), "the first try reached it");
        (0..50).for_each(|_| outages.miss(HOST, Some(at(0)), at(2), Span::HOUR));
        assert_eq!(outages.next_try(HOST, Span::HOUR), None, "they failed before, and the host was reached since");
    }
}
