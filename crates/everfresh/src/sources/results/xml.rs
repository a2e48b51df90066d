//! Results in XML (SPARQL 1.1 Query Results XML Format).

use quick_xml::events::BytesStart;

use super::{BadResults, Cell, Table, boolean, term};
use crate::parse::xml::{self, XmlEvents};

/// Reads an answer in XML. What breaks off before its rows end is refused.
pub(super) fn read(body: &[u8]) -> Result<Table, BadResults> {
    let text = str::from_utf8(body).map_err(|error| BadResults::Malformed(error.to_string()))?;
    let mut reading = XmlReading { bytes: body.len(), ..XmlReading::default() };
    xml::read(text, &mut reading);
    match reading {
        XmlReading { problem: Some(problem), .. } => Err(problem),
        XmlReading { answer: Some(answer), .. } => Ok(boolean(answer)),
        XmlReading { complete: true, table, .. } => Ok(table),
        _ => Err(BadResults::Malformed("there is no </results>".into())),
    }
}

#[derive(Default)]
struct XmlReading {
    table: Table,
    /// The column of the binding under way.
    column: Option<usize>,
    language: Option<String>,
    datatype: Option<String>,
    value: String,
    answer: Option<bool>,
    complete: bool,
    problem: Option<BadResults>,
    /// Bytes of the answer.
    bytes: usize,
}

impl XmlReading {
    fn begin_row(&mut self) {
        let (columns, rows) = (self.table.columns.len(), self.table.rows.len() + 1);
        match Table::check_size(columns, rows, self.bytes) {
            Ok(()) => self.table.rows.push(vec![Cell::Empty; columns]),
            Err(problem) => self.problem = Some(problem),
        }
    }
}

impl XmlEvents for XmlReading {
    fn start(&mut self, element: &BytesStart<'_>) {
        self.value.clear();
        let named = |name: &str| xml::attribute(element, name).map(|value| value.into_owned());
        match xml::local(element.name().as_ref()) {
            "variable" if self.table.rows.is_empty() => self.table.columns.extend(named("name")),
            "variable" => self.problem = Some(BadResults::Malformed("a column is named behind rows".into())),
            "result" => self.begin_row(),
            "binding" => {
                let name = named("name");
                self.column = self.table.columns.iter().position(|column| Some(column) == name.as_ref());
            }
            "literal" => (self.language, self.datatype) = (named("xml:lang"), named("datatype")),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        let name = xml::local(name);
        match name {
            "uri" | "bnode" | "literal" => {
                let (value, language) = (std::mem::take(&mut self.value), self.language.take());
                let cell = term(name, value, language, self.datatype.take());
                let place = self.column.and_then(|column| self.table.rows.last_mut()?.get_mut(column));
                if let Some(place) = place {
                    *place = cell;
                }
            }
            "boolean" => self.answer = Some(self.value.trim() == "true"),
            "results" => self.complete = true,
            _ => {}
        }
    }

    fn text(&mut self, piece: &str) {
        self.value.push_str(piece);
    }

    fn is_done(&self) -> bool {
        self.complete || self.problem.is_some()
    }
}
