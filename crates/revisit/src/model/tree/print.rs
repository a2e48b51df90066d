//! A tree as text, a condition a line and a bar for each level, as J48 prints it.
//!
//! Behind the class of a leaf stand the training rows that ended there and, after a slash, how many of them were of
//! another.

use std::fmt;

use super::{Leaf, Node, Split, Tree};

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [Node::Leaf(leaf)] = &self.nodes[..] {
            return writeln!(f, "{}", self.said(leaf));
        }
        // What is left to print: a node, the split above it, and whether it is the left branch.
        let mut left = Vec::new();
        let depths = self.depths();
        self.push_branches(0, &mut left);
        while let Some((place, split, at_most)) = left.pop() {
            let (bars, sign) = ("|   ".repeat(depths[place] - 1), if at_most { "<=" } else { ">" });
            write!(f, "{bars}{} {sign} {}", self.features[split.feature], split.threshold)?;
            match &self.nodes[place] {
                Node::Leaf(leaf) => writeln!(f, ": {}", self.said(leaf))?,
                Node::Split(_) => {
                    writeln!(f)?;
                    self.push_branches(place, &mut left);
                }
            }
        }
        Ok(())
    }
}

impl Tree {
    fn push_branches<'a>(&'a self, place: usize, left: &mut Vec<(usize, &'a Split, bool)>) {
        if let Node::Split(split) = &self.nodes[place] {
            left.extend([(split.right, split, false), (place + 1, split, true)]);
        }
    }

    /// A leaf in words: its class and its rows.
    pub(super) fn said(&self, leaf: &Leaf) -> String {
        let rounded = |rows: f64| (rows * 10.0).round() / 10.0;
        let rows = rounded(leaf.weights.iter().sum());
        let wrong = rounded(rows - leaf.weights[leaf.class]);
        let class = &self.classes[leaf.class];
        if wrong > 0.0 { format!("{class} ({rows}/{wrong})") } else { format!("{class} ({rows})") }
    }
}
