//! XML by its elements, attributes and text: the order of attributes, prefixes of namespaces, quotes, references to characters,
//! comments, processing instructions and white space between elements do not count.
//!
//! What a document declares in its own document type is [written out](written_out) first; nothing is loaded from elsewhere. A
//! reference to an entity that is not declared stays one, and is no text. Names of namespaces inside values (as in `xsi:type`)
//! are text like any other.

mod check;
mod document_type;
mod written_out;

use std::borrow::Cow;

use quick_xml::NsReader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::ResolveResult;

use super::budget::Budget;
use super::tree::{Builder, Kind, NO_NAME};
use super::{Content, Rules, Unreadable};

pub(super) use check::check;
pub(super) use written_out::written_out;

/// The parser counts levels in 16 bits.
const MAX_DEPTH: usize = 60_000;
/// Attributes of one element: looking for doubles takes their square.
const MAX_ATTRIBUTES: usize = 1_000;
/// A longer name of a namespace is kept as its hash, because it is repeated for every name in it.
const MAX_NAMESPACE_BYTES: usize = 128;
/// Stands before a reference that is kept, and nowhere else: no XML document may have this character.
const REFERENCE: char = '\u{1a}';

/// Reads an XML document.
pub(super) fn read(text: &str, rules: &Rules, budget: &mut Budget) -> Result<Content<'static>, Unreadable> {
    let text = written_out(text, budget)?;
    let mut document =
        Document { reader: NsReader::from_str(&text), builder: Builder::default(), depth: 0, text: String::new() };
    while document.event(budget)? {}
    let tree = document.builder.finish().ok_or_else(|| malformed("it does not have exactly one whole root element"))?;
    Ok(tree.into_content("nodes", rules.any_order))
}

fn malformed(problem: impl ToString) -> Unreadable {
    Unreadable::malformed("XML", problem)
}

/// A document being read.
struct Document<'t> {
    reader: NsReader<&'t [u8]>,
    builder: Builder,
    depth: usize,
    /// Text since the last tag.
    text: String,
}

impl<'t> Document<'t> {
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
            Event::Text(text) => self.text.push_str(&with_line_feeds(&text)),
            Event::CData(text) => self.text.push_str(&with_line_feeds(&text)),
            Event::GeneralRef(reference) => push_reference(&reference, &mut self.text),
            Event::Eof => {
                self.flush(budget)?;
                return Ok(false);
            }
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::DocType(_) => budget.step()?,
        }
        Ok(true)
    }

    fn begin(&mut self, element: &BytesStart<'t>, budget: &mut Budget) -> Result<(), Unreadable> {
        self.flush(budget)?;
        self.depth += 1;
        check_element(element, self.depth, budget)?;
        let (namespace, local) = self.reader.resolver().resolve_element(element.name());
        let name = expanded(&namespace, local.as_ref());
        let name = self.builder.name(&name);
        self.builder.begin(Kind::Element, name, budget)?;
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| self.wrong(error))?;
            if attribute.key.as_namespace_binding().is_some() {
                continue;
            }
            let (namespace, local) = self.reader.resolver().resolve_attribute(attribute.key);
            let name = expanded(&namespace, local.as_ref());
            let name = self.builder.name(&name);
            self.builder.leaf(Kind::Attribute, name, budget, |out| push_value(&attribute.value, out))?;
        }
        Ok(())
    }

    fn end(&mut self, budget: &mut Budget) -> Result<(), Unreadable> {
        self.flush(budget)?;
        self.depth = self.depth.saturating_sub(1);
        self.builder.end();
        Ok(())
    }

    /// Takes in the text since the last tag, unless it is only there to lay out the elements.
    fn flush(&mut self, budget: &mut Budget) -> Result<(), Unreadable> {
        let text = std::mem::take(&mut self.text);
        if self.depth == 0 && !text.trim_ascii().is_empty() {
            return Err(self.wrong("text outside of the root element"));
        }
        if !text.trim_ascii().is_empty() {
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

/// Line ends as every XML reader hands them on.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}

/// A name with its namespace, however its prefix is spelled.
fn expanded<'n>(namespace: &ResolveResult<'_>, local: &'n str) -> Cow<'n, str> {
    let name = match namespace {
        ResolveResult::Unbound => return Cow::Borrowed(local),
        ResolveResult::Unknown(prefix) => return Cow::Owned(format!("{{?{prefix}}}{local}")),
        ResolveResult::Bound(name) => value(name.as_ref()),
    };
    if name.len() > MAX_NAMESPACE_BYTES {
        return Cow::Owned(format!("{{{}}}{local}", blake3::hash(name.as_bytes())));
    }
    Cow::Owned(format!("{{{name}}}{local}"))
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
    out.extend(with_line_feeds(text).chars().map(|c| if matches!(c, '\t' | '\n') { ' ' } else { c }));
}

/// Whether an element is within what the parsers can bear.
fn check_element(element: &BytesStart<'_>, depth: usize, budget: &mut Budget) -> Result<(), Unreadable> {
    budget.step()?;
    budget.depth(depth)?;
    if depth > MAX_DEPTH {
        return Err(Unreadable::TooLarge { what: "levels of nesting", limit: MAX_DEPTH });
    }
    if element.attributes().with_checks(false).take(MAX_ATTRIBUTES + 1).count() > MAX_ATTRIBUTES {
        return Err(Unreadable::TooLarge { what: "attributes of an element", limit: MAX_ATTRIBUTES });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
