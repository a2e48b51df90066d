//! Properties of RDF/XML whose `rdf:parseType` nobody knows are literals of XML (RDF 1.1 XML Syntax, section 7.2.20), and
//! literals of XML may be empty.
//!
//! The parser drops the former and refuses the latter. So they are given to it in words that it understands.

use std::borrow::Cow;

use memchr::memmem;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{QName, ResolveResult};
use quick_xml::{NsReader, Writer};

use super::super::Unreadable;

const NAME: &str = "parseType";
const NAMESPACE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const LITERAL: &str = "Literal";
const KNOWN: [&str; 3] = [LITERAL, "Resource", "Collection"];
const EMPTY_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral";

/// A [checked](super::super::xml::check) document in which every parse type is a known one, and no literal of XML is empty.
pub(super) fn known(text: &str) -> Result<Cow<'_, str>, Unreadable> {
    if memmem::find_iter(text.as_bytes(), NAME).all(|at| looks_known(&text[at + NAME.len()..])) {
        return Ok(Cow::Borrowed(text));
    }
    let malformed = |problem: String| Unreadable::malformed("RDF/XML", problem);
    let mut rewriting =
        Rewriting { reader: NsReader::from_str(text), writer: Writer::new(Vec::new()), depth: 0, begun: None };
    while rewriting.event().map_err(malformed)? {}
    String::from_utf8(rewriting.writer.into_inner()).map(Cow::Owned).map_err(|error| malformed(error.to_string()))
}

/// A document being written with other parse types.
struct Rewriting<'t> {
    reader: NsReader<&'t [u8]>,
    writer: Writer<Vec<u8>>,
    /// How deep in a literal, whose attributes are its own.
    depth: usize,
    /// A literal that has begun and may be empty.
    begun: Option<BytesStart<'t>>,
}

impl<'t> Rewriting<'t> {
    /// Takes in the next event; false after the last one.
    fn event(&mut self) -> Result<bool, String> {
        let event = self.reader.read_event().map_err(|error| error.to_string())?;
        if let Some(begun) = self.begun.take() {
            let is_empty = matches!(event, Event::End(_)) && self.is_plain(&begun);
            let begun = if is_empty { self.with(&begun, "datatype", EMPTY_TYPE) } else { begun };
            self.write(Event::Start(begun))?;
        }
        match event {
            Event::Eof => return Ok(false),
            Event::Start(element) if self.depth > 0 => {
                self.depth += 1;
                self.write(Event::Start(element))?;
            }
            Event::Start(element) if self.is_literal(&element) => {
                self.depth = 1;
                self.begun = Some(self.with(&element, NAME, LITERAL));
            }
            Event::Empty(element) if self.depth == 0 && self.is_literal(&element) && self.is_plain(&element) => {
                let empty = self.with(&element, "datatype", EMPTY_TYPE);
                self.write(Event::Empty(empty))?;
            }
            Event::End(element) => {
                self.depth = self.depth.saturating_sub(1);
                self.write(Event::End(element))?;
            }
            other => self.write(other)?,
        }
        Ok(true)
    }

    fn write(&mut self, event: Event<'_>) -> Result<(), String> {
        self.writer.write_event(event).map_err(|error| error.to_string())
    }

    /// Whether the parse type of an element makes a literal of it.
    fn is_literal(&self, element: &BytesStart<'_>) -> bool {
        let mut attributes = element.attributes();
        let found = attributes.with_checks(false).flatten().find(|attribute| self.is_parse_type(attribute.key));
        found.is_some_and(|attribute| !KNOWN[1..].contains(&attribute.value.as_ref()))
    }

    /// Whether an element has nothing beside its parse type but what a literal may have.
    fn is_plain(&self, element: &BytesStart<'_>) -> bool {
        let mut attributes = element.attributes();
        attributes.with_checks(false).flatten().all(|attribute| {
            let name = attribute.key;
            name.as_ref().starts_with("xml") || self.is_parse_type(name) || self.is_rdf(name, "ID")
        })
    }

    fn is_parse_type(&self, name: QName<'_>) -> bool {
        self.is_rdf(name, NAME)
    }

    fn is_rdf(&self, name: QName<'_>, wanted: &str) -> bool {
        // To look at the name itself takes no search through namespaces.
        name.local_name().as_ref() == wanted && {
            let (namespace, _) = self.reader.resolver().resolve_attribute(name);
            matches!(namespace, ResolveResult::Bound(namespace) if namespace.as_ref() == NAMESPACE)
        }
    }

    /// An element with another attribute of RDF in place of its parse type.
    fn with(&self, element: &BytesStart<'_>, name: &str, value: &str) -> BytesStart<'t> {
        let mut renamed = BytesStart::new(element.name().as_ref().to_owned());
        for attribute in element.attributes().with_checks(false).flatten() {
            if self.is_parse_type(attribute.key) {
                let prefix = attribute.key.as_ref().trim_end_matches(NAME);
                renamed.push_attribute((format!("{prefix}{name}").as_str(), value));
            } else {
                renamed.push_attribute(attribute);
            }
        }
        renamed
    }
}

/// Whether what follows the name gives it a known value, and something to hold.
fn looks_known(text: &str) -> bool {
    let value = text.trim_start().strip_prefix('=').map(str::trim_start);
    let value = value.and_then(|value| value.strip_prefix(['"', '\'']));
    value.is_some_and(|value| {
        let rest = KNOWN.iter().find_map(|known| value.strip_prefix(known)?.strip_prefix(['"', '\'']));
        let is_empty = |rest: &str| rest.trim_start().starts_with("/>") || rest.trim_start().starts_with("></");
        rest.is_some_and(|rest| !value.starts_with(LITERAL) || !is_empty(rest))
    })
}
