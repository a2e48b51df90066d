//! The experiment on one trace with one seed: groups, features, classifiers, and where the crawled pages end.

use std::time::Instant;

use revisit::lab::cut::{Cut, Window};
use revisit::lab::trace::Trace;
use revisit::learn::dataset::Dataset;
use revisit::learn::example::{Example, intervals, label};
use revisit::learn::groups::{Groups, choices};
use revisit::learn::judge::{Confusion, Folds, judge};
use revisit::learn::method::Method;
use revisit::learn::sample::balanced;
use revisit::learn::tree::{Pruning, Tree};
use revisit::learn::{Classifier, LearnError, wrapper};
use revisit::model::groups::Grouping;

use super::crawl::{Crawl, Ended};
use super::sides::{Sides, Split};
use crate::experiments::ExperimentError;

/// The folds that score a set of features, as many as Kohavi & John 1997 use.
const FOLDS: usize = 5;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) split: Split,
    pub(super) groups: usize,
    pub(super) seed: u64,
}

/// What came out.
pub(crate) struct Outcome {
    pub(super) trace: String,
    pub(super) pages: usize,
    /// When the test pages were crawled.
    pub(super) window: Window,
    pub(super) trained: usize,
    pub(super) tested: usize,
    /// Figure 2: the groups for every number of them.
    pub(super) choices: Vec<Groups>,
    /// Those that the rest was made with.
    pub(super) groups: Groups,
    pub(super) features: Selected,
    pub(super) classifiers: Vec<Judged>,
    pub(super) tree: Tree,
    pub(super) begun: [Confusion; 2],
    pub(super) ended: [Ended; 4],
}

/// The features that the wrapper found.
pub(super) struct Selected {
    /// Their places in a row.
    places: Vec<usize>,
    /// Those it kept.
    pub(super) kept: Vec<String>,
    /// Those it did without.
    pub(super) dropped: Vec<String>,
    /// Those that no page has a value of.
    pub(super) unknown: Vec<String>,
    /// How many sets it tried.
    pub(super) tried: usize,
    /// The error of cross-validation with those kept.
    pub(super) error: f64,
}

/// A row of Table 1.
pub(super) struct Judged {
    pub(super) method: Method,
    pub(super) confusion: Confusion,
    /// How long it took to classify every page it was checked on.
    pub(super) seconds: f64,
    /// Leaves and depth, if it is a tree.
    pub(super) size: Option<(usize, usize)>,
}

/// Does the whole experiment.
pub(super) fn experiment(trace: &Trace, window: Window, plan: Plan) -> Result<Outcome, ExperimentError> {
    let Plan { split, groups: count, seed } = plan;
    let cut = Cut::new(trace, window).map_err(ExperimentError::wrong)?;
    let sides = Sides::of(&cut, split, seed).map_err(ExperimentError::wrong)?;
    let found = intervals(&sides.train);
    let (choices, groups) = (
        choices(&found, seed).map_err(ExperimentError::wrong)?,
        Groups::fit(&found, count, seed).map_err(ExperimentError::wrong)?,
    );
    let sample =
        |side: &[Example]| label(side, &groups).map(|data| balanced(&data, seed)).map_err(ExperimentError::wrong);
    let (learn, check) = (sample(&sides.learn)?, sample(&sides.check)?);
    let features = Selected::of(&learn, &trace.name, seed)?;
    let (learn, check) = (learn.only(&features.places), check.only(&features.places));
    let judged = Method::TABLE_1.into_iter().map(|method| Judged::of(method, &learn, &check, seed));
    let classifiers = judged.collect::<Result<_, _>>().map_err(ExperimentError::wrong)?;
    let tree = Tree::learn(&learn, Pruning::Pruned).map_err(ExperimentError::wrong)?;
    let (begun, ended) = crawl(&sides, trace, &groups, &tree, seed)?;
    Ok(Outcome {
        trace: trace.name.clone(),
        pages: cut.len(),
        window: sides.window,
        trained: sides.train.len(),
        tested: sides.test.len(),
        choices,
        groups,
        features,
        classifiers,
        tree,
        begun,
        ended,
    })
}

/// Crawls the test pages.
fn crawl(
    sides: &Sides,
    trace: &Trace,
    groups: &Groups,
    tree: &Tree,
    seed: u64,
) -> Result<([Confusion; 2], [Ended; 4]), ExperimentError> {
    let truth: Vec<usize> = sides.test.iter().map(|page| groups.of(page.interval)).collect();
    let crawl = Crawl {
        trace: &sides.crawled(trace),
        window: sides.window,
        pages: &sides.test,
        truth: &truth,
        names: &groups.names(),
        grouping: &Grouping::new(groups.table(), Some(tree.clone())).map_err(ExperimentError::wrong)?,
        seed,
    };
    Ok((crawl.begin(), crawl.end()?))
}

