//! Day strings: the format of the public GP4C code (Santos 2013), one line per page, one character per day, `1` if the page
//! changed on that day and `0` if not.
//!
//! The strings carry no date and no name. Their first day becomes [`FIRST_DAY`](revisit::lab::trace::FIRST_DAY), and pages
//! are called by their line.

use std::io::{self, BufRead, Write};
use std::path::Path;

use revisit::Span;
use revisit::lab::trace::Trace;

use super::{TraceError, files};

/// Reads a file of day strings, plain, `.gz` or `.zst`.
pub fn read(path: &Path) -> Result<Trace, TraceError> {
    let mut file = files::open(path)?;
    let (mut pages, mut text, mut days) = (Vec::new(), Vec::new(), None);
    while file.read_until(b'\n', &mut text).map_err(TraceError::io("read", path))? > 0 {
        let line = pages.len() as u64 + 1;
        let string = text.trim_ascii();
        let changed = changed_days(string).map_err(|problem| TraceError::line(path, line, problem))?;
        let expected = *days.get_or_insert(string.len());
        if string.len() != expected {
            let problem = format!("{} days, but the first line has {expected}", string.len());
            return Err(TraceError::line(path, line, problem));
        }
        pages.push((format!("page-{line}"), changed));
        text.clear();
    }
    let days = days.ok_or_else(|| TraceError::Empty(path.display().to_string()))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Trace::daily(name, days as u32, pages))
}

/// The days on which a page changed, counted from 0.
fn changed_days(string: &[u8]) -> Result<Vec<u32>, String> {
    if string.is_empty() {
        return Err("the line is empty: a page needs a 0 or 1 for each day".into());
    }
    if let Some(place) = string.iter().position(|byte| !matches!(byte, b'0' | b'1')) {
        let stranger = String::from_utf8_lossy(&string[place..]).chars().next().unwrap_or_default();
        return Err(format!("{stranger:?} in column {} is neither 0 nor 1", place + 1));
    }
    Ok((0..).zip(string).filter(|(_, byte)| **byte == b'1').map(|(day, _)| day).collect())
}

/// Writes a trace as day strings; days are counted from the trace's beginning, and several changes in one are one.
pub fn write(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    let Some((begin, end)) = trace.span() else { return Ok(()) };
    let days = ((end - begin).as_days().ceil() as usize).max(1);
    let mut line = Vec::with_capacity(days + 1);
    for page in trace.ids() {
        line.clear();
        line.resize(days, b'0');
        for change in trace.changes(page) {
            // A change at the very end belongs to the last day.
            let day = (*change - begin).ratio(Span::DAY) as usize;
            line[day.min(days - 1)] = b'1';
        }
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_text(text: &[u8]) -> Result<Trace, TraceError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("days.txt");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let said = |text: &[u8]| read_text(text).unwrap_err().to_string();
        assert!(said(b"010\n0 1\n").ends_with("days.txt, line 2: ' ' in column 2 is neither 0 nor 1"));
        assert!(said(b"010\n01\n").ends_with("line 2: 2 days, but the first line has 3"));
        assert!(said(b"010\n\n").ends_with("line 2: the line is empty: a page needs a 0 or 1 for each day"));
        assert!(said(b"\xff").contains("line 1: '\u{fffd}' in column 1"));
        assert!(said(b"").ends_with("days.txt has no page: there is nothing to replay"));
    }

    #[test]
    fn line_ends_are_of_any_kind() {
        let trace = read_text(b"010\r\n001").unwrap();
        assert_eq!((trace.len(), trace.change_count(), trace.name.as_str()), (2, 2, "days.txt"));
    }

    proptest! {
        #[test]
        fn days_round_trip(lines in (1_usize..70).prop_flat_map(|days| {
            proptest::collection::vec(proptest::collection::vec(proptest::bool::ANY, days), 1..20)
        })) {
            let line = |days: &Vec<bool>| days.iter().map(|day| if *day { '1' } else { '0' }).chain(['\n']).collect::<String>();
            let text: String = lines.iter().map(line).collect();
            let mut written = Vec::new();
            write(&read_text(text.as_bytes()).unwrap(), &mut written).unwrap();
            prop_assert_eq!(String::from_utf8(written).unwrap(), text);
        }

        #[test]
        fn no_file_is_a_panic(text in proptest::collection::vec(proptest::num::u8::ANY, 0..100)) {
            let _ = read_text(&text);
        }
    }
}
