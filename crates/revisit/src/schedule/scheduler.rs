//! The one scheduler, live and in the lab: ask the policy, take the best, tell it what the visits showed.
//!
//! A cycle opens with a budget; then the policy plans, and every page is scored as of that moment. Any number of
//! [picks](Scheduler::pick) take the best from that order. A page is picked at most once a cycle. A page never seen is stale as no
//! other can be, and competes as such within [floors](Floors). A page that could not be reached rests for 1, 2, 4, …
//! cycles, unless its host was [out](super::outages). Hosts have a bounded number of places, so that pages picked but not yet visited pile up nowhere. What sitemaps
//! and feeds say moves pages as far as it proved right, and not at all if nobody tells of any.
//!
//! Cost of a cycle: one score per page seen, and as much of an order as is picked, never a sort of all. A policy whose visits
//! decide what it wants next ([`Needs::rounds`]) plans and scores again so many times.

use std::collections::BTreeMap;

use crate::features::Features;
use crate::history::History;
use crate::page::{HostId, PageId, Pages};
use crate::policy::{Budget, Needs, Policy};
use crate::schedule::books::Books;
use crate::schedule::floors::{Floors, Kind};
use crate::schedule::fresh::{Fresh, Waiting};
use crate::schedule::hints::Hints;
use crate::schedule::orders::Orders;
use crate::schedule::outages::Outages;
use crate::schedule::places::Places;
use crate::site::Structure;
use crate::time::{Span, Time};
use crate::visit::{Outcome, Visit};

mod freshness;
mod kept;
mod order;
mod ordered;
mod ranking;
mod told;

use order::Round;
pub use ranking::Ranking;

/// A page that failed rests for at most 2^10 cycles.
const LONGEST_REST: u8 = 10;

/// A policy returned a score that has no place in an order.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("the policy scored page {} with {score}: scores must be finite numbers", page.0)]
pub struct BadScore {
    /// The page.
    pub page: PageId,
    /// Its score.
    pub score: f64,
}

/// Where a page stands in the order of one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// 1 for the page that would go first; of more than half a million pages, about.
    pub position: usize,
    /// How many pages the policy wants to visit now.
    pub of: usize,
    /// The page's score, its weight included.
    pub score: f64,
}

/// Where a page is between two visits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Standing {
    /// Never visited, in the queue of its host.
    Waiting,
    /// Picked for its first visit.
    PickedFirst,
    /// Picked again, not yet visited.
    Picked,
    /// Visited before; the policy speaks for it once it was seen.
    Resting,
}

/// The pages, their policy and the state of the current cycle.
pub struct Scheduler {
    pages: Pages,
    policy: Box<dyn Policy>,
    cycle: Span,
    floors: Floors,
    standing: Vec<Standing>,
    /// Whether each page was picked or visited in this cycle.
    had_turn: Vec<bool>,
    fresh: Fresh,
    /// Pages visited in vain and never seen: they wait again once they have rested.
    unreached: Vec<PageId>,
    places: Places,
    outages: Outages,
    number: u32,
    books: Books,
    budget: usize,
    opened_at: Time,
    round: Round,
    seen: usize,
    seen_at_opening: usize,
    needs: Needs,
    structure: Structure,
    /// The structure changed since the policy was shown it.
    rearranged: bool,
    hints: Hints,
    orders: Orders,
    /// Requests beyond one of each page's last visit, where it took more.
    prices: BTreeMap<PageId, u32>,
}

impl Scheduler {
    /// A scheduler of no pages, which keeps the `floors` if both can be kept.
    pub fn new(mut policy: Box<dyn Policy>, cycle: Span, floors: Floors) -> Scheduler {
        policy.plan(&Pages::default(), Budget { fetches: 0, cycle }, Time::MIN);
        let needs = policy.needs();
        Scheduler {
            pages: Pages::new(needs.intervals),
            policy,
            cycle,
            floors,
            standing: Vec::new(),
            had_turn: Vec::new(),
            fresh: Fresh::default(),
            unreached: Vec::new(),
            places: Places::default(),
            outages: Outages::default(),
            number: 1,
            books: Books::default(),
            budget: 0,
            opened_at: Time::MIN,
            round: Round::default(),
            seen: 0,
            seen_at_opening: 0,
            needs,
            structure: if needs.links { Structure::default() } else { Structure::without_links() },
            rearranged: false,
            hints: Hints::default(),
            orders: Orders::default(),
            prices: BTreeMap::new(),
        }
    }

