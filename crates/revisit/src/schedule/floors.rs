//! Who goes next where pages without a copy and pages seen before both wait: what is worth more, unless a floor says otherwise.
//!
//! A page without a copy is a stale page, and no page can be staler: its first visit is worth as much as the visit worth most, times its
//! weight. So at equal weights first visits go first, as long as their host has not had its fair share of the cycle: a burst of links at one
//! host is not to stop revisits at all others. Between the pages of one host, or of hosts that both had their share, worth alone decides.
//!
//! And floors see to it that neither first visits nor revisits ever stop. They are kept over a cycle, or over several if each is too short to
//! have a visit for every floor, where a share of few visits is at least one; and over the visits of each host in a cycle, where a
//! share is due only when it is a whole visit: else every host that had two visits would spend one of them on its floor.

use serde::{Deserialize, Serialize};

/// The least shares of a cycle, and of each host's part of it, for those that want them. What one side does not want the other has.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Floors {
    /// Of first visits.
    pub first: f64,
    /// Of revisits.
    pub again: f64,
}

impl Floors {
    /// No floors.
    pub const NONE: Floors = Floors { first: 0.0, again: 0.0 };

    /// Whether both can be kept.
    pub fn can_be_kept(self) -> bool {
        let shares = 0.0..=1.0;
        shares.contains(&self.first) && shares.contains(&self.again) && shares.contains(&(self.first + self.again))
    }

    /// Of how many visits each floor has one, down to a hundredth.
    pub(super) fn period(self) -> usize {
        let shares = [self.first, self.again].into_iter().filter(|share| *share > 0.0);
        shares.map(|share| (1.0 / share.max(0.01)).ceil() as usize).max().unwrap_or(0)
    }

    /// Whose turn the next visit of a cycle is, by what it had so far.
    pub(super) fn due(self, had: Visits) -> Option<Kind> {
        self.due_of(had, f64::ceil)
    }

    /// Whose turn the next visit to a host is, by those it had in this cycle.
    pub(super) fn due_at_host(self, had: Visits) -> Option<Kind> {
        self.due_of(had, f64::floor)
    }

    fn due_of(self, had: Visits, whole: fn(f64) -> f64) -> Option<Kind> {
        let least = |share: f64| whole(share * f64::from(had.all + 1)) as u32;
        if had.first < least(self.first) {
            Some(Kind::First)
        } else {
            (had.all - had.first < least(self.again)).then_some(Kind::Again)
        }
    }
}

/// A fifth for first visits, a twentieth for revisits.
impl Default for Floors {
    fn default() -> Floors {
        Floors { first: 0.2, again: 0.05 }
    }
}

/// What a visit is to its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Its first, or the first after its copy was lost.
    First,
    /// One of a page that has a copy.
    Again,
}

/// Visits, and those of them that are a page's first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Visits {
    pub(super) all: u32,
    pub(super) first: u32,
}

impl Visits {
    pub(super) fn add(&mut self, kind: Kind) {
        self.all += 1;
        self.first += u32::from(kind == Kind::First);
    }

    pub(super) fn remove(&mut self, kind: Kind) {
        self.all = self.all.saturating_sub(1);
        self.first = self.first.saturating_sub(u32::from(kind == Kind::First));
    }

    pub(super) fn and(self, others: Visits) -> Visits {
        Visits { all: self.all + others.all, first: self.first + others.first }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who has how many of a hundred visits if first visits, or else revisits, are worth more.
    fn hundred(floors: Floors, better: Kind, due: impl Fn(Floors, Visits) -> Option<Kind>) -> (u32, u32) {
        let mut had = Visits::default();
        (0..100).for_each(|_| had.add(due(floors, had).unwrap_or(better)));
        (had.first, had.all - had.first)
    }

    #[test]
    fn floors_hold_whoever_is_worth_more() {
        for due in [Floors::due, Floors::due_at_host] {
            assert_eq!(hundred(Floors::default(), Kind::First, due), (95, 5));
            assert_eq!(hundred(Floors::default(), Kind::Again, due), (20, 80));
            assert_eq!(hundred(Floors { first: 0.6, again: 0.4 }, Kind::First, due), (60, 40));
            assert_eq!(hundred(Floors::NONE, Kind::Again, due), (0, 100));
        }
    }

    #[test]
    fn a_period_has_a_visit_for_each_floor() {
        assert_eq!(Floors::default().period(), 20);
        assert_eq!(Floors { first: 1e-9, again: 0.5 }.period(), 100);
        assert_eq!(Floors::NONE.period(), 0);
    }

    #[test]
    fn of_few_visits_a_cycle_grants_one_and_a_host_none() {
        let had = Visits { all: 1, first: 1 };
        assert_eq!(Floors::default().due(had), Some(Kind::Again));
        assert_eq!(Floors::default().due_at_host(had), None);
        assert_eq!(Floors::default().due_at_host(Visits { all: 19, first: 19 }), Some(Kind::Again));
    }

    #[test]
    fn shares_that_are_more_than_all_cannot_be_kept() {
        assert!(Floors::default().can_be_kept() && Floors { first: 0.5, again: 0.5 }.can_be_kept());
        assert!(!Floors { first: 0.8, again: 0.3 }.can_be_kept() && !Floors { first: -0.1, again: 0.3 }.can_be_kept());
        assert!(!Floors { first: f64::NAN, again: 0.3 }.can_be_kept());
    }
}
