//! k-means on a line: sorted values, and sums up to each, so that a round costs a search per group and not a pass.
//!
//! Starts are drawn as in k-means++ (Arthur & Vassilvitskii 2007): each far from those before it. Of several starts the
//! one with the least squared distance wins. A group that loses its last value begins anew at the value farthest from
//! its centre.

use crate::lab::random::Random;

/// How many starts are tried.
const STARTS: u64 = 10;

/// Rounds after which a start is taken as it is; a round never makes it worse.
const ROUNDS: usize = 200;

/// Values in ascending order, with their sums.
pub(super) struct Line {
    values: Vec<f64>,
    /// The sum of all values before each, and of all.
    sums: Vec<f64>,
    /// The same for the squares.
    squares: Vec<f64>,
}

impl Line {
    pub(super) fn new(mut values: Vec<f64>) -> Line {
        values.sort_by(f64::total_cmp);
        let sums = running(values.iter().copied());
        let squares = running(values.iter().map(|value| value * value));
        Line { values, sums, squares }
    }

    pub(super) fn distinct(&self) -> usize {
        self.values.chunk_by(|a, b| a == b).count()
    }

    /// The best centres found, in ascending order. There must be as many distinct values.
    pub(super) fn means(&self, count: usize, seed: u64) -> Vec<f64> {
        let starts = (0..STARTS).map(|start| self.settle(self.start(count, &mut Random::stream(seed, start))));
        let best = starts.min_by(|a, b| self.spread(a).total_cmp(&self.spread(b)));
        best.unwrap_or_default()
    }

    /// Where the groups between these bounds begin, and where the last ends.
    pub(super) fn ends(&self, bounds: &[f64]) -> Vec<usize> {
        let inner = bounds.iter().map(|bound| self.values.partition_point(|value| value <= bound));
        [0].into_iter().chain(inner).chain([self.values.len()]).collect()
    }

    /// The mean silhouette of all values, those alone in their group counting 0.
    pub(super) fn silhouette(&self, ends: &[usize]) -> f64 {
        let means: Vec<f64> = ends.windows(2).map(|pair| self.mean(pair[0], pair[1])).collect();
        let mut total = 0.0;
        for (group, pair) in ends.windows(2).enumerate() {
            let beside = [group.checked_sub(1), Some(group + 1)].map(|other| means.get(other?).copied());
            for place in pair[0]..pair[1] {
                let nearest = beside.iter().flatten().map(|mean| (self.values[place] - mean).abs());
                let other = nearest.fold(f64::INFINITY, f64::min);
                let own = self.mean_distance(place, pair[0], pair[1]);
                let scale = own.max(other);
                if pair[1] - pair[0] > 1 && scale > 0.0 && scale.is_finite() {
                    total += (other - own) / scale;
                }
            }
        }
        total / self.values.len().max(1) as f64
    }

    /// The mean distance of a value to the others of its group, from the sums on either side of it.
    fn mean_distance(&self, place: usize, from: usize, to: usize) -> f64 {
        let value = self.values[place];
        let below = value * (place - from) as f64 - (self.sums[place] - self.sums[from]);
        let above = (self.sums[to] - self.sums[place + 1]) - value * (to - place - 1) as f64;
        // The difference of large sums may be a crumb below zero.
        (below + above).max(0.0) / (to - from - 1).max(1) as f64
    }

    fn mean(&self, from: usize, to: usize) -> f64 {
        (self.sums[to] - self.sums[from]) / (to - from) as f64
    }

    /// Centres drawn from the values, each with a chance that grows with the square of its distance to those before it.
    fn start(&self, count: usize, random: &mut Random) -> Vec<f64> {
        let mut centres = vec![self.values[random.below(self.values.len() as u64) as usize]];
        let mut distances: Vec<f64> = vec![f64::INFINITY; self.values.len()];
        while centres.len() < count {
            let last = centres[centres.len() - 1];
            for (distance, value) in distances.iter_mut().zip(&self.values) {
                *distance = distance.min((value - last).powi(2));
            }
            centres.push(self.values[random.weighted(&distances)]);
        }
        centres
    }

    /// Moves centres to the means of the values nearest to them until none moves.
    fn settle(&self, mut centres: Vec<f64>) -> Vec<f64> {
        let mut ends = Vec::new();
        for _ in 0..ROUNDS {
            centres.sort_by(f64::total_cmp);
            let before = std::mem::replace(&mut ends, self.ends(&middles(&centres)));
            if let Some(empty) = ends.windows(2).position(|pair| pair[0] == pair[1]) {
                centres[empty] = self.farthest(&centres, &ends);
            } else if before == ends {
                break;
            } else {
                centres = ends.windows(2).map(|pair| self.mean(pair[0], pair[1])).collect();
            }
        }
        centres
    }

    /// The value farthest from its centre: the first or last of a group.
    fn farthest(&self, centres: &[f64], ends: &[usize]) -> f64 {
        let groups = centres.iter().zip(ends.windows(2)).filter(|(_, pair)| pair[0] < pair[1]);
        let rims = groups.flat_map(|(centre, pair)| [pair[0], pair[1] - 1].map(|place| (self.values[place], *centre)));
        let far = rims.max_by(|a, b| (a.0 - a.1).abs().total_cmp(&(b.0 - b.1).abs()));
        far.map_or(0.0, |(value, _)| value)
    }

    /// The sum of the squared distances to the nearest centre.
    fn spread(&self, centres: &[f64]) -> f64 {
        let ends = self.ends(&middles(centres));
        let of = |pair: &[usize]| {
            let (sum, count) = (self.sums[pair[1]] - self.sums[pair[0]], (pair[1] - pair[0]).max(1));
            self.squares[pair[1]] - self.squares[pair[0]] - sum * sum / count as f64
        };
        ends.windows(2).map(of).sum()
    }
}

/// The middles between neighbouring centres.
fn middles(centres: &[f64]) -> Vec<f64> {
    centres.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect()
}

fn running(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let sums = values.map(|value| {
        sum += value;
        sum
    });
    [0.0].into_iter().chain(sums).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_group_begins_anew() {
        let line = Line::new(vec![1.0, 2.0, 10.0]);
        let centres = line.settle(vec![1.0, 1.0, 1.0]);
        assert_eq!(centres, [1.0, 2.0, 10.0]);
    }

    proptest! {
        #[test]
        fn the_silhouette_is_that_of_its_definition(
            values in prop::collection::vec(-9.0..9.0_f64, 3..40), bound in -5.0..5.0_f64,
        ) {
            let line = Line::new(values);
            let ends = line.ends(&[bound]);
            prop_assume!(ends[1] > 0 && ends[1] < line.values.len());
            let (low, high) = line.values.split_at(ends[1]);
            let mean = |value: f64, group: &[f64], others: usize| {
                group.iter().map(|other| (value - other).abs()).sum::<f64>() / others as f64
            };
            let of = |own: &[f64], other: &[f64]| own.iter().map(|value| match own.len() {
                1 => 0.0,
                size => {
                    let (a, b) = (mean(*value, own, size - 1), mean(*value, other, other.len()));
                    if a.max(b) > 0.0 { (b - a) / a.max(b) } else { 0.0 }
                }
            }).sum::<f64>();
            let expected = (of(low, high) + of(high, low)) / line.values.len() as f64;
            prop_assert!((line.silhouette(&ends) - expected).abs() < 1e-9);
        }
    }
}
