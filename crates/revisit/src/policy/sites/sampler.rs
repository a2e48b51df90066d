//! What `sampling`, its combinations and `clusters` share: a few pages of each group tell how much of the group changed (Cho &
//! Ntoulas 2002).
//!
//! Once a cycle a sample is drawn anew from every group, as large as the group's share of the pages. It is visited first, and
//! the share of it that changed is the group's ratio. Greedy, the other pages follow in the order of their groups' ratios;
//! with a threshold, those of groups whose ratio reaches it, and no others. Readings:
//!
//! - The samples together take a share of the budget. If there are more groups than that buys pages, each cycle samples one
//!   page of as many groups, those sampled longest ago first.
//! - In a crawl that goes on, copies differ in age, as they did not in the papers. Greedy, the ratio r of pages not seen for s
//!   cycles on average stands for a rate, so a page not seen for t cycles has changed with the chance 1 − (1 − r)^(t/s). That
//!   is r if all copies are equally old.
//! - Greedy, every visit speaks for its group, not only those of the sample; what earlier cycles showed counts too, a cycle later by
//!   `memory`; and a group counts as if one more page had been seen, of the average ratio of all. With a threshold the sample
//!   alone decides, as published with `memory=0`.
//! - Pages in no group are visited round robin with what is left.
//! - With true ratios, which only the lab knows, nothing is sampled. It is what a perfect sample at no cost would give; Kumagai
//!   & Yamana 2004 compare with that.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::policy::draw::draw;
use crate::policy::parameter::{Parameter, Values};
use crate::policy::{Budget, cycles_since, seniority};
use crate::{History, Outcome, PageId, Pages, Span, Time, Visit};

/// What can be set about the sample and what follows from it.
pub(super) const SHARE: Parameter =
    Parameter::number("share", "0.05", (0.001, 1.0), "the share of the budget that goes into samples");
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

pub(super) const MEMORY: Parameter = Parameter::number(
    "memory",
    "0.8",
    (0.0, 0.999),
    "the share of what samples showed that still counts a cycle later",
);

/// The group of a page that is in none.
pub(super) const NO_GROUP: u32 = u32::MAX;

/// Pages whose scores differ by less than this are told apart by who was not seen for longest.
const STEP: f64 = 1e-6;

/// The least chance that a page is as it was.
const LEAST: f64 = 1e-3;