    /// The policy with all it has learned.
    pub fn into_policy(self) -> Box<dyn Policy> {
        self.policy
    }

    /// Goes on with another policy, which has learned of the same visits and needs the same.
    pub fn change_policy(&mut self, policy: Box<dyn Policy>) {
        self.needs = policy.needs();
        self.rearranged = true;
        self.policy = policy;
    }

    /// Makes room for so many pages more, so that a million pages found at once are not moved again and again.
    pub fn reserve(&mut self, pages: usize) {
        self.pages.reserve(pages);
        self.standing.reserve(pages);
        self.had_turn.reserve(pages);
    }

    /// Takes in a page that was never visited, under the number it has, and gives that back. What was said of it first stands.
    /// Numbers that nobody has are never picked and never counted.
    pub fn add(&mut self, page: PageId, host: HostId, weight: f32) -> PageId {
        if self.pages.contains(page) {
            return page;
        }
        self.pages.add(page, host, weight);
        self.outages.add_page(host);
        self.standing.resize(self.pages.end(), Standing::Resting);
        self.had_turn.resize(self.pages.end(), false);
        self.standing[page.index()] = Standing::Waiting;
        self.fresh.push(Waiting { host, page, weight, was_tried: false });
        page
    }

    /// A page that was added matters so much from now on; an order that was made stands.
    pub fn weigh(&mut self, page: PageId, weight: f32) {
        if !self.pages.contains(page) {
            return;
        }
        self.pages.weigh(page, weight);
        if self.fresh.remove(self.pages.host(page), page) {
            self.fresh.put_back(self.waiting_as(page));
        }
    }

    /// A page as it waits for its first visit.
    fn waiting_as(&self, page: PageId) -> Waiting {
        let was_tried = self.pages.history(page).failures() > 0;
        Waiting { host: self.pages.host(page), page, weight: self.pages.weight(page) as f32, was_tried }
    }

    /// Tells the policy what the first version of a page showed; to be called before the visit that saw it is recorded.
    pub fn describe(&mut self, page: PageId, features: &Features) {
        self.policy.describe(page, features);
    }

    /// What the policy needs beside what every policy gets.
    pub fn needs(&self) -> Needs {
        self.needs
    }

    /// Takes in where a page is, and tells the policy. Kept only for a policy that needs the structure; what was said of a
    /// page first stands.
    pub fn locate(&mut self, page: PageId, url: &str) {
        self.policy.locate(page, url);
        if self.needs.structure {
            self.structure.locate(page, url);
            self.rearranged = true;
        }
    }

    /// Takes in all links of a page in place of those it had, as far as they lead to pages that were added. Kept only for a
    /// policy that needs the structure.
    pub fn link(&mut self, page: PageId, targets: impl IntoIterator<Item = PageId>) {
        if self.needs.structure && self.pages.contains(page) {
            let known = targets.into_iter().filter(|target| self.pages.contains(*target));
            self.rearranged |= self.structure.link(page, known, self.pages.end());
        }
    }

    /// At most this many pages of a host are picked and not yet visited at any time; no limit unless told.
    pub fn limit_host(&mut self, host: HostId, places: u32) {
        self.places.of(host).limit = places;
    }

    /// Picks no page of a host before `until`.
    pub fn pause_host(&mut self, host: HostId, until: Time) {
        self.places.of(host).paused_until = until;
    }

    /// When the first of the hosts goes on that had pages to [pick](Scheduler::pick) since this was last asked, but paused.
    pub fn pause_ends(&mut self) -> Option<Time> {
        self.places.take_open_at()
    }

    /// Opens a cycle that plans with a `budget` and may make `visits` visits, less what earlier cycles took too much.
    pub fn open_cycle(&mut self, budget: usize, visits: usize, now: Time) {
        self.number += 1;
        self.books.open(visits, self.outages.hosts(), self.floors.period());
        self.budget = budget;
        self.opened_at = now;
        self.seen_at_opening = self.seen;
        self.hints.open_cycle();
        self.had_turn.fill(false);
        for page in std::mem::take(&mut self.unreached) {
            if self.rested(page, now) {
                self.standing[page.index()] = Standing::Waiting;
            } else {
                self.unreached.push(page);
            }
        }
        self.fresh = Fresh::of_cycle(self.number, self.waiting_pages());
        if std::mem::take(&mut self.rearranged) {
            self.policy.survey(&self.structure);
        }
        // The order of the cycle before goes first: a plan needs room too.
        self.round = Round::first(visits, self.needs.rounds);
        self.plan(budget, now);
    }

