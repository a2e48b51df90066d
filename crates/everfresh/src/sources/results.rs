//! The answer to a SELECT or ASK as a table, whatever format it came in.
//!
//! The formats (SPARQL 1.1 results in JSON, XML, CSV and TSV) are spellings of the same rows, so a table is what is compared:
//! a server that answers in another format next time changed nothing. Cells are [terms](cell) as N-Triples write them, except
//! from CSV, which says the value of a term but not what kind of term it is: `4` may be a number or a text. Such a table can
//! only be compared with one that has nothing but values either.
//!
//! Labels of blank nodes hold for one answer only. They are replaced by names that follow from the rows a node stands in,
//! refined a few times by the names of its neighbours. Two nodes that this does not tell apart share a name.

mod cell;
mod csv;
mod json;
mod names;
mod tsv;
mod xml;

use cell::Cell;

use super::handler::Answer;
use super::sheet::Sheet;
use crate::meaning::{self, Format};

/// The rows of an answer, with columns in the order of their names, which no server promises to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
    /// Cells are values, of which it is not known what kind of term they are.
    only_values: bool,
}

/// Why an answer is no table.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadResults {
    /// Not one of the formats of results.
    #[error("{0} is no format of results")]
    Format(String),
    /// It does not follow its format, or breaks off.
    #[error("they are not well-formed or break off: {0}")]
    Malformed(String),
}

fn malformed(problem: impl ToString) -> BadResults {
    BadResults::Malformed(problem.to_string())
}

/// A value that would be in no column, so that nobody could see it change.
fn unnamed(name: &str) -> BadResults {
    malformed(format!("a row has a value for {name:?}, which the head does not name"))
}

impl Table {
    /// Reads an answer.
    pub(super) fn read(answer: &Answer) -> Result<Table, BadResults> {
        let media_type = answer.media_type();
        let format = match media_type.as_str() {
            "application/sparql-results+json" | "application/json" => Format::Json,
            "application/sparql-results+xml" | "application/xml" | "text/xml" => Format::Xml,
            "text/csv" => Format::Csv,
            "text/tab-separated-values" => Format::Tsv,
            _ => return Err(BadResults::Format(media_type)),
        };
        let body = answer.data(format);
        let text = meaning::text(&body, format).map_err(malformed)?;
        let table = match format {
            Format::Json => json::read(&text),
            Format::Xml => xml::read(&text),
            Format::Csv => csv::read(&text),
            _ => tsv::read(&text),
        };
        Ok(table?.in_order())
    }

    /// The table of these rows, which must have a cell for each column.
    fn of_rows(columns: Vec<String>, rows: Vec<Vec<Cell>>, only_values: bool) -> Result<Table, BadResults> {
        match rows.iter().find(|row| row.len() != columns.len()) {
            Some(row) => Err(malformed(format!("a row has {} cells, the header {}", row.len(), columns.len()))),
            None => Ok(Table { columns, rows, only_values }),
        }
    }

    /// The answer to an ASK.
    fn boolean(answer: bool) -> Table {
        let rows = vec![vec![Cell::Term(answer.to_string())]];
        Table { columns: vec!["boolean".into()], rows, only_values: false }
    }

    /// Checks that rows of so many columns, which JSON and XML need not write out, are no more than the bytes of the answer
    /// account for: a name of a column and an empty row are a few bytes each, but their product is not.
    fn check_size(columns: usize, rows: usize, bytes: usize) -> Result<(), BadResults> {
        match columns.saturating_mul(rows) {
            cells if cells <= bytes => Ok(()),
            cells => Err(malformed(format!("{cells} cells in {bytes} bytes"))),
        }
    }

    fn in_order(self) -> Table {
        if self.columns.is_sorted() {
            return self;
        }
        let mut places: Vec<usize> = (0..self.columns.len()).collect();
        places.sort_by_key(|place| &self.columns[*place]);
        let columns = places.iter().map(|place| self.columns[*place].clone()).collect();
        let ordered = |mut row: Vec<Cell>| places.iter().map(|place| std::mem::take(&mut row[*place])).collect();
        Table { columns, rows: self.rows.into_iter().map(ordered).collect(), ..self }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has values in place of terms.
    pub(super) fn has_only_values(&self) -> bool {
        self.only_values
    }

    /// Adds the rows of a further part. Blank nodes of two parts are different nodes.
    pub(super) fn append(&mut self, mut part: Table) -> Result<(), BadResults> {
        if self.columns != part.columns {
            return Err(malformed("a further part has other columns"));
        }
        if self.only_values != part.only_values {
            return Err(malformed("of some parts there are only values (CSV), of others terms"));
        }
        let number = self.rows.len();
        part.rows
            .iter_mut()
            .flatten()
            .for_each(|cell| cell.each_label(&mut |label| *label = format!("{number} {label}")));
        self.rows.append(&mut part.rows);
        Ok(())
    }

    /// The table as CSV, with names for blank nodes that hold in every answer.
    pub(super) fn to_csv(&self) -> Vec<u8> {
        let names = names::of(&self.rows);
        let mut sheet = Sheet::new(&self.columns);
        self.rows.iter().for_each(|row| sheet.push(row.iter().map(|cell| cell.written(&names))));
        sheet.into_bytes()
    }
}

#[cfg(test)]
mod tests;
