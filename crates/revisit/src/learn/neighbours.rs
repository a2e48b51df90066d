//! Nearest neighbours: a page is like the pages most like it (IBk of Weka; Aha, Kibler & Albert 1991).
//!
//! Every feature is scaled so that the training rows span 0 to 1. The distance is Euclidean; a missing value is as
//! different as it could be: 1 from another missing one, max(x, 1 − x) from a known x. Each of the k nearest rows has a
//! vote. Equal distances go to the earlier row, equal votes to the lower class. Where all rows look the same, the most
//! frequent class is the answer.
//!
//! The rows are in a k-d tree, exact and not a scan: `cells` halves them along the feature in which they differ most
//! and notes the box they fill, so that a search can pass over whole cells.

mod cells;

use super::dataset::Dataset;
use super::{Classifier, LearnError, check, likeliest, value};
use cells::Cells;

/// Training rows, ready to be searched.
#[derive(Clone, Debug)]
pub struct Neighbours {
    count: usize,
    classes: usize,
    scales: Vec<Scale>,
    cells: Cells,
    /// The most frequent class, if the rows all look the same.
    same: Option<usize>,
}

/// How a feature is brought to 0 to 1.
#[derive(Clone, Copy, Debug)]
struct Scale {
    least: f64,
    range: f64,
}

/// A row near another.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Neighbour {
    /// The square of the distance.
    distance: f64,
    row: u32,
    class: u8,
}

impl Neighbours {
    /// Learns by heart; `count` neighbours vote, at least one.
    ///
    /// ```
    /// use revisit::learn::{Classifier, dataset::Dataset, neighbours::Neighbours};
    /// let mut data = Dataset::new(["links"], ["slow", "fast"]).unwrap();
    /// (0..20).for_each(|links| data.push(&[links.into()], usize::from(links > 7)).unwrap());
    /// assert_eq!(Neighbours::learn(&data, 1).unwrap().classify(&[7.7]), 1);
    /// ```
    pub fn learn(data: &Dataset, count: usize) -> Result<Neighbours, LearnError> {
        check(data)?;
        let scales: Vec<Scale> = (0..data.features().len()).map(|feature| Scale::of(data, feature)).collect();
        let rows = data.rows().map(|(row, class)| (scaled(&scales, row), class as u8));
        let first = data.row(0);
        let alike = |row: &[f64]| row.iter().zip(first).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()));
        let same = data.rows().all(|(row, _)| alike(row));
        let same = same.then(|| likeliest(data.counts().into_iter().map(|count| count as f64))).flatten();
        let (count, classes) = (count.max(1), data.classes().len());
        Ok(Neighbours { count, classes, cells: Cells::new(rows, scales.len(), count), scales, same })
    }
}

impl Classifier for Neighbours {
    fn classify(&self, values: &[f64]) -> usize {
        if let Some(same) = self.same {
            return same;
        }
        let mut votes = vec![0.0; self.classes];
        for neighbour in self.cells.nearest(&scaled(&self.scales, values), self.count) {
            votes[usize::from(neighbour.class)] += 1.0;
        }
        likeliest(votes).unwrap_or_default()
    }
}

impl Scale {
    fn of(data: &Dataset, feature: usize) -> Scale {
        let known = data.rows().map(|(row, _)| row[feature]).filter(|value| !value.is_nan());
        let (least, most) =
            known.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
        Scale { least, range: most - least }
    }
}

/// Values brought to 0 to 1, those beyond what the training rows had a little outside of it. A constant one is 0.
fn scaled(scales: &[Scale], values: &[f64]) -> Vec<f64> {
    let scale = |(feature, scale): (usize, &Scale)| match value(values, feature) {
        missing if missing.is_nan() => missing,
        known if scale.range > 0.0 => (known - scale.least) / scale.range,
        _ => 0.0,
    };
    scales.iter().enumerate().map(scale).collect()
}

/// How different two values of a feature are.
#[inline]
fn difference(one: f64, other: f64) -> f64 {
    let plain = (one - other).abs();
    if !plain.is_nan() {
        return plain;
    }
    match (one.is_nan(), other.is_nan()) {
        (true, true) => 1.0,
        (true, false) => other.max(1.0 - other),
        _ => one.max(1.0 - one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAN: f64 = f64::NAN;

    /// The nearest rows, looked for one by one.
    fn scan(rows: &[(Vec<f64>, u8)], from: &[f64], count: usize) -> Vec<Neighbour> {
        let near = |(row, (values, class)): (usize, &(Vec<f64>, u8))| {
            let distance = from.iter().zip(values).map(|(a, b)| difference(*a, *b).powi(2)).sum();
            Neighbour { distance, row: row as u32, class: *class }
        };
        let mut near: Vec<Neighbour> = rows.iter().enumerate().map(near).collect();
        near.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row)));
        near.truncate(count);
        near
    }

    fn point() -> impl Strategy<Value = Vec<f64>> {
        // Few different values, for ties; some beyond the box of all rows, and some missing.
        let value = prop_oneof![4 => (-2..13_i32).prop_map(|n| f64::from(n) / 10.0), 4 => 0.0..1.0_f64, 1 => Just(NAN)];
        prop::collection::vec(value, 3)
    }

    proptest! {
        #[test]
        fn the_search_finds_what_a_scan_finds(
            rows in prop::collection::vec((point(), 0_u8..3), 1..300), from in point(), count in 1_usize..6,
        ) {
            let cells = Cells::new(rows.iter().cloned(), 3, count);
            prop_assert_eq!(cells.nearest(&from, count), scan(&rows, &from, count));
        }

        #[test]
        fn equal_rows_in_masses_are_found_too(
            rows in prop::collection::vec((0..3_i32, 0_u8..3), 1..300), from in -1..4_i32, count in 1_usize..40,
        ) {
            let row = |(value, class): (i32, u8)| (vec![value.into()], class);
            let rows: Vec<(Vec<f64>, u8)> = rows.into_iter().map(row).collect();
            let cells = Cells::new(rows.iter().cloned(), 1, count);
            prop_assert_eq!(cells.nearest(&[from.into()], count), scan(&rows, &[from.into()], count));
        }
    }

    #[test]
    fn what_is_missing_is_far() {
        let mut data = Dataset::new(["x", "y"], ["a", "b"]).unwrap();
        for (row, class) in [([0.0, 0.0], 0), ([10.0, NAN], 1), ([4.0, 1.0], 1)] {
            data.push(&row, class).unwrap();
        }
        let nearest = Neighbours::learn(&data, 1).unwrap();
        // Squared distances from (0.9, missing): 0.81 + 1, 0.01 + 1, 0.25 + 1.
        assert_eq!(nearest.classify(&[9.0, NAN]), 1);
        // From (missing, 0): 1 + 0 = 1, 1 + 1, 0.36 + 1.
        assert_eq!(nearest.classify(&[NAN, 0.0]), 0);
        assert_eq!(Neighbours::learn(&data, 0).unwrap().classify(&[9.0, NAN]), 1, "at least one votes");
    }

    #[test]
    fn equal_votes_go_to_the_lower_class_and_equal_rows_to_the_commonest() {
        let mut data = Dataset::new(["x"], ["a", "b"]).unwrap();
        for (x, class) in [(1.0, 1), (2.0, 0), (9.0, 1)] {
            data.push(&[x], class).unwrap();
        }
        assert_eq!(Neighbours::learn(&data, 2).unwrap().classify(&[1.0]), 0);
        let same = data.take(&[1, 0, 2]).only(&[]);
        assert_eq!(Neighbours::learn(&same, 1).unwrap().classify(&[]), 1);
    }
}
