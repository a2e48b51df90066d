//! `random+bayesian`, `random+historic`, `tree+bayesian`, `tree+historic`: one classifier for the first visit, another for
//! all later ones (Barbosa et al. 2005, Table 5).
//!
//! A page seen once has no history, but it has content: a tree learned from other pages says how often it is likely to
//! change, and the page begins in that group. From then on its history decides, as in [`historic`](super::historic) or
//! [`bayesian`](super::bayesian). Beginning in a group drawn at random is what the paper compares with.

use super::bayesian::Bayesian;
use super::historic::Historic;
use super::{GROUPS, Start, chosen};
use crate::model::groups::{Group, Grouping};
use crate::policy::Policy;
use crate::policy::parameter::{Parameter, Values};
use crate::policy::registry::{Build, Entry, Spending};

/// The registry's entry of `random+bayesian`.
pub(crate) const RANDOM_BAYESIAN: Entry = Entry {
    name: "random+bayesian",
    summary: "like bayesian, from a group drawn at random",
    parameters: RANDOM_PARAMETERS,
    build: Build::Groups(|values, given| drawn(values, given, bayesian)),
    ..COMMON
};

/// The registry's entry of `random+historic`.
pub(crate) const RANDOM_HISTORIC: Entry = Entry {
    name: "random+historic",
    summary: "like historic, from a group drawn at random",
    parameters: RANDOM_PARAMETERS,
    build: Build::Groups(|values, given| drawn(values, given, historic)),
    ..COMMON
};

/// The registry's entry of `tree+bayesian`.
pub(crate) const TREE_BAYESIAN: Entry = Entry {
    name: "tree+bayesian",
    summary: "like bayesian, from the group that a page's content speaks for; needs a model",
    build: Build::Tree(|grouping| predicted(grouping, bayesian)),
    ..COMMON
};

/// The registry's entry of `tree+historic`.
pub(crate) const TREE_HISTORIC: Entry = Entry {
    name: "tree+historic",
    summary: "like historic, from the group that a page's content speaks for; needs a model",
    build: Build::Tree(|grouping| predicted(grouping, historic)),
    ..COMMON
};

/// What the four have in common.
const COMMON: Entry = Entry {
    name: "",
    paper: "Barbosa et al. 2005 (composition of classifiers)",
    summary: "",
    spending: Spending::Free,
    needs_truth: false,
    parameters: &[],
    build: Build::Tree(|grouping| predicted(grouping, historic)),
};

/// What can be set where groups are drawn.
const RANDOM_PARAMETERS: &[Parameter] = &[GROUPS, Parameter::number("seed", "1", (0.0, 9e15), "the seed of the draws")];

/// Makes the later classifier.
type Later = fn(Vec<Group>, Start) -> Box<dyn Policy>;

fn historic(groups: Vec<Group>, start: Start) -> Box<dyn Policy> {
    Box::new(Historic::new(groups, start))
}

fn bayesian(groups: Vec<Group>, start: Start) -> Box<dyn Policy> {
    Box::new(Bayesian::new(&groups, start))
}

fn drawn(values: &Values<'_>, given: Option<&Grouping>, later: Later) -> Box<dyn Policy> {
    later(chosen(values, given), Start::Drawn(values.number("seed") as u64))
}

fn predicted(grouping: &Grouping, later: Later) -> Box<dyn Policy> {
    later(grouping.groups().to_vec(), Start::Predicted(grouping.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::groups::TABLE_4;
    use crate::{Feature, Features, History, Outcome, PageId, Time, Visit};

    /// Pages with many links belong to the fastest group, all others to the slowest.
    fn by_links() -> Grouping {
        let tree = r#"
            features = ["links"]
            classes = ["a", "b", "c", "d"]
            nodes = [
                { feature = "links", at_most = 9.0, left_share = 0.5 },
                { rows = [0.0, 0.0, 0.0, 10.0] },
                { rows = [10.0, 0.0, 0.0, 0.0] },
            ]
        "#;
        Grouping::new(TABLE_4.to_vec(), Some(toml::from_str(tree).unwrap())).unwrap()
    }

    #[test]
    fn content_decides_first_and_history_later() {
        let mut policy = Historic::new(by_links().groups().to_vec(), Start::Predicted(by_links()));
        let page = PageId(5);
        policy.describe(page, &Features::default().with(Feature::Links, 3.0));
        assert_eq!(policy.group(page), 3);
        policy.describe(page, &Features::default().with(Feature::Links, 30.0));
        assert_eq!(policy.group(page), 3, "the first version counts");
        let visit = Visit { page, at: Time::from_secs(0), outcome: Outcome::Changed };
        policy.learn(page, &History::default(), &visit);
        assert_eq!(policy.group(page), 2, "the slowest group has a window of one visit");
        let reason = policy.reason(page, &History::default(), Time::from_secs(0));
        assert!(reason.contains("links is 3, at most 9"), "{reason}");
    }

    #[test]
    fn draws_spread_over_all_groups() {
        let policy = Historic::new(TABLE_4.to_vec(), Start::Drawn(7));
        let mut counts = [0; 4];
        (0..4000).for_each(|page| counts[policy.group(PageId(page))] += 1);
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    }
}
