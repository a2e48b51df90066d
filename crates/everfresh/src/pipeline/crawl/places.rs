//! The places of exchanges under way. Who answers quickly needs one for a moment; who takes long must not keep it from the
//! others, or a few hundred servers that drip or say nothing would silence all the rest.
//!
//! So an exchange that takes long steps aside, into room that is several times as large, since waiting costs little, and the pages
//! that wait behind it at its host are given back, or they would take all that may be picked. Where that room is full too, as it is only if thousands are slow at once, and others wait, the one that has taken longest gives way.

use std::collections::BTreeMap;

use revisit::{HostId, Span, Time};
use tokio::sync::oneshot;

use super::Crawl;
use crate::pipeline::hosts::Contact;
use crate::pipeline::under_way::Who;

/// Who takes longer steps aside.
const LONG: Span = Span::from_secs(1);
/// Who takes longer gives way, if it must.
pub(super) const LONGEST: Span = Span::from_secs(10);

/// Those under way, by when they began.
type Exchanges = BTreeMap<(Time, Who), Exchange>;

/// With whom, and the way to ask it to give way if it may be asked.
struct Exchange {
    host: HostId,
    give_way: Option<oneshot::Sender<()>>,
}

/// The exchanges under way.
pub(super) struct Places {
    quick: Exchanges,
    aside: Exchanges,
    most_quick: usize,
    most_aside: usize,
    /// The one that was asked to give way and has not gone yet.
    leaving: Option<(Time, Who)>,
}

impl Places {
    /// So many places for all, and so many more for who takes long.
    pub(super) fn new(most_quick: usize, most_aside: usize) -> Places {
        Places { quick: Exchanges::new(), aside: Exchanges::new(), most_quick, most_aside, leaving: None }
    }

    /// How many are under way.
    pub(super) fn taken(&self) -> usize {
        self.quick.len() + self.aside.len()
    }

    /// Takes a place; what is given back tells when to give way.
    pub(super) fn begin(&mut self, contact: Contact, who: Who) -> oneshot::Receiver<()> {
        let (give_way, asked) = oneshot::channel();
        self.quick.insert((contact.begun, who), Exchange { host: contact.host, give_way: Some(give_way) });
        asked
    }

    /// Gives a place back; says whether it was taken for a moment only.
    pub(super) fn end(&mut self, contact: Contact, who: Who) -> bool {
        let key = (contact.begun, who);
        let was_quick = self.quick.remove(&key).is_some();
        if !was_quick {
            self.aside.remove(&key);
        }
        self.leaving.take_if(|leaving| *leaving == key);
        was_quick
    }

    /// Asks an exchange to give way, whatever its place.
    pub(super) fn ask(&mut self, contact: Contact, who: Who) {
        let key = (contact.begun, who);
        let exchange = self.quick.get_mut(&key).or_else(|| self.aside.get_mut(&key));
        if let Some(give_way) = exchange.and_then(|exchange| exchange.give_way.take()) {
            // It may have ended meanwhile.
            let _ = give_way.send(());
        }
    }

    /// Those who take long step aside, as far as there is room: their hosts.
    fn step_aside(&mut self, now: Time) -> Vec<HostId> {
        let mut hosts = Vec::new();
        while self.aside.len() < self.most_aside
            && let Some(first) = self.quick.first_entry().filter(|first| first.key().0 + LONG <= now)
        {
            let (key, exchange) = first.remove_entry();
            hosts.push(exchange.host);
            self.aside.insert(key, exchange);
        }
        hosts
    }

    /// Whether there is a place for one who waits. If all are taken by who takes long, the one that does longest is asked to
    /// give way.
    pub(super) fn has_room(&mut self, now: Time) -> bool {
        let has_room = self.quick.len() < self.most_quick;
        if !has_room && self.aside.len() >= self.most_aside && self.leaving.is_none() {
            self.leaving = self.ask_to_give_way(now);
        }
        has_room
    }

    fn ask_to_give_way(&mut self, now: Time) -> Option<(Time, Who)> {
        let late = self.aside.iter_mut().take_while(|((begun, _), _)| *begun + LONGEST <= now);
        let (key, give_way) = late.filter_map(|(key, exchange)| Some((*key, exchange.give_way.take()?))).next()?;
        give_way.send(()).ok().map(|()| key)
    }

