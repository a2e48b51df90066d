//! A formula that was bred: what it reaches on pages that had no say, beside the published scores.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use revisit::lab::cut::Cut;
use revisit::lab::measure::Measures;
use revisit::learn::gp::{Evolved, Objective};
use serde::Serialize;

use crate::cpu::process_seconds;
use crate::output;
use crate::training::formula::{Bred, Breeding};
use crate::training::{TrainError, score};

/// The published scores that a formula is held against.
const BASELINES: [&str; 7] = ["age", "nad", "cg", "tx", "sad", "aad", "gad"];

/// Values by the name of their measure.
type Values = BTreeMap<&'static str, f64>;

/// The document of `train gp --json`.
#[derive(Serialize)]
pub(crate) struct FormulaReport {
    trace: String,
    /// Pages in training, validation and test.
    pages: [usize; 3],
    cycles: usize,
    formula: String,
    train: Values,
    validation: Values,
    test: Values,
    /// What the published scores reach on the test pages, by the same measure.
    baselines: BTreeMap<&'static str, f64>,
    #[serde(skip)]
    measure: &'static str,
    /// Formulas judged in training.
    evaluations: u64,
    /// Of those, how many needed a simulated crawl: equal formulas are judged once.
    simulated: u64,
    /// CPU time of the whole command so far.
    cpu_seconds: f64,
    /// CPU time of breeding, validation and test.
    breeding_cpu_seconds: f64,
    /// Pages times cycles of the simulated crawls, a second of breeding.
    page_cycles_per_cpu_second: f64,
    model: String,
}

impl FormulaReport {
    /// Runs the baselines on the pages that had no say, and puts everything together.
    pub(crate) fn of(
        cut: &Cut<'_>,
        breeding: &Breeding,
        bred: &Bred,
        model: &Path,
        breeding_cpu_seconds: f64,
    ) -> Result<FormulaReport, TrainError> {
        let measure = measure(breeding.objective);
        let test_pages = cut.only(&bred.held_out);
        let scored = |policy, model| score(&test_pages, policy, model, breeding.budget);
        let formula = bred.model();
        let test = scored("gp", Some(&formula))?;
        let baselines = BASELINES.map(|name| Ok((name, of(&scored(name, None)?, measure))));
        let baselines = baselines.into_iter().collect::<Result<_, TrainError>>()?;
        let Evolved { train, validation, evaluations, simulated, .. } = bred.evolved;
        let validated = cut.len() - bred.pages - bred.held_out.len();
        Ok(FormulaReport {
            trace: cut.trace().name.clone(),
            pages: [bred.pages, validated, bred.held_out.len()],
            cycles: cut.window().cycles,
            formula: bred.evolved.formula.to_string(),
            train: [(measure, train)].into(),
            validation: [(measure, validation)].into(),
            test: MEASURES.map(|measure| (measure, of(&test, measure))).into(),
            baselines,
            measure,
            evaluations,
            simulated,
            cpu_seconds: process_seconds(),
            breeding_cpu_seconds,
            page_cycles_per_cpu_second: bred.page_cycles as f64 / breeding_cpu_seconds,
            model: model.display().to_string(),
        })
    }

    /// Prints the formula and the table.
    pub(crate) fn print(&self) -> io::Result<()> {
        let [train, validation, test] = self.pages.map(|pages| output::count(pages as u64));
        say!("{}: {train} pages train, {validation} validate, {test} test; {} cycles", self.trace, self.cycles)?;
        say!("\n  {}\n", self.formula)?;
        let measure = self.measure;
        let of = |values: &Values| format!("{:.4}", values[measure]);
        let mut rows = vec![["the formula".to_owned(), of(&self.train), of(&self.validation), of(&self.test)].to_vec()];
        let mut baselines: Vec<_> = self.baselines.iter().collect();
        baselines.sort_by(|one, other| other.1.total_cmp(one.1));
        let row = |(name, value): (&&str, &f64)| {
            vec![(*name).to_owned(), String::new(), String::new(), format!("{value:.4}")]
        };
        rows.extend(baselines.into_iter().map(|(name, value)| row((name, value))));
        say!("{}", output::table(&[measure, "train", "validation", "test"], &rows))?;
        say!(
            "\n{} evaluations, {} simulated, {:.1} s of CPU, {:.2} thousand million page-cycles a second of it",
            output::count(self.evaluations),
            output::count(self.simulated),
            self.cpu_seconds,
            self.page_cycles_per_cpu_second / 1e9
        )?;
        say!("Written to {0}: use it with --policy gp:{0}", self.model)
    }
}

/// What the lab measures of a formula.
const MEASURES: [&str; 3] = ["change_ratio", "recall", "freshness"];

/// The measure that an objective is about.
fn measure(objective: Objective) -> &'static str {
    match objective {
        Objective::ChangeRatio => "change_ratio",
        Objective::Recall => "recall",
        Objective::Freshness | Objective::WeightedFreshness => "freshness",
    }
}

fn of(measures: &Measures, measure: &str) -> f64 {
    match measure {
        "change_ratio" => measures.change_ratio,
        "recall" => measures.recall,
        _ => measures.freshness,
    }
}
