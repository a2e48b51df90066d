//! Rows in a k-d tree: halves of halves, each with the box that its rows fill.
//!
//! A search goes down the nearer half first and passes over a cell whose box is farther away than the worst neighbour
//! found. A row with a missing value has no place on that feature's axis; a box therefore also says whether it holds
//! such rows. Distances to boxes are summed in the same order as distances to rows, so rounding never puts a box behind
//! its rows.

use super::{Neighbour, difference};

/// Cells with no more rows are not halved.
const SMALL: usize = 16;

/// Rows in the order of the cells, and the cells.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    width: usize,
    values: Vec<f64>,
    rows: Vec<(u32, u8)>,
    cells: Vec<Cell>,
    /// By cell, then by feature.
    sides: Vec<Side>,
}

#[derive(Clone, Copy, Debug)]
enum Cell {
    /// Rows from one place to another.
    Rows { from: u32, to: u32 },
    /// The first half is the next cell, the second one this.
    Halves { second: u32 },
}

/// What a box spans in one feature.
#[derive(Clone, Copy, Debug)]
struct Side {
    least: f64,
    most: f64,
    /// Whether a row lacks the value.
    missing: bool,
}

/// A row before it has its place.
struct Point {
    values: Vec<f64>,
    row: u32,
    class: u8,
}

impl Cells {
    /// Puts rows into cells. No search will ask for more than `count` neighbours.
    pub(super) fn new(rows: impl Iterator<Item = (Vec<f64>, u8)>, width: usize, count: usize) -> Cells {
        let point = |(row, (values, class)): (usize, (Vec<f64>, u8))| Point { values, row: row as u32, class };
        let mut points: Vec<Point> = rows.enumerate().map(point).collect();
        let mut cells = Cells { width, values: Vec::new(), rows: Vec::new(), cells: Vec::new(), sides: Vec::new() };
        cells.build(&mut points, count.max(1));
        cells
    }

    fn build(&mut self, points: &mut [Point], count: usize) {
        let sides: Vec<Side> = (0..self.width).map(|feature| Side::of(points, feature)).collect();
        let widest = (0..self.width).max_by(|a, b| sides[*a].spread().total_cmp(&sides[*b].spread()));
        let widest = widest.filter(|feature| sides[*feature].spread() > 0.0);
        self.sides.extend(sides);
        let place = self.cells.len();
        match widest {
            Some(feature) if points.len() > SMALL => {
                self.cells.push(Cell::Halves { second: 0 });
                let middle = points.len() / 2;
                // Missing values come last, whatever their sign.
                let key = |point: &Point| (point.values[feature].is_nan(), point.values[feature]);
                points.select_nth_unstable_by(middle, |a, b| {
                    let (a, b) = (key(a), key(b));
                    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
                });
                let (first, second) = points.split_at_mut(middle);
                self.build(first, count);
                self.cells[place] = Cell::Halves { second: self.cells.len() as u32 };
                self.build(second, count);
            }
            _ => self.fill(points, widest.is_none(), count),
        }
    }

    /// Makes a cell of rows. Of rows that are all alike only the earliest can ever be among the nearest.
    fn fill(&mut self, points: &mut [Point], alike: bool, count: usize) {
        points.sort_unstable_by_key(|point| point.row);
        let kept = if alike { points.len().min(count) } else { points.len() };
        let from = self.rows.len() as u32;
        for point in &points[..kept] {
            self.values.extend(&point.values);
            self.rows.push((point.row, point.class));
        }
        self.cells.push(Cell::Rows { from, to: self.rows.len() as u32 });
    }

    /// The nearest rows, nearest first.
    pub(super) fn nearest(&self, from: &[f64], count: usize) -> Vec<Neighbour> {
        let mut found = Vec::with_capacity(count.min(self.rows.len()) + 1);
        self.search(0, from, count, &mut found);
        found
    }

    fn search(&self, cell: usize, from: &[f64], count: usize, found: &mut Vec<Neighbour>) {
        match self.cells[cell] {
            Cell::Rows { from: first, to } => {
                (first as usize..to as usize).for_each(|place| self.compare(place, from, count, found));
            }
            Cell::Halves { second } => {
                let halves = [cell + 1, second as usize].map(|half| (self.distance_to(half, from), half));
                let [near, far] = if halves[0].0 <= halves[1].0 { halves } else { [halves[1], halves[0]] };
                for (distance, half) in [near, far] {
                    // At the same distance there may be an earlier row.
                    if found.len() < count || found.last().is_some_and(|worst| distance <= worst.distance) {
                        self.search(half, from, count, found);
                    }
                }
            }
        }
    }

    #[inline]
    fn compare(&self, place: usize, from: &[f64], count: usize, found: &mut Vec<Neighbour>) {
        let values = &self.values[place * self.width..(place + 1) * self.width];
        let distance = from.iter().zip(values).map(|(a, b)| difference(*a, *b).powi(2)).sum();
        let (row, class) = self.rows[place];
        let before = |other: &Neighbour| (other.distance, other.row) < (distance, row);
        if found.len() == count && found.last().is_some_and(before) {
            return;
        }
        found.insert(found.partition_point(before), Neighbour { distance, row, class });
        found.truncate(count);
    }

    /// The square of the least distance that a row of a cell can have.
    #[inline]
    fn distance_to(&self, cell: usize, from: &[f64]) -> f64 {
        let sides = &self.sides[cell * self.width..(cell + 1) * self.width];
        from.iter().zip(sides).map(|(value, side)| side.distance(*value).powi(2)).sum()
    }
}

impl Side {
    fn of(points: &[Point], feature: usize) -> Side {
        let mut side = Side { least: f64::INFINITY, most: f64::NEG_INFINITY, missing: false };
        for value in points.iter().map(|point| point.values[feature]) {
            if value.is_nan() {
                side.missing = true;
            } else {
                side.least = side.least.min(value);
                side.most = side.most.max(value);
            }
        }
        side
    }

    fn known(&self) -> bool {
        self.least <= self.most
    }

    /// How much the rows differ. A missing value differs by a half at least.
    fn spread(&self) -> f64 {
        match (self.known(), self.missing) {
            (true, false) => self.most - self.least,
            (true, true) => (self.most - self.least).max(0.5),
            (false, _) => 0.0,
        }
    }

    /// The least difference from any value within.
    #[inline]
    fn distance(&self, value: f64) -> f64 {
        let missing = if self.missing { difference(value, f64::NAN) } else { f64::INFINITY };
        if !self.known() {
            return missing;
        }
        let nearest = if value.is_nan() { 0.5 } else { value };
        missing.min(difference(value, nearest.clamp(self.least, self.most)))
    }
}
