//! The table of `lab reproduce santos` on a terminal.

use std::io;

use super::{NEAR, Row, SantosResults};
use crate::output;

/// What was looked at, in a line.
pub(super) fn says(results: &SantosResults) -> String {
    let seeds = if results.seeds == 1 { "1 seed".into() } else { format!("{} seeds", results.seeds) };
    format!(
        "{}: {} pages, {} cycles, {} visits a cycle, {seeds}",
        results.trace,
        output::count(results.pages as u64),
        results.cycles,
        output::count(results.k as u64)
    )
}

/// How many methods came near.
pub(super) fn verdict(results: &SantosResults) -> String {
    let near = results.methods.iter().filter(|row| row.within).count();
    format!("{near} of {} are within {NEAR} of the thesis.", results.methods.len())
}

/// A row as text: method, policy, mean ± interval, thesis, difference, verdict.
pub(super) fn cells(row: &Row) -> [String; 6] {
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

/// The header of the table.
pub(super) const HEADER: [&str; 6] = ["method", "policy", "Change Ratio", "thesis", "difference", "within 0.03"];

/// Prints the table.
pub(crate) fn print(results: &SantosResults) -> io::Result<()> {
    say!("{}", says(results))?;
    let rows: Vec<Vec<String>> = results.methods.iter().map(|row| cells(row).to_vec()).collect();
    say!("{}", output::table(&HEADER, &rows))?;
    say!("{}", verdict(results))
}
