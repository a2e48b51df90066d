//! A tree as a model file has it, and what can be wrong with one.
//!
//! Nodes in one list, every node before its branches, the left one first: no nesting, which text formats limit, and no
//! references that could lead astray. Reading checks all that the rest relies on, so a damaged file is an error and
//! never a wrong prediction.

use serde::{Deserialize, Serialize};

use super::{DEEPEST, Leaf, Node, Split, Tree};

/// What is wrong with a tree that was read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// Features or classes are missing.
    #[error("the tree has {features} features and {classes} classes: train it again")]
    Shape {
        /// How many features it names.
        features: usize,
        /// How many classes it names.
        classes: usize,
    },
    /// A node asks for a feature that is not among those named.
    #[error("node {node} of the tree asks for the feature {feature:?}, which is not in its list: train it again")]
    Feature {
        /// The node's number.
        node: usize,
        /// The feature's name.
        feature: String,
    },
    /// A number that cannot be.
    #[error("node {node} of the tree has a number that cannot be: train it again")]
    Number {
        /// The node's number.
        node: usize,
    },
    /// Nodes are missing, or there are too many.
    #[error("the tree does not end with its last node: it was cut or spliced; train it again")]
    End,
    /// A path is too long.
    #[error("the tree has paths of more than {DEEPEST} conditions: train it again")]
    Depth,
}

/// A tree as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    features: Vec<String>,
    classes: Vec<String>,
    nodes: Vec<StoredNode>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum StoredNode {
    Split { feature: String, at_most: f64, left_share: f64 },
    Leaf { rows: Vec<f64> },
}

impl From<Tree> for Stored {
    fn from(tree: Tree) -> Stored {
        let Tree { features, classes, nodes } = tree;
        let stored = |node| match node {
            Node::Leaf(leaf) => StoredNode::Leaf { rows: leaf.weights },
            Node::Split(Split { feature, threshold, left_share, .. }) => {
                StoredNode::Split { feature: features[feature].clone(), at_most: threshold, left_share }
            }
        };
        let nodes = nodes.into_iter().map(stored).collect();
        Stored { features, classes, nodes }
    }
}

impl TryFrom<Stored> for Tree {
    type Error = TreeError;

    fn try_from(stored: Stored) -> Result<Tree, TreeError> {
        let Stored { features, classes, nodes } = stored;
        if features.is_empty() || !(1..=256).contains(&classes.len()) {
            return Err(TreeError::Shape { features: features.len(), classes: classes.len() });
        }
        let read = |(number, node)| read(number, node, &features, classes.len());
        let nodes = nodes.into_iter().enumerate().map(read).collect::<Result<Vec<Node>, TreeError>>()?;
        let mut tree = Tree { features, classes, nodes };
        join(&mut tree.nodes)?;
        if tree.depth() > DEEPEST { Err(TreeError::Depth) } else { Ok(tree) }
    }
}

fn read(number: usize, node: StoredNode, features: &[String], classes: usize) -> Result<Node, TreeError> {
    match node {
        StoredNode::Split { feature, at_most, left_share } => {
            let Some(place) = features.iter().position(|name| *name == feature) else {
                return Err(TreeError::Feature { node: number, feature });
            };
            if !at_most.is_finite() || !(0.0..=1.0).contains(&left_share) {
                return Err(TreeError::Number { node: number });
            }
            Ok(Node::Split(Split { feature: place, threshold: at_most, left_share, right: 0 }))
        }
        StoredNode::Leaf { rows } => {
            let fine = rows.len() == classes && rows.iter().all(|rows| rows.is_finite() && *rows >= 0.0);
            let total: f64 = rows.iter().sum();
            if !fine || total <= 0.0 || !total.is_finite() {
                return Err(TreeError::Number { node: number });
            }
            Ok(Node::Leaf(Leaf::new(rows)))
        }
    }
}

/// Finds the right branch of every split: what follows when its left branch is complete.
fn join(nodes: &mut [Node]) -> Result<(), TreeError> {
    let mut open: Vec<usize> = Vec::new();
    let last = nodes.len().checked_sub(1).ok_or(TreeError::End)?;
    for place in 0..nodes.len() {
        match nodes[place] {
            Node::Split(_) => open.push(place),
            Node::Leaf(_) => match open.pop() {
                Some(split) if place < last => {
                    if let Node::Split(split) = &mut nodes[split] {
                        split.right = place + 1;
                    }
                }
                None if place == last => return Ok(()),
                _ => return Err(TreeError::End),
            },
        }
    }
    Err(TreeError::End)
}
