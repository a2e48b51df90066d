//! The books of a cycle: what it may spend, what it has spent, and what is on its way.
//!
//! A visit is paid when it is recorded, by the cycle that it is recorded in; until then its page is under way and its visit is
//! spoken for. So the books follow from the visits recorded since the cycle opened, whoever picked them: who is told of them
//! again has the same.

use serde::{Deserialize, Serialize};

use super::floors::{Kind, Visits};
use crate::page::HostId;

/// Visits recorded in the current cycle, and picked in whichever cycle and not yet recorded.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
struct Account {
    recorded: Visits,
    under_way: Visits,
}

impl Account {
    /// What was had, or will have been.
    fn had(self) -> Visits {
        self.recorded.and(self.under_way)
    }

    fn at_rest(self) -> Account {
        Account { under_way: Visits::default(), ..self }
    }

    fn begin_cycle(&mut self) {
        self.recorded = Visits::default();
    }
}

/// What the current cycle may do and has done.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Books {
    /// Whether a cycle ever opened; before that, nothing is paid.
    is_open: bool,
    /// Requests.
    allowed: usize,
    /// What each host would have of them if all had as much.
    share: usize,
    /// Requests, those that earlier cycles made beyond what they were allowed among them.
    spent: usize,
    /// Of all hosts together.
    all: Account,
    hosts: Vec<Account>,
    /// Requests that visits under way have made beyond one each.
    expected: usize,
}

impl Books {
    /// The same if nobody was under way.
    pub(super) fn at_rest(&self) -> Books {
        let hosts = self.hosts.iter().map(|host| host.at_rest()).collect();
        Books { all: self.all.at_rest(), hosts, expected: 0, ..*self }
    }

    /// Requests beyond what cycles were allowed, to be paid by the next.
    fn owed(&self) -> usize {
        self.spent.saturating_sub(self.allowed)
    }

    /// Opens a cycle that may make so many requests, less what is owed, at so many hosts. Visits are counted on over cycles until there
    /// were as many as a `period`: in fewer not every floor had its visit.
    pub(super) fn open(&mut self, allowed: usize, hosts: usize, period: usize) {
        (self.is_open, self.spent, self.allowed) = (true, self.owed(), allowed);
        self.share = allowed.div_ceil(hosts.max(1));
        if self.all.recorded.all as usize >= period {
            self.all.begin_cycle();
        }
        self.hosts.iter_mut().for_each(Account::begin_cycle);
    }

    /// Visits that may still be picked.
    pub(super) fn left(&self) -> usize {
        let spoken_for = (self.all.under_way.all as usize).saturating_add(self.expected);
        self.allowed.saturating_sub(self.spent).saturating_sub(spoken_for)
    }

    /// Whether a host had less of this cycle than all hosts would have if they had as much.
    pub(super) fn has_share_left(&self, host: HostId) -> bool {
        (self.had_at(host).all as usize) < self.share
    }

    /// Whether first visits alone had that share of a host: each further one takes the turn of a revisit.
    pub(super) fn is_share_full(&self, host: HostId) -> bool {
        self.had_at(host).first as usize >= self.share
    }

    /// The hosts that had further ones, and how many.
    pub(super) fn beyond_share(&self) -> impl Iterator<Item = (HostId, u32)> + '_ {
        let beyond = |host: HostId| (self.had_at(host).first as usize).saturating_sub(self.share) as u32;
        let hosts = (0..self.hosts.len() as u32).map(HostId);
        hosts.map(move |host| (host, beyond(host))).filter(|(_, beyond)| *beyond > 0)
    }

    /// The visits so far that floors look at, those that are under way among them.
    pub(super) fn had(&self) -> Visits {
        self.all.had()
    }

    /// Those of a host.
    pub(super) fn had_at(&self, host: HostId) -> Visits {
        self.hosts.get(host.index()).map_or(Visits::default(), |host| host.had())
    }

    fn host(&mut self, host: HostId) -> &mut Account {
        if self.hosts.len() <= host.index() {
            self.hosts.resize_with(host.index() + 1, Account::default);
        }
        &mut self.hosts[host.index()]
    }

    /// A page was picked.
    pub(super) fn pick(&mut self, host: HostId, kind: Kind) {
        self.all.under_way.add(kind);
        self.host(host).under_way.add(kind);
    }

    /// A page that was picked will not be visited.
    pub(super) fn release(&mut self, host: HostId, kind: Kind) {
        self.all.under_way.remove(kind);
        self.host(host).under_way.remove(kind);
    }

    /// A visit was recorded.
    pub(super) fn record(&mut self, host: HostId, kind: Kind) {
        if self.is_open {
            self.spent = self.spent.saturating_add(1);
            self.all.recorded.add(kind);
            self.host(host).recorded.add(kind);
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

    const HOST: HostId = HostId(3);

    #[test]
    fn a_visit_is_paid_by_the_cycle_that_records_it() {
        let mut books = Books::default();
        books.record(HOST, Kind::First);
        assert_eq!((books.left(), books.owed()), (0, 0), "before there were cycles, nothing was paid");
        books.open(10, 1, 1);
        (0..4).for_each(|_| books.pick(HOST, Kind::Again));
        assert_eq!(books.left(), 6);
        books.open(10, 1, 1);
        assert_eq!(books.left(), 6, "what is under way is spoken for in the next cycle");
        (0..4).for_each(|_| (books.release(HOST, Kind::Again), books.record(HOST, Kind::Again)).1);
        let told = {
            let mut books = Books::default();
            books.open(10, 1, 1);
            (0..4).for_each(|_| books.record(HOST, Kind::Again));
            books
        };
        assert_eq!((books.left(), told.left()), (6, 6), "who is told again has the same");
        assert_eq!((books.had(), books.had_at(HOST)), (told.had(), told.had()));
        books.pick(HOST, Kind::First);
        books.expect(3);
        assert_eq!((books.left(), books.at_rest().left()), (2, 6));
        assert_eq!(books.had_at(HOST), Visits { all: 5, first: 1 });
        assert_eq!((books.at_rest().had_at(HOST).all, books.had_at(HostId(1)).all), (4, 0));
    }

    #[test]
    fn what_is_spent_beyond_is_paid_by_the_next_cycles() {
        let mut books = Books::default();
        books.open(3, 1, 1);
        books.record(HOST, Kind::Again);
        books.charge(9);
        assert_eq!((books.left(), books.owed()), (0, 7));
        books.open(3, 1, 1);
        assert_eq!((books.left(), books.owed()), (0, 4));
        books.refund();
        books.open(5, 1, 1);
        assert_eq!((books.left(), books.owed()), (2, 0));
    }
}
