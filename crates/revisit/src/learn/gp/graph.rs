//! A formula as a graph in which equal subexpressions are one value, simplified where that is exact.
//!
//! Every rule holds for all inputs, because all values are finite numbers and zero has no sign (see
//! [`Function`]): constants fold, x + 0 = x − 0 = x·1 = x ÷ 1 = x¹ = x, x − x = x·0 = 0, x⁰ = 1ˣ = 1. Rules that hold only up
//! to rounding or only away from the protected places (x ÷ x, log exp x) are not used.

use std::collections::BTreeMap;

use crate::model::formula::{Formula, Function, Node, Variable};

/// A value of a graph; operands are places of earlier values. A function of one argument has it twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// A number.
    Constant(f64),
    /// A number known of the page.
    Variable(Variable),
    /// A function of earlier values.
    Apply(Function, u32, u32),
}

/// Values in an order in which operands come first.
#[derive(Default)]
pub(super) struct Graph {
    values: Vec<Value>,
    places: BTreeMap<(u8, u64, u32), u32>,
}

impl Graph {
    /// The graph of a formula and the place of its result.
    pub(super) fn of(formula: &Formula) -> (Graph, u32) {
        let mut graph = Graph::default();
        let mut stack: Vec<u32> = Vec::new();
        for node in formula.nodes() {
            let place = match *node {
                Node::Constant(value) => graph.place(Value::Constant(value + 0.0)),
                Node::Variable(variable) => graph.place(Value::Variable(variable)),
                Node::Function(function) => {
                    let second = stack.pop().unwrap_or_default();
                    let first = if function.arguments() == 2 { stack.pop().unwrap_or_default() } else { second };
                    graph.apply(function, first, second)
                }
            };
            stack.push(place);
        }
        (graph, stack.pop().unwrap_or_default())
    }

    /// The values, operands first.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    /// The variables that occur.
    pub(super) fn variables(&self) -> impl Iterator<Item = Variable> {
        self.values
            .iter()
            .filter_map(|value| if let Value::Variable(variable) = value { Some(*variable) } else { None })
    }

    /// The formula of a value.
    pub(super) fn formula(&self, root: u32) -> Formula {
        let mut nodes = Vec::new();
        self.tree(root, &mut nodes);
        Formula::of_tree(nodes)
    }

