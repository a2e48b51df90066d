//! Cycles: when one ends and the next begins, and what is written down of it.

use revisit::Time;

use super::{Crawl, Cycle, Goal};
use crate::pipeline::PipelineError;
use crate::pipeline::memory::ToldCycle;
use crate::pipeline::writer::Order;
use crate::store::{ClosedCycle, OpenedCycle, Outcomes};

impl Crawl {
    /// A crawl that goes on goes on in the cycle that it was in; one asked for now has a cycle of its own.
    pub(in crate::pipeline) fn open_first_cycle(&mut self) {
        let (now, settings) = (self.clock.now(), &self.context.settings);
        let is_under_way = |cycle: &ToldCycle| !cycle.is_misplaced && now < cycle.opened.at + settings.cycle;
        let (cycle, budget) = (self.memory.cycle.take().filter(is_under_way), settings.budget);
        match (self.goal, cycle) {
            (Goal::Idle, _) => self.open_cycle(usize::MAX, now),
            (Goal::OneCycle, _) | (Goal::Forever, None) => self.open_cycle(budget, now),
            (Goal::Forever, Some(cycle)) => self.go_on(cycle),
        }
    }

    /// What a cycle spent stays spent, what was under way in it and never recorded is given back. If it had another budget, or
    /// none, one with the rest of the present budget takes its place, as if it had begun when that one did.
    fn go_on(&mut self, cycle: ToldCycle) {
        let ToldCycle { opened: OpenedCycle { number, at, budget, visits, .. }, spent, outcomes, .. } = cycle;
        let settled = self.context.settings.budget as u64;
        if budget != settled || visits > settled {
            return self.open_cycle(settled.saturating_sub(spent) as usize, at);
        }
        self.cycle = Cycle { id: number, number: self.cycle.number + 1, opened_at: at, outcomes };
    }

    /// What it may do and after what it began is durable before anything that is done in it.
    fn open_cycle(&mut self, visits: usize, at: Time) {
        let budget = self.context.settings.budget;
        self.memory.scheduler.open_cycle(budget, visits, at);
        self.memory.scheduler.make_order();
        let (id, number) = (self.cycle.id + 1, self.cycle.number + 1);
        self.cycle = Cycle { id, number, opened_at: at, outcomes: Outcomes::default() };
        self.picks.look_again();
        let (budget, visits, after) = (budget as u64, visits as u64, self.memory.batch);
        let opened = OpenedCycle { number: id, at, after, budget, visits };
        self.memory.untold += self.memory.scheduler.pages().len() as u64;
        self.order(Order::OpenCycle(opened));
    }

    pub(super) fn cycle_end(&self) -> Time {
        match self.goal {
            Goal::Forever => self.cycle.opened_at + self.context.settings.cycle,
            Goal::OneCycle | Goal::Idle => Time::MAX,
        }
    }

    /// Ends the cycle when its time is over and opens the next; says whether it did.
    pub(in crate::pipeline) fn turn_cycle(&mut self) -> Result<bool, PipelineError> {
        let now = self.clock.now();
        let turns = now >= self.cycle_end() && !self.draining;
        if turns {
            self.close_cycle(now);
            self.give_back_unbegun();
            self.train(now)?;
            self.renew_policy();
            self.open_cycle(self.context.settings.budget, now);
        }
        Ok(turns)
    }

    /// What was picked and not begun is given back: the next cycle has an order of its own.
    pub(super) fn give_back_unbegun(&mut self) {
        for host in self.memory.hosts.ids() {
            for page in self.memory.hosts.drain(host) {
                self.release(page.page);
            }
        }
    }

    pub(super) fn close_cycle(&mut self, now: Time) {
        let cycle = ClosedCycle {
            number: self.cycle.id,
            at: now,
            outcomes: self.cycle.outcomes,
            expected_freshness: self.memory.scheduler.expected_freshness(now),
        };
        self.order(Order::CloseCycle(cycle))
    }
}
