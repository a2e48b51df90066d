//! Whom a cycle wants to visit, best first: one pass over the pages fills it, and from then on a pick costs what it takes out.
//!
//! Only as many candidates are brought into order as picks ask for; the others lie in a heap without order, all of them after
//! those in order, and who joins later joins the side it belongs to. So who is next depends on who the candidates are, and not on how
//! many were brought into order or when. Each host has a line of its own, so that the candidates of a host without places are stepped over once
//! and not in every round. Who is told to come forward joins its host's line anew; where the same page stands behind that, it
//! is found to be picked already when its turn comes.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::candidate::Candidate;
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::{HostId, PageId};
use crate::time::Time;

/// So many candidates are brought into order at once, at least,
const FEWEST: usize = 1024;
/// and such a part of all, since finding the best of them looks at every one.
const PART: usize = 16;

/// What is worth less than anything a policy says.
const LAST: f64 = f64::MIN;

/// The candidates of a host that are in order.
#[derive(Default)]
struct Line {
    candidates: BinaryHeap<Reverse<Candidate>>,
    /// Whether the host had no place when it was last asked.
    is_full: bool,
}

/// What a candidate is found to be when its turn comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found {
    /// Wanted as before.
    Wanted,
    /// Not wanted in this cycle any more.
    Unwanted,
    /// Not before this sitemap was read.
    Awaits(PageId),
}

/// What is left of the pass over the pages.
#[derive(Default)]
pub(super) struct Agenda {
    /// Without order, all after those in order.
    rest: Vec<Candidate>,
    /// How many of them each host has.
    rest_of: Vec<u32>,
    /// What a visit is worth to a page of weight one that was never seen: as much as the visit worth most.
    highest: f64,
    /// How many of them are brought into order next.
    batch: usize,
    /// The last that was brought into order: all of the rest come after it. `None` if nobody was.
    last: Option<Candidate>,
    lines: HashMap<HostId, Line>,
    /// The first of each line whose host may have a place. One that was taken meanwhile is stepped over.
    heads: BinaryHeap<Reverse<(Candidate, HostId)>>,
    full: Vec<HostId>,
    /// Pages that will be wanted when they have rested.
    resting: BinaryHeap<Reverse<(Time, PageId)>>,
    /// Pages that wait for a sitemap to be read.
    awaiting: HashMap<PageId, Vec<PageId>>,
    /// Turns that first visits took from the best revisits of their hosts.
    owed: HashMap<HostId, u32>,
}

impl Agenda {
    /// Takes in all candidates at once, in any order, if there are none yet. The `highest` is what any of them is worth at weight one.
    pub(super) fn with(self, candidates: Vec<Candidate>, highest: f64, host_of: impl Fn(PageId) -> HostId) -> Agenda {
        let batch = FEWEST.max(candidates.len() / PART);
        let mut agenda = Agenda { batch, highest, ..self };
        candidates.iter().for_each(|candidate| *agenda.rest_at(host_of(candidate.page())) += 1);
        Agenda { rest: candidates, ..agenda }
    }

    /// What the first visit to a page of weight one is worth.
    pub(super) fn highest(&self) -> f64 {
        self.highest
    }

    fn rest_at(&mut self, host: HostId) -> &mut u32 {
        if self.rest_of.len() <= host.index() {
            self.rest_of.resize(host.index() + 1, 0);
        }
        &mut self.rest_of[host.index()]
    }

