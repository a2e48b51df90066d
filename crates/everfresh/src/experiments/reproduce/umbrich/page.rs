//! The page of `lab reproduce umbrich --report`: Figures 4 to 6 as plots, every group as a table.

use revisit::lab::measure::{CycleCounts, Measures};

use super::text::{pages, says};
use super::{Group, STRATEGIES, Strategy, UmbrichResults};
use crate::experiments::cycle_lines::dot;
use crate::output;
use crate::report::Page;
use crate::report::axis::Axis;
use crate::report::plot::{Look, Plot, Series};
use crate::report::table::{Cell, Kind, Table};

/// Which groups the paper has figures of.
const FIGURES: [(&str, &str); 3] = [("all pages", "Figure 4"), ("2–7 days", "Figure 5"), ("4–6 months", "Figure 6")];
/// How many points a line has: one a month in three years.
const POINTS: usize = 36;

/// Makes the page.
pub(crate) fn make(results: &UmbrichResults) -> String {
    let mut page = Page::new("Umbrich, Mrzelj & Polleres 2015, again", &says(results));
    page.section("What held and what did not", &results.text, "");
    for group in results.groups.iter().filter(|group| group.pages > 0) {
        let figure = FIGURES.iter().find(|(name, _)| *name == group.name).map(|(_, figure)| *figure);
        let heading = match figure {
            Some(figure) => format!("{figure}: {}", group.name),
            None => format!("Mean change interval {}", group.name),
        };
        let rest = if figure.is_some() { ", then from the begin up to each month" } else { "" };
        let text = format!("{}. Recall and precision over all of the time{rest}.", pages(group));
        let plots = if figure.is_some() {
            over_time(group, "recall", |measures| measures.recall)
                + &over_time(group, "precision", |measures| measures.precision)
        } else {
            plane(group).svg()
        };
        page.section(&heading, &text, &(table(group) + &plots));
    }
    page.finish()
}

/// A strategy's colour, the same everywhere.
fn colour(strategy: &Strategy) -> usize {
    STRATEGIES.iter().position(|name| *name == strategy.name).unwrap_or_default()
}

fn table(group: &Group) -> String {
    let mut table =
        Table::new(&["strategy", "recall", "precision", "downloads", "precision: first third", "last third"]);
    for strategy in &group.strategies {
        let bar = |share: f64| Cell::Bar(format!("{share:.4}"), share);
        let text = |share: f64| Cell::Text(format!("{share:.4}"));
        let cells = [
            Cell::Name(strategy.name.to_owned(), Some(colour(strategy))),
            bar(strategy.recall),
            bar(strategy.precision),
            Cell::Text(output::count(strategy.downloads as u64)),
            text(strategy.precision_first),
            text(strategy.precision_last),
        ];
        table.row(Kind::Entry, &cells);
    }
    table.finish()
}

/// Precision against recall, a dot a strategy.
fn plane(group: &Group) -> Plot {
    let dots = group
        .strategies
        .iter()
        .map(|strategy| dot(strategy.name, colour(strategy), (strategy.precision, strategy.recall)));
    let xs = group.strategies.iter().map(|strategy| strategy.precision);
    let ys = group.strategies.iter().map(|strategy| strategy.recall);
    Plot { x: Axis::around("precision", xs), y: Axis::around("recall", ys), series: dots.collect(), rules: vec![] }
}

/// A measure from the begin up to each point in time. Of a part of the time alone recall would say little: a visit may see
/// what changed long before.
fn over_time(group: &Group, label: &str, measure: fn(&Measures) -> f64) -> String {
    let cycles = group.strategies.first().map_or(0, |strategy| strategy.cycles.len());
    let ends = || (1..=POINTS).map(|point| point * cycles / POINTS).filter(|end| *end > 0);
    let points =
        |counts: &[CycleCounts]| ends().map(|end| (end as f64, measure(&Measures::of(&counts[..end])))).collect();
    let line = |strategy: &Strategy| Series {
        name: strategy.name.to_owned(),
        colour: Some(colour(strategy)),
        look: Look::Line,
        points: points(&strategy.cycles),
        raw: vec![],
    };
    let series: Vec<Series> = group.strategies.iter().map(line).collect();
    let y = Axis::around(label, series.iter().flat_map(|series| series.points.iter().map(|(_, value)| *value)));
    Plot { x: Axis::over("cycle", 0.0, cycles as f64), y, series, rules: vec![] }.svg()
}
