//! A look at XML before it goes to a parser that trusts its input, and would expand any entity.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::super::Unreadable;
use super::super::budget::Budget;
use super::check_element;

/// Checks that a document, [written out](super::written_out), can be read in bounded time and memory.
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
            // What is declared before the root element is written out already.
            Event::DocType(document_type) if document_type.contains('[') => {
                return Err(Unreadable::malformed(format, "it has a document type where none may be"));
            }
            // Parsers that stop here would take the part for the whole.
            Event::Eof if depth > 0 => {
                return Err(Unreadable::malformed(format, "it ends before its root element does"));
            }
            Event::Eof => return Ok(()),
            _ => budget.step()?,
        }
    }
}
