//! The fast evaluation of formulas against the lab's general loop.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use proptest::prelude::*;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::run::{Run, run};
use revisit::lab::trace::{FIRST_DAY, Trace, TracePage};
use revisit::learn::gp::{
    BASELINES, Choice, Evolution, Evolved, Objective, Part, ResumeError, Sample, Scratch, Settings, Trial, Workers,
    baseline, roles,
};
use revisit::model::formula::{Formula, Function, Node, Variable};
use revisit::policy::registry;
use revisit::{Budget, History, PageId, Pages, Policy, Span, Time};

/// The policy that scores by a formula, as plain as can be.
struct ByFormula {
    formula: Formula,
    pages: Vec<TracePage>,
    cycle: Span,
}

impl Policy for ByFormula {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        let page = &self.pages[page.index()];
        Some(self.formula.evaluate(|variable| {
            variable.of_history(history, self.cycle, now).or_else(|| variable.of_features(&page.features())).unwrap()
        }))
    }

    fn reason(&self, _page: PageId, _history: &History, _now: Time) -> String {
        String::new()
    }

    fn plan(&mut self, _pages: &Pages, budget: Budget, _now: Time) {
        self.cycle = budget.cycle;
    }
}

fn in_the_lab(cut: &Cut<'_>, formula: &Formula, visits: usize) -> Run {
    let pages = (0..cut.len()).map(|index| cut.trace().page(cut.page(index)).clone()).collect();
    let policy = ByFormula { formula: formula.clone(), pages, cycle: Span::HOUR };
    run(cut, Box::new(policy), visits).unwrap()
}

/// Pages that change with all kinds of regularity.
fn any_trace() -> impl Strategy<Value = (Trace, Window)> {
    let size = (1_usize..60, prop_oneof![3..20_usize, 60..70_usize, 120..140_usize], 1_usize..5);
    size.prop_flat_map(|(pages, cycles, warmup)| {
        let page = (prop::collection::btree_set(0..cycles as u32, 0..cycles.min(12)), 1_u32..9, any::<bool>(), 0_u8..4);
        prop::collection::vec(page, pages).prop_map(move |pages| {
            let pages = pages.into_iter().enumerate().map(|(number, (some, step, regular, links))| {
                let days: Vec<u32> = if regular {
                    (0..cycles as u32).step_by(step as usize).collect()
                } else {
                    some.into_iter().collect()
                };
                let end = FIRST_DAY + Span::DAY * cycles as f64;
                let mut page = TracePage::named(format!("p{number}"), FIRST_DAY, end);
                page.links = (links > 0).then_some(f32::from(links));
                (page, days.into_iter().map(|day| FIRST_DAY + Span::DAY * (f64::from(day) + 0.5)).collect())
            });
            let warmup = warmup.min(cycles - 1);
            (Trace::new("made", pages), Window { start: FIRST_DAY, cycle: Span::DAY, cycles, warmup })
        })
    })
}

/// Formulas that tell pages apart well, badly or not at all.
fn any_formula(variables: Vec<Variable>) -> impl Strategy<Value = Formula> {
    let constants = vec![0.001, 0.5, 1.0, std::f64::consts::E, 10.0, 1000.0];
    let leaf = prop_oneof![
        3 => prop::sample::select(variables).prop_map(|variable| vec![Node::Variable(variable)]),
        1 => prop::sample::select(constants).prop_map(|value| vec![Node::Constant(value)]),
    ];
    let tree = leaf.prop_recursive(5, 30, 2, |inner| {
        (prop::sample::select(Function::ALL.to_vec()), inner.clone(), inner).prop_map(
            |(function, mut first, second)| {
                if function.arguments() == 2 {
                    first.extend(second);
                }
                first.push(Node::Function(function));
                first
            },
        )
    });
    tree.prop_map(|nodes| Formula::new(nodes).unwrap())
}

