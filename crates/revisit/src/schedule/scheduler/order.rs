//! The order of a cycle: every page is scored once, as of the cycle's opening, and what happens since moves single pages.

use super::told::Turn;
use super::{BadScore, Scheduler, Standing};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::history::History;
use crate::page::{HostId, PageId};
use crate::schedule::agenda::{Agenda, Found};
use crate::schedule::candidate::Candidate;
use crate::schedule::floors::Kind;
use crate::schedule::fresh::Waiting;
use crate::time::Time;

/// Rounds that a cycle may have beyond those that the policy asked for: a chain of visits that each open the next ends
/// somewhere. What it did not get to is wanted in the next cycle.
const MORE_ROUNDS: usize = 64;

/// The order that picks go by, and when it is to be made anew.
#[derive(Default)]
pub(super) struct Round {
    /// Made when the cycle opens, or when somebody first asks for it.
    agenda: Option<Agenda>,
    /// How often it may still be made anew.
    more: usize,
    /// After how many visits it is.
    visits: usize,
    /// How many there were.
    recorded: usize,
}

impl Round {
    /// The first of a cycle with so many `visits`, whose policy asks for so many `rounds`.
    pub(super) fn first(visits: usize, rounds: usize) -> Round {
        let more = if rounds > 1 { rounds - 1 + MORE_ROUNDS } else { 0 };
        Round { agenda: None, more, visits: visits.div_ceil(rounds.max(1)), recorded: 0 }
    }

    /// Writes down what is left of it, or goes on from there; of the order, those that are `is_wanted` still.
    pub(super) fn keep(
        &mut self,
        checkpoint: &mut Checkpoint<'_>,
        is_wanted: impl Fn(PageId) -> bool,
        host_of: impl Fn(PageId) -> HostId,
    ) -> Result<(), CheckpointError> {
        let mut numbers = (self.more, self.visits, self.recorded, self.agenda.is_some());
        checkpoint.keep(&mut numbers)?;
        let is_made;
        (self.more, self.visits, self.recorded, is_made) = numbers;
        if is_made {
            self.agenda.get_or_insert_default().keep(checkpoint, is_wanted, host_of)?;
        }
        Ok(())
    }

    /// Whether it had its visits, so that what they showed decides what is wanted now.
    fn is_full(&self) -> bool {
        self.more > 0 && self.recorded >= self.visits.max(1)
    }

    /// Whether nobody is left to visit, but who was may have opened the way to others.
    fn is_exhausted(&self) -> bool {
        self.more > 0 && self.recorded > 0 && self.agenda.as_ref().is_some_and(Agenda::is_empty)
    }
}

/// Less than this no page weighs where its score is below zero.
const LEAST_WEIGHT: f64 = 1e-6;

/// A score that counts for as much as its page weighs: heavier pages go before lighter ones, also where scores are zero or below.
fn weighed(score: f64, weight: f64) -> f64 {
    match score {
        score if score < 0.0 => score / weight.max(LEAST_WEIGHT),
        0.0 if weight > 1.0 => f64::MIN_POSITIVE * weight,
        score => score * weight,
    }
}

/// What the score of a page would be if it weighed one; the inverse of [`weighed`].
fn unweighed(score: f64, weight: f64) -> f64 {
    if score < 0.0 { score * weight.max(LEAST_WEIGHT) } else { score / weight.max(LEAST_WEIGHT) }
}

/// Where a page stands in a cycle.
enum Place {
    /// Nowhere: it is new, under way, was visited, or is not wanted.
    None,
    /// Among those to be visited.
    At(Candidate),
    /// It could not be reached, and has rested by then.
    Rests(Time),
    /// It waits for a sitemap to be read.
    Awaits(PageId),
}

impl Scheduler {
    /// Picks the best pages whose hosts have places, best first, ties to the lower id, until there are `most` picks.
    pub(super) fn choose(&mut self, picks: &mut Vec<PageId>, most: usize, now: Time) -> Result<(), BadScore> {
        let mut agenda = self.agenda()?;
        for page in agenda.rested(now) {
            self.call(&mut agenda, page);
        }
        agenda.ask_again();
        self.fresh.ask_again();
        while picks.len() < most && self.left() > 0 {
            let Some((kind, host, page)) = self.next_turn(&mut agenda, now) else { break };
            if let Some(probe) = self.probe(host, kind).filter(|probe| *probe != page) {
                // One that was seen stays in the order, where it is found to be picked when its turn comes.
                if self.standing[probe.index()] == Standing::Waiting {
                    self.fresh.had_turn(host);
                    self.fresh.remove(host, probe);
                }
                self.take(probe);
                picks.push(probe);
                continue;
            }
            match kind {
                Kind::First => {
                    self.fresh.take(host);
                    agenda.owe(host, u32::from(self.books.is_share_full(host)));
                }
                Kind::Again => agenda.take(host),
            }
            // At once: who came forward stands in the order twice.
            self.take(page);
            picks.push(page);
        }
        self.round.agenda = Some(agenda);
        Ok(())
    }

