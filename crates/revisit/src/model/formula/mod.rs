//! Score formulas: what genetic programming breeds and what a policy evaluates.

pub(crate) mod expression;
pub(crate) mod function;
#[cfg(test)]
pub(crate) mod testing;
mod text;
mod variable;

pub use expression::{DEEPEST, Formula, FormulaError, Node};
pub use function::Function;
pub use variable::{UNKNOWN, Variable};
