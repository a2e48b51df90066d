//! The tables of `lab reproduce umbrich` on a terminal.

use std::io;

use super::{Group, Strategy, UmbrichResults};
use crate::output;

/// How many pages a group has, to be read.
pub(super) fn pages(group: &Group) -> String {
    match group.pages {
        1 => "1 page".into(),
        pages => format!("{} pages", output::count(pages as u64)),
    }
}

/// What was looked at, in a line.
pub(super) fn says(results: &UmbrichResults) -> String {
    let note = match results.missing.as_slice() {
        [] => String::new(),
        missing => format!("; not registered: {}", missing.join(", ")),
    };
    format!(
        "{}: {} pages that changed ({} never did and are left out), {} cycles{note}",
        results.trace,
        output::count(results.pages as u64),
        output::count(results.never_changed as u64),
        output::count(results.cycles as u64)
    )
}

/// Prints a table a group of pages.
pub(crate) fn print(results: &UmbrichResults) -> io::Result<()> {
    say!("{}", says(results))?;
    for group in &results.groups {
        say!("\n{}: {}", group.name, pages(group))?;
        let row = |strategy: &Strategy| {
            let Strategy { name, recall, precision, downloads, .. } = strategy;
            vec![
                (*name).to_owned(),
                format!("{recall:.4}"),
                format!("{precision:.4}"),
                output::count(*downloads as u64),
            ]
        };
        let rows: Vec<Vec<String>> = group.strategies.iter().map(row).collect();
        say!("{}", output::table(&["strategy", "recall", "precision", "downloads"], &rows))?;
    }
    say!("\n{}", results.text)
}
