//! The books of a cycle: what it may spend, what it has spent, and what is on its way.
//!
//! A visit is paid when it is recorded, by the cycle that it is recorded in; until then its page is under way and its visit is
//! spoken for. So the books follow from the visits recorded since the cycle opened, whoever picked them: who is told of them
//! again has the same. Pages never seen have their share of the whole cycle, however many are picked at once.

use serde::{Deserialize, Serialize};

/// Visits, and those of them that are a page's first.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
struct Visits {
    all: usize,
    first: usize,
}

/// What the current cycle may do and has done.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(super) struct Books {
    /// Whether a cycle ever opened; before that, nothing is paid.
    is_open: bool,
    /// Requests.
    allowed: usize,
    /// Requests, those that earlier cycles made beyond what they were allowed among them.
    spent: usize,
    /// Recorded in this cycle.
    recorded: Visits,
    /// Picked and not yet recorded, in whichever cycle.
    under_way: Visits,
    /// Requests that those have made beyond one each.
    expected: usize,
}

impl Visits {
    fn add(&mut self, is_first: bool) {
        self.all += 1;
        self.first += usize::from(is_first);
    }

    fn remove(&mut self, is_first: bool) {
        self.all = self.all.saturating_sub(1);
        self.first = self.first.saturating_sub(usize::from(is_first));
    }
}

impl Books {
    /// The same if nobody was under way.
    pub(super) fn at_rest(self) -> Books {
        Books { under_way: Visits::default(), expected: 0, ..self }
    }

    /// Requests beyond what cycles were allowed, to be paid by the next.
    fn owed(&self) -> usize {
        self.spent.saturating_sub(self.allowed)
    }

    /// Opens a cycle that may make so many requests, less what is owed.
    pub(super) fn open(&mut self, allowed: usize) {
        *self = Books { is_open: true, allowed, spent: self.owed(), recorded: Visits::default(), ..*self };
    }

    /// Visits that may still be picked.
    pub(super) fn left(&self) -> usize {
        self.allowed.saturating_sub(self.spent).saturating_sub(self.under_way.all).saturating_sub(self.expected)
    }

    /// How many of the next `most` visits go to pages never seen at the least, if these are to have a `share` of the cycle.
    pub(super) fn due_to_new(&self, most: usize, share: f64) -> usize {
        let all = self.recorded.all + self.under_way.all + most;
        let due = (all as f64 * share).ceil() as usize;
        due.saturating_sub(self.recorded.first + self.under_way.first).min(most)
    }

    /// A page was picked.
    pub(super) fn pick(&mut self, is_first: bool) {
        self.under_way.add(is_first);
    }

    /// A page that was picked will not be visited.
    pub(super) fn release(&mut self, is_first: bool) {
        self.under_way.remove(is_first);
    }

    /// A visit was recorded.
    pub(super) fn record(&mut self, is_first: bool) {
        if self.is_open {
            self.spent = self.spent.saturating_add(1);
            self.recorded.add(is_first);
        }
    }

    /// A visit under way has made so many requests beyond one.
    pub(super) fn expect(&mut self, requests: usize) {
        self.expected = self.expected.saturating_add(requests);
    }

    /// They are paid, or nobody is to pay them.
    pub(super) fn expect_no_more(&mut self, requests: usize) {
        self.expected = self.expected.saturating_sub(requests);
    }

    /// Requests were made that nobody has paid.
    pub(super) fn charge(&mut self, requests: usize) {
        if self.is_open {
            self.spent = self.spent.saturating_add(requests);
        }
    }

    /// A visit that was recorded took no request.
    pub(super) fn refund(&mut self) {
        self.spent = self.spent.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_is_paid_by_the_cycle_that_records_it() {
        let mut books = Books::default();
        books.record(true);
        assert_eq!((books.left(), books.owed()), (0, 0), "before there were cycles, nothing was paid");
        books.open(10);
        (0..4).for_each(|_| books.pick(false));
        assert_eq!(books.left(), 6);
        books.open(10);
        assert_eq!(books.left(), 6, "what is under way is spoken for in the next cycle");
        (0..4).for_each(|_| (books.release(false), books.record(false)).1);
        let told = {
            let mut books = Books::default();
            books.open(10);
            (0..4).for_each(|_| books.record(false));
            books
        };
        assert_eq!((books.left(), told.left()), (6, 6), "who is told again has the same");
        books.pick(true);
        books.expect(3);
        assert_eq!((books.left(), books.at_rest().left()), (2, 6));
    }

    #[test]
    fn what_is_spent_beyond_is_paid_by_the_next_cycles() {
        let mut books = Books::default();
        books.open(3);
        books.record(false);
        books.charge(9);
        assert_eq!((books.left(), books.owed()), (0, 7));
        books.open(3);
        assert_eq!((books.left(), books.owed()), (0, 4));
        books.refund();
        books.open(5);
        assert_eq!((books.left(), books.owed()), (2, 0));
    }

    #[test]
    fn new_pages_have_their_share_of_the_cycle_however_many_are_picked_at_once() {
        for at_once in [1, 3, 10, 40] {
            let mut books = Books::default();
            books.open(40);
            while books.left() > 0 {
                let most = books.left().min(at_once);
                let due = books.due_to_new(most, 0.2);
                (0..most).for_each(|place| books.pick(place < due));
            }
            assert_eq!(books.under_way.first, 8, "{at_once} at once");
        }
    }
}
