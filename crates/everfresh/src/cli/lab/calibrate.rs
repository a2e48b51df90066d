//! `everfresh lab calibrate`: can the freshness that users are shown be relied on?
//!
//! Replays policies and holds the chance that each gave every copy after each cycle's visits against the truth: on the whole,
//! which is the number `status` shows, and for copies of about the same chance.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use revisit::lab::cut::Cut;
use revisit::lab::reliability::{Class, Reliability};

use super::budget::Budget;
use super::compare::{policy_names, write_page};
use super::models::Models;
use super::runs::{Stage, parallel};
use super::source::Source;
use crate::cli::exit::WrongInput;
use crate::cli::output;
use crate::report::Page;
use crate::report::axis::Axis;
use crate::report::plot::{Look, Plot, Series};

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab calibrate --trace traces/nlab --cycle 7d --cycles 150 --start 1661990400 --budget 2%
  everfresh lab calibrate --world general --budget 5% --policy everfresh,age --report trust.html")]
pub(in crate::cli) struct Calibrate {
    #[command(flatten)]
    source: Source,
    /// Visits a cycle: a number, or a share of the pages such as 2%
    #[arg(long, default_value = "2%")]
    budget: String,
    /// Policies, separated by commas
    #[arg(long = "policy", value_name = "NAMES", default_value = "everfresh")]
    policies: Vec<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Also write a page with a plot, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

#[derive(serde::Serialize)]
struct Report {
    trace: String,
    policies: Vec<Row>,
}

#[derive(serde::Serialize)]
struct Row {
    name: String,
    predicted: f64,
    freshness: f64,
    classes: Vec<ClassRow>,
}

#[derive(serde::Serialize)]
struct ClassRow {
    copies: u64,
    predicted: f64,
    current: f64,
}

impl Row {
    fn of(name: &str, reliability: &Reliability) -> Row {
        let row =
            |class: &Class| ClassRow { copies: class.copies, predicted: class.predicted(), current: class.observed() };
        let classes = reliability.classes.iter().filter(|class| class.copies > 0).map(row).collect();
        let whole = reliability.whole();
        Row { name: name.to_owned(), predicted: whole.predicted(), freshness: whole.observed(), classes }
    }
}

impl Calibrate {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let budget: Budget = self.budget.parse().map_err(WrongInput)?;
        let mut models = Models::default();
        let names = policy_names(&self.policies, &mut models)?;
        let (trace, window) = self.source.with_links(true).read()?;
        let cut = Cut::new(&trace, window)?;
        let stage = Stage::new(&cut).with(&models);
        let policies = parallel(&names, |name| Ok(Row::of(name, &stage.run_with_reliability(name, budget)?)))?;
        let report = Report { trace: trace.name.clone(), policies };
        if self.json {
            output::json(&report)?;
        } else {
            report.policies.iter().for_each(print);
        }
        if let Some(file) = &self.report {
            write_page(file, &page(&report))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(row: &Row) {
    println!("{}", row.name);
    println!("  {:>16} {:>12} {:>12}", "expected current", "were current", "copies");
    for class in &row.classes {
        let (predicted, current) = (100.0 * class.predicted, 100.0 * class.current);
        println!("  {predicted:>14.1} % {current:>10.1} % {:>12}", output::count(class.copies));
    }
    let (predicted, freshness) = (100.0 * row.predicted, 100.0 * row.freshness);
    println!("  {predicted:>14.1} % {freshness:>10.1} %   on the whole: {:+.1} points", predicted - freshness);
}

fn page(report: &Report) -> String {
    let title = format!("Can the freshness of {} be relied on?", report.trace);
    let mut page = Page::new(&title, "What policies expected of copies, against what was true");
    let line = |(place, row): (usize, &Row)| Series {
        name: row.name.clone(),
        colour: Some(place),
        look: Look::LineAndDots,
        points: row.classes.iter().map(|class| (class.predicted, class.current)).collect(),
        raw: Vec::new(),
    };
    let right = Series {
        name: "as expected".into(),
        colour: None,
        look: Look::Dashed,
        points: vec![(0.0, 0.0), (1.0, 1.0)],
        raw: Vec::new(),
    };
    let series = report.policies.iter().enumerate().map(line).chain([right]).collect();
    let (x, y) = (Axis::over("chance of being current", 0.0, 1.0), Axis::over("share that was current", 0.0, 1.0));
    let text = "Each dot is all copies that were given about that chance, over all cycles. Above the dashed line more were \
                current than was expected.";
    page.section("Reliability", text, &Plot { x, y, series, rules: Vec::new() }.svg());
    page.finish()
}