impl Selected {
    fn of(learn: &Dataset, trace: &str, seed: u64) -> Result<Selected, ExperimentError> {
        let is_known = |place: &usize| learn.rows().any(|(row, _)| !row[*place].is_nan());
        let (known, unknown): (Vec<usize>, Vec<usize>) = (0..learn.features().len()).partition(is_known);
        if known.is_empty() {
            let lines = "text_bytes, links, images, emails or dir_level in pages.csv";
            return Err(ExperimentError::Wrong(format!(
                "no page of {trace} has a feature to learn from: give {lines}"
            )));
        }
        let folds = Folds::stratified(learn, FOLDS, seed).map_err(ExperimentError::wrong)?;
        let learned = |data: &Dataset| Tree::learn(data, Pruning::Pruned);
        let selection = wrapper::select(&learn.only(&known), &folds, learned).map_err(ExperimentError::wrong)?;
        let places: Vec<usize> = selection.features.iter().map(|place| known[*place]).collect();
        let names = |places: &[usize]| places.iter().map(|place| learn.features()[*place].clone()).collect();
        let dropped: Vec<usize> = known.iter().copied().filter(|place| !places.contains(place)).collect();
        Ok(Selected {
            kept: names(&places),
            dropped: names(&dropped),
            unknown: names(&unknown),
            tried: selection.tried,
            error: selection.error_rate,
            places,
        })
    }
}

impl Judged {
    fn of(method: Method, learn: &Dataset, check: &Dataset, seed: u64) -> Result<Judged, LearnError> {
        let (confusion, seconds, size) = match method {
            Method::Tree(pruning) => {
                let tree = Tree::learn(learn, pruning)?;
                let (confusion, seconds) = timed(&tree, check);
                (confusion, seconds, Some((tree.leaves(), tree.depth())))
            }
            method => {
                let (confusion, seconds) = timed(&method.learn(learn, seed)?, check);
                (confusion, seconds, None)
            }
        };
        Ok(Judged { method, confusion, seconds, size })
    }
}

fn timed(classifier: &impl Classifier, check: &Dataset) -> (Confusion, f64) {
    let begin = Instant::now();
    let confusion = judge(classifier, check);
    (confusion, begin.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use revisit::Span;
    use revisit::lab::trace::{FIRST_DAY, TracePage};

    /// Pages with many links change every day, the others every tenth; what is said of images is noise.
    fn two_kinds(pages: u32, described: bool) -> Trace {
        let end = FIRST_DAY + Span::DAY * 100.0;
        let page = |number: u32| {
            let page = TracePage::named(format!("http://{}.test/{number}", number % 9), FIRST_DAY, end);
            let (links, images) = (Some(number as f32), Some((number % 7) as f32));
            let page = if described { TracePage { links, images, ..page } } else { page };
            let step = if number > pages / 2 { 1 } else { 10 };
            let days = (number % 3..100).step_by(step).map(|day| FIRST_DAY + Span::DAY * (f64::from(day) + 0.5));
            (page, days.collect())
        };
        Trace::new("two kinds", (0..pages).map(page))
    }

    fn outcome(trace: &Trace, split: Split) -> Result<Outcome, ExperimentError> {
        let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 100, warmup: 1 };
        experiment(trace, window, Plan { split, groups: 2, seed: 1 })
    }

    #[test]
    fn content_tells_the_kinds_apart_and_history_keeps_them_so() {
        for split in [Split::Page, Split::Site, Split::Time] {
            let outcome = outcome(&two_kinds(300, true), split).unwrap();
            assert_eq!(outcome.groups.clusters().len(), 2);
            assert_eq!(
                (&outcome.features.kept[..], &outcome.features.dropped[..]),
                (&["links".into()][..], &["images".into()][..])
            );
            assert_eq!((outcome.features.unknown.len(), outcome.features.tried), (8, 3));
            let errors = outcome.classifiers.iter().map(|judged| judged.confusion.error_rate());
            assert!(errors.into_iter().all(|error| error < 0.1));
            assert_eq!(outcome.classifiers[1].size, Some((2, 1)));
            assert!(outcome.begun[0].error_rate() > 0.3 && outcome.begun[1].error_rate() < 0.1);
            assert!(outcome.ended[3].confusion.error_rate() < 0.1, "{}", outcome.ended[3].confusion);
            assert_eq!(outcome.ended[0].confusion.total(), outcome.tested);
        }
    }

    #[test]
    fn nothing_to_learn_from_is_told() {
        let said = |trace: &Trace| outcome(trace, Split::Page).err().unwrap().to_string();
        assert!(said(&two_kinds(300, false)).contains("no page of two kinds has a feature to learn from"));
        assert!(said(&two_kinds(2, true)).contains("cannot be cut into 3 parts"));
        let still = Trace::daily("still", 100, (0..50).map(|page| (format!("p{page}"), vec![])));
        assert!(said(&still).contains("different mean change intervals do not make 2 groups"));
    }
}
