//! Whose documents take more than may be done in the task of a visit. To find that out takes some 50 ms of a core that all
//! visits share, each time, and a process takes some ten. So as long as no more than a quarter of a host's documents take much
//! they are tried there, and those of other hosts are judged apart from the beginning, but for one now and then.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use revisit::HostId;

/// More than one in so many is too many.
const FEW: u8 = 4;
/// Documents that are judged apart between two tries, for each of those tried that took much, and at the most.
const APART: u8 = 4;
const MOST_APART: u8 = 31;
/// Tries that are remembered of a host, about.
const TRIES: u8 = 16;
/// Hosts that are remembered.
const MOST: usize = 1 << 14;

/// What documents of hosts took that were judged in the tasks of their visits.
#[derive(Default)]
pub(super) struct Heavy(Mutex<HashMap<HostId, Tried>>);

/// The documents of a host that were tried there.
#[derive(Default)]
struct Tried {
    all: u8,
    took_much: u8,
    /// How many are judged apart before the next one is tried.
    apart: u8,
}

impl Heavy {
    /// A small document of this host was tried, and took too much or not.
    pub(super) fn tried(&self, host: HostId, took_much: bool) {
        let mut hosts = self.hosts();
        if hosts.len() >= MOST && !hosts.contains_key(&host) {
            hosts.clear();
        }
        let tried = hosts.entry(host).or_default();
        tried.all += 1;
        tried.took_much += u8::from(took_much);
        let is_heavy = tried.took_much > tried.all / FEW;
        tried.apart = if is_heavy { (APART * tried.took_much).min(MOST_APART) } else { 0 };
        if tried.all == TRIES {
            (tried.all, tried.took_much) = (tried.all / 2, tried.took_much / 2);
        }
    }

    /// Whether the next document of a host is to be judged apart from the beginning.
    pub(super) fn is_next(&self, host: HostId) -> bool {
        let mut hosts = self.hosts();
        let Some(tried) = hosts.get_mut(&host).filter(|tried| tried.apart > 0) else { return false };
        tried.apart -= 1;
        true
    }

    fn hosts(&self) -> MutexGuard<'_, HashMap<HostId, Tried>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many documents of a host are tried in the tasks of their visits, and how many of those took much.
    fn tried(documents: usize, takes_much: impl Fn(usize) -> bool) -> (usize, usize) {
        let (heavy, host) = (Heavy::default(), HostId(1));
        let here = (0..documents).filter(|document| {
            let is_tried = !heavy.is_next(host);
            if is_tried {
                heavy.tried(host, takes_much(*document));
            }
            is_tried
        });
        let here: Vec<usize> = here.collect();
        (here.len(), here.into_iter().filter(|document| takes_much(*document)).count())
    }

    #[test]
    fn where_all_take_much_few_are_tried() {
        let (all, _) = tried(10_000, |_| true);
        assert!((300..330).contains(&all), "one in 32, and some more at first: {all}");
    }

    #[test]
    fn where_few_take_much_the_others_are_judged_at_once() {
        assert_eq!(tried(100, |_| false), (100, 0));
        let (all, much) = tried(1000, |document| document % 10 == 9);
        assert_eq!((all, much), (1000, 100));
        let (all, _) = tried(1000, |document| document % 50 == 0);
        assert!(all > 980, "the first one may be the only one: {all}");
    }

    #[test]
    fn whatever_the_pattern_what_is_tried_in_vain_costs_no_more_than_processes_would() {
        for pattern in [&[true, false][..], &[true, true, false], &[true, false, false], &[true, true, false, false]] {
            let (_, much) = tried(10_000, |document| pattern[document % pattern.len()]);
            assert!(much <= 2_500, "{pattern:?}: {much}");
        }
    }

    #[test]
    fn who_was_heavy_and_is_no_more_is_tried_again() {
        let (all, much) = tried(2_000, |document| document < 1_000);
        assert!(all > 700 && much < 60, "{all} {much}");
    }
}
