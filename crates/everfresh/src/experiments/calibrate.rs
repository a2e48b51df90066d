//! Can the freshness that users are shown be relied on?
//!
//! Replays policies and holds the chance that each gave every copy after each cycle's visits against the truth: on the whole,
//! which is the number `status` shows, and for copies of about the same chance.

use std::io;

use revisit::lab::cut::Cut;
use revisit::lab::reliability::{Class, Reliability};
use serde::Serialize;

use super::ExperimentError;
use super::budget::Budget;
use super::entrants::Entrants;
use super::runs::{Stage, parallel};
use super::source::Source;
use crate::output;
use crate::report::Page;
use crate::report::axis::Axis;
use crate::report::plot::{Look, Plot, Series};

/// The document of `lab calibrate --json`.
#[derive(Serialize)]
pub(crate) struct Calibration {
    trace: String,
    policies: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    predicted: f64,
    freshness: f64,
    classes: Vec<ClassRow>,
}

#[derive(Serialize)]
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

/// Runs the policies and holds what they expect of copies against the truth.
pub(crate) fn calibrate(source: &Source, entrants: &Entrants, budget: Budget) -> Result<Calibration, ExperimentError> {
    let (trace, window) = source.read()?;
    let cut = Cut::new(&trace, window)?;
    let stage = Stage::new(&cut).with(&entrants.models);
    let row = |name: &String| Ok(Row::of(name, &stage.run_with_reliability(name, budget)?));
    Ok(Calibration { trace: trace.name.clone(), policies: parallel(&entrants.names, row)? })
}

/// Prints a table a policy.
pub(crate) fn print(calibration: &Calibration) -> io::Result<()> {
    calibration.policies.iter().try_for_each(print_row)
}

fn print_row(row: &Row) -> io::Result<()> {
    say!("{}", row.name)?;
    say!("  {:>16} {:>12} {:>12}", "expected current", "were current", "copies")?;
    for class in &row.classes {
        let (predicted, current) = (100.0 * class.predicted, 100.0 * class.current);
        say!("  {predicted:>14.1} % {current:>10.1} % {:>12}", output::count(class.copies))?;
    }
    let (predicted, freshness) = (100.0 * row.predicted, 100.0 * row.freshness);
    say!("  {predicted:>14.1} % {freshness:>10.1} %   on the whole: {:+.1} points", predicted - freshness)
}

/// Draws the page.
pub(crate) fn page(calibration: &Calibration) -> String {
    let title = format!("Can the freshness of {} be relied on?", calibration.trace);
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
    let series = calibration.policies.iter().enumerate().map(line).chain([right]).collect();
    let (x, y) = (Axis::over("chance of being current", 0.0, 1.0), Axis::over("share that was current", 0.0, 1.0));
    let text = "Each dot is all copies that were given about that chance, over all cycles. Above the dashed line more were \
                current than was expected.";
    page.section("Reliability", text, &Plot { x, y, series, rules: Vec::new() }.svg());
    page.finish()
}
