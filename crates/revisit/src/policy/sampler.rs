//! What `sampling`, its combinations and `clusters` share: a few pages of each group tell how much of the group changed (Cho &
//! Ntoulas 2002).
//!
//! Once a cycle a sample is drawn anew from every group, as large as the group's share of the pages. It is visited first, and
//! the share of it that changed is the group's ratio. Greedy, the other pages follow in the order of their groups' ratios;
//! with a threshold, those of groups whose ratio reaches it, and no others. Readings:
//!
//! - The samples together take a share of the budget. If there are more groups than that buys pages, each cycle samples one
//!   page of as many groups, those sampled longest ago first.
//! - Greedy, a group without a sample counts as one of the average ratio of this cycle's samples.
//! - Pages in no group are visited round robin with what is left.
//! - With true ratios, which only the lab knows, nothing is sampled. It is what a perfect sample at no cost would give; Kumagai
//!   & Yamana 2004 compare with that.

use super::parameter::{Parameter, Values};
use super::rand::draw;
use super::{Budget, seniority};
use crate::{History, Outcome, PageId, Pages, Span, Time, Visit};

/// What can be set about the sample and what follows from it.
pub(super) const SHARE: Parameter =
    Parameter::number("share", "0.2", (0.001, 1.0), "the share of the budget that goes into samples");
pub(super) const MODE: Parameter = Parameter::choice(
    "mode",
    &["greedy", "threshold"],
    "visit groups in the order of their ratios, or only those whose ratio reaches the threshold",
);
pub(super) const THRESHOLD: Parameter =
    Parameter::number("threshold", "0.1", (0.0, 1.0), "the ratio that a group must reach");
pub(super) const RATIOS: Parameter = Parameter::choice(
    "ratios",
    &["sampled", "true"],
    "ratios from samples, or the true ones, which only the lab knows",
);
pub(super) const SEED: Parameter = Parameter::number("seed", "1", (0.0, 9e15), "the seed of the samples");

/// The group of a page that is in none.
pub(super) const NO_GROUP: u32 = u32::MAX;

/// Pages whose scores differ by less than this are told apart by who was not seen for longest.
const STEP: f64 = 1e-6;

/// What is known of a group in this cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    pages: u32,
    seen: u32,
    changed: u32,
    /// The cycle in which it was last sampled.
    sampled_in: i64,
}

/// Groups of pages and their samples.
#[derive(Debug)]
pub(super) struct Sampler {
    share: f64,
    threshold: Option<f64>,
    seed: u64,
    /// When each page changes, if the ratios are to be the true ones.
    changes: Option<Vec<Vec<Time>>>,
    /// The group of each page; pages beyond the end are in none.
    group_of: Vec<u32>,
    tallies: Vec<Tally>,
    /// Who is in the sample and was not yet seen.
    probes: Vec<bool>,
    /// The number of the cycle that the sample is of.
    period: i64,
    cycle: Span,
    /// The ratio of all samples of this cycle together, as of the last plan.
    average: f64,
}

impl Sampler {
    /// No group yet.
    pub(super) fn new(values: &Values<'_>) -> Sampler {
        let truth = values.truth.filter(|_| values.is("ratios", "true"));
        Sampler {
            share: values.number("share"),
            threshold: values.is("mode", "threshold").then(|| values.number("threshold")),
            seed: values.number("seed") as u64,
            changes: truth.map(|truth| truth.changes.iter().map(|changes| changes.to_vec()).collect()),
            group_of: Vec::new(),
            tallies: Vec::new(),
            probes: Vec::new(),
            period: i64::MIN,
            cycle: Span::HOUR,
            average: 0.0,
        }
    }

    /// Sorts the pages into other groups, numbered from 0; the next plan draws a sample.
    pub(super) fn regroup(&mut self, group_of: Vec<u32>) {
        let groups = group_of.iter().filter(|group| **group != NO_GROUP).max().map_or(0, |last| *last as usize + 1);
        self.tallies.resize(groups, Tally { sampled_in: i64::MIN, ..Tally::default() });
        self.group_of = group_of;
        self.period = i64::MIN;
    }

