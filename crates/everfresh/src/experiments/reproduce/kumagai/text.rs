//! The tables of `lab reproduce kumagai` on a terminal.

use std::io;

use super::statements::Statement;
use super::{KumagaiResults, Point, SpanResults};
use crate::output;

/// How many statements held.
pub(super) fn verdict(results: &KumagaiResults) -> String {
    let held = results.statements.iter().filter(|statement| statement.held).count();
    format!("{held} of the paper's {} statements hold here.", results.statements.len())
}

/// What was worked on, in a line.
pub(super) fn says(results: &KumagaiResults) -> String {
    let count = |number: usize| output::count(number as u64);
    let servers = if results.servers == 1 { "1 server".into() } else { format!("{} servers", count(results.servers)) };
    format!(
        "{}: {} weeks, {} pages in reach of the top pages of {servers} ({} out of reach left out); samples are of each {}",
        results.trace,
        results.weeks,
        count(results.pages),
        count(results.out_of_reach),
        results.unit
    )
}

/// A point's method with its depth or threshold.
pub(super) fn name(point: &Point) -> String {
    match point.setting {
        Some(depth) if point.method == "breadth-first" => format!("{}, depth {depth}", point.method),
        Some(threshold) => format!("{}, {:.0} % and more", point.method, 100.0 * threshold),
        None => point.method.to_owned(),
    }
}

/// Tables 2 and 3 and what Figures 10 and 11 show: a row a distance.
pub(super) fn survey(results: &KumagaiResults) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let header = vec![
        "weeks",
        "spans",
        "changed",
        "covered by tops",
        "rate by tops",
        "servers by tops",
        "never",
        "once",
        "every week",
    ];
    let row = |span: &SpanResults| {
        let (tops, changes) = (&span.tops, &span.changes);
        let shares = [tops.changed, tops.coverage, tops.update_rate, tops.servers, changes.never, changes.once];
        let counts = [span.weeks.to_string(), span.count.to_string()];
        let shares = shares.into_iter().chain([changes.always]).map(output::share);
        counts.into_iter().chain(shares).collect()
    };
    (header, results.spans.iter().map(row).collect())
}

/// A word for whether something holds.
pub(super) fn yes(held: bool) -> &'static str {
    if held { "yes" } else { "no" }
}

/// Prints the tables.
pub(crate) fn print(results: &KumagaiResults) -> io::Result<()> {
    say!("{}\n", says(results))?;
    let (header, rows) = survey(results);
    say!("{}", output::table(&header, &rows))?;
    for span in &results.spans {
        say!("\n{} weeks, {} spans", span.weeks, span.count)?;
        let row = |point: &Point| {
            let shares = [point.update_rate, point.coverage, point.collected].map(output::share);
            std::iter::once(name(point)).chain(shares).collect()
        };
        let rows: Vec<Vec<String>> = span.points.iter().map(row).collect();
        say!("{}", output::table(&["method", "update rate", "coverage", "collected"], &rows))?;
    }
    let row = |statement: &Statement| {
        let Statement { weeks, said, held, because } = statement;
        vec![weeks.to_string(), said.to_string(), yes(*held).into(), because.clone()]
    };
    let rows: Vec<Vec<String>> = results.statements.iter().map(row).collect();
    say!("\n{}", output::table(&["weeks", "the paper says", "holds", "because"], &rows))?;
    say!("\n{}", verdict(results))
}
