//! The tables of `lab reproduce barbosa` on a terminal.

use std::io;

use super::summary::{BarbosaResults, Choice, Classified, Composed, Rate};
use crate::output;

/// Prints everything but the tree, which is for the page.
pub(crate) fn print(results: &BarbosaResults) -> io::Result<()> {
    say!("{}", says(results))?;
    say!("\nFigure 2: groups of pages by mean change interval")?;
    say!("{}", output::table(&["k", "silhouette", "interval: pages"], &rows(&results.figure_2, choice)))?;
    say!("\n{}", features(results))?;
    say!("\nTable 1: classifiers, checked on pages they had not seen, every group as often")?;
    say!("{}", output::table(&TABLE_1, &rows(&results.table_1, classified)))?;
    say!("\nTable 3: where pages begin")?;
    let begun = rows(&results.table_3, |row| vec![row.beginning.to_owned(), rate(&row.rate), paper(&row.rate)]);
    say!("{}", output::table(&["beginning", "error", "paper"], &begun))?;
    say!("\nTable 5: where pages end")?;
    say!("{}", output::table(&TABLE_5, &rows(&results.table_5, composed)))?;
    say!("\n{}", results.text)
}

/// The header of Table 1.
pub(super) const TABLE_1: [&str; 7] = ["classifier", "error", "paper", "time", "a page", "leaves", "depth"];
/// The header of Table 5.
pub(super) const TABLE_5: [&str; 6] = ["policy", "error", "paper", "above tree+historic", "visits a page", "freshness"];

fn rows<T>(all: &[T], row: impl Fn(&T) -> Vec<String>) -> Vec<Vec<String>> {
    all.iter().map(row).collect()
}

/// What was looked at, in a line.
pub(super) fn says(results: &BarbosaResults) -> String {
    let seeds = if results.seeds == 1 { "1 seed".into() } else { format!("{} seeds", results.seeds) };
    let cycles = match results.cycle_days {
        1.0 => format!("{} days", results.cycles),
        days => format!("{} cycles of {days} days", results.cycles),
    };
    let [pages, trained, tested] =
        [results.pages, results.trained, results.tested].map(|pages| output::count(pages as u64));
    format!(
        "{}: {pages} pages, {cycles}, {trained} train and {tested} test, split by {}, {seeds}",
        results.trace, results.split
    )
}

/// Which features the wrapper kept.
pub(super) fn features(results: &BarbosaResults) -> String {
    let features = &results.features;
    let kept = features.kept.iter().filter(|(_, seeds)| **seeds > 0).map(|(name, seeds)| match *seeds {
        all if all == results.seeds => name.clone(),
        some => format!("{name} ({some} of {} seeds)", results.seeds),
    });
    let dropped: Vec<&str> =
        features.kept.iter().filter(|(_, seeds)| **seeds == 0).map(|(name, _)| name.as_str()).collect();
    let unknown: Vec<&str> = features.unknown.iter().map(String::as_str).collect();
    let rest = [("never kept", dropped), ("unknown of all pages", unknown)];
    let rest = rest.iter().filter(|(_, names)| !names.is_empty());
    let rest: String = rest.map(|(said, names)| format!("; {said}: {}", names.join(", "))).collect();
    let (tried, error) = (features.tried, output::share(features.error));
    let kept = kept.collect::<Vec<_>>().join(", ");
    format!("The wrapper tried {tried} sets of features and kept {kept} (error {error}){rest}")
}

fn choice(choice: &Choice) -> Vec<String> {
    let groups = choice.groups.iter().map(|group| format!("{}: {}", group.name, output::count(group.pages as u64)));
    let listed = groups.collect::<Vec<_>>().join(", ");
    vec![choice.groups.len().to_string(), format!("{:.3}", choice.silhouette), listed]
}

/// A row of Table 1 as text.
pub(super) fn classified(row: &Classified) -> Vec<String> {
    let size = |size: Option<f64>| size.map_or(String::new(), |size| format!("{size:.0}"));
    vec![
        row.method.clone(),
        rate(&row.rate),
        paper(&row.rate),
        format!("{:.3} ms", 1e3 * row.seconds),
        format!("{:.0} ns", row.nanoseconds_per_page),
        size(row.leaves),
        size(row.depth),
    ]
}

/// A row of Table 5 as text.
pub(super) fn composed(row: &Composed) -> Vec<String> {
    let above = row.above.map_or(String::new(), |above| {
        let p = if above.p < 0.001 { "p < 0.001".into() } else { format!("p = {:.3}", above.p) };
        format!("{:+.1} ± {:.1}, {p}", 100.0 * above.mean, 50.0 * (above.high - above.low))
    });
    vec![
        row.policy.to_owned(),
        rate(&row.rate),
        paper(&row.rate),
        above,
        format!("{:.1}", row.visits_per_page),
        format!("{:.3}", row.freshness),
    ]
}

/// An error rate with its interval.
pub(super) fn rate(rate: &Rate) -> String {
    let interval = rate.interval.map_or(String::new(), |interval| format!(" ± {:.1}", 100.0 * interval));
    format!("{:.1}{interval} %", 100.0 * rate.error)
}

/// The paper's error rate.
pub(super) fn paper(rate: &Rate) -> String {
    output::share(rate.paper)
}
