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
    let mut runs = run_by_group(cut, policy, visits, 1, |_| 0)?;
    // As many runs come back as there are groups.
    Ok(runs.swap_remove(0))
}

/// Runs a policy on all pages at once, as [`run`] does, and counts apart for each of several groups of pages.
///
/// `group` says in which of the `groups` a page of the cut is; a group it never names has no pages.
pub fn run_by_group(
    cut: &Cut<'_>,
    policy: Box<dyn Policy>,
    visits: usize,
    groups: usize,
    group: impl Fn(usize) -> usize,
) -> Result<Vec<Run>, BadScore> {
    let window = cut.window();
    let mut scheduler = Scheduler::new(policy, window.cycle, 0.0);
    (0..cut.len()).for_each(|_| _ = scheduler.add(HostId(0), 1.0));
    let mut copies = Copies::new(cut);
    let mut runs = empty_runs(cut, groups, &group);
    for cycle in 0..window.cycles {
        let now = window.end(cycle);
        let mut counts = vec![CycleCounts::default(); groups];
        copies.pass(cycle, |index| counts[group(index)].changed_pages += 1);
        let visited: Vec<PageId> = if cycle < window.warmup {
            (0..cut.len() as u32).map(PageId).collect()
        } else {
            scheduler.open_cycle(visits, visits, now);
            scheduler.pick(now, visits)?
        };
        for page in visited {
            let changed = copies.visit(page.index());
            let counts = &mut counts[group(page.index())];
            counts.visits += 1;
            counts.changed_visits += usize::from(changed);
            let outcome = if changed { Outcome::Changed } else { Outcome::Unchanged };
            scheduler.record(&Visit { page, at: now, outcome });
        }
        if cycle + 1 == window.warmup {
            scheduler.end_replay();
        }
        if cycle >= window.warmup {
            runs.iter().zip(&mut counts).for_each(|(run, counts)| counts.current = run.pages);
            copies.stale(now, |index, age| {
                let counts = &mut counts[group(index)];
                counts.current -= 1;
                counts.age_days += age;
            });
            runs.iter_mut().zip(counts).for_each(|(run, counts)| run.cycles.push(counts));
        }
    }
    Ok(runs)
}

/// A run without cycles for each group.
fn empty_runs(cut: &Cut<'_>, groups: usize, group: impl Fn(usize) -> usize) -> Vec<Run> {
    let mut pages = vec![0; groups];
    (0..cut.len()).for_each(|index| pages[group(index)] += 1);
    pages.into_iter().map(|pages| Run { pages, cycles: Vec::with_capacity(cut.window().cycles) }).collect()
}

/// Which copies are current, and since when the others are not.
struct Copies<'a> {
    cut: &'a Cut<'a>,
    /// When the first change not yet seen happened; `Time::MAX` for a current copy.
    stale_since: Vec<Time>,
}

impl<'a> Copies<'a> {
    fn new(cut: &'a Cut<'a>) -> Copies<'a> {
        Copies { cut, stale_since: vec![Time::MAX; cut.len()] }
    }

    /// A cycle passes; names the pages that changed in it.
    fn pass(&mut self, cycle: usize, mut changed: impl FnMut(usize)) {
        for change in self.cut.changed_in(cycle) {
            let index = change.index as usize;
            changed(index);
            if self.stale_since[index] == Time::MAX {
                self.stale_since[index] = change.at;
            }
        }
    }

    /// A visit makes the copy current; says whether it was not.
    fn visit(&mut self, index: usize) -> bool {
        std::mem::replace(&mut self.stale_since[index], Time::MAX) != Time::MAX
    }

    /// Names the pages whose copies are not current, with their ages in days.
    fn stale(&self, now: Time, mut stale: impl FnMut(usize, f64)) {
        for (index, since) in self.stale_since.iter().enumerate().filter(|(_, since)| **since != Time::MAX) {
            stale(index, (now - *since).as_days());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::cut::Window;
    use crate::lab::trace::{FIRST_DAY, Trace};
    use crate::policy::registry::build;
    use crate::time::Span;

    #[test]
    fn groups_add_up_to_the_whole() {
        let pages = (0_u32..9).map(|page| (format!("p{page}"), (page..30).step_by(page as usize + 2).collect()));
        let trace = Trace::daily("made", 30, pages);
        let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 30, warmup: 2 };
        let cut = Cut::new(&trace, window).unwrap();
        let whole = run(&cut, build("age").unwrap(), 2).unwrap();
        let groups = run_by_group(&cut, build("age").unwrap(), 2, 4, |index| index % 3).unwrap();
        assert_eq!(groups.iter().map(|run| run.pages).collect::<Vec<_>>(), [3, 3, 3, 0]);
        for (cycle, all) in whole.cycles.iter().enumerate() {
            let sum =
                |count: fn(&CycleCounts) -> usize| groups.iter().map(|run| count(&run.cycles[cycle])).sum::<usize>();
            assert_eq!(sum(|counts| counts.visits), all.visits);
            assert_eq!(sum(|counts| counts.changed_visits), all.changed_visits);
            assert_eq!(sum(|counts| counts.changed_pages), all.changed_pages);
            assert_eq!(sum(|counts| counts.current), all.current);
            let age: f64 = groups.iter().map(|run| run.cycles[cycle].age_days).sum();
            assert!((age - all.age_days).abs() < 1e-9);
        }
    }
}
