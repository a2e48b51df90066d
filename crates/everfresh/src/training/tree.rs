//! A tree that says of a page seen once to which change-rate group it belongs (Barbosa et al. 2005, section 3).
//!
//! Pages are split into those that teach and those that are held out; the groups come from the former. Both sides are
//! balanced, every group as large as the smallest, since a tree that calls every page slow would be right most of the
//! time and of no use. The wrapper then finds the features that the tree is better off with, and what was learned is
//! judged by the held-out pages.

use std::str::FromStr;

use revisit::lab::cut::Cut;
use revisit::learn::dataset::Dataset;
use revisit::learn::example::{Example, intervals, label, observe};
use revisit::learn::judge::{Confusion, Folds, judge};
use revisit::learn::sample::{balanced, by_page, by_site};
use revisit::learn::tree::{Pruning, Tree};
use revisit::learn::wrapper::{Selection, select};
use revisit::model::Model;
use revisit::model::groups::Grouping;

use super::groups::{Count, Found, find};
use super::{TrainError, provenance};
use crate::models::{Provenance, Trained};

/// The folds in which sets of features are compared.
const FOLDS: usize = 5;
/// So many rows compare sets of features well enough; with more, 127 sets would take long.
const MOST_ROWS: usize = 5_000;

/// What keeps the pages that teach apart from those that judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// Two thirds of the pages teach.
    #[default]
    Page,
    /// About two thirds of the pages teach, and no site is on both sides.
    Site,
    /// All pages, in the first half of the cycles; they judge in the second.
    Time,
}

impl FromStr for Split {
    type Err = String;
    fn from_str(text: &str) -> Result<Split, String> {
        let splits = [("page", Split::Page), ("site", Split::Site), ("time", Split::Time)];
        let named = splits.into_iter().find(|(name, _)| *name == text);
        named.map(|(_, split)| split).ok_or_else(|| format!("'{text}' is no split: write page, site or time"))
    }
}

/// How a tree is to be learned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lesson {
    /// How many groups there shall be.
    pub groups: Count,
    /// What keeps teaching and judging apart.
    pub split: Split,
    /// Whether to learn from all features instead of looking for the best ones.
    pub all_features: bool,
    /// The seed of everything random.
    pub seed: u64,
}

/// A tree that was learned.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The groups.
    pub found: Found,
    /// Groups and tree, as policies use them.
    pub grouping: Grouping,
    /// The tree by itself.
    pub tree: Tree,
    /// The set of features that was chosen, if one was looked for.
    pub selection: Option<Selection>,
    /// Features that say nothing: known of no page, or the same for all.
    pub useless: Vec<String>,
    /// What it got wrong on held-out pages.
    pub confusion: Confusion,
    /// Pages learned from, after balancing.
    pub rows: usize,
}

/// Learns groups and a tree from the pages of a cut.
pub fn learn(cut: &Cut<'_>, lesson: &Lesson) -> Result<Learned, TrainError> {
    let (teaching, judging) = split(cut, lesson)?;
    let found = find(&intervals(&teaching), lesson.groups, lesson.seed)?;
    let side = |examples: &[Example]| Ok::<_, TrainError>(balanced(&label(examples, found.groups())?, lesson.seed));
    let (mut train, mut test) = (side(&teaching)?, side(&judging)?);
    let useless = useless(&train)?;
    let selection = if lesson.all_features { None } else { Some(best_features(&train, lesson.seed)?) };
    if let Some(selection) = &selection {
        (train, test) = (train.only(&selection.features), test.only(&selection.features));
    }
    let tree = Tree::learn(&train, Pruning::Pruned)?;
    let grouping = Grouping::new(found.groups().table(), Some(tree.clone()))?;
    let confusion = judge(&tree, &test);
    Ok(Learned { found, grouping, tree, selection, useless, confusion, rows: train.len() })
}

/// The examples that teach and those that judge.
fn split(cut: &Cut<'_>, lesson: &Lesson) -> Result<(Vec<Example>, Vec<Example>), TrainError> {
    let cycles = cut.window().cycles;
    if lesson.split == Split::Time {
        let half = cycles / 2;
        return Ok((observe(cut, 0..half), observe(cut, half..2 * half)));
    }
    let examples = observe(cut, 0..cycles);
    let (teaching, judging) = match lesson.split {
        Split::Site => by_site(&examples, lesson.seed)?,
        _ => by_page(examples.len(), lesson.seed)?,
    };
    let take = |places: &[usize]| places.iter().map(|place| examples[*place].clone()).collect();
    Ok((take(&teaching), take(&judging)))
}