    /// Whose turn it is, first visits' or revisits', and with which page of which host.
    fn next_turn(&mut self, agenda: &mut Agenda, now: Time) -> Option<(Kind, HostId, PageId)> {
        // What is wanted is asked of all the rest while places are looked at.
        let mut places = std::mem::take(&mut self.places);
        let next_try = |host| self.outages.next_try(host, self.cycle);
        let first = self.fresh.look(|host| places.has_one(host, now, next_try(host)));
        let host_of = |page| self.pages.host(page);
        let has_place = |host| places.has_one(host, now, next_try(host));
        let again = agenda.look(host_of, |page| self.found(page), has_place);
        self.places = places;
        let of_new = |first: Waiting| (Kind::First, first.host, first.page);
        let (first, (best, host)) = match (first, again) {
            (first, None) => return first.map(of_new),
            (None, Some((best, host))) => return Some((Kind::Again, host, best.page())),
            (Some(first), Some(again)) => (first, again),
        };
        let stale = weighed(agenda.highest(), f64::from(first.weight));
        let may_compete =
            || !self.books.is_share_full(first.host) || first.host == host || !self.books.has_share_left(host);
        let is_better = || stale >= best.score() && may_compete();
        let by_worth = || if is_better() { Kind::First } else { Kind::Again };
        match self.floors.due(self.books.had()).unwrap_or_else(by_worth) {
            Kind::First => Some(self.due_again(agenda, first.host).unwrap_or(of_new(first))),
            Kind::Again => Some(self.due_first(host).map_or((Kind::Again, host, best.page()), of_new)),
        }
    }

    /// Who is better tried if a host is out: the page that reached it last, if it can be visited now. Among unread pages that is every
    /// other time the one that was found last: pages that fail by themselves often lie together.
    fn probe(&self, host: HostId, kind: Kind) -> Option<PageId> {
        self.outages.next_try(host, self.cycle)?;
        let can_be_tried = |page: &PageId| {
            let is_at_rest = self.pages.contains(*page) && self.standing[page.index()] == Standing::Resting;
            is_at_rest && self.is_unvisited(*page) && self.held(*page).is_none()
        };
        let last = self.outages.probe(host).filter(can_be_tried);
        let is_good = |page: &PageId| self.pages.history(*page).failures() == 0;
        let farthest = || self.fresh.farthest(host).filter(|_| kind == Kind::First && self.number.is_multiple_of(2));
        last.filter(is_good).or_else(farthest)
    }

    /// The revisit that a host owes before another first visit, if it owes one.
    fn due_again(&self, agenda: &mut Agenda, host: HostId) -> Option<(Kind, HostId, PageId)> {
        self.floors.due_at_host(self.books.had_at(host)).filter(|due| *due == Kind::Again)?;
        let best = agenda.look_at(host, |page| self.pages.host(page), |page| self.found(page))?;
        Some((Kind::Again, host, best.page()))
    }

    /// The first visit that a host owes before another revisit, if it owes one.
    fn due_first(&self, host: HostId) -> Option<Waiting> {
        self.floors.due_at_host(self.books.had_at(host)).filter(|due| *due == Kind::First)?;
        self.fresh.look_at(host)
    }

    /// Makes the order of the cycle that just opened. Otherwise the first pick does, which may come late: after visits that others
    /// of the same cycle were to be judged without.
    pub fn make_order(&mut self) {
        // A score that is no number is told by who picks.
        self.round.agenda = self.whole_order().ok();
    }

    /// A visit showed something: after a round of them, what is wanted is asked anew.
    pub(super) fn count_visit(&mut self) {
        self.round.recorded += 1;
        if self.round.is_full() {
            self.turn_round();
        }
    }

    fn turn_round(&mut self) {
        self.plan(self.budget, self.opened_at);
        let Round { agenda, more, visits, .. } = std::mem::take(&mut self.round);
        self.round = Round { agenda: None, more: more - 1, visits, recorded: 0 };
        if agenda.is_some() {
            self.make_order();
        }
    }

