//! What was possible: the bounds of a trace at a budget, found by looking at all its changes.
//!
//! A visit can see a change from the cycle in which it happened until the cycle before the page's next change; later, one
//! visit sees both and counts once. So every change of a page in a cycle is a job of one visit with a release and a
//! deadline, and serving as many as possible with k visits a cycle is solved exactly by taking the earliest deadline
//! first. That bounds recall, and divided by k visits in every cycle also the Change Ratio of a policy that spends its
//! budget.
//!
//! For freshness visits are placed knowing every change: in each cycle, the k outdated pages that will stay as they are
//! for longest. Visits made as early as possible are worth the same in any order unless a page changes again first, so
//! this is a very good schedule, but not a proven maximum.
//!
//! Where pages come and go, a page that is gone ends its last job, a page that appears has a current copy, and both hold
//! with the budget of each cycle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cut::Cut;

/// The best that visits at a budget could have done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Of a policy that makes all its visits.
    pub change_ratio: f64,
    /// Changes seen / changes that happened.
    pub recall: f64,
    /// Mean share of current copies when visits are placed knowing every change.
    pub freshness: f64,
}

impl Limits {
    /// The bounds of a trace after the warm-up. `visits` says how many visits a cycle may make when there are so many
    /// pages at its end.
    pub fn of(cut: &Cut<'_>, visits: impl Fn(usize) -> usize) -> Limits {
        let present = cut.present().split_off(cut.window().warmup);
        let budgets: Vec<usize> = present.iter().map(|pages| visits(*pages)).collect();
        let jobs = Jobs::of(cut);
        let seen = jobs.most_seen(&budgets);
        Limits {
            change_ratio: seen as f64 / budgets.iter().sum::<usize>().max(1) as f64,
            recall: if jobs.count == 0 { 0.0 } else { seen as f64 / jobs.count as f64 },
            freshness: jobs.fresh(&budgets) as f64 / present.iter().sum::<usize>().max(1) as f64,
        }
    }
}

/// Changes by the cycle in which they happened: each with the cycle of the page's next change, or in which it is gone.
struct Jobs {
    by_cycle: Vec<Vec<u32>>,
    /// How many pages of each cycle have their first change in it, or are gone: until then the first copy is current.
    firsts: Vec<usize>,
    /// How many first copies there are at the end of the warm-up, and how many more come with each cycle.
    first_copies: usize,
    arrivals: Vec<usize>,
    count: usize,
}

impl Jobs {
    fn of(cut: &Cut<'_>) -> Jobs {
        let window = cut.window();
        let measured = window.cycles - window.warmup;
        let mut jobs = Jobs {
            by_cycle: vec![Vec::new(); measured],
            firsts: vec![0; measured],
            first_copies: cut.present()[window.warmup - 1],
            arrivals: (window.warmup..window.cycles).map(|cycle| cut.appeared_in(cycle).len()).collect(),
            count: 0,
        };
        // Backwards, so that each page's next change is known.
        let mut next = vec![measured as u32; cut.len()];
        for cycle in (0..measured).rev() {
            for &gone in cut.gone_in(cycle + window.warmup) {
                next[gone as usize] = cycle as u32;
            }
            for change in cut.changed_in(cycle + window.warmup) {
                let until = std::mem::replace(&mut next[change.index as usize], cycle as u32);
                jobs.by_cycle[cycle].push(until);
                jobs.count += 1;
            }
        }
        for &gone in (0..window.warmup).flat_map(|cycle| cut.gone_in(cycle)) {
            next[gone as usize] = measured as u32;
        }
        for first in next.into_iter().filter(|first| (*first as usize) < measured) {
            jobs.firsts[first as usize] += 1;
        }
        jobs
    }

    /// Earliest deadline first.
    fn most_seen(&self, budgets: &[usize]) -> usize {
        let (mut open, mut seen) = (BinaryHeap::new(), 0);
        for (cycle, jobs) in self.by_cycle.iter().enumerate() {
            open.extend(jobs.iter().map(|next| Reverse(*next)));
            let mut left = budgets[cycle];
            while left > 0 {
                let Some(Reverse(next)) = open.pop() else { break };
                if next as usize > cycle {
                    seen += 1;
                    left -= 1;
                }
            }
        }
        seen
    }

    /// Current copies, summed over the cycles, when each refreshes the outdated pages that stay as they are for longest.
    fn fresh(&self, budgets: &[usize]) -> usize {
        let cycles = self.by_cycle.len();
        let mut open = BinaryHeap::new();
        // How many copies become outdated in each cycle because their page changes again.
        let mut expires = vec![0_usize; cycles + 1];
        let (mut fresh, mut sum) = (self.first_copies, 0);
        for (cycle, jobs) in self.by_cycle.iter().enumerate() {
            fresh = fresh + self.arrivals[cycle] - self.firsts[cycle] - expires[cycle];
            open.extend(jobs.iter().copied());
            let mut left = budgets[cycle];
            while left > 0 {
                let Some(next) = open.pop() else { break };
                // The heap is by the next change: once one has passed, all have.
                if next as usize <= cycle {
                    open.clear();
                    break;
                }
                left -= 1;
                fresh += 1;
                expires[next as usize] += 1;
            }
            sum += fresh;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::cut::Window;
    use crate::lab::trace::{Trace, TracePage};
    use crate::time::{Span, Time};

    /// Pages that change on these days, over 10 days of which the first is warm-up.
    fn limits(changes: &[&[i64]], visits: usize) -> Limits {
        let day = |day: i64| Time::from_secs(day * 86_400);
        let page = |days: &&[i64]| {
            let page = TracePage::named("", day(0), day(10));
            (page, days.iter().map(|&at| day(at)).collect())
        };
        let trace = Trace::new("made", changes.iter().map(page));
        let window = Window { start: day(0), cycle: Span::DAY, cycles: 10, warmup: 1 };
        Limits::of(&Cut::new(&trace, window).unwrap(), |_| visits)
    }

    #[test]
    fn with_a_visit_for_every_change_all_are_seen_at_once() {
        let limits = limits(&[&[2, 5], &[3]], 1);
        assert_eq!(limits, Limits { change_ratio: 3.0 / 9.0, recall: 1.0, freshness: 1.0 });
    }

    #[test]
    fn changes_that_crowd_each_other_cannot_all_be_seen() {
        // Both change on days 2 and 3; one visit a day sees one change of day 2, then both of day 3 on days 3 and 4.
        let limits = limits(&[&[2, 3], &[2, 3]], 1);
        assert_eq!(limits.recall, 3.0 / 4.0);
        // One copy is outdated on day 2 and one on day 3.
        assert_eq!(limits.freshness, 16.0 / 18.0);
    }

    #[test]
    fn freshness_prefers_pages_that_stay_as_they_are() {
        // One page changes daily: refreshing it holds for a day. The other changes once and then stays.
        let limits = limits(&[&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[1]], 1);
        assert_eq!(limits.freshness, (9.0 + 8.0) / 18.0);
    }
}