/// The features that say nothing; an error if none says anything.
fn useless(data: &Dataset) -> Result<Vec<String>, TrainError> {
    let (mut missing, mut constant) = (Vec::new(), Vec::new());
    for (place, name) in data.features().iter().enumerate() {
        let mut known = data.rows().map(|(row, _)| row[place]).filter(|value| !value.is_nan());
        match known.next() {
            None => missing.push(name.clone()),
            Some(first) if known.all(|value| value == first) => constant.push(name.clone()),
            Some(_) => {}
        }
    }
    if missing.len() + constant.len() == data.features().len() {
        return Err(TrainError::NoFeatures { missing, constant });
    }
    Ok([missing, constant].concat())
}

/// The features with which trees err least.
fn best_features(train: &Dataset, seed: u64) -> Result<Selection, TrainError> {
    // Balancing left the rows in a random order.
    let rows: Vec<usize> = (0..train.len().min(MOST_ROWS)).collect();
    let sample = train.take(&rows);
    let folds = Folds::stratified(&sample, FOLDS, seed)?;
    Ok(select(&sample, &folds, |train| Tree::learn(train, Pruning::Pruned))?)
}

impl Learned {
    /// Groups and tree with their provenance, to be saved.
    pub fn trained(&self, cut: &Cut<'_>, seed: u64) -> Trained {
        let provenance = Provenance {
            scores: [("error".to_owned(), self.confusion.error_rate())].into(),
            pages: self.rows,
            ..provenance(cut, seed)
        };
        Trained { model: Model::Groups(self.grouping.clone()), provenance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::window;
    use revisit::Span;
    use revisit::lab::trace::{FIRST_DAY, Trace, TracePage};
    use revisit::lab::world;

    fn learned(trace: &Trace, lesson: &Lesson) -> Result<Learned, TrainError> {
        learn(&Cut::new(trace, window(trace, Span::DAY, 2).unwrap()).unwrap(), lesson)
    }

    #[test]
    fn a_tree_tells_groups_apart_on_pages_it_has_not_seen() {
        let trace = world::make("general?days=60", 600, 1).unwrap();
        for split in [Split::Page, Split::Site, Split::Time] {
            let learned = learned(&trace, &Lesson { split, all_features: true, seed: 1, ..Lesson::default() }).unwrap();
            assert!(learned.confusion.error_rate() < 0.65, "{split:?}: by chance 0.75\n{}", learned.confusion);
            assert!(learned.confusion.total() > 50 && learned.selection.is_none());
            assert_eq!(learned.grouping.tree(), Some(&learned.tree));
        }
    }

    /// Pages that change every so many days, with so many links.
    fn pages(links: impl Fn(u32) -> Option<f32>) -> Trace {
        let page = |number: u32| {
            let mut page = TracePage::named(format!("p{number}"), FIRST_DAY, FIRST_DAY + Span::DAY * 40.0);
            page.links = links(number);
            let days = (0..40).step_by(1 + number as usize % 10);
            (page, days.map(|day| FIRST_DAY + Span::DAY * f64::from(day)).collect())
        };
        Trace::new("made", (0..60).map(page))
    }

    #[test]
    fn what_cannot_be_learned_is_told() {
        let said = |trace: &Trace| learned(trace, &Lesson::default()).unwrap_err().to_string();
        let constant = said(&pages(|_| Some(3.0)));
        assert!(constant.contains("links the same for all") && constant.contains("depth"), "{constant}");
        let missing = said(&pages(|_| None));
        assert!(missing.contains("no feature tells pages apart: links, emails"), "{missing}");
        let still = Trace::daily("still", 40, (0..9).map(|page| (format!("p{page}"), vec![])));
        assert!(said(&still).contains("1 different mean change intervals do not make 2 groups"), "{}", said(&still));
        let few = Trace::daily("few", 40, [("a", vec![1]), ("b", vec![])]);
        assert!(said(&few).contains("2 rows cannot be cut into 3 parts"), "{}", said(&few));
    }

    #[test]
    fn useless_features_are_named_and_do_no_harm() {
        let learned = learned(&pages(|number| Some((number % 10) as f32)), &Lesson::default()).unwrap();
        assert!(learned.confusion.error_rate() < 0.2, "{}", learned.confusion);
        assert_eq!(learned.tree.features(), ["links"]);
        assert_eq!(learned.selection.map(|selection| selection.tried), Some(1023));
        assert_eq!(learned.useless.len(), 9);
    }
}
