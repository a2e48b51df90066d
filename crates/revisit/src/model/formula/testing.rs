//! Formulas for property tests.

use proptest::prelude::*;

use super::{Formula, Function, Node, Variable};

fn any_leaf() -> impl Strategy<Value = Vec<Node>> {
    let constants = vec![0.0, 1.0, -1.0, 0.001, 0.5, std::f64::consts::E, 10.0, 1000.0, 1e300, -1e-300, 1e-7];
    prop_oneof![
        4 => prop::sample::select(Variable::THESIS.to_vec()).prop_map(|variable| vec![Node::Variable(variable)]),
        1 => prop::sample::select(Variable::ALL.to_vec()).prop_map(|variable| vec![Node::Variable(variable)]),
        3 => prop::sample::select(constants).prop_map(|value| vec![Node::Constant(value)]),
        1 => any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(|value| vec![Node::Constant(value)]),
    ]
}

/// Formulas of every shape over all variables and extreme constants.
pub(crate) fn any_formula() -> impl Strategy<Value = Formula> {
    let tree = any_leaf().prop_recursive(7, 60, 2, |inner| {
        (prop::sample::select(Function::ALL.to_vec()), inner.clone(), inner).prop_map(
            |(function, mut first, second)| {
                if function.arguments() == 2 {
                    first.extend(second);
                }
                first.push(Node::Function(function));
                first
            },
        )
    });
    tree.prop_map(|nodes| Formula::new(nodes).unwrap())
}

/// Formulas of n, X and t alone.
#[cfg(feature = "learn")]
pub(crate) fn thesis_formula() -> impl Strategy<Value = Formula> {
    any_formula().prop_map(|formula| {
        let kept = |node: &Node| match *node {
            Node::Variable(variable) => Node::Variable(Variable::THESIS[variable as usize % 3]),
            other => other,
        };
        Formula::new(formula.nodes().iter().map(kept).collect()).unwrap()
    })
}
