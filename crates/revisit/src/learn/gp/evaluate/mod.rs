//! What a formula is worth: a simulated crawl of a sample of pages, with the lab's exact semantics.
//!
//! Formulas over n, X and t take the fast way of [`simulate`]; those that know more of a page take the general one, page
//! by page. Both give the counts that [`lab::run`](crate::lab::run) gives for the policy that scores by the formula.

mod buckets;
mod cut;
mod general;
mod program;
mod scores;
mod simulate;

use super::expression::Formula;
use super::graph::Graph;
use super::sample::Sample;
use crate::lab::measure::{CycleCounts, Measures};
use simulate::{Crawl, Simulator, Start};

/// The fast way keeps a few bytes for each pair of n and X: beyond so many cycles the general way is taken.
const MOST_CYCLES: usize = 4096;

/// What a formula shall be good at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// The mean over cycles of changed visits / visits: the thesis' fitness.
    #[default]
    ChangeRatio,
    /// Changes seen / changes that happened.
    Recall,
    /// The mean share of the pages whose copy is current.
    Freshness,
    /// The same, each page counting by its importance; scores are multiplied by it, as the scheduler does.
    WeightedFreshness,
}

impl Objective {
    /// Every objective.
    pub const ALL: [Objective; 4] =
        [Objective::ChangeRatio, Objective::Recall, Objective::Freshness, Objective::WeightedFreshness];

    /// The name users write.
    pub const fn name(self) -> &'static str {
        match self {
            Objective::ChangeRatio => "change-ratio",
            Objective::Recall => "recall",
            Objective::Freshness => "freshness",
            Objective::WeightedFreshness => "weighted-freshness",
        }
    }

    /// The objective of a name; the inverse of [`Objective::name`].
    pub fn from_name(name: &str) -> Option<Objective> {
        Objective::ALL.into_iter().find(|objective| objective.name() == name)
    }
}

/// The crawl on which formulas are judged.
#[derive(Debug)]
pub struct Trial<'a> {
    sample: &'a Sample,
    start: Start,
    visits: usize,
    objective: Objective,
}

/// What a formula did in a [`Trial`].
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// How well it met the objective.
    pub value: f64,
    /// What happened in each cycle after the warm-up. Current copies are counted only if the objective is about them, and
    /// ages are not.
    pub cycles: Vec<CycleCounts>,
}

/// The memory of an evaluation, kept from one formula to the next. One for each thread.
#[derive(Debug, Default)]
pub struct Scratch {
    simulator: Simulator,
}

impl<'a> Trial<'a> {
    /// A crawl of a sample with up to `visits` visits a cycle.
    pub fn new(sample: &'a Sample, visits: usize, objective: Objective) -> Trial<'a> {
        Trial { sample, start: Start::of(sample), visits, objective }
    }

    /// The pages.
    pub fn sample(&self) -> &'a Sample {
        self.sample
    }

    /// Pages times cycles: what one evaluation would look at, one page after the other.
    pub fn page_cycles(&self) -> u64 {
        self.sample.len() as u64 * self.sample.window().cycles as u64
    }

    /// What a formula does.
    pub fn judge(&self, formula: &Formula, scratch: &mut Scratch) -> Judgement {
        let weighted = self.objective == Objective::WeightedFreshness;
        if weighted || !formula.is_of_the_thesis() || self.sample.window().cycles > MOST_CYCLES {
            return self.judge_generally(formula);
        }
        let (graph, root) = Graph::of(formula);
        self.judge_graph(&graph, root, scratch)
    }

    /// What a formula of n, X and t does, given as a graph.
    fn judge_graph(&self, graph: &Graph, root: u32, scratch: &mut Scratch) -> Judgement {
        let freshness = self.objective == Objective::Freshness;
        let crawl = Crawl { sample: self.sample, start: &self.start, visits: self.visits, freshness };
        let cycles = scratch.simulator.run(crawl, graph, root);
        let measures = Measures::of(&cycles);
        let value = match self.objective {
            Objective::ChangeRatio => measures.change_ratio,
            Objective::Recall => measures.recall,
            Objective::Freshness | Objective::WeightedFreshness => measures.freshness,
        };
        Judgement { value, cycles }
    }

    fn judge_generally(&self, formula: &Formula) -> Judgement {
        let crawl = general::run(self.sample, formula, self.visits, self.objective == Objective::WeightedFreshness);
        let measures = Measures::of(&crawl.cycles);
        let value = match self.objective {
            Objective::ChangeRatio => measures.change_ratio,
            Objective::Recall => measures.recall,
            Objective::Freshness => measures.freshness,
            Objective::WeightedFreshness => crawl.weighted_freshness,
        };
        Judgement { value, cycles: crawl.cycles }
    }
}
