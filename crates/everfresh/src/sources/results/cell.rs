//! A cell of a table of results: a term in the one spelling that all formats come to.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Cell {
    /// Not bound.
    #[default]
    Empty,
    /// An IRI or a literal, as N-Triples write it; a bare value in a table of values.
    Term(String),
    /// A blank node, by its label in this answer.
    Blank(String),
    /// A triple that is a term (SPARQL 1.2): all that it is made of, one behind the other, with brackets around each triple.
    Triple(Vec<Cell>),
}

/// The tag of a language with a direction of text, as N-Triples 1.2 write it.
pub(super) fn tag(language: Option<String>, direction: Option<String>) -> Option<String> {
    match (language, direction) {
        (Some(language), Some(direction)) => Some(format!("{language}--{direction}")),
        (language, _) => language,
    }
}

impl Cell {
    /// The bracket before the three terms of a triple.
    pub(super) fn open() -> Cell {
        Cell::Term("<<(".to_owned())
    }

    /// The bracket behind them.
    pub(super) fn close() -> Cell {
        Cell::Term(")>>".to_owned())
    }

    /// The cell that these terms and brackets make.
    pub(super) fn of(mut pieces: Vec<Cell>) -> Cell {
        match pieces.len() {
            0 => Cell::Empty,
            1 => pieces.swap_remove(0),
            _ => Cell::Triple(pieces),
        }
    }

    pub(super) fn iri(value: &str) -> Cell {
        Cell::Term(format!("<{value}>"))
    }

    /// A literal with the tag of its language, or else its datatype.
    pub(super) fn literal(value: &str, language: Option<&str>, datatype: Option<&str>) -> Cell {
        let mut text = String::with_capacity(value.len() + 2);
        text.push('"');
        for character in value.chars() {
            match character {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                other => text.push(other),
            }
        }
        text.push('"');
        match (language, datatype) {
            // Languages are the same in any case (RDF 1.1, section 3.3).
            (Some(language), _) => _ = write!(text, "@{}", language.to_ascii_lowercase()),
            (None, Some(datatype)) if datatype.strip_prefix(XSD) != Some("string") => {
                _ = write!(text, "^^<{datatype}>")
            }
            (None, _) => {}
        }
        Cell::Term(text)
    }

    /// The terms, blank nodes and brackets that it is made of.
    pub(super) fn pieces(&self) -> &[Cell] {
        match self {
            Cell::Triple(pieces) => pieces,
            Cell::Empty => &[],
            single => std::slice::from_ref(single),
        }
    }

    /// Calls `take` with the label of every blank node in it.
    pub(super) fn each_label(&mut self, take: &mut impl FnMut(&mut String)) {
        match self {
            Cell::Blank(label) => take(label),
            Cell::Triple(pieces) => pieces.iter_mut().for_each(|piece| {
                if let Cell::Blank(label) = piece {
                    take(label);
                }
            }),
            Cell::Empty | Cell::Term(_) => {}
        }
    }

    /// It as a text, with these names for blank nodes.
    pub(super) fn written<'a>(&'a self, names: &'a HashMap<&str, String>) -> Cow<'a, str> {
        match self {
            Cell::Empty => Cow::Borrowed(""),
            Cell::Term(term) => Cow::Borrowed(term),
            Cell::Blank(label) => Cow::Borrowed(names.get(label.as_str()).map_or("", String::as_str)),
            Cell::Triple(pieces) => {
                // Pieces have no pieces themselves.
                let written: Vec<Cow<'_, str>> = pieces.iter().map(|piece| piece.written(names)).collect();
                Cow::Owned(written.join(" "))
            }
        }
    }
}
