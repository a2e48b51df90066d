//! The best condition for a node: C4.5's gain ratio.
//!
//! For each feature the threshold with the greatest information gain is found, with missing values scaling the gain
//! down by the share of rows that have one. A threshold must leave each branch a tenth of the rows of an average class,
//! or 25 if that is less, and at least 2. As many thresholds were tried, the best of them looks better than it is:
//! log₂(thresholds) / rows is taken off its gain (the MDL correction of Quinlan 1996, C4.5 release 8). Features without
//! gain then drop out. Of the others, those with at least average gain compete by gain ratio: gain / entropy of the
//! split itself, the rows with missing values being a third part of it. Without that contest of the average, a split of
//! few rows from many would often win.
//!
//! The threshold is a value that occurs in the training rows, the greatest that is not above the middle of the gap.

use super::induce::{Case, Cases, Entry, Table};

/// No branch is smaller, in rows.
pub(super) const LEAST_BRANCH: f64 = 2.0;

/// Gains below are rounding.
const TINY: f64 = 1e-9;

/// What a split asks: is the rank at most the edge?
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Condition {
    pub(super) feature: usize,
    pub(super) edge: u32,
    /// The share of the rows with a known value that go left.
    pub(super) left_share: f64,
}

/// The best threshold of a feature.
#[derive(Clone, Copy, Debug)]
struct Threshold {
    gain: f64,
    ratio: f64,
    /// The ranks on either side.
    between: (u32, u32),
    left_share: f64,
}

/// The condition to split by; `None` if none gains anything.
pub(super) fn best_condition(table: &Table, cases: &Cases, weights: &[f64]) -> Option<Condition> {
    let thresholds: Vec<Option<Threshold>> =
        cases.orders.iter().map(|order| best_threshold(order, &cases.cases, weights, &table.logs)).collect();
    let gains = || thresholds.iter().flatten().map(|threshold| threshold.gain);
    let average = gains().sum::<f64>() / gains().count() as f64;
    let mut best: Option<(usize, Threshold)> = None;
    for (feature, threshold) in thresholds.iter().enumerate() {
        let Some(threshold) = threshold.filter(|threshold| threshold.gain >= average - 1e-3) else { continue };
        if best.is_none_or(|(_, best)| threshold.ratio > best.ratio + TINY) {
            best = Some((feature, threshold));
        }
    }
    let (feature, Threshold { between: (low, high), left_share, .. }) = best?;
    let values = &table.values[feature];
    let middle = f64::midpoint(values[low as usize], values[high as usize]);
    let edge = values[..high as usize].partition_point(|value| *value <= middle).max(1) as u32 - 1;
    Some(Condition { feature, edge, left_share })
}

/// The threshold with the greatest gain; `None` if none gains anything.
fn best_threshold(order: &[Entry], cases: &[Case], weights: &[f64], logs: &Logs) -> Option<Threshold> {
    let total: f64 = weights.iter().sum();
    let mut scan = Scan::new(order, cases, weights, logs);
    let known = scan.right.total;
    let least = (0.1 * known / weights.len() as f64).clamp(LEAST_BRANCH, 25.0);
    let before = scan.right.entropy(logs);
    let mut tried = 0_u32;
    let mut best: Option<(f64, (u32, u32), f64)> = None;
    for pair in order.windows(2) {
        scan.move_left(&cases[pair[0].case as usize], logs);
        if pair[0].rank == pair[1].rank || scan.left.total < least {
            continue;
        }
        if scan.right.total < least {
            break;
        }
        tried += 1;
        let gain = (before - scan.left.entropy(logs) - scan.right.entropy(logs)) / total;
        if best.is_none_or(|(most, ..)| gain > most + TINY) {
            best = Some((gain, (pair[0].rank, pair[1].rank), scan.left.total));
        }
    }
    let (gain, between, left) = best?;
    let gain = gain - f64::from(tried).log2() / total;
    let parts = [left, known - left, total - known];
    let entropy = (xlogx(total) - parts.map(xlogx).into_iter().sum::<f64>()) / total;
    (gain > TINY).then(|| Threshold { gain, ratio: gain / entropy, between, left_share: left / known })
}

/// How much is on either side of a threshold that moves to the right.
struct Scan {
    left: Side,
    right: Side,
}

/// The classes on one side, with the terms of their entropy: one case more or less changes one of them.
struct Side {
    weights: Vec<f64>,
    terms: Vec<f64>,
    total: f64,
    terms_total: f64,
}

impl Scan {
    /// All known values are on the right.
    fn new(order: &[Entry], cases: &[Case], weights: &[f64], logs: &Logs) -> Scan {
        let known = if order.len() == cases.len() {
            weights.to_vec()
        } else {
            let mut known = vec![0.0; weights.len()];
            for case in order.iter().map(|entry| &cases[entry.case as usize]) {
                known[usize::from(case.class)] += case.weight;
            }
            known
        };
        Scan { left: Side::new(vec![0.0; weights.len()], logs), right: Side::new(known, logs) }
    }

    #[inline]
    fn move_left(&mut self, case: &Case, logs: &Logs) {
        self.left.add(usize::from(case.class), case.weight, logs);
        self.right.add(usize::from(case.class), -case.weight, logs);
    }
}

impl Side {
    fn new(weights: Vec<f64>, logs: &Logs) -> Side {
        let terms: Vec<f64> = weights.iter().map(|weight| logs.times(*weight)).collect();
        Side { total: weights.iter().sum(), terms_total: terms.iter().sum(), weights, terms }
    }

    #[inline]
    fn add(&mut self, class: usize, weight: f64, logs: &Logs) {
        let after = self.weights[class] + weight;
        let term = logs.times(after);
        self.terms_total += term - self.terms[class];
        self.weights[class] = after;
        self.terms[class] = term;
        self.total += weight;
    }

    /// The entropy of the classes in bits, times the rows.
    #[inline]
    fn entropy(&self, logs: &Logs) -> f64 {
        logs.times(self.total) - self.terms_total
    }
}

/// x · log₂ x, looked up where x is whole: always, if nothing is missing. It is what growing a tree spends its time on.
pub(super) struct Logs {
    whole: Vec<f64>,
}

impl Logs {
    /// For weights of up to as many rows.
    pub(super) fn new(rows: usize) -> Logs {
        Logs { whole: (0..=rows).map(|x| xlogx(x as f64)).collect() }
    }

    #[inline]
    fn times(&self, x: f64) -> f64 {
        let place = x as usize;
        if place as f64 == x && place < self.whole.len() { self.whole[place] } else { xlogx(x) }
    }
}

/// x · log₂ x, and 0 at 0 or a crumb below it.
#[inline]
fn xlogx(x: f64) -> f64 {
    if x > 0.0 { x * x.log2() } else { 0.0 }
}
