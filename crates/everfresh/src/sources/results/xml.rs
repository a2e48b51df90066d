//! Results in XML (SPARQL 1.1 Query Results XML Format, and triples as terms of 1.2).

use std::collections::HashMap;

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

use super::cell::tag;
use super::{BadResults, Cell, Table, malformed, unnamed};
use crate::meaning::{self, Format, Limits};
use crate::parse::xml::{self, XmlEvents};

/// Steps to write out what an answer declares: twice what it takes to begin with that.
const MAX_STEPS: u64 = 2_000_000;

/// Reads an answer in XML. What breaks off before its rows end is refused, and what refers to anything that it does not declare.
pub(super) fn read(text: &str) -> Result<Table, BadResults> {
    let limits = Limits { steps: MAX_STEPS, ..Limits::default() };
    let written_out = meaning::prepared(Format::Xml, text, &limits).map_err(malformed)?;
    let mut reading = Reading { bytes: text.len(), ..Reading::default() };
    xml::read(&written_out, &mut reading);
    match reading {
        Reading { problem: Some(problem), .. } => Err(problem),
        Reading { answer: Some(answer), .. } => Ok(Table::boolean(answer)),
        Reading { complete: true, table, .. } => Ok(table),
        _ => Err(malformed("there is no </results>")),
    }
}

#[derive(Default)]
struct Reading {
    table: Table,
    /// Places of the columns, by name.
    places: HashMap<String, usize>,
    /// The column of the binding under way.
    column: Option<usize>,
    /// What that binding is made of so far.
    pieces: Vec<Cell>,
    language: Option<String>,
    datatype: Option<String>,
    value: String,
    answer: Option<bool>,
    complete: bool,
    problem: Option<BadResults>,
    /// Bytes of the answer.
    bytes: usize,
}

impl Reading {
    fn begin_column(&mut self, name: String) {
        self.places.entry(name.clone()).or_insert(self.table.columns.len());
        self.table.columns.push(name);
    }

    fn begin_row(&mut self) {
        let (columns, rows) = (self.table.columns.len(), self.table.rows.len() + 1);
        match Table::check_size(columns, rows, self.bytes) {
            Ok(()) => self.table.rows.push(vec![Cell::Empty; columns]),
            Err(problem) => self.problem = Some(problem),
        }
    }

    fn end_binding(&mut self) {
        let cell = Cell::of(std::mem::take(&mut self.pieces));
        let place = self.column.take().and_then(|column| self.table.rows.last_mut()?.get_mut(column));
        match place {
            Some(place @ Cell::Empty) => *place = cell,
            Some(_) => self.problem = Some(malformed("a row has two values for one name")),
            None => {}
        }
    }

    fn end_answer(&mut self) {
        // As `xsd:boolean` writes them.
        match self.value.trim_ascii() {
            "true" | "1" => self.answer = Some(true),
            "false" | "0" => self.answer = Some(false),
            other => self.problem = Some(malformed(format!("an answer to ASK is neither true nor false: {other:?}"))),
        }
    }
}

impl XmlEvents for Reading {
    fn start(&mut self, element: &BytesStart<'_>) {
        self.value.clear();
        let mut unknown = None;
        let mut named = |name: &str| {
            let value = xml::raw_attribute(element, name)?.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map(|value| value.trim_ascii().to_owned());
            value.map_err(|error| unknown = Some(malformed(error))).ok()
        };
        match xml::local(element.name().as_ref()) {
            "variable" if self.table.rows.is_empty() => {
                named("name").into_iter().for_each(|name| self.begin_column(name))
            }
            "variable" => self.problem = Some(malformed("a column is named behind rows")),
            "result" => self.begin_row(),
            "binding" => {
                self.pieces.clear();
                let name = named("name").unwrap_or_default();
                self.column = self.places.get(&name).copied();
                unknown = unknown.or_else(|| self.column.is_none().then(|| unnamed(&name)));
            }
            "triple" => self.pieces.push(Cell::open()),
            "literal" => {
                self.language = tag(named("xml:lang"), named("its:dir"));
                self.datatype = named("datatype");
            }
            _ => {}
        }
        self.problem = self.problem.take().or(unknown);
    }

    fn end(&mut self, name: &str) {
        match xml::local(name) {
            "uri" => self.pieces.push(Cell::iri(self.value.trim_ascii())),
            "bnode" => self.pieces.push(Cell::Blank(self.value.trim_ascii().to_owned())),
            "literal" => {
                let (language, datatype) = (self.language.take(), self.datatype.take());
                self.pieces.push(Cell::literal(&self.value, language.as_deref(), datatype.as_deref()));
            }
            "triple" => self.pieces.push(Cell::close()),
            "binding" => self.end_binding(),
            "boolean" => self.end_answer(),
            "results" => self.complete = true,
            _ => {}
        }
    }

    fn text(&mut self, piece: &str) {
        self.value.push_str(piece);
    }

    fn entity(&mut self, name: &str) {
        self.problem = Some(malformed(format!("nothing declares what &{name}; stands for")));
    }

    fn is_done(&self) -> bool {
        self.complete || self.problem.is_some()
    }
}
