//! What was learned beforehand, as values that a policy evaluates. Training makes them; nothing here trains.
//!
//! A [`formula`] gives a page's score. Change-rate [`groups`] are what pages are sorted into,
//! and a decision [`tree`] says into which a new page belongs.

pub mod formula;
pub mod groups;
pub mod tree;

use formula::Formula;
use groups::Grouping;

/// A model of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// A score formula.
    Formula(Formula),
    /// Change-rate groups, with or without a tree.
    Groups(Grouping),
}

impl Model {
    /// What kind it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Model::Formula(_) => "formula",
            Model::Groups(grouping) if grouping.tree().is_some() => "tree",
            Model::Groups(_) => "groups",
        }
    }
}

/// The place of the greatest weight, the first of several; `None` if there is no weight.
pub(crate) fn likeliest(weights: impl IntoIterator<Item = f64>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (place, weight) in weights.into_iter().enumerate() {
        if best.is_none_or(|(_, most)| weight > most) {
            best = Some((place, weight));
        }
    }
    best.map(|(place, _)| place)
}

/// A value of a row, missing if the row ends before it.
#[inline]
pub(crate) fn value(values: &[f64], feature: usize) -> f64 {
    values.get(feature).copied().unwrap_or(f64::NAN)
}
