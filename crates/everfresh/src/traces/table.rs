//! A CSV table, row by row, and the fields of a row as values; errors name the file and the line.

use std::io::{BufRead, Chain, Read};
use std::path::{Path, PathBuf};

use csv::{ByteRecord, ReaderBuilder, Terminator};
use revisit::Time;

use super::{TraceError, files};

/// The last second of the year 9999: what lies beyond are milliseconds taken for seconds.
const LAST_SECOND: i64 = 253_402_300_799;

/// A table being read.
pub(super) struct Table {
    path: PathBuf,
    reader: csv::Reader<Chain<Box<dyn BufRead>, &'static [u8]>>,
    header: ByteRecord,
    row: ByteRecord,
}

/// A row of a table; columns are named for the error messages only.
pub(super) struct Row<'a> {
    path: &'a Path,
    fields: &'a ByteRecord,
    line: u64,
}

impl Table {
    /// Opens a table of a folder, compressed or not.
    pub(super) fn open(folder: &Path, table: &'static str) -> Result<Table, TraceError> {
        let path = files::find(folder, table)?;
        let mut rules = ReaderBuilder::new();
        // Rows of other lengths are ours to report, in words that name the missing column. And the
        // number of a row's line can be told only if all rows end with a line feed, the last one too: the carriage
        // return before it is ours to drop. Empty lines are none.
        rules.flexible(true).terminator(Terminator::Any(b'\n'));
        let mut reader = rules.from_reader(files::open(&path)?.chain(&b"\n"[..]));
        let header = reader.byte_headers().cloned().map_err(|error| broken(&path, error))?;
        Ok(Table { path, reader, header, row: ByteRecord::new() })
    }

    /// The place of a column that may be missing.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column.trim_ascii() == name.as_bytes())
    }

    /// The place of a column that must be there.
    pub(super) fn required(&self, column: &'static str) -> Result<usize, TraceError> {
        let file = || self.path.display().to_string();
        self.column(column).ok_or_else(|| TraceError::Column { file: file(), column })
    }

    /// The next row, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_>>, TraceError> {
        let found = self.reader.read_byte_record(&mut self.row).map_err(|error| broken(&self.path, error))?;
        let line = self.reader.position().line() - 1;
        Ok(found.then_some(Row { path: &self.path, fields: &self.row, line }))
    }
}

impl Row<'_> {
    /// What is wrong with this row.
    pub(super) fn wrong(&self, problem: impl Into<String>) -> TraceError {
        TraceError::line(self.path, self.line, problem)
    }

    /// A field as text.
    pub(super) fn text(&self, place: usize, column: &str) -> Result<&str, TraceError> {
        let field = self.fields.get(place).ok_or_else(|| self.wrong(format!("the row ends before its {column}")))?;
        let is_last = place + 1 == self.fields.len();
        let field = field.strip_suffix(b"\r").filter(|_| is_last).unwrap_or(field);
        std::str::from_utf8(field).map_err(|_| self.wrong(format!("the {column} is not UTF-8")))
    }

    /// A field as the number of a page.
    pub(super) fn number(&self, place: usize, column: &str) -> Result<u64, TraceError> {
        let field = self.text(place, column)?;
        field.parse().map_err(|_| self.wrong(format!("{column} '{field}' is not a whole number")))
    }

    /// A field as a time.
    pub(super) fn time(&self, place: usize, column: &str) -> Result<Time, TraceError> {
        let field = self.text(place, column)?;
        time(field).ok_or_else(|| self.wrong(format!("{column} '{field}' is not a time in unix seconds")))
    }

    /// A field as a feature; empty, or in a column that is not there, it is unknown.
    pub(super) fn feature(&self, place: Option<usize>, column: &str) -> Result<Option<f32>, TraceError> {
        let Some(place) = place else { return Ok(None) };
        let field = self.text(place, column)?;
        if field.is_empty() {
            return Ok(None);
        }
        let number = field.parse::<f32>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        number.map(Some).ok_or_else(|| self.wrong(format!("{column} '{field}' is not a number from 0 up")))
    }
}

/// Unix seconds with up to three decimals.
fn time(text: &str) -> Option<Time> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if fraction.is_empty() || fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: i64 = seconds.parse().ok().filter(|whole| (-LAST_SECOND..=LAST_SECOND).contains(whole))?;
    let millis = fraction.parse::<i64>().ok()? * [100, 10, 1][fraction.len() - 1];
    Some(Time::from_millis(whole * 1000 + if seconds.starts_with('-') { -millis } else { millis }))
}

/// A time as the tables hold it; decimals only if there are any.
pub(super) fn written(time: Time) -> String {
    let (millis, sign) = (time.millis().unsigned_abs(), if time.millis() < 0 { "-" } else { "" });
    match (millis / 1000, millis % 1000) {
        (seconds, 0) => format!("{sign}{seconds}"),
        (seconds, rest) => format!("{sign}{seconds}.{rest:03}"),
    }
}

/// Only the file below can fail: rows of any length and any bytes are taken.
fn broken(path: &Path, error: csv::Error) -> TraceError {
    TraceError::io("read", path)(std::io::Error::from(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_seconds_with_up_to_three_decimals() {
        let millis = |text| time(text).map(Time::millis);
        assert_eq!(millis("1600184931"), Some(1_600_184_931_000));
        assert_eq!(millis("1.5"), Some(1_500));
        assert_eq!(millis("-0.025"), Some(-25));
        for wrong in ["", "x", "1.", ".5", "1.2345", "1.+5", "1e9", " 1", "1600184931000"] {
            assert_eq!(millis(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn times_round_trip(millis in -LAST_SECOND * 1000..LAST_SECOND * 1000) {
            let at = Time::from_millis(millis);
            prop_assert_eq!(time(&written(at)), Some(at));
        }

        #[test]
        fn no_text_is_a_panic(text in "\\PC*") {
            let _ = time(&text);
        }
    }
}
