//! Genetic programming of score formulas (Santos, *Learning to Schedule Web Page Updates Using Genetic Programming*,
//! 2013: "GP4C").
//!
//! A [formula](crate::model::formula) over what is known of a page gives its score; in each cycle the pages with the highest scores are visited.
//! Pages are dealt into [`roles`], each role a [`Sample`]; a [`Trial`] judges a formula by a simulated crawl of a sample; an
//! [`Evolution`] breeds formulas on one trial, validates the best on a second and tests the result on a third. It is done
//! [alone](Alone), or by as many [`Workers`] as the caller lends it.

mod baselines;
mod checkpoint;
mod choose;
mod evaluate;
mod evolve;
mod fitness;
mod folds;
mod generate;
mod graph;
mod sample;
mod settings;
mod vary;
mod workers;

pub use baselines::{BASELINES, baseline};
pub use checkpoint::ResumeError;
pub use choose::Evolved;
pub use evaluate::{Judgement, Objective, Scratch, Trial};
pub use evolve::{Evolution, Progress};
pub use folds::{FOLDS, FoldError, Roles, roles};
pub use generate::CONSTANTS;
pub use sample::Sample;
pub use settings::{BadSetting, Choice, Selection, Settings};
pub use workers::{Alone, Part, Workers};
