//! What `lab reproduce santos --gp` found, beside Tables 4.2 to 4.4 of the thesis.

use std::io;

use revisit::lab::confidence::mean;
use revisit::lab::cut::Cut;
use revisit::learn::gp::{CONSTANTS, Choice, Evolved, FOLDS, Settings};
use serde::Serialize;

use super::METHODS;
use super::gp::{Baselines, Job};
use crate::output;

/// Table 4.2: what the best formula of each fold reached in training, validation and test.
const TABLE_4_2: [[f64; 3]; FOLDS] = [
    [0.709357, 0.708086, 0.703514],
    [0.704912, 0.698197, 0.706889],
    [0.718066, 0.715886, 0.711833],
    [0.706658, 0.708875, 0.713094],
    [0.696098, 0.694009, 0.693782],
];
/// The last column of Table 4.3 for the three ways to choose, by [`Choice::ALL`].
const TABLE_4_3: [(&str, f64); 3] = [("GP4C Best", 0.705822), ("GP4C Sum", 0.700795), ("GP4C Avg", 0.703362)];
/// The totals of Table 4.4, in seconds on 12 cores: evaluation and validation.
const TABLE_4_4: [f64; 2] = [219_316.0, 819.0];

/// What came out.
#[derive(Serialize)]
pub(crate) struct GpResults {
    trace: String,
    pages: usize,
    cycles: usize,
    /// Table 4.2, with the formula that was best on each fold.
    folds: Vec<Fold>,
    /// Table 4.3.
    methods: Vec<Method>,
    /// Table 4.4.
    times: Vec<Times>,
    /// The mean test Change Ratio of every fold and seed, before the best seed is picked.
    mean_of_all_runs: f64,
    seconds: f64,
}

#[derive(Serialize)]
struct Fold {
    fold: usize,
    seed: u64,
    train: f64,
    validation: f64,
    test: f64,
    formula: String,
}

#[derive(Serialize)]
struct Method {
    name: &'static str,
    folds: [f64; FOLDS],
    change_ratio: f64,
    thesis: f64,
}

/// CPU seconds of one seed's runs over all folds.
#[derive(Serialize)]
struct Times {
    seed: u64,
    evaluation_cpu_seconds: f64,
    validation_cpu_seconds: f64,
}

impl GpResults {
    pub(super) fn of(cut: &Cut<'_>, jobs: &[Job], baselines: &Baselines, seconds: f64) -> GpResults {
        let tests: Vec<f64> = jobs.iter().map(|job| job.chosen[0].test).collect();
        GpResults {
            trace: cut.trace().name.clone(),
            pages: cut.len(),
            cycles: cut.window().cycles,
            folds: (0..FOLDS).filter_map(|fold| best_of(jobs, fold, 0)).map(fold_of).collect(),
            methods: methods(jobs, baselines),
            times: times(jobs),
            mean_of_all_runs: mean(&tests),
            seconds,
        }
    }

    /// Prints the tables.
    pub(crate) fn print(&self) -> io::Result<()> {
        say!("{}: {} pages, {} cycles", self.trace, output::count(self.pages as u64), self.cycles)?;
        say!("{}\n", parameters())?;
        say!("Table 4.2: the best formula of each fold (thesis in brackets)\n{}\n", self.table_4_2())?;
        say!("Table 4.3: mean Change Ratio on the test pages\n{}\n", self.table_4_3())?;
        say!("Table 4.4: CPU seconds by seed (thesis: elapsed seconds on 12 cores)\n{}\n", self.table_4_4())?;
        let formulas: Vec<Vec<String>> = self
            .folds
            .iter()
            .map(|fold| vec![fold.fold.to_string(), fold.seed.to_string(), fold.formula.clone()])
            .collect();
        say!("The formulas\n{}\n", output::table(&["fold", "seed", "formula"], &formulas))?;
        say!(
            "Mean test Change Ratio of all runs: {:.4}. The whole experiment took {:.0} s.",
            self.mean_of_all_runs,
            self.seconds
        )
    }

    fn table_4_2(&self) -> String {
        let row = |(fold, thesis): (&Fold, &[f64; 3])| {
            let ours = [fold.train, fold.validation, fold.test];
            let cells = ours.iter().zip(thesis).map(|(ours, thesis)| format!("{ours:.4} ({thesis:.4})"));
            std::iter::once(fold.fold.to_string()).chain(cells).collect()
        };
        let rows: Vec<Vec<String>> = self.folds.iter().zip(&TABLE_4_2).map(row).collect();
        output::table(&["fold", "train", "validation", "test"], &rows)
    }

    fn table_4_3(&self) -> String {
        let row = |method: &Method| {
            let numbers = method.folds.iter().chain([&method.change_ratio, &method.thesis]);
            std::iter::once(method.name.to_owned()).chain(numbers.map(|number| format!("{number:.4}"))).collect()
        };
        let rows: Vec<Vec<String>> = self.methods.iter().map(row).collect();
        output::table(&["method", "fold 1", "fold 2", "fold 3", "fold 4", "fold 5", "average", "thesis"], &rows)
    }

