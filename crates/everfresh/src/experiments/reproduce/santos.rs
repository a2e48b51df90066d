//! Table 4.3 and Figure 4.2 of Santos 2013.
//!
//! The thesis' data set is not to be had; the default is a made-up world that is like it, over several seeds. Readings: the
//! weighted scores are those of the thesis' public code, which weighs calendar cycles and not visits, because that code made
//! the table; and t·X stands beside NAD's number, because that code's NAD ranks pages as t·X does.

pub(crate) mod gp;
pub(crate) mod gp_results;
pub(crate) mod page;
pub(crate) mod text;

use revisit::lab::confidence::{Spread, mean};
use revisit::lab::cut::Cut;
use revisit::lab::run::Run;
use serde::Serialize;

use crate::experiments::ExperimentError;
use crate::experiments::budget::Budget;
use crate::experiments::runs::{Stage, parallel};
use crate::experiments::source::Source;

/// The methods of Table 4.3: what the thesis calls them, our policy, and its mean Change Ratio.
const METHODS: [(&str, &str, f64); 8] = [
    ("Rand", "rand", 0.186),
    ("Age", "age", 0.213),
    ("NAD", "nad?reading=calendar", 0.689),
    ("SAD", "sad?reading=calendar", 0.517),
    ("AAD", "aad?reading=calendar", 0.634),
    ("GAD", "gad?reading=calendar", 0.602),
    ("CG", "cg", 0.644),
    ("t·X", "tx", 0.689),
];
/// The made-up world that is like the thesis' data set.
const WORLD: &str = "brdc12-like";
/// How far from the thesis still counts as the same.
const NEAR: f64 = 0.03;

/// What came out.
#[derive(Serialize)]
pub(crate) struct SantosResults {
    trace: String,
    pages: usize,
    cycles: usize,
    k: usize,
    seeds: usize,
    methods: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    policy: &'static str,
    change_ratio: f64,
    /// Half of the 95 % interval over the seeds; absent with one seed.
    interval: Option<f64>,
    thesis: f64,
    difference: f64,
    within: bool,
}

/// Everything that one seed gave: a run a method.
pub(crate) struct Repetition {
    trace: String,
    pages: usize,
    cycles: usize,
    k: usize,
    runs: Vec<Run>,
}

/// Makes the experiment once for each of so many seeds, from that of the source on.
pub(crate) fn repeat(source: &Source, budget: Budget, seeds: u64) -> Result<Vec<Repetition>, ExperimentError> {
    let source = source.clone().or_world(WORLD);
    parallel(&source.seeds(seeds)?, |seed| once(&source, *seed, budget))
}

fn once(source: &Source, seed: u64, budget: Budget) -> Result<Repetition, ExperimentError> {
    let (trace, window) = source.clone().with_seed(seed).read()?;
    let cut = Cut::new(&trace, window)?;
    let stage = Stage::new(&cut);
    let run = |(_, policy, _): &(&str, &str, f64)| match *policy {
        "rand" => stage.run(&format!("rand?seed={seed}"), budget),
        policy => stage.run(policy, budget),
    };
    let runs = METHODS.iter().map(run).collect::<Result<_, _>>()?;
    Ok(Repetition { trace: trace.name.clone(), pages: cut.len(), cycles: window.cycles, k: stage.visits(budget), runs })
}

/// What all of them together gave.
pub(crate) fn summarise(repetitions: &[Repetition]) -> SantosResults {
    // At least one seed was asked for.
    let first = &repetitions[0];
    let row = |(place, (name, policy, thesis)): (usize, &(&'static str, &'static str, f64))| {
        let ratios: Vec<f64> =
            repetitions.iter().map(|repetition| repetition.runs[place].measures().change_ratio).collect();
        let (change_ratio, interval) = (mean(&ratios), Spread::of(&ratios).map(|spread| spread.half_width()));
        let difference = (change_ratio - thesis).abs();
        Row { name, policy, change_ratio, interval, thesis: *thesis, difference, within: difference <= NEAR }
    };
    let methods = METHODS.iter().enumerate().map(row).collect();
    let Repetition { trace, pages, cycles, k, .. } = first;
    let seeds = repetitions.len();
    SantosResults { trace: trace.clone(), pages: *pages, cycles: *cycles, k: *k, seeds, methods }
}
