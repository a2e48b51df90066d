//! Terms of a graph as small numbers, each kept once in the spelling of canonical N-Quads.

use std::fmt::Write;

use oxrdf::{LiteralRef, NamedNodeRef};

use super::super::interner::Interner;

/// A term: the number of a blank node with [`BLANK`] set, [`DEFAULT_GRAPH`], or the number of a named term.
pub(super) type Term = u32;

/// Marks the numbers of blank nodes.
pub(super) const BLANK: Term = 1 << 31;
/// Stands where a quad is in no named graph.
pub(super) const DEFAULT_GRAPH: Term = BLANK - 1;

/// Subject, predicate, object, graph.
pub(super) type Quad = [Term; 4];

/// The number of a blank node, if the term is one.
pub(super) fn blank(term: Term) -> Option<usize> {
    (term & BLANK != 0).then_some((term & !BLANK) as usize)
}

/// The numbers of the blank nodes of a quad, each place for itself.
pub(super) fn blanks(quad: &Quad) -> impl Iterator<Item = usize> {
    quad.iter().filter_map(|term| blank(*term))
}

/// The named terms of a graph.
#[derive(Default)]
pub(super) struct Terms {
    texts: Interner,
    buffer: String,
}

impl Terms {
    pub(super) fn named(&mut self, node: NamedNodeRef<'_>) -> Term {
        self.buffer.clear();
        self.buffer.extend(["<", node.as_str(), ">"]);
        self.texts.intern(&self.buffer)
    }

    pub(super) fn literal(&mut self, literal: LiteralRef<'_>) -> Term {
        let out = &mut self.buffer;
        out.clear();
        out.push('"');
        escape(literal.value(), out);
        out.push('"');
        if let Some(language) = literal.language() {
            out.push('@');
            // Tags of languages are the same in any case.
            out.extend(language.chars().map(|c| c.to_ascii_lowercase()));
        } else if literal.datatype() != oxrdf::vocab::xsd::STRING {
            out.extend(["^^<", literal.datatype().as_str(), ">"]);
        }
        self.texts.intern(out)
    }

    /// The spelling of a named term.
    pub(super) fn text(&self, term: Term) -> &str {
        self.texts.get(term)
    }

    /// How many named terms there are.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// How many bytes their spellings have.
    pub(super) fn bytes(&self) -> usize {
        self.texts.bytes()
    }

    /// The number of a spelling, if there is such a term.
    pub(super) fn find(&self, text: &str) -> Option<Term> {
        self.texts.find(text)
    }
}

/// Escapes what canonical N-Quads escape, and nothing else.
fn escape(value: &str, out: &mut String) {
    for character in value.chars() {
        match character {
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0'..='\u{1f}' | '\u{7f}' => _ = write!(out, "\\u{:04X}", character as u32),
            _ => out.push(character),
        }
    }
}
