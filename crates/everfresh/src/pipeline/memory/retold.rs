//! A scheduler to which all that happened is told again: visits, and the cycles in which they were made.

use revisit::{PageId, Scheduler, Time, Visit};
use serde::{Deserialize, Serialize};

use crate::store::{Event, HintsRow, OpenedCycle, Outcomes, ToldVisit};

/// The last cycle that began, and what was done since.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(in crate::pipeline) struct ToldCycle {
    /// As it was opened, at a time that is not ahead of the clock.
    pub(in crate::pipeline) opened: OpenedCycle,
    /// Whether the clock was ahead that opened it, so that nobody knows when it did.
    pub(in crate::pipeline) is_misplaced: bool,
    /// Requests that its visits took, and those of the cycles whose place it took.
    pub(in crate::pipeline) spent: u64,
    /// How they ended.
    pub(in crate::pipeline) outcomes: Outcomes,
}

/// What a scheduler learns from what happened: the same while a crawl runs and when it is told again. What is told of pages that
/// are not there, because somebody deleted them, says nothing.
pub(in crate::pipeline) fn learn(scheduler: &mut Scheduler, event: &Event<'_>) {
    let is_known = |scheduler: &Scheduler, page: PageId| scheduler.pages().contains(page);
    match event {
        Event::Page(page) => {
            scheduler.add(page.id, page.host, page.weight);
            scheduler.locate(page.id, &page.url);
        }
        Event::Links(row) => scheduler.link(row.page, row.targets.iter().copied()),
        Event::Hints(HintsRow { list, kind, entries, .. }) => {
            entries.iter().for_each(|(page, modified)| scheduler.hint(*page, *modified, *list, *kind));
        }
        Event::Features(row) if is_known(scheduler, row.page) => scheduler.describe(row.page, &row.features()),
        Event::Visit(ToldVisit { visit, requests, missed, .. }) if is_known(scheduler, visit.page) => {
            match missed {
                true => scheduler.record_missed(visit),
                false => scheduler.record(visit),
            }
            match requests.checked_sub(1) {
                Some(more) => scheduler.charge_visit(visit.page, more as usize),
                None => scheduler.refund(),
            }
        }
        Event::Charged(requests) => scheduler.charge(*requests as usize),
        Event::Lost(page) if is_known(scheduler, *page) => scheduler.lose(*page),
        Event::Weight(page, weight) => scheduler.weigh(*page, *weight),
        Event::Order(page, order) => scheduler.order(*page, *order),
        Event::Trust(host, trust) => scheduler.set_trust(*host, *trust),
        _ => {}
    }
}

/// The scheduler, and the cycle that it is in.
pub(in crate::pipeline) struct Retold<'a> {
    pub(in crate::pipeline) scheduler: Scheduler,
    /// `None` if nobody wrote down when cycles began.
    pub(in crate::pipeline) cycle: Option<ToldCycle>,
    /// What it took to tell: visits, and the pages that each cycle looked at.
    pub(in crate::pipeline) cost: u64,
    /// The cycle that goes on: it had its order when it opened. Those that opened since are not told.
    goes_on: Option<u64>,
    pub(super) future: &'a mut Future,
}

impl<'a> Retold<'a> {
    /// One who knows this much, and will be told of cycles up to the one that goes on.
    pub(in crate::pipeline) fn new(
        scheduler: Scheduler,
        cycle: Option<ToldCycle>,
        goes_on: Option<u64>,
        future: &'a mut Future,
    ) -> Retold<'a> {
        Retold { scheduler, cycle, cost: 0, goes_on, future }
    }

    /// Takes in what happened.
    pub(in crate::pipeline) fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Visit(told) => {
                let visit = Visit { at: self.future.taken_back(told.visit.at), ..told.visit };
                learn(&mut self.scheduler, &Event::Visit(&ToldVisit { visit, ..**told }));
                self.cost += 1;
                if let Some(cycle) = &mut self.cycle {
                    cycle.spent += u64::from(told.requests);
                    cycle.outcomes.count(visit.outcome);
                }
            }
            Event::Charged(requests) => {
                learn(&mut self.scheduler, event);
                self.cycle.iter_mut().for_each(|cycle| cycle.spent += u64::from(*requests));
            }
            Event::Cycle(opened) if Some(opened.number) > self.goes_on => {}
            Event::Cycle(opened) => {
                let at = self.future.taken_back(opened.at);
                let is_misplaced = at != opened.at;
                let opened = OpenedCycle { at, ..(*opened).clone() };
                self.cost += self.scheduler.pages().len() as u64;
                self.scheduler.open_cycle(opened.budget as usize, opened.visits as usize, opened.at);
                if self.goes_on == Some(opened.number) {
                    self.scheduler.make_order();
                }
                // One that began when another did took its place.
                let spent =
                    self.cycle.as_ref().filter(|before| before.opened.at == at).map_or(0, |before| before.spent);
                self.cycle = Some(ToldCycle { opened, is_misplaced, spent, outcomes: Outcomes::default() });
            }
            other => learn(&mut self.scheduler, other),
        }
    }
}

/// What a clock which was ahead put into the future. It was over when the next thing happened that it did not.
pub(in crate::pipeline) struct Future {
    now: Time,
    /// By when it was over, as far as that was known before.
    over: Time,
    /// Whether the last thing that happened was of it.
    is_last: bool,
    /// Whether there is any of it.
    is_any: bool,
    /// When the first one after it happened.
    after: Option<Time>,
}

impl Future {
    pub(in crate::pipeline) fn none(now: Time) -> Future {
        Future { now, over: now, is_last: false, is_any: false, after: None }
    }

    /// The time at which something can have happened.
    fn taken_back(&mut self, at: Time) -> Time {
        if at <= self.now {
            if std::mem::take(&mut self.is_last) {
                self.after = Some(at);
            }
            return at;
        }
        (self.is_last, self.is_any) = (true, true);
        self.over
    }

    /// Whether a clock was ahead.
    pub(in crate::pipeline) fn is_any(&self) -> bool {
        self.is_any
    }

    /// Whether all has to be told again, with what is known now of when it was over.
    pub(super) fn is_misplaced(&mut self) -> bool {
        let after = if self.is_last { None } else { self.after };
        self.over = after.unwrap_or(self.over);
        std::mem::take(&mut self.is_last);
        after.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_in_the_future_was_over_when_the_next_thing_happened() {
        let mut future = Future::none(Time::from_secs(100));
        let mut replay = |seconds: &[i64]| {
            let taken: Vec<i64> =
                seconds.iter().map(|second| future.taken_back(Time::from_secs(*second)).millis() / 1000).collect();
            (taken, future.is_misplaced())
        };
        assert_eq!(replay(&[10, 20, 90]), (vec![10, 20, 90], false));
        assert_eq!(replay(&[10, 7000, 7001]), (vec![10, 100, 100], false), "nothing happened since");
        assert_eq!(replay(&[10, 7000, 60, 61]), (vec![10, 100, 60, 61], true));
        assert_eq!(replay(&[10, 7000, 60, 61]).0, vec![10, 60, 60, 61]);
    }
}