fn agrees(formula: &Formula, (trace, window): &(Trace, Window), share: f64) -> Result<(), TestCaseError> {
    let cut = Cut::new(trace, *window).unwrap();
    let visits = (share * cut.len() as f64) as usize;
    let lab = in_the_lab(&cut, formula, visits);
    let places: Vec<u32> = (0..cut.len() as u32).collect();
    let sample = Sample::new(&cut, &places);
    let mut scratch = Scratch::default();
    for objective in Objective::ALL {
        let trial = Trial::new(&sample, visits, objective);
        let judgement = trial.judge(formula, &mut scratch);
        let counts = |cycles: &[revisit::lab::measure::CycleCounts]| -> Vec<(usize, usize, usize)> {
            cycles.iter().map(|cycle| (cycle.visits, cycle.changed_visits, cycle.changed_pages)).collect()
        };
        prop_assert_eq!(counts(&judgement.cycles), counts(&lab.cycles), "{}", formula);
        let measures = lab.measures();
        match objective {
            Objective::ChangeRatio => prop_assert_eq!(judgement.value, measures.change_ratio),
            Objective::Recall => prop_assert_eq!(judgement.value, measures.recall),
            Objective::Freshness => prop_assert_eq!(judgement.value, measures.freshness),
            Objective::WeightedFreshness => prop_assert!((judgement.value - measures.freshness).abs() < 1e-12),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_fast_way_counts_as_the_lab_does(
        formula in any_formula(Variable::THESIS.to_vec()),
        world in any_trace(),
        share in 0.0_f64..1.3,
    ) {
        agrees(&formula, &world, share)?;
    }

    #[test]
    fn scarce_visits_are_the_same_ones(
        formula in any_formula(Variable::THESIS.to_vec()),
        world in any_trace(),
        share in 0.0_f64..0.2,
    ) {
        agrees(&formula, &world, share)?;
    }
}

proptest! {
    #[test]
    fn the_general_way_counts_as_the_lab_does(
        formula in any_formula(Variable::ALL.to_vec()),
        world in any_trace(),
        share in 0.0_f64..1.1,
    ) {
        agrees(&formula, &world, share)?;
    }
}

#[test]
fn baselines_visit_the_pages_that_their_policies_visit() {
    let trace = revisit::lab::world::make("general?days=80", 300, 3).unwrap();
    let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 80, warmup: 2 };
    let cut = Cut::new(&trace, window).unwrap();
    let sample = Sample::new(&cut, &(0..cut.len() as u32).collect::<Vec<_>>());
    let trial = Trial::new(&sample, 20, Objective::Freshness);
    for (name, _) in BASELINES {
        let lab = run(&cut, registry::build(name).unwrap(), 20).unwrap().measures();
        let judgement = trial.judge(&baseline(name).unwrap(), &mut Scratch::default());
        let changed = judgement.cycles.iter().map(|cycle| cycle.changed_visits).sum::<usize>();
        assert_eq!((judgement.value, changed as f64 / lab.downloads as f64), (lab.freshness, lab.precision), "{name}");
    }
}

/// A small world in three roles.
fn samples(pages: u32) -> [Sample; 3] {
    let trace = revisit::lab::world::make("brdc12-like", pages, 5).unwrap();
    let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 57, warmup: 2 };
    let cut = Cut::new(&trace, window).unwrap();
    let roles = roles(cut.len(), 0, 5).unwrap();
    [roles.train, roles.validation, roles.test].map(|places| Sample::new(&cut, &places))
}

fn trials(samples: &[Sample; 3], objective: Objective) -> [Trial<'_>; 3] {
    samples.each_ref().map(|sample| Trial::new(sample, sample.visits(0.05), objective))
}

fn small() -> Settings {
    Settings { population: 40, generations: 8, kept: 10, ..Settings::default() }
}

/// As many threads.
struct Threads(usize);

impl Workers for Threads {
    fn count(&self) -> usize {
        self.0
    }

    fn run(&self, parts: Vec<Part<'_>>) {
        std::thread::scope(|scope| parts.into_iter().for_each(|part| drop(scope.spawn(part))));
    }
}

#[test]
fn the_same_seed_gives_the_same_result_on_any_number_of_threads() {
    let samples = samples(600);
    let [train, validation, test] = trials(&samples, Objective::ChangeRatio);
    let alone = |settings: Settings| Evolution::new(settings, &train).unwrap().finish(&validation, &test);
    let helped = |threads| {
        let mut evolution = Evolution::new(small(), &train).unwrap();
        while evolution.step_with(&Threads(threads)).is_some() {}
        evolution.finish(&validation, &test)
    };
    let one = alone(small());
    assert_eq!(one, helped(2));
    assert_eq!(one, helped(5));
    assert_ne!(one.formula, alone(Settings { seed: 112, ..small() }).formula);
}

