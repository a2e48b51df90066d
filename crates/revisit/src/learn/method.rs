//! The methods that Barbosa et al. 2005 compare, by name.

use std::fmt;

use super::bayes::Bayes;
use super::chance::Chance;
use super::dataset::Dataset;
use super::neighbours::Neighbours;
use super::tree::{Pruning, Tree};
use super::{Classifier, LearnError};

/// A way to learn a classifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A C4.5 tree.
    Tree(Pruning),
    /// Naive Bayes.
    Bayes,
    /// As many nearest neighbours.
    Neighbours(usize),
    /// A class drawn at random.
    Chance,
}

impl Method {
    /// The rows of the paper's Table 1.
    pub const TABLE_1: [Method; 5] = [
        Method::Tree(Pruning::Unpruned),
        Method::Tree(Pruning::Pruned),
        Method::Bayes,
        Method::Neighbours(1),
        Method::Neighbours(2),
    ];

    /// Learns a classifier. The seed matters to [`Method::Chance`] only.
    pub fn learn(self, data: &Dataset, seed: u64) -> Result<Box<dyn Classifier + Send + Sync>, LearnError> {
        Ok(match self {
            Method::Tree(pruning) => Box::new(Tree::learn(data, pruning)?),
            Method::Bayes => Box::new(Bayes::learn(data)?),
            Method::Neighbours(count) => Box::new(Neighbours::learn(data, count)?),
            Method::Chance => Box::new(Chance::new(data.classes().len(), seed)),
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Tree(Pruning::Unpruned) => write!(f, "C4.5, unpruned"),
            Method::Tree(Pruning::Pruned) => write!(f, "C4.5, pruned"),
            Method::Bayes => write!(f, "naive Bayes"),
            Method::Neighbours(1) => write!(f, "nearest neighbour"),
            Method::Neighbours(count) => write!(f, "{count} nearest neighbours"),
            Method::Chance => write!(f, "random"),
        }
    }
}
