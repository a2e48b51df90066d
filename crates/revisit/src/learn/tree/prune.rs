//! Cutting a tree back: pessimistic errors and subtree raising, as C4.5 and J48 do.
//!
//! A leaf that got e of n rows wrong is taken to be as bad as the upper end of the confidence interval of e / n says:
//! with confidence 0.25, one in four leaves is worse. From the bottom up, a node becomes a leaf, or gives way to its
//! larger branch (which then takes in the rows of the smaller one), if that is expected to err no more often. The tenth
//! of an error that either is granted is Quinlan's.

use super::induce::{Case, Fork, Grown, MISSING, Table, parts};

/// The confidence of C4.5.
const CONFIDENCE: f64 = 0.25;

/// The standard normal deviate that is exceeded with that confidence.
const DEVIATE: f64 = 0.674_489_750_196_081_7;

/// How many errors more a simpler tree may make.
const GRANTED: f64 = 0.1;

/// Prunes a tree that was grown from a table; the cases are those that come to it.
pub(super) fn prune(node: &mut Grown, cases: &[Case], table: &Table) {
    let Some(fork) = &mut node.fork else { return };
    let (branches, _) = divide(fork, cases, table);
    prune(&mut fork.left, &branches[0], table);
    prune(&mut fork.right, &branches[1], table);
    drop(branches);
    let as_tree = fork.left.expected() + fork.right.expected();
    let larger = if fork.left.total() >= fork.right.total() { &mut fork.left } else { &mut fork.right };
    let as_leaf = expected(&node.weights);
    let as_larger = expected_with(larger, cases, table);
    if as_leaf <= as_tree + GRANTED && as_leaf <= as_larger + GRANTED {
        node.fork = None;
    } else if as_larger <= as_tree + GRANTED {
        node.fork = larger.fork.take();
        take_in(node, cases, table);
        prune(node, cases, table);
    }
}

/// The cases that go left and right, and the share of those with a known value that go left.
fn divide(fork: &Fork, cases: &[Case], table: &Table) -> ([Vec<Case>; 2], f64) {
    let ranks = &table.ranks[fork.feature];
    let (mut known, mut left) = (0.0, 0.0);
    for case in cases.iter().filter(|case| ranks[case.row as usize] != MISSING) {
        known += case.weight;
        left += if ranks[case.row as usize] <= fork.edge { case.weight } else { 0.0 };
    }
    let left_share = if known > 0.0 { left / known } else { fork.left_share };
    let mut branches = [Vec::new(), Vec::new()];
    for case in cases {
        let parts = parts(ranks[case.row as usize], fork.edge, case.weight, left_share);
        for (branch, part) in branches.iter_mut().zip(parts).filter(|(_, part)| *part > 0.0) {
            branch.push(Case { weight: part, ..*case });
        }
    }
    (branches, left_share)
}

/// Lets a branch have other cases than it has grown from. Leaves that none comes to are pruned next: their fork is
/// expected to err as often as its other branch.
fn take_in(node: &mut Grown, cases: &[Case], table: &Table) {
    node.weights = table.weigh(cases);
    let Some(fork) = &mut node.fork else { return };
    let (branches, left_share) = divide(fork, cases, table);
    fork.left_share = left_share;
    take_in(&mut fork.left, &branches[0], table);
    take_in(&mut fork.right, &branches[1], table);
}

/// The errors expected of a branch if these cases came to it.
fn expected_with(node: &Grown, cases: &[Case], table: &Table) -> f64 {
    let Some(fork) = &node.fork else { return expected(&table.weigh(cases)) };
    let (branches, _) = divide(fork, cases, table);
    expected_with(&fork.left, &branches[0], table) + expected_with(&fork.right, &branches[1], table)
}

impl Grown {
    /// The errors expected of its leaves.
    fn expected(&self) -> f64 {
        let leaf = || expected(&self.weights);
        self.fork.as_ref().map_or_else(leaf, |fork| fork.left.expected() + fork.right.expected())
    }

    fn total(&self) -> f64 {
        self.weights.iter().sum()
    }
}

/// The errors expected of a leaf with these training rows by class.
fn expected(weights: &[f64]) -> f64 {
    let rows: f64 = weights.iter().sum();
    let wrong = rows - weights.iter().copied().fold(0.0, f64::max);
    wrong + added_errors(rows, wrong)
}

/// What the upper end of the confidence interval adds to the errors seen.
///
/// The exact binomial bound if none was seen, Wilson's bound with a correction for continuity from one on, and a
/// straight line between the two.
fn added_errors(rows: f64, wrong: f64) -> f64 {
    if rows <= 0.0 {
        return 0.0;
    }
    if wrong < 1.0 {
        let none = rows * (1.0 - CONFIDENCE.powf(1.0 / rows));
        return if wrong > 0.0 { none + wrong * (added_errors(rows, 1.0) - none) } else { none };
    }
    if wrong + 0.5 >= rows {
        return (rows - wrong).max(0.0);
    }
    let (share, square) = ((wrong + 0.5) / rows, DEVIATE * DEVIATE);
    let root = (share / rows - share * share / rows + square / (4.0 * rows * rows)).sqrt();
    let bound = (share + square / (2.0 * rows) + DEVIATE * root) / (1.0 + square / rows);
    bound * rows - wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quinlan 1993, section 4.2: U25%(0, 6) = 0.206, U25%(0, 9) = 0.143, U25%(0, 1) = 0.750.
    #[test]
    fn the_bounds_are_those_of_the_book() {
        let bound = |rows: f64, wrong: f64| (wrong + added_errors(rows, wrong)) / rows;
        assert!((bound(6.0, 0.0) - 0.206).abs() < 5e-4);
        assert!((bound(9.0, 0.0) - 0.143).abs() < 5e-4);
        assert!((bound(1.0, 0.0) - 0.750).abs() < 5e-4);
        // U25%(1, 16) = 0.157 by the exact binomial; C4.5's program approximates.
        assert!((bound(16.0, 1.0) - 0.157).abs() < 5e-3);
    }

    #[test]
    fn more_errors_are_expected_of_more_seen_and_never_more_than_rows() {
        for rows in 1..60 {
            let rows = f64::from(rows);
            let expected =
                |tenth: u32| f64::from(tenth) / 10.0 * rows + added_errors(rows, f64::from(tenth) / 10.0 * rows);
            for tenth in 0..10 {
                assert!(expected(tenth) <= expected(tenth + 1) + 1e-9, "{rows} rows, {tenth} tenths");
            }
            assert!((expected(10) - rows).abs() < 1e-9);
        }
    }
}
