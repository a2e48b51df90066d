//! Growing a tree: split the rows by the best condition, then each part again.
//!
//! Values are replaced by their ranks and every feature is sorted once; a split deals the sorted lists out to its
//! branches in their order. A level of the tree thus costs a pass over the rows for each feature and no sorting.

use super::split::{Condition, LEAST_BRANCH, Logs, best_condition};
use crate::learn::dataset::Dataset;
use crate::model::tree::DEEPEST;

/// The rank of a missing value.
pub(super) const MISSING: u32 = u32::MAX;

/// A row that is missing the value a split asks for goes both ways in parts, but not in parts smaller than this: the
/// whole then follows the larger branch. So a row is in at most 32 places, however large the tree.
const LEAST_PART: f64 = 1.0 / 32.0;

/// A data set as induction wants it: columns of ranks.
pub(super) struct Table {
    /// By feature, the values that occur, in ascending order.
    pub(super) values: Vec<Vec<f64>>,
    /// By feature and row, the place of its value among them.
    pub(super) ranks: Vec<Vec<u32>>,
    pub(super) labels: Vec<u8>,
    pub(super) classes: usize,
    pub(super) logs: Logs,
}

/// A row at a node, or the part of it that came there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) weight: f64,
    pub(super) row: u32,
    pub(super) class: u8,
}

/// A case's value of a feature, in a list sorted by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) rank: u32,
    pub(super) case: u32,
}

/// The rows at a node, and for each feature the known values in ascending order.
pub(super) struct Cases {
    pub(super) cases: Vec<Case>,
    pub(super) orders: Vec<Vec<Entry>>,
}

/// A tree in the making.
#[derive(Debug)]
pub(super) struct Grown {
    /// The rows that came here, by class.
    pub(super) weights: Vec<f64>,
    pub(super) fork: Option<Box<Fork>>,
}

/// A condition and what is behind it.
#[derive(Debug)]
pub(super) struct Fork {
    pub(super) feature: usize,
    /// The greatest rank that goes left.
    pub(super) edge: u32,
    pub(super) left_share: f64,
    pub(super) left: Grown,
    pub(super) right: Grown,
}

impl Table {
    /// The table of a data set, and for each feature the rows in the order of its values.
    pub(super) fn new(data: &Dataset) -> (Table, Vec<Vec<Entry>>) {
        let (mut values, mut ranks, mut orders) = (Vec::new(), Vec::new(), Vec::new());
        for feature in 0..data.features().len() {
            let (order, distinct) = sorted(data, feature);
            let mut column = vec![MISSING; data.len()];
            order.iter().for_each(|entry| column[entry.case as usize] = entry.rank);
            values.push(distinct);
            ranks.push(column);
            orders.push(order);
        }
        let labels = data.rows().map(|(_, class)| class as u8).collect();
        let (classes, logs) = (data.classes().len(), Logs::new(data.len()));
        (Table { values, ranks, labels, classes, logs }, orders)
    }

    /// All rows, whole.
    pub(super) fn cases(&self) -> Vec<Case> {
        let case = |(row, class): (usize, &u8)| Case { weight: 1.0, row: row as u32, class: *class };
        self.labels.iter().enumerate().map(case).collect()
    }

    /// How much there is of each class.
    pub(super) fn weigh(&self, cases: &[Case]) -> Vec<f64> {
        let mut weights = vec![0.0; self.classes];
        cases.iter().for_each(|case| weights[usize::from(case.class)] += case.weight);
        weights
    }
}

/// The rows that have a feature in the order of its values, and the values that occur.
fn sorted(data: &Dataset, feature: usize) -> (Vec<Entry>, Vec<f64>) {
    let known = data.rows().enumerate().filter(|(_, (row, _))| !row[feature].is_nan());
    // Zeros have two signs; adding a zero leaves one.
    let mut pairs: Vec<(f64, u32)> = known.map(|(number, (row, _))| (row[feature] + 0.0, number as u32)).collect();
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut values: Vec<f64> = Vec::new();
    let entry = |(value, case)| {
        if values.last() != Some(&value) {
            values.push(value);
        }
        Entry { rank: values.len() as u32 - 1, case }
    };
    let order = pairs.into_iter().map(entry).collect();
    (order, values)
}

