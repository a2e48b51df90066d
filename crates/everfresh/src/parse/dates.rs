//! The dates of sitemaps and feeds: W3C (ISO 8601 profile), the e-mail format of RSS, and what programs print when nobody told
//! them a format (asctime, Go, Java, JavaScript).
//!
//! All of them write the same few words and differ only in their order, so a date is read word by word. One word that is not
//! understood, or that contradicts another, makes it no date: none at all misleads less than a wrong one.

use jiff::Timestamp;
use jiff::civil::{Date, Time as Clock};
use jiff::tz::Offset;
use revisit::Time;

/// No date of any format is longer; what is longer is not read.
const MAX_DATE_BYTES: usize = 100;

/// Reads a date of any of these formats. A date without a time is its midnight, one without a zone is UTC.
pub(super) fn parse(text: &str) -> Option<Time> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_DATE_BYTES {
        return None;
    }
    let timestamp = text.parse::<Timestamp>().ok().or_else(|| in_words(text))?;
    Some(Time::from_millis(timestamp.as_millisecond()))
}

fn in_words(text: &str) -> Option<Timestamp> {
    let mut written = Written::default();
    // In brackets stands the name of a zone whose offset was given.
    let text = text.split('(').next().unwrap_or_default();
    for word in text.split([' ', '\t', '\r', '\n', ',']).filter(|word| !word.is_empty()) {
        written.take(word)?;
    }
    written.finish()
}

/// What the words read so far say.
#[derive(Default)]
struct Written {
    weekday: bool,
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    clock: Option<Clock>,
    offset: Option<Offset>,
}

impl Written {
    fn take(&mut self, word: &str) -> Option<()> {
        let digits = leading_digits(word);
        match (digits.len(), &word[digits.len()..]) {
            (0, _) if word.starts_with(['+', '-']) => self.zone(word),
            (0, _) => self.name(word),
            (_, "") => self.number(digits),
            (_, rest) if rest.starts_with(':') => self.clock(word),
            (4, rest) => self.year_first(digits, rest),
            (_, rest) => self.day_first(digits, rest),
        }
    }

    /// A day or a year. Two digits are a day, and behind a day a year.
    fn number(&mut self, digits: &str) -> Option<()> {
        match digits.len() {
            1 | 2 if self.day.is_none() => set(&mut self.day, digits.parse().ok()?),
            2 => {
                let year: i16 = digits.parse().ok()?;
                set(&mut self.year, year + if year < 50 { 2000 } else { 1900 })
            }
            4 => set(&mut self.year, digits.parse().ok()?),
            _ => None,
        }
    }

    /// `2024-03`, `2024-03-01` and `2024/03/01`, with what may be joined to it.
    fn year_first(&mut self, year: &str, rest: &str) -> Option<()> {
        let separator = rest.chars().next().filter(|separator| matches!(separator, '-' | '/'))?;
        let month = leading_digits(&rest[1..]);
        set(&mut self.year, year.parse().ok()?)?;
        set(&mut self.month, month.parse().ok()?)?;
        let Some(rest) = rest[1 + month.len()..].strip_prefix(separator) else {
            return (rest.len() == 1 + month.len()).then_some(());
        };
        let day = leading_digits(rest);
        set(&mut self.day, day.parse().ok()?)?;
        match &rest[day.len()..] {
            "" => Some(()),
            clock if clock.starts_with(['T', 't']) => self.clock(&clock[1..]),
            // The zone of a day, as XML Schema has it; a number that is no zone is the mark of another format.
            zone if matches!(zone.len(), 1 | 6) => self.zone(zone),
            _ => None,
        }
    }

    /// `06-Nov-94`, as the first Web servers wrote it.
    fn day_first(&mut self, day: &str, rest: &str) -> Option<()> {
        let (month, year) = rest.strip_prefix('-')?.split_once('-')?;
        set(&mut self.day, day.parse().ok()?)?;
        set(&mut self.month, month_named(month)?)?;
        self.number(year)
    }

