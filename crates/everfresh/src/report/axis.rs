//! An axis: where a value stands, and which values get a tick.

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences, equal distances.
    Linear,
    /// Equal ratios, equal distances; for positive values.
    Logarithmic,
}

/// One axis of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is measured.
    pub label: String,
    scale: Scale,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis over these values with a little room around them. Values that are not finite are left out.
    pub fn around(label: &str, values: impl IntoIterator<Item = f64>) -> Axis {
        let (low, high) = extent(values.into_iter().filter(|value| value.is_finite()));
        let room = if high > low { (high - low) * 0.06 } else { high.abs().max(1.0) * 0.05 };
        // Shares and counts have no room below 0.
        let from = if low >= 0.0 && low - room < 0.0 { 0.0 } else { low - room };
        Axis { label: label.to_owned(), scale: Scale::Linear, from, to: high + room }
    }

    /// An axis over exactly this range.
    pub fn over(label: &str, from: f64, to: f64) -> Axis {
        Axis { label: label.to_owned(), scale: Scale::Linear, from, to: if to > from { to } else { from + 1.0 } }
    }

    /// A logarithmic axis over these values; those not above 0 are left out.
    pub fn logarithmic(label: &str, values: impl IntoIterator<Item = f64>) -> Axis {
        let (low, high) = extent(values.into_iter().filter(|value| value.is_finite() && *value > 0.0));
        let (low, high) = if low > 0.0 { (low, high) } else { (1.0, 10.0) };
        Axis { label: label.to_owned(), scale: Scale::Logarithmic, from: low / 1.15, to: high * 1.15 }
    }

    /// Where a value stands: 0 at the begin of the axis, 1 at its end.
    pub fn place(&self, value: f64) -> f64 {
        let place = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Logarithmic => (value / self.from).ln() / (self.to / self.from).ln(),
        };
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The values that get a tick, each with how it is written.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => self.even_ticks(),
            Scale::Logarithmic => self.decade_ticks(),
        }
    }

    fn even_ticks(&self) -> Vec<(f64, String)> {
        let step = round_step((self.to - self.from) / 6.0);
        let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        let first = (self.from / step - 1e-9).ceil();
        let ticks = (0..12).map(|place| (first + f64::from(place)) * step);
        ticks
            .take_while(|tick| *tick <= self.to + step * 1e-9)
            .map(|tick| (tick, format!("{tick:.decimals$}")))
            .collect()
    }

    fn decade_ticks(&self) -> Vec<(f64, String)> {
        let decades = self.from.log10().floor() as i32..=self.to.log10().ceil() as i32;
        let ticks = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|lead| lead * 10_f64.powi(decade)));
        let inside = ticks.filter(|tick| (self.from..=self.to).contains(tick));
        inside.map(|tick| (tick, format!("{tick}"))).collect()
    }
}

/// The least and the greatest; 0 and 1 if there is none.
fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .map(|value| (value, value))
        .reduce(|(low, high), (value, _)| (low.min(value), high.max(value)))
        .unwrap_or((0.0, 1.0))
}

/// The nearest of 1, 2 and 5 times a power of ten that is no smaller.
fn round_step(step: f64) -> f64 {
    let decade = 10_f64.powf(step.log10().floor());
    let lead = [1.0, 2.0, 5.0, 10.0].into_iter().find(|lead| lead * decade >= step * (1.0 - 1e-9));
    lead.unwrap_or(10.0) * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(written(&Axis::over("", 0.0, 1.0)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(written(&Axis::around("", [0.61, 0.7])), ["0.62", "0.64", "0.66", "0.68", "0.70"]);
        assert_eq!(written(&Axis::logarithmic("", [4.0, 60.0])), ["5", "10", "20", "50"]);
    }

    #[test]
    fn values_stand_where_they_should() {
        assert_eq!(Axis::over("", 0.0, 4.0).place(1.0), 0.25);
        let axis = Axis::logarithmic("", [1.0, 100.0]);
        assert!((axis.place(10.0) - 0.5).abs() < 1e-12);
        assert_eq!(axis.place(0.0), 0.0);
    }

    #[test]
    fn nothing_to_show_is_no_panic() {
        for axis in
            [Axis::around("", []), Axis::around("", [0.0]), Axis::logarithmic("", [0.0]), Axis::over("", 1.0, 1.0)]
        {
            assert!(!axis.ticks().is_empty());
            assert!(axis.place(f64::NAN).is_finite());
        }
    }
}
