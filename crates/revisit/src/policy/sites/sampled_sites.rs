//! `sampling+a`, `sampling+b`, `sampling+c`: samples choose servers, and inside them top pages choose sites (Kumagai & Yamana
//! 2004, section 6.3.4).
//!
//! A page is visited if it is in the sample, or if its server follows from the sample and its site says so too. Greedy, the
//! server goes before the site in the order of visits.

use super::by_site::{BySite, Method, REST, ROUNDS};
use super::sampler::{MEMORY, MODE, RATIOS, SEED, SHARE, Sampler, Standing, THRESHOLD};
use super::sampling::{UNIT, Unit};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::parameter::{Parameter, Values};
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Needs, Policy};
use crate::site::Structure;
use crate::{History, PageId, Pages, Time, Visit};

/// The registry's entry of `sampling+a`.
pub(crate) const SAMPLING_A: Entry = Entry {
    name: "sampling+a",
    summary: "like sampling, and like site-a inside the servers chosen",
    build: Build::Plain(|values| Box::new(SampledSites::new(Method::Directories, values))),
    ..COMMON
};

/// The registry's entry of `sampling+b`.
pub(crate) const SAMPLING_B: Entry = Entry {
    name: "sampling+b",
    summary: "like sampling, and like site-b inside the servers chosen",
    build: Build::Plain(|values| Box::new(SampledSites::new(Method::Links, values))),
    ..COMMON
};

/// The registry's entry of `sampling+c`.
pub(crate) const SAMPLING_C: Entry = Entry {
    name: "sampling+c",
    summary: "like sampling, and like site-c inside the servers chosen",
    build: Build::Plain(|values| Box::new(SampledSites::new(Method::Hierarchy, values))),
    ..COMMON
};

const PARAMETERS: &[Parameter] = &[UNIT, SHARE, MODE, THRESHOLD, RATIOS, MEMORY, SEED, REST, ROUNDS];

/// What the three have in common.
const COMMON: Entry = Entry {
    name: "",
    paper: "Kumagai & Yamana 2004 (with Cho & Ntoulas 2002)",
    summary: "",
    spending: Spending::Solves,
    needs_truth: false,
    parameters: PARAMETERS,
    build: Build::Plain(|values| Box::new(SampledSites::new(Method::Directories, values))),
};

/// Scores of sites are below this.
const MOST: f64 = 4.0;

/// The policy.
#[derive(Debug)]
struct SampledSites {
    sampler: Sampler,
    sites: BySite,
    unit: Unit,
}

impl SampledSites {
    fn new(method: Method, values: &Values<'_>) -> SampledSites {
        SampledSites { sampler: Sampler::new(values), sites: BySite::new(method, values), unit: Unit::of(values) }
    }
}

impl Policy for SampledSites {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        match self.sampler.standing(page, 1.0) {
            Standing::Probe => self.sampler.score_by_age(page, history, now),
            _ => self.sampler.score(page, history, now, self.sites.score(page, history, now)? / MOST),
        }
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let sites = self.sites.reason(page, history, now);
        format!("{}; {sites}", self.sampler.reason(page, self.unit.name()))
    }

    fn needs(&self) -> Needs {
        self.sites.needs()
    }

    fn survey(&mut self, structure: &Structure) {
        self.sampler.regroup(self.unit.groups(structure));
        self.sites.survey(structure);
    }

    fn learn(&mut self, page: PageId, _history: &History, visit: &Visit) {
        self.sampler.learn(page, visit);
    }

    fn plan(&mut self, pages: &Pages, budget: Budget, now: Time) {
        self.sampler.plan(pages, budget, now);
        self.sites.plan(pages, budget, now);
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.sampler.keep(checkpoint)?;
        self.sites.keep(checkpoint)
    }
}
