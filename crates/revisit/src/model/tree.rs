//! A decision tree: says of values to which class they belong, and why.
//!
//! Every split asks whether a feature is at most a threshold. A row without the value goes down both branches, in parts as
//! large as the shares of the training rows that had a value; the class is then that of the greatest sum. It prints as text
//! and as a [picture](Tree::picture), [says](Tree::explain) which conditions led to a class, and can be written to a file.

mod picture;
mod print;
mod stored;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use stored::TreeError;

use super::{likeliest, value};

/// No path has more conditions: nobody reads longer ones, and it bounds the stack and the memory of a tree gone wild.
pub(crate) const DEEPEST: usize = 100;

/// A decision tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "stored::Stored", into = "stored::Stored")]
pub struct Tree {
    pub(crate) features: Vec<String>,
    pub(crate) classes: Vec<String>,
    /// Every node before its branches, the left one right behind it.
    pub(crate) nodes: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Leaf(Leaf),
    Split(Split),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Leaf {
    pub(crate) class: usize,
    /// The training rows that ended here, by class.
    pub(crate) weights: Vec<f64>,
}

/// Rows with at most the threshold go left.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Split {
    pub(crate) feature: usize,
    pub(crate) threshold: f64,
    /// The share of the training rows with a known value that went left.
    pub(crate) left_share: f64,
    /// The place of the right branch.
    pub(crate) right: usize,
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

    /// The number of the most likely class; of several, the lowest.
    ///
    /// The values are those of its features, in its order. NaN is a missing value, and so is one beyond the end.
    pub fn classify(&self, values: &[f64]) -> usize {
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
    pub(crate) fn new(weights: Vec<f64>) -> Leaf {
        Leaf { class: likeliest(weights.iter().copied()).unwrap_or_default(), weights }
    }
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
