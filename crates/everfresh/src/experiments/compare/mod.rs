//! Which policy would have kept the replica freshest, at what cost?

pub(crate) mod comparison;
mod page;
pub(crate) mod repeat;
pub(crate) mod text;

use revisit::lab::cut::Cut;
use revisit::lab::limit::Limits;
use revisit::lab::measure::Measures;
use revisit::lab::run::Run;

use super::ExperimentError;
use super::budget::Budget;
use super::entrants::Entrants;
use super::runs::{Stage, parallel};
use comparison::{
    Against, Comparison, FEWEST_CYCLES, Over, Repeated, Row, blocks, differences, intervals, mean_limits, mean_row,
};
use repeat::{Origin, Trial};

/// Everything that was run.
pub(crate) struct Compared<'a> {
    stage: Stage<'a>,
    entrants: &'a Entrants,
    budget: Budget,
    /// Of the first trace.
    runs: Vec<Run>,
    trials: Vec<Trial>,
    repeated: Option<Repeated>,
}

impl<'a> Compared<'a> {
    /// Runs the policies on the first trace of an origin, which was cut into cycles, and on whatever repeats it.
    pub(crate) fn run(
        origin: &Origin,
        cut: &'a Cut<'a>,
        entrants: &'a Entrants,
        budget: Budget,
    ) -> Result<Compared<'a>, ExperimentError> {
        let stage = Stage::new(cut).with(&entrants.models);
        let runs = parallel(&entrants.names, |name| stage.run(name, budget))?;
        let first = Trial::of(&runs, stage.limits(budget));
        let trials = origin.trials(&stage, first, &entrants.names, budget)?;
        Ok(Compared { stage, entrants, budget, runs, trials, repeated: origin.repeated })
    }

    /// The numbers of each policy, how sure they are, and how they differ from the baseline's.
    pub(crate) fn comparison(&self) -> Result<Comparison, ExperimentError> {
        let (stage, names) = (&self.stage, &self.entrants.names);
        let pairs: Vec<Vec<Measures>> = (0..names.len()).map(|place| self.samples(place)).collect();
        let baseline = self.entrants.baseline.map(|place| (place, &pairs[place]));
        let against = baseline.map(|(place, pairs)| self.against(place, pairs.len())).transpose()?;
        let row = |(place, name): (usize, &String)| {
            let tested = baseline.filter(|(baseline, _)| *baseline != place);
            Row {
                name: name.clone(),
                measures: mean_row(&self.headline(place)),
                intervals: self.repeated.and_then(|_| intervals(&pairs[place])),
                differences: tested.and_then(|(_, baseline)| differences(&pairs[place], baseline)),
            }
        };
        let limits: Vec<Limits> = self.trials.iter().map(|trial| trial.limits).collect();
        Ok(Comparison {
            trace: stage.cut.trace().name.clone(),
            pages: stage.cut.len(),
            cycles: stage.cut.window().cycles,
            k: stage.visits(self.budget),
            repeated: self.repeated,
            against,
            policies: names.iter().enumerate().map(row).collect(),
            limits: if self.whole() { mean_limits(&[stage.limits(self.budget)]) } else { mean_limits(&limits) },
        })
    }

    /// A page with plots. Runs the policies shown at further budgets, which takes as long as a few comparisons.
    pub(crate) fn page(&self, comparison: &Comparison) -> Result<String, ExperimentError> {
        page::make(comparison, &self.stage, &self.runs, self.budget)
    }

    /// Whether the numbers are those of one run over the whole trace.
    fn whole(&self) -> bool {
        self.repeated.is_none_or(|repeated| repeated.over == Over::Folds)
    }

    /// What a policy's numbers are the means of.
    fn headline(&self, place: usize) -> Vec<Measures> {
        if self.whole() { vec![self.runs[place].measures()] } else { self.samples(place) }
    }

    /// What intervals and tests of a policy are made of: its repetitions, or the blocks of its only run.
    fn samples(&self, place: usize) -> Vec<Measures> {
        match self.repeated {
            Some(_) => self.trials.iter().map(|trial| trial.measures[place]).collect(),
            None => blocks(&self.runs[place]),
        }
    }

    fn against(&self, place: usize, pairs: usize) -> Result<Against, ExperimentError> {
        let over = self.repeated.map_or(Over::Blocks, |repeated| repeated.over);
        if pairs < 2 {
            let remedy = match over {
                Over::Blocks => format!("use at least {FEWEST_CYCLES} cycles after the warm-up"),
                _ => "repeat at least twice".to_owned(),
            };
            return Err(ExperimentError::Wrong(format!("--against has too little to compare: {remedy}")));
        }
        Ok(Against { policy: self.entrants.names[place].clone(), over, pairs })
    }
}
