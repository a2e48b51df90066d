//! `everfresh lab reproduce santos`: Table 4.3 and Figure 4.2 of Santos 2013.
//!
//! The thesis' data set is not to be had; the default is a made-up world that is like it, over several seeds. Readings: the
//! weighted scores are those of the thesis' public code, which weighs calendar cycles and not visits, because that code made
//! the table; and t·X stands beside NAD's number, because that code's NAD ranks pages as t·X does.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use revisit::lab::confidence::{Spread, mean};
use revisit::lab::cut::Cut;
use revisit::lab::run::Run;
use serde::Serialize;

use super::super::budget::Budget;
use super::super::compare::write_page;
use super::super::cycle_lines::{change_ratio, cycle_series};
use super::super::runs::{Stage, parallel};
use super::super::source::Source;
use super::santos_gp;
use crate::cli::exit::WrongInput;
use crate::cli::output;
use crate::report::Page;
use crate::report::axis::Axis;
use crate::report::plot::Plot;
use crate::report::table::{Cell, Kind, Table};

/// The methods of Table 4.3: what the thesis calls them, our policy, and its mean Change Ratio.
pub(super) const METHODS: [(&str, &str, f64); 8] = [
    ("Rand", "rand", 0.186),
    ("Age", "age", 0.213),
    ("NAD", "nad?reading=calendar", 0.689),
    ("SAD", "sad?reading=calendar", 0.517),
    ("AAD", "aad?reading=calendar", 0.634),
    ("GAD", "gad?reading=calendar", 0.602),
    ("CG", "cg", 0.644),
    ("t·X", "tx", 0.689),
];
/// How far from the thesis still counts as the same.
const NEAR: f64 = 0.03;

#[derive(Args)]
#[command(after_help = "\
Examples:
  everfresh lab reproduce santos
  everfresh lab reproduce santos --seeds 10 --report santos.html
  everfresh lab reproduce santos --gp --pages 417048
  everfresh lab reproduce santos --trace traces/endoflife --budget 10% --json")]
pub(in crate::cli) struct Santos {
    #[command(flatten)]
    source: Source,
    /// Visits a cycle: a number, or a share of the pages such as 5%
    #[arg(long, default_value = "5%")]
    budget: String,
    /// Also breed formulas: Tables 4.2 to 4.4, over 5 folds of one world and so many seeds of the breeding
    #[arg(long, conflicts_with = "report")]
    gp: bool,
    /// How many worlds, with seeds from --seed on
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Also write a page with Figure 4.2, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    trace: String,
    pages: usize,
    cycles: usize,
    k: usize,
    seeds: u64,
    methods: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    policy: &'static str,
    change_ratio: f64,
    /// Half of the 95 % interval over the seeds; absent with one seed.
    interval: Option<f64>,
    thesis: f64,
    difference: f64,
    within: bool,
}

/// Everything that one seed gave: a run a method.
struct Repetition {
    trace: String,
    pages: usize,
    cycles: usize,
    k: usize,
    runs: Vec<Run>,
}

