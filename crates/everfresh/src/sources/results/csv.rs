//! Results in CSV (SPARQL 1.1 Query Results CSV and TSV Formats): values without what kind of term they are.

use std::borrow::Cow;

use super::{BadResults, Cell, Table, malformed};
use crate::meaning::Records;

/// Reads an answer in CSV.
pub(super) fn read(text: &str) -> Result<Table, BadResults> {
    let text = with_empty_rows(text);
    // No longer than the answer, which has a limit.
    let mut records = Records::new(text.as_bytes(), b',', text.len());
    let columns = row(&mut records, str::to_owned)?.unwrap_or_default();
    let mut rows = Vec::new();
    while let Some(row) = row(&mut records, cell)? {
        rows.push(row);
    }
    Table::of_rows(columns, rows, true)
}

/// The next row, made of its values.
fn row<T>(records: &mut Records<'_>, made_of: impl Fn(&str) -> T) -> Result<Option<Vec<T>>, BadResults> {
    let place = records.next().map_err(malformed)?;
    Ok(place.map(|_| records.fields().map(|field| made_of(&String::from_utf8_lossy(field))).collect()))
}

fn cell(value: &str) -> Cell {
    match value {
        "" => Cell::Empty,
        _ if value.starts_with("_:") => Cell::Blank(value.to_owned()),
        _ => Cell::Term(value.to_owned()),
    }
}

/// In a table of one column an empty line is a row, which readers of CSV skip unless it has quotes.
fn with_empty_rows(text: &str) -> Cow<'_, str> {
    let header = text.lines().next().unwrap_or_default();
    if header.is_empty() || header.contains(',') || !has_empty_line(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 2);
    let mut is_quoted = false;
    for line in text.split_inclusive('\n') {
        if !is_quoted && line.trim_end_matches(['\r', '\n']).is_empty() {
            out.push_str("\"\"");
        }
        out.push_str(line);
        is_quoted ^= line.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
    }
    Cow::Owned(out)
}

fn has_empty_line(text: &str) -> bool {
    text.contains("\n\n") || text.contains("\n\r\n")
}