    /// Visits the current cycle may still make.
    pub fn left(&self) -> usize {
        self.books.left()
    }

    /// The up to `most` pages to visit now, best first.
    pub fn pick(&mut self, now: Time, most: usize) -> Result<Vec<PageId>, BadScore> {
        let mut picks = self.called(most, now);
        let most = picks.len() + (most - picks.len()).min(self.left());
        if picks.len() < most {
            self.choose(&mut picks, most, now)?;
        }
        Ok(picks)
    }

    fn take(&mut self, page: PageId) {
        let host = self.pages.host(page);
        let kind = self.next_visit(page);
        self.standing[page.index()] = if kind == Kind::First { Standing::PickedFirst } else { Standing::Picked };
        self.had_turn[page.index()] = true;
        self.places.take(host);
        self.books.pick(host, kind);
        self.books.expect(self.price(page));
    }

    /// Requests beyond one that the last visit of a page took, which its next one may take too.
    fn price(&self, page: PageId) -> usize {
        self.prices.get(&page).map_or(0, |requests| *requests as usize)
    }

    /// What a page is picked for, if it is and was not yet visited.
    fn picked(&self, page: PageId) -> Option<Kind> {
        match self.standing[page.index()] {
            Standing::PickedFirst => Some(Kind::First),
            Standing::Picked => Some(Kind::Again),
            Standing::Waiting | Standing::Resting => None,
        }
    }

    /// What the next visit to a page that is not under way will be.
    fn next_visit(&self, page: PageId) -> Kind {
        if self.standing[page.index()] == Standing::Waiting { Kind::First } else { Kind::Again }
    }

    fn plan(&mut self, fetches: usize, now: Time) {
        self.policy.plan(&self.pages, Budget { fetches, cycle: self.cycle }, now);
    }

    /// Whether a page that could not be reached has rested long enough.
    fn rested(&self, page: PageId, now: Time) -> bool {
        self.rests_until(page).is_none_or(|until| until <= now)
    }

    /// Until when a page rests that could not be reached; `None` if its last visit reached it.
    pub fn rests_until(&self, page: PageId) -> Option<Time> {
        self.rest_after(page, &self.pages.history(page))
    }

    fn rest_after(&self, page: PageId, history: &History) -> Option<Time> {
        let failures = history.failures().checked_sub(1)?;
        let attempt = history.last_attempt()?;
        let cycles = self.outages.rest(self.pages.host(page), attempt, 1 << failures.min(LONGEST_REST))?;
        Some(attempt + self.cycle * f64::from(cycles))
    }

    /// Takes in what a visit showed, whether it was picked here or is replayed from a log.
    pub fn record(&mut self, visit: &Visit) {
        if visit.outcome != Outcome::Failed {
            let there = Some(visit.page).filter(|_| visit.outcome != Outcome::Gone);
            self.outages.reach(self.pages.host(visit.page), there, visit.at);
        }
        self.take_in(visit);
    }

    /// Takes in a visit that failed because its host did not answer, which says more of the host than of the page.
    pub fn record_missed(&mut self, visit: &Visit) {
        let (host, history) = (self.pages.host(visit.page), self.pages.history(visit.page));
        let failed = history.last_attempt().filter(|_| history.failures() > 0);
        let blamed = failed.filter(|failed| !self.outages.is_excused(host, *failed));
        self.outages.miss(host, blamed, visit.at, self.cycle);
        self.take_in(visit);
    }

    fn take_in(&mut self, visit: &Visit) {
        let page = visit.page;
        self.test_claim(visit);
        let mut history = self.pages.history(page);
        let was_seen = history.last_seen().is_some();
        if history.last_attempt().is_some_and(|attempt| self.outages.is_excused(self.pages.host(page), attempt)) {
            history.excuse();
        }
        history.record(visit);
        self.pages.set_history(page, &history);
        self.seen += usize::from(!was_seen && history.last_seen().is_some());
        self.policy.learn(page, &history, visit);
        let host = self.pages.host(page);
        let picked = self.picked(page);
        let kind = picked.unwrap_or_else(|| self.next_visit(page));
        if picked.is_some() {
            self.places.free(host);
            self.books.release(host, kind);
            self.books.expect_no_more(self.price(page));
        } else if kind == Kind::First {
            self.fresh.had_turn(host);
        }
        self.books.record(host, kind);
        self.had_turn[page.index()] = true;
        self.orders.visited(page);
        self.rest(page);
        self.call_again(|agenda| agenda.awaiting(page));
        self.count_visit();
    }

