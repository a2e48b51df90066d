//! What the plots of the lab's pages are made of: smoothed lines of one value a cycle, and dots.

use revisit::lab::measure::CycleCounts;

use crate::report::plot::{Look, Series};

/// A line of one value a cycle, smoothed, with what it was smoothed from.
pub(super) fn cycle_series(name: &str, colour: usize, values: &[f64], first: usize, width: usize) -> Series {
    let number = |(place, value): (usize, f64)| ((first + place + 1) as f64, value);
    let points = smooth(values, width).into_iter().enumerate().map(number).collect();
    let raw = values.iter().copied().enumerate().map(number).collect();
    Series { name: name.into(), colour: Some(colour), look: Look::Line, points, raw }
}

/// One dot.
pub(super) fn dot(name: &str, colour: usize, point: (f64, f64)) -> Series {
    Series { name: name.into(), colour: Some(colour), look: Look::Dots, points: vec![point], raw: vec![] }
}

/// The share of visits that saw a change; of a cycle without visits nothing can be said.
pub(super) fn change_ratio(counts: &CycleCounts) -> f64 {
    counts.changed_visits as f64 / counts.visits as f64
}

/// The share of copies that are current.
pub(super) fn freshness(counts: &CycleCounts) -> f64 {
    counts.current as f64 / counts.pages as f64
}

/// Moving averages over about `width` values around each; values that are not finite are left out.
fn smooth(values: &[f64], width: usize) -> Vec<f64> {
    // Running sums, so that the time does not depend on the width.
    let (mut sum, mut count) = (0.0, 0.0);
    let mut sums = vec![(0.0, 0.0)];
    for value in values {
        if value.is_finite() {
            (sum, count) = (sum + value, count + 1.0);
        }
        sums.push((sum, count));
    }
    let half = width / 2;
    let average = |place: usize| {
        let (from, to) = (sums[place.saturating_sub(half)], sums[(place + half + 1).min(values.len())]);
        (to.0 - from.0) / (to.1 - from.1)
    };
    (0..values.len()).map(average).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_move_and_leave_out_what_is_unknown() {
        assert_eq!(smooth(&[1.0, 2.0, 6.0, f64::NAN, 4.0], 3), [1.5, 3.0, 4.0, 5.0, 4.0]);
        assert!(smooth(&[f64::NAN], 3)[0].is_nan());
        assert!(smooth(&[], 3).is_empty());
    }
}
