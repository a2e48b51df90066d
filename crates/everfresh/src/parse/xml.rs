//! XML as sitemaps and feeds use it: elements and their text, with nothing that can blow up.
//!
//! Document types are skipped and entities they declare are not expanded, so a "billion laughs" is as long as its source. The
//! entities of HTML are what they stand for, declared or not, as people who write feeds expect; any other stays as it is written.
//! End tags are not matched against start tags: what is left open ends with what it is in. A document whose root element has
//! no end breaks off, which whoever reads it is told.

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::{NsReader, Reader};
use std::borrow::Cow;

use super::tokens;

/// The namespace of pages that are XML.
const XHTML: &str = "http://www.w3.org/1999/xhtml";

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
    fn is_done(&self) -> bool;
}

/// Reads a document until its end, its first error, or until `events` has enough. Whether it is whole: what comes behind the
/// end of its root element does not count, and who has enough does not care.
pub(crate) fn read(document: &str, events: &mut impl XmlEvents) -> bool {
    let (mut roots, mut has_ended) = (Children::default(), false);
    let mut reader = Reader::from_str(document);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    while !events.is_done() {
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                roots.start(element.name().as_ref());
                events.start(&element);
            }
            Ok(Event::Empty(element)) => {
                roots.start(element.name().as_ref());
                has_ended |= roots.end(element.name().as_ref());
                events.start(&element);
                events.end(element.name().as_ref());
            }
            Ok(Event::End(element)) => {
                has_ended |= roots.end(element.name().as_ref());
                events.end(element.name().as_ref());
            }
            Ok(Event::Text(text)) => events.text(&text),
            Ok(Event::CData(text)) => events.text(&text),
            Ok(Event::GeneralRef(reference)) => match character(&reference) {
                Some(text) => events.text(&text),
                None => events.entity(&reference),
            },
            Ok(Event::Eof) | Err(_) => return has_ended,
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
fn in_html(name: &str) -> String {
    let mut text = Vec::new();
    tokens::decode(&format!("&{name};"), |piece| text.extend_from_slice(piece));
    String::from_utf8_lossy(&text).into_owned()
}

/// An attribute as it is written.
pub(crate) fn raw_attribute<'a>(element: &'a BytesStart<'_>, name: &str) -> Option<Attribute<'a>> {
    // Unchecked: looking for duplicates would take quadratic time on a tag with very many attributes.
    let mut attributes = element.attributes();
    attributes.with_checks(false).flatten().find(|attribute| attribute.key.as_ref() == name)
}

/// The value of an attribute, references resolved as in text.
pub(crate) fn attribute<'a>(element: &'a BytesStart<'_>, name: &str) -> Option<Cow<'a, str>> {
    let raw = raw_attribute(element, name)?.value;
    Some(if raw.contains('&') { Cow::Owned(resolved(&raw)) } else { raw })
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

/// The name of the root element, if this is XML: declarations, comments and document types before it are skipped.
pub(crate) fn root_name(document: &str) -> Option<&str> {
    let mut rest = document.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = match rest {
            _ if rest.starts_with("<?") => rest.find("?>")? + 2,
            _ if rest.starts_with("<!--") => rest.find("-->")? + 3,
            _ if rest.starts_with("<!") => document_type_end(rest)?,
            _ => break,
        };
        rest = rest[end..].trim_start();
    }
    let name = rest.strip_prefix('<')?;
    let end = name.find(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/'))?;
    (end > 0).then(|| &name[..end])
}

/// Whether the root element is one of XHTML.
pub(crate) fn is_xhtml(document: &str) -> bool {
    let mut reader = NsReader::from_str(document);
    loop {
        match reader.read_resolved_event() {
            Ok((ResolveResult::Bound(namespace), Event::Start(_) | Event::Empty(_))) => {
                return namespace.as_ref() == XHTML;
            }
            Ok((_, Event::Start(_) | Event::Empty(_) | Event::Eof)) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// Where a document type ends: at its `>`, but not at one inside its internal subset.
fn document_type_end(text: &str) -> Option<usize> {
    let close = text.find('>')?;
    let Some(open) = text[..close].find('[') else { return Some(close + 1) };
    let subset = text[open..].find(']')? + open;
    Some(text[subset..].find('>')? + subset + 1)
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

    #[test]
    fn the_root_is_found_behind_what_may_come_first() {
        assert_eq!(root_name("<?xml version='1.0'?>\n<!-- x --><urlset xmlns='y'>"), Some("urlset"));
        assert_eq!(root_name("<!DOCTYPE rss [<!ENTITY a 'b>'>]><rss>"), Some("rss"));
        assert_eq!(root_name("<rdf:RDF\nx=y>"), Some("rdf:RDF"));
        assert_eq!(root_name("plain text"), None);
        assert_eq!(root_name("<?xml"), None);
        assert_eq!(root_name("<>"), None);
    }
}
