//! The scheduler's side of [`orders`](crate::schedule::orders): who is left alone, and who goes first.

use super::{Scheduler, Standing};
use crate::page::PageId;
use crate::schedule::orders::{Held, PageOrder};
use crate::time::Time;

impl Scheduler {
    /// Takes in an order about a page that was added. A visit that is under way ends as it would.
    pub fn order(&mut self, page: PageId, order: PageOrder) {
        if !self.pages.contains(page) {
            return;
        }
        match order {
            PageOrder::Pause => self.hold(page, Held::Paused),
            PageOrder::Remove => self.hold(page, Held::Removed),
            PageOrder::Resume => self.let_go(page),
            PageOrder::Visit => self.orders.call(page),
            PageOrder::Weigh(weight) => self.weigh(page, weight),
        }
    }

    /// Why a page is left alone, if it is.
    pub fn held(&self, page: PageId) -> Option<Held> {
        self.orders.held(page)
    }

    fn hold(&mut self, page: PageId, why: Held) {
        self.orders.hold(page, why);
        if self.standing[page.index()] == Standing::Waiting {
            self.fresh.remove(self.pages.host(page), page);
        }
    }

    fn let_go(&mut self, page: PageId) {
        if !self.orders.let_go(page) {
            return;
        }
        match self.standing[page.index()] {
            Standing::Waiting => self.fresh.put_back(self.waiting_as(page)),
            _ => self.call_again(|_| vec![page]),
        }
    }

    /// The up to `most` pages that are to be visited now and whose hosts have places, picked: also if no budget is left, which the next
    /// cycles pay.
    pub(super) fn called(&mut self, most: usize, now: Time) -> Vec<PageId> {
        let called: Vec<PageId> = self.orders.called().filter(|page| self.picked(*page).is_none()).collect();
        let mut picks = Vec::new();
        for page in called {
            let host = self.pages.host(page);
            if picks.len() == most || !self.places.has_one(host, now, None) {
                continue;
            }
            if self.standing[page.index()] == Standing::Waiting {
                self.fresh.remove(host, page);
                self.fresh.had_turn(host);
            }
            self.take(page);
            picks.push(page);
        }
        picks
    }
}
