//! The page of `lab reproduce kumagai --report`: the tables, and Figures 5, 6, 9 and 12 to 18 as plots.

use super::text::{name, says, survey, verdict, yes};
use super::{KumagaiResults, Point, SpanResults};
use crate::output;
use crate::report::Page;
use crate::report::axis::Axis;
use crate::report::plot::{Look, Plot, Series};
use crate::report::table::{Cell, Kind, Table};

/// Every method, in the order of its colour.
const METHODS: [&str; 10] = [
    "all pages",
    "A",
    "B",
    "C",
    "breadth-first",
    "sampling, true ratios",
    "sampling, 5 % sampled",
    "sampling + A",
    "sampling + B",
    "sampling + C",
];

/// Makes the page.
pub(crate) fn make(results: &KumagaiResults) -> String {
    let mut page = Page::new("Kumagai & Yamana 2004, again", &says(results));
    page.section("What holds and what does not", &verdict(results), &statement_table(results));
    page.section("Tables 2 and 3, Figures 10 and 11", SURVEY, &survey_table(results));
    let text = "By the weeks between two points in time, every copy current at the first.";
    let rate = over_spans(results, "update rate", |point| point.update_rate);
    let coverage = over_spans(results, "coverage", |point| point.coverage);
    page.section("Figures 5 and 6: update rate and coverage", text, &(rate + &coverage));
    let text = "Servers whose true ratio reaches the threshold are collected, by the weeks between two points in time.";
    let rate = over_thresholds(results, "update rate", |point| point.update_rate);
    let coverage = over_thresholds(results, "coverage", |point| point.coverage);
    page.section("Figures 12 and 13: by the ratio of a server", text, &(rate + &coverage));
    for span in &results.spans {
        let heading = format!("Figures 9 and 14 to 18 at {} weeks", span.weeks);
        let text = "Lower is better: the share of pages collected to cover a share of the changes. Breadth-first has a point \
                    a depth, sampling one a threshold.";
        page.section(&heading, text, &(plane(span).svg() + &table(span)));
    }
    page.finish()
}

const SURVEY: &str = "Pages changed of all pages (Table 2). Servers whose top page changed: what they cover of all changes, the \
                      share changed of their pages, and their share of the servers (Table 3). Pages that never changed, of all; \
                      that changed in one week only and in every week, of those that changed (Figures 10 and 11).";

fn statement_table(results: &KumagaiResults) -> String {
    let mut table = Table::new(&["weeks", "the paper says", "holds", "because"]);
    for statement in &results.statements {
        let cells = [&statement.weeks.to_string(), statement.said, yes(statement.held), &statement.because];
        table.row(Kind::Entry, &cells.map(|text| Cell::Text(text.to_owned())));
    }
    table.finish()
}

fn survey_table(results: &KumagaiResults) -> String {
    let (header, rows) = survey(results);
    let mut table = Table::new(&header);
    for row in rows {
        table.row(Kind::Entry, &row.into_iter().map(Cell::Text).collect::<Vec<_>>());
    }
    table.finish()
}

fn colour(method: &str) -> Option<usize> {
    METHODS.iter().position(|known| *known == method)
}

fn line(method: &str, points: Vec<(f64, f64)>) -> Series {
    Series { name: method.to_owned(), colour: colour(method), look: Look::LineAndDots, points, raw: vec![] }
}

fn plot(x: (&str, f64), label: &str, series: Vec<Series>) -> String {
    let y = Axis::around(label, series.iter().flat_map(|series| series.points.iter().map(|(_, value)| *value)));
    Plot { x: Axis::over(x.0, 0.0, x.1), y, series, rules: vec![] }.svg()
}

/// A measure of A, B, C and all pages by the weeks of a span.
fn over_spans(results: &KumagaiResults, label: &str, measure: fn(&Point) -> f64) -> String {
    let points = |method: &str| {
        let point = |span: &SpanResults| Some((span.weeks as f64, measure(span.point(method)?)));
        results.spans.iter().filter_map(point).collect()
    };
    plot(("weeks", 25.0), label, METHODS[..4].iter().map(|method| line(method, points(method))).collect())
}

/// A measure of sampling with true ratios by the threshold, a line a span.
fn over_thresholds(results: &KumagaiResults, label: &str, measure: fn(&Point) -> f64) -> String {
    let lines = results.spans.iter().enumerate().map(|(place, span)| Series {
        name: format!("{} weeks", span.weeks),
        colour: Some(place),
        look: Look::LineAndDots,
        points: span
            .curve("sampling, true ratios")
            .filter_map(|point| Some((point.setting?, measure(point))))
            .collect(),
        raw: vec![],
    });
    plot(("threshold", 1.0), label, lines.collect())
}

/// Collected share against coverage.
fn plane(span: &SpanResults) -> Plot {
    let curve = |method: &&str| {
        let mut points: Vec<(f64, f64)> = span.curve(method).map(|point| (point.coverage, point.collected)).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        line(method, points)
    };
    let random = Series { look: Look::Dashed, ..line("at random", vec![(0.0, 0.0), (1.0, 1.0)]) };
    let series = std::iter::once(random).chain(METHODS[1..].iter().map(curve)).collect();
    Plot { x: Axis::over("coverage", 0.0, 1.0), y: Axis::over("collected", 0.0, 1.0), series, rules: vec![] }
}

fn table(span: &SpanResults) -> String {
    let mut table = Table::new(&["method", "update rate", "coverage", "collected"]);
    for point in &span.points {
        let bar = |share: f64| Cell::Bar(output::share(share), share);
        let cells = [
            Cell::Name(name(point), colour(point.method)),
            bar(point.update_rate),
            bar(point.coverage),
            bar(point.collected),
        ];
        table.row(Kind::Entry, &cells);
    }
    table.finish()
}

#[cfg(test)]
mod tests {
    use super::super::measure;
    use super::*;
    use crate::report::text_of;
    use revisit::lab::world;

    #[test]
    fn the_page_says_what_the_numbers_say() {
        let trace = world::make("general?days=60", 600, 1).unwrap();
        let results = measure(&trace, None, None).unwrap();
        assert_eq!(results.spans.iter().map(|span| span.weeks).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(results.pages + results.out_of_reach, 600);
        let text = text_of(&make(&results));
        for point in results.spans.iter().flat_map(|span| &span.points) {
            assert!((0.0..=1.0).contains(&point.coverage) && (0.0..=1.0).contains(&point.collected), "{point:?}");
            assert!(text.contains(&output::share(point.update_rate)) && text.contains(&name(point)), "{point:?}");
        }
        // With as many visits as there are pages down to the deepest, breadth-first collects everything.
        let deepest = results.spans[0].curve("breadth-first").last().unwrap();
        assert_eq!((deepest.coverage, deepest.collected), (1.0, 1.0));
    }
}
