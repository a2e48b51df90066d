//! Runs of policies, as many at a time as there are cores; the results are the same whatever that number.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};
use revisit::lab::cut::Cut;
use revisit::lab::limit::Limits;
use revisit::lab::reliability::Reliability;
use revisit::lab::run::{Run, run_afresh, run_by_group, run_with_reliability};
use revisit::policy::registry::{self, PolicyError, Truth};
use revisit::{BadScore, Policy, Span, Time};

use super::ExperimentError;
use super::budget::Budget;
use super::models::Models;

/// A trace cut into cycles, with the truth that reference policies may know.
pub(super) struct Stage<'a> {
    pub(super) cut: &'a Cut<'a>,
    pub(super) mean_intervals: Vec<Span>,
    changes: Vec<&'a [Time]>,
    models: Option<&'a Models>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(cut: &'a Cut<'a>) -> Stage<'a> {
        let mean_intervals = (0..cut.len()).map(|index| cut.mean_interval(index)).collect();
        let changes = (0..cut.len()).map(|index| cut.trace().changes(cut.page(index))).collect();
        Stage { cut, mean_intervals, changes, models: None }
    }

    /// The same, with the models that policies name.
    pub(super) fn with(self, models: &'a Models) -> Stage<'a> {
        Stage { models: Some(models), ..self }
    }

    /// Another part of the pages, with the same models.
    pub(super) fn of(&self, cut: &'a Cut<'a>) -> Stage<'a> {
        Stage { models: self.models, ..Stage::new(cut) }
    }

    /// Visits a cycle within a budget; the mean over the cycles after the warm-up where pages come and go.
    pub(super) fn visits(&self, budget: Budget) -> usize {
        let present = self.cut.present().split_off(self.cut.window().warmup);
        let sum: usize = present.iter().map(|pages| budget.visits(*pages)).sum();
        (sum as f64 / present.len().max(1) as f64).round() as usize
    }

    /// What was possible within a budget.
    pub(super) fn limits(&self, budget: Budget) -> Limits {
        Limits::of(self.cut, |pages| budget.visits(pages))
    }

    /// Runs the policy of this name within a budget, or with as many visits as it wants if it knows none.
    pub(super) fn run(&self, name: &str, budget: Budget) -> Result<Run, ExperimentError> {
        let mut runs = self.run_by_group(name, budget, 1, |_| 0)?;
        // As many runs come back as there are groups.
        Ok(runs.swap_remove(0))
    }

    /// The same, counted apart for each group of pages.
    pub(super) fn run_by_group(
        &self,
        name: &str,
        budget: Budget,
        groups: usize,
        group: impl Fn(usize) -> usize,
    ) -> Result<Vec<Run>, ExperimentError> {
        let budget = if registry::find(name)?.budgeted() { budget } else { Budget::All };
        run_by_group(self.cut, self.build(name)?, |pages| budget.visits(pages), groups, group)
            .map_err(|error| self.bad_score(name, &error))
    }

    /// Runs the policy of this name within a budget, and holds what it expects of copies against the truth.
    pub(super) fn run_with_reliability(&self, name: &str, budget: Budget) -> Result<Reliability, ExperimentError> {
        let budget = if registry::find(name)?.budgeted() { budget } else { Budget::All };
        run_with_reliability(self.cut, self.build(name)?, |pages| budget.visits(pages))
            .map_err(|error| self.bad_score(name, &error))
    }

    /// Runs the policy of this name within a budget, with all copies made current at the end of each cycle.
    pub(super) fn run_afresh(&self, name: &str, budget: Budget) -> Result<Run, ExperimentError> {
        let visits = budget.visits(self.cut.len());
        run_afresh(self.cut, self.build(name)?, visits).map_err(|error| self.bad_score(name, &error))
    }

    /// The policy of this name, told the truth.
    fn build(&self, name: &str) -> Result<Box<dyn Policy>, PolicyError> {
        let truth = Some(Truth { mean_intervals: &self.mean_intervals, changes: &self.changes });
        self.models.unwrap_or(&Models::default()).build(name, truth)
    }

    /// A score without a place in an order, with the policy and the page that it is of.
    fn bad_score(&self, name: &str, error: &BadScore) -> ExperimentError {
        let page = self.cut.trace().page(self.cut.page(error.page.index()));
        ExperimentError::BadScore { policy: name.to_owned(), url: page.url.clone(), score: error.score }
    }
}

/// Does every job on one of as many threads as there are cores, with progress on a terminal; the results are in the order
/// of the jobs.
pub(super) fn parallel<Job: Sync, Done: Send>(
    jobs: &[Job],
    work: impl Fn(&Job) -> Result<Done, ExperimentError> + Sync,
) -> Result<Vec<Done>, ExperimentError> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs.len())));
    let bar = bar(jobs.len());
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { break };
            let result = work(job);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
            bar.inc(1);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(worker)));
    bar.finish_and_clear();
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Seen on a terminal only.
fn bar(jobs: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} runs, {eta} left");
    ProgressBar::new(jobs as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use revisit::PageId;
    use revisit::lab::cut::Window;
    use revisit::lab::trace::{FIRST_DAY, Trace};

    #[test]
    fn a_bad_score_is_blamed_on_its_policy_and_page() {
        let trace = Trace::daily("made", 9, [("calm", vec![]), ("lively", vec![1])]);
        let cut = Cut::new(&trace, Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 9, warmup: 2 }).unwrap();
        let said = Stage::new(&cut).bad_score("mad", &BadScore { page: PageId(1), score: f64::NAN }).to_string();
        assert_eq!(said, "policy 'mad' scored lively with NaN: scores must be finite numbers");
    }

    #[test]
    fn results_keep_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..50).collect();
        assert_eq!(parallel(&jobs, |job| Ok(job * 2)).unwrap(), (0..50).map(|job| job * 2).collect::<Vec<_>>());
        assert!(parallel(&jobs, |job| if *job == 7 { Err(ExperimentError::wrong("seven")) } else { Ok(()) }).is_err());
        assert!(parallel(&[] as &[u64], |_| Ok(())).unwrap().is_empty());
    }
}
