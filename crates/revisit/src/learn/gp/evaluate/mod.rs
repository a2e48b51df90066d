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

use super::graph::Graph;
use super::sample::Sample;
use crate::lab::measure::{CycleCounts, Measures};
use crate::model::formula::{Formula, Variable};
use simulate::{Crawl, Simulator, Start};

/// The fast way keeps a few bytes for each pair of n and X: beyond so many cycles the general way is taken.
const MOST_CYCLES: usize = 2048;

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

    /// What the trial is about, in one line: equal lines, equal trials.
    pub(super) fn describe(&self) -> String {
        format!("{} visits={} pages={:016x}", self.objective.name(), self.visits, self.sample.fingerprint())
    }

    /// What a formula does.
    pub fn judge(&self, formula: &Formula, scratch: &mut Scratch) -> Judgement {
        let (graph, root) = Graph::of(formula);
        self.judge_graph(&graph, root, scratch)
    }

    /// What a formula does, given as a graph.
    pub(super) fn judge_graph(&self, graph: &Graph, root: u32, scratch: &mut Scratch) -> Judgement {
        let weighted = self.objective == Objective::WeightedFreshness;
        let simple = graph.variables().all(Variable::is_of_the_thesis);
        if weighted || !simple || self.sample.window().cycles > MOST_CYCLES {
            let crawl = general::run(self.sample, &graph.formula(root), self.visits, self.objective);
            let value = if weighted { crawl.weighted_freshness } else { self.value(&crawl.cycles) };
            return Judgement { value, cycles: crawl.cycles };
        }
        let freshness = self.objective == Objective::Freshness;
        let crawl = Crawl { sample: self.sample, start: &self.start, visits: self.visits, freshness };
        let cycles = scratch.simulator.run(crawl, graph, root);
        Judgement { value: self.value(&cycles), cycles }
    }

    fn value(&self, cycles: &[CycleCounts]) -> f64 {
        let measures = Measures::of(cycles);
        match self.objective {
            Objective::ChangeRatio => measures.change_ratio,
            Objective::Recall => measures.recall,
            Objective::Freshness | Objective::WeightedFreshness => measures.freshness,
        }
    }

    /// The value of each cycle that has one. Importances are not looked at: what deviates is the crawl.
    pub(super) fn values<'b>(&'b self, judgement: &'b Judgement) -> impl Iterator<Item = f64> + 'b {
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        judgement.cycles.iter().filter_map(move |cycle| match self.objective {
            Objective::ChangeRatio => share(cycle.changed_visits, cycle.visits),
            Objective::Recall => share(cycle.changed_visits, cycle.changed_pages),
            Objective::Freshness | Objective::WeightedFreshness => share(cycle.current, self.sample.len()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::cut::{Cut, Window};
    use crate::lab::trace::FIRST_DAY;
    use crate::lab::world;
    use crate::model::formula::testing::thesis_formula;
    use crate::time::Span;
    use proptest::prelude::*;

    #[test]
    fn names_round_trip() {
        assert!(Objective::ALL.into_iter().all(|objective| Objective::from_name(objective.name()) == Some(objective)));
        assert_eq!(Objective::from_name("speed"), None);
    }

    proptest! {
        #[test]
        fn both_ways_count_the_same(formula in thesis_formula(), seed in 0_u64..50, visits in 0_usize..90, warmup in 1_usize..4) {
            let trace = world::make("general?days=100", 80, seed).unwrap();
            let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 100, warmup };
            let cut = Cut::new(&trace, window).unwrap();
            let sample = Sample::new(&cut, &(0..80).collect::<Vec<_>>());
            let trial = Trial::new(&sample, visits, Objective::Freshness);
            let fast = trial.judge(&formula, &mut Scratch::default());
            let general = general::run(&sample, &formula, visits, Objective::Freshness);
            prop_assert_eq!(fast.cycles, general.cycles, "{}", formula);
        }
    }
}
