//! Barbosa's static classifier from end to end: a world watched for 100 days, groups, classifiers, features that matter.
#![allow(clippy::unwrap_used)]

use revisit::Span;
use revisit::features::Feature;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::trace::Trace;
use revisit::lab::world;
use revisit::learn::dataset::Dataset;
use revisit::learn::example::{Example, intervals, label, observe};
use revisit::learn::groups::{Groups, USUAL_COUNT, choices};
use revisit::learn::judge::{Folds, judge};
use revisit::learn::method::Method;
use revisit::learn::tree::{Pruning, Tree};
use revisit::learn::{sample, wrapper};

const DAYS: usize = 100;

fn general() -> Trace {
    world::make("general?betray=0.95", 6_000, 1).unwrap()
}

fn watched(trace: &Trace, days: std::ops::Range<usize>) -> Vec<Example> {
    let window = Window { start: trace.span().unwrap().0, cycle: Span::DAY, cycles: DAYS, warmup: 2 };
    observe(&Cut::new(trace, window).unwrap(), days)
}

fn chosen(examples: &[Example], rows: &[usize]) -> Vec<Example> {
    rows.iter().map(|row| examples[*row].clone()).collect()
}

/// Errors in 100 rows.
fn error(method: Method, train: &Dataset, test: &Dataset) -> f64 {
    100.0 * judge(&method.learn(train, 1).unwrap(), test).error_rate()
}

#[test]
fn features_that_betray_the_rate_beat_chance_however_the_pages_are_split() {
    let trace = general();
    let examples = watched(&trace, 0..DAYS);
    let by = |(train, test): (Vec<usize>, Vec<usize>)| (chosen(&examples, &train), chosen(&examples, &test));
    let splits = [
        ("page", by(sample::by_page(examples.len(), 1).unwrap())),
        ("site", by(sample::by_site(&examples, 1).unwrap())),
        ("time", (watched(&trace, 0..DAYS / 2), watched(&trace, DAYS / 2..DAYS))),
    ];
    for (name, (train, test)) in splits {
        let groups = Groups::fit(&intervals(&train), USUAL_COUNT, 1).unwrap();
        let [train, test] = [train, test].map(|side| sample::balanced(&label(&side, &groups).unwrap(), 1));
        let chance = error(Method::Chance, &train, &test);
        let errors = Method::TABLE_1.map(|method| error(method, &train, &test));
        println!("by {name}: {} and {} pages, errors {errors:.1?} %, by chance {chance:.1} %", train.len(), test.len());
        assert!((chance - 75.0).abs() < 4.0, "four balanced groups");
        assert!(errors.iter().all(|error| *error < chance - 15.0), "by {name}");
    }
}

#[test]
fn the_wrapper_leaves_out_what_is_unknown() {
    let examples = watched(&general(), 0..DAYS);
    let groups = Groups::fit(&intervals(&examples), 2, 1).unwrap();
    let data = sample::balanced(&label(&examples, &groups).unwrap(), 1).take(&(0..400).collect::<Vec<_>>());
    let folds = Folds::stratified(&data, 3, 1).unwrap();
    let selection = wrapper::select(&data, &folds, |train| Tree::learn(train, Pruning::Pruned)).unwrap();
    let names: Vec<&str> = selection.features.iter().map(|feature| Feature::names()[*feature]).collect();
    assert_eq!(selection.tried, 1023);
    assert!(!names.contains(&"depth") && !names.contains(&"last_modified"), "the trace knows neither: {names:?}");
    assert!(names.contains(&"text_bytes") || names.contains(&"links"), "{names:?}");
}

#[test]
fn everything_repeats() {
    let learn = || {
        let examples = watched(&general(), 0..DAYS);
        let all = choices(&intervals(&examples), 7).unwrap();
        let data = sample::balanced(&label(&examples, &all[2]).unwrap(), 7);
        (all, Tree::learn(&data, Pruning::Pruned).unwrap())
    };
    let once = learn();
    assert_eq!(once, learn());
    assert!(once.1.leaves() > 3 && once.1.classify(&[f64::NAN; Feature::ALL.len()]) < 4);
}
