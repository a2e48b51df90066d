//! `sampling`: a sample of each server tells how much of it changed; the servers that changed most go first (Cho & Ntoulas
//! 2002, as in Kumagai & Yamana 2004, section 6.3.3).
//!
//! How samples are drawn and used is in `sampler`. Groups are servers, as published, or directories: a trace of one server
//! has nothing else to choose between, and pages of a directory often change together.

use super::by_site::ROUNDS;
use super::sampler::{MEMORY, MODE, NO_GROUP, RATIOS, SEED, SHARE, Sampler, THRESHOLD};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::parameter::{Parameter, Values};
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Needs, Policy};
use crate::site::Structure;
use crate::{History, PageId, Pages, Time, Visit};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "sampling",
    paper: "Cho & Ntoulas 2002",
    summary: "a sample of each server, then the servers of which most of the sample changed",
    spending: Spending::Solves,
    needs_truth: false,
    parameters: &[UNIT, SHARE, MODE, THRESHOLD, RATIOS, MEMORY, SEED, ROUNDS],
    build: Build::Plain(|values| Box::new(Sampling::new(values))),
};

/// What is sampled.
pub(super) const UNIT: Parameter =
    Parameter::choice("unit", &["server", "directory"], "what samples are taken of: each server, or each directory");

/// The policy.
#[derive(Debug)]
pub(crate) struct Sampling {
    sampler: Sampler,
    unit: Unit,
    rounds: usize,
}

impl Sampling {
    fn new(values: &Values<'_>) -> Sampling {
        let rounds = values.number("rounds") as usize;
        Sampling { sampler: Sampler::new(values), unit: Unit::of(values), rounds }
    }
}

/// What is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Server,
    Directory,
}

impl Unit {
    pub(super) fn of(values: &Values<'_>) -> Unit {
        if values.is("unit", "directory") { Unit::Directory } else { Unit::Server }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Unit::Server => "server",
            Unit::Directory => "directory",
        }
    }

    /// The group of each page.
    pub(super) fn groups(self, structure: &Structure) -> Vec<u32> {
        let directories = structure.directories();
        let group = |page: PageId| match self {
            Unit::Server => directories.server(page),
            Unit::Directory => directories.of(page),
        };
        (0..directories.pages() as u32).map(|page| group(PageId(page)).map_or(NO_GROUP, |group| group.0)).collect()
    }
}

impl Policy for Sampling {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.sampler.score_by_age(page, history, now)
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let elapsed = history.elapsed(now).unwrap_or_default();
        format!("{}; last seen {elapsed} ago", self.sampler.reason(page, self.unit.name()))
    }

    fn needs(&self) -> Needs {
        Needs { structure: true, rounds: self.rounds, ..Needs::default() }
    }

    fn survey(&mut self, structure: &Structure) {
        self.sampler.regroup(self.unit.groups(structure));
    }

    fn learn(&mut self, page: PageId, _history: &History, visit: &Visit) {
        self.sampler.learn(page, visit);
    }

    fn plan(&mut self, pages: &Pages, budget: Budget, now: Time) {
        self.sampler.plan(pages, budget, now);
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.sampler.keep(checkpoint)
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::registry::{Supplies, Truth, build_with};
    use crate::{Floors, HostId, Outcome, PageId, Scheduler, Span, Time, Visit};

    const PAGES: u32 = 40;

    /// Two servers of 20 pages; on the second day all of the second one changes.
    fn crawl(policy: &str, visits: usize) -> Vec<u32> {
        let noon = [Time::from_secs(3 * 43_200)];
        let changes: Vec<&[Time]> = (0..PAGES).map(|page| if page < 20 { &[][..] } else { &noon }).collect();
        let truth = Some(Truth { mean_intervals: &[], changes: &changes });
        let policy = build_with(policy, Supplies { truth, model: None }).unwrap();
        let rounds = policy.needs().rounds;
        let mut scheduler = Scheduler::new(policy, Span::DAY, Floors::NONE);
        for index in 0..PAGES {
            let page = scheduler.add(PageId(index), HostId(0), 1.0);
            scheduler.locate(page, &format!("http://{}.org/{index}", index / 20));
            scheduler.record(&Visit { page, at: Time::from_secs(86_400), outcome: Outcome::First });
        }
        scheduler.end_replay();
        let now = Time::from_secs(2 * 86_400);
        scheduler.open_cycle(visits, visits, now);
        let mut visited = Vec::new();
        for _ in 0..2 * rounds {
            for page in scheduler.pick(now, visits.div_ceil(rounds)).unwrap() {
                let outcome = if page.0 < 20 { Outcome::Unchanged } else { Outcome::Changed };
                scheduler.record(&Visit { page, at: now, outcome });
                visited.push(page.0);
            }
        }
        visited
    }

    fn changed(visited: &[u32]) -> usize {
        visited.iter().filter(|page| **page >= 20).count()
    }

    #[test]
    fn what_changed_most_goes_first() {
        let visited = crawl("sampling?rounds=5&share=0.2", 20);
        // A fifth of the budget is sampled, half of it on each server; the rest goes where the sample changed.
        assert_eq!((visited.len(), changed(&visited), changed(&visited[..4])), (20, 18, 2));
    }

    #[test]
    fn below_the_threshold_nothing_is_visited() {
        let visited = crawl("sampling?mode=threshold&threshold=0.5&share=0.1", 40);
        assert_eq!((visited.len(), changed(&visited)), (22, 20));
        assert_eq!(crawl("sampling?mode=threshold&threshold=0.5&ratios=true", 40).len(), 20, "no sample is needed");
    }

    #[test]
    fn more_groups_than_samples_take_turns() {
        // Of the two servers one is sampled with one page; the other follows as one of the average.
        let visited = crawl("sampling?share=0.001&rounds=2", 2);
        assert_eq!(visited.len(), 2);
        assert!(changed(&crawl("sampling?unit=directory&rounds=5&share=0.2", 20)) == 18);
    }

    #[test]
    fn pages_nobody_located_take_turns() {
        let mut scheduler =
            Scheduler::new(crate::policy::registry::build("sampling").unwrap(), Span::DAY, Floors::NONE);
        let page = scheduler.add(PageId(0), HostId(0), 1.0);
        scheduler.record(&Visit { page, at: Time::from_secs(0), outcome: Outcome::First });
        scheduler.end_replay();
        scheduler.open_cycle(1, 1, Time::from_secs(86_400));
        assert_eq!(scheduler.pick(Time::from_secs(86_400), 1).unwrap(), [PageId(0)]);
        assert!(scheduler.reason(page, Time::from_secs(86_400)).starts_with("in no server"));
    }
}
