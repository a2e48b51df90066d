//! Properties of RDF/XML whose `rdf:parseType` nobody knows are literals of XML (RDF 1.1 XML Syntax, section 7.2.20), and
//! literals of XML may be empty.
//!
//! The parser drops the former and refuses the latter. So they are given to it in words that it understands. It also writes all
//! namespaces that it knows into every child of a literal, so these are counted before.

use std::borrow::Cow;

use memchr::memmem;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::QName;
use quick_xml::{Reader, Writer};

use super::super::Unreadable;
use super::super::budget::Budget;
use super::super::xml::{self, Namespaces};

const NAME: &str = "parseType";
/// What names of RDF begin with where their namespace is written out.
const NAMESPACE: &str = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}";
const LITERAL: &str = "Literal";
/// The parse types of what is no literal.
const OTHERS: [&str; 2] = ["Resource", "Collection"];
/// Pairs of namespaces that the parser looks at in a step.
const PAIRS_TO_A_STEP: usize = 64;
const EMPTY_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral";

/// A [plain](super::super::xml::plain) document in which every parse type is a known one, and no literal of XML is empty.
pub(super) fn known<'t>(text: &'t str, budget: &mut Budget) -> Result<Cow<'t, str>, Unreadable> {
    if memmem::find_iter(text.as_bytes(), NAME).all(|at| is_no_literal(&text[at + NAME.len()..])) {
        return Ok(Cow::Borrowed(text));
    }
    let mut rewriting = Rewriting {
        reader: Reader::from_str(text),
        writer: Writer::new(Vec::with_capacity(text.len())),
        namespaces: Namespaces::default(),
        depth: 0,
        begun: None,
        written: 0,
        room: xml::room(text, budget),
    };
    while rewriting.event(budget)? {}
    String::from_utf8(rewriting.writer.into_inner()).map(Cow::Owned).map_err(malformed)
}

fn malformed(problem: impl ToString) -> Unreadable {
    Unreadable::malformed("RDF/XML", problem)
}

/// A document being written with other parse types.
struct Rewriting<'t> {
    reader: Reader<&'t [u8]>,
    writer: Writer<Vec<u8>>,
    namespaces: Namespaces,
    /// How deep in a literal, whose attributes are its own.
    depth: usize,
    /// A literal that has begun and may be empty.
    begun: Option<BytesStart<'t>>,
    /// Bytes of namespaces that the parser will write into literals.
    written: usize,
    /// How many it may.
    room: usize,
}

impl<'t> Rewriting<'t> {
    /// Takes in the next event; false after the last one.
    fn event(&mut self, budget: &mut Budget) -> Result<bool, Unreadable> {
        let event = self.reader.read_event().map_err(malformed)?;
        if let Some(begun) = self.begun.take() {
            let is_empty = matches!(event, Event::End(_)) && self.is_plain(&begun);
            let begun = if is_empty { self.with(&begun, "datatype", EMPTY_TYPE) } else { begun };
            self.write(Event::Start(begun))?;
        }
        match event {
            Event::Eof => return Ok(false),
            Event::Start(element) => {
                self.begin(&element, budget)?;
                self.start(element)?;
            }
            Event::Empty(element) => {
                self.begin(&element, budget)?;
                let is_empty = self.depth == 0 && self.is_literal(&element) && self.is_plain(&element);
                let element = if is_empty { self.with(&element, "datatype", EMPTY_TYPE) } else { element };
                self.write(Event::Empty(element))?;
                self.namespaces.end();
            }
            Event::End(element) => {
                self.depth = self.depth.saturating_sub(1);
                self.namespaces.end();
                self.write(Event::End(element))?;
            }
            other => self.write(other)?,
        }
        Ok(true)
    }

    /// An element begins, which costs more than its own bytes if it is the child of a literal.
    fn begin(&mut self, element: &BytesStart<'_>, budget: &mut Budget) -> Result<(), Unreadable> {
        self.namespaces.begin(element)?;
        if self.depth != 1 {
            return Ok(());
        }
        let known = self.namespaces.len();
        budget.steps(known * known / PAIRS_TO_A_STEP)?;
        self.written += self.namespaces.written();
        xml::within(self.written, self.room)
    }

    fn start(&mut self, element: BytesStart<'t>) -> Result<(), Unreadable> {
        if self.depth > 0 {
            self.depth += 1;
        } else if self.is_literal(&element) {
            self.depth = 1;
            self.begun = Some(self.with(&element, NAME, LITERAL));
            return Ok(());
        }
        self.write(Event::Start(element))
    }

    fn write(&mut self, event: Event<'_>) -> Result<(), Unreadable> {
        self.writer.write_event(event).map_err(malformed)
    }

    /// Whether the parse type of an element makes a literal of it.
    fn is_literal(&self, element: &BytesStart<'_>) -> bool {
        let mut attributes = element.attributes();
        let found = attributes.with_checks(false).flatten().find(|attribute| self.is_parse_type(attribute.key));
        found.is_some_and(|attribute| !OTHERS.contains(&attribute.value.as_ref()))
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
        // Nearly all names are others, and this is seen without their namespace.
        name.local_name().as_ref() == wanted && {
            let mut written = String::new();
            self.namespaces.push_name(name, false, &mut written);
            written.strip_prefix(NAMESPACE) == Some(wanted)
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

/// Whether what follows the name says plainly that it makes no literal.
fn is_no_literal(text: &str) -> bool {
    let value = text.trim_start().strip_prefix('=').map(str::trim_start);
    let value = value.and_then(|value| value.strip_prefix(['"', '\'']));
    value.is_some_and(|value| {
        OTHERS.iter().any(|other| value.strip_prefix(other).is_some_and(|rest| rest.starts_with(['"', '\''])))
    })
}
