//! Pages in change-rate groups: a page is visited as often as its group is (Barbosa et al. 2005).
//!
//! [`historic`](Historic) and [`bayesian`](Bayesian) move pages between groups by what their visits show; `composed` lets a tree
//! or chance say where a page begins. Here is what they share: what users can say of the groups, which are those of a model or
//! one of the paper's tables, and in which one a page begins.

pub(super) mod bayesian;
pub(super) mod composed;
pub(super) mod historic;

pub use bayesian::Bayesian;
pub use historic::Historic;

use super::draw::draw;
use super::parameter::{Parameter, Values};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::column::Column;
use crate::features::Features;
use crate::model::groups::{Group, Grouping, TABLE_2, TABLE_4};
use crate::{PageId, Time};

/// Lets users choose the groups.
pub(super) const GROUPS: Parameter = Parameter::choice(
    "groups",
    &["table-4", "table-2"],
    "the paper's table that gives the groups, unless a model does",
);

/// What can be set.
pub(super) const PARAMETERS: &[Parameter] =
    &[GROUPS, Parameter::number("start", "1", (0.0, 3.0), "the group of a new page, 0 the fastest")];

/// The groups of a model, or else those users chose.
pub(super) fn chosen(values: &Values<'_>, given: Option<&Grouping>) -> Vec<Group> {
    let table = if values.is("groups", "table-2") { &TABLE_2 } else { &TABLE_4 };
    given.map_or(&table[..], Grouping::groups).to_vec()
}

/// In which group a page begins.
#[derive(Clone, Debug)]
pub enum Start {
    /// All in the same.
    In(usize),
    /// Each in one drawn by a seed.
    Drawn(u64),
    /// Each in the one its first version speaks for; in the first while nothing is known of it.
    Predicted(Grouping),
}

/// In which group each page begins, among so many.
#[derive(Debug)]
pub(super) struct Starts {
    rule: Start,
    groups: usize,
    /// What the tree is asked with, if there is one.
    features: Column<Features>,
}

impl Starts {
    pub(super) fn new(rule: Start, groups: usize) -> Starts {
        Starts { rule, groups, features: Column::new(Features::default()) }
    }

    pub(super) fn of(&self, page: PageId) -> u8 {
        let group = match &self.rule {
            Start::In(group) => *group,
            Start::Drawn(seed) => (draw(*seed, page, Time::MIN) * self.groups as f64) as usize,
            Start::Predicted(grouping) => grouping.predict(&self.features.get(page.index())).unwrap_or_default(),
        };
        group.min(self.groups.saturating_sub(1)) as u8
    }

    /// What a page's first version showed; the first description stands.
    pub(super) fn describe(&mut self, page: PageId, features: &Features) {
        let known = self.features.get(page.index()) != Features::default();
        if matches!(self.rule, Start::Predicted(_)) && !known {
            self.features.set(page.index(), *features);
        }
    }

    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.features.keep(checkpoint)
    }

    /// What the tree said of a page, as the end of a sentence.
    pub(super) fn reason(&self, page: PageId) -> String {
        let features = self.features.get(page.index());
        match &self.rule {
            Start::Predicted(grouping) => {
                grouping.explain(&features).map_or(String::new(), |path| format!("; its content spoke for {path}"))
            }
            _ => String::new(),
        }
    }
}
