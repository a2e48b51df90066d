//! The breeding of formulas (Santos 2013, algorithm 1), one generation a step.
//!
//! Each generation draws from a random stream of its own, so a run that stops between two generations and is taken up from
//! a [checkpoint](Evolution::checkpoint) ends as it would have ended.

use super::choose::Evolved;
use super::evaluate::Trial;
use super::fitness::{Fitness, Identity};
use super::generate::Alphabet;
use super::settings::{BadSetting, Settings};
use super::vary;
use super::workers::{Alone, Workers};
use crate::lab::random::Random;
use crate::model::formula::Formula;

/// A run of genetic programming between two generations.
///
/// ```
/// use revisit::Span;
/// use revisit::lab::{cut::{Cut, Window}, trace::FIRST_DAY, world};
/// use revisit::learn::gp::{Evolution, Objective, Sample, Settings, Trial, roles};
///
/// let world = world::make("brdc12-like", 500, 1).unwrap();
/// let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 57, warmup: 2 };
/// let cut = Cut::new(&world, window).unwrap();
/// let roles = roles(cut.len(), 0, 1).unwrap();
/// let [train, validation, test] = [roles.train, roles.validation, roles.test].map(|places| Sample::new(&cut, &places));
/// let [train, validation, test] =
///     [&train, &validation, &test].map(|sample| Trial::new(sample, sample.visits(0.05), Objective::ChangeRatio));
///
/// let settings = Settings { population: 20, generations: 3, ..Settings::default() };
/// let mut evolution = Evolution::new(settings, &train).unwrap();
/// while let Some(progress) = evolution.step() {
///     println!("{} of {}: {} {}", progress.generation, progress.generations, progress.value, progress.best);
/// }
/// let evolved = evolution.finish(&validation, &test);
/// assert_eq!(evolved.evaluations, 20 * 3);
/// assert!(evolved.test > 0.0);
/// ```
#[derive(Debug)]
pub struct Evolution<'a> {
    pub(super) settings: Settings,
    pub(super) training: &'a Trial<'a>,
    alphabet: Alphabet,
    fitness: Fitness,
    /// How many generations were evaluated.
    pub(super) generation: usize,
    pub(super) population: Vec<Formula>,
    /// The best formulas so far, best first, no two equal.
    pub(super) kept: Vec<Individual>,
}

/// A formula and what it is worth in training.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Individual {
    pub(super) formula: Formula,
    pub(super) identity: Identity,
    /// How well it meets the objective.
    pub(super) value: f64,
    /// The same, less what its size costs.
    pub(super) fitness: f64,
}

/// Where a run is after a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The generation just evaluated, counted from 1.
    pub generation: usize,
    /// How many there will be.
    pub generations: usize,
    /// The best formula so far, simplified.
    pub best: Formula,
    /// How well it meets the objective in training.
    pub value: f64,
    /// How many evaluations were asked for so far.
    pub evaluations: u64,
    /// For how many of them a crawl was simulated; the others were equal to earlier ones.
    pub simulated: u64,
}

