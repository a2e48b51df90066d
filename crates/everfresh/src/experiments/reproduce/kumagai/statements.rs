//! What Kumagai & Yamana 2004 state of their methods, held against the numbers.

use serde::Serialize;

use super::{Point, SpanResults};

/// Their methods, from the fewest pages collected to all.
const STRICT_TO_ALL: [&str; 4] = ["C", "B", "A", "all pages"];

/// How close two coverages must be to be called alike.
const ALIKE: f64 = 0.05;
/// Up to this many weeks the paper calls a span short.
const SHORT: usize = 4;
const SAMPLING: &str = "sampling, true ratios";

/// Something the paper states of a span.
#[derive(Debug, Serialize)]
pub(super) struct Statement {
    pub(super) weeks: usize,
    pub(super) said: &'static str,
    pub(super) held: bool,
    /// The numbers that decided.
    pub(super) because: String,
}

/// The paper's statements about a span, and whether they hold.
pub(super) fn of(span: &SpanResults) -> Vec<Statement> {
    let rate = ordering(span, |point| point.update_rate, |point| point.update_rate);
    let coverage = ordering(span, |point| -point.coverage, |point| point.coverage);
    let (over_depth, by_depth) = advantages(span, "breadth-first", &["A", "B", "C"]);
    let (over_sampling, by_sampling) = advantages(span, SAMPLING, &["A", "B", "C"]);
    let short = span.weeks <= SHORT;
    let beside_sampling = if short {
        (
            "sampling by true ratios covers more than A, B and C with as many pages",
            over_sampling.iter().all(|by| *by < 0.0),
        )
    } else {
        ("sampling by true ratios covers within 0.05 of A, B and C", over_sampling.iter().all(|by| by.abs() <= ALIKE))
    };
    let (combined, by_combining) = advantages(span, SAMPLING, &["sampling + A", "sampling + B", "sampling + C"]);
    let combining = match span.weeks {
        0..=2 => ("sampling alone covers more than with A, B or C", combined.iter().all(|by| *by < 0.0)),
        3..=SHORT => ("sampling with A covers more than alone", combined[0] > 0.0),
        _ => ("sampling with A and with B covers more than alone", combined[0] > 0.0 && combined[1] > 0.0),
    };
    let over_depth =
        ("A, B and C cover more than breadth-first with as many pages", over_depth.iter().all(|by| *by > 0.0));
    let all = [
        (("update rate C > B > A > all pages", rate.0), rate.1),
        (("coverage all pages > A > B > C", coverage.0), coverage.1),
        (over_depth, by_depth),
        (beside_sampling, by_sampling),
        (combining, by_combining),
    ];
    all.into_iter().map(|((said, held), because)| Statement { weeks: span.weeks, said, held, because }).collect()
}

/// Whether `falls` goes down from C to all pages, and the numbers.
fn ordering(span: &SpanResults, falls: fn(&Point) -> f64, shown: fn(&Point) -> f64) -> (bool, String) {
    let points: Vec<&Point> = STRICT_TO_ALL.iter().filter_map(|method| span.point(method)).collect();
    let held = points.windows(2).all(|pair| falls(pair[0]) > falls(pair[1]));
    let listed: Vec<String> = points.iter().map(|point| format!("{} {:.3}", point.method, shown(point))).collect();
    (held, listed.join(", "))
}

/// By how much methods cover more than a curve does with as many pages collected: the mean over their points.
fn advantages<const N: usize>(span: &SpanResults, curve: &str, methods: &[&str; N]) -> ([f64; N], String) {
    let advantage = |method: &str| {
        let by = |point: &Point| point.coverage - coverage_at(span.curve(curve), point.collected);
        let count = span.curve(method).count().max(1);
        span.curve(method).map(by).sum::<f64>() / count as f64
    };
    let by = methods.map(advantage);
    let listed: Vec<String> = methods.iter().zip(by).map(|(method, by)| format!("{method} {by:+.3}")).collect();
    (by, listed.join(", "))
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
        let statements = of(&SpanResults { weeks: 4, count: 1, tops, changes, points });
        assert_eq!(
            statements.iter().map(|statement| statement.held).collect::<Vec<_>>(),
            [false, true, true, false, false]
        );
        assert_eq!(statements[0].because, "C 0.250, B 0.300, A 0.200, all pages 0.100");
        assert_eq!(
            statements[2].because, "A +0.400, B +0.500, C +0.200",
            "without points a curve is collecting at random"
        );
    }
}
