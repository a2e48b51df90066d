//! XML as sitemaps and feeds use it: elements and their text, with nothing that can blow up.
//!
//! Document types are skipped and entities they declare are not expanded, so a "billion laughs" is as long as its source. The
//! entities of HTML are what they stand for, declared or not, as people who write feeds expect; any other stays as it is written.
//! End tags are not matched against start tags: what is left open ends with what it is in. A document whose root element has
//! no end breaks off, which whoever reads it is told. What stands behind that end is not read: servers append the time that a
//! request took, and scripts that count.

mod attributes;
mod markup;
mod root;
mod scanner;

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;

use super::tokens;

use attributes::Attributes;
use markup::Markup;
pub(crate) use root::{Document, Root, root};
pub(crate) use scanner::Scanner;

/// What is told about a document, in order.
pub(crate) trait XmlEvents {
    /// An element begins.
    fn start(&mut self, element: &BytesStart<'_>);
    /// An element ends; self-closing ones end right after they begin.
    fn end(&mut self, name: &str);
    /// A piece of text, references resolved.
    fn text(&mut self, piece: &str);
    /// A reference to an entity that XML itself does not define.
    fn entity(&mut self, name: &str) {
        self.text(&in_html(name));
    }
    /// Whether to stop reading.
    fn is_done(&self) -> bool {
        false
    }
}

/// Reads a document until its root element ends, its first error, or until `events` has enough. Whether it is whole; who has
/// enough does not care.
pub(crate) fn read(document: &str, events: &mut impl XmlEvents) -> bool {
    let (mut roots, mut has_ended) = (Children::default(), false);
    let mut markup = Markup::new(document);
    while !has_ended && !events.is_done() {
        match markup.event() {
            Ok(Event::Start(element)) => {
                roots.start(element.name().as_ref());
                events.start(&element);
            }
            Ok(Event::Empty(element)) => {
                roots.start(element.name().as_ref());
                has_ended = roots.end(element.name().as_ref());
                events.start(&element);
                events.end(element.name().as_ref());
            }
            Ok(Event::End(element)) => {
                has_ended = roots.end(element.name().as_ref());
                events.end(element.name().as_ref());
            }
            Ok(Event::Text(text)) => events.text(&text),
            Ok(Event::CData(text)) => events.text(&text),
            Ok(Event::GeneralRef(reference)) => match character(&reference) {
                Some(text) => events.text(&text),
                None => events.entity(&reference),
            },
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
    }
    true
}

/// What a reference stands for by the rules of XML alone.
fn character(reference: &BytesRef<'_>) -> Option<Cow<'static, str>> {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => Some(character.to_string().into()),
        _ => resolve_predefined_entity(reference).map(Cow::Borrowed),
    }
}

/// What a reference to an entity stands for in HTML; itself if nothing.
pub(super) fn in_html(name: &str) -> String {
    let reference = format!("&{name};");
    let mut text = Vec::new();
    tokens::decode(&reference, |piece| text.extend_from_slice(piece));
    match &text[..] {
        // HTML reads only the beginning of a name that it does not know, if that much is one: `&section;` as `&sect;`.
        [_, .., b';'] => reference,
        _ => String::from_utf8_lossy(&text).into_owned(),
    }
}

/// An attribute as it is written.
pub(crate) fn raw_attribute<'a>(element: &'a BytesStart<'_>, name: &str) -> Option<Attribute<'a>> {
    Attributes::of(element).find(|attribute| attribute.key.as_ref() == name)
}

/// The value of an attribute, references resolved as in text.
pub(crate) fn attribute<'a>(element: &'a BytesStart<'_>, name: &str) -> Option<Cow<'a, str>> {
    raw_attribute(element, name).map(|attribute| text_of(attribute.value))
}

/// The attributes of an element in the order of their names, which are without prefixes: the order in which they are written,
/// the names of namespaces and where their schemas are is spelling.
pub(super) fn attributes<'a>(element: &'a BytesStart<'_>) -> Vec<(String, Cow<'a, str>)> {
    let said = Attributes::of(element).filter(|attribute| !is_spelling(attribute.key.as_ref()));
    let mut found: Vec<_> =
        said.map(|attribute| (local(attribute.key.as_ref()).to_owned(), text_of(attribute.value))).collect();
    found.sort();
    found
}

/// Whether an attribute declares a namespace, or says where its schema is.
fn is_spelling(name: &str) -> bool {
    name == "xmlns"
        || name.starts_with("xmlns:")
        || matches!(local(name), "schemaLocation" | "noNamespaceSchemaLocation")
}

/// The namespaces that an element declares for prefixes, each with its prefix.
pub(super) fn declared<'a>(element: &'a BytesStart<'_>) -> impl Iterator<Item = (String, Cow<'a, str>)> {
    Attributes::of(element).filter_map(|attribute| {
        let prefix = attribute.key.as_ref().strip_prefix("xmlns:")?.to_owned();
        Some((prefix, text_of(attribute.value)))
    })
}

/// A value with references resolved as in text.
fn text_of(raw: Cow<'_, str>) -> Cow<'_, str> {
    if raw.contains('&') { Cow::Owned(resolved(&raw)) } else { raw }
}

fn resolved(raw: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(raw.len()), raw);
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').unwrap_or(behind.len());
        rest = match behind[end..].strip_prefix(';') {
            Some(after) => {
                let reference = BytesRef::new(&behind[..end]);
                out.push_str(&character(&reference).unwrap_or_else(|| in_html(&reference).into()));
                after
            }
            None => {
                out.push('&');
                behind
            }
        };
    }
    out.push_str(rest);
    out
}

/// Tells the children of one element from what is deeper within them, which belongs to something else.
///
/// Only ends of the child's own name are waited for, so markup that nobody closed does not swallow the next child.
#[derive(Debug, Default)]
pub(super) struct Children {
    /// The child that is open, if any is nested.
    name: String,
    /// Open elements of that name.
    nested: u32,
}

impl Children {
    /// An element begins. Whether it is a child.
    pub(super) fn start(&mut self, name: &str) -> bool {
        let is_child = self.nested == 0;
        if is_child {
            self.name.clear();
            self.name.push_str(name);
        }
        if is_child || self.name == name {
            self.nested = self.nested.saturating_add(1);
        }
        is_child
    }

    /// The element ends with whatever is open in it.
    pub(super) fn leave(&mut self) {
        self.nested = 0;
    }

    /// An element ends. Whether it was a child.
    pub(super) fn end(&mut self, name: &str) -> bool {
        if self.nested == 0 || self.name != name {
            return false;
        }
        self.nested -= 1;
        self.nested == 0
    }
}

/// The namespace prefix of a name, with its colon.
pub(super) fn prefix(name: &str) -> &str {
    &name[..name.len() - local(name).len()]
}

/// A name without its namespace prefix.
pub(crate) fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_told_from_what_is_within_them() {
        let mut children = Children::default();
        assert!(children.start("a"));
        assert!(!children.start("b") && !children.start("a") && !children.end("a"), "an a in an a");
        assert!(children.end("a"), "nobody closed the b");
        assert!(!children.end("a") && children.start("b") && children.end("b"));
    }
}
