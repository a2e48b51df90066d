//! Guards against parts of the Web that never end: paths that go round in circles, calendars that go on for ever, queries
//! that combine everything with everything. They look at the URL alone, so a trap costs nothing to refuse.

use super::normalise::MAX_URL_BYTES;
use super::scope::Refusal;
use revisit::Time;
use url::Url;

const MAX_SEGMENTS: usize = 20;
const MAX_PARAMETERS: usize = 16;
/// The same segment this often, wherever in the path, is a circle.
const MAX_SAME_SEGMENT: usize = 4;
/// A sequence of segments this often in a row is one too.
const MAX_CYCLES: usize = 3;
/// Numbers outside these years are not taken for dates: who walks a calendar meets the years just outside the allowed ones
/// first, while article numbers may look like any year.
const PLAUSIBLE_YEARS: std::ops::RangeInclusive<u16> = 1900..=2199;

/// Which dates a URL may carry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calendar {
    /// The first year that is allowed.
    pub(super) first_year: u16,
    /// Dates up to this many years from now are allowed.
    pub(super) years_ahead: u16,
}

/// Refuses a URL that looks like a part of a trap.
pub(super) fn check(url: &Url, calendar: Calendar, now: Time) -> Result<(), Refusal> {
    if url.as_str().len() > MAX_URL_BYTES {
        return Err(Refusal::TooLong);
    }
    check_path(url.path())?;
    let query = url.query().unwrap_or_default();
    if query.split('&').nth(MAX_PARAMETERS).is_some() {
        return Err(Refusal::TooManyParameters);
    }
    match out_of_calendar(url.path(), query, calendar, now) {
        true => Err(Refusal::CalendarDate),
        false => Ok(()),
    }
}

fn check_path(path: &str) -> Result<(), Refusal> {
    let mut segments = [""; MAX_SEGMENTS];
    let mut count = 0;
    for segment in path.trim_matches('/').split('/') {
        *segments.get_mut(count).ok_or(Refusal::PathTooDeep)? = segment;
        count += 1;
    }
    if goes_in_circles(&segments[..count]) { Err(Refusal::RepeatedSegments) } else { Ok(()) }
}

fn goes_in_circles(segments: &[&str]) -> bool {
    if segments.len() < MAX_SAME_SEGMENT {
        return false;
    }
    let repeats = |segment: &&&str| segments.iter().filter(|other| other == segment).count() >= MAX_SAME_SEGMENT;
    segments.iter().find(repeats).is_some()
        || (2..=segments.len() / MAX_CYCLES).any(|period| has_cycle(segments, period))
}

fn has_cycle(segments: &[&str], period: usize) -> bool {
    segments.windows(MAX_CYCLES * period).any(|window| window[period..] == window[..window.len() - period])
}

fn out_of_calendar(path: &str, query: &str, calendar: Calendar, now: Time) -> bool {
    let written = dates(path).chain(dates(query)).chain(query.split('&').filter_map(year_parameter));
    let mut plausible = written.filter(|(year, _)| PLAUSIBLE_YEARS.contains(year)).peekable();
    // Most URLs carry no date, so the clock is not even converted.
    if plausible.peek().is_none() {
        return false;
    }
    let (year, month) = year_and_month(now);
    let last = (year.saturating_add(calendar.years_ahead), month);
    plausible.any(|date| date.0 < calendar.first_year || date > last)
}

