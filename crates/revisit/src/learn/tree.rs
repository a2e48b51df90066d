//! C4.5 decision trees (Quinlan 1993, 1996), as J48 of Weka builds them and Barbosa et al. 2005 use them.
//!
//! Every split asks whether a feature is at most a threshold. `induce` grows a tree from the top: the gain of a split
//! is the drop in entropy it brings, and of the splits with at least average gain the one with the greatest gain
//! *ratio* is taken, no branch with fewer than 2 rows. `prune` cuts back what the rows do not bear out. It prints as
//! text and as a [picture](Tree::picture), and [says](Tree::explain) which conditions led to a class.
//!
//! A row without the value a split asks for goes down both branches, in parts as large as the shares of the rows that
//! had a value, in training and in prediction alike. The class is then that of the greatest sum.

mod induce;
mod picture;
mod print;
mod prune;
mod split;
mod stored;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use stored::TreeError;

use super::dataset::Dataset;
use super::{Classifier, LearnError, check, likeliest, value};

/// No path has more conditions: nobody reads longer ones, and it bounds the stack and the memory of a tree gone wild.
const DEEPEST: usize = 100;

/// Whether a tree is cut back after it has grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// Only branches that make no difference to the training rows are cut.
    Unpruned,
    /// Pessimistic error at confidence 0.25, with subtree raising.
    Pruned,
}

/// A decision tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "stored::Stored", into = "stored::Stored")]
pub struct Tree {
    features: Vec<String>,
    classes: Vec<String>,
    /// Every node before its branches, the left one right behind it.
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Leaf(Leaf),
    Split(Split),
}

#[derive(Clone, Debug, PartialEq)]
struct Leaf {
    class: usize,
    /// The training rows that ended here, by class.
    weights: Vec<f64>,
}

/// Rows with at most the threshold go left.
#[derive(Clone, Debug, PartialEq)]
struct Split {
    feature: usize,
    threshold: f64,
    /// The share of the training rows with a known value that went left.
    left_share: f64,
    /// The place of the right branch.
    right: usize,
}

/// How a tree came to its class.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation<'a> {
    /// The conditions on the way to the leaf.
    pub steps: Vec<Step<'a>>,
    /// The number of the class.
    pub class: usize,
    /// The name of the class.
    pub name: &'a str,
    /// How likely the class is, by the training rows that went the same ways.
    pub chance: f64,
}

/// A condition on the way to a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<'a> {
    /// The name of the feature.
    pub feature: &'a str,
    /// Its value; `None` if it is missing, when the path shown is that of most training rows.
    pub value: Option<f64>,
    /// What the value is compared with.
    pub threshold: f64,
    /// Whether the path goes on where values are at most the threshold.
    pub at_most: bool,
}

impl Tree {
    /// Learns a tree.
    ///
    /// Where no feature tells the rows apart it has one leaf, the most frequent class.
    ///
    /// ```
    /// use revisit::learn::{Classifier, dataset::Dataset, tree::{Pruning, Tree}};
    /// let mut data = Dataset::new(["links"], ["slow", "fast"]).unwrap();
    /// (0..20).for_each(|links| data.push(&[links.into()], usize::from(links > 7)).unwrap());
    /// let tree = Tree::learn(&data, Pruning::Pruned).unwrap();
    /// assert_eq!(tree.to_string(), "links <= 7: slow (8)\nlinks > 7: fast (12)\n");
    /// assert_eq!(tree.classify(&[9.5]), 1);
    /// assert_eq!(tree.explain(&[9.5]).to_string(), "fast (100 %): links is 9.5, more than 7");
    /// ```
    pub fn learn(data: &Dataset, pruning: Pruning) -> Result<Tree, LearnError> {
        check(data)?;
        let (table, orders) = induce::Table::new(data);
        let mut root = induce::grow(&table, orders);
        if pruning == Pruning::Pruned {
            prune::prune(&mut root, &table.cases(), &table);
        }
        let mut nodes = Vec::new();
        flatten(root, &table, &mut nodes);
        Ok(Tree { features: data.features().to_vec(), classes: data.classes().to_vec(), nodes })
    }