    fn table_4_4(&self) -> String {
        let row = |phase: &str, seconds: fn(&Times) -> f64, thesis: f64| {
            let seconds: Vec<f64> = self.times.iter().map(seconds).collect();
            let total = seconds.iter().sum::<f64>();
            let cells = seconds.iter().chain([&total]).map(|seconds| format!("{seconds:.1}"));
            std::iter::once(phase.to_owned()).chain(cells).chain([format!("{thesis:.0}")]).collect()
        };
        let rows: [Vec<String>; 2] = [
            row("evaluation", |times| times.evaluation_cpu_seconds, TABLE_4_4[0]),
            row("validation", |times| times.validation_cpu_seconds, TABLE_4_4[1]),
        ];
        let seeds: Vec<String> = self.times.iter().map(|times| times.seed.to_string()).collect();
        let header: Vec<&str> =
            ["phase"].into_iter().chain(seeds.iter().map(String::as_str)).chain(["total", "thesis"]).collect();
        output::table(&header, &rows)
    }
}

/// The thesis' parameters, section 4.4.
fn parameters() -> String {
    let of = Settings::default();
    format!(
        "{} formulas, {} generations, depth {} ({} after crossover), tournaments of {}, crossover {}, reproduction {}, \
         shrink {}, replacement {}, {} elite, {} kept for validation, {} constants",
        of.population,
        of.generations,
        of.depth,
        of.crossover_depth,
        of.selection.size(),
        output::share(of.crossover),
        output::share(of.reproduction),
        output::share(of.shrink),
        output::share(of.replacement),
        of.elites,
        of.kept,
        CONSTANTS.len()
    )
}

/// Of a fold's runs, the one whose formula has the most merit by a way to choose; the first of equals.
fn best_of(jobs: &[Job], fold: usize, choice: usize) -> Option<(&Job, &Evolved)> {
    let runs = jobs.iter().rev().filter(|job| job.fold == fold).map(|job| (job, &job.chosen[choice]));
    runs.max_by(|one, other| one.1.merit.total_cmp(&other.1.merit))
}

fn fold_of((job, best): (&Job, &Evolved)) -> Fold {
    let Evolved { train, validation, test, .. } = *best;
    Fold { fold: job.fold + 1, seed: job.seed, train, validation, test, formula: best.formula.to_string() }
}

fn methods(jobs: &[Job], baselines: &Baselines) -> Vec<Method> {
    let method = |name, folds: [f64; FOLDS], thesis| Method { name, folds, change_ratio: mean(&folds), thesis };
    let baselines = METHODS.iter().zip(baselines).map(|((name, _, thesis), folds)| method(name, *folds, *thesis));
    let bred = (0..Choice::ALL.len()).map(|choice| {
        let (name, thesis) = TABLE_4_3[choice];
        method(name, std::array::from_fn(|fold| best_of(jobs, fold, choice).map_or(0.0, |(_, best)| best.test)), thesis)
    });
    baselines.chain(bred).collect()
}

fn times(jobs: &[Job]) -> Vec<Times> {
    let mut seeds: Vec<u64> = jobs.iter().map(|job| job.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let sum = |seed, seconds: fn(&Job) -> f64| jobs.iter().filter(|job| job.seed == seed).map(seconds).sum();
    let of = |seed| Times {
        seed,
        evaluation_cpu_seconds: sum(seed, |job| job.evaluation_seconds),
        validation_cpu_seconds: sum(seed, |job| job.validation_seconds),
    };
    seeds.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use revisit::Span;
    use revisit::lab::cut::Window;
    use revisit::lab::trace::{FIRST_DAY, Trace};

    /// A run whose formulas have this merit by every way to choose.
    fn job(fold: usize, seed: u64, merit: f64) -> Job {
        let formula: revisit::model::formula::Formula = "t * X".parse().unwrap();
        let (train, validation, test) = (merit, merit / 2.0, merit / 4.0);
        let chosen = [0.0, 1.0, 2.0].map(|more| Evolved {
            formula: formula.clone(),
            train,
            validation,
            test: test + more,
            merit,
            generations: 50,
            evaluations: 1,
            simulated: 1,
        });
        Job { fold, seed, chosen, evaluation_seconds: 2.0, validation_seconds: 0.5 }
    }

    #[test]
    fn the_seed_with_the_most_merit_stands_for_its_fold() {
        let trace = Trace::daily("made", 9, [("a", vec![1])]);
        let cut = Cut::new(&trace, Window { start: FIRST_DAY, cycle: Span::DAY, cycles: 9, warmup: 2 }).unwrap();
        let jobs: Vec<Job> = (0..FOLDS).flat_map(|fold| [job(fold, 111, 0.4), job(fold, 222, 0.8)]).collect();
        let results = GpResults::of(&cut, &jobs, &vec![[0.5; FOLDS]; METHODS.len()], 7.0);
        assert!(results.folds.iter().all(|fold| (fold.seed, fold.test) == (222, 0.2)));
        let means: Vec<f64> = results.methods.iter().map(|method| method.change_ratio).collect();
        assert!(means[..METHODS.len()].iter().all(|mean| *mean == 0.5));
        assert!(
            means[METHODS.len()..].iter().zip([0.2, 1.2, 2.2]).all(|(mean, expected)| (mean - expected).abs() < 1e-12)
        );
        assert!((results.mean_of_all_runs - 0.15).abs() < 1e-12);
        assert!(results.table_4_4().contains("evaluation  10.0  10.0  20.0   219316"), "{}", results.table_4_4());
        assert!(results.table_4_2().contains("0.8000 (0.7094)"), "{}", results.table_4_2());
    }
}
