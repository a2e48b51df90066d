//! Points in time and the distances between them, as plain numbers that come in as arguments.
//!
//! Nothing in this crate reads a clock: the live crawler hands in the time of its own (possibly accelerated) clock, the
//! lab hands in the time of a trace. Milliseconds since 1970 (UTC) in an `i64` are exact, cheap to store and wide enough.

use std::fmt;
use std::ops::{Add, Div, Mul, Sub};

use serde::{Deserialize, Serialize};

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct Time(i64);

/// A distance between two points in time, in milliseconds; negative if it reaches back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct Span(i64);

impl Time {
    /// Before anything that can happen.
    pub const MIN: Time = Time(i64::MIN);
    /// After anything that can happen.
    pub const MAX: Time = Time(i64::MAX);

    /// The time `millis` milliseconds after 1970.
    pub const fn from_millis(millis: i64) -> Time {
        Time(millis)
    }

    /// The time `seconds` seconds after 1970.
    pub const fn from_secs(seconds: i64) -> Time {
        Time(seconds.saturating_mul(1000))
    }

    /// Milliseconds since 1970.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970.
    pub const fn secs(self) -> i64 {
        self.0.div_euclid(1000)
    }
}

impl Span {
    /// No distance at all.
    pub const ZERO: Span = Span(0);
    /// One minute.
    pub const MINUTE: Span = Span::from_secs(60);
    /// One hour.
    pub const HOUR: Span = Span::from_secs(3600);
    /// One day of 24 hours.
    pub const DAY: Span = Span::from_secs(86_400);

    /// A span of `millis` milliseconds.
    pub const fn from_millis(millis: i64) -> Span {
        Span(millis)
    }

    /// A span of `seconds` seconds.
    pub const fn from_secs(seconds: i64) -> Span {
        Span(seconds.saturating_mul(1000))
    }

    /// Milliseconds.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Seconds, with the fraction.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// Days of 24 hours, with the fraction.
    pub fn as_days(self) -> f64 {
        self.0 as f64 / Span::DAY.0 as f64
    }

    /// How many times `other` fits into this span, with the fraction.
    pub fn ratio(self, other: Span) -> f64 {
        self.0 as f64 / other.0 as f64
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    fn sub(self, span: Span) -> Time {
        Time(self.0.saturating_sub(span.0))
    }
}

impl Sub for Time {
    type Output = Span;
    fn sub(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl Mul<f64> for Span {
    type Output = Span;
    fn mul(self, factor: f64) -> Span {
        Span((self.0 as f64 * factor) as i64)
    }
}

impl Div<f64> for Span {
    type Output = Span;
    fn div(self, divisor: f64) -> Span {
        Span((self.0 as f64 / divisor) as i64)
    }
}

/// The largest unit that leaves a readable number: `45ms`, `1.5s`, `20m`, `6h`, `31d`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let (unit, name) = match millis {
            0..1_000 => return write!(f, "{sign}{millis}ms"),
            1_000..60_000 => (1_000.0, "s"),
            60_000..3_600_000 => (60_000.0, "m"),
            3_600_000..172_800_000 => (3_600_000.0, "h"),
            _ => (86_400_000.0, "d"),
        };
        let rounded = (millis as f64 / unit * 10.0).round() / 10.0;
        write!(f, "{sign}{rounded}{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_well() {
        let said = |millis| Span::from_millis(millis).to_string();
        assert_eq!(said(45), "45ms");
        assert_eq!(said(1_500), "1.5s");
        assert_eq!(said(1_200_000), "20m");
        assert_eq!(said(86_400_000), "24h");
        assert_eq!(said(-31 * 86_400_000), "-31d");
    }

    #[test]
    fn arithmetic_never_overflows() {
        assert_eq!(Time::MAX + Span::DAY, Time::MAX);
        assert_eq!(Time::MIN - Span::DAY, Time::MIN);
        assert_eq!((Time::MAX - Time::MIN).millis(), i64::MAX);
    }

    #[test]
    fn seconds_before_1970_round_down() {
        assert_eq!(Time::from_millis(-1).secs(), -1);
    }
}