    fn constant(&self, place: u32) -> Option<f64> {
        match self.values[place as usize] {
            Value::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The place of a function's value, which may be one that was there before.
    fn apply(&mut self, function: Function, first: u32, second: u32) -> u32 {
        if let (Some(a), Some(b)) = (self.constant(first), self.constant(second)) {
            return self.place(Value::Constant(function.apply(a, b) + 0.0));
        }
        if let Some(place) = self.simpler(function, first, second) {
            return place;
        }
        let swapped = key(Value::Apply(function, second, first));
        match self.places.get(&swapped) {
            Some(&place) if matches!(function, Function::Add | Function::Multiply) => place,
            _ => self.place(Value::Apply(function, first, second)),
        }
    }

    fn simpler(&mut self, function: Function, first: u32, second: u32) -> Option<u32> {
        let (a, b) = (self.constant(first), self.constant(second));
        let result = match function {
            Function::Add if b == Some(0.0) => first,
            Function::Add if a == Some(0.0) => second,
            Function::Subtract if b == Some(0.0) => first,
            Function::Subtract if first == second => self.place(Value::Constant(0.0)),
            Function::Multiply if a == Some(0.0) || b == Some(0.0) => self.place(Value::Constant(0.0)),
            Function::Multiply | Function::Divide | Function::Power if b == Some(1.0) => first,
            Function::Multiply if a == Some(1.0) => second,
            Function::Power if b == Some(0.0) || a == Some(1.0) => self.place(Value::Constant(1.0)),
            _ => return None,
        };
        Some(result)
    }

    fn place(&mut self, value: Value) -> u32 {
        let next = self.values.len() as u32;
        let place = *self.places.entry(key(value)).or_insert(next);
        if place == next {
            self.values.push(value);
        }
        place
    }

    /// The tree under a value, in postfix order.
    fn tree(&self, root: u32, nodes: &mut Vec<Node>) {
        match self.values[root as usize] {
            Value::Constant(value) => nodes.push(Node::Constant(value)),
            Value::Variable(variable) => nodes.push(Node::Variable(variable)),
            Value::Apply(function, first, second) => {
                self.tree(first, nodes);
                if function.arguments() == 2 {
                    self.tree(second, nodes);
                }
                nodes.push(Node::Function(function));
            }
        }
    }

    /// Words that two formulas share exactly if they are the same after simplification, up to the order of the operands
    /// of sums and products.
    pub(super) fn identity(&self, root: u32) -> Vec<u64> {
        let mut hashes: Vec<u64> = Vec::with_capacity(self.values.len());
        for &value in &self.values {
            hashes.push(match value {
                Value::Apply(function, first, second) => {
                    let (low, high) = in_order(function, hashes[first as usize], hashes[second as usize]);
                    scatter(scatter(low ^ function as u64) ^ high)
                }
                leaf => scatter(word(leaf)),
            });
        }
        let mut words = Vec::new();
        self.spell(root, &hashes, &mut words);
        words
    }

    fn spell(&self, root: u32, hashes: &[u64], words: &mut Vec<u64>) {
        let value = self.values[root as usize];
        if let Value::Apply(function, first, second) = value {
            let (one, other) = (hashes[first as usize], hashes[second as usize]);
            let (first, second) =
                if in_order(function, one, other) == (one, other) { (first, second) } else { (second, first) };
            self.spell(first, hashes, words);
            if function.arguments() == 2 {
                self.spell(second, hashes, words);
            }
        }
        words.push(word(value));
    }
}

/// The operands' hashes, the smaller first if their order does not matter.
fn in_order(function: Function, first: u64, second: u64) -> (u64, u64) {
    match function {
        Function::Add | Function::Multiply if second < first => (second, first),
        _ => (first, second),
    }
}

/// A word of its own for every leaf and every function: those that are no constants are patterns of no finite number.
fn word(value: Value) -> u64 {
    match value {
        Value::Constant(value) => value.to_bits(),
        Value::Variable(variable) => u64::MAX - variable as u64,
        Value::Apply(function, ..) => u64::MAX - 256 - function as u64,
    }
}

fn scatter(word: u64) -> u64 {
    let word = (word ^ word >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    word ^ word >> 29
}

fn key(value: Value) -> (u8, u64, u32) {
    match value {
        Value::Constant(value) => (0, value.to_bits(), 0),
        Value::Variable(variable) => (1, variable as u64, 0),
        Value::Apply(function, first, second) => (2 + function as u8, first.into(), second),
    }
}

impl Formula {
    /// A formula of the same value for every input, with what cannot matter left out.
    ///
    /// ```
    /// use revisit::model::formula::Formula;
    /// let formula: Formula = "(t + (n - n)) * pow(X, 0.5 + 0.5) - log(0)".parse().unwrap();
    /// assert_eq!(formula.simplify().to_string(), "t * X");
    /// ```
    pub fn simplify(&self) -> Formula {
        let (graph, root) = Graph::of(self);
        graph.formula(root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::formula::testing::any_formula;
    use proptest::prelude::*;

    fn identity(text: &str) -> Vec<u64> {
        let (graph, root) = Graph::of(&text.parse().unwrap());
        graph.identity(root)
    }

    #[test]
    fn the_same_in_another_order_has_the_same_identity() {
        assert_eq!(identity("(t * X + n) * log(X * t)"), identity("log(t * X) * (n + X * t)"));
        assert_ne!(identity("t - X"), identity("X - t"));
        assert_ne!(identity("pow(t, X)"), identity("pow(X, t)"));
        assert_eq!(identity("t + -0.0"), identity("t"));
    }

    #[test]
    fn what_is_only_almost_true_is_left_alone() {
        for text in ["t / t", "log(exp(t))", "0 / t", "t + X - X", "0 - t"] {
            assert_eq!(text.parse::<Formula>().unwrap().simplify().to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn simplified_means_the_same(formula in any_formula(), inputs in prop::array::uniform12(any::<f64>())) {
            let simple = formula.simplify();
            prop_assert!(simple.size() <= formula.size());
            let small = |variable: Variable| (inputs[variable as usize].to_bits() % 60) as f64;
            prop_assert_eq!(formula.evaluate(small), simple.evaluate(small), "{} became {}", formula, simple);
            let wild = |variable: Variable| inputs[variable as usize];
            prop_assert_eq!(formula.evaluate(wild), simple.evaluate(wild), "{} became {}", formula, simple);
        }
    }
}
