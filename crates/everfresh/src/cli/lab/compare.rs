//! `everfresh lab compare`: which policy would have kept the replica freshest, at what cost?

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use revisit::lab::cut::Cut;
use revisit::lab::limit::Limits;
use revisit::lab::measure::Measures;
use revisit::lab::run::Run;
use revisit::policy::registry::{self, POLICIES};
use serde::Serialize;

use super::compare_page;
use super::runs::{Stage, parallel};
use super::source::Source;
use crate::cli::exit::WrongInput;
use crate::cli::output;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab compare --trace traces/nlab --cycle 7d --cycles 150 --start 1661990400 --budget 2%
  everfresh lab compare --world brdc12-like --pages 20000 --seed 1 --budget 5% --policy age,cg,nad
  everfresh lab compare --trace mine --budget 100 --policy 'nutch-adaptive?grow=0.5' --policy all
  everfresh lab compare --trace traces/nlab --cycle 7d --budget 2% --report nlab.html")]
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
    /// Also write a page with plots, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
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
    pub(super) fn visits(self, pages: usize) -> usize {
        match self {
            Budget::Visits(visits) => visits.min(pages),
            Budget::Share(share) => ((share * pages as f64).round() as usize).max(1),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Report {
    pub(super) trace: String,
    pub(super) pages: usize,
    pub(super) cycles: usize,
    pub(super) k: usize,
    pub(super) policies: Vec<Row>,
    pub(super) limits: LimitRow,
}

#[derive(Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) change_ratio: f64,
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) freshness: f64,
    pub(super) age_days: f64,
    pub(super) downloads: usize,
}

#[derive(Serialize)]
pub(super) struct LimitRow {
    pub(super) change_ratio: f64,
    pub(super) recall: f64,
    pub(super) freshness: f64,
}

impl Compare {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let names = policy_names(&self.policies)?;
        let (trace, window) = self.source.read()?;
        let cut = Cut::new(&trace, window)?;
        let k = self.budget.visits(cut.len());
        let stage = Stage::new(&cut);
        let runs = parallel(&names, |name| stage.run(name, k))?;
        let Limits { change_ratio, recall, freshness } = Limits::of(&cut, k);
        let report = Report {
            trace: trace.name.clone(),
            pages: cut.len(),
            cycles: window.cycles,
            k,
            policies: names.into_iter().zip(runs.iter().map(Run::measures)).map(row).collect(),
            limits: LimitRow { change_ratio, recall, freshness },
        };
        match (self.json, self.csv) {
            (true, _) => output::json(&report)?,
            (_, true) => print_csv(&report)?,
            _ => print_table(&report)?,
        }
        if let Some(file) = &self.report {
            write_page(file, &compare_page::make(&report, &stage, &runs)?)?;
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
            "all" => {
                names.extend(POLICIES.iter().filter(|entry| !entry.needs_model()).map(|entry| entry.name.to_owned()))
            }
            name => {
                registry::build(name).map_err(|error| WrongInput(error.to_string()))?;
                names.push(name.to_owned());
            }
        }
    }
    Ok(names)
}

/// Writes a report where the user wants it.
pub(super) fn write_page(file: &Path, page: &str) -> anyhow::Result<()> {
    std::fs::write(file, page).with_context(|| format!("cannot write the report to {}", file.display()))
}

pub(super) fn row((name, measures): (String, Measures)) -> Row {
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
