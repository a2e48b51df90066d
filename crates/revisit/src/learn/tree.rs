//! C4.5 decision trees (Quinlan 1993, 1996), as J48 of Weka builds them and Barbosa et al. 2005 use them.
//!
//! `induce` grows a [tree](crate::model::tree) from the top: the gain of a split is the drop in entropy it brings, and of
//! the splits with at least average gain the one with the greatest gain *ratio* is taken, no branch with fewer than 2 rows.
//! `prune` cuts back what the rows do not bear out. A row without the value a split asks for counts in both branches, in
//! parts as large as the shares of the rows that had a value.

mod induce;
mod prune;
mod split;

use super::dataset::Dataset;
use super::{Classifier, LearnError, check};
pub use crate::model::tree::Tree;
use crate::model::tree::{Leaf, Node, Split};

/// Whether a tree is cut back after it has grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// Only branches that make no difference to the training rows are cut.
    Unpruned,
    /// Pessimistic error at confidence 0.25, with subtree raising.
    Pruned,
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
}

impl Classifier for Tree {
    fn classify(&self, values: &[f64]) -> usize {
        Tree::classify(self, values)
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

#[cfg(test)]
mod tests;
