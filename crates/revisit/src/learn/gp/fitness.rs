//! The values of a whole generation: equal formulas are evaluated once, by as many workers as are lent.
//!
//! Two formulas are equal here if they are the same after exact simplification, up to the order of the operands of sums and
//! products: they then give the same score to every page in every state, so what is remembered of one holds for the other
//! without a check. What they are worth depends on nothing else, so neither do the workers matter.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::evaluate::{Scratch, Trial};
use super::graph::Graph;
use super::workers::{Part, Workers};
use crate::model::formula::Formula;

/// So many values are remembered before all are forgotten, which costs time but changes nothing: some 30 MB.
const MOST: usize = 1 << 16;

/// Into so many parts work is cut at most, each of which needs some memory.
const MOST_PARTS: usize = 1024;

/// Formulas that are the same after simplification share it.
pub(super) type Identity = Vec<u64>;

/// Values by formula.
#[derive(Debug, Default)]
pub(super) struct Fitness {
    known: BTreeMap<Identity, f64>,
    /// One a worker.
    scratches: Vec<Scratch>,
    /// How many crawls were simulated.
    pub(super) simulated: u64,
}

/// A formula to evaluate.
struct Task {
    identity: Identity,
    graph: Graph,
    root: u32,
}

impl Fitness {
    /// The value of each formula in a trial, which is always the same one, and the formula's identity.
    pub(super) fn of(
        &mut self,
        formulas: &[Formula],
        trial: &Trial<'_>,
        workers: &dyn Workers,
    ) -> Vec<(f64, Identity)> {
        if self.known.len() > MOST {
            self.known.clear();
        }
        let (mut identities, mut tasks) = (Vec::with_capacity(formulas.len()), Vec::new());
        for formula in formulas {
            let (graph, root) = Graph::of(formula);
            let identity = graph.identity(root);
            if !self.known.contains_key(&identity) {
                // Whoever comes second finds this and makes no second task.
                self.known.insert(identity.clone(), f64::NAN);
                tasks.push(Task { identity: identity.clone(), graph, root });
            }
            identities.push(identity);
        }
        self.scratches.resize_with(workers.count().clamp(1, MOST_PARTS), Scratch::default);
        let values = evaluate(&tasks, trial, &mut self.scratches, workers);
        self.simulated += tasks.len() as u64;
        for (task, value) in tasks.into_iter().zip(values) {
            self.known.insert(task.identity, value);
        }
        let value = |identity: Identity| (self.known.get(&identity).copied().unwrap_or_default(), identity);
        identities.into_iter().map(value).collect()
    }
}

/// The value of each task, in their order, computed in one part for each scratch; every part takes tasks until none is left.
fn evaluate(tasks: &[Task], trial: &Trial<'_>, scratches: &mut [Scratch], workers: &dyn Workers) -> Vec<f64> {
    let next = AtomicUsize::new(0);
    let work = |scratch: &mut Scratch, done: &mut Vec<(usize, f64)>| {
        let places =
            std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|place| *place < tasks.len()));
        done.extend(
            places.map(|place| (place, trial.judge_graph(&tasks[place].graph, tasks[place].root, scratch).value)),
        );
    };
    let mut done = vec![Vec::new(); scratches.len()];
    let parts = scratches.iter_mut().zip(&mut done).map(|(scratch, done)| {
        let part: Part<'_> = Box::new(|| work(scratch, done));
        part
    });
    workers.run(parts.collect());
    // Nothing is left unless no part was run.
    scratches.iter_mut().zip(&mut done).take(1).for_each(|(scratch, done)| work(scratch, done));
    let mut values = vec![0.0; tasks.len()];
    done.into_iter().flatten().for_each(|(place, value)| values[place] = value);
    values
}

#[cfg(test)]
mod tests {
    use super::super::{Alone, Objective, Sample};
    use super::*;
    use crate::lab::cut::{Cut, Window};
    use crate::lab::trace::{FIRST_DAY, Trace};
    use crate::time::Span;

    /// So many parts, the last of them first, of which only so many are run.
    struct Few(usize, usize);

    impl Workers for Few {
        fn count(&self) -> usize {
            self.0
        }

        fn run(&self, parts: Vec<Part<'_>>) {
            parts.into_iter().rev().take(self.1).for_each(|part| part());
        }
    }

    #[test]
    fn equal_formulas_are_simulated_once() {
        let pages = (0_u32..30).map(|page| (format!("p{page}"), (page..40).step_by(page as usize + 1).collect()));
        let trace = Trace::daily("made", 40, pages);
        let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 40, warmup: 2 };
        let cut = Cut::new(&trace, window).unwrap();
        let sample = Sample::new(&cut, &(0..30).collect::<Vec<_>>());
        let trial = Trial::new(&sample, 3, Objective::ChangeRatio);
        let formulas = ["t * X", "X * t", "t * X + (n - n)", "t", "n"].map(|text| text.parse().unwrap());
        for workers in [&Alone as &dyn Workers, &Few(3, 3), &Few(3, 1), &Few(2, 0), &Few(0, 0), &Few(usize::MAX, 9)] {
            let mut fitness = Fitness::default();
            let values = fitness.of(&formulas, &trial, workers);
            assert_eq!(fitness.simulated, 3);
            assert_eq!(fitness.of(&formulas, &trial, workers), values);
            assert_eq!(fitness.simulated, 3);
            for (formula, (value, _)) in formulas.iter().zip(&values) {
                assert_eq!(*value, trial.judge(formula, &mut Scratch::default()).value, "{formula}");
            }
        }
    }
}
