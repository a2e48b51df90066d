//! `clusters`: pages that look alike and behaved alike form clusters; a sample of each tells which to visit (Tan & Mitra 2010).
//!
//! Like [`sampling`](super::sampling), with clusters in the place of servers, so that pages of different servers can speak for
//! one another. A page's row holds what its first version shows (logarithms of counts and sizes) and how it changed: its
//! share of changed visits, its share among the last eight, and whether the last visit saw a change. Readings: k-means, 20
//! clusters, made anew every ten cycles; the ratio of a cluster's sample is taken each cycle, and greedy order is the default.

use super::by_site::ROUNDS;
use super::means::Table;
use super::sampler::{MEMORY, MODE, NO_GROUP, RATIOS, SEED, SHARE, Sampler, THRESHOLD};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::features::{Feature, Features};
use crate::policy::parameter::{Parameter, Values};
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Needs, Policy};
use crate::{History, PageId, Pages, Time, Visit};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "clusters",
    paper: "Tan & Mitra 2010",
    summary: "a sample of each cluster of like pages, then the clusters of which most of the sample changed",
    spending: Spending::Solves,
    needs_truth: false,
    parameters: &[CLUSTERS, SHARE, MODE, THRESHOLD, RATIOS, MEMORY, SEED, ROUNDS],
    build: Build::Plain(|values| Box::new(Clusters::new(values))),
};

const CLUSTERS: Parameter = Parameter::number("clusters", "20", (1.0, 1000.0), "how many clusters at most");

/// Cycles until clusters are made anew.
const REFIT: u32 = 10;
/// Numbers in a page's row.
const WIDTH: usize = Feature::ALL.len() + 3;

/// The policy.
#[derive(Debug)]
pub(crate) struct Clusters {
    sampler: Sampler,
    clusters: usize,
    seed: u64,
    rounds: usize,
    /// What is known of each page's first version; of pages beyond the end nothing is.
    features: Vec<Features>,
    /// Cycles since the clusters were made.
    age: u32,
}

impl Clusters {
    fn new(values: &Values<'_>) -> Clusters {
        Clusters {
            sampler: Sampler::new(values),
            clusters: values.number("clusters") as usize,
            seed: values.number("seed") as u64,
            rounds: values.number("rounds") as usize,
            features: Vec::new(),
            age: REFIT,
        }
    }

    /// Makes the clusters of the pages seen so far.
    fn refit(&mut self, pages: &Pages) {
        let seen = || pages.iter().filter(|(_, history)| history.last_seen().is_some());
        let mut table = Table::new(WIDTH, pages.len());
        seen().for_each(|(page, history)| table.push(self.row(page, &history)));
        let mut group_of = vec![NO_GROUP; pages.end()];
        let clusters = table.cluster(self.clusters, self.seed);
        seen().zip(clusters).for_each(|((page, _), cluster)| group_of[page.index()] = cluster);
        self.sampler.forget();
        self.sampler.regroup(group_of);
    }

    fn row(&self, page: PageId, history: &History) -> impl Iterator<Item = f32> {
        let features = self.features.get(page.index()).copied().unwrap_or_default();
        let shown = Feature::ALL.into_iter().map(move |feature| match features.get(feature) {
            Some(value) => value.max(0.0).ln_1p() as f32,
            None => f32::NAN,
        });
        let (changes, visits) = (f64::from(history.changes()), f64::from(history.observations()));
        let recent = history.recent().take(8).filter(|changed| *changed).count();
        let last = history.recent().next().map_or(f32::NAN, |changed| f32::from(u8::from(changed)));
        let behaved = [((changes + 0.5) / (visits + 1.0)) as f32, recent as f32 / 8.0, last];
        shown.chain(behaved)
    }
}

impl Policy for Clusters {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.sampler.score_by_age(page, history, now)
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let elapsed = history.elapsed(now).unwrap_or_default();
        format!("{}; last seen {elapsed} ago", self.sampler.reason(page, "cluster"))
    }

    fn describe(&mut self, page: PageId, features: &Features) {
        if self.features.len() <= page.index() {
            self.features.resize(page.index() + 1, Features::default());
        }
        self.features[page.index()] = *features;
    }

    fn needs(&self) -> Needs {
        Needs { rounds: self.rounds, ..Needs::default() }
    }

    fn learn(&mut self, page: PageId, _history: &History, visit: &Visit) {
        self.sampler.learn(page, visit);
    }

    fn plan(&mut self, pages: &Pages, budget: Budget, now: Time) {
        if self.sampler.starts_anew(budget, now) {
            self.age += 1;
            if self.age > REFIT && !pages.is_empty() {
                self.refit(pages);
                self.age = 0;
            }
        }
        self.sampler.plan(pages, budget, now);
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.sampler.keep(checkpoint)?;
        checkpoint.keep(&mut self.age)?;
        checkpoint.keep_rows(&mut self.features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Floors, HostId, Outcome, Scheduler, Span};

    #[test]
    fn a_sample_of_like_pages_leads_to_the_others() {
        let policy = crate::policy::registry::build("clusters?clusters=2&rounds=10&share=0.2").unwrap();
        let mut scheduler = Scheduler::new(policy, Span::DAY, Floors::NONE);
        let is_list = |page: PageId| page.0 % 2 == 1;
        for index in 0..40 {
            let page = scheduler.add(PageId(index), HostId(index), 1.0);
            let links = if is_list(page) { 100.0 } else { 1.0 };
            scheduler.describe(page, &Features::default().with(Feature::Links, links));
            scheduler.record(&Visit { page, at: Time::from_secs(0), outcome: Outcome::First });
        }
        scheduler.end_replay();
        let now = Time::from_secs(86_400);
        scheduler.open_cycle(20, 20, now);
        let (mut changed, mut visits) = (0, 0);
        for _ in 0..10 {
            for page in scheduler.pick(now, 2).unwrap() {
                let outcome = if is_list(page) { Outcome::Changed } else { Outcome::Unchanged };
                scheduler.record(&Visit { page, at: now, outcome });
                (changed, visits) = (changed + usize::from(is_list(page)), visits + 1);
            }
        }
        assert_eq!((changed, visits), (18, 20), "two of the four sampled pages are no lists");
        assert!(scheduler.reason(PageId(0), now).contains("of its cluster's sample changed"));
    }
}