    /// Writes down who is `is_wanted` still, and who rests or waits; or takes those in that were.
    pub(super) fn keep(
        &mut self,
        checkpoint: &mut Checkpoint<'_>,
        is_wanted: impl Fn(PageId) -> bool,
        host_of: impl Fn(PageId) -> HostId,
    ) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.highest)?;
        let in_order = self.lines.values().flat_map(|line| line.candidates.iter().map(|Reverse(candidate)| candidate));
        let all = self.rest.iter().chain(in_order).copied();
        let mut candidates: Vec<Candidate> = all.filter(|candidate| is_wanted(candidate.page())).collect();
        let mut resting: Vec<(Time, PageId)> = self.resting.iter().map(|Reverse(rests)| *rests).collect();
        let mut awaiting: Vec<(PageId, Vec<PageId>)> = self.awaiting.drain().collect();
        checkpoint.keep_rows(&mut candidates)?;
        checkpoint.keep_rows(&mut resting)?;
        checkpoint.keep_rows(&mut awaiting)?;
        let mut owed: Vec<(HostId, u32)> = self.owed.drain().collect();
        checkpoint.keep_rows(&mut owed)?;
        self.owed = owed.into_iter().collect();
        self.awaiting = awaiting.into_iter().collect();
        if checkpoint.is_read() {
            self.resting = resting.into_iter().map(Reverse).collect();
            let highest = self.highest;
            *self = std::mem::take(self).with(candidates, highest, host_of);
        }
        Ok(())
    }

    /// First visits to a host took so many turns: as many of its best candidates go behind all others.
    pub(super) fn owe(&mut self, host: HostId, turns: u32) {
        if turns > 0 {
            *self.owed.entry(host).or_default() += turns;
        }
    }

    /// One of them was given back.
    pub(super) fn owe_no_more(&mut self, host: HostId) {
        match self.owed.get_mut(&host) {
            Some(turns) if *turns > 1 => *turns -= 1,
            _ => _ = self.owed.remove(&host),
        }
    }

    /// Whether a candidate gives its turn to a first visit that its host had; it goes behind all others then. Who is worth more than a
    /// first visit gives way to none.
    fn gives_way(&mut self, candidate: Candidate, host: HostId) -> bool {
        let score = candidate.score();
        if score == LAST || score > self.highest || !self.owed.contains_key(&host) {
            return false;
        }
        self.owe_no_more(host);
        self.take(host);
        self.insert(Candidate::new(LAST, candidate.page(), false), host);
        true
    }

    /// Whether nobody is left.
    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty() && self.heads.is_empty() && self.full.is_empty()
    }

    /// A page joins, or comes forward.
    pub(super) fn insert(&mut self, candidate: Candidate, host: HostId) {
        if !self.rest.is_empty() && self.last.is_none_or(|last| candidate > last) {
            self.rest.push(candidate);
            *self.rest_at(host) += 1;
        } else {
            self.line_up(candidate, host);
        }
    }

    fn line_up(&mut self, candidate: Candidate, host: HostId) {
        let line = self.lines.entry(host).or_default();
        let is_first = line.candidates.peek().is_none_or(|Reverse(first)| candidate < *first);
        line.candidates.push(Reverse(candidate));
        if is_first && !line.is_full {
            self.heads.push(Reverse((candidate, host)));
        }
    }

    /// A page is to be asked about again at a later time.
    pub(super) fn rest(&mut self, page: PageId, until: Time) {
        self.resting.push(Reverse((until, page)));
    }

    /// The pages that have rested by now.
    pub(super) fn rested(&mut self, now: Time) -> Vec<PageId> {
        let mut rested = Vec::new();
        while self.resting.peek().is_some_and(|Reverse((until, _))| *until <= now) {
            rested.extend(self.resting.pop().map(|Reverse((_, page))| page));
        }
        rested
    }

    /// A page is to be asked about again when a sitemap was read.
    pub(super) fn await_sitemap(&mut self, page: PageId, sitemap: PageId) {
        self.awaiting.entry(sitemap).or_default().push(page);
    }

    /// The pages that waited for a sitemap.
    pub(super) fn awaiting(&mut self, sitemap: PageId) -> Vec<PageId> {
        self.awaiting.remove(&sitemap).unwrap_or_default()
    }

    /// The best candidate that is `found` to be wanted still, of a host that `has_place`. `host_of` says where a page is. It stays.
    pub(super) fn look(
        &mut self,
        host_of: impl Fn(PageId) -> HostId,
        found: impl Fn(PageId) -> Found,
        mut has_place: impl FnMut(HostId) -> bool,
    ) -> Option<(Candidate, HostId)> {
        loop {
            let Some(&Reverse((head, host))) = self.heads.peek() else {
                if self.rest.is_empty() {
                    return None;
                }
                self.bring_into_order(&host_of);
                continue;
            };
            let is_first = self.lines.get(&host).is_some_and(|line| line.is_first(head));
            match is_first.then(|| found(head.page())) {
                Some(Found::Wanted) if has_place(host) => match self.gives_way(head, host) {
                    true => {}
                    false => return Some((head, host)),
                },
                Some(Found::Wanted) => {
                    self.lines.entry(host).or_default().is_full = true;
                    self.full.push(host);
                }
                Some(_) => _ = self.first_wanted(host, &found),
                None => {}
            }
            self.heads.pop();
        }
    }

    /// The best candidate of a host that is `found` to be wanted still. It stays.
    pub(super) fn look_at(
        &mut self,
        host: HostId,
        host_of: impl Fn(PageId) -> HostId,
        found: impl Fn(PageId) -> Found,
    ) -> Option<Candidate> {
        loop {
            let first = self.first_wanted(host, &found);
            if first.is_some() || self.rest_of.get(host.index()).is_none_or(|rest| *rest == 0) {
                return first;
            }
            self.bring_into_order(&host_of);
        }
    }

    /// The first in a host's line that is wanted; who is not leaves it.
    fn first_wanted(&mut self, host: HostId, found: impl Fn(PageId) -> Found) -> Option<Candidate> {
        loop {
            let Reverse(first) = *self.lines.get(&host)?.candidates.peek()?;
            match found(first.page()) {
                Found::Wanted if self.gives_way(first, host) => continue,
                Found::Wanted => return Some(first),
                Found::Awaits(sitemap) => self.await_sitemap(first.page(), sitemap),
                Found::Unwanted => {}
            }
            self.take(host);
        }
    }

    /// Takes the first out of a host's line.
    pub(super) fn take(&mut self, host: HostId) {
        let Some(line) = self.lines.get_mut(&host) else { return };
        line.candidates.pop();
        if let Some(Reverse(next)) = line.candidates.peek().filter(|_| !line.is_full) {
            self.heads.push(Reverse((*next, host)));
        }
    }

    /// Hosts that had no place may have one again.
    pub(super) fn ask_again(&mut self) {
        for host in self.full.drain(..) {
            let Some(line) = self.lines.get_mut(&host) else { continue };
            line.is_full = false;
            self.heads.extend(line.candidates.peek().map(|Reverse(first)| Reverse((*first, host))));
        }
    }

    /// Brings the best of the rest into order, twice as many each time.
    fn bring_into_order(&mut self, host_of: impl Fn(PageId) -> HostId) {
        let batch = self.batch.min(self.rest.len());
        let from = self.rest.len() - batch;
        if from > 0 {
            // The best end up behind, where they are taken off.
            self.rest.select_nth_unstable_by(from, |one, other| other.cmp(one));
        }
        self.last = self.rest.get(from).copied();
        let mut rest = std::mem::take(&mut self.rest);
        rest.drain(from..).for_each(|candidate| {
            let host = host_of(candidate.page());
            *self.rest_at(host) -= 1;
            self.line_up(candidate, host);
        });
        // What is in a line now takes its room there.
        rest.shrink_to_fit();
        self.rest = rest;
        self.batch = batch.saturating_mul(2);
    }
}

