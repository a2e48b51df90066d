//! Genetic programming of score formulas (Santos, *Learning to Schedule Web Page Updates Using Genetic Programming*,
//! 2013: "GP4C").
//!
//! A [`Formula`] over what is known of a page gives its score; in each cycle the pages with the highest scores are
//! visited.

mod evaluate;
mod graph;
mod sample;

pub use evaluate::{Judgement, Objective, Scratch, Trial};
pub use sample::Sample;

#[cfg(test)]
use crate::model::formula::testing;
use crate::model::formula::{expression, function, variable};
