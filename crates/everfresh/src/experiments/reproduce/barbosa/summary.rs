//! What all seeds together gave, beside what the paper has.
//!
//! Error rates are means over the seeds. What cannot be averaged (groups, the tree, who was taken for whom) is that of the
//! first seed.

use std::collections::BTreeMap;

use revisit::lab::confidence::{Paired, Spread, mean};
use revisit::learn::groups::{Cluster, Groups};
use revisit::learn::judge::Confusion;
use serde::Serialize;

use super::crawl::{BEGINNINGS, COMBINATIONS};
use super::experiment::{Judged, Outcome};
use super::sides::Split;
use super::statements;

/// Error rate and seconds of the paper's Table 1.
const TABLE_1: [(f64, f64); 5] = [(0.119, 2.41), (0.107, 1.63), (0.405, 120.5), (0.1127, 4393.15), (0.1188, 6335.49)];
/// The error rates of its Table 3.
const TABLE_3: [f64; 2] = [0.7522, 0.2564];
/// The error rates of its Table 5.
const TABLE_5: [f64; 4] = [0.3473, 0.2833, 0.3787, 0.1495];

/// The report of the command.
#[derive(Serialize)]
pub(crate) struct BarbosaResults {
    pub(super) trace: String,
    pub(super) pages: usize,
    pub(super) cycles: usize,
    pub(super) cycle_days: f64,
    pub(super) split: &'static str,
    pub(super) seeds: usize,
    /// Pages that trained, and pages that were crawled.
    pub(super) trained: usize,
    pub(super) tested: usize,
    pub(super) figure_2: Vec<Choice>,
    /// How many groups everything else was made with.
    pub(super) groups: usize,
    pub(super) features: Features,
    pub(super) table_1: Vec<Classified>,
    pub(super) table_3: Vec<Begun>,
    pub(super) table_5: Vec<Composed>,
    /// The pruned tree, as text.
    pub(super) tree: String,
    /// What held of the paper's statements and what did not.
    pub(super) text: String,
}

/// The groups for one number of them.
#[derive(Serialize)]
pub(super) struct Choice {
    pub(super) silhouette: f64,
    pub(super) groups: Vec<Group>,
}

/// A group: how often its pages change, and how many they are.
#[derive(Serialize)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) centre_days: f64,
    pub(super) pages: usize,
}

/// Which features the wrapper kept.
#[derive(Serialize)]
pub(super) struct Features {
    /// With how many of the seeds each feature was kept.
    pub(super) kept: BTreeMap<String, usize>,
    /// Those of which no page has a value.
    pub(super) unknown: Vec<String>,
    /// How many sets were tried.
    pub(super) tried: usize,
    /// The error of cross-validation with the features kept.
    pub(super) error: f64,
}

/// An error rate.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Rate {
    pub(super) error: f64,
    /// Half of the 95 % interval over the seeds; absent with one seed.
    pub(super) interval: Option<f64>,
    pub(super) paper: f64,
}

/// A row of Table 1.
#[derive(Serialize)]
pub(super) struct Classified {
    pub(super) method: String,
    #[serde(flatten)]
    pub(super) rate: Rate,
    /// How long it took to classify all pages it was checked on, and one of them.
    pub(super) seconds: f64,
    pub(super) nanoseconds_per_page: f64,
    pub(super) paper_seconds: f64,
    /// Of a tree: its leaves, and the conditions on its longest path.
    pub(super) leaves: Option<f64>,
    pub(super) depth: Option<f64>,
    pub(super) confusion: Vec<Vec<usize>>,
}

/// A row of Table 3.
#[derive(Serialize)]
pub(super) struct Begun {
    pub(super) beginning: &'static str,
    #[serde(flatten)]
    pub(super) rate: Rate,
    pub(super) confusion: Vec<Vec<usize>>,
}

/// A row of Table 5.
#[derive(Serialize)]
pub(super) struct Composed {
    pub(super) policy: &'static str,
    #[serde(flatten)]
    pub(super) rate: Rate,
    /// By how much it errs more than tree+historic, seed by seed; absent with one seed.
    pub(super) above: Option<Above>,
    pub(super) visits_per_page: f64,
    pub(super) freshness: f64,
    pub(super) confusion: Vec<Vec<usize>>,
}

/// A difference that was tested.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Above {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) p: f64,
}