/// Grows a tree from all rows, given them in the order of each feature.
pub(super) fn grow(table: &Table, orders: Vec<Vec<Entry>>) -> Grown {
    branch(table, Cases { cases: table.cases(), orders }, 0)
}

/// Grows what comes below a node.
fn branch(table: &Table, cases: Cases, depth: usize) -> Grown {
    let weights = table.weigh(&cases.cases);
    let total: f64 = weights.iter().sum();
    let pure = weights.iter().filter(|weight| **weight > 0.0).count() < 2;
    if pure || total < 2.0 * LEAST_BRANCH || depth >= DEEPEST {
        return Grown { weights, fork: None };
    }
    let Some(condition) = best_condition(table, &cases, &weights) else { return Grown { weights, fork: None } };
    let [left, right] = deal(cases, &table.ranks[condition.feature], condition);
    let (left, right) = (branch(table, left, depth + 1), branch(table, right, depth + 1));
    let errors = left.errors() + right.errors();
    let Condition { feature, edge, left_share } = condition;
    let grown = Grown { weights, fork: Some(Box::new(Fork { feature, edge, left_share, left, right })) };
    // A split that spares no error among the rows it was made for is none, even in an unpruned tree.
    if errors >= grown.errors_as_leaf() - 1e-3 { Grown { fork: None, ..grown } } else { grown }
}

/// Which part of a case goes left and which goes right.
pub(super) fn parts(rank: u32, edge: u32, weight: f64, left_share: f64) -> [f64; 2] {
    if rank != MISSING {
        return if rank <= edge { [weight, 0.0] } else { [0.0, weight] };
    }
    let parts = [weight * left_share, weight * (1.0 - left_share)];
    if parts[0].min(parts[1]) >= LEAST_PART {
        parts
    } else if left_share >= 0.5 {
        [weight, 0.0]
    } else {
        [0.0, weight]
    }
}

/// Deals the cases and the sorted lists out to the two branches.
fn deal(from: Cases, ranks: &[u32], condition: Condition) -> [Cases; 2] {
    let mut cases = [Vec::new(), Vec::new()];
    // Where each case is in each branch; one that is not there has no place.
    let mut places = [vec![MISSING; from.cases.len()], vec![MISSING; from.cases.len()]];
    for (number, case) in from.cases.iter().enumerate() {
        let parts = parts(ranks[case.row as usize], condition.edge, case.weight, condition.left_share);
        for (side, part) in parts.into_iter().enumerate().filter(|(_, part)| *part > 0.0) {
            places[side][number] = cases[side].len() as u32;
            cases[side].push(Case { weight: part, ..*case });
        }
    }
    let mut orders = [Vec::with_capacity(from.orders.len()), Vec::with_capacity(from.orders.len())];
    for order in from.orders {
        for side in 0..2 {
            let placed = order.iter().map(|entry| Entry { case: places[side][entry.case as usize], ..*entry });
            orders[side].push(placed.filter(|entry| entry.case != MISSING).collect());
        }
    }
    let ([left, right], [left_orders, right_orders]) = (cases, orders);
    [Cases { cases: left, orders: left_orders }, Cases { cases: right, orders: right_orders }]
}

impl Grown {
    /// The training rows that the leaves get wrong.
    fn errors(&self) -> f64 {
        self.fork.as_ref().map_or_else(|| self.errors_as_leaf(), |fork| fork.left.errors() + fork.right.errors())
    }

    pub(super) fn errors_as_leaf(&self) -> f64 {
        self.weights.iter().sum::<f64>() - self.weights.iter().copied().fold(0.0, f64::max)
    }
}
