//! Learning from pages that were watched for a while, for pages that are new.
//!
//! Pages watched are [`example`]s: the [features](crate::features) of their first visit, and how often they changed. [`groups`] sorts
//! the intervals between changes into a few groups; labelled with them, examples become a [`dataset`], from which
//! [`sample`] draws sides that train and sides that test. A [`Classifier`] learned from it says to which group a page
//! belongs that was seen once: a [`tree`], naive [`bayes`], nearest [`neighbours`], or [`chance`]; [`method`] lists
//! them. [`judge`] counts how often they err, and [`wrapper`] finds the features they are better off without. [`gp`]
//! breeds formulas that score pages by their history.
//!
//! The steps of Barbosa et al. 2005, on a world made up from a seed:
//!
//! ```
//! use revisit::Span;
//! use revisit::lab::{cut::{Cut, Window}, world};
//! use revisit::learn::{Classifier, example, groups::Groups, judge::judge, sample, tree::{Pruning, Tree}};
//!
//! let trace = world::make("general", 600, 1)?;
//! let window = Window { start: trace.span().unwrap().0, cycle: Span::DAY, cycles: 100, warmup: 2 };
//! let examples = example::observe(&Cut::new(&trace, window)?, 0..100);
//! let groups = Groups::fit(&example::intervals(&examples), 4, 1)?;
//! let data = sample::balanced(&example::label(&examples, &groups)?, 1);
//! let (train, test) = sample::two_thirds(&data, 1)?;
//! let tree = Tree::learn(&train, Pruning::Pruned)?;
//! assert!(judge(&tree, &test).error_rate() < 0.6, "by chance it would be 0.75");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bayes;
pub mod chance;
pub mod dataset;
pub mod example;
pub mod gp;
pub mod groups;
pub mod judge;
pub mod method;
pub mod neighbours;
pub mod sample;
pub mod tree;
pub mod wrapper;

use crate::model::{likeliest, value};
use dataset::Dataset;

/// What was learned: says of features to which class they belong.
pub trait Classifier {
    /// The number of the most likely class; of several, the lowest.
    ///
    /// The values are those of the data set's features, in its order. NaN is a missing value, and so is one beyond the
    /// end.
    fn classify(&self, values: &[f64]) -> usize;
}

impl<C: Classifier + ?Sized> Classifier for Box<C> {
    fn classify(&self, values: &[f64]) -> usize {
        (**self).classify(values)
    }
}

/// Why nothing can be learned from a data set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LearnError {
    /// There is no row.
    #[error("there is no row to learn from: give pages that were visited at least twice")]
    NoRows,
    /// All rows are of one class.
    #[error("all {rows} rows are of class {class}: there is nothing to tell apart; use more pages or a longer window")]
    OneClass {
        /// How many rows there are.
        rows: usize,
        /// The name of their class.
        class: String,
    },
    /// Too few rows to split or fold.
    #[error("{rows} rows cannot be cut into {parts} parts: use 2 parts or more, and at least as many pages")]
    TooFewRows {
        /// How many rows there are.
        rows: usize,
        /// How many parts were asked for.
        parts: usize,
    },
    /// Folds made for other rows, or a single one.
    #[error("{parts} folds of {folded} rows were given for {rows} rows: give each row one of two or more folds")]
    WrongFolds {
        /// How many rows there are.
        rows: usize,
        /// For how many rows there are folds.
        folded: usize,
        /// How many folds there are.
        parts: usize,
    },
    /// All pages are of one site.
    #[error("all pages are of the site {site}: split by page or by time")]
    OneSite {
        /// The site.
        site: String,
    },
}

/// Whether there is anything to tell apart.
fn check(data: &Dataset) -> Result<(), LearnError> {
    let counts = data.counts();
    let Some(most) = likeliest(counts.iter().map(|count| *count as f64)) else { return Err(LearnError::NoRows) };
    match counts[most] {
        0 => Err(LearnError::NoRows),
        rows if rows == data.len() => Err(LearnError::OneClass { rows, class: data.classes()[most].clone() }),
        _ => Ok(()),
    }
}