impl Line {
    fn is_first(&self, candidate: Candidate) -> bool {
        self.candidates.peek().is_some_and(|Reverse(first)| *first == candidate)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    fn of(score: f64, page: u32) -> Candidate {
        Candidate::new(score, PageId(page), false)
    }

    /// Pages of three hosts in turn.
    fn host_of(page: PageId) -> HostId {
        HostId(page.0 % 3)
    }

    fn take(agenda: &mut Agenda, open: &[bool; 3]) -> Option<u32> {
        agenda.ask_again();
        taken(agenda, |_| Found::Wanted, |host| open[host.index()]).map(|page| page.0)
    }

    fn taken(
        agenda: &mut Agenda,
        found: impl Fn(PageId) -> Found,
        has_place: impl FnMut(HostId) -> bool,
    ) -> Option<PageId> {
        let (best, host) = agenda.look(host_of, found, has_place)?;
        agenda.take(host);
        Some(best.page())
    }

    fn agenda(candidates: impl Iterator<Item = Candidate>) -> Agenda {
        Agenda::default().with(candidates.collect(), 9.0, host_of)
    }

    #[test]
    fn the_best_of_a_host_with_a_place_goes_first() {
        let scores = [1.0, 5.0, 3.0, 9.0, 2.0, 3.0];
        let mut agenda = agenda((0..).zip(scores).map(|(page, score)| of(score, page)));
        assert_eq!(take(&mut agenda, &[false, true, true]), Some(1), "3 would be first, but its host is full");
        assert_eq!(take(&mut agenda, &[false, false, false]), None);
        assert_eq!(take(&mut agenda, &[true; 3]), Some(3));
        assert_eq!(take(&mut agenda, &[true; 3]), Some(2), "ties go to the lower id");
        agenda.insert(of(7.0, 4), HostId(1));
        let left: Vec<u32> = std::iter::from_fn(|| take(&mut agenda, &[true; 3])).collect();
        assert_eq!(left, [4, 5, 4, 0], "4 came forward, and stands where it stood too");
    }

    #[test]
    fn who_joins_late_overtakes_nobody_better() {
        let mut agenda = agenda((0..3000).map(|page| of(f64::from(page), page)));
        agenda.insert(of(2998.5, 9000), HostId(0));
        assert_eq!(take(&mut agenda, &[true; 3]), Some(2999), "nobody was in order yet");
        agenda.insert(of(5.5, 9001), HostId(1));
        let left: Vec<u32> = std::iter::from_fn(|| take(&mut agenda, &[true; 3])).collect();
        assert_eq!(left[..2], [9000, 2998]);
        assert_eq!(left[2993..2996], [6, 9001, 5]);
    }

    #[test]
    fn the_best_of_a_host_is_found_however_far_back_it_stands() {
        let mut agenda = agenda((0..9000).map(|page| of(f64::from(page % 3), page)));
        let best = |agenda: &mut Agenda, unwanted: u32| {
            let found = |page: PageId| if page.0 <= unwanted { Found::Unwanted } else { Found::Wanted };
            agenda.look_at(HostId(0), host_of, found).map(|candidate| candidate.page().0)
        };
        assert_eq!((best(&mut agenda, 0), best(&mut agenda, 7)), (Some(3), Some(9)), "all others are better");
        agenda.take(HostId(0));
        assert_eq!(best(&mut agenda, 7), Some(12));
        assert_eq!((best(&mut agenda, 9000), take(&mut agenda, &[true; 3])), (None, Some(2)));
        assert_eq!(agenda.look_at(HostId(7), host_of, |_| Found::Wanted), None);
    }

    #[test]
    fn who_rests_or_waits_for_a_sitemap_is_given_back_once() {
        let mut agenda = Agenda::default();
        let at = Time::from_secs;
        agenda.rest(PageId(1), at(20));
        agenda.rest(PageId(2), at(10));
        assert_eq!((agenda.rested(at(9)), agenda.rested(at(10))), (vec![], vec![PageId(2)]));
        agenda.await_sitemap(PageId(3), PageId(9));
        assert_eq!((agenda.awaiting(PageId(9)), agenda.awaiting(PageId(9))), (vec![PageId(3)], vec![]));
    }

    proptest! {
        #[test]
        fn all_come_out_in_order_whatever_is_unwanted_or_full(
            scores in proptest::collection::vec(0_u8..20, 0..5000),
            unwanted in any::<u8>(),
        ) {
            let candidates: Vec<Candidate> = (0..).zip(&scores).map(|(page, score)| of(f64::from(*score), page)).collect();
            let is_wanted = |page: PageId| page.0 as u8 != unwanted;
            let found = |page: PageId| if is_wanted(page) { Found::Wanted } else { Found::Unwanted };
            let mut agenda = agenda(candidates.iter().copied());
            // Every other time somebody is asked, there is no place.
            let asked = Cell::new(0);
            let claim = |_| {
                asked.set(asked.get() + 1);
                asked.get() % 2 == 0
            };
            let mut out = Vec::new();
            for _ in 0..2 * scores.len() {
                agenda.ask_again();
                out.extend(taken(&mut agenda, found, claim));
            }
            out.sort_unstable();
            let mut all: Vec<PageId> = candidates.into_iter().map(Candidate::page).filter(|page| is_wanted(*page)).collect();
            all.sort_unstable();
            prop_assert_eq!(out, all);
        }
    }
}