    /// The order to go by now.
    fn agenda(&mut self) -> Result<Agenda, BadScore> {
        if self.round.is_exhausted() {
            self.turn_round();
        }
        match self.round.agenda.take() {
            Some(agenda) => Ok(agenda),
            None => self.whole_order(),
        }
    }

    /// Scores every page.
    fn whole_order(&self) -> Result<Agenda, BadScore> {
        // Room for all at once: where it grows, what it outgrew is held beside it.
        let (mut agenda, mut candidates) = (Agenda::default(), Vec::with_capacity(self.pages.len()));
        let mut highest = f64::MIN;
        for page in self.pages.ids().filter(|page| self.is_unvisited(*page)) {
            match self.place(page, &self.pages.history(page), self.opened_at)? {
                Place::None => {}
                Place::At(candidate) => {
                    highest = highest.max(unweighed(candidate.score(), self.pages.weight(page)));
                    candidates.push(candidate);
                }
                Place::Rests(until) => agenda.rest(page, until),
                Place::Awaits(sitemap) => agenda.await_sitemap(page, sitemap),
            }
        }
        self.books.beyond_share().for_each(|(host, visits)| agenda.owe(host, visits));
        Ok(agenda.with(candidates, highest, |page| self.pages.host(page)))
    }

    /// A page with its score, if the policy wants to visit it now.
    pub(super) fn candidate(&self, page: PageId, now: Time) -> Result<Option<Candidate>, BadScore> {
        Ok(match self.place(page, &self.pages.history(page), now)? {
            Place::At(candidate) => Some(candidate),
            _ => None,
        })
    }

    fn place(&self, page: PageId, history: &History, now: Time) -> Result<Place, BadScore> {
        let is_held = self.held(page).is_some();
        if is_held || self.standing[page.index()] != Standing::Resting || history.last_seen().is_none() {
            return Ok(Place::None);
        }
        if let Some(until) = self.rest_after(page, history).filter(|until| *until > now) {
            return Ok(if until < now + self.cycle { Place::Rests(until) } else { Place::None });
        }
        let turn = if self.hints.are_none() { Turn::Usual } else { self.turn(page, history, now) };
        let score = match turn {
            Turn::Back => None,
            Turn::Awaits(sitemap) => return Ok(Place::Awaits(sitemap)),
            Turn::Ahead => self.worth(page, history, now).or(Some(0.0)),
            Turn::Usual => self.worth(page, history, now),
        };
        match score {
            None => Ok(Place::None),
            Some(score) if score.is_finite() => Ok(Place::At(Candidate::new(score, page, turn == Turn::Ahead))),
            Some(score) => Err(BadScore { page, score }),
        }
    }

    /// What a visit is worth, the page's weight included; `None` if the policy does not want it.
    fn worth(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.policy.score(page, history, now).map(|score| weighed(score, self.pages.weight(page)))
    }

    /// Whether a page was neither picked nor visited in this cycle.
    fn is_unvisited(&self, page: PageId) -> bool {
        !self.had_turn[page.index()]
    }

    /// Whether anything speaks against a page that was wanted.
    fn found(&self, page: PageId) -> Found {
        let is_at_rest = self.standing[page.index()] == Standing::Resting && self.is_unvisited(page);
        if !is_at_rest || self.held(page).is_some() {
            return Found::Unwanted;
        }
        if self.hints.are_none() {
            return Found::Wanted;
        }
        match self.turn(page, &self.pages.history(page), self.opened_at) {
            Turn::Back => Found::Unwanted,
            Turn::Awaits(sitemap) => Found::Awaits(sitemap),
            Turn::Ahead | Turn::Usual => Found::Wanted,
        }
    }

    /// Asks again where a page stands, and puts it there. A score that is no number is told when all are scored again.
    fn call(&self, agenda: &mut Agenda, page: PageId) {
        if !self.is_unvisited(page) {
            return;
        }
        match self.place(page, &self.pages.history(page), self.opened_at) {
            Ok(Place::At(candidate)) => agenda.insert(candidate, self.pages.host(page)),
            Ok(Place::Rests(until)) => agenda.rest(page, until),
            Ok(Place::Awaits(sitemap)) => agenda.await_sitemap(page, sitemap),
            Ok(Place::None) | Err(_) => {}
        }
    }

    /// Something happened to pages that may put them elsewhere in the order, if there is one.
    pub(super) fn call_again(&mut self, pages: impl FnOnce(&mut Agenda) -> Vec<PageId>) {
        let Some(mut agenda) = self.round.agenda.take() else { return };
        for page in pages(&mut agenda) {
            self.call(&mut agenda, page);
        }
        self.round.agenda = Some(agenda);
    }
}
