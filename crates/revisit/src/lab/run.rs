//! The loop of the lab: the live crawler's scheduler on a trace, one round a cycle, visits at the cycle's end.
//!
//! In each of the warm-up cycles every page is visited, and each of those visits is an observation. In each later cycle up
//! to k pages are visited. A visit sees "changed" if any cycle since the page's last visit, this one included, had a
//! change. The loop counts; the policy hears of a change only through a visit.

use super::cut::Cut;
use super::measure::{CycleCounts, Measures};
use crate::page::{HostId, PageId};
use crate::policy::Policy;
use crate::schedule::{BadScore, Scheduler};
use crate::time::Time;
use crate::visit::{Outcome, Visit};

/// What a policy did on a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// How many pages there were.
    pub pages: usize,
    /// What happened in each cycle after the warm-up.
    pub cycles: Vec<CycleCounts>,
}

impl Run {
    /// The measures over all cycles after the warm-up.
    pub fn measures(&self) -> Measures {
        Measures::of(self.pages, &self.cycles)
    }
}

/// Runs a policy on a trace with up to `visits` visits a cycle.
pub fn run(cut: &Cut<'_>, policy: Box<dyn Policy>, visits: usize) -> Result<Run, BadScore> {
    let window = cut.window();
    let mut scheduler = Scheduler::new(policy, window.cycle, 0.0);
    (0..cut.len()).for_each(|_| _ = scheduler.add(HostId(0), 1.0));
    let mut copies = Copies::new(cut);
    let mut cycles = Vec::with_capacity(window.cycles - window.warmup);
    for cycle in 0..window.cycles {
        let now = window.end(cycle);
        let changed_pages = copies.pass(cycle);
        let mut counts = CycleCounts { changed_pages, ..CycleCounts::default() };
        let visited: Vec<PageId> = if cycle < window.warmup {
            (0..cut.len() as u32).map(PageId).collect()
        } else {
            scheduler.open_cycle(visits, visits, now);
            scheduler.pick(now, visits)?
        };
        for page in visited {
            let changed = copies.visit(page.index());
            counts.visits += 1;
            counts.changed_visits += usize::from(changed);
            let outcome = if changed { Outcome::Changed } else { Outcome::Unchanged };
            scheduler.record(&Visit { page, at: now, outcome });
        }
        if cycle + 1 == window.warmup {
            scheduler.end_replay();
        }
        if cycle >= window.warmup {
            (counts.current, counts.age_days) = copies.state(now);
            cycles.push(counts);
        }
    }
    Ok(Run { pages: cut.len(), cycles })
}

/// Which copies are current, and since when the others are not.
struct Copies<'a> {
    cut: &'a Cut<'a>,
    /// When the first change not yet seen happened; `Time::MAX` for a current copy.
    stale_since: Vec<Time>,
    stale: usize,
}

impl<'a> Copies<'a> {
    fn new(cut: &'a Cut<'a>) -> Copies<'a> {
        Copies { cut, stale_since: vec![Time::MAX; cut.len()], stale: 0 }
    }

    /// A cycle passes; says how many pages changed in it.
    fn pass(&mut self, cycle: usize) -> usize {
        let mut changed = 0;
        for index in 0..self.cut.len() {
            if !self.cut.changed(index, cycle) {
                continue;
            }
            changed += 1;
            if self.stale_since[index] == Time::MAX {
                self.stale_since[index] = self.cut.first_change(index, cycle);
                self.stale += 1;
            }
        }
        changed
    }

    /// A visit makes the copy current; says whether it was not.
    fn visit(&mut self, index: usize) -> bool {
        let was_stale = self.stale_since[index] != Time::MAX;
        self.stale_since[index] = Time::MAX;
        self.stale -= usize::from(was_stale);
        was_stale
    }

    /// How many copies are current, and the sum of the ages of the others in days.
    fn state(&self, now: Time) -> (usize, f64) {
        let stale = self.stale_since.iter().filter(|since| **since != Time::MAX);
        let age = stale.map(|since| (now - *since).as_days()).sum();
        (self.cut.len() - self.stale, age)
    }
}
