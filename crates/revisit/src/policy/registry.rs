//! The only list of policies: command line, configuration, documentation and tests read it.
//!
//! A policy is written `name` or `name?key=value&key=value`. Adding one takes its file, which holds its entry, and one
//! line in the list here.

use super::parameter::Values;
pub use super::parameter::{Kind, Parameter, Truth};
use super::{
    Policy, aad, age, bayesian, cg, cho_optimal, dynamic, fix, gad, gold, grimes_ford, historic, index_age,
    index_changes, index_freshness, index_harmonic, lambdacrawl, lambdacrawl_binary, nad, nutch_adaptive, proportional,
    rand, sad, state_1, state_2, stormcrawler_adaptive, tx, uniform, week, window,
};

/// What the registry knows of one policy.
pub struct Entry {
    /// The name users write.
    pub name: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// How it stands to the budget.
    pub spending: Spending,
    /// Whether it is itself only when told the truth about the pages, as only the lab can.
    pub needs_truth: bool,
    /// What can be set.
    pub parameters: &'static [Parameter],
    pub(super) build: fn(&Values<'_>) -> Box<dyn Policy>,
}

/// How a policy stands to the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spending {
    /// It orders the pages; the budget cuts the order off.
    Ranks,
    /// It solves for the budget: what it wants depends on how much there is.
    Solves,
    /// It gives every page an interval of its own and knows no budget; the lab runs it without a limit.
    Free,
}

impl Entry {
    /// Whether a comparison holds the policy to a budget.
    pub fn budgeted(&self) -> bool {
        self.spending != Spending::Free
    }
}

/// Why a policy cannot be had.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// No such name.
    #[error("there is no policy '{name}'; the nearest names are {}", nearest.join(", "))]
    UnknownPolicy {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        nearest: Vec<&'static str>,
    },
    /// The policy has no such parameter.
    #[error("policy '{policy}' has no parameter '{name}'; it has {known}")]
    UnknownParameter {
        /// The policy.
        policy: &'static str,
        /// The parameter asked for.
        name: String,
        /// The parameters there are.
        known: String,
    },
    /// The value is none the parameter can have.
    #[error("policy '{policy}': {name} = '{value}' is not {expected}")]
    BadValue {
        /// The policy.
        policy: &'static str,
        /// The parameter.
        name: &'static str,
        /// What was written.
        value: String,
        /// What could have been written.
        expected: String,
    },
}

/// Every policy there is.
pub static POLICIES: &[Entry] = &[
    age::ENTRY,
    rand::ENTRY,
    uniform::ENTRY,
    proportional::ENTRY,
    cg::ENTRY,
    nad::ENTRY,
    sad::ENTRY,
    aad::ENTRY,
    gad::ENTRY,
    tx::ENTRY,
    fix::ENTRY,
    dynamic::ENTRY,
    window::ENTRY,
    state_1::ENTRY,
    state_2::ENTRY,
    gold::ENTRY,
    week::ENTRY,
    historic::ENTRY,
    bayesian::ENTRY,
    cho_optimal::ENTRY,
    nutch_adaptive::ENTRY,
    stormcrawler_adaptive::ENTRY,
    lambdacrawl::ENTRY,
    lambdacrawl_binary::ENTRY,
    grimes_ford::ENTRY,
    index_freshness::ENTRY,
    index_age::ENTRY,
    index_harmonic::ENTRY,
    index_changes::ENTRY,
];

/// Builds the policy that `text` names, with its parameters.
///
/// A policy that needs the truth does what it can from the pages' histories.
///
/// ```
/// use revisit::policy::registry::build;
/// assert!(build("nutch-adaptive?grow=0.5&shrink=0.5").is_ok());
/// let error = build("agee").err().unwrap();
/// assert!(error.to_string().starts_with("there is no policy 'agee'; the nearest names are age"));
/// ```
pub fn build(text: &str) -> Result<Box<dyn Policy>, PolicyError> {
    build_with(text, None)
}

/// Builds the policy that `text` names for the lab, where the truth about the pages is known.
pub fn build_for_lab(text: &str, truth: &Truth<'_>) -> Result<Box<dyn Policy>, PolicyError> {
    build_with(text, Some(*truth))
}

fn build_with(text: &str, truth: Option<Truth<'_>>) -> Result<Box<dyn Policy>, PolicyError> {
    let (_, settings) = text.split_once('?').unwrap_or((text, ""));
    let entry = find(text)?;
    Ok((entry.build)(&Values::read(entry.name, entry.parameters, settings, truth)?))
}

/// The entry of the policy that `text` names, whatever parameters follow the name.
pub fn find(text: &str) -> Result<&'static Entry, PolicyError> {
    let (name, _) = text.split_once('?').unwrap_or((text, ""));
    POLICIES.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let mut nearest: Vec<&'static str> = POLICIES.iter().map(|entry| entry.name).collect();
        nearest.sort_by_key(|known| strsim::damerau_levenshtein(known, name));
        nearest.truncate(3);
        PolicyError::UnknownPolicy { name: name.to_owned(), nearest }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_thing_and_the_remedy() {
        let said = |text: &str| build(text).err().unwrap().to_string();
        assert_eq!(said("age?speed=2"), "policy 'age' has no parameter 'speed'; it has none");
        assert_eq!(said("rand?seed=x"), "policy 'rand': seed = 'x' is not a number from 0 to 9000000000000000");
        assert_eq!(said("nad?reading=moon"), "policy 'nad': reading = 'moon' is not one of visits, calendar");
        assert!(said("nutch").contains("nearest names are"));
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = POLICIES.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), POLICIES.len());
    }
}
