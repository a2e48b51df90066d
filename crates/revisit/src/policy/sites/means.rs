//! k-means in a few dimensions: rows of numbers that are alike come into one cluster (Lloyd 1982).
//!
//! Columns are brought to mean 0 and variance 1 first, so that bytes do not outweigh counts; what is not known is 0, the
//! mean. The first centres are rows spread over the table by a seed, so the result is the same every time. Centres are fitted on
//! a part of a large table, and every row then goes to the nearest.

use crate::policy::draw::draw;
use crate::{PageId, Time};

/// Fitting looks at no more rows than about this.
const SAMPLE: usize = 10_000;
/// How often centres are moved: they hardly move after that.
const STEPS: usize = 10;

/// A table of rows of equal length.
#[derive(Debug)]
pub(super) struct Table {
    width: usize,
    values: Vec<f32>,
}

impl Table {
    /// A table of rows of so many numbers each, with room for so many rows.
    pub(super) fn new(width: usize, rows: usize) -> Table {
        Table { width: width.max(1), values: Vec::with_capacity(width * rows) }
    }

    /// Adds a row; numbers missing at its end are unknown, as those are that are not finite.
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = f32>) {
        let row = row.into_iter().chain(std::iter::repeat(f32::NAN)).take(self.width);
        self.values.extend(row.map(|value| if value.is_finite() { value } else { f32::NAN }));
    }

    fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.width)
    }

    /// Brings every column to mean 0 and variance 1.
    fn standardise(&mut self) {
        for column in 0..self.width {
            let known = || self.values.iter().skip(column).step_by(self.width).filter(|value| !value.is_nan());
            let count = known().count().max(1) as f64;
            let mean = known().map(|value| f64::from(*value)).sum::<f64>() / count;
            let variance = known().map(|value| (f64::from(*value) - mean).powi(2)).sum::<f64>() / count;
            let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
            for value in self.values.iter_mut().skip(column).step_by(self.width) {
                *value = if value.is_nan() { 0.0 } else { ((f64::from(*value) - mean) / deviation) as f32 };
            }
        }
    }

    /// The cluster of each row, of at most `clusters`.
    pub(super) fn cluster(mut self, clusters: usize, seed: u64) -> Vec<u32> {
        self.standardise();
        let mut centres = self.first_centres(clusters, seed);
        let step = self.rows().count() / SAMPLE + 1;
        for _ in 0..STEPS {
            let mut sums = vec![0.0; centres.len()];
            let mut counts = vec![0_u32; centres.len() / self.width];
            for row in self.rows().step_by(step) {
                let nearest = nearest(&centres, row);
                counts[nearest] += 1;
                let sum = &mut sums[nearest * self.width..][..self.width];
                sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
            // A centre that nobody is nearest to stays where it is.
            for (place, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let at = place * self.width..(place + 1) * self.width;
                let moved = sums[at.clone()].iter().map(|sum| sum / *count as f32);
                centres[at].iter_mut().zip(moved).for_each(|(centre, moved)| *centre = moved);
            }
        }
        self.rows().map(|row| nearest(&centres, row) as u32).collect()
    }

    /// Different rows, in an order drawn at random.
    fn first_centres(&self, clusters: usize, seed: u64) -> Vec<f32> {
        let mut order: Vec<(u64, usize)> = (0..self.rows().count())
            .map(|row| (draw(seed, PageId(row as u32), Time::from_millis(0)).to_bits(), row))
            .collect();
        order.sort_unstable();
        let mut centres: Vec<f32> = Vec::new();
        for (_, row) in order {
            if centres.len() >= clusters * self.width {
                break;
            }
            let row = &self.values[row * self.width..][..self.width];
            if !centres.chunks_exact(self.width).any(|centre| centre == row) {
                centres.extend(row);
            }
        }
        centres
    }
}

/// The place of the centre nearest to a row; the first of several.
fn nearest(centres: &[f32], row: &[f32]) -> usize {
    let mut best = (f32::INFINITY, 0);
    for (place, centre) in centres.chunks_exact(row.len()).enumerate() {
        let distance: f32 = centre.iter().zip(row).map(|(centre, value)| (centre - value).powi(2)).sum();
        if distance < best.0 {
            best = (distance, place);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_comes_together() {
        let mut table = Table::new(2, 60);
        for row in 0..60_u8 {
            let near = f32::from(row % 5) * 0.01;
            table.push(if row % 2 == 0 { [near, 1e6] } else { [9.0 + near, 2e6] });
        }
        let clusters = table.cluster(2, 1);
        assert!((2..60).all(|row| clusters[row] == clusters[row % 2]) && clusters[0] != clusters[1]);
    }

    #[test]
    fn odd_tables_are_no_panic() {
        assert!(Table::new(3, 0).cluster(5, 1).is_empty());
        let mut same = Table::new(2, 3);
        (0..3).for_each(|_| same.push([f32::NAN]));
        assert_eq!(same.cluster(5, 1), [0, 0, 0], "equal rows make one cluster");
    }
}
