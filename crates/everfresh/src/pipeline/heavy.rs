//! Whose documents take more than may be done in the task of a visit. To find that out takes some 50 ms of a core that all
//! visits share, each time, and a process takes some ten. So as long as no more than a quarter of a host's documents take much
//! they are tried there, and those of other hosts are judged apart from the beginning, but for one now and then.
//!
//! Hundreds of hosts, each of which is tried once, would be too much together. What all tries took that took much is a debt, of
//! which a tenth of a core pays; where it is large, only hosts known to be quick are tried.
//!
//! CPU time is what counts, but to ask for it takes a system call. So only those are asked who seemed to take much by the wall, which
//! they also do on a machine that is busy otherwise. Stepped time knows nothing of either, so that it does the same everywhere.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use revisit::HostId;

use super::meter::thread_time;

/// What takes longer takes much: half of what a process takes.
const MUCH: Duration = Duration::from_millis(5);
/// A debt is paid back in so many times the time that was had.
const SHARE: u32 = 10;
/// How much of that there may be before nobody is tried who is not known to be quick.
const CREDIT: Duration = Duration::from_secs(2);
/// Documents after which a host is known to be quick, if none took much.
const QUICK: u8 = 4;
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
pub(super) struct Heavy {
    state: Mutex<State>,
    measures: bool,
}

struct State {
    hosts: HashMap<HostId, Tried>,
    /// When all that was had too much will have been paid back.
    paid_at: Instant,
}

/// The documents of a host that were tried there.
#[derive(Default)]
struct Tried {
    all: u8,
    took_much: u8,
    /// How many are judged apart before the next one is tried.
    apart: u8,
    /// Whether one of them seemed to take much.
    is_watched: bool,
}

/// A document that is being tried.
pub(super) struct Try {
    host: HostId,
    begun: Instant,
    /// The thread's CPU time at the beginning, if that is to be known.
    cpu: Option<Duration>,
}

impl Heavy {
    /// Where time can be `measured`, it counts too how long documents took that did not take too much.
    pub(super) fn new(measures: bool) -> Heavy {
        Heavy { state: Mutex::new(State { hosts: HashMap::new(), paid_at: Instant::now() }), measures }
    }

    /// A small document of this host is to be judged: in the task of its visit, which is a try, or apart from the beginning.
    pub(super) fn begin(&self, host: HostId) -> Option<Try> {
        let begun = Instant::now();
        let is_watched = self.state().tries(host, begun)?;
        Some(Try { host, begun, cpu: (is_watched && self.measures).then(thread_time) })
    }

    /// What came of it.
    pub(super) fn end(&self, tried: Try, was_too_much: bool) {
        let by_wall = if self.measures { tried.begun.elapsed() } else { Duration::ZERO };
        let took = tried.cpu.map_or(by_wall, |begun| thread_time().saturating_sub(begun));
        let takes_much = was_too_much || (took > MUCH && tried.cpu.is_some());
        let seems_much = takes_much || took > MUCH;
        self.state().learn(tried.host, takes_much, seems_much, took, tried.begun);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether the next document of a host is tried, and if so whether it is watched.
    fn tries(&mut self, host: HostId, now: Instant) -> Option<bool> {
        let is_in_debt = self.paid_at > now + CREDIT;
        let Some(tried) = self.hosts.get_mut(&host) else { return (!is_in_debt).then_some(false) };
        let is_quick = tried.all >= QUICK && tried.took_much == 0;
        if tried.apart > 0 || (is_in_debt && !is_quick) {
            tried.apart = tried.apart.saturating_sub(1);
            return None;
        }
        Some(tried.is_watched)
    }

    fn learn(&mut self, host: HostId, takes_much: bool, seems_much: bool, took: Duration, now: Instant) {
        if self.hosts.len() >= MOST && !self.hosts.contains_key(&host) {
            self.hosts.clear();
        }
        let tried = self.hosts.entry(host).or_default();
        tried.all += 1;
        tried.took_much += u8::from(takes_much);
        tried.is_watched = seems_much || (tried.is_watched && tried.took_much > 0);
        let is_heavy = tried.took_much > tried.all / FEW;
        tried.apart = if is_heavy { (APART * tried.took_much).min(MOST_APART) } else { 0 };
        if tried.all == TRIES {
            (tried.all, tried.took_much) = (tried.all / 2, tried.took_much / 2);
        }
        if seems_much {
            self.paid_at = self.paid_at.max(now) + took * SHARE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Duration = Duration::ZERO;

    fn state() -> State {
        State { hosts: HashMap::new(), paid_at: Instant::now() }
    }

    /// How many of so many documents of a host are tried in the tasks of their visits, and how many of those took much.
    fn tried(documents: usize, takes_much: impl Fn(usize) -> bool) -> (usize, usize) {
        let (mut state, host, now) = (state(), HostId(1), Instant::now());
        let here = (0..documents).filter(|document| {
            let is_tried = state.tries(host, now).is_some();
            if is_tried {
                state.learn(host, takes_much(*document), takes_much(*document), NOTHING, now);
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

    #[test]
    fn many_hosts_that_are_tried_once_each_take_a_part_of_a_core() {
        let (mut state, begun, took) = (state(), Instant::now(), Duration::from_millis(50));
        let mut tries = 0_u32;
        for host in 0..1_000 {
            // One comes every ten milliseconds.
            let now = begun + Duration::from_millis(10) * host;
            if state.tries(HostId(host), now).is_some() {
                state.learn(HostId(host), true, true, took, now);
                tries += 1;
            }
        }
        assert!((20..30).contains(&tries), "a tenth of ten seconds, and what is lent at first: {tries}");
    }

    #[test]
    fn who_is_known_to_be_quick_is_tried_whatever_others_take() {
        let (mut state, now) = (state(), Instant::now());
        for _ in 0..QUICK {
            assert_eq!(state.tries(HostId(1), now), Some(false));
            state.learn(HostId(1), false, false, NOTHING, now);
        }
        state.learn(HostId(2), false, false, NOTHING, now);
        state.learn(HostId(3), true, true, Duration::from_secs(1), now);
        assert_eq!([1, 2, 3, 4].map(|host| state.tries(HostId(host), now).is_some()), [true, false, false, false]);
        let later = now + CREDIT * 10;
        assert_eq!([1, 2, 4].map(|host| state.tries(HostId(host), later).is_some()), [true; 3]);
    }

    #[test]
    fn who_seems_to_take_much_is_watched_and_not_condemned() {
        let (mut state, now, took) = (state(), Instant::now(), MUCH * 2);
        state.learn(HostId(1), false, true, took, now);
        assert_eq!(state.tries(HostId(1), now), Some(true));
        state.learn(HostId(1), false, false, NOTHING, now);
        assert_eq!(state.tries(HostId(1), now), Some(false), "it was the machine");
    }

    #[test]
    fn a_try_that_computes_for_long_is_seen() {
        let heavy = Heavy::new(true);
        let compute = || {
            let begun = thread_time();
            while thread_time() - begun <= MUCH {}
        };
        for is_tried in [true, true, false] {
            let tried = heavy.begin(HostId(1));
            assert_eq!(tried.is_some(), is_tried, "first it is only watched");
            if let Some(tried) = tried {
                compute();
                heavy.end(tried, false);
            }
        }
        let heavy = Heavy::new(false);
        for _ in 0..5 {
            let tried = heavy.begin(HostId(1)).expect("nothing is measured");
            compute();
            heavy.end(tried, false);
        }
    }
}
