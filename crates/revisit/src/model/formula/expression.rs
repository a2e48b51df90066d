//! A formula: an expression tree that gives a page's score, stored in postfix order.
//!
//! Postfix makes a formula one flat array: a subtree is a contiguous piece that ends with its root, a crossover is a copy
//! of three pieces, and evaluation is one walk with a small stack.

use super::function::Function;
use super::variable::Variable;

/// No formula is deeper, so evaluation needs no more than a small stack. Bred formulas are at most 10 deep by default.
pub const DEEPEST: usize = 64;

/// One place of a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// A number, which is finite.
    Constant(f64),
    /// A number known of the page.
    Variable(Variable),
    /// A function of the one or two subtrees before it.
    Function(Function),
}

impl Node {
    /// How many subtrees it stands on.
    pub const fn arguments(self) -> usize {
        match self {
            Node::Function(function) => function.arguments(),
            _ => 0,
        }
    }
}

/// Why nodes or a text make no formula.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FormulaError {
    /// The nodes do not add up to one tree.
    #[error("the nodes are not one expression in postfix order: a function lacks an argument, or one is left over")]
    NotOneTree,
    /// Too deep.
    #[error("the formula is more than {DEEPEST} deep: write it with less nesting")]
    TooDeep,
    /// A number out of range.
    #[error("'{0}' is no finite number")]
    NotFinite(String),
    /// A name nobody knows.
    #[error("a formula knows no '{0}'; it knows e, log, exp, pow and the variables {known}", known = variables())]
    UnknownName(String),
    /// Something else was expected.
    #[error("the formula cannot be read at byte {at}: expected {expected}")]
    Expected {
        /// Where in the text.
        at: usize,
        /// What should be there.
        expected: &'static str,
    },
}

fn variables() -> String {
    Variable::ALL.map(Variable::name).join(", ")
}

/// A score formula.
///
/// ```
/// use revisit::model::formula::{Formula, Variable};
///
/// let formula: Formula = "t * X".parse().unwrap();
/// let score = formula.evaluate(|variable| match variable {
///     Variable::Waited => 3.0,
///     Variable::Changes => 2.0,
///     _ => 0.0,
/// });
/// assert_eq!(score, 6.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    nodes: Vec<Node>,
}

impl Formula {
    /// The formula of nodes in postfix order.
    pub fn new(nodes: Vec<Node>) -> Result<Formula, FormulaError> {
        let mut depths: Vec<usize> = Vec::with_capacity(DEEPEST);
        for node in &nodes {
            if let Node::Constant(value) = node
                && !value.is_finite()
            {
                return Err(FormulaError::NotFinite(value.to_string()));
            }
            let rest = depths.len().checked_sub(node.arguments()).ok_or(FormulaError::NotOneTree)?;
            let depth = 1 + depths.drain(rest..).max().unwrap_or(0);
            if depth > DEEPEST {
                return Err(FormulaError::TooDeep);
            }
            depths.push(depth);
        }
        if depths.len() == 1 { Ok(Formula { nodes }) } else { Err(FormulaError::NotOneTree) }
    }

    /// Nodes known to be one tree that is not too deep.
    #[cfg(feature = "learn")]
    pub(crate) fn of_tree(nodes: Vec<Node>) -> Formula {
        debug_assert!(Formula::new(nodes.clone()).is_ok(), "{nodes:?}");
        Formula { nodes }
    }

    /// The nodes in postfix order: every function after its arguments.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How many nodes there are, which is never zero.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Levels of the tree; 1 for a single constant or variable.
    pub fn depth(&self) -> usize {
        depth(&self.nodes)
    }

    /// Whether a variable occurs.
    pub fn knows(&self, variable: Variable) -> bool {
        self.nodes.contains(&Node::Variable(variable))
    }

    /// Where the subtree that ends at a place begins.
    #[cfg(any(test, feature = "learn"))]
    pub(crate) fn start(&self, root: usize) -> usize {
        start(&self.nodes, root)
    }

