//! What was learned beforehand, as values that a policy evaluates. Training makes them; nothing here trains.
//!
//! A [`formula`] gives a page's score. Change-rate [`groups`] are what pages are sorted into.

pub mod formula;
pub mod groups;

use formula::Formula;
use groups::Group;

/// A model of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// A score formula.
    Formula(Formula),
    /// Change-rate groups, fastest first.
    Groups(Vec<Group>),
}

impl Model {
    /// What kind it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Model::Formula(_) => "formula",
            Model::Groups(_) => "groups",
        }
    }
}
