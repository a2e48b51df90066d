//! What a document of data says, whatever its spelling: bytes in, canonical statements out, and what two versions differ in.
//!
//! A data source is often written anew without a change: another order of keys, other names of blank nodes, other quotes. So
//! each format has a judge that reads the document into its statements (triples, values, rows, nodes, lines) in a form that
//! depends on the meaning alone. Its digest tells whether anything changed, [`delta`] tells what. Nothing here reads a file or
//! a socket, so no context, entity or import is ever loaded. Every judge is bounded by [`Limits`]: what it refuses is
//! [`Unreadable`] with a reason, and the caller falls back to the bytes.

mod align;
mod budget;
mod characters;
mod delta;
mod error;
mod format;
mod interner;
mod json;
mod lines;
mod rdf;
mod rules;
mod table;
mod tree;
mod xml;

pub use characters::{in_utf8, text};
pub use delta::{Delta, delta, delta_within};
pub use error::Unreadable;
pub use format::Format;
pub use rdf::prepared;
pub use rules::{Limits, Rules};
pub(crate) use table::Records;

use budget::Budget;

/// A document as its statements, in an order and a spelling that depend on its meaning alone.
///
/// It borrows the body where it keeps rows or lines: these are then no more than a hash and a place.
pub struct Content<'a> {
    digest: [u8; 32],
    statements: usize,
    unit: &'static str,
    body: Body<'a>,
}

/// What is kept of a document, by family of formats.
enum Body<'a> {
    Graph(rdf::Graph),
    Tree(tree::Tree),
    Table(table::Table<'a>),
    Lines(lines::Lines<'a>),
    /// Nothing but how many bytes there are.
    Bytes(usize),
}

impl Content<'_> {
    /// Equal for documents of equal meaning, if they were read under the same rules.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// How many statements there are.
    pub fn statements(&self) -> usize {
        self.statements
    }

    /// What a statement is: triples, values, nodes, rows, lines or bytes.
    pub fn unit(&self) -> &'static str {
        self.unit
    }
}

/// Reads a document. `base` is its URL, against which relative addresses resolve.
pub fn read<'a>(
    format: Format,
    body: &'a [u8],
    base: &str,
    rules: &Rules,
    limits: &Limits,
) -> Result<Content<'a>, Unreadable> {
    let mut budget = Budget::new(limits, body.len())?;
    match format {
        Format::Json => json::read(&characters::text(body, format)?, rules, &mut budget),
        Format::JsonLines => json::read_lines(&characters::text(body, format)?, rules, &mut budget),
        Format::Csv | Format::Tsv => table::read(characters::bytes(body), format, rules, &mut budget),
        Format::Xml => xml::read(&characters::text(body, format)?, rules, &mut budget),
        Format::Text => lines::read(characters::bytes(body), &mut budget),
        Format::Binary => Ok(bytes(body)),
        _ => rdf::read(format, characters::text(body, format)?, base, &mut budget),
    }
}

/// A document of which nothing is known but its bytes.
fn bytes(body: &[u8]) -> Content<'static> {
    let digest = *blake3::hash(body).as_bytes();
    Content { digest, statements: body.len(), unit: "bytes", body: Body::Bytes(body.len()) }
}