    fn rest(&mut self, page: PageId) {
        let visited_before = self.standing[page.index()] == Standing::Resting;
        self.standing[page.index()] = Standing::Resting;
        if self.pages.history(page).last_seen().is_none() && !visited_before {
            self.unreached.push(page);
        }
    }

    /// Gives the budget back what a recorded visit did not need: it took no fetch.
    pub fn refund(&mut self) {
        self.books.refund();
    }

    /// Speaks for requests that a visit under way made beyond one, until it is recorded and they are [charged](Scheduler::charge).
    pub fn expect(&mut self, requests: usize) {
        self.books.expect(requests);
    }

    /// They need not be spoken for any more.
    pub fn expect_no_more(&mut self, requests: usize) {
        self.books.expect_no_more(requests);
    }

    /// Takes requests from the budget that no visit tells of. What is not left is owed, and the next cycles pay it.
    pub fn charge(&mut self, requests: usize) {
        self.books.charge(requests);
    }

    /// Takes the requests beyond one from the budget that the visit of a page took which was just recorded, and goes by them when it is picked
    /// again.
    pub fn charge_visit(&mut self, page: PageId, requests: usize) {
        self.books.charge(requests);
        match u32::try_from(requests) {
            Ok(0) => _ = self.prices.remove(&page),
            requests => _ = self.prices.insert(page, requests.unwrap_or(u32::MAX)),
        }
    }

    /// Of the requests beyond one that the visit of a page took, those that nobody spoke for when it was picked.
    pub fn unforeseen(&self, page: PageId, requests: usize) -> usize {
        requests.saturating_sub(self.price(page))
    }

    /// Takes a picked page back that will not be visited now; the budget gets its visit back.
    pub fn release(&mut self, page: PageId) {
        let Some(kind) = self.picked(page) else { return };
        let host = self.pages.host(page);
        self.places.free(host);
        self.books.release(host, kind);
        self.books.expect_no_more(self.price(page));
        self.had_turn[page.index()] = false;
        if kind == Kind::First {
            if self.books.is_share_full(host) {
                self.call_again(|agenda| {
                    agenda.owe_no_more(host);
                    Vec::new()
                });
            }
            self.standing[page.index()] = Standing::Waiting;
            self.fresh.give_back(self.waiting_as(page));
            if self.held(page).is_some() {
                self.fresh.remove(host, page);
            }
        } else {
            self.rest(page);
            self.call_again(|_| vec![page]);
        }
    }

    /// The copy of a page was lost: it waits for its visit like one never seen. To be called before [`Scheduler::end_replay`].
    pub fn lose(&mut self, page: PageId) {
        self.standing[page.index()] = Standing::Waiting;
    }

    /// Removes from the queues of pages never seen those that a log shows to have been visited.
    pub fn end_replay(&mut self) {
        self.fresh = self.fresh.with(self.waiting_pages());
        self.unreached.retain(|page| self.pages.history(*page).last_seen().is_none());
    }

    /// The pages that wait for their first visit, in the order in which they were found.
    fn waiting_pages(&self) -> impl Iterator<Item = Waiting> + '_ {
        let waiting = (0..).map(PageId).zip(&self.standing).filter(|(_, standing)| **standing == Standing::Waiting);
        let at_large = waiting.map(|(page, _)| page).filter(|page| self.held(*page).is_none());
        at_large.map(|page| self.waiting_as(page))
    }

    /// The pages and their histories.
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// How many pages wait for their first visit.
    pub fn waiting(&self) -> usize {
        self.fresh.len()
    }

    /// Why a page would be visited when it would, in the policy's words.
    pub fn reason(&self, page: PageId, now: Time) -> String {
        self.policy.reason(page, &self.pages.history(page), now)
    }

    /// Where a page stands now; `None` if the policy does not want it now.
    pub fn rank(&mut self, page: PageId, now: Time, budget: usize) -> Result<Option<Rank>, BadScore> {
        self.plan(budget, now);
        match self.ranking(page, now)? {
            Some(mut ranking) => self.look_on(&mut ranking, usize::MAX),
            None => Ok(None),
        }
    }

    /// Whether a page is picked and not yet visited.
    pub fn is_picked(&self, page: PageId) -> bool {
        self.picked(page).is_some()
    }
}

#[cfg(test)]
mod tests;
