//! Whose documents take more than may be done in the task of a visit. To find that out takes some milliseconds of a core that all
//! visits share, each time; so the next ones of such a host are judged apart from the beginning. A process takes some
//! milliseconds too, so how many depends on the host: one after the first that took much, twice as many each time the next that
//! is tried does too, half as many each time it does not.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use revisit::HostId;

/// Documents in a row that are judged apart at the most before it is tried again.
const MOST_IN_A_ROW: u8 = 31;
/// Hosts that are remembered.
const MOST: usize = 1 << 14;

/// Hosts of which a document took much.
#[derive(Default)]
pub(super) struct Heavy(Mutex<HashMap<HostId, Apart>>);

/// How many documents of a host are judged apart.
#[derive(Default)]
struct Apart {
    /// Before it is tried again,
    left: u8,
    /// and whenever the one that is tried took much.
    in_a_row: u8,
}

impl Heavy {
    /// A small document of this host took too much.
    pub(super) fn took_much(&self, host: HostId) {
        let mut hosts = self.hosts();
        if hosts.len() >= MOST {
            hosts.clear();
        }
        let apart = hosts.entry(host).or_default();
        apart.in_a_row = (2 * apart.in_a_row + 1).min(MOST_IN_A_ROW);
        apart.left = apart.in_a_row;
    }

    /// One could be judged in the task of its visit.
    pub(super) fn took_little(&self, host: HostId) {
        let mut hosts = self.hosts();
        let Some(apart) = hosts.get_mut(&host) else { return };
        apart.in_a_row /= 2;
        if apart.in_a_row == 0 {
            hosts.remove(&host);
        }
    }

    /// Whether the next document of a host is to be judged apart from the beginning.
    pub(super) fn is_next(&self, host: HostId) -> bool {
        let mut hosts = self.hosts();
        let Some(apart) = hosts.get_mut(&host).filter(|apart| apart.left > 0) else { return false };
        apart.left -= 1;
        true
    }

    fn hosts(&self) -> MutexGuard<'_, HashMap<HostId, Apart>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many documents of a host are tried in the tasks of their visits, and how many of those took much.
    fn tried(documents: usize, takes_much: impl Fn(usize) -> bool) -> (usize, usize) {
        let (heavy, host) = (Heavy::default(), HostId(1));
        let here: Vec<usize> = (0..documents)
            .filter(|_| !heavy.is_next(host))
            .inspect(|document| if takes_much(*document) { heavy.took_much(host) } else { heavy.took_little(host) })
            .collect();
        (here.len(), here.into_iter().filter(|document| takes_much(*document)).count())
    }

    #[test]
    fn where_all_take_much_few_are_tried() {
        assert_eq!(tried(1026, |_| true), (36, 36), "after 0, 1, 3, 7, 15 and then 31 that were judged apart");
    }

    #[test]
    fn where_few_take_much_the_others_are_judged_at_once() {
        assert_eq!(tried(1000, |document| document % 50 == 0), (980, 20), "one apart after each that took much");
        assert_eq!(tried(100, |_| false), (100, 0));
    }

    #[test]
    fn where_every_other_takes_much_it_is_rarely_tried() {
        let (_, much) = tried(10_000, |document| document % 2 == 0);
        assert!(much < 500, "{much}");
    }
}
