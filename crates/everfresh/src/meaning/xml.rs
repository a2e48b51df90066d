//! XML by its elements, attributes and text: the order of attributes, prefixes of namespaces, quotes, references to characters,
//! comments, processing instructions and white space between elements do not count, unless `xml:space` says that the last does.
//! White space that is all an element holds is its value, unless `xml:space` says that it is not.
//!
//! What a document declares in its own document type is [written out](written_out) first; nothing is loaded from elsewhere. A
//! reference to an entity that is not declared stays one, and is no text. Names of namespaces inside values (as in `xsi:type`)
//! are text like any other.

mod document_type;
mod line_ends;
mod namespaces;
mod plain;
mod reference;
mod written_out;

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::QName;

use super::budget::Budget;
use super::tree::{Builder, Kind, NO_NAME};
use super::{Content, Rules, Unreadable};

pub(super) use namespaces::Namespaces;
pub(super) use plain::plain;
pub(super) use written_out::{room, within, written_out};

/// The parser counts levels in 16 bits.
const MAX_DEPTH: usize = 60_000;
/// Attributes of one element: looking for doubles takes their square.
const MAX_ATTRIBUTES: usize = 1_000;
/// The attribute that says whether white space counts.
const SPACE: &str = "xml:space";
/// Stands before a reference that is kept, and nowhere else: no XML document may have this character.
const REFERENCE: char = '\u{1a}';

/// Reads an XML document.
pub(super) fn read(text: &str, rules: &Rules, budget: &mut Budget) -> Result<Content<'static>, Unreadable> {
    let text = written_out(text, budget)?;
    let mut document = Document::new(&text);
    while document.event(budget)? {}
    let tree = document.builder.finish().ok_or_else(|| malformed("it does not have exactly one whole root element"))?;
    Ok(tree.into_content("nodes", rules.any_order))
}

fn malformed(problem: impl ToString) -> Unreadable {
    Unreadable::malformed("XML", problem)
}

/// A document being read.
struct Document<'t> {
    reader: Reader<&'t [u8]>,
    namespaces: Namespaces,
    builder: Builder,
    depth: usize,
    /// Text since the last tag.
    text: String,
    /// The last name.
    name: String,
    /// Whether the last tag began an element, and nothing but text came since.
    is_leaf: bool,
    /// The open elements that say whether white space alone is to be kept, and what they say.
    spaces: Vec<(usize, bool)>,
}

impl<'t> Document<'t> {
    fn new(text: &'t str) -> Document<'t> {
        Document {
            reader: Reader::from_str(text),
            namespaces: Namespaces::default(),
            builder: Builder::default(),
            depth: 0,
            text: String::new(),
            name: String::new(),
            is_leaf: false,
            spaces: Vec::new(),
        }
    }

    /// Takes in the next event; false after the last one.
    fn event(&mut self, budget: &mut Budget) -> Result<bool, Unreadable> {
        let event = self.reader.read_event().map_err(|error| self.wrong(error))?;
        match event {
            Event::Start(element) => self.begin(&element, budget)?,
            Event::Empty(element) => {
                self.begin(&element, budget)?;
                self.end(budget)?;
            }
            Event::End(_) => self.end(budget)?,
            Event::Text(text) => self.text.push_str(&text),
            Event::CData(text) => self.text.push_str(&text),
            Event::GeneralRef(reference) => push_reference(&reference, &mut self.text),
            Event::Eof => {
                self.flush(budget)?;
                return Ok(false);
            }
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::DocType(_) => {
                self.is_leaf = false;
                budget.step()?;
            }
        }
        Ok(true)
    }

    fn begin(&mut self, element: &BytesStart<'t>, budget: &mut Budget) -> Result<(), Unreadable> {
        self.is_leaf = false;
        self.flush(budget)?;
        self.is_leaf = true;
        self.depth += 1;
        check_element(element, self.depth, budget)?;
        self.namespaces.begin(element)?;
        let name = self.name(element.name(), true);
        self.builder.begin(Kind::Element, name, budget)?;
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| self.wrong(error))?;
            if attribute.key.as_namespace_binding().is_some() {
                continue;
            }
            if attribute.key.as_ref() == SPACE {
                self.spaces.push((self.depth, value(&attribute.value) == "preserve"));
            }
            let name = self.name(attribute.key, false);
            self.builder.leaf(Kind::Attribute, name, budget, |out| push_value(&attribute.value, out))?;
        }
        Ok(())
    }

    /// The number of a name with its namespace.
    fn name(&mut self, name: QName<'_>, is_element: bool) -> u32 {
        self.name.clear();
        self.namespaces.push_name(name, is_element, &mut self.name);
        self.builder.name(&self.name)
    }

    fn end(&mut self, budget: &mut Budget) -> Result<(), Unreadable> {
        self.flush(budget)?;
        self.is_leaf = false;
        while self.spaces.pop_if(|(depth, _)| *depth == self.depth).is_some() {}
        self.namespaces.end();
        self.depth = self.depth.saturating_sub(1);
        self.builder.end();
        Ok(())
    }

    /// Takes in the text since the last tag, unless it is only there to lay out the elements.
    fn flush(&mut self, budget: &mut Budget) -> Result<(), Unreadable> {
        let text = std::mem::take(&mut self.text);
        let is_blank = text.trim_ascii().is_empty();
        if self.depth == 0 && !is_blank {
            return Err(self.wrong("text outside of the root element"));
        }
        let counts = self.spaces.last().map_or(self.is_leaf, |(_, is_kept)| *is_kept);
        let is_kept = counts && !text.is_empty();
        if is_kept || !is_blank {
            self.builder.leaf(Kind::Text, NO_NAME, budget, |out| out.push_str(&text))?;
        }
        // Its room is used again.
        self.text = text;
        self.text.clear();
        Ok(())
    }

    fn wrong(&self, problem: impl ToString) -> Unreadable {
        malformed(format!("{} at byte {}", problem.to_string(), self.reader.buffer_position()))
    }
}

