//! The simulated crawl for any formula: one history and one score a page, as the scheduler does it.
//!
//! Slower than the fast way by the number of pages that share a state, but it knows everything of a page that the live
//! crawler would know.

use std::cmp::Ordering;

use super::super::sample::Sample;
use super::Objective;
use crate::history::History;
use crate::lab::measure::CycleCounts;
use crate::model::formula::Formula;
use crate::page::PageId;
use crate::time::Time;
use crate::visit::{Outcome, Visit};

/// What happened.
pub(super) struct General {
    /// In each cycle after the warm-up.
    pub(super) cycles: Vec<CycleCounts>,
    /// The mean share of current copies, by importance.
    pub(super) weighted_freshness: f64,
}

/// Simulates a crawl and counts what an objective asks for.
pub(super) fn run(sample: &Sample, formula: &Formula, visits: usize, objective: Objective) -> General {
    let weighted = objective == Objective::WeightedFreshness;
    let window = sample.window();
    let mut crawl =
        Crawl { sample, histories: vec![History::default(); sample.len()], seen_until: vec![0; sample.len()] };
    let mut general = General { cycles: Vec::new(), weighted_freshness: 0.0 };
    let all: Vec<u32> = (0..sample.len() as u32).collect();
    for cycle in 0..window.warmup {
        crawl.visit(&all, cycle);
    }
    for cycle in window.warmup..window.cycles {
        let chosen = crawl.choose(formula, window.end(cycle), visits, weighted);
        let changed_visits = crawl.visit(&chosen, cycle);
        let freshness = weighted || objective == Objective::Freshness;
        let (current, importance) = if freshness { crawl.current(cycle) } else { (0, 0.0) };
        let changed_pages = sample.changed_pages(cycle);
        general.weighted_freshness += importance / (window.cycles - window.warmup) as f64;
        general.cycles.push(CycleCounts {
            pages: sample.len(),
            visits: chosen.len(),
            changed_visits,
            changed_pages,
            current,
            age_days: 0.0,
        });
    }
    general
}

struct Crawl<'a> {
    sample: &'a Sample,
    histories: Vec<History>,
    /// The first cycle of each page that no visit has seen.
    seen_until: Vec<usize>,
}

impl Crawl<'_> {
    /// The pages with the highest scores, ties to the lowest ids.
    ///
    /// If `weighted`, scores are multiplied by the pages' importances.
    fn choose(&self, formula: &Formula, now: Time, visits: usize, weighted: bool) -> Vec<u32> {
        let cycle = self.sample.window().cycle;
        let score = |page: usize| {
            let history = &self.histories[page];
            let score = formula.evaluate(|variable| {
                variable.of_history(history, cycle, now).unwrap_or_else(|| self.sample.content(page, variable))
            });
            if weighted { crate::model::formula::function::finite(score * self.sample.weight(page)) } else { score }
        };
        let mut scores: Vec<(f64, u32)> = (0..self.sample.len()).map(|page| (score(page), page as u32)).collect();
        if visits < scores.len() {
            scores.select_nth_unstable_by(visits, best_first);
            scores.truncate(visits);
        }
        scores.into_iter().map(|(_, page)| page).collect()
    }

    /// Visits pages at a cycle's end; returns how many had changed.
    fn visit(&mut self, pages: &[u32], cycle: usize) -> usize {
        let at = self.sample.window().end(cycle);
        let mut changed_visits = 0;
        for &page in pages {
            let changed = self.is_stale(page, cycle);
            changed_visits += usize::from(changed);
            let outcome = if changed { Outcome::Changed } else { Outcome::Unchanged };
            self.histories[page as usize].record(&Visit { page: PageId(page), at, outcome });
            self.seen_until[page as usize] = cycle + 1;
        }
        changed_visits
    }

    /// Whether a page has changed since its last visit.
    fn is_stale(&self, page: u32, cycle: usize) -> bool {
        let first = self.seen_until[page as usize];
        first <= cycle && self.sample.test(first..=cycle).any(page)
    }

    /// How many copies are current, and what share of all importance they have.
    fn current(&self, cycle: usize) -> (usize, f64) {
        let (mut current, mut importance, mut all) = (0, 0.0, 0.0);
        for page in 0..self.sample.len() {
            let weight = self.sample.weight(page);
            all += weight;
            if !self.is_stale(page as u32, cycle) {
                current += 1;
                importance += weight;
            }
        }
        (current, if all > 0.0 { importance / all } else { 0.0 })
    }
}

fn best_first(one: &(f64, u32), other: &(f64, u32)) -> Ordering {
    other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
}
