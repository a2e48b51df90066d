//! Dates as archives write them: `2026-11-15T22:30:00.125Z` in records, `20261115223000` in indexes.

use jiff::Timestamp;
use jiff::tz::Offset;
use revisit::Time;

/// The date of a record. WARC 1.1 allows fractions of a second; three digits keep all that [`Time`] knows.
pub(crate) fn iso(at: Time) -> String {
    format!("{:.3}", timestamp(at))
}

/// The 14 digits an index is sorted by.
pub(crate) fn digits(at: Time) -> String {
    let date = Offset::UTC.to_datetime(timestamp(at));
    let (year, month, day) = (date.year(), date.month(), date.day());
    format!("{year:04}{month:02}{day:02}{:02}{:02}{:02}", date.hour(), date.minute(), date.second())
}

/// Clamped to the years that both forms can write with four digits.
fn timestamp(at: Time) -> Timestamp {
    const YEAR_ZERO: i64 = -62_167_219_200_000;
    let millis = at.millis().clamp(YEAR_ZERO, Timestamp::MAX.as_millisecond());
    Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_one_moment() {
        let at = Time::from_millis(1_794_781_800_125);
        assert_eq!(iso(at), "2026-11-15T22:30:00.125Z");
        assert_eq!(digits(at), "20261115223000");
        assert_eq!(iso(Time::from_millis(0)), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn impossible_times_still_have_four_digit_years() {
        assert_eq!(digits(Time::MIN), "00000101000000");
        assert_eq!(digits(Time::MAX), "99991230220000");
        assert_eq!(iso(Time::MIN), "0000-01-01T00:00:00.000Z");
    }
}