    /// `12:00`, `12:00:00.000`, with a zone that may be joined to it.
    fn clock(&mut self, word: &str) -> Option<()> {
        let end = word.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.')).unwrap_or(word.len());
        let (clock, zone) = word.split_at(end);
        let (whole, fraction) = clock.split_once('.').unwrap_or((clock, ""));
        let mut parts = whole.split(':');
        let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next().unwrap_or("0"));
        if parts.next().is_some() || fraction.contains(['.', ':']) {
            return None;
        }
        let nanoseconds = format!("{fraction:0<9.9}").parse().ok()?;
        // A leap second counts as the one before it.
        let second = second.parse::<i8>().ok()?;
        let second = if second == 60 { 59 } else { second };
        let clock = Clock::new(hour.parse().ok()?, minute.parse().ok()?, second, nanoseconds).ok()?;
        set(&mut self.clock, clock)?;
        if zone.is_empty() { Some(()) } else { self.zone(zone) }
    }

    fn name(&mut self, word: &str) -> Option<()> {
        if self.month.is_none() && self.day.is_none() && !self.weekday && is_weekday(word) {
            self.weekday = true;
            return Some(());
        }
        match month_named(word) {
            Some(month) => set(&mut self.month, month),
            // How long the program of Go ran that wrote it.
            None if word.starts_with("m=") => Some(()),
            None => self.zone(word),
        }
    }

    /// `+0100`, `+01:00`, `CET`, `GMT+1`. The name of a zone whose offset was given says nothing more.
    fn zone(&mut self, word: &str) -> Option<()> {
        let (name, distance) = word.split_at(word.find(['+', '-']).unwrap_or(word.len()));
        let named = if name.is_empty() { Some(0) } else { zone_named(name) };
        let minutes = match (self.offset, distance) {
            (Some(_), "") => return Some(()),
            (_, "") => named?,
            _ if named == Some(0) => minutes(distance)?,
            _ => return None,
        };
        let offset = Offset::from_seconds(minutes * 60).ok()?;
        (*self.offset.get_or_insert(offset) == offset).then_some(())
    }

    /// The point in time. A month or a year alone is its beginning, but has no time of day.
    fn finish(self) -> Option<Timestamp> {
        let whole = self.month.is_some() && self.day.is_some();
        let date = Date::new(self.year?, self.month.unwrap_or(1), self.day.unwrap_or(1)).ok()?;
        let is_partial = self.day.is_none() && self.clock.is_none() && !self.weekday;
        let clock = self.clock.unwrap_or(Clock::midnight());
        (whole || is_partial).then(|| self.offset.unwrap_or(Offset::UTC).to_timestamp(date.to_datetime(clock)).ok())?
    }
}

/// Nothing is said twice.
fn set<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.is_none().then(|| *place = Some(value))
}

fn leading_digits(text: &str) -> &str {
    &text[..text.bytes().take_while(u8::is_ascii_digit).count()]
}

/// The minutes of `+0100`, `+01:00`, `+01` or `+1`.
fn minutes(distance: &str) -> Option<i32> {
    let (sign, digits) = distance.split_at(1);
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 && digits.is_ascii() => digits.split_at(2),
        None => (digits, "0"),
    };
    let is_number = |text: &str| matches!(text.len(), 1 | 2) && text.bytes().all(|byte| byte.is_ascii_digit());
    let (hours, minutes) = Some((hours, minutes)).filter(|(hours, minutes)| is_number(hours) && is_number(minutes))?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let distance = hours * 60 + minutes;
    (minutes < 60).then_some(if sign == "-" { -distance } else { distance })
}

/// Whether a word is the name of a weekday or its beginning. Which one it is does not count: it is often wrong.
fn is_weekday(word: &str) -> bool {
    const NAMES: &str = "monday tuesday wednesday thursday friday saturday sunday";
    NAMES.split(' ').any(|name| begins(name, word))
}

fn month_named(word: &str) -> Option<i8> {
    const NAMES: &str = "january february march april may june july august september october november december";
    (1..).zip(NAMES.split(' ')).find(|(_, name)| begins(name, word)).map(|(month, _)| month)
}

/// Whether a word is this name or at least three letters of its beginning.
fn begins(name: &str, word: &str) -> bool {
    let word = word.strip_suffix('.').unwrap_or(word);
    word.len() >= 3 && name.get(..word.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(word))
}