    /// The score: finite whatever the inputs, and never −0. An input that is not finite counts as the nearest number
    /// that is, and one that is no number as zero.
    pub fn evaluate(&self, mut input: impl FnMut(Variable) -> f64) -> f64 {
        let mut stack = [0.0; DEEPEST + 1];
        let mut height = 0;
        for node in &self.nodes {
            let value = match *node {
                Node::Constant(value) => value,
                Node::Variable(variable) => tame(input(variable)),
                Node::Function(function) => {
                    height -= function.arguments();
                    function.apply(stack[height], stack[height + 1])
                }
            };
            stack[height] = value;
            height += 1;
        }
        stack[0] + 0.0
    }
}

/// A finite number for any input.
fn tame(input: f64) -> f64 {
    if input.is_nan() { 0.0 } else { super::function::finite(input) }
}

/// Where the subtree that ends at a place of postfix nodes begins.
#[cfg(any(test, feature = "learn"))]
pub(crate) fn start(nodes: &[Node], root: usize) -> usize {
    let (mut place, mut missing) = (root, nodes[root].arguments());
    while missing > 0 {
        place -= 1;
        missing = missing - 1 + nodes[place].arguments();
    }
    place
}

/// Levels of the tree in postfix nodes.
pub(crate) fn depth(nodes: &[Node]) -> usize {
    let mut stack = [0_usize; DEEPEST + 1];
    let mut height = 0;
    for node in nodes {
        let deepest = match node.arguments() {
            0 => 0,
            1 => stack[height - 1],
            _ => stack[height - 1].max(stack[height - 2]),
        };
        height -= node.arguments();
        stack[height] = deepest + 1;
        height += 1;
    }
    stack[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Node = Node::Variable(Variable::Changes);
    const T: Node = Node::Variable(Variable::Waited);
    const TIMES: Node = Node::Function(Function::Multiply);
    const EXP: Node = Node::Function(Function::Exponential);

    #[test]
    fn only_whole_trees_are_formulas() {
        assert!(Formula::new(vec![T, X, TIMES]).is_ok());
        for nodes in [vec![], vec![T, X], vec![TIMES], vec![T, TIMES], vec![T, X, TIMES, X]] {
            assert_eq!(Formula::new(nodes), Err(FormulaError::NotOneTree));
        }
        assert_eq!(Formula::new(vec![Node::Constant(f64::NAN)]), Err(FormulaError::NotFinite("NaN".to_owned())));
        let tower = |floors| std::iter::once(X).chain(std::iter::repeat_n(EXP, floors)).collect();
        assert_eq!(Formula::new(tower(DEEPEST)), Err(FormulaError::TooDeep));
        assert_eq!(Formula::new(tower(DEEPEST - 1)).unwrap().depth(), DEEPEST);
    }

    #[test]
    fn subtrees_end_with_their_root() {
        let formula = Formula::new(vec![T, X, EXP, TIMES]).unwrap();
        assert_eq!([0, 1, 2, 3].map(|root| formula.start(root)), [0, 1, 1, 0]);
        assert_eq!(formula.depth(), 3);
    }

    #[test]
    fn a_right_leaning_tree_fits_the_stack() {
        let mut nodes = vec![X; DEEPEST];
        nodes.extend([TIMES; DEEPEST - 1]);
        let formula = Formula::new(nodes).unwrap();
        assert_eq!((formula.depth(), formula.evaluate(|_| 1.0)), (DEEPEST, 1.0));
    }

    #[test]
    fn inputs_that_are_no_numbers_do_no_harm() {
        let formula = Formula::new(vec![T, X, TIMES]).unwrap();
        assert_eq!(formula.evaluate(|_| f64::NAN), 0.0);
        assert_eq!(formula.evaluate(|_| f64::NEG_INFINITY), f64::MAX);
    }
}
