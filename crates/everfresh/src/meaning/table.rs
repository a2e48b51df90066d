//! Tables (CSV, TSV) by their rows: quotes and line ends do not count; the order counts unless a rule says otherwise.
//!
//! A row is kept as a hash and its place in the body, twelve bytes, and read again where a delta shows it. The character
//! between the fields is the one the first line has most of, because many tables that call themselves comma-separated are not.

mod compare;
mod records;

use std::borrow::Cow;

use super::budget::Budget;
use super::{Body, Content, Format, Rules, Unreadable, json, lines};
use crate::parse::is_no_text;

pub(super) use compare::compare;
pub(crate) use records::Records;

/// The rows of a table.
pub(super) struct Table<'a> {
    body: Cow<'a, [u8]>,
    delimiter: u8,
    /// The fields of the first row, which most tables name their columns in.
    names: Vec<String>,
    /// Places of the columns that do not count, rising; those of all others are told without them.
    ignored: Vec<usize>,
    /// Places of the key columns; empty if rows have no key.
    key: Vec<usize>,
    /// A hash of the header; 0 if the first row is none, for lack of a key or of rows.
    header: u64,
    any_order: bool,
    hashes: Vec<u64>,
    places: Vec<u32>,
}

/// Reads a table. With a key its first row is the header; else it is a row like the others. What the first row names and a path
/// leads to is a column that does not count: to a path each row is a record, as a line of JSON Lines is.
pub(super) fn read<'a>(
    body: Cow<'a, [u8]>,
    format: Format,
    rules: &Rules,
    budget: &mut Budget,
) -> Result<Content<'a>, Unreadable> {
    if is_no_text(&body) {
        return Err(Unreadable::malformed(format.name(), "its bytes are no text"));
    }
    let delimiter = if format == Format::Tsv { b'\t' } else { delimiter(&body) };
    let mut records = Records::new(&body, delimiter, budget.limits().field);
    let (mut names, mut key, mut hashes, mut places) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut ignored = Vec::new();
    let mut header = 0;
    while let Some(place) = records.next()? {
        budget.statement()?;
        if names.is_empty() {
            ignored = json::ignored(rules, records.fields().map(String::from_utf8_lossy))?;
            records.leave_out(ignored.clone());
            names = records.fields().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
            key = columns(&names, &rules.key)?;
            if !key.is_empty() {
                header = records.hash();
                continue;
            }
        }
        hashes.push(records.hash());
        places.push(place as u32);
    }
    let any_order = rules.any_order || !key.is_empty();
    let digest = digest(header, &hashes, any_order);
    let statements = hashes.len();
    let table = Table { body, delimiter, names, ignored, key, header, any_order, hashes, places };
    Ok(Content { digest, statements, unit: "rows", body: Body::Table(table) })
}

/// The character of `,;|` and the tab that is most frequent in the first line outside of quotes.
fn delimiter(body: &[u8]) -> u8 {
    let (mut counts, mut quoted) = ([0usize; 4], false);
    for byte in body {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            byte if !quoted => {
                DELIMITERS.iter().position(|delimiter| delimiter == byte).into_iter().for_each(|at| counts[at] += 1);
            }
            _ => {}
        }
    }
    // Of equal ones the first: max_by_key takes the last.
    let most = (0..DELIMITERS.len()).rev().max_by_key(|at| counts[*at]);
    DELIMITERS[most.unwrap_or(0)]
}

const DELIMITERS: [u8; 4] = *b",;\t|";

/// The places of the key columns.
fn columns(names: &[String], key: &[String]) -> Result<Vec<usize>, Unreadable> {
    let place = |column: &String| names.iter().position(|name| name.trim() == column.trim());
    key.iter().map(|column| place(column).ok_or_else(|| Unreadable::KeyColumn(column.clone()))).collect()
}

fn digest(header: u64, hashes: &[u64], any_order: bool) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"rows").update(&header.to_le_bytes());
    let mut take = |hashes: &[u64]| hashes.iter().for_each(|hash| _ = hasher.update(&hash.to_le_bytes()));
    if any_order {
        let mut sorted = hashes.to_vec();
        sorted.sort_unstable();
        take(&sorted);
    } else {
        take(hashes);
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests;
