//! The page of `lab reproduce kumagai --report`: the tables, and Figures 5, 6, 9 and 12 to 18 as plots.

use super::kumagai::{Point, Report, SpanReport};
use super::kumagai_text::{name, says, survey, verdict, yes};
use crate::cli::output;
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
pub(super) fn make(report: &Report) -> String {
    let mut page = Page::new("Kumagai & Yamana 2004, again", &says(report));
    page.section("What holds and what does not", &verdict(report), &statement_table(report));
    page.section("Tables 2 and 3, Figures 10 and 11", SURVEY, &survey_table(report));
    let text = "By the weeks between two points in time, every copy current at the first.";
    let rate = over_spans(report, "update rate", |point| point.update_rate);
    let coverage = over_spans(report, "coverage", |point| point.coverage);
    page.section("Figures 5 and 6: update rate and coverage", text, &(rate + &coverage));
    let text = "Servers whose true ratio reaches the threshold are collected, by the weeks between two points in time.";
    let rate = over_thresholds(report, "update rate", |point| point.update_rate);
    let coverage = over_thresholds(report, "coverage", |point| point.coverage);
    page.section("Figures 12 and 13: by the ratio of a server", text, &(rate + &coverage));
    for span in &report.spans {
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

fn statement_table(report: &Report) -> String {
    let mut table = Table::new(&["weeks", "the paper says", "holds", "because"]);
    for statement in &report.statements {
        let cells = [&statement.weeks.to_string(), statement.said, yes(statement.held), &statement.because];
        table.row(Kind::Entry, &cells.map(|text| Cell::Text(text.to_owned())));
    }
    table.finish()
}

fn survey_table(report: &Report) -> String {
    let (header, rows) = survey(report);
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
fn over_spans(report: &Report, label: &str, measure: fn(&Point) -> f64) -> String {
    let points = |method: &str| {
        let point = |span: &SpanReport| Some((span.weeks as f64, measure(span.point(method)?)));
        report.spans.iter().filter_map(point).collect()
    };
    plot(("weeks", 25.0), label, METHODS[..4].iter().map(|method| line(method, points(method))).collect())
}

/// A measure of sampling with true ratios by the threshold, a line a span.
fn over_thresholds(report: &Report, label: &str, measure: fn(&Point) -> f64) -> String {
    let lines = report.spans.iter().enumerate().map(|(place, span)| Series {
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
fn plane(span: &SpanReport) -> Plot {
    let curve = |method: &&str| {
        let mut points: Vec<(f64, f64)> = span.curve(method).map(|point| (point.coverage, point.collected)).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        line(method, points)
    };
    let random = Series { look: Look::Dashed, ..line("at random", vec![(0.0, 0.0), (1.0, 1.0)]) };
    let series = std::iter::once(random).chain(METHODS[1..].iter().map(curve)).collect();
    Plot { x: Axis::over("coverage", 0.0, 1.0), y: Axis::over("collected", 0.0, 1.0), series, rules: vec![] }
}

fn table(span: &SpanReport) -> String {
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
    use super::super::kumagai::measure;
    use super::*;
    use crate::report::text_of;
    use revisit::lab::world;

    #[test]
    fn the_page_says_what_the_numbers_say() {
        let trace = world::make("general?days=60", 600, 1).unwrap();
        let report = measure(&trace, None, None).unwrap();
        assert_eq!(report.spans.iter().map(|span| span.weeks).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(report.pages + report.out_of_reach, 600);
        let text = text_of(&make(&report));
        for point in report.spans.iter().flat_map(|span| &span.points) {
            assert!((0.0..=1.0).contains(&point.coverage) && (0.0..=1.0).contains(&point.collected), "{point:?}");
            assert!(text.contains(&output::share(point.update_rate)) && text.contains(&name(point)), "{point:?}");
        }
        // With as many visits as there are pages down to the deepest, breadth-first collects everything.
        let deepest = report.spans[0].curve("breadth-first").last().unwrap();
        assert_eq!((deepest.coverage, deepest.collected), (1.0, 1.0));
    }
}
