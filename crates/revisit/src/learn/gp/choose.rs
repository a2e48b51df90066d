//! The end of a run: the formulas kept are validated, one of them is chosen, and it is tested (Santos 2013, section 3.5).
//!
//! Best is the fittest in training. Sum_σ and Avg_σ take the sum or the mean of the values in training and validation and
//! subtract σ, the standard deviation of the values of all their cycles, so that a formula that is good now and then loses.

use super::evaluate::{Judgement, Scratch, Trial};
use super::evolve::{Evolution, Individual};
use super::settings::Choice;
use crate::model::formula::Formula;

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolved {
    /// The formula, simplified.
    pub formula: Formula,
    /// How well it meets the objective on the pages it was bred on.
    pub train: f64,
    /// The same on the pages for validation.
    pub validation: f64,
    /// The same on pages that had no say.
    pub test: f64,
    /// What it was chosen for: of several runs that choose alike, the one with the most found the best formula.
    pub merit: f64,
    /// How many generations there were.
    pub generations: usize,
    /// How many evaluations training asked for.
    pub evaluations: u64,
    /// For how many of them a crawl was simulated here; after a resumption more, since equal formulas are not remembered.
    pub simulated: u64,
}

/// A formula kept, with what speaks for it.
struct Judged<'a> {
    individual: &'a Individual,
    validation: f64,
    merit: f64,
}

impl Evolution<'_> {
    /// Validates the formulas kept so far, chooses one and tests it on pages that had no say.
    pub fn choose(&self, choice: Choice, validation: &Trial<'_>, test: &Trial<'_>) -> Evolved {
        let mut scratch = Scratch::default();
        let judged = self.kept.iter().map(|individual| self.judged(individual, choice, validation, &mut scratch));
        let judged: Vec<Judged<'_>> = judged.collect();
        // The first of equals: kept formulas stand in the order of their fitness.
        let best = judged.iter().rev().max_by(|one, other| one.merit.total_cmp(&other.merit));
        let (formula, train, validation, merit) = match best {
            Some(best) => (best.individual.formula.simplify(), best.individual.value, best.validation, best.merit),
            None => self.unjudged(validation, &mut scratch),
        };
        Evolved {
            train,
            validation,
            merit,
            test: test.judge(&formula, &mut scratch).value,
            formula,
            generations: self.generation,
            evaluations: self.evaluations(),
            simulated: self.simulated(),
        }
    }

    fn judged<'b>(
        &self,
        individual: &'b Individual,
        choice: Choice,
        validation: &Trial<'_>,
        scratch: &mut Scratch,
    ) -> Judged<'b> {
        let validated = validation.judge(&individual.formula, scratch);
        let merit = match choice {
            Choice::Best => individual.fitness,
            Choice::Sum | Choice::Average => {
                let trained = self.training.judge(&individual.formula, scratch);
                let sum = trained.value + validated.value;
                let middle = if choice == Choice::Sum { sum } else { sum / 2.0 };
                middle - deviation((self.training, &trained), (validation, &validated))
            }
        };
        Judged { individual, validation: validated.value, merit }
    }

    /// The first formula of all, for a run that has not evaluated any.
    fn unjudged(&self, validation: &Trial<'_>, scratch: &mut Scratch) -> (Formula, f64, f64, f64) {
        let formula = self.population[0].simplify();
        let (train, validation) = (self.training.judge(&formula, scratch), validation.judge(&formula, scratch));
        (formula, train.value, validation.value, f64::NEG_INFINITY)
    }
}

/// The standard deviation of the values of all cycles in training and validation: the thesis' σ.
fn deviation(training: (&Trial<'_>, &Judgement), validation: (&Trial<'_>, &Judgement)) -> f64 {
    let values: Vec<f64> = training.0.values(training.1).chain(validation.0.values(validation.1)).collect();
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}
