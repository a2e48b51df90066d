//! `everfresh lab compare`: which policy would have kept the replica freshest, at what cost?

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::Args;
use revisit::Span;
use revisit::lab::cut::Cut;
use revisit::lab::limit::Limits;
use revisit::lab::measure::Measures;
use revisit::lab::run::run;

use revisit::policy::registry::{self, POLICIES, Spending, Truth};
use serde::Serialize;

use super::source::Source;
use crate::cli::exit::WrongInput;
use crate::cli::output;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab compare --trace traces/nlab --cycle 7d --cycles 150 --start 1661990400 --budget 2%
  everfresh lab compare --world brdc12-like --pages 20000 --seed 1 --budget 5% --policy age,cg,nad
  everfresh lab compare --trace mine --budget 100 --policy 'nutch-adaptive?grow=0.5' --policy all")]
pub(in crate::cli) struct Compare {
    #[command(flatten)]
    source: Source,
    /// Visits a cycle: a number, or a share of the pages such as 2%
    #[arg(long, default_value = "2%")]
    budget: Budget,
    /// Policies: names with parameters (name?key=value), separated by commas; 'all' for every one
    #[arg(long = "policy", value_name = "NAMES", default_value = "all")]
    policies: Vec<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// Visits a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Budget {
    Visits(usize),
    Share(f64),
}

impl std::str::FromStr for Budget {
    type Err = String;
    fn from_str(text: &str) -> Result<Budget, String> {
        let wrong =
            || format!("'{text}' is no budget: write a number of visits (100) or a share above 0 % and at most 100 %");
        let budget = match text.strip_suffix('%') {
            Some(share) => Budget::Share(share.trim().parse::<f64>().map_err(|_| wrong())? / 100.0),
            None => Budget::Visits(text.trim().parse().map_err(|_| wrong())?),
        };
        match budget {
            Budget::Share(share) if share > 0.0 && share <= 1.0 => Ok(budget),
            Budget::Visits(1..) => Ok(budget),
            _ => Err(wrong()),
        }
    }
}

impl Budget {
    /// Visits a cycle among so many pages, at least one.
    fn visits(self, pages: usize) -> usize {
        match self {
            Budget::Visits(visits) => visits.min(pages),
            Budget::Share(share) => ((share * pages as f64).round() as usize).max(1),
        }
    }
}

#[derive(Serialize)]
struct Report {
    trace: String,
    pages: usize,
    cycles: usize,
    k: usize,
    policies: Vec<Row>,
    limits: LimitRow,
}

#[derive(Serialize)]
struct Row {
    name: String,
    change_ratio: f64,
    precision: f64,
    recall: f64,
    freshness: f64,
    age_days: f64,
    downloads: usize,
}

#[derive(Serialize)]
struct LimitRow {
    change_ratio: f64,
    recall: f64,
    freshness: f64,
}

impl Compare {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let names = policy_names(&self.policies)?;
        let (trace, window) = self.source.read()?;
        let cut = Cut::new(&trace, window)?;
        let k = self.budget.visits(cut.len());
        let measures = run_all(&cut, &names, k)?;
        let Limits { change_ratio, recall, freshness } = Limits::of(&cut, k);
        let report = Report {
            trace: trace.name.clone(),
            pages: cut.len(),
            cycles: window.cycles,
            k,
            policies: names.into_iter().zip(measures).map(row).collect(),
            limits: LimitRow { change_ratio, recall, freshness },
        };
        match (self.json, self.csv) {
            (true, _) => output::json(&report)?,
            (_, true) => print_csv(&report)?,
            _ => print_table(&report)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The policies named, each known to exist.
fn policy_names(lists: &[String]) -> Result<Vec<String>, WrongInput> {
    let mut names = Vec::new();
    for name in lists.iter().flat_map(|list| list.split(',')).map(str::trim) {
        match name {
            "" => {}
            "all" => names.extend(POLICIES.iter().map(|entry| entry.name.to_owned())),
            name => {
                registry::build(name).map_err(|error| WrongInput(error.to_string()))?;
                names.push(name.to_owned());
            }
        }
    }
    Ok(names)
}

/// Runs every policy, as many at a time as there are cores; the order of the results is that of the names.
fn run_all(cut: &Cut<'_>, names: &[String], k: usize) -> anyhow::Result<Vec<Measures>> {
    let mean_intervals: Vec<Span> = (0..cut.len()).map(|index| cut.mean_interval(index)).collect();
    let truth = Truth { mean_intervals: &mean_intervals };
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((index, name)) = take(names, &next) {
            let result = run_one(cut, name, &truth, k);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(names.len());
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The next name that no thread has taken.
fn take<'a>(names: &'a [String], next: &AtomicUsize) -> Option<(usize, &'a String)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    names.get(index).map(|name| (index, name))
}

fn run_one(cut: &Cut<'_>, name: &str, truth: &Truth<'_>, k: usize) -> anyhow::Result<Measures> {
    let visits = match registry::find(name)?.spending {
        Spending::Ranks | Spending::Solves => k,
        Spending::Free => cut.len(),
    };
    let policy = registry::build_for_lab(name, truth)?;
    let run = run(cut, policy, visits).map_err(|error| anyhow::anyhow!("policy '{name}': {error}"))?;
    Ok(run.measures())
}

fn row((name, measures): (String, Measures)) -> Row {
    let Measures { change_ratio, precision, recall, freshness, age_days, downloads } = measures;
    Row { name, change_ratio, precision, recall, freshness, age_days, downloads }
}

fn print_table(report: &Report) -> anyhow::Result<()> {
    say!(
        "{}: {} pages, {} cycles, {} visits a cycle",
        report.trace,
        output::count(report.pages as u64),
        report.cycles,
        output::count(report.k as u64)
    )?;
    let number = |number: f64| format!("{number:.4}");
    let mut rows: Vec<Vec<String>> = report
        .policies
        .iter()
        .map(|row| {
            let measures = [row.change_ratio, row.precision, row.recall, row.freshness].map(number);
            let rest = [format!("{:.2}", row.age_days), output::count(row.downloads as u64)];
            [vec![row.name.clone()], measures.to_vec(), rest.to_vec()].concat()
        })
        .collect();
    let limits = &report.limits;
    let limit =
        ["limit".into(), number(limits.change_ratio), String::new(), number(limits.recall), number(limits.freshness)];
    rows.push(limit.to_vec());
    let header = ["policy", "change ratio", "precision", "recall", "freshness", "age (days)", "downloads"];
    say!("{}", output::table(&header, &rows))?;
    Ok(())
}

fn print_csv(report: &Report) -> anyhow::Result<()> {
    say!("policy,change_ratio,precision,recall,freshness,age_days,downloads")?;
    for row in &report.policies {
        let Row { name, change_ratio, precision, recall, freshness, age_days, downloads } = row;
        say!("{name},{change_ratio},{precision},{recall},{freshness},{age_days},{downloads}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_numbers_or_shares() {
        assert_eq!("2%".parse::<Budget>().unwrap().visits(1000), 20);
        assert_eq!("0.04 %".parse::<Budget>().unwrap().visits(1000), 1);
        assert_eq!("5000".parse::<Budget>().unwrap().visits(1000), 1000);
        for wrong in ["0", "0%", "101%", "-1", "many", "NaN%"] {
            assert!(wrong.parse::<Budget>().is_err(), "{wrong}");
        }
    }
}
