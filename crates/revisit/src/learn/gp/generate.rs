//! Random formulas: ramped half-and-half (Koza 1992).
//!
//! Depths rise from 2 to the greatest in turn; half of the formulas are full, with every leaf at that depth, half grow to it
//! at most. Reading: every function and every leaf is as likely as any other, each constant a leaf of its own.

use std::f64::consts::E;

use crate::lab::random::Random;
use crate::model::formula::{Formula, Function, Node, Variable};

/// The constants of the thesis.
pub const CONSTANTS: [f64; 9] = [0.001, 0.01, 0.1, 0.5, 1.0, E, 10.0, 100.0, 1000.0];

/// What formulas are made of.
#[derive(Clone, Debug)]
pub(super) struct Alphabet {
    leaves: Vec<Node>,
}

impl Alphabet {
    /// All functions, the constants and these variables.
    pub(super) fn new(variables: &[Variable]) -> Alphabet {
        let variables = variables.iter().map(|variable| Node::Variable(*variable));
        Alphabet { leaves: variables.chain(CONSTANTS.map(Node::Constant)).collect() }
    }

    /// A constant or variable.
    pub(super) fn leaf(&self, random: &mut Random) -> Node {
        pick(&self.leaves, random)
    }

    /// Another node that can stand in a node's place; the same if there is none.
    pub(super) fn replacement(&self, node: Node, random: &mut Random) -> Node {
        let others: Vec<Node> = match node {
            Node::Function(_) => functions(node.arguments()).filter(|other| *other != node).collect(),
            _ => self.leaves.iter().copied().filter(|other| *other != node).collect(),
        };
        if others.is_empty() { node } else { pick(&others, random) }
    }

    /// The formulas a run begins with.
    pub(super) fn ramped(&self, count: usize, deepest: usize, random: &mut Random) -> Vec<Formula> {
        let depths = deepest.saturating_sub(1).max(1);
        (0..count).map(|number| self.formula(2 + number / 2 % depths, number % 2 == 0, random)).collect()
    }

    /// A formula of at most, or if `full` of exactly, this depth, which is 2 or more.
    fn formula(&self, depth: usize, full: bool, random: &mut Random) -> Formula {
        let mut nodes = Vec::new();
        self.function(depth, full, random, &mut nodes);
        Formula::of_tree(nodes)
    }

    fn function(&self, depth: usize, full: bool, random: &mut Random, nodes: &mut Vec<Node>) {
        let function = pick(&Function::ALL, random);
        for _ in 0..function.arguments() {
            self.subtree(depth - 1, full, random, nodes);
        }
        nodes.push(Node::Function(function));
    }

    fn subtree(&self, depth: usize, full: bool, random: &mut Random, nodes: &mut Vec<Node>) {
        let kinds = (self.leaves.len() + Function::ALL.len()) as u64;
        let stops = !full && random.below(kinds) < self.leaves.len() as u64;
        if depth <= 1 || stops {
            nodes.push(self.leaf(random));
        } else {
            self.function(depth, full, random, nodes);
        }
    }
}

fn functions(arguments: usize) -> impl Iterator<Item = Node> {
    Function::ALL.into_iter().filter(move |function| function.arguments() == arguments).map(Node::Function)
}

/// One of several, which are not none.
pub(super) fn pick<T: Copy>(from: &[T], random: &mut Random) -> T {
    from[random.below(from.len() as u64) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_ramped_and_half_are_full() {
        let formulas = Alphabet::new(&Variable::THESIS).ramped(1800, 10, &mut Random::stream(1, 0));
        for (number, formula) in formulas.iter().enumerate() {
            let depth = 2 + number / 2 % 9;
            assert!(formula.depth() <= depth && formula.depth() > 1);
            assert!(number % 2 == 1 || formula.depth() == depth, "{formula}");
        }
        assert!(formulas.iter().skip(1).step_by(2).any(|formula| formula.depth() < 4));
        for leaf in Variable::THESIS.map(Node::Variable).into_iter().chain(CONSTANTS.map(Node::Constant)) {
            assert!(formulas.iter().any(|formula| formula.nodes().contains(&leaf)), "{leaf:?}");
        }
    }

    #[test]
    fn a_replacement_is_another_node_of_the_same_kind() {
        let (alphabet, mut random) = (Alphabet::new(&Variable::THESIS), Random::stream(2, 0));
        for function in Function::ALL.map(Node::Function) {
            let other = alphabet.replacement(function, &mut random);
            assert!(other != function && other.arguments() == function.arguments());
        }
        let leaf = Node::Variable(Variable::Waited);
        assert_ne!(alphabet.replacement(leaf, &mut random), leaf);
    }
}