    /// When there may be a place, if no exchange ends before.
    pub(super) fn room_at(&self, now: Time) -> Time {
        let first = |exchanges: &Exchanges| exchanges.first_key_value().map_or(now, |((begun, _), _)| *begun);
        match (self.quick.len() < self.most_quick, self.aside.len() < self.most_aside) {
            (true, _) => now,
            (false, true) => first(&self.quick) + LONG,
            // Some of them may not be asked.
            (false, false) => (first(&self.aside) + LONGEST).max(now + LONG),
        }
    }
}

impl Crawl {
    /// Makes room for others where exchanges take long.
    pub(super) fn set_slow_aside(&mut self, now: Time) {
        for host in self.places.step_aside(now) {
            self.set_slow(host, true);
            for page in self.memory.hosts.drain(host) {
                self.release(page.page);
            }
            self.picks.look_again();
        }
    }

    /// Gives back the place of an exchange, after which it is known how quick its host is now.
    pub(super) fn give_place_back(&mut self, contact: Contact, who: Who) {
        if self.places.end(contact, who) {
            self.set_slow(contact.host, false);
        }
    }

    fn set_slow(&mut self, host: HostId, is_slow: bool) {
        if self.memory.hosts.set_slow(host, is_slow) {
            self.memory.limit(host);
        }
    }
}

#[cfg(test)]
mod tests {
    use revisit::{HostId, PageId};

    use super::*;

    fn at(millis: i64) -> Time {
        Time::from_secs(1000) + Span::from_millis(millis)
    }

    fn begin(places: &mut Places, page: u32, millis: i64) -> (Contact, Who, oneshot::Receiver<()>) {
        let (contact, who) = (Contact { host: HostId(page), begun: at(millis) }, Who::Page(PageId(page)));
        (contact, who, places.begin(contact, who))
    }

    fn has_room(places: &mut Places, now: Time) -> bool {
        places.step_aside(now);
        places.has_room(now)
    }

    #[test]
    fn who_takes_long_steps_aside() {
        let mut places = Places::new(2, 2);
        let (first, who, _asked) = begin(&mut places, 1, 0);
        let _second = begin(&mut places, 2, 500);
        assert!(!has_room(&mut places, at(999)));
        assert_eq!(places.room_at(at(999)), at(1000));
        assert_eq!(places.step_aside(at(1000)), [HostId(1)]);
        assert!(places.has_room(at(1000)));
        let _third = begin(&mut places, 3, 1000);
        assert!(!has_room(&mut places, at(1499)) && has_room(&mut places, at(1500)));
        assert_eq!(places.taken(), 3);
        places.end(first, who);
        assert_eq!(places.taken(), 2);
    }

    #[test]
    fn where_all_take_long_the_longest_gives_way_to_others() {
        let mut places = Places::new(1, 1);
        let (first, who, mut asked) = begin(&mut places, 1, 0);
        assert!(has_room(&mut places, at(2000)));
        let (second, next, mut asked_next) = begin(&mut places, 2, 2000);
        assert!(!has_room(&mut places, at(9999)) && asked.try_recv().is_err(), "not before its time");
        assert!(!has_room(&mut places, at(10_000)) && asked.try_recv().is_ok());
        places.end(first, who);
        assert!(has_room(&mut places, at(10_000)), "the other one stepped aside");
        let (_, _, mut third) = begin(&mut places, 3, 10_000);
        places.ask(second, next);
        assert!(asked_next.try_recv().is_ok());
        assert!(
            !has_room(&mut places, at(60_000)) && third.try_recv().is_err(),
            "who was asked before is not asked again"
        );
    }

    #[test]
    fn nobody_gives_way_while_there_is_room_or_will_be_in_a_moment() {
        let mut places = Places::new(1, 2);
        let (_, _, mut asked) = begin(&mut places, 1, 0);
        assert!(has_room(&mut places, at(60_000)) && asked.try_recv().is_err());
        let _second = begin(&mut places, 2, 60_000);
        assert!(!has_room(&mut places, at(60_500)) && asked.try_recv().is_err(), "the second will step aside");
    }
}
