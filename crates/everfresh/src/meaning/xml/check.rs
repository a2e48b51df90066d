//! A look at XML before it goes to a parser that trusts its input.
//!
//! Such a parser expands the entities that a document type declares, as many vocabularies in RDF/XML need. So they must be
//! plain, and must not make the document longer than it may be.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::super::Unreadable;
use super::super::budget::Budget;
use super::check_element;

/// Checks that a document can be read in bounded time and memory.
pub(crate) fn check(text: &str, format: &'static str, budget: &mut Budget) -> Result<(), Unreadable> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut depth = 0usize;
    loop {
        match reader.read_event().map_err(|error| Unreadable::malformed(format, error))? {
            Event::Start(element) => {
                depth += 1;
                check_element(&element, depth, budget)?;
            }
            Event::Empty(element) => check_element(&element, depth + 1, budget)?,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::DocType(document_type) => check_entities(text, &document_type, format, budget)?,
            // Parsers that stop here would take the part for the whole.
            Event::Eof if depth > 0 => {
                return Err(Unreadable::malformed(format, "it ends before its root element does"));
            }
            Event::Eof => return Ok(()),
            _ => budget.step()?,
        }
    }
}

fn check_entities(text: &str, document_type: &str, format: &'static str, budget: &Budget) -> Result<(), Unreadable> {
    let mut references = document_type.split('&').skip(1);
    if references.any(|reference| !reference.starts_with('#')) {
        return Err(Unreadable::malformed(format, "an entity that it declares is made of other entities"));
    }
    let longest = document_type.split(['"', '\'']).map(str::len).max().unwrap_or(0);
    let references = text.bytes().filter(|byte| *byte == b'&').count();
    budget.bytes(references.saturating_mul(longest))
}
