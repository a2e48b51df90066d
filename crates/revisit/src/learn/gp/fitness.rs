//! The values of a whole generation: equal formulas are evaluated once, on as many threads as wanted.
//!
//! Two formulas are equal here if they are the same after exact simplification, up to the order of the operands of sums and
//! products: they then give the same score to every page in every state, so what is remembered of one holds for the other
//! without a check. What they are worth depends on nothing else, so neither do the threads matter.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::evaluate::{Scratch, Trial};
use super::graph::Graph;
use crate::model::formula::Formula;

/// So many values are remembered before all are forgotten, which costs time but changes nothing: some 30 MB.
const MOST: usize = 1 << 16;

/// Formulas that are the same after simplification share it.
pub(super) type Identity = Vec<u64>;

/// Values by formula.
#[derive(Debug)]
pub(super) struct Fitness {
    known: BTreeMap<Identity, f64>,
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
    pub(super) fn new(threads: usize) -> Fitness {
        Fitness { known: BTreeMap::new(), scratches: (0..threads).map(|_| Scratch::default()).collect(), simulated: 0 }
    }

    /// The value of each formula in a trial, which is always the same one, and the formula's identity.
    pub(super) fn of(&mut self, formulas: &[Formula], trial: &Trial<'_>) -> Vec<(f64, Identity)> {
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
        let values = evaluate(&tasks, trial, &mut self.scratches);
        self.simulated += tasks.len() as u64;
        for (task, value) in tasks.into_iter().zip(values) {
            self.known.insert(task.identity, value);
        }
        let value = |identity: Identity| (self.known.get(&identity).copied().unwrap_or_default(), identity);
        identities.into_iter().map(value).collect()
    }
}

/// The value of each task, in their order, computed on one thread for each scratch.
fn evaluate(tasks: &[Task], trial: &Trial<'_>, scratches: &mut [Scratch]) -> Vec<f64> {
    let next = AtomicUsize::new(0);
    let work = |scratch: &mut Scratch| -> Vec<(usize, f64)> {
        let places =
            std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|place| *place < tasks.len()));
        places.map(|place| (place, trial.judge_graph(&tasks[place].graph, tasks[place].root, scratch).value)).collect()
    };
    let mut values = vec![0.0; tasks.len()];
    let mut enter = |done: Vec<(usize, f64)>| done.into_iter().for_each(|(place, value)| values[place] = value);
    let Some((own, others)) = scratches.split_first_mut() else { return values };
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = others.iter_mut().map(|scratch| scope.spawn(move || work(scratch))).collect();
        enter(work(own));
        let joined = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.for_each(enter);
    });
    values
}

#[cfg(test)]
mod tests {
    use super::super::{Objective, Sample};
    use super::*;
    use crate::lab::cut::{Cut, Window};
    use crate::lab::trace::{FIRST_DAY, Trace};
    use crate::time::Span;

    #[test]
    fn equal_formulas_are_simulated_once() {
        let pages = (0_u32..30).map(|page| (format!("p{page}"), (page..40).step_by(page as usize + 1).collect()));
        let trace = Trace::daily("made", 40, pages);
        let window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 40, warmup: 2 };
        let cut = Cut::new(&trace, window).unwrap();
        let sample = Sample::new(&cut, &(0..30).collect::<Vec<_>>());
        let trial = Trial::new(&sample, 3, Objective::ChangeRatio);
        let formulas = ["t * X", "X * t", "t * X + (n - n)", "t", "n"].map(|text| text.parse().unwrap());
        for threads in [1, 3] {
            let mut fitness = Fitness::new(threads);
            let values = fitness.of(&formulas, &trial);
            assert_eq!(fitness.simulated, 3);
            assert_eq!(fitness.of(&formulas, &trial), values);
            assert_eq!(fitness.simulated, 3);
            for (formula, (value, _)) in formulas.iter().zip(&values) {
                assert_eq!(*value, trial.judge(formula, &mut Scratch::default()).value, "{formula}");
            }
        }
    }
}