    /// To be called before each round: draws the sample of a cycle when it begins.
    pub(super) fn plan(&mut self, pages: &Pages, budget: Budget, now: Time) {
        self.cycle = budget.cycle;
        if self.starts_anew(budget, now) {
            self.period = period(now, self.cycle);
            self.count(pages);
            if self.changes.is_some() {
                self.look_up(pages, now);
            } else {
                self.draw(pages, budget.fetches);
            }
        }
        self.average = self.average();
    }

    /// Whether a cycle has just begun or the groups are new: the next plan starts anew.
    pub(super) fn starts_anew(&self, budget: Budget, now: Time) -> bool {
        period(now, budget.cycle) != self.period
    }

    fn group(&self, page: PageId) -> Option<usize> {
        let group = *self.group_of.get(page.index())?;
        (group != NO_GROUP).then_some(group as usize)
    }

    /// The pages that can be visited, with their groups.
    fn grouped<'a>(&'a self, pages: &'a Pages) -> impl Iterator<Item = (usize, PageId, &'a History)> {
        let there = pages.iter().filter(|(_, history)| history.last_seen().is_some() && history.failures() == 0);
        there.filter_map(|(page, history)| Some((self.group(page)?, page, history)))
    }

    fn count(&mut self, pages: &Pages) {
        let mut counts = vec![0; self.tallies.len()];
        self.grouped(pages).for_each(|(group, ..)| counts[group] += 1);
        for (tally, pages) in self.tallies.iter_mut().zip(counts) {
            *tally = Tally { pages, seen: 0, changed: 0, ..*tally };
        }
        self.probes = vec![false; pages.len()];
    }

    /// The true ratios: which pages changed since they were last seen.
    fn look_up(&mut self, pages: &Pages, now: Time) {
        let changes = self.changes.take().unwrap_or_default();
        let changed = |page: PageId, since: Time| {
            let changes = changes.get(page.index()).map_or(&[][..], Vec::as_slice);
            changes.get(changes.partition_point(|at| *at < since)).is_some_and(|at| *at < now)
        };
        let mut counts = vec![0; self.tallies.len()];
        for (group, page, history) in self.grouped(pages) {
            counts[group] += u32::from(changed(page, history.last_seen().unwrap_or(now)));
        }
        for (tally, changed) in self.tallies.iter_mut().zip(counts) {
            (tally.seen, tally.changed) = (tally.pages, changed);
        }
        self.changes = Some(changes);
    }

    /// Draws pages of every group at random.
    fn draw(&mut self, pages: &Pages, fetches: usize) {
        let sizes = self.sample_sizes(fetches);
        let at = Time::from_millis(self.period);
        let mut order: Vec<(usize, u64, PageId)> = self
            .grouped(pages)
            .filter(|(group, ..)| sizes[*group] > 0)
            .map(|(group, page, _)| (group, draw(self.seed, page, at).to_bits(), page))
            .collect();
        order.sort_unstable();
        for drawn in order.chunk_by(|one, other| one.0 == other.0) {
            let group = drawn[0].0;
            self.tallies[group].sampled_in = self.period;
            for (_, _, page) in drawn.iter().take(sizes[group]) {
                self.probes[page.index()] = true;
            }
        }
    }

    /// How many pages of each group to sample.
    fn sample_sizes(&self, fetches: usize) -> Vec<usize> {
        let pages: f64 = self.tallies.iter().map(|tally| f64::from(tally.pages)).sum();
        let sample = (self.share * fetches as f64).min(pages);
        let filled = self.tallies.iter().filter(|tally| tally.pages > 0).count();
        let few = (sample as usize).max(1);
        if filled <= few {
            let part = |tally: &Tally| (sample * f64::from(tally.pages) / pages.max(1.0)).ceil();
            return self.tallies.iter().map(|tally| part(tally) as usize).collect();
        }
        let mut order: Vec<usize> = (0..self.tallies.len()).filter(|group| self.tallies[*group].pages > 0).collect();
        order.sort_by_key(|group| self.tallies[*group].sampled_in);
        let mut sizes = vec![0; self.tallies.len()];
        order.into_iter().take(few).for_each(|group| sizes[group] = 1);
        sizes
    }

    /// Takes in a visit: if the page was in the sample, it speaks for its group.
    pub(super) fn learn(&mut self, page: PageId, visit: &Visit) {
        let Some(probe) = self.probes.get_mut(page.index()) else { return };
        let sampled = std::mem::take(probe) && matches!(visit.outcome, Outcome::Changed | Outcome::Unchanged);
        if let Some(group) = self.group(page).filter(|_| sampled) {
            self.tallies[group].seen += 1;
            self.tallies[group].changed += u32::from(visit.outcome == Outcome::Changed);
        }
    }

    /// What a page is to the sample.
    pub(super) fn standing(&self, page: PageId) -> Standing {
        let Some(group) = self.group(page) else { return Standing::Apart };
        if self.probes.get(page.index()) == Some(&true) {
            return Standing::Probe;
        }
        let ratio = ratio(&self.tallies[group]);
        match self.threshold {
            None => Standing::Follows(ratio.unwrap_or(self.average)),
            Some(threshold) => match ratio {
                Some(ratio) if ratio >= threshold => Standing::Follows(ratio),
                ratio => Standing::Closed(ratio),
            },
        }
    }

    fn average(&self) -> f64 {
        let (seen, changed) =
            self.tallies.iter().fold((0, 0), |(seen, changed), tally| (seen + tally.seen, changed + tally.changed));
        if seen == 0 { 0.0 } else { f64::from(changed) / f64::from(seen) }
    }

    /// The score of a page by its standing; `within` orders the pages of a group from 0 to 1.
    pub(super) fn score(&self, page: PageId, within: f64) -> Option<f64> {
        match self.standing(page) {
            Standing::Probe => Some(3.0 + within),
            Standing::Follows(ratio) => Some(1.0 + ratio + within * STEP),
            Standing::Apart => Some(within * STEP),
            Standing::Closed(_) => None,
        }
    }

    /// The same with the page not seen for longest first.
    pub(super) fn score_by_age(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.score(page, seniority(history, self.cycle, now))
    }

    /// Why the score is what it is; `group` is what a group is called.
    pub(super) fn reason(&self, page: PageId, group: &str) -> String {
        match self.standing(page) {
            Standing::Probe => format!("in this cycle's sample of its {group}"),
            Standing::Follows(ratio) => format!("{:.0} % of its {group}'s sample changed", 100.0 * ratio),
            Standing::Closed(Some(ratio)) => {
                format!("{:.0} % of its {group}'s sample changed: too little", 100.0 * ratio)
            }
            Standing::Closed(None) => format!("no sample of its {group} was seen in this cycle"),
            Standing::Apart => format!("in no {group}, so it takes its turn in what is left"),
        }
    }
}

/// What a page is to the sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Standing {
    /// In it, and not yet seen.
    Probe,
    /// Worth a visit, as this share of its group's sample changed.
    Follows(f64),
    /// Not worth a visit, for what is known of its group.
    Closed(Option<f64>),
    /// In no group.
    Apart,
}

fn ratio(tally: &Tally) -> Option<f64> {
    (tally.seen > 0).then(|| f64::from(tally.changed) / f64::from(tally.seen))
}

/// The number of the cycle in which a time is. Cycles are counted from 1970, since nobody tells a policy when one begins.
fn period(now: Time, cycle: Span) -> i64 {
    now.millis().div_euclid(cycle.millis().max(1))
}
