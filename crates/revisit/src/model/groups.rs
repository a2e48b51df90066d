//! Change-rate groups: what `historic` and `bayesian` sort pages into, fastest first (Barbosa et al. 2005).

use super::tree::Tree;
use crate::features::{Feature, Features, UnknownFeature};
use crate::time::Span;

/// Pages that change about equally often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// How often its pages are visited.
    pub interval: Span,
    /// After how many visits a page of it is judged.
    pub window: u8,
    /// A page with a smaller share of changed visits belongs to a slower group.
    pub least: f64,
    /// A page with a larger share of changed visits belongs to a faster group.
    pub most: f64,
}

const fn group(days: i64, window: u8, least: f64, most: f64) -> Group {
    Group { interval: Span::from_secs(days * 86_400), window, least, most }
}

/// The paper's Table 2, its example.
pub const TABLE_2: [Group; 4] =
    [group(1, 10, 0.3, 0.7), group(7, 8, 0.3, 0.7), group(30, 6, 0.3, 0.7), group(100, 2, 0.3, 0.7)];

/// The paper's Table 4, which its experiments used.
pub const TABLE_4: [Group; 4] =
    [group(1, 3, 0.2, 0.8), group(3, 2, 0.2, 0.8), group(31, 2, 0.2, 0.8), group(96, 1, 0.2, 0.8)];

/// Groups, and what predicts the group of a page that was seen once.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouping {
    groups: Vec<Group>,
    predictor: Option<Predictor>,
}

/// A tree whose classes are groups, and the features it asks for.
#[derive(Clone, Debug, PartialEq)]
struct Predictor {
    tree: Tree,
    features: Vec<Feature>,
}

/// Why groups, or groups and a tree, make no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupingError {
    /// None, or more than a page's group has room for.
    #[error("a model needs 1 to 255 groups, not {0}: train it again")]
    Count(usize),
    /// A group that cannot be used.
    #[error("group {0} has an interval, a window or thresholds that cannot be: train the model again")]
    Group(usize),
    /// Not one class a group.
    #[error("the tree tells {classes} classes apart, but there are {groups} groups: train the model again")]
    Classes {
        /// How many classes the tree has.
        classes: usize,
        /// How many groups there are.
        groups: usize,
    },
    /// A feature that pages do not have.
    #[error(transparent)]
    Feature(#[from] UnknownFeature),
}

impl Grouping {
    /// Groups, fastest first, and a tree that has a class for each of them.
    pub fn new(groups: Vec<Group>, tree: Option<Tree>) -> Result<Grouping, GroupingError> {
        if !(1..=255).contains(&groups.len()) {
            return Err(GroupingError::Count(groups.len()));
        }
        let fine = |group: &Group| {
            let Group { interval, window, least, most } = *group;
            interval > Span::ZERO && window > 0 && [least, most].iter().all(|share| (0.0..=1.0).contains(share))
        };
        if let Some(wrong) = groups.iter().position(|group| !fine(group)) {
            return Err(GroupingError::Group(wrong));
        }
        let predictor = match tree {
            Some(tree) if tree.classes().len() != groups.len() => {
                return Err(GroupingError::Classes { classes: tree.classes().len(), groups: groups.len() });
            }
            Some(tree) => Some(Predictor { features: Feature::named(tree.features())?, tree }),
            None => None,
        };
        Ok(Grouping { groups, predictor })
    }

    /// The groups, fastest first.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The tree, if there is one.
    pub fn tree(&self) -> Option<&Tree> {
        self.predictor.as_ref().map(|predictor| &predictor.tree)
    }

    /// The group that a page's first version speaks for; `None` if there is no tree.
    pub fn predict(&self, features: &Features) -> Option<usize> {
        let Predictor { tree, features: columns } = self.predictor.as_ref()?;
        Some(tree.classify(&features.row(columns)))
    }

    /// The conditions that led to [`Grouping::predict`], in words.
    pub fn explain(&self, features: &Features) -> Option<String> {
        let Predictor { tree, features: columns } = self.predictor.as_ref()?;
        Some(tree.explain(&features.row(columns)).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_is_refused() {
        let never = Group { window: 0, ..TABLE_4[2] };
        assert_eq!(Grouping::new(vec![], None), Err(GroupingError::Count(0)));
        assert_eq!(Grouping::new(vec![TABLE_4[0], never], None), Err(GroupingError::Group(1)));
        assert_eq!(Grouping::new(TABLE_4.to_vec(), None).unwrap().predict(&Features::default()), None);
    }
}
