//! The dates of sitemaps and feeds: W3C (ISO 8601 profile) and the e-mail format of RSS, as servers really write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use revisit::Time;

/// No date of either format is longer; what is longer is not read.
const MAX_DATE_BYTES: usize = 64;

/// Reads a date of either format. A date without a time is its midnight, one without a zone is UTC.
pub(super) fn parse(text: &str) -> Option<Time> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_DATE_BYTES {
        return None;
    }
    let timestamp = if text.as_bytes()[0].is_ascii_digit() && text.as_bytes().get(4).is_none_or(|byte| *byte == b'-') {
        w3c(text)
    } else {
        jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text).ok()
    };
    timestamp.map(|timestamp| Time::from_millis(timestamp.as_millisecond()))
}

fn w3c(text: &str) -> Option<Timestamp> {
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp);
    }
    let civil = match text.len() {
        4 => Date::new(text.parse().ok()?, 1, 1).ok()?.to_datetime(jiff::civil::Time::midnight()),
        7 => format!("{text}-01").parse::<Date>().ok()?.to_datetime(jiff::civil::Time::midnight()),
        _ => text.parse::<DateTime>().ok()?,
    };
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_formats_in_all_their_lengths() {
        let noon = Some(Time::from_secs(1_709_294_400));
        let midnight = Some(Time::from_secs(1_709_251_200));
        assert_eq!(parse("2024-03-01T12:00:00Z"), noon);
        assert_eq!(parse("2024-03-01T14:00+02:00"), noon);
        assert_eq!(parse("2024-03-01T12:00:00.000Z"), noon);
        assert_eq!(parse(" Fri, 01 Mar 2024 12:00:00 GMT "), noon);
        assert_eq!(parse("Mon, 01 Mar 2024 14:00:00 +0200"), noon);
        assert_eq!(parse("2024-03-01"), midnight);
        assert_eq!(parse("2024-03"), midnight);
        assert_eq!(parse("2024-03-01T12:00:00"), noon);
        assert_eq!(parse("2024"), Some(Time::from_secs(1_704_067_200)));
        assert_eq!(parse("yesterday"), None);
        assert_eq!(parse(""), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,70}", digits in "[0-9T:Z+. -]{0,30}") {
            parse(&text);
            parse(&digits);
        }
    }
}
