//! XML for parsers that trust their input and know less of XML than it allows: within bounds, without document types, comments,
//! processing instructions and sections, which end a text for them, and with the values of attributes in one spelling.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::partial_escape;
use quick_xml::events::{BytesStart, Event};

use super::super::Unreadable;
use super::super::budget::Budget;
use super::document_type::NAMES_TO_A_STEP;
use super::namespaces::{MAX_NAMESPACE_BYTES, Namespaces};
use super::reference::leading_character;
use super::{check_element, written_out};

/// Bytes of the name of a namespace, beyond what is usual, that are copied and looked at in a step.
const NAMESPACE_BYTES_TO_A_STEP: usize = 16;

/// Checks that a document, [written out](super::written_out), can be read in bounded time and memory, and makes it plain.
pub(crate) fn plain<'t>(text: &'t str, format: &'static str, budget: &mut Budget) -> Result<Cow<'t, str>, Unreadable> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut open = Open { namespaces: Namespaces::default(), depth: 0, room: written_out::room(text, budget) };
    let (mut out, mut copied) = (String::new(), 0);
    loop {
        let begin = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| Unreadable::malformed(format, error))?;
        let is_over = matches!(event, Event::Eof);
        if let Some(anew) = open.event(event, format, budget)? {
            out.push_str(&text[copied..begin]);
            out.push_str(&anew);
            copied = reader.buffer_position() as usize;
        }
        if is_over {
            break;
        }
    }
    if copied == 0 {
        return Ok(Cow::Borrowed(text));
    }
    out.push_str(&text[copied..]);
    Ok(Cow::Owned(out))
}

/// The elements that are open.
struct Open {
    namespaces: Namespaces,
    depth: usize,
    /// Bytes that names of namespaces may take in all open elements.
    room: usize,
}

impl Open {
    /// What is to stand in the place of an event, if it is anything else.
    fn event(
        &mut self,
        event: Event<'_>,
        format: &'static str,
        budget: &mut Budget,
    ) -> Result<Option<String>, Unreadable> {
        let malformed = |problem| Err(Unreadable::malformed(format, problem));
        Ok(match event {
            Event::Start(element) => {
                self.begin(&element, budget)?;
                respelled(&element, ">")
            }
            Event::Empty(element) => {
                self.begin(&element, budget)?;
                self.end();
                respelled(&element, "/>")
            }
            Event::End(_) => {
                self.end();
                None
            }
            // What is declared before the root element is written out already.
            Event::DocType(document_type) if self.depth > 0 || document_type.contains('[') => {
                return malformed("it has a document type where none may be");
            }
            // Parsers that stop here would take the part for the whole.
            Event::Eof if self.depth > 0 => return malformed("it ends before its root element does"),
            other => {
                budget.step()?;
                in_text(other)
            }
        })
    }

    fn begin(&mut self, element: &BytesStart<'_>, budget: &mut Budget) -> Result<(), Unreadable> {
        self.depth += 1;
        let names = 1 + check_element(element, self.depth, budget)?;
        self.namespaces.begin(element)?;
        // A parser looks through all namespaces for that of a name, and keeps the whole name while the element is open.
        let long = self.namespaces.longest().saturating_sub(MAX_NAMESPACE_BYTES);
        budget.steps(names * (self.namespaces.len() / NAMES_TO_A_STEP + long / NAMESPACE_BYTES_TO_A_STEP))?;
        written_out::within(long.saturating_mul(self.depth), self.room)
    }

    fn end(&mut self) {
        self.namespaces.end();
        self.depth = self.depth.saturating_sub(1);
    }
}

/// What is to stand in the place of what is no element, if it is anything else.
fn in_text(event: Event<'_>) -> Option<String> {
    match event {
        Event::CData(section) => Some(partial_escape(&*section).into_owned()),
        Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::DocType(_) => Some(String::new()),
        _ => None,
    }
}

/// A tag with the values of its attributes in one spelling, if they have another. One with a fault is left as it is, and the
/// parser will say so.
fn respelled(element: &BytesStart<'_>, end: &str) -> Option<String> {
    let is_odd = |raw: &str| raw.contains(['"', '\t', '\n', '\r']) || raw.contains("&#");
    let mut attributes = element.attributes();
    if !attributes.with_checks(false).map_while(Result::ok).any(|attribute| is_odd(&attribute.value)) {
        return None;
    }
    let mut tag = format!("<{}", element.name().as_ref());
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.ok()?;
        tag.extend([" ", attribute.key.as_ref(), "=\""]);
        push_plain(&attribute.value, &mut tag);
        tag.push('"');
    }
    tag.push_str(end);
    Some(tag)
}

/// Writes a value for double quotes: white space is spaces, and characters are themselves where they can be. References by name
/// stay as they are.
fn push_plain(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some(at) = rest.find(['&', '"', '\t', '\n', '\r']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((character, behind)) = leading_character(rest) {
            push_escaped(character, out);
            rest = behind;
            continue;
        }
        let (mark, behind) = rest.split_at(1);
        out.push_str(match mark {
            "&" => "&",
            "\"" => "&quot;",
            _ => " ",
        });
        rest = behind;
    }
    out.push_str(rest);
}

fn push_escaped(character: char, out: &mut String) {
    match character {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '"' => out.push_str("&quot;"),
        '\t' => out.push_str("&#9;"),
        '\n' => out.push_str("&#10;"),
        '\r' => out.push_str("&#13;"),
        _ => out.push(character),
    }
}
