//! How what commands say looks on a terminal: times, counts and tables for people, JSON for programs.

use std::io::Write;

use jiff::Timestamp;
use revisit::Time;
use serde::Serialize;

/// Prints a line on stdout. Unlike `println!` it does not panic when the reader has gone: the error ends the command.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write;
        writeln!(std::io::stdout().lock(), $($text)*)
    }};
}

/// Prints one JSON document on stdout.
pub(crate) fn json(value: &impl Serialize) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)
}

/// A time as `2026-11-15 22:14:33`, UTC.
pub(crate) fn time(time: Time) -> String {
    match Timestamp::from_millisecond(time.millis()) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => "never".into(),
    }
}

/// A number with its thousands set apart: `20,000`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A size in the unit that reads best: `1.4 MB`.
pub(crate) fn bytes(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (1e3, "KB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    };
    format!("{:.1} {name}", bytes as f64 / unit)
}

/// A share as `97.3 %`.
pub(crate) fn share(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Columns as wide as their widest cell, the last one free.
pub(crate) struct Columns(Vec<usize>);

impl Columns {
    /// Columns that fit a row.
    pub(crate) fn of(row: &[String]) -> Columns {
        Columns(row.iter().map(|cell| cell.chars().count()).collect())
    }

    /// Makes them wide enough for a row.
    pub(crate) fn fit(&mut self, row: &[String]) {
        for (width, cell) in self.0.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }

    /// A row as a line.
    pub(crate) fn line(&self, row: &[String]) -> String {
        let cells: Vec<String> = row.iter().zip(&self.0).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    }
}

/// Rows as a table.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let header: Vec<String> = header.iter().map(|cell| cell.to_string()).collect();
    let mut columns = Columns::of(&header);
    rows.iter().for_each(|row| columns.fit(row));
    let lines = std::iter::once(&header).chain(rows).map(|row| columns.line(row));
    lines.collect::<Vec<_>>().join("\n")
}

/// Makes text of the Web safe for a terminal: no control characters.
pub(crate) fn safe(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!((count(0), count(999), count(20_000)), ("0".into(), "999".into(), "20,000".into()));
        assert_eq!((bytes(12), bytes(1_400_000)), ("12 B".into(), "1.4 MB".into()));
        assert_eq!(time(Time::from_secs(0)), "1970-01-01 00:00:00");
        assert_eq!(share(0.9731), "97.3 %");
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["1".into(), "two".into()], vec!["three".into(), "4".into()]];
        assert_eq!(table(&["a", "b"], &rows), "a      b\n1      two\nthree  4");
    }

    #[test]
    fn terminals_are_safe_from_the_web() {
        assert_eq!(safe("a\u{1b}[31mb"), "a\u{fffd}[31mb");
    }
}
