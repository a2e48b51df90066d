//! What Kumagai & Yamana 2004 state of their methods, held against the numbers, and the tables in words.

use super::kumagai::{Point, Report, SpanReport};
use crate::cli::output;

/// Their methods, from the fewest pages collected to all.
const STRICT_TO_ALL: [&str; 4] = ["C", "B", "A", "all pages"];

/// One paragraph: which statements held at which distances and which did not, with the numbers that decided.
pub(super) fn of(spans: &[SpanReport]) -> String {
    let mut judged: Vec<(bool, String)> = Vec::new();
    for span in spans {
        let rates = |point: &Point| point.update_rate;
        let coverages = |point: &Point| -point.coverage;
        judged.extend(ordering(span, "update rate C > B > A > all pages", rates, |point| point.update_rate));
        judged.extend(ordering(span, "coverage all pages > A > B > C", coverages, |point| point.coverage));
        judged.extend(against(span, "breadth-first", &["A", "B", "C"]));
        judged.extend(against(span, "sampling, true ratios", &["A", "B", "C"]));
        judged.extend(against(span, "sampling, true ratios", &["sampling + A", "sampling + B", "sampling + C"]));
    }
    let part = |wanted: bool| {
        let said = judged.iter().filter(|(held, _)| *held == wanted).map(|(_, said)| said.as_str());
        said.collect::<Vec<_>>().join("; ")
    };
    let parts = [("What held", part(true)), ("What did not hold", part(false))];
    let sentences = parts.iter().filter(|(_, said)| !said.is_empty());
    sentences.map(|(opening, said)| format!("{opening}: {said}.")).collect::<Vec<_>>().join(" ")
}

/// Whether `falls` goes down from C to all pages.
fn ordering(
    span: &SpanReport,
    said: &str,
    falls: impl Fn(&Point) -> f64,
    shown: impl Fn(&Point) -> f64,
) -> Option<(bool, String)> {
    let points: Vec<&Point> = STRICT_TO_ALL.iter().filter_map(|method| span.point(method)).collect();
    let held = points.windows(2).all(|pair| falls(pair[0]) > falls(pair[1]));
    let listed: Vec<String> = points.iter().map(|point| format!("{} {:.3}", point.method, shown(point))).collect();
    (points.len() > 1).then(|| (held, format!("{} weeks: {said} ({})", span.weeks, listed.join(", "))))
}

/// Whether methods cover more than a curve does with as many pages collected.
fn against(span: &SpanReport, curve: &str, methods: &[&str]) -> Option<(bool, String)> {
    let mut listed = Vec::new();
    let (mut better, mut count) = (0, 0);
    for method in methods {
        // Of a curve the point that collects most, which is the one with the most to show.
        let point = span.curve(method).max_by(|one, other| one.collected.total_cmp(&other.collected))?;
        let bound = coverage_at(span.curve(curve), point.collected);
        (better, count) = (better + usize::from(point.coverage > bound), count + 1);
        listed.push(format!("{method} {:.3} against {bound:.3}", point.coverage));
    }
    let listed = listed.join(", ");
    let said =
        format!("{} weeks: {} cover more than {curve} with as many pages ({listed})", span.weeks, methods.join(", "));
    Some((better == count, said))
}

/// What a curve covers when it collects so much, along straight lines between its points.
fn coverage_at<'a>(curve: impl Iterator<Item = &'a Point>, collected: f64) -> f64 {
    let mut points: Vec<(f64, f64)> = curve.map(|point| (point.collected, point.coverage)).collect();
    points.extend([(0.0, 0.0), (1.0, 1.0)]);
    points.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let after = points.partition_point(|(at, _)| *at <= collected).min(points.len() - 1);
    let ((x0, y0), (x1, y1)) = (points[after - 1], points[after]);
    if x1 > x0 { y0 + (y1 - y0) * (collected - x0) / (x1 - x0) } else { y0.max(y1) }
}

/// What was worked on, in a line.
pub(super) fn says(report: &Report) -> String {
    let count = |number: usize| output::count(number as u64);
    let servers = if report.servers == 1 { "1 server".into() } else { format!("{} servers", count(report.servers)) };
    format!(
        "{}: {} weeks, {} pages in reach of the top pages of {servers} ({} out of reach left out); samples are of each {}",
        report.trace,
        report.weeks,
        count(report.pages),
        count(report.out_of_reach),
        report.unit
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
pub(super) fn survey(report: &Report) -> (Vec<&'static str>, Vec<Vec<String>>) {
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
    let row = |span: &SpanReport| {
        let (tops, changes) = (&span.tops, &span.changes);
        let shares = [tops.changed, tops.coverage, tops.update_rate, tops.servers, changes.never, changes.once];
        let counts = [span.weeks.to_string(), span.count.to_string()];
        let shares = shares.into_iter().chain([changes.always]).map(output::share);
        counts.into_iter().chain(shares).collect()
    };
    (header, report.spans.iter().map(row).collect())
}

/// Prints the tables.
pub(super) fn print(report: &Report) -> anyhow::Result<()> {
    say!("{}\n", says(report))?;
    let (header, rows) = survey(report);
    say!("{}", output::table(&header, &rows))?;
    for span in &report.spans {
        say!("\n{} weeks, {} spans", span.weeks, span.count)?;
        let row = |point: &Point| {
            let shares = [point.update_rate, point.coverage, point.collected].map(output::share);
            std::iter::once(name(point)).chain(shares).collect()
        };
        let rows: Vec<Vec<String>> = span.points.iter().map(row).collect();
        say!("{}", output::table(&["method", "update rate", "coverage", "collected"], &rows))?;
    }
    say!("\n{}", report.text)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(method: &'static str, update_rate: f64, coverage: f64, collected: f64) -> Point {
        Point { method, setting: None, update_rate, coverage, collected }
    }

    #[test]
    fn curves_are_read_between_their_points() {
        let curve = [point("x", 0.0, 0.6, 0.2), point("x", 0.0, 0.8, 0.6)];
        let at = |collected| coverage_at(curve.iter(), collected);
        assert!(
            [(0.0, 0.0), (0.1, 0.3), (0.2, 0.6), (0.4, 0.7), (0.8, 0.9), (1.0, 1.0)]
                .iter()
                .all(|(x, y)| (at(*x) - y).abs() < 1e-12)
        );
        assert!((coverage_at([].iter(), 0.3) - 0.3).abs() < 1e-12, "without points it is collecting at random");
    }

    #[test]
    fn orderings_hold_or_do_not() {
        let points = vec![
            point("all pages", 0.1, 1.0, 1.0),
            point("A", 0.2, 0.9, 0.5),
            point("B", 0.3, 0.8, 0.3),
            point("C", 0.25, 0.3, 0.1),
        ];
        let (tops, changes) = (Default::default(), Default::default());
        let text = of(&[SpanReport { weeks: 4, count: 1, tops, changes, points }]);
        let (held, failed) = text.split_once("What did not hold").unwrap();
        assert!(failed.contains("update rate C > B > A > all pages (C 0.250, B 0.300"), "{failed}");
        assert!(
            held.contains("coverage all pages > A > B > C") && held.contains("cover more than breadth-first"),
            "{held}"
        );
    }
}
