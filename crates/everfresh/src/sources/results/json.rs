//! Results in JSON (SPARQL 1.1 Query Results JSON Format, and triples as terms of 1.2).

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use super::{BadResults, Cell, Table, malformed, unnamed};

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    head: Head,
    results: Option<Rows>,
    boolean: Option<bool>,
}

#[derive(Default, Deserialize)]
struct Head {
    #[serde(default)]
    vars: Vec<String>,
}

#[derive(Deserialize)]
struct Rows {
    bindings: Vec<HashMap<String, Term>>,
}

#[derive(Deserialize)]
struct Term {
    #[serde(rename = "type")]
    kind: String,
    value: Value,
    #[serde(rename = "xml:lang", default)]
    language: Option<String>,
    #[serde(rename = "its:dir", default)]
    direction: Option<String>,
    #[serde(default)]
    datatype: Option<String>,
}

/// The terms of a triple.
#[derive(Deserialize)]
struct Triple {
    subject: Term,
    #[serde(alias = "property")]
    predicate: Term,
    object: Term,
}

/// Reads an answer in JSON.
pub(super) fn read(text: &str) -> Result<Table, BadResults> {
    let document: Document = serde_json::from_str(text).map_err(malformed)?;
    let columns = document.head.vars;
    match (document.results, document.boolean) {
        (Some(results), _) => {
            Table::check_size(columns.len(), results.bindings.len(), text.len())?;
            let cell = |row: &mut HashMap<String, Term>, column: &String| match row.remove(column) {
                Some(term) => {
                    let mut pieces = Vec::with_capacity(1);
                    term.push(&mut pieces)?;
                    Ok(Cell::of(pieces))
                }
                None => Ok(Cell::Empty),
            };
            let rows = results.bindings.into_iter();
            let rows = rows.map(|mut row| {
                let cells = columns.iter().map(|column| cell(&mut row, column)).collect::<Result<_, BadResults>>()?;
                row.keys().min().map_or(Ok(cells), |name| Err(unnamed(name)))
            });
            let rows = rows.collect::<Result<_, BadResults>>()?;
            Ok(Table { columns, rows, only_values: false })
        }
        (None, Some(answer)) => Ok(Table::boolean(answer)),
        (None, None) => Err(malformed("there are neither results nor an answer to ASK")),
    }
}

impl Term {
    /// Adds what it is made of. Triples in triples are no deeper than the parser of JSON allows.
    fn push(self, into: &mut Vec<Cell>) -> Result<(), BadResults> {
        let Term { kind, value, language, direction, datatype } = self;
        let text = match value {
            Value::String(text) => text,
            Value::Object(_) if kind == "triple" => {
                let Triple { subject, predicate, object } = serde_json::from_value(value).map_err(malformed)?;
                into.push(Cell::open());
                [subject, predicate, object].into_iter().try_for_each(|term| term.push(into))?;
                into.push(Cell::close());
                return Ok(());
            }
            other => other.to_string(),
        };
        let language = super::cell::tag(language, direction);
        into.push(match kind.as_str() {
            "uri" => Cell::iri(&text),
            "bnode" => Cell::Blank(text),
            _ => Cell::literal(&text, language.as_deref(), datatype.as_deref()),
        });
        Ok(())
    }
}