impl<'a> Evolution<'a> {
    /// A run that begins.
    pub fn new(settings: Settings, training: &'a Trial<'a>) -> Result<Evolution<'a>, BadSetting> {
        let settings = settings.checked()?;
        let alphabet = Alphabet::new(&settings.variables);
        let mut random = Random::stream(settings.seed, 0);
        let population = alphabet.ramped(settings.population, settings.depth, &mut random);
        let fitness = Fitness::default();
        Ok(Evolution { settings, training, alphabet, fitness, generation: 0, population, kept: Vec::new() })
    }

    /// The formulas to be evaluated next.
    pub fn population(&self) -> &[Formula] {
        &self.population
    }

    /// Whether all generations were evaluated.
    pub fn is_done(&self) -> bool {
        self.generation >= self.settings.generations
    }

    /// Evaluates a generation and breeds the next one; `None` if all were evaluated before.
    pub fn step(&mut self) -> Option<Progress> {
        self.step_with(&Alone)
    }

    /// The same, with the help of others; the result is the same with any.
    pub fn step_with(&mut self, workers: &dyn Workers) -> Option<Progress> {
        if self.is_done() {
            return None;
        }
        let population = std::mem::take(&mut self.population);
        let values = self.fitness.of(&population, self.training, workers);
        let fitness: Vec<f64> = (population.iter().zip(&values))
            .map(|(formula, (value, _))| value - self.settings.parsimony * formula.size() as f64)
            .collect();
        for ((formula, (value, identity)), fitness) in population.iter().zip(values).zip(&fitness) {
            self.keep(formula, identity, value, *fitness);
        }
        self.generation += 1;
        self.population = if self.is_done() { population } else { self.breed(&population, &fitness) };
        self.progress()
    }

    /// Where the run is; `None` before the first generation was evaluated.
    pub fn progress(&self) -> Option<Progress> {
        let best = self.kept.first()?;
        Some(Progress {
            generation: self.generation,
            generations: self.settings.generations,
            best: best.formula.simplify(),
            value: best.value,
            evaluations: self.evaluations(),
            simulated: self.fitness.simulated,
        })
    }

    /// How many evaluations were asked for so far.
    pub(super) fn evaluations(&self) -> u64 {
        self.generation as u64 * self.settings.population as u64
    }

    /// Keeps a formula if it is among the best so far: the fitter first, then the smaller, then the earlier.
    fn keep(&mut self, formula: &Formula, identity: Identity, value: f64, fitness: f64) {
        let is_before = |other: &Individual| {
            other.fitness > fitness || other.fitness == fitness && other.formula.size() <= formula.size()
        };
        let place = self.kept.partition_point(is_before);
        if place >= self.settings.kept || self.kept.iter().any(|other| other.identity == identity) {
            return;
        }
        self.kept.insert(place, Individual { formula: formula.clone(), identity, value, fitness });
        self.kept.truncate(self.settings.kept);
    }

    /// The next generation, as [`Settings`] says.
    fn breed(&self, population: &[Formula], fitness: &[f64]) -> Vec<Formula> {
        let settings = &self.settings;
        let mut random = Random::stream(settings.seed, self.generation as u64);
        let mut next = elites(population, fitness, settings.elites);
        while next.len() < settings.population {
            let select = |random: &mut Random| tournament(population, fitness, settings.selection.size(), random);
            if random.chance(settings.reproduction) {
                next.push(select(&mut random).clone());
            } else if random.chance(settings.crossover) {
                let parents = (select(&mut random), select(&mut random));
                let (elder, younger) = vary::crossover(parents, settings.crossover_depth, &mut random);
                next.push(self.mutate(elder, &mut random));
                next.push(self.mutate(younger, &mut random));
            } else {
                let selected = select(&mut random).clone();
                next.push(self.mutate(selected, &mut random));
            }
        }
        next.truncate(settings.population);
        next
    }

    fn mutate(&self, mut formula: Formula, random: &mut Random) -> Formula {
        if random.chance(self.settings.shrink) {
            formula = vary::shrink(&formula, &self.alphabet, random);
        }
        if random.chance(self.settings.replacement) {
            formula = vary::replace(&formula, &self.alphabet, random);
        }
        formula
    }

    /// Evaluates the generations that are left and chooses as the settings say; see [`Evolution::choose`].
    pub fn finish(mut self, validation: &Trial<'_>, test: &Trial<'_>) -> Evolved {
        while self.step().is_some() {}
        self.choose(self.settings.choice, validation, test)
    }

    /// A run that goes on where another stopped.
    pub(super) fn continued(
        &mut self,
        generation: usize,
        population: Vec<Formula>,
        kept: Vec<Individual>,
        simulated: u64,
    ) {
        (self.generation, self.population, self.kept) = (generation, population, kept);
        self.fitness.simulated = simulated;
    }

    /// How many crawls were simulated so far.
    pub(super) fn simulated(&self) -> u64 {
        self.fitness.simulated
    }
}

/// The fittest formulas, the earlier of equals first.
fn elites(population: &[Formula], fitness: &[f64], count: usize) -> Vec<Formula> {
    let mut places: Vec<usize> = (0..population.len()).collect();
    places.sort_by(|one, other| fitness[*other].total_cmp(&fitness[*one]));
    places.into_iter().take(count).map(|place| population[place].clone()).collect()
}

/// The fittest of `size` formulas drawn at random: of equals the smaller, then the first drawn.
///
/// The thesis is silent about equals, which are many once a population has converged; the smaller is as good, faster to
/// evaluate and easier to read (lexicographic parsimony, Luke & Panait 2002).
fn tournament<'a>(population: &'a [Formula], fitness: &[f64], size: usize, random: &mut Random) -> &'a Formula {
    let mut draw = || random.below(population.len() as u64) as usize;
    let mut best = draw();
    for _ in 1..size {
        let other = draw();
        let smaller = fitness[other] == fitness[best] && population[other].size() < population[best].size();
        best = if fitness[other] > fitness[best] || smaller { other } else { best };
    }
    &population[best]
}