/// What is known of a group.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, serde::Serialize)]
struct Tally {
    pages: u32,
    seen: f64,
    changed: f64,
    /// Cycles since the pages of the sample were last seen, added up.
    cycles: f64,
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
    /// When each page was last seen.
    last_seen: Vec<Time>,
    /// The number of the cycle that the sample is of.
    period: i64,
    cycle: Span,
    /// All groups together, as of the last plan.
    average: Tally,
    /// How much of the tallies is left a cycle later.
    memory: f64,
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
            last_seen: Vec::new(),
            period: i64::MIN,
            cycle: Span::HOUR,
            average: Tally::default(),
            memory: values.number("memory"),
        }
    }

    /// Sorts the pages into other groups, numbered from 0; the next plan draws a sample.
    pub(super) fn regroup(&mut self, group_of: Vec<u32>) {
        let groups = group_of.iter().filter(|group| **group != NO_GROUP).max().map_or(0, |last| *last as usize + 1);
        self.tallies.resize(groups, Tally { sampled_in: i64::MIN, ..Tally::default() });
        self.group_of = group_of;
        self.period = i64::MIN;
    }

    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.period)?;
        checkpoint.keep(&mut self.average)?;
        checkpoint.keep_rows(&mut self.group_of)?;
        checkpoint.keep_rows(&mut self.tallies)?;
        checkpoint.keep_rows(&mut self.probes)?;
        checkpoint.keep_rows(&mut self.last_seen)
    }

    /// Forgets what groups showed: others will have their numbers.
    pub(super) fn forget(&mut self) {
        self.tallies.clear();
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
    fn grouped<'a>(&'a self, pages: &'a Pages) -> impl Iterator<Item = (usize, PageId, History)> {
        let there = pages.iter().filter(|(_, history)| history.last_seen().is_some() && history.failures() == 0);
        there.filter_map(|(page, history)| Some((self.group(page)?, page, history)))
    }

    fn count(&mut self, pages: &Pages) {
        let mut counts = vec![0; self.tallies.len()];
        self.grouped(pages).for_each(|(group, ..)| counts[group] += 1);
        for (tally, pages) in self.tallies.iter_mut().zip(counts) {
            let kept = |count: f64| count * self.memory;
            let (seen, changed, cycles) = (kept(tally.seen), kept(tally.changed), kept(tally.cycles));
            *tally = Tally { pages, seen, changed, cycles, ..*tally };
        }
        self.probes = vec![false; pages.end()];
    }

    /// The true ratios: which pages changed since they were last seen.
    fn look_up(&mut self, pages: &Pages, now: Time) {
        let changes = self.changes.take().unwrap_or_default();
        let changed = |page: PageId, since: Time| {
            let changes = changes.get(page.index()).map_or(&[][..], Vec::as_slice);
            changes.get(changes.partition_point(|at| *at < since)).is_some_and(|at| *at < now)
        };
        let mut counts = vec![(0_u32, 0.0); self.tallies.len()];
        for (group, page, history) in self.grouped(pages) {
            counts[group].0 += u32::from(changed(page, history.last_seen().unwrap_or(now)));
            counts[group].1 += cycles_since(&history, self.cycle, now);
        }
        for (tally, changed) in self.tallies.iter_mut().zip(counts) {
            (tally.seen, tally.changed, tally.cycles) = (f64::from(tally.pages), f64::from(changed.0), changed.1);
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

    /// Takes in a visit: what it showed speaks for the page's group.
    pub(super) fn learn(&mut self, page: PageId, visit: &Visit) {
        let probe = self.probes.get_mut(page.index()).is_some_and(std::mem::take);
        if matches!(visit.outcome, Outcome::Gone | Outcome::Failed) {
            return;
        }
        // A first visit has none before it.
        let before = self.replace_last_seen(page, visit.at);
        let counts = probe || (self.threshold.is_none() && self.changes.is_none());
        let (Some(before), Some(group)) = (before, self.group(page).filter(|_| counts)) else { return };
        let tally = &mut self.tallies[group];
        tally.seen += 1.0;
        tally.changed += f64::from(u8::from(visit.outcome == Outcome::Changed));
        tally.cycles += (visit.at - before).max(Span::ZERO).ratio(self.cycle);
    }

    /// Keeps when a page is seen, and says when it was before.
    fn replace_last_seen(&mut self, page: PageId, at: Time) -> Option<Time> {
        if self.last_seen.len() <= page.index() {
            self.last_seen.resize(page.index() + 1, Time::MIN);
        }
        let before = std::mem::replace(&mut self.last_seen[page.index()], at);
        (before != Time::MIN).then_some(before)
    }

    /// What a page that was not seen for so many cycles is to the sample.
    pub(super) fn standing(&self, page: PageId, cycles: f64) -> Standing {
        let Some(group) = self.group(page) else { return Standing::Apart };
        if self.probes.get(page.index()) == Some(&true) {
            return Standing::Probe;
        }
        let tally = &self.tallies[group];
        match self.threshold {
            None => Standing::Follows(tally.chance(cycles, &self.average)),
            Some(threshold) => match tally.ratio() {
                Some(ratio) if ratio >= threshold => Standing::Follows(ratio),
                ratio => Standing::Closed(ratio),
            },
        }
    }

    fn average(&self) -> Tally {
        self.tallies.iter().fold(Tally::default(), |sum, tally| Tally {
            seen: sum.seen + tally.seen,
            changed: sum.changed + tally.changed,
            cycles: sum.cycles + tally.cycles,
            ..sum
        })
    }

    /// The score of a page by its standing; `within` orders the pages of a group from 0 to 1.
    pub(super) fn score(&self, page: PageId, history: &History, now: Time, within: f64) -> Option<f64> {
        match self.standing(page, cycles_since(history, self.cycle, now)) {
            Standing::Probe => Some(3.0 + within),
            Standing::Follows(ratio) => Some(1.0 + ratio + within * STEP),
            Standing::Apart => Some(within * STEP),
            Standing::Closed(_) => None,
        }
    }

    /// The same with the page not seen for longest first.
    pub(super) fn score_by_age(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        self.score(page, history, now, seniority(history, self.cycle, now))
    }

    /// Why the score is what it is; `group` is what a group is called.
    pub(super) fn reason(&self, page: PageId, group: &str) -> String {
        match self.standing(page, 1.0) {
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

impl Tally {
    fn ratio(&self) -> Option<f64> {
        (self.seen > 0.0).then(|| self.changed / self.seen)
    }

    /// The chance that a page has changed that was not seen for so many cycles.
    fn chance(&self, cycles: f64, average: &Tally) -> f64 {
        let (usual, usual_age) = match average.ratio() {
            Some(ratio) => (ratio, average.cycles / average.seen),
            None => return 0.0,
        };
        let ratio = (self.changed + usual) / (self.seen + 1.0);
        let age = (self.cycles + usual_age) / (self.seen + 1.0);
        let exponent = if age > 0.0 { cycles / age } else { 1.0 };
        // If everything changed, that must still leave an order by age.
        1.0 - (1.0 - ratio).max(LEAST).powf(exponent)
    }
}

/// The number of the cycle in which a time is. Cycles are counted from 1970, since nobody tells a policy when one begins.
fn period(now: Time, cycle: Span) -> i64 {
    now.millis().div_euclid(cycle.millis().max(1))
}
