//! `lab compare` as tables for people and as comma-separated values.

use std::io;

use super::comparison::{Comparison, Difference, Interval, MEASURES, MeasureRow, Over, PerMeasure, Row};
use crate::output;

/// Prints the policies, and if there is a baseline how they differ from it.
pub(crate) fn print_tables(comparison: &Comparison) -> io::Result<()> {
    say!(
        "{}: {} pages, {} cycles, {} visits a cycle",
        comparison.trace,
        output::count(comparison.pages as u64),
        comparison.cycles,
        output::count(comparison.k as u64)
    )?;
    let header = ["policy", "change ratio", "precision", "recall", "freshness", "age (days)", "downloads"];
    let mut rows: Vec<Vec<String>> = comparison.policies.iter().map(|row| cells(comparison, row)).collect();
    let limits = &comparison.limits;
    let limit =
        ["limit".into(), number(limits.change_ratio), String::new(), number(limits.recall), number(limits.freshness)];
    rows.push(limit.to_vec());
    say!("{}", output::table(&header, &rows))?;
    if let Some(line) = how_sure(comparison) {
        say!("{line}")?;
    }
    if let Some(line) = tested(comparison) {
        let rows: Vec<Vec<String>> = comparison.policies.iter().filter_map(difference_cells).collect();
        say!("\n{line}")?;
        say!("{}", output::table(&["policy", "change ratio", "p", "freshness", "p", "age (days)", "p"], &rows))?;
    }
    Ok(())
}

fn number(number: f64) -> String {
    format!("{number:.4}")
}

fn cells(comparison: &Comparison, row: &Row) -> Vec<String> {
    let MeasureRow { change_ratio, precision, recall, freshness, age_days, downloads } = row.measures;
    let own = [
        row.name.clone(),
        number(change_ratio),
        number(precision),
        number(recall),
        number(freshness),
        format!("{age_days:.2}"),
        output::count(downloads as u64),
    ];
    let (Some(repeated), Some(intervals)) = (comparison.repeated, &row.intervals) else { return own.to_vec() };
    let decimals = [4, 4, 4, 4, 2, 0];
    let sure = intervals
        .each()
        .into_iter()
        .zip(decimals)
        .map(|(interval, decimals)| spread(repeated.over, interval, decimals));
    own.into_iter().zip(std::iter::once(String::new()).chain(sure)).map(|(own, sure)| own + &sure).collect()
}

/// What follows a number: its interval, or from where to where draws have it.
pub(super) fn spread(over: Over, interval: &Interval, decimals: usize) -> String {
    let Interval { low, high, min, max, .. } = interval;
    match over {
        Over::Draws => format!(" ({min:.decimals$}–{max:.decimals$})"),
        _ => format!(" ± {:.decimals$}", (high - low) / 2.0),
    }
}

/// What the intervals are.
pub(super) fn how_sure(comparison: &Comparison) -> Option<String> {
    let repeated = comparison.repeated.filter(|repeated| repeated.count > 1)?;
    let (count, over) = (repeated.count, repeated.over.name());
    Some(match repeated.over {
        Over::Draws => format!("Means over {count} {over}, in brackets the least and the greatest."),
        Over::Folds => format!("±: half of the 95 % interval of the mean over {count} {over}."),
        _ => format!("Means over {count} {over} ± half of their 95 % intervals."),
    })
}

/// What the differences are.
pub(super) fn tested(comparison: &Comparison) -> Option<String> {
    let against = comparison.against.as_ref()?;
    Some(format!(
        "Differences from {}, ± half of their 95 % intervals; paired t-test over {} {}.",
        against.policy,
        against.pairs,
        against.over.name()
    ))
}

fn difference_cells(row: &Row) -> Option<Vec<String>> {
    let differences = row.differences.as_ref()?;
    let shown = [(&differences.change_ratio, 4), (&differences.freshness, 4), (&differences.age_days, 2)];
    let cells =
        shown.into_iter().flat_map(|(difference, decimals)| [written(difference, decimals), chance(difference.p)]);
    Some(std::iter::once(row.name.clone()).chain(cells).collect())
}

/// A difference with its sign and interval.
pub(super) fn written(difference: &Difference, decimals: usize) -> String {
    let Difference { mean, low, high, .. } = difference;
    format!("{mean:+.decimals$} ± {:.decimals$}", (high - low) / 2.0)
}

/// A p-value.
pub(super) fn chance(p: f64) -> String {
    if p < 0.001 { "<0.001".into() } else { format!("{p:.3}") }
}

/// Prints comma-separated values; intervals and differences are further columns, empty where there are none.
pub(crate) fn print_csv(comparison: &Comparison) -> io::Result<()> {
    let columns = |ends: &[&str]| {
        MEASURES.iter().flat_map(|name| ends.iter().map(move |end| format!(",{name}_{end}"))).collect::<String>()
    };
    let (repeated, tested) = (comparison.repeated.is_some(), comparison.against.is_some());
    let more = [(repeated, columns(&["low", "high"])), (tested, columns(&["difference", "p"]))];
    let more: String = more.into_iter().filter(|(asked, _)| *asked).map(|(_, columns)| columns).collect();
    say!("policy,{}{more}", MEASURES.join(","))?;
    for row in &comparison.policies {
        let MeasureRow { change_ratio, precision, recall, freshness, age_days, downloads } = row.measures;
        let mut line = format!("{},{change_ratio},{precision},{recall},{freshness},{age_days},{downloads}", row.name);
        if repeated {
            line += &fields(row.intervals.as_ref(), |interval| (interval.low, interval.high));
        }
        if tested {
            line += &fields(row.differences.as_ref(), |difference| (difference.mean, difference.p));
        }
        say!("{line}")?;
    }
    Ok(())
}

/// Two fields for each measure.
fn fields<T>(values: Option<&PerMeasure<T>>, pair: impl Fn(&T) -> (f64, f64)) -> String {
    let Some(values) = values else { return ",".repeat(2 * MEASURES.len()) };
    let field = |value: &T| {
        let (one, other) = pair(value);
        format!(",{one},{other}")
    };
    values.each().into_iter().map(field).collect()
}