/// Every `yyyy-mm` or `yyyy/mm` in a text, alone or followed by a day.
fn dates(text: &str) -> impl Iterator<Item = (u16, u8)> {
    let bytes = text.as_bytes();
    let digits_at =
        |at: usize| bytes.get(at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.windows(7).enumerate().filter_map(move |(at, window)| {
        let looks_like_one = window[0].is_ascii_digit() && matches!(window[4], b'-' | b'/');
        let begins = |at: usize| at == 0 || !bytes[at - 1].is_ascii_digit();
        if !looks_like_one || !begins(at) || digits_at(at) != 4 || digits_at(at + 5) != 2 {
            return None;
        }
        let month = text[at + 5..at + 7].parse().ok().filter(|month| (1..=12).contains(month))?;
        Some((text[at..at + 4].parse().ok()?, month))
    })
}

/// `year=2031`, `month=203101` or `date=20310101`; dates with separators are found anyway.
fn year_parameter(parameter: &str) -> Option<(u16, u8)> {
    let (name, value) = parameter.split_once('=')?;
    let is_date = ["year", "month", "date"].iter().any(|known| name.eq_ignore_ascii_case(known));
    if !is_date || !matches!(value.len(), 4 | 6 | 8) || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let month = value.get(4..6).and_then(|month| month.parse().ok()).unwrap_or(1);
    Some((value[..4].parse().ok()?, month))
}

/// The first of January 1970 if the time is beyond what a calendar can say.
fn year_and_month(now: Time) -> (u16, u8) {
    let timestamp = jiff::Timestamp::from_millisecond(now.millis()).unwrap_or_default();
    let date = jiff::tz::Offset::UTC.to_datetime(timestamp);
    (u16::try_from(date.year()).unwrap_or_default(), u8::try_from(date.month()).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// November 2023.
    const NOW: Time = Time::from_secs(1_700_000_000);

    fn judged(tail: &str) -> Result<(), Refusal> {
        let url = Url::parse(&format!("http://a.org/{tail}")).unwrap();
        check(&url, Calendar { first_year: 1990, years_ahead: 2 }, NOW)
    }

    #[test]
    fn paths_that_go_in_circles() {
        assert_eq!(judged("a/x/a/y/a/z"), Ok(()));
        assert_eq!(judged("a/x/a/y/a/z/a"), Err(Refusal::RepeatedSegments));
        assert_eq!(judged("a/b/a/b"), Ok(()));
        assert_eq!(judged("x/a/b/a/b/a/b/y"), Err(Refusal::RepeatedSegments));
        assert_eq!(judged("2020/01/01/01.html"), Ok(()));
        assert_eq!(judged(&(0..20).map(|n| format!("{n}/")).collect::<String>()), Ok(()));
        assert_eq!(judged(&(0..21).map(|n| format!("{n}/")).collect::<String>()), Err(Refusal::PathTooDeep));
        assert_eq!(judged(&"ab".repeat(1100)), Err(Refusal::TooLong));
    }

    #[test]
    fn queries_that_combine_everything() {
        let query = |count: usize| format!("?{}", vec!["a=1"; count].join("&"));
        assert_eq!(judged(&query(16)), Ok(()));
        assert_eq!(judged(&query(17)), Err(Refusal::TooManyParameters));
    }

    #[test]
    fn calendars_that_never_end() {
        for fine in
            ["2023/11/05/news", "cal?date=2025-11-01", "?year=2025", "?month=11", "1989", "item/5000-12", "?v=2031-99"]
        {
            assert_eq!(judged(fine), Ok(()), "{fine}");
        }
        for endless in [
            "2026/01/",
            "cal/2025-12-01",
            "cal?date=2031-07",
            "?month=7&year=2031",
            "?month=203107",
            "?date=20310701",
            "1989/12/31",
            "?d=1907-01-01",
        ] {
            assert_eq!(judged(endless), Err(Refusal::CalendarDate), "{endless}");
        }
    }

    proptest! {
        #[test]
        fn any_url_is_judged(tail in "\\PC{0,60}", dated in "[0-9/é=-]{0,30}", now in any::<i64>()) {
            for text in [tail, format!("{dated}?date={dated}")] {
                if let Ok(url) = Url::parse("http://a.org/").unwrap().join(&text) {
                    let _ = check(&url, Calendar { first_year: 1990, years_ahead: 2 }, Time::from_millis(now));
                }
            }
        }
    }
}
