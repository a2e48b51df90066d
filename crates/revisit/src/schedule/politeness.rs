//! How soon a host may be asked again: one small state machine per host, told of every contact.
//!
//! The delay is the larger of the configured one and the one robots.txt asks for, and counts from the end of the last
//! exchange, so that a slow server is never asked sooner than its delay after it answered. A host that says "slow down"
//! (429, 503) or cannot be reached is left alone for as long as it says, or for a pause that doubles each time; the pause
//! halves with every good answer. Exchanges that were open when the host was left alone say nothing more about it: one hiccup
//! that eight of them met is one, not eight.

use serde::{Deserialize, Serialize};

use crate::time::{Span, Time};

/// The first pause after a refusal; later ones double.
const FIRST_PAUSE: Span = Span::from_secs(1);
/// The longest pause a host gets unless it asks for more.
const LONGEST_PAUSE: Span = Span::HOUR;
/// The longest pause a host can ask for.
const LONGEST_REQUEST: Span = Span::DAY;

/// What the user allows towards a host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manners {
    /// Least time between two exchanges.
    pub delay: Span,
    /// The longest delay robots.txt can ask for.
    pub longest_delay: Span,
    /// Exchanges at the same time.
    pub connections: u32,
}

/// What an exchange showed of the host's mood.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub enum Signal {
    /// It answered.
    Fine,
    /// It asked for fewer requests, perhaps saying for how long to wait.
    SlowDown(Option<Span>),
    /// It could not be reached or did not answer.
    Trouble,
}

/// The state of one host.
#[derive(Clone, Debug, PartialEq)]
pub struct Politeness {
    manners: Manners,
    crawl_delay: Option<Span>,
    pause: Span,
    blocked_until: Time,
    last_contact: Time,
    /// When a pause was last doubled.
    backed_off: Time,
    open: u32,
}

impl Politeness {
    /// A host never contacted.
    pub fn new(manners: Manners) -> Politeness {
        Politeness {
            manners,
            crawl_delay: None,
            pause: Span::ZERO,
            blocked_until: Time::MIN,
            last_contact: Time::MIN,
            backed_off: Time::MIN,
            open: 0,
        }
    }

    /// A host as it was when its state was stored: last contact, blocked until, pause. Times that a wrong clock put into
    /// the future are taken back to what they can be `now`: who was last contacted in the future is left alone from now on.
    pub fn restore(manners: Manners, last_contact: Time, blocked_until: Time, pause: Span, now: Time) -> Politeness {
        let ahead = if last_contact > now { last_contact - now } else { Span::ZERO };
        let last_contact = last_contact.min(now);
        let blocked_until = (blocked_until - ahead).min(now + LONGEST_REQUEST.max(manners.delay));
        Politeness { last_contact, blocked_until, pause, ..Politeness::new(manners) }
    }

    /// What robots.txt asks for; `None` if it asks for nothing.
    pub fn set_crawl_delay(&mut self, delay: Option<Span>) {
        self.crawl_delay = delay.map(|delay| delay.clamp(Span::ZERO, self.manners.longest_delay));
    }

    /// Least time between two exchanges, everything considered but pauses.
    pub fn delay(&self) -> Span {
        self.manners.delay.max(self.crawl_delay.unwrap_or_default())
    }

    /// Exchanges at the same time. A delay means one after the other.
    pub fn connections(&self) -> u32 {
        self.manners.connections.max(1)
    }

    /// When the next exchange may begin; `None` while as many as allowed are open.
    pub fn ready_at(&self) -> Option<Time> {
        // Times are rounded down to milliseconds: one more makes sure that a delay is never cut short.
        let delay = self.delay();
        let rest = if delay > Span::ZERO { delay + Span::from_millis(1) } else { delay };
        (self.open < self.connections()).then(|| (self.last_contact + rest).max(self.blocked_until))
    }

    /// An exchange begins.
    pub fn begin(&mut self, now: Time) {
        self.open += 1;
        self.last_contact = self.last_contact.max(now);
    }

    /// An exchange that began at `begun` ended.
    pub fn end(&mut self, begun: Time, now: Time, signal: Signal) {
        self.open = self.open.saturating_sub(1);
        self.last_contact = self.last_contact.max(now);
        let is_news = begun > self.backed_off;
        match signal {
            Signal::Fine if is_news => {
                self.pause = if self.pause > FIRST_PAUSE { self.pause / 2.0 } else { Span::ZERO }
            }
            Signal::Trouble if is_news => self.back_off(now),
            Signal::SlowDown(asked) => {
                if is_news {
                    self.back_off(now);
                }
                let asked = asked.unwrap_or_default().min(LONGEST_REQUEST);
                self.blocked_until = self.blocked_until.max(now + asked);
            }
            Signal::Fine | Signal::Trouble => {}
        }
    }

    fn back_off(&mut self, now: Time) {
        // A delay may be longer than the longest pause.
        let least = FIRST_PAUSE.max(self.delay());
        self.pause = (self.pause * 2.0).max(least).min(LONGEST_PAUSE.max(least));
        self.blocked_until = self.blocked_until.max(now + self.pause);
        self.backed_off = now;
    }

    /// The clock was set forward by so much: the host has not been left alone for as long as it seems.
    pub fn postpone(&mut self, by: Span) {
        for time in [&mut self.blocked_until, &mut self.last_contact, &mut self.backed_off] {
            *time = *time + by;
        }
    }

    /// When the host was last contacted.
    pub fn last_contact(&self) -> Time {
        self.last_contact
    }

    /// Until when the host is left alone.
    pub fn blocked_until(&self) -> Time {
        self.blocked_until
    }

