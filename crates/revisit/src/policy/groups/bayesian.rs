//! `bayesian`: every page in its most probable group (Cho & Garcia-Molina 2000, as Barbosa et al. 2005 compare with
//! it).
//!
//! A page has a probability for each group, all equal at first. A visit τ after the one before multiplies each by
//! P(change | group) = 1 − e^(−τ / interval), or by e^(−τ / interval) if nothing had changed, and they are scaled to
//! add up to 1. The page is visited at the interval of its most probable group; while several are equally probable it
//! stays where it is, at first in the group `start`. (The paper's 0.9 → 0.89 is an illustration, not this formula's
//! value.)

use super::{PARAMETERS, Start, Starts, chosen};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::column::Column;
use crate::features::Features;
use crate::model::groups::Group;
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Policy, interval_reason, overdue};
use crate::{History, Outcome, PageId, Span, Time, Visit};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "bayesian",
    paper: "Cho & Garcia-Molina 2000; Barbosa et al. 2005",
    summary: "every page at the interval of the group it most probably belongs to",
    spending: Spending::Free,
    needs_truth: false,
    parameters: PARAMETERS,
    build: Build::Groups(|values, given| {
        let start = Start::In(values.number("start") as usize);
        Box::new(Bayesian::new(&chosen(values, given), start))
    }),
};

/// No group is ever ruled out: a page that changes its ways must be able to come back.
const LEAST: f32 = 1e-30;

/// Groups with an interval each, and every page's probability of belonging to them.
#[derive(Debug)]
pub struct Bayesian {
    intervals: Vec<Span>,
    starts: Starts,
    /// By page; `None` while it is where it began.
    groups: Column<Option<u8>>,
    seen: Vec<Time>,
    /// By page and group.
    chances: Vec<f32>,
}

impl Bayesian {
    /// At most 256 groups.
    pub fn new(groups: &[Group], start: Start) -> Bayesian {
        Bayesian {
            intervals: groups.iter().map(|group| group.interval).collect(),
            starts: Starts::new(start, groups.len()),
            groups: Column::new(None),
            seen: Vec::new(),
            chances: Vec::new(),
        }
    }

    /// The number of a page's group.
    pub fn group(&self, page: PageId) -> usize {
        usize::from(self.groups.get(page.index()).unwrap_or_else(|| self.starts.of(page)))
    }

    /// How probable each group is for a page.
    pub fn chances(&self, page: PageId) -> &[f32] {
        let groups = self.intervals.len();
        self.chances.get(page.index() * groups..(page.index() + 1) * groups).unwrap_or_default()
    }

    fn interval(&self, page: PageId) -> Span {
        self.intervals.get(self.group(page)).copied().unwrap_or(Span::DAY)
    }

    fn make_room(&mut self, page: PageId) {
        if self.seen.len() <= page.index() {
            let (pages, groups) = (page.index() + 1, self.intervals.len());
            self.seen.resize(pages, Time::MIN);
            self.chances.resize(pages * groups, 1.0 / groups as f32);
        }
    }

    fn update(&mut self, page: PageId, elapsed: Span, changed: bool) {
        let (groups, mut best) = (self.intervals.len(), self.group(page));
        let chances = &mut self.chances[page.index() * groups..(page.index() + 1) * groups];
        for (chance, interval) in chances.iter_mut().zip(&self.intervals) {
            let current = (-elapsed.ratio(*interval)).exp() as f32;
            *chance = (*chance * if changed { 1.0 - current } else { current }).max(LEAST);
        }
        let total: f32 = chances.iter().sum();
        chances.iter_mut().for_each(|chance| *chance = (*chance / total).max(LEAST));
        for group in 0..groups {
            if chances[group] > chances[best] {
                best = group;
            }
        }
        self.groups.set(page.index(), Some(best as u8));
    }
}

impl Policy for Bayesian {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        overdue(history.elapsed(now)?, self.interval(page))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let group = self.group(page);
        let chance = 100.0 * self.chances(page).get(group).copied().unwrap_or_default();
        let rest = interval_reason(history.elapsed(now).unwrap_or_default(), self.interval(page));
        format!("with {chance:.0} % it belongs to group {group}; {rest}{}", self.starts.reason(page))
    }

    fn describe(&mut self, page: PageId, features: &Features) {
        self.starts.describe(page, features);
    }

    fn learn(&mut self, page: PageId, _history: &History, visit: &Visit) {
        if matches!(visit.outcome, Outcome::Gone | Outcome::Failed) {
            return;
        }
        self.make_room(page);
        let before = std::mem::replace(&mut self.seen[page.index()], visit.at);
        if visit.outcome != Outcome::First && before != Time::MIN {
            self.update(page, visit.at - before, visit.outcome == Outcome::Changed);
        }
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.starts.keep(checkpoint)?;
        self.groups.keep(checkpoint)?;
        checkpoint.keep_rows(&mut self.seen)?;
        checkpoint.keep_rows(&mut self.chances)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(days: f64) -> Group {
        Group { interval: Span::DAY * days, window: 1, least: 0.2, most: 0.8 }
    }

    fn see(policy: &mut Bayesian, day: i64, outcome: Outcome) -> usize {
        let page = PageId(0);
        policy.learn(page, &History::default(), &Visit { page, at: Time::from_secs(day * 86_400), outcome });
        policy.group(page)
    }

    #[test]
    fn probabilities_follow_the_formula() {
        let mut policy = Bayesian::new(&[7.0, 30.0].map(every), Start::In(0));
        see(&mut policy, 0, Outcome::First);
        assert_eq!(see(&mut policy, 7, Outcome::Unchanged), 1, "a week without a change speaks for a month");
        // e^-1 against e^(-7/30): 0.3679 and 0.7919, scaled.
        let week = (-1.0_f64).exp() / ((-1.0_f64).exp() + (-7.0_f64 / 30.0).exp());
        assert!((f64::from(policy.chances(PageId(0))[0]) - week).abs() < 1e-6);
        assert_eq!(see(&mut policy, 8, Outcome::Changed), 0);
    }

    #[test]
    fn a_page_that_changes_its_ways_comes_back() {
        let mut policy = Bayesian::new(&[1.0, 96.0].map(every), Start::In(0));
        assert_eq!((0..2000).map(|day| see(&mut policy, day, Outcome::Changed)).last(), Some(0));
        assert_eq!((2000..2200).map(|day| see(&mut policy, day, Outcome::Unchanged)).last(), Some(1));
    }
}
