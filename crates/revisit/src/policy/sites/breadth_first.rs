//! `breadth-first`: pages by their depth below the top page, and from the top again once all were seen.
//!
//! The usual order of collecting, which Kumagai & Yamana 2004 (section 6.3.1) hold their methods against. Each pass goes from
//! depth 1 down; within a depth the page not seen for longest goes first. A pass is over when every page in reach of the
//! network was seen in it. Pages without a depth come last.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Needs, Policy, seniority};
use crate::site::{Depths, Structure};
use crate::{History, PageId, Pages, Span, Time};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "breadth-first",
    paper: "Kumagai & Yamana 2004 (baseline)",
    summary: "by depth below the top page, pass after pass",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[],
    build: Build::Plain(|_| Box::new(BreadthFirst::default())),
};

/// The policy.
#[derive(Debug, Default)]
pub(crate) struct BreadthFirst {
    depths: Option<Depths>,
    /// When the pass began; `None` before the first.
    begun: Option<Time>,
    cycle: Span,
}

impl BreadthFirst {
    fn depth(&self, page: PageId) -> Option<u8> {
        self.depths.as_ref()?.get(page)
    }

    /// Whether the pass has yet to come to a page.
    fn is_due(&self, history: &History) -> bool {
        history.last_seen().is_some_and(|seen| self.begun.is_none_or(|begun| seen < begun))
    }
}

impl Policy for BreadthFirst {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        let height = f64::from(u8::MAX - self.depth(page).unwrap_or(u8::MAX));
        let pass = if self.is_due(history) { f64::from(u8::MAX) + 1.0 } else { 0.0 };
        Some(pass + height + seniority(history, self.cycle, now))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let depth = self.depth(page).map_or("out of reach of the top page".into(), |depth| format!("at depth {depth}"));
        let due = if self.is_due(history) { "due in this pass" } else { "seen in this pass" };
        format!("{depth}, {due}, last seen {} ago", history.elapsed(now).unwrap_or_default())
    }

    fn needs(&self) -> Needs {
        Needs { structure: true, links: true, ..Needs::default() }
    }

    fn survey(&mut self, structure: &Structure) {
        self.depths = Some(structure.depths());
    }

    fn plan(&mut self, pages: &Pages, budget: Budget, now: Time) {
        self.cycle = budget.cycle;
        // A page that cannot be reached must not hold up the next pass.
        let waits = pages.iter().any(|(_, history)| history.failures() == 0 && self.is_due(&history));
        if !waits || self.begun.is_none() {
            self.begun = Some(now);
        }
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.begun)?;
        checkpoint.keep(&mut self.depths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Floors, HostId, Outcome, Scheduler, Visit};

    #[test]
    fn passes_go_down_and_begin_again() {
        let mut scheduler = Scheduler::new(Box::new(BreadthFirst::default()), Span::DAY, Floors::NONE);
        for (index, name) in ["deep", "lost", "", "mid"].into_iter().enumerate() {
            let page = scheduler.add(PageId(index as u32), HostId(0), 1.0);
            scheduler.locate(page, &format!("http://x.org/{name}"));
            let seen = Visit { page, at: Time::from_secs(index as i64), outcome: Outcome::First };
            scheduler.record(&seen);
        }
        scheduler.end_replay();
        scheduler.link(PageId(2), [PageId(3)]);
        scheduler.link(PageId(3), [PageId(0)]);
        let mut order = Vec::new();
        for day in 1..7 {
            let now = Time::from_secs(day * 86_400);
            scheduler.open_cycle(1, 1, now);
            for page in scheduler.pick(now, 1).unwrap() {
                order.push(page.0);
                scheduler.record(&Visit { page, at: now, outcome: Outcome::Unchanged });
            }
        }
        assert_eq!(order, [2, 3, 0, 1, 2, 3]);
        assert!(scheduler.reason(PageId(0), Time::from_secs(9 * 86_400)).starts_with("at depth 3, due"));
    }
}
