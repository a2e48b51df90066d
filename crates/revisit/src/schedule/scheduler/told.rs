//! The scheduler's side of [`hints`](crate::schedule::hints): what lists say, tested by visits and felt in picks.

use super::Scheduler;
use crate::history::History;
use crate::page::{HostId, PageId};
use crate::policy::draw::draw;
use crate::schedule::hints::ListKind;
use crate::site::{Claim, Trust};
use crate::time::Time;
use crate::visit::{Outcome, Visit};

/// Draws for hints differ from those of policies.
const SEED: u64 = 0x6c69_7374;

/// Whether what lists say moves a page in this cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Turn {
    /// It goes before all that are as usual, whatever the policy says of it.
    Ahead,
    /// The policy decides.
    Usual,
    /// It stands back.
    Back,
    /// It stands back until this sitemap was read.
    Awaits(PageId),
}

impl Scheduler {
    /// Takes in that a list says when a page last changed; to be called before the visit that read the list is recorded. The
    /// latest date stands. What a list says of another host's pages, or of pages that were not added, does not count.
    pub fn hint(&mut self, page: PageId, modified: Time, list: PageId, kind: ListKind) {
        let known = self.pages.contains(page) && self.pages.contains(list);
        if known && page != list && self.pages.host(page) == self.pages.host(list) {
            let turn =
                |scheduler: &Scheduler| scheduler.turn(page, &scheduler.pages.history(page), scheduler.opened_at);
            let (seen, before) = (self.pages.history(page).last_seen(), turn(self));
            let left = self.hints.sitemap_of(page).filter(|sitemap| self.is_worth_reading(*sitemap));
            self.hints.tell(page, seen, modified, list, kind);
            if turn(self) != before {
                self.call_again(|_| vec![page]);
            }
            // Nobody waits for a sitemap that is not worth reading any more.
            if let Some(sitemap) = left.filter(|sitemap| !self.is_worth_reading(*sitemap)) {
                self.call_again(|agenda| agenda.awaiting(sitemap));
            }
        }
    }

    /// When the lists last said that a page changed.
    pub fn hinted(&self, page: PageId) -> Option<Time> {
        self.hints.modified(page)
    }

    /// The sitemap that lists a page.
    pub fn sitemap_of(&self, page: PageId) -> Option<PageId> {
        self.hints.sitemap_of(page)
    }

    /// What lists say of a page since it was last seen.
    pub fn claim(&self, page: PageId, now: Time) -> Option<Claim> {
        let read = self.hints.sitemap_of(page).and_then(|sitemap| self.pages.history(sitemap).last_seen());
        self.hints.claim(page, self.pages.history(page).last_seen()?, read, now, self.cycle)
    }

    /// What the dates of a host have been worth so far.
    pub fn trust(&self, host: HostId) -> Trust {
        self.hints.trust(host)
    }

    /// Goes on with what the dates of a host were worth before.
    pub fn set_trust(&mut self, host: HostId, trust: Trust) {
        self.hints.set_trust(host, trust);
    }

    /// The chance that a copy is current, given what it was before anybody asked a list.
    pub(super) fn after_claim(&self, page: PageId, chance: f64, now: Time) -> f64 {
        match self.claim(page, now) {
            Some(claim) => 1.0 - self.hints.trust(self.pages.host(page)).revise(claim, 1.0 - chance),
            None => chance,
        }
    }

    /// Tests what was claimed of a page; before its history takes the visit in.
    pub(super) fn test_claim(&mut self, visit: &Visit) {
        if self.hints.are_none() {
            return;
        }
        let (page, host) = (visit.page, self.pages.host(visit.page));
        self.hints.read(page, host, visit.outcome);
        if !matches!(visit.outcome, Outcome::Changed | Outcome::Unchanged) {
            return;
        }
        if let Some(claim) = self.claim(page, visit.at) {
            self.hints.check(host, claim, visit.outcome == Outcome::Changed);
        }
    }

    /// Whether what lists say moves a page now.
    pub(super) fn turn(&self, page: PageId, history: &History, now: Time) -> Turn {
        if self.is_worth_reading(page) && self.is_unread(history) {
            return Turn::Ahead;
        }
        let Some(_) = self.hints.modified(page) else { return Turn::Usual };
        let trust = self.hints.felt(self.pages.host(page));
        let drawn = || draw(SEED, page, self.opened_at);
        match self.claim(page, now) {
            Some(Claim::Changed) if drawn() < trust.urgency() => Turn::Ahead,
            Some(Claim::Unchanged) if drawn() >= trust.need() => Turn::Back,
            None if drawn() >= trust.need() => self.awaited(page, now).map_or(Turn::Usual, Turn::Awaits),
            _ => Turn::Usual,
        }
    }

    /// Whether a page is a sitemap that saves more visits than it costs.
    fn is_worth_reading(&self, page: PageId) -> bool {
        let visited = self.budget as f64 / self.seen_at_opening.max(1) as f64;
        self.hints.savings(page, self.pages.host(page), visited.min(1.0)).is_some_and(|saved| saved > 1.0)
    }

    fn is_unread(&self, history: &History) -> bool {
        history.last_seen().is_some_and(|read| read < self.opened_at)
    }

    /// The page's sitemap, if it will be read in this cycle and was not yet.
    fn awaited(&self, page: PageId, now: Time) -> Option<PageId> {
        let sitemap = self.hints.sitemap_of(page)?;
        let is_due = self.is_unread(&self.pages.history(sitemap)) && self.rested(sitemap, now);
        (is_due && self.is_worth_reading(sitemap)).then_some(sitemap)
    }
}