/// How many minutes a zone is ahead of UTC. Names that mean different zones to different people (IST, BST) are not here, but
/// for those that RFC 822 gave a meaning. American ones that leave open whether it is summer mean winter.
fn zone_named(name: &str) -> Option<i32> {
    let hours = match name.to_ascii_uppercase().as_str() {
        "Z" | "UT" | "UTC" | "GMT" | "ETC/UTC" | "ETC/GMT" | "WET" => 0,
        "WEST" | "CET" | "MET" | "MEZ" => 1,
        "CEST" | "MEST" | "MESZ" | "EET" => 2,
        "EEST" | "MSK" => 3,
        "JST" | "KST" => 9,
        "AEST" => 10,
        "AEDT" => 11,
        "NZST" => 12,
        "NZDT" => 13,
        "ADT" => -3,
        "AST" | "AT" | "EDT" => -4,
        "EST" | "ET" | "CDT" => -5,
        "CST" | "CT" | "MDT" => -6,
        "MST" | "MT" | "PDT" => -7,
        "PST" | "PT" => -8,
        "HST" => -10,
        _ => return None,
    };
    Some(hours * 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOON: Option<Time> = Some(Time::from_secs(1_709_294_400));

    #[test]
    fn both_formats_in_all_their_lengths() {
        let midnight = Some(Time::from_secs(1_709_251_200));
        assert_eq!(parse("2024-03-01T12:00:00Z"), NOON);
        assert_eq!(parse("2024-03-01T14:00+02:00"), NOON);
        assert_eq!(parse("2024-03-01T12:00:00.000Z"), NOON);
        assert_eq!(parse(" Fri, 01 Mar 2024 12:00:00 GMT "), NOON);
        assert_eq!(parse("Mon, 01 Mar 2024 14:00:00 +0200"), NOON);
        assert_eq!(parse("2024-03-01"), midnight);
        assert_eq!(parse("2024-03"), midnight);
        assert_eq!(parse("2024-03-01T12:00:00"), NOON);
        assert_eq!(parse("2024"), Some(Time::from_secs(1_704_067_200)));
        assert_eq!(parse("yesterday"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn what_programs_print_is_read() {
        let written = [
            "2024-03-01 12:00:00 +0000 UTC",
            "2024-03-01 13:00:00.000000001 +0100 CET m=+0.000012345",
            "2024-03-01 13:00:00+01",
            "Fri Mar  1 12:00:00 2024",
            "Fri Mar 1 13:00:00 CET 2024",
            "Fri Mar 01 2024 13:00:00 GMT+0100 (Central European Standard Time)",
            "Friday, 01-Mar-24 12:00:00 GMT",
            "2024/03/01 12:00",
        ];
        for date in written {
            assert_eq!(parse(date), NOON, "{date}");
        }
    }

    #[test]
    fn e_mail_dates_as_feeds_write_them() {
        let written = [
            "Fri, 01 Mar 2024 12:00:00",
            "Fri, 01 Mar 2024 13:00:00 +01:00",
            "Fri, 1 March 2024 12:00 GMT",
            "Fri,01 Mar, 24 12:00:00 UT",
            "March 1, 2024 12:00:00",
            "Fri, 01 Mar 2024 13:00:00 CET",
            "Fri, 01 Mar 2024 14:00:00 MEST",
            "Fri, 01 Mar 2024 07:00:00 EST",
        ];
        for date in written {
            assert_eq!(parse(date), NOON, "{date}");
        }
        assert_eq!(parse("Fri, 01 Mar 2024"), Some(Time::from_secs(1_709_251_200)));
    }

    #[test]
    fn what_is_not_understood_is_no_date() {
        let written = [
            "Fri, 01 Mar 2024 12:00:00 XYZ",
            "Fri, 01 Mar 2024 12:00 PM",
            "01/02/2024",
            "Fri, 01 Mar 2024 12:00:00 +0100 +0200",
            "Fri, 01 Mar 2024 12:00:00 +0199",
            "Fri, 32 Mar 2024 12:00:00 GMT",
            "Fri, 01 Mar 2024 1:2:3:4 GMT",
            "01 Mar 12:00:00",
            "Mar 2024 12:00:00",
            "2024-03-01-01",
            "2024-03-",
            "2024-03-01T",
            "1709294400",
            "12:00:00",
            "Fri",
        ];
        for date in written {
            assert_eq!(parse(date), None, "{date}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,110}", digits in "[0-9T:Z+. -]{0,30}", words in "[0-9MarFiT:Z+./,é -]{0,30}") {
            parse(&text);
            parse(&digits);
            parse(&words);
        }
    }
}