    /// How long the host is left alone after the next refusal, before doubling.
    pub fn pause(&self) -> Span {
        self.pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Span = Span::from_secs(1);

    fn at(second: i64) -> Time {
        Time::from_secs(second)
    }

    /// A whole delay later, and the millisecond that makes sure of it.
    fn after(second: i64) -> Option<Time> {
        Some(at(second) + Span::from_millis(1))
    }

    fn host(connections: u32) -> Politeness {
        Politeness::new(Manners { delay: SECOND, longest_delay: SECOND * 60.0, connections })
    }

    #[test]
    fn the_delay_counts_from_the_end_of_the_last_exchange() {
        let mut host = host(1);
        assert!(host.ready_at() < Some(at(0)));
        host.begin(at(10));
        assert_eq!(host.ready_at(), None, "one connection, one exchange");
        host.end(at(10), at(15), Signal::Fine);
        assert_eq!(host.ready_at(), after(16));
    }

    #[test]
    fn robots_delay_counts_if_larger_and_is_clamped() {
        let mut host = host(1);
        host.set_crawl_delay(Some(SECOND / 2.0));
        assert_eq!(host.delay(), SECOND);
        host.set_crawl_delay(Some(SECOND * 5.0));
        assert_eq!(host.delay(), SECOND * 5.0);
        host.set_crawl_delay(Some(Span::DAY));
        assert_eq!(host.delay(), SECOND * 60.0);
    }

    #[test]
    fn refusals_double_the_pause_and_good_answers_halve_it() {
        let mut host = host(1);
        for (contact, pause) in [(0, 1), (10, 2), (20, 4)] {
            host.begin(at(contact));
            host.end(at(contact), at(contact), Signal::SlowDown(None));
            let pause_over = Some(at(contact + pause));
            assert_eq!(host.ready_at(), pause_over.max(after(contact + 1)));
        }
        host.begin(at(30));
        host.end(at(30), at(30), Signal::Fine);
        assert_eq!(host.pause(), SECOND * 2.0);
        assert_eq!(host.ready_at(), after(31));
    }

    #[test]
    fn one_hiccup_that_many_exchanges_met_is_one() {
        let mut host = host(8);
        (0..8).for_each(|second| host.begin(at(second)));
        (8..15).for_each(|second| host.end(at(second - 8), at(second), Signal::Trouble));
        assert_eq!((host.pause(), host.blocked_until()), (SECOND, at(9)));
        host.end(at(7), at(15), Signal::SlowDown(Some(SECOND * 20.0)));
        assert_eq!((host.pause(), host.blocked_until()), (SECOND, at(35)), "what it asks for counts in any case");
        host.begin(at(35));
        host.end(at(35), at(38), Signal::Trouble);
        assert_eq!((host.pause(), host.blocked_until()), (SECOND * 2.0, at(40)), "begun after the pause");
    }

    #[test]
    fn a_host_that_says_how_long_is_believed_within_reason() {
        let mut host = host(1);
        host.begin(at(0));
        host.end(at(0), at(0), Signal::SlowDown(Some(SECOND * 120.0)));
        assert_eq!(host.ready_at(), Some(at(120)));
        host.begin(at(120));
        host.end(at(120), at(120), Signal::SlowDown(Some(Span::DAY * 400.0)));
        assert_eq!(host.ready_at(), Some(at(120) + Span::DAY));
    }

    #[test]
    fn a_delay_may_be_longer_than_any_pause() {
        let manners = Manners { delay: Span::DAY * 2.0, longest_delay: Span::DAY, connections: 1 };
        let mut host = Politeness::new(manners);
        host.begin(at(0));
        host.end(at(0), at(0), Signal::SlowDown(Some(SECOND)));
        assert_eq!(host.pause(), Span::DAY * 2.0);
    }

    #[test]
    fn several_connections_share_one_delay() {
        let mut host = host(2);
        host.begin(at(0));
        assert_eq!(host.ready_at(), after(1));
        host.begin(at(1));
        assert_eq!(host.ready_at(), None);
    }

    #[test]
    fn a_clock_that_is_set_forward_takes_nothing_from_anybody() {
        let mut host = host(1);
        host.begin(at(0));
        host.end(at(0), at(10), Signal::Fine);
        host.postpone(SECOND * 3600.0);
        assert_eq!(host.ready_at(), after(3611));
        host.begin(at(3611));
        host.end(at(3611), at(3611), Signal::SlowDown(Some(SECOND * 100.0)));
        host.postpone(SECOND * 3600.0);
        assert_eq!(host.ready_at(), Some(at(7311)));
    }

    #[test]
    fn who_was_left_alone_by_a_clock_that_was_ahead_is_left_alone_for_as_long_and_no_longer() {
        let manners = Manners { delay: SECOND, longest_delay: SECOND * 60.0, connections: 1 };
        let restored = Politeness::restore(manners, at(7200), at(7300), SECOND * 100.0, at(0));
        assert_eq!((restored.last_contact(), restored.blocked_until()), (at(0), at(100)));
        let never = Politeness::restore(manners, Time::MIN, Time::MIN, Span::ZERO, at(0));
        assert_eq!((never.last_contact(), never.blocked_until()), (Time::MIN, Time::MIN));
    }

    #[test]
    fn stored_state_holds_after_a_restart() {
        let mut before = host(1);
        before.begin(at(0));
        before.end(at(0), at(0), Signal::SlowDown(Some(SECOND * 100.0)));
        let manners = Manners { delay: SECOND, longest_delay: SECOND * 60.0, connections: 1 };
        let after = Politeness::restore(manners, before.last_contact(), before.blocked_until(), before.pause(), at(1));
        assert_eq!(after, Politeness { backed_off: Time::MIN, ..before });
    }
}
