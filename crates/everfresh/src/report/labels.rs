//! Where labels go so that they can be read: beside each other, never on top of each other.

/// Moves places apart until there is `gap` between any two, keeping their order and staying in [from, to] where that is
/// possible. Gives back the places in the order they came in.
///
/// ```
/// use everfresh::report::labels::spread;
/// assert_eq!(spread(&[5.0, 5.0, 0.0], 2.0, 0.0, 10.0), [5.0, 7.0, 0.0]);
/// assert_eq!(spread(&[10.0, 10.0], 2.0, 0.0, 10.0), [8.0, 10.0]);
/// ```
pub fn spread(wanted: &[f64], gap: f64, from: f64, to: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|left, right| wanted[*left].total_cmp(&wanted[*right]));
    let mut places = wanted.to_vec();
    let mut least = from;
    for &index in &order {
        places[index] = places[index].max(least);
        least = places[index] + gap;
    }
    let mut most = to;
    for &index in order.iter().rev() {
        places[index] = places[index].min(most);
        most = places[index] - gap;
    }
    places
}

/// A rectangle on a plot: left, top, width, height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Left edge.
    pub left: f64,
    /// Top edge.
    pub top: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Patch {
    /// Whether two rectangles share a point.
    pub fn meets(&self, other: &Patch) -> bool {
        self.left < other.left + other.width
            && other.left < self.left + self.width
            && self.top < other.top + other.height
            && other.top < self.top + self.height
    }

    fn within(&self, other: &Patch) -> bool {
        self.left >= other.left
            && self.top >= other.top
            && self.left + self.width <= other.left + other.width
            && self.top + self.height <= other.top + other.height
    }
}

/// Where the label of a dot goes, of this width and height: the nearest place within `area` that meets nothing taken; the
/// first one tried if there is none.
pub fn beside(dot: (f64, f64), width: f64, height: f64, area: &Patch, taken: &[Patch]) -> Patch {
    let place = |(across, down): (f64, f64)| Patch {
        // To the right of the dot the label begins there, to the left it ends there, between it is centred.
        left: dot.0 + across * 9.0 - width * (1.0 - across.clamp(-1.0, 1.0)) / 2.0,
        top: dot.1 + down * height - height / 2.0,
        width,
        height,
    };
    let rings = (0..8).map(f64::from);
    let around = rings.flat_map(|ring| {
        let far = 1.0 + ring * 0.6;
        [
            (1.0, ring),
            (1.0, -ring),
            (-1.0, ring),
            (-1.0, -ring),
            (0.0, -far),
            (0.0, far),
            (far * 2.0, 0.0),
            (-far * 2.0, 0.0),
        ]
    });
    let mut tries = around.map(place);
    let free = tries.find(|patch| patch.within(area) && !taken.iter().any(|other| patch.meets(other)));
    free.unwrap_or_else(|| place((1.0, 0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_of_dots_gets_labels_that_do_not_meet() {
        let area = Patch { left: 0.0, top: 0.0, width: 800.0, height: 400.0 };
        let mut taken: Vec<Patch> = Vec::new();
        for _ in 0..12 {
            let patch = beside((400.0, 200.0), 60.0, 14.0, &area, &taken);
            assert!(taken.iter().all(|other| !other.meets(&patch)), "{taken:?} {patch:?}");
            taken.push(patch);
        }
    }

    #[test]
    fn labels_of_lines_keep_their_order() {
        let places = spread(&[3.0, 1.0, 1.1, 1.2, 9.9], 1.0, 0.0, 10.0);
        assert_eq!(places[1], 1.0);
        assert!(places[2] > places[1] && places[3] > places[2] && places[0] >= places[3] + 1.0);
        assert!(places.iter().all(|place| (0.0..=10.0).contains(place)));
    }
}
