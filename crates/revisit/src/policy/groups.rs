//! What users can say about change-rate groups, for `historic` and `bayesian`.
//!
//! The groups are those of a model, or one of the paper's tables.

use super::parameter::{Parameter, Values};
use crate::model::groups::{Group, TABLE_2, TABLE_4};

/// What can be set.
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter::choice("groups", &["table-4", "table-2"], "the paper's table that gives the groups"),
    Parameter::number("start", "1", (0.0, 3.0), "the group of a new page, 0 the fastest"),
];

/// The groups of a model or else those users chose, and the one in which a page begins.
pub(super) fn chosen(values: &Values<'_>, given: Option<&[Group]>) -> (Vec<Group>, usize) {
    let table = if values.is("groups", "table-2") { &TABLE_2 } else { &TABLE_4 };
    (given.unwrap_or(table).to_vec(), values.number("start") as usize)
}
