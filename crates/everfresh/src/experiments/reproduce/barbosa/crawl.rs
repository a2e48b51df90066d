//! The four combinations of Table 5: the lab's own loop crawls the test pages, and then tells in which group each page is.
//!
//! Reading: a page's first visit shows its content and nothing else, for there is no copy to compare with. The loop of the
//! lab counts the first visit as an observation; [`Watched`] tells the policy that it was the first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use revisit::lab::cut::{Cut, Window};
use revisit::lab::measure::Measures;
use revisit::lab::run::run;
use revisit::lab::trace::Trace;
use revisit::learn::example::Example;
use revisit::learn::judge::Confusion;
use revisit::model::groups::Grouping;
use revisit::policy::groups::{Bayesian, Historic, Start};
use revisit::policy::{Budget, Policy};
use revisit::{Features, History, Outcome, PageId, Pages, Time, Visit};

use crate::experiments::ExperimentError;

/// What decides where a page begins, in the order of Table 3.
pub(super) const BEGINNINGS: [&str; 2] = ["random", "tree"];
/// The combinations, in the order of Table 5.
pub(super) const COMBINATIONS: [&str; 4] = ["random+bayesian", "random+historic", "tree+bayesian", "tree+historic"];

/// The pages to crawl, and the group that the full history of each speaks for.
pub(super) struct Crawl<'a> {
    pub(super) trace: &'a Trace,
    pub(super) window: Window,
    pub(super) pages: &'a [Example],
    pub(super) truth: &'a [usize],
    pub(super) names: &'a [String],
    pub(super) grouping: &'a Grouping,
    pub(super) seed: u64,
}

/// Where the pages of a crawl ended.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) confusion: Confusion,
    /// What it took, and how fresh the copies were meanwhile.
    pub(super) measures: Measures,
}

impl Crawl<'_> {
    /// Where pages begin, before any was visited again: Table 3.
    pub(super) fn begin(&self) -> [Confusion; 2] {
        [self.random(), self.tree()].map(|start| {
            let mut policy = Historic::new(self.grouping.groups().to_vec(), start);
            let pages = self.pages.iter().enumerate();
            pages.for_each(|(place, page)| policy.describe(id(place), &page.features));
            self.compare(|page| policy.group(page))
        })
    }

    /// Where pages end: Table 5.
    pub(super) fn end(&self) -> Result<[Ended; 4], ExperimentError> {
        let groups = self.grouping.groups();
        let bayesian = |start| self.run(Bayesian::new(groups, start), Bayesian::group);
        let historic = |start| self.run(Historic::new(groups.to_vec(), start), Historic::group);
        Ok([bayesian(self.random())?, historic(self.random())?, bayesian(self.tree())?, historic(self.tree())?])
    }

    fn random(&self) -> Start {
        Start::Drawn(self.seed)
    }

    fn tree(&self) -> Start {
        Start::Predicted(self.grouping.clone())
    }

    fn run<P: Policy + 'static>(&self, policy: P, group: fn(&P, PageId) -> usize) -> Result<Ended, ExperimentError> {
        let cut = Cut::new(self.trace, self.window)?;
        let watched = Watched::new(policy);
        let run = run(&cut, Box::new(watched.clone()), cut.len()).map_err(ExperimentError::wrong)?;
        let policy = watched.policy();
        Ok(Ended { confusion: self.compare(|page| group(&policy, page)), measures: run.measures() })
    }

    fn compare(&self, group: impl Fn(PageId) -> usize) -> Confusion {
        let mut confusion = Confusion::new(self.names.to_vec());
        self.truth.iter().enumerate().for_each(|(place, truth)| confusion.add(*truth, group(id(place))));
        confusion
    }
}

/// The page at a place of the crawl.
fn id(place: usize) -> PageId {
    PageId(place as u32)
}

/// A policy that can still be asked after a run has taken it.
struct Watched<P>(Arc<Mutex<P>>);

impl<P> Clone for Watched<P> {
    fn clone(&self) -> Watched<P> {
        Watched(Arc::clone(&self.0))
    }
}

impl<P> Watched<P> {
    fn new(policy: P) -> Watched<P> {
        Watched(Arc::new(Mutex::new(policy)))
    }

    fn policy(&self) -> MutexGuard<'_, P> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: Policy> Policy for Watched<P> {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.policy().score(page, history, now)
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        self.policy().reason(page, history, now)
    }

    fn describe(&mut self, page: PageId, features: &Features) {
        self.policy().describe(page, features);
    }

    fn learn(&mut self, page: PageId, history: &History, visit: &Visit) {
        let outcome = if history.observations() == 1 { Outcome::First } else { visit.outcome };
        self.policy().learn(page, history, &Visit { outcome, ..*visit });
    }

    fn plan(&mut self, pages: &Pages, budget: Budget, now: Time) {
        self.policy().plan(pages, budget, now);
    }
}
