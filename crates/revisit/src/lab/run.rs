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
use crate::time::{Span, Time};
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
    /// The times in `stale_since` added up, in milliseconds since the window's start, so that ages need no pass over all.
    stale_millis: i64,
}

impl<'a> Copies<'a> {
    fn new(cut: &'a Cut<'a>) -> Copies<'a> {
        Copies { cut, stale_since: vec![Time::MAX; cut.len()], stale: 0, stale_millis: 0 }
    }

    /// Milliseconds since the window's start.
    fn millis(&self, at: Time) -> i64 {
        (at - self.cut.window().start).millis()
    }

    /// A cycle passes; says how many pages changed in it.
    fn pass(&mut self, cycle: usize) -> usize {
        let changes = self.cut.changed_in(cycle);
        for change in changes {
            let since = &mut self.stale_since[change.index as usize];
            if *since == Time::MAX {
                *since = change.at;
                self.stale += 1;
                self.stale_millis += self.millis(change.at);
            }
        }
        changes.len()
    }

    /// A visit makes the copy current; says whether it was not.
    fn visit(&mut self, index: usize) -> bool {
        let since = std::mem::replace(&mut self.stale_since[index], Time::MAX);
        if since == Time::MAX {
            return false;
        }
        self.stale -= 1;
        self.stale_millis -= self.millis(since);
        true
    }

    /// How many copies are current, and the sum of the ages of the others in days.
    fn state(&self, now: Time) -> (usize, f64) {
        let age = Span::from_millis(self.stale as i64 * self.millis(now) - self.stale_millis);
        (self.cut.len() - self.stale, age.as_days())
    }
}