/// What a step makes of a text; the text itself if it changes nothing.
pub(super) fn changed<'t>(
    text: Cow<'t, str>,
    step: impl for<'s> FnOnce(&'s str) -> Result<Cow<'s, str>, Unreadable>,
) -> Result<Cow<'t, str>, Unreadable> {
    let text = match text {
        Cow::Borrowed(text) => return step(text),
        Cow::Owned(text) => text,
    };
    let made = match step(&text)? {
        Cow::Borrowed(part) if part.len() == text.len() => None,
        made => Some(made.into_owned()),
    };
    Ok(Cow::Owned(made.unwrap_or(text)))
}

/// The value of an attribute, which nearly always is as it is written.
fn value(raw: &str) -> Cow<'_, str> {
    if !raw.bytes().any(|byte| byte == b'&' || byte < b' ') {
        return Cow::Borrowed(raw);
    }
    let mut value = String::with_capacity(raw.len());
    push_value(raw, &mut value);
    Cow::Owned(value)
}

/// A reference as the character it stands for; one to an entity that is not known stays what it is, and is no text.
fn push_reference(reference: &BytesRef<'_>, out: &mut String) {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        out.push(character);
    } else if let Some(text) = resolve_predefined_entity(reference) {
        out.push_str(text);
    } else {
        out.push(REFERENCE);
        out.extend(["&", reference, ";"]);
    }
}

/// The value of an attribute: white space is spaces, references are what they stand for.
fn push_value(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        push_spaced(&rest[..at], out);
        let reference = &rest[at + 1..];
        let Some(end) = reference.find(';') else {
            rest = &rest[at..];
            break;
        };
        push_reference(&BytesRef::new(&reference[..end]), out);
        rest = &reference[end + 1..];
    }
    push_spaced(rest, out);
}

fn push_spaced(text: &str, out: &mut String) {
    out.extend(text.chars().map(|c| if matches!(c, '\t' | '\n') { ' ' } else { c }));
}

/// Checks that an element is within what the parsers can bear, and counts its attributes.
fn check_element(element: &BytesStart<'_>, depth: usize, budget: &mut Budget) -> Result<usize, Unreadable> {
    budget.step()?;
    budget.depth(depth)?;
    if depth > MAX_DEPTH {
        return Err(Unreadable::TooLarge { what: "levels of nesting", limit: MAX_DEPTH });
    }
    let attributes = element.attributes().with_checks(false).take(MAX_ATTRIBUTES + 1).count();
    if attributes > MAX_ATTRIBUTES {
        return Err(Unreadable::TooLarge { what: "attributes of an element", limit: MAX_ATTRIBUTES });
    }
    Ok(attributes)
}

#[cfg(test)]
mod tests;
