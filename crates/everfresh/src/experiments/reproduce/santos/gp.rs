//! The thesis' own method, GP4C, in its whole experiment of 5 folds × 5 seeds.
//!
//! Each fold of the pages tests once, while formulas are bred on two others and validated on the remaining two, once for
//! each seed. Of the seeds' formulas the one counts that its way to choose (Best, Sum_σ, Avg_σ) finds best, as in section
//! 3.5. Baselines run on the same test pages, in the lab's general loop. Every job is one thread's work, so that its CPU
//! time can be told, and as many are done at a time as there are cores.

use std::time::Instant;

use revisit::lab::cut::Cut;
use revisit::learn::gp::{Choice, Evolution, Evolved, FOLDS, Objective, Settings};

use super::gp_results::GpResults;
use super::{METHODS, WORLD};
use crate::cpu::thread_seconds;
use crate::experiments::ExperimentError;
use crate::experiments::budget::Budget;
use crate::experiments::runs::{Stage, parallel};
use crate::experiments::source::Source;
use crate::training::TrainError;
use crate::training::formula::Roles;

/// The thesis' seeds are multiples of this.
const SEED_STEP: u64 = 111;

/// What one fold and one seed gave.
pub(super) struct Job {
    pub(super) fold: usize,
    pub(super) seed: u64,
    /// By [`Choice::ALL`].
    pub(super) chosen: [Evolved; 3],
    pub(super) evaluation_seconds: f64,
    pub(super) validation_seconds: f64,
}

/// What the baselines gave: a Change Ratio by method and fold.
pub(super) type Baselines = Vec<[f64; FOLDS]>;

/// Makes the experiment over all folds and so many seeds.
pub(crate) fn reproduce(source: &Source, budget: Budget, seeds: u64) -> Result<GpResults, ExperimentError> {
    let begun = Instant::now();
    let source = source.clone().or_world(WORLD);
    let (trace, window) = source.read()?;
    let cut = Cut::new(&trace, window)?;
    let share = budget.visits(cut.len()) as f64 / cut.len() as f64;
    let roles: Vec<Roles> = (0..FOLDS).map(|fold| Roles::of(&cut, fold, source.seed)).collect::<Result<_, _>>()?;
    let pairs: Vec<(usize, u64)> =
        (0..FOLDS).flat_map(|fold| (1..=seeds).map(move |seed| (fold, seed * SEED_STEP))).collect();
    let jobs = parallel(&pairs, |(fold, seed)| job(&roles[*fold], share, *fold, *seed))?;
    let baselines = baselines(&cut, &roles, share, source.seed)?;
    Ok(GpResults::of(&cut, &jobs, &baselines, begun.elapsed().as_secs_f64()))
}

/// Breeds formulas on one fold's pages from one seed and chooses in all three ways.
fn job(roles: &Roles, share: f64, fold: usize, seed: u64) -> Result<Job, ExperimentError> {
    let [train, validation, test] = &roles.trials(share, Objective::ChangeRatio);
    let begun = thread_seconds();
    let mut evolution = Evolution::new(Settings { seed, ..Settings::default() }, train).map_err(TrainError::from)?;
    while evolution.step().is_some() {}
    let evaluated = thread_seconds();
    let chosen = Choice::ALL.map(|choice| evolution.choose(choice, validation, test));
    let (evaluation_seconds, validation_seconds) = (evaluated - begun, thread_seconds() - evaluated);
    Ok(Job { fold, seed, chosen, evaluation_seconds, validation_seconds })
}

fn baselines(cut: &Cut<'_>, roles: &[Roles], share: f64, seed: u64) -> Result<Baselines, ExperimentError> {
    let folds: Vec<Cut<'_>> = roles.iter().map(|roles| cut.only(&roles.held_out)).collect();
    let pairs: Vec<(usize, usize)> =
        (0..METHODS.len()).flat_map(|method| (0..FOLDS).map(move |fold| (method, fold))).collect();
    let ratios = parallel(&pairs, |(method, fold)| {
        let policy = match METHODS[*method].1 {
            "rand" => format!("rand?seed={seed}"),
            policy => policy.to_owned(),
        };
        Ok(Stage::new(&folds[*fold]).run(&policy, Budget::Share(share))?.measures().change_ratio)
    })?;
    Ok(ratios.chunks_exact(FOLDS).map(|folds| std::array::from_fn(|fold| folds[fold])).collect())
}
