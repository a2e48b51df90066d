//! Durations and sizes as people write them: `500ms`, `7d`, `16MiB`.

use std::fmt;
use std::str::FromStr;

use revisit::Span;
use serde::{Deserialize, Serialize};

/// A duration written with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Duration(pub Span);

/// A size written with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bytes(pub usize);

const TIMES: [(&str, f64); 5] = [("ms", 1.0), ("s", 1e3), ("m", 6e4), ("h", 3.6e6), ("d", 8.64e7)];
const SIZES: [(&str, f64); 7] = [
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("B", 1.0),
];

impl Duration {
    /// So many seconds.
    pub const fn secs(seconds: i64) -> Duration {
        Duration(Span::from_secs(seconds))
    }

    /// For the standard library's timers.
    pub fn std(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0.millis().unsigned_abs())
    }
}

/// A number and the factor of the unit behind it.
fn measure(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim()))?;
    let value = number.parse::<f64>().ok()? * factor;
    (value <= 9e15).then_some(value)
}

impl FromStr for Duration {
    type Err = String;
    fn from_str(text: &str) -> Result<Duration, String> {
        let millis = measure(text, &TIMES);
        millis
            .map(|millis| Duration(Span::from_millis(millis.round() as i64)))
            .ok_or_else(|| format!("'{text}' is not a duration: write 500ms, 10s, 5m, 1h or 7d"))
    }
}

impl FromStr for Bytes {
    type Err = String;
    fn from_str(text: &str) -> Result<Bytes, String> {
        let bytes = measure(text, &SIZES);
        bytes
            .map(|bytes| Bytes(bytes.round() as usize))
            .ok_or_else(|| format!("'{text}' is not a size: write 500B, 64KiB, 16MiB or 1GiB"))
    }
}

impl TryFrom<String> for Duration {
    type Error = String;
    fn try_from(text: String) -> Result<Duration, String> {
        text.parse()
    }
}

impl TryFrom<String> for Bytes {
    type Error = String;
    fn try_from(text: String) -> Result<Bytes, String> {
        text.parse()
    }
}

impl From<Duration> for String {
    fn from(duration: Duration) -> String {
        duration.to_string()
    }
}

impl From<Bytes> for String {
    fn from(bytes: Bytes) -> String {
        bytes.to_string()
    }
}

/// The largest unit that divides it exactly.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.millis();
        let (unit, factor) = TIMES.iter().rev().find(|(_, factor)| millis % *factor as i64 == 0).unwrap_or(&TIMES[0]);
        write!(f, "{}{unit}", millis / *factor as i64)
    }
}

/// The largest binary unit that divides it exactly.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes % (1 << 30) == 0 => write!(f, "{}GiB", bytes >> 30),
            bytes if bytes % (1 << 20) == 0 => write!(f, "{}MiB", bytes >> 20),
            bytes if bytes % (1 << 10) == 0 => write!(f, "{}KiB", bytes >> 10),
            bytes => write!(f, "{bytes}B"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_round_trip() {
        for (text, millis, shown) in [("500ms", 500, "500ms"), ("1.5s", 1500, "1500ms"), ("2h", 7_200_000, "2h")] {
            let duration: Duration = text.parse().unwrap();
            assert_eq!((duration.0.millis(), duration.to_string().as_str()), (millis, shown));
        }
        for text in ["", "5", "h", "-1s", "1 fortnight", "1e3s", "99999999999999999d"] {
            assert!(text.parse::<Duration>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_round_trip() {
        for (text, bytes, shown) in
            [("64 KiB", 65_536, "64KiB"), ("1GB", 1_000_000_000, "1000000000B"), ("0B", 0, "0GiB")]
        {
            let size: Bytes = text.parse().unwrap();
            assert_eq!((size.0, size.to_string().as_str()), (bytes, shown));
        }
        assert!("many".parse::<Bytes>().is_err());
    }
}