    /// The names of the features, in the order of the values to classify.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// How many leaves it has.
    pub fn leaves(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// The number of conditions on the longest path.
    pub fn depth(&self) -> usize {
        self.depths().into_iter().max().unwrap_or_default()
    }

    /// How likely each class is.
    pub fn chances(&self, values: &[f64]) -> Vec<f64> {
        let mut chances = vec![0.0; self.classes.len()];
        let mut parts = vec![(0, 1.0)];
        while let Some((place, share)) = parts.pop() {
            match &self.nodes[place] {
                Node::Leaf(leaf) => {
                    let total: f64 = leaf.weights.iter().sum();
                    chances
                        .iter_mut()
                        .zip(&leaf.weights)
                        .for_each(|(chance, weight)| *chance += share * weight / total);
                }
                Node::Split(split) => match split.next(place, values) {
                    Some(next) => parts.push((next, share)),
                    None => {
                        parts.push((split.right, share * (1.0 - split.left_share)));
                        parts.push((place + 1, share * split.left_share));
                    }
                },
            }
        }
        chances
    }

    /// The class and the conditions that led to it.
    pub fn explain(&self, values: &[f64]) -> Explanation<'_> {
        let (mut steps, mut place) = (Vec::new(), 0);
        while let Node::Split(split) = &self.nodes[place] {
            let likely = if split.left_share >= 0.5 { place + 1 } else { split.right };
            let next = split.next(place, values).unwrap_or(likely);
            let value = Some(value(values, split.feature)).filter(|value| !value.is_nan());
            let (feature, at_most) = (self.features[split.feature].as_str(), next == place + 1);
            steps.push(Step { feature, value, threshold: split.threshold, at_most });
            place = next;
        }
        let class = self.classify(values);
        Explanation { steps, class, name: &self.classes[class], chance: self.chances(values)[class] }
    }

    /// How many conditions lead to each node.
    fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate() {
            if let Node::Split(split) = node {
                depths[place + 1] = depths[place] + 1;
                depths[split.right] = depths[place] + 1;
            }
        }
        depths
    }
}

impl Classifier for Tree {
    fn classify(&self, values: &[f64]) -> usize {
        let mut place = 0;
        loop {
            match &self.nodes[place] {
                Node::Leaf(leaf) => return leaf.class,
                Node::Split(split) => match split.next(place, values) {
                    Some(next) => place = next,
                    None => return likeliest(self.chances(values)).unwrap_or_default(),
                },
            }
        }
    }
}

impl Split {
    /// The branch of a row; `None` if its value is missing.
    #[inline]
    fn next(&self, place: usize, values: &[f64]) -> Option<usize> {
        let value = value(values, self.feature);
        if value <= self.threshold { Some(place + 1) } else { (value > self.threshold).then_some(self.right) }
    }
}

impl Leaf {
    fn new(weights: Vec<f64>) -> Leaf {
        Leaf { class: likeliest(weights.iter().copied()).unwrap_or_default(), weights }
    }
}

/// Lays a grown tree out, every node before its branches.
fn flatten(grown: induce::Grown, table: &induce::Table, nodes: &mut Vec<Node>) {
    let Some(fork) = grown.fork else { return nodes.push(Node::Leaf(Leaf::new(grown.weights))) };
    let induce::Fork { feature, edge, left_share, left, right } = *fork;
    let threshold = table.values[feature][edge as usize];
    let place = nodes.len();
    nodes.push(Node::Split(Split { feature, threshold, left_share, right: 0 }));
    flatten(left, table, nodes);
    let behind = nodes.len();
    if let Node::Split(split) = &mut nodes[place] {
        split.right = behind;
    }
    flatten(right, table, nodes);
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:.0} %)", self.name, 100.0 * self.chance)?;
        for (number, step) in self.steps.iter().enumerate() {
            write!(f, "{}{step}", if number == 0 { ": " } else { "; " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.at_most { "at most" } else { "more than" };
        match self.value {
            Some(value) => write!(f, "{} is {value}, {side} {}", self.feature, self.threshold),
            None => write!(f, "{} is unknown, mostly {side} {}", self.feature, self.threshold),
        }
    }
}

#[cfg(test)]
mod tests;
