//! Genetic programming of score formulas (Santos, *Learning to Schedule Web Page Updates Using Genetic Programming*,
//! 2013: "GP4C").
//!
//! A [`Formula`] over what is known of a page gives its score; in each cycle the pages with the highest scores are
//! visited.

mod evaluate;
mod expression;
mod function;
mod graph;
mod sample;
#[cfg(test)]
mod testing;
mod text;
mod variable;

pub use evaluate::{Judgement, Objective, Scratch, Trial};
pub use expression::{DEEPEST, Formula, FormulaError, Node};
pub use function::Function;
pub use sample::Sample;
pub use variable::{UNKNOWN, Variable};