impl Santos {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let source = self.source.or_world("brdc12-like");
        let budget: Budget = self.budget.parse().map_err(WrongInput)?;
        if source.seed.checked_add(self.seeds).is_none() {
            return Err(WrongInput("--seed is too large for so many seeds".into()).into());
        }
        if self.gp {
            return santos_gp::run(&source, budget, self.seeds, self.json);
        }
        let seeds: Vec<u64> = (source.seed..source.seed + self.seeds).collect();
        let repetitions = parallel(&seeds, |seed| repeat(&source, *seed, budget))?;
        let report = summarise(&repetitions, self.seeds);
        if self.json {
            output::json(&report)?;
        } else {
            print_table(&report)?;
        }
        if let Some(file) = &self.report {
            write_page(file, &page(&report, &repetitions))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn repeat(source: &Source, seed: u64, budget: Budget) -> anyhow::Result<Repetition> {
    let (trace, window) = source.clone().with_seed(seed).read()?;
    let cut = Cut::new(&trace, window)?;
    let stage = Stage::new(&cut);
    let run = |(_, policy, _): &(&str, &str, f64)| match *policy {
        "rand" => stage.run(&format!("rand?seed={seed}"), budget),
        policy => stage.run(policy, budget),
    };
    let runs = METHODS.iter().map(run).collect::<Result<_, _>>()?;
    Ok(Repetition { trace: trace.name.clone(), pages: cut.len(), cycles: window.cycles, k: stage.visits(budget), runs })
}

fn summarise(repetitions: &[Repetition], seeds: u64) -> Report {
    // At least one seed was asked for.
    let first = &repetitions[0];
    let row = |(place, (name, policy, thesis)): (usize, &(&'static str, &'static str, f64))| {
        let ratios: Vec<f64> =
            repetitions.iter().map(|repetition| repetition.runs[place].measures().change_ratio).collect();
        let (change_ratio, interval) = (mean(&ratios), Spread::of(&ratios).map(|spread| spread.half_width()));
        let difference = (change_ratio - thesis).abs();
        Row { name, policy, change_ratio, interval, thesis: *thesis, difference, within: difference <= NEAR }
    };
    let methods = METHODS.iter().enumerate().map(row).collect();
    let Repetition { trace, pages, cycles, k, .. } = first;
    Report { trace: trace.clone(), pages: *pages, cycles: *cycles, k: *k, seeds, methods }
}

fn says(report: &Report) -> String {
    let seeds = if report.seeds == 1 { "1 seed".into() } else { format!("{} seeds", report.seeds) };
    format!(
        "{}: {} pages, {} cycles, {} visits a cycle, {seeds}",
        report.trace,
        output::count(report.pages as u64),
        report.cycles,
        output::count(report.k as u64)
    )
}

fn verdict(report: &Report) -> String {
    let near = report.methods.iter().filter(|row| row.within).count();
    format!("{near} of {} are within {NEAR} of the thesis.", report.methods.len())
}

/// A row as text: method, policy, mean ± interval, thesis, difference, verdict.
fn cells(row: &Row) -> [String; 6] {
    let interval = row.interval.map_or(String::new(), |interval| format!(" ± {interval:.3}"));
    [
        row.name.to_owned(),
        row.policy.to_owned(),
        format!("{:.3}{interval}", row.change_ratio),
        format!("{:.3}", row.thesis),
        format!("{:.3}", row.difference),
        if row.within { "yes".into() } else { "no".into() },
    ]
}

const HEADER: [&str; 6] = ["method", "policy", "Change Ratio", "thesis", "difference", "within 0.03"];

fn print_table(report: &Report) -> anyhow::Result<()> {
    say!("{}", says(report))?;
    let rows: Vec<Vec<String>> = report.methods.iter().map(|row| cells(row).to_vec()).collect();
    say!("{}", output::table(&HEADER, &rows))?;
    say!("{}", verdict(report))?;
    Ok(())
}

fn page(report: &Report, repetitions: &[Repetition]) -> String {
    let mut page = Page::new("Santos 2013, again", &says(report));
    let mut table = Table::new(&HEADER);
    for (place, row) in report.methods.iter().enumerate() {
        let [name, policy, ratio, thesis, difference, within] = cells(row);
        let number = |text: String, share| Cell::Bar(text, share);
        let numbers = [number(ratio, row.change_ratio), number(thesis, row.thesis)];
        let rest = [Cell::Text(difference), Cell::Text(within)];
        let names = [Cell::Name(name, Some(place)), Cell::Text(policy)];
        table.row(Kind::Entry, &[&names[..], &numbers, &rest].concat());
    }
    let text = format!(
        "Mean Change Ratio with its 95 % interval over the seeds. {} NAD, SAD, AAD and GAD weigh calendar cycles, as the \
         thesis' public code does; t·X stands beside NAD, because that code's NAD ranks pages as t·X does.",
        verdict(report)
    );
    page.section("Table 4.3", &text, &table.finish());
    let text = "Mean over the seeds, moving averages; the cycles themselves are faint.";
    page.section("Figure 4.2: Change Ratio, cycle by cycle", text, &figure(report, repetitions).svg());
    page.finish()
}

fn figure(report: &Report, repetitions: &[Repetition]) -> Plot {
    let mean = |place: usize, cycle: usize| {
        let ratios = repetitions.iter().map(|repetition| {
            let run = &repetition.runs[place];
            change_ratio(&run.cycles[cycle])
        });
        ratios.sum::<f64>() / repetitions.len() as f64
    };
    let series: Vec<_> = METHODS
        .iter()
        .enumerate()
        .map(|(place, (name, ..))| {
            let measured = repetitions[0].runs[place].cycles.len();
            let values: Vec<f64> = (0..measured).map(|cycle| mean(place, cycle)).collect();
            cycle_series(name, place, &values, report.cycles - measured, 5)
        })
        .collect();
    let y = Axis::around("Change Ratio", series.iter().flat_map(|series| series.raw.iter().map(|(_, value)| *value)));
    Plot { x: Axis::over("cycle", 1.0, report.cycles as f64), y, series, rules: vec![] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text_of;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        santos: Santos,
    }

    #[test]
    fn the_page_says_what_the_numbers_say() {
        let Line { santos } = Line::parse_from(["santos", "--pages", "300", "--seeds", "2"]);
        let source = santos.source.or_world("brdc12-like");
        let repetitions: Vec<_> =
            [1, 2].map(|seed| repeat(&source, seed, santos.budget.parse().unwrap()).unwrap()).into();
        let report = summarise(&repetitions, 2);
        assert_eq!((report.pages, report.cycles, report.k), (300, 57, 15));
        let text = text_of(&page(&report, &repetitions));
        for row in &report.methods {
            assert!(row.change_ratio > 0.0 && row.change_ratio <= 1.0 && row.interval.is_some());
            assert!(text.contains(&cells(row)[2]), "{}", row.name);
        }
    }
}
