//! RDF by its graph: names of blank nodes, order and syntax do not count.
//!
//! Every syntax is read into quads of small numbers. Blank nodes get the names of the W3C's canonical form (RDFC-1.0), and the
//! digest is the SHA-256 of that form, so that other tools can check it. A graph without blank nodes is only sorted.
//!
//! No context, import or entity is loaded from elsewhere. A document that breaks off in the middle is unreadable as a whole: a
//! part of a graph says something else than the graph.

mod canonical;
mod compare;
mod graph;
mod languages;
mod pairing;
mod parse;
mod parse_types;
mod part;
mod refine;
mod terms;

use std::borrow::Cow;

use super::budget::Budget;
use super::{Body, Content, Format, Unreadable};

pub(super) use compare::compare;
pub(super) use graph::Graph;
pub use parse::prepared;

/// Reads a document of one of the RDF syntaxes.
pub(super) fn read(
    format: Format,
    text: Cow<'_, str>,
    base: &str,
    budget: &mut Budget,
) -> Result<Content<'static>, Unreadable> {
    let mut graph = parse::parse(format, &text, base, budget)?;
    // The text may be an owned copy, and is not needed any more.
    drop(text);
    let digest = graph.canonicalise(budget)?;
    let (statements, unit) = (graph.len(), if graph.has_names() { "quads" } else { "triples" });
    Ok(Content { digest, statements, unit, body: Body::Graph(graph) })
}

#[cfg(test)]
mod tests;
