//! scikit-learn judges our classifiers: the same data, the same folds, side by side.
//!
//! `scripts/python-tools.sh` installs it into `target/python` when it is missing. Run with `--nocapture` to see the
//! numbers.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use revisit::learn::dataset::Dataset;
use revisit::learn::judge::{Folds, cross_validate};
use revisit::learn::method::Method;
use revisit::learn::tree::{Pruning, Tree};
use serde::Deserialize;

/// How many times the data are folded anew: one time alone is off by a point or more.
const SEEDS: usize = 5;

/// A public data set and what scikit-learn made of it; the outer lists are by seed, the inner ones by row.
#[derive(Deserialize)]
struct Judged {
    rows: Vec<Vec<f64>>,
    classes: Vec<usize>,
    folds: Vec<Vec<usize>>,
    tree_errors: Vec<usize>,
    bayes: Vec<Vec<i64>>,
    neighbours_1: Vec<Vec<i64>>,
    neighbours_2: Vec<Vec<i64>>,
}

impl Judged {
    fn data(&self) -> Dataset {
        let classes = self.classes.iter().max().unwrap() + 1;
        let (features, classes) =
            ((0..self.rows[0].len()).map(|n| format!("f{n}")), (0..classes).map(|n| n.to_string()));
        let mut data = Dataset::new(features, classes).unwrap();
        self.rows.iter().zip(&self.classes).for_each(|(row, class)| data.push(row, *class).unwrap());
        data
    }

    /// Errors in 100 rows and leaves a tree, on the average over all folds and all ways to fold.
    fn trees(&self, pruning: Pruning) -> (f64, f64) {
        let (data, leaves) = (self.data(), Cell::new(0));
        let learn = |train: &Dataset| {
            let tree = Tree::learn(train, pruning)?;
            leaves.set(leaves.get() + tree.leaves());
            Ok(tree)
        };
        let rate =
            |folds: &Vec<usize>| cross_validate(&data, &Folds::given(folds.clone()), learn).unwrap().error_rate();
        let error = 100.0 * self.folds.iter().map(rate).sum::<f64>() / SEEDS as f64;
        (error, leaves.get() as f64 / (10 * SEEDS) as f64)
    }
}

static JUDGED: LazyLock<BTreeMap<String, Judged>> = LazyLock::new(|| {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let installed = Command::new(repository.join("scripts/python-tools.sh")).status().unwrap();
    assert!(installed.success(), "scripts/python-tools.sh failed");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges/sklearn_classifiers.py");
    let python = repository.join("target/python/bin/python");
    // One thread: several spin in wait of each other on data this small.
    let mut command = Command::new(python);
    command.arg(script).arg(SEEDS.to_string()).env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
    let printed = command.output().unwrap();
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    serde_json::from_slice(&printed.stdout).unwrap()
});

#[test]
fn trees_err_as_rarely_as_those_of_scikit_learn_and_pruned_ones_are_smaller() {
    for (name, judged) in JUDGED.iter() {
        let theirs = 100.0 * judged.tree_errors.iter().sum::<usize>() as f64 / (judged.rows.len() * SEEDS) as f64;
        let (unpruned, leaves) = judged.trees(Pruning::Unpruned);
        let (pruned, fewer_leaves) = judged.trees(Pruning::Pruned);
        println!("{name}: errors {theirs:.2} % theirs, {unpruned:.2} % unpruned, {pruned:.2} % pruned");
        println!("{name}: {leaves:.2} leaves unpruned, {fewer_leaves:.2} pruned");
        assert!(unpruned <= theirs + 2.0 && pruned <= theirs + 2.0, "{name}");
        assert!(fewer_leaves < leaves, "{name}");
        // Half a point is about one row in two hundred: less than one way to fold differs from the next.
        assert!(pruned <= unpruned + 0.5, "{name}: pruning costs {:.2} points", pruned - unpruned);
    }
}

/// The tree of J48 3.x that every introduction to Weka shows, its features by their numbers.
#[test]
fn the_tree_of_iris_is_that_of_j48() {
    let tree = Tree::learn(&JUDGED["iris"].data(), Pruning::Pruned).unwrap();
    let expected = "\
f3 <= 0.6: 0 (50)
f3 > 0.6
|   f3 <= 1.7
|   |   f2 <= 4.9: 1 (48/1)
|   |   f2 > 4.9
|   |   |   f3 <= 1.5: 2 (3)
|   |   |   f3 > 1.5: 1 (3/1)
|   f3 > 1.7: 2 (46/1)
";
    assert_eq!(tree.to_string(), expected);
}

#[test]
fn bayes_and_neighbours_say_what_scikit_learn_says() {
    for (name, judged) in JUDGED.iter() {
        agree(name, judged, Method::Bayes, &judged.bayes);
        agree(name, judged, Method::Neighbours(1), &judged.neighbours_1);
        agree(name, judged, Method::Neighbours(2), &judged.neighbours_2);
    }
}

/// Compares the answer for every row, but where theirs is a toss-up.
fn agree(name: &str, judged: &Judged, method: Method, theirs: &[Vec<i64>]) {
    let data = judged.data();
    let (mut compared, mut same) = (0, 0);
    for (folds, theirs) in judged.folds.iter().zip(theirs) {
        for fold in 0..10 {
            let (test, train): (Vec<usize>, Vec<usize>) = (0..data.len()).partition(|row| folds[*row] == fold);
            let learned = method.learn(&data.take(&train), 0).unwrap();
            for row in test.into_iter().filter(|row| theirs[*row] >= 0) {
                compared += 1;
                same += usize::from(learned.classify(data.row(row)) as i64 == theirs[row]);
            }
        }
    }
    println!("{name}, {method}: {same} of {compared} answers are the same");
    assert_eq!(same, compared, "{name}, {method}");
    assert!(compared * 10 > data.len() * SEEDS * 9, "{name}, {method}: too many toss-ups to judge");
}