#[test]
fn a_run_killed_after_any_generation_ends_as_if_it_had_not_been() {
    let samples = samples(600);
    let [train, validation, test] = trials(&samples, Objective::ChangeRatio);
    for choice in Choice::ALL {
        let settings = Settings { choice, ..small() };
        let whole = Evolution::new(settings.clone(), &train).unwrap().finish(&validation, &test);
        let mut evolution = Evolution::new(settings.clone(), &train).unwrap();
        loop {
            let text = evolution.checkpoint();
            evolution = Evolution::resume(settings.clone(), &train, &text).unwrap();
            assert_eq!(evolution.checkpoint(), text);
            if evolution.step_with(&Threads(2)).is_none() {
                break;
            }
        }
        let pieces = evolution.finish(&validation, &test);
        assert_eq!(Evolved { simulated: whole.simulated, ..pieces }, whole);
    }
}

#[test]
fn a_damaged_or_foreign_checkpoint_is_refused() {
    let (samples, others) = (samples(300), samples(310));
    let [train, _, _] = trials(&samples, Objective::ChangeRatio);
    let [other, _, _] = trials(&others, Objective::ChangeRatio);
    let mut evolution = Evolution::new(small(), &train).unwrap();
    evolution.step();
    let text = evolution.checkpoint();
    let refused = |settings, trial, text: &str| Evolution::resume(settings, trial, text).unwrap_err();
    assert!(matches!(refused(Settings { seed: 1, ..small() }, &train, &text), ResumeError::OtherRun { .. }));
    assert!(matches!(refused(small(), &other, &text), ResumeError::OtherRun { .. }));
    assert_eq!(refused(small(), &train, "<html>"), ResumeError::Format);
    let lines: Vec<&str> = text.lines().collect();
    for cut in 3..lines.len() {
        let shorter = lines[..cut].join("\n");
        let found = refused(small(), &train, &shorter);
        assert!(matches!(found, ResumeError::Damaged { line, .. } if line == cut + 1), "{found}");
        let mut garbled = lines.clone();
        garbled[cut] = "t * banana";
        assert!(matches!(refused(small(), &train, &garbled.join("\n")), ResumeError::Damaged { .. }), "line {cut}");
    }
}

#[test]
fn breeding_beats_its_first_generation_and_chance() {
    let samples = samples(500);
    for objective in Objective::ALL {
        let [train, validation, test] = trials(&samples, objective);
        let mut evolution = Evolution::new(small(), &train).unwrap();
        let first = evolution.step().unwrap();
        let random = train.judge(&"1".parse().unwrap(), &mut Scratch::default()).value;
        let evolved = evolution.finish(&validation, &test);
        assert!(evolved.train >= first.value && first.value > random, "{objective:?}: {evolved:?}");
        assert_eq!(evolved.test, test.judge(&evolved.formula, &mut Scratch::default()).value);
        assert_eq!((evolved.generations, evolved.evaluations), (8, 320));
    }
}

#[test]
fn extra_variables_are_used_and_parsimony_keeps_formulas_small() {
    let samples = samples(400);
    let [train, validation, test] = trials(&samples, Objective::ChangeRatio);
    let variables = Variable::ALL.to_vec();
    let evolution = Evolution::new(Settings { variables, ..small() }, &train).unwrap();
    let knows = |variable| evolution.population().iter().any(|formula| formula.knows(variable));
    assert!(Variable::ALL.into_iter().all(knows));
    assert!(evolution.finish(&validation, &test).test > 0.0);
    let frugal = Settings { parsimony: 0.01, ..small() };
    let evolved = Evolution::new(frugal, &train).unwrap().finish(&validation, &test);
    assert!(evolved.formula.size() < 12, "{}", evolved.formula);
}

#[test]
fn every_choice_is_the_best_by_its_own_rule() {
    let samples = samples(600);
    let [train, validation, test] = trials(&samples, Objective::ChangeRatio);
    let mut evolution = Evolution::new(small(), &train).unwrap();
    while evolution.step().is_some() {}
    let [best, sum, average] = Choice::ALL.map(|choice| evolution.choose(choice, &validation, &test));
    assert!(best.train >= sum.train && best.train >= average.train);
    let merit = |evolved: &Evolved, share: f64| {
        let judged = [&train, &validation].map(|trial| trial.judge(&evolved.formula, &mut Scratch::default()).cycles);
        let ratios: Vec<f64> =
            judged.iter().flatten().map(|cycle| cycle.changed_visits as f64 / cycle.visits as f64).collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let variance = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / ratios.len() as f64;
        share * (evolved.train + evolved.validation) - variance.sqrt()
    };
    let most =
        |share| [&best, &sum, &average].map(|evolved| merit(evolved, share)).into_iter().fold(f64::MIN, f64::max);
    assert!((merit(&sum, 1.0) - most(1.0)).abs() < 1e-12);
    assert!((merit(&average, 0.5) - most(0.5)).abs() < 1e-12);
}
