//! The only list of policies: command line, configuration, documentation and tests read it.
//!
//! A policy is written `name` or `name?key=value&key=value`; one that evaluates a model, `name:FILE` or
//! `name:FILE?key=value`. Who builds it reads the file: nothing here does. Adding a policy takes its file, which holds its
//! entry, and one line in the list here.

use super::Policy;
use super::baseline::{age, proportional, rand, uniform};
use super::everfresh;
use super::groups::{bayesian, composed, historic};
use super::interval::{dynamic, fix, gold, nutch_adaptive, state_1, state_2, stormcrawler_adaptive, week, window};
use super::optimal::{
    cho_optimal, index_age, index_changes, index_freshness, index_harmonic, lambdacrawl, lambdacrawl_binary,
};
use super::parameter::Values;
pub use super::parameter::{Kind, Parameter, Supplies, Truth};
use super::score::{aad, cg, gad, gp, grimes_ford, nad, sad, tx};
use super::sites::{breadth_first, clusters, sampled_sites, sampling, site_a, site_b, site_c};
use crate::model::Model;
use crate::model::formula::Formula;
use crate::model::groups::Grouping;

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
    pub(crate) build: Build,
}

/// What makes a policy.
pub(crate) enum Build {
    /// Its parameters do.
    Plain(fn(&Values<'_>) -> Box<dyn Policy>),
    /// A formula does.
    Formula(fn(&Formula) -> Box<dyn Policy>),
    /// Its parameters do, and groups if a model gives some.
    Groups(fn(&Values<'_>, Option<&Grouping>) -> Box<dyn Policy>),
    /// Groups and a tree do.
    Tree(fn(&Grouping) -> Box<dyn Policy>),
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
    /// Whether it is nothing without a model.
    pub fn needs_model(&self) -> bool {
        matches!(self.build, Build::Formula(_) | Build::Tree(_))
    }

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
    /// The policy evaluates a model and was given none, or one it cannot evaluate.
    #[error(
        "policy '{policy}' {wants}, not {given}: write {policy}:FILE, with a file that 'everfresh train {train}' wrote"
    )]
    WrongModel {
        /// The policy.
        policy: &'static str,
        /// What it can use.
        wants: &'static str,
        /// What it was given.
        given: String,
        /// What makes such a model.
        train: &'static str,
    },
    /// The policy knows no models.
    #[error("policy '{policy}' uses no model: write it without ':{file}'")]
    NoModel {
        /// The policy.
        policy: &'static str,
        /// The file that was named.
        file: String,
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
    composed::RANDOM_BAYESIAN,
    composed::RANDOM_HISTORIC,
    composed::TREE_BAYESIAN,
    composed::TREE_HISTORIC,
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
    gp::ENTRY,
    breadth_first::ENTRY,
    site_a::ENTRY,
    site_b::ENTRY,
    site_c::ENTRY,
    sampling::ENTRY,
    sampled_sites::SAMPLING_A,
    sampled_sites::SAMPLING_B,
    sampled_sites::SAMPLING_C,
    clusters::ENTRY,
    everfresh::ENTRY,
    everfresh::WITHOUT_FADING,
    everfresh::WITHOUT_LOOKS,
    everfresh::WITHOUT_WORDS,
    everfresh::WITHOUT_NEIGHBOURS,
    everfresh::WITHOUT_RHYTHM,
    everfresh::WITHOUT_BURSTS,
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
    build_with(text, Supplies::default())
}

/// Builds the policy that `text` names with what it may be given: the truth in the lab, the model that `text` names.
pub fn build_with(text: &str, supplies: Supplies<'_>) -> Result<Box<dyn Policy>, PolicyError> {
    let Written { name: _, model: file, settings } = Written::of(text);
    let entry = find(text)?;
    let values = Values::read(entry.name, entry.parameters, settings, supplies.truth)?;
    let wrong = |wants, train| {
        let given = supplies.model.map_or("nothing".to_owned(), |model| format!("a model of kind '{}'", model.kind()));
        Err(PolicyError::WrongModel { policy: entry.name, wants, given, train })
    };
    match (&entry.build, supplies.model) {
        (Build::Plain(build), None) => match file {
            None => Ok(build(&values)),
            Some(file) => Err(PolicyError::NoModel { policy: entry.name, file: file.to_owned() }),
        },
        (Build::Plain(_), Some(_)) => {
            Err(PolicyError::NoModel { policy: entry.name, file: file.unwrap_or_default().to_owned() })
        }
        (Build::Formula(build), Some(Model::Formula(formula))) => Ok(build(formula)),
        (Build::Formula(_), _) => wrong("scores by a formula", "gp"),
        (Build::Groups(build), None) if file.is_none() => Ok(build(&values, None)),
        (Build::Groups(build), Some(Model::Groups(groups))) => Ok(build(&values, Some(groups))),
        (Build::Groups(_), _) => wrong("sorts pages into groups", "groups"),
        (Build::Tree(build), Some(Model::Groups(grouping))) if grouping.tree().is_some() => Ok(build(grouping)),
        (Build::Tree(_), _) => wrong("asks a tree for the group of a new page", "tree"),
    }
}

/// A policy as users write it, in its parts.
struct Written<'a> {
    name: &'a str,
    model: Option<&'a str>,
    settings: &'a str,
}

impl Written<'_> {
    fn of(text: &str) -> Written<'_> {
        let (named, settings) = text.split_once('?').unwrap_or((text, ""));
        match named.split_once(':') {
            Some((name, model)) => Written { name, model: Some(model), settings },
            None => Written { name: named, model: None, settings },
        }
    }
}

/// The file of the model that `text` names, if it names one.
///
/// ```
/// use revisit::policy::registry::model_file;
/// assert_eq!(model_file("gp:models/mine.toml?key=value"), Some("models/mine.toml"));
/// assert_eq!(model_file("age"), None);
/// ```
pub fn model_file(text: &str) -> Option<&str> {
    Written::of(text).model
}

/// The entry of the policy that `text` names, whatever follows the name.
pub fn find(text: &str) -> Result<&'static Entry, PolicyError> {
    let name = Written::of(text).name;
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