/// Sums up what the seeds gave, of which there is at least one.
pub(crate) fn summarise(outcomes: &[Outcome], split: Split) -> BarbosaResults {
    let first = &outcomes[0];
    let mut results = BarbosaResults {
        trace: first.trace.clone(),
        pages: first.pages,
        cycles: first.window.cycles,
        cycle_days: first.window.cycle.as_days(),
        split: split.name(),
        seeds: outcomes.len(),
        trained: first.trained,
        tested: first.tested,
        figure_2: first.choices.iter().map(Choice::of).collect(),
        groups: first.groups.clusters().len(),
        features: features(outcomes),
        table_1: (0..TABLE_1.len()).map(|place| classified(outcomes, place)).collect(),
        table_3: (0..TABLE_3.len()).map(|place| begun(outcomes, place)).collect(),
        table_5: (0..TABLE_5.len()).map(|place| composed(outcomes, place)).collect(),
        tree: first.tree.to_string(),
        text: String::new(),
    };
    results.text = statements::of(&results);
    results
}

impl Choice {
    fn of(groups: &Groups) -> Choice {
        let group = |(cluster, name): (&Cluster, String)| Group {
            name,
            centre_days: cluster.centre.as_days(),
            pages: cluster.size,
        };
        let named = groups.clusters().iter().zip(groups.names());
        Choice { silhouette: groups.silhouette(), groups: named.map(group).collect() }
    }
}

fn features(outcomes: &[Outcome]) -> Features {
    let mut kept = BTreeMap::new();
    for features in outcomes.iter().map(|outcome| &outcome.features) {
        features.kept.iter().for_each(|name| *kept.entry(name.clone()).or_default() += 1);
        features.dropped.iter().for_each(|name| *kept.entry(name.clone()).or_default() += 0);
    }
    let first = &outcomes[0].features;
    let error = mean_of(outcomes, |outcome| outcome.features.error);
    Features { kept, unknown: first.unknown.clone(), tried: first.tried, error }
}

fn classified(outcomes: &[Outcome], place: usize) -> Classified {
    let rows: Vec<&Judged> = outcomes.iter().map(|outcome| &outcome.classifiers[place]).collect();
    let size = |part: fn((usize, usize)) -> usize| {
        let sizes: Option<Vec<f64>> = rows.iter().map(|row| row.size.map(|size| part(size) as f64)).collect();
        sizes.map(|sizes| mean(&sizes))
    };
    let seconds = mean_of(&rows, |row| row.seconds);
    let checked = mean_of(&rows, |row| row.confusion.total() as f64);
    Classified {
        method: rows[0].method.to_string(),
        rate: Rate::of(&rows, TABLE_1[place].0, |row| row.confusion.error_rate()),
        seconds,
        nanoseconds_per_page: 1e9 * seconds / checked.max(1.0),
        paper_seconds: TABLE_1[place].1,
        leaves: size(|(leaves, _)| leaves),
        depth: size(|(_, depth)| depth),
        confusion: counts(&rows[0].confusion),
    }
}

fn begun(outcomes: &[Outcome], place: usize) -> Begun {
    Begun {
        beginning: BEGINNINGS[place],
        rate: Rate::of(outcomes, TABLE_3[place], |outcome| outcome.begun[place].error_rate()),
        confusion: counts(&outcomes[0].begun[place]),
    }
}

fn composed(outcomes: &[Outcome], place: usize) -> Composed {
    let best = COMBINATIONS.len() - 1;
    let error = |outcome: &Outcome, place: usize| outcome.ended[place].confusion.error_rate();
    let differences: Vec<f64> = outcomes.iter().map(|outcome| error(outcome, place) - error(outcome, best)).collect();
    let above = Paired::of(&differences).filter(|_| place != best);
    let visits = |outcome: &Outcome| outcome.ended[place].measures.downloads as f64 / outcome.tested.max(1) as f64;
    Composed {
        policy: COMBINATIONS[place],
        rate: Rate::of(outcomes, TABLE_5[place], |outcome| error(outcome, place)),
        above: above.map(|Paired { mean, low, high, p }| Above { mean, low, high, p }),
        visits_per_page: mean_of(outcomes, visits),
        freshness: mean_of(outcomes, |outcome| outcome.ended[place].measures.freshness),
        confusion: counts(&outcomes[0].ended[place].confusion),
    }
}

impl Rate {
    fn of<T>(repeated: &[T], paper: f64, error: impl Fn(&T) -> f64) -> Rate {
        let errors: Vec<f64> = repeated.iter().map(error).collect();
        Rate { error: mean(&errors), interval: Spread::of(&errors).map(|spread| spread.half_width()), paper }
    }
}

fn mean_of<T>(repeated: &[T], value: impl Fn(&T) -> f64) -> f64 {
    mean(&repeated.iter().map(value).collect::<Vec<_>>())
}

/// A row for each true group, a column for each group said.
fn counts(confusion: &Confusion) -> Vec<Vec<usize>> {
    let groups = 0..confusion.classes().len();
    groups.clone().map(|is| groups.clone().map(|said| confusion.count(is, said)).collect()).collect()
}
