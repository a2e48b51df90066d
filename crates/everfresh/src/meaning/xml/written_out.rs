//! A document with all that its document type declares written out: the text of entities where they are referred to, and the
//! attributes that elements have by default. What is left needs no document type to be read, and parsers that trust their
//! input never see one.
//!
//! A reference to an entity that is not declared, or lies elsewhere, stays as it is. "A billion laughs" are refused as soon as
//! they are out of all proportion to the document.

use std::borrow::Cow;
use std::collections::HashSet;

use super::super::Unreadable;
use super::super::budget::Budget;
use super::document_type::{Attributes, BYTES_TO_A_STEP, DocumentType, NAMES_TO_A_STEP};
use super::line_ends::with_line_feeds;
use super::reference::leading_character;
use super::{changed, malformed};

/// Entities within entities: those of honest documents are two or three deep.
const MAX_NESTING: usize = 16;
/// How many times its size a document may have when it is written out.
const MAX_GROWTH: usize = 16;
/// It may have this size in any case.
const SMALL_BYTES: usize = 1 << 20;
/// The entities that every document has.
const PREDEFINED: [&str; 5] = ["amp", "lt", "gt", "quot", "apos"];

/// Writes out what a document declares, if it declares anything. Its lines end with line feeds.
pub(in super::super) fn written_out<'t>(text: &'t str, budget: &mut Budget) -> Result<Cow<'t, str>, Unreadable> {
    changed(with_line_feeds(text), |text| expanded(text, budget))
}

/// How many bytes a document may have when something of it is written out.
pub(in super::super) fn room(text: &str, budget: &Budget) -> usize {
    text.len().saturating_mul(MAX_GROWTH).max(SMALL_BYTES).min(budget.limits().bytes)
}

/// Whether names of namespaces, written out so often, have room.
pub(in super::super) fn within(bytes: usize, room: usize) -> Result<(), Unreadable> {
    if bytes > room {
        return Err(Unreadable::TooLarge { what: "bytes with its namespaces written out", limit: room });
    }
    Ok(())
}

fn expanded<'t>(text: &'t str, budget: &mut Budget) -> Result<Cow<'t, str>, Unreadable> {
    let Some((declared, rest)) = DocumentType::split(text, budget)? else { return Ok(Cow::Borrowed(text)) };
    if declared.is_empty() {
        return Ok(Cow::Borrowed(rest));
    }
    let limit = room(text, budget);
    let mut writer = Writer { declared: &declared, out: String::with_capacity(text.len()), limit, budget };
    writer.content(rest, 0)?;
    Ok(Cow::Owned(writer.out))
}

struct Writer<'d, 'b> {
    declared: &'d DocumentType,
    out: String,
    limit: usize,
    budget: &'b mut Budget,
}

impl Writer<'_, '_> {
    /// Writes elements and the text between them.
    fn content(&mut self, text: &str, depth: usize) -> Result<(), Unreadable> {
        let mut rest = text;
        while let Some(at) = rest.find(['<', '&']) {
            self.push(&rest[..at])?;
            rest = &rest[at..];
            rest = match rest {
                _ if rest.starts_with('&') => self.reference(rest, depth, Place::Content)?,
                _ if rest.starts_with("<!--") => self.verbatim(rest, "-->")?,
                _ if rest.starts_with("<![CDATA[") => self.verbatim(rest, "]]>")?,
                _ if rest.starts_with("<?") => self.verbatim(rest, "?>")?,
                _ if rest.starts_with("</") => self.verbatim(rest, ">")?,
                _ => self.tag(rest, depth)?,
            };
        }
        self.push(rest)
    }

    /// Writes the tag that begins here, and returns what is behind it.
    fn tag<'t>(&mut self, text: &'t str, depth: usize) -> Result<&'t str, Unreadable> {
        let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
        let name_end = text.find(ends).unwrap_or(text.len());
        let (name, mut rest) = text.split_at(name_end);
        self.push(name)?;
        let declared = self.declared.attributes(&name[1..]);
        let mut given = HashSet::new();
        while let Some(at) = rest.find(['"', '\'', '>']) {
            let (before, behind) = rest.split_at(at);
            if let Some(behind) = behind.strip_prefix('>') {
                let open = before.trim_end_matches('/');
                self.push(open)?;
                self.defaults(declared, &given, depth)?;
                self.push(&before[open.len()..])?;
                self.push(">")?;
                return Ok(behind);
            }
            let attribute = before.trim_matches(|c: char| c.is_ascii_whitespace() || c == '=');
            if !declared.is_empty() {
                given.insert(attribute);
            }
            self.push(&rest[..=at])?;
            let quote;
            (quote, rest) = behind.split_at(1);
            let Some((value, behind)) = rest.split_once(quote) else { break };
            let is_words = declared.get(attribute).is_some_and(|declared| declared.is_words);
            self.value(value, depth, is_words)?;
            self.push(quote)?;
            rest = behind;
        }
        // It does not end, as the parser will say.
        self.push(rest)?;
        Ok("")
    }

    /// Writes the attributes that an element has by default, but those that it gives itself.
    fn defaults(&mut self, declared: &Attributes, given: &HashSet<&str>, depth: usize) -> Result<(), Unreadable> {
        self.budget.steps(1 + declared.len() / NAMES_TO_A_STEP)?;
        for attribute in declared.iter() {
            let default = attribute.default.as_ref().filter(|_| !given.contains(attribute.name.as_str()));
            let Some(default) = default else { continue };
            self.push(" ")?;
            self.push(&attribute.name)?;
            self.push("=\"")?;
            let begin = self.out.len();
            self.quoted(default, depth)?;
            self.in_words(begin, attribute.is_words)?;
            self.push("\"")?;
        }
        Ok(())
    }

    /// Writes the value of an attribute as it is, but for entities.
    fn value(&mut self, text: &str, depth: usize, is_words: bool) -> Result<(), Unreadable> {
        let (mut rest, begin) = (text, self.out.len());
        while let Some(at) = rest.find('&') {
            self.push(&rest[..at])?;
            rest = self.reference(&rest[at..], depth, Place::Value)?;
        }
        self.push(rest)?;
        self.in_words(begin, is_words)
    }

    /// Leaves no more than a space between the words of a value that was written from here on.
    fn in_words(&mut self, begin: usize, is_words: bool) -> Result<(), Unreadable> {
        if !is_words {
            return Ok(());
        }
        // What is taken back is not bounded by what may be written.
        self.budget.steps((self.out.len() - begin) / BYTES_TO_A_STEP)?;
        let value = with_spaces(&self.out.split_off(begin));
        for (number, word) in value.split_ascii_whitespace().enumerate() {
            self.out.extend([if number > 0 { " " } else { "" }, word]);
        }
        Ok(())
    }

    /// Writes text that an entity or a default brings into a value: quotes in it are no ends of the value.
    fn quoted(&mut self, text: &str, depth: usize) -> Result<(), Unreadable> {
        let mut rest = text;
        while let Some(at) = rest.find(['&', '"', '\'', '<', '\r']) {
            self.push(&rest[..at])?;
            let (mark, behind) = rest[at..].split_at(1);
            rest = match mark {
                "&" => self.reference(&rest[at..], depth, Place::Value)?,
                mark => {
                    self.push(match mark {
                        "<" => "&lt;",
                        "'" => "&apos;",
                        "\r" => " ",
                        _ => "&quot;",
                    })?;
                    behind
                }
            };
        }
        self.push(rest)
    }

    /// Writes what the reference that begins here stands for, and returns what is behind it.
    fn reference<'t>(&mut self, text: &'t str, depth: usize, place: Place) -> Result<&'t str, Unreadable> {
        let name = text[1..].find([';', '&', '<']).map_or("", |end| &text[1..=end]);
        let behind = &text[1 + name.len()..];
        let declared = self.declared.entity(name).filter(|_| behind.starts_with(';') && !PREDEFINED.contains(&name));
        // One that stands for much may come to nothing.
        self.budget.steps(1 + declared.map_or(0, str::len) / BYTES_TO_A_STEP)?;
        let Some(held) = declared else {
            self.push("&")?;
            return Ok(&text[1..]);
        };
        if depth >= MAX_NESTING {
            return Err(malformed("its entities are made of each other without end"));
        }
        match place {
            Place::Content => self.content(held, depth + 1)?,
            Place::Value => self.quoted(held, depth + 1)?,
        }
        Ok(&behind[1..])
    }

    /// Writes what ends with a mark, and returns what is behind it.
    fn verbatim<'t>(&mut self, text: &'t str, mark: &str) -> Result<&'t str, Unreadable> {
        let end = text.find(mark).map_or(text.len(), |at| at + mark.len());
        self.push(&text[..end])?;
        Ok(&text[end..])
    }

    fn push(&mut self, text: &str) -> Result<(), Unreadable> {
        if self.out.len() + text.len() > self.limit {
            return Err(Unreadable::TooLarge { what: "bytes with its entities written out", limit: self.limit });
        }
        self.out.push_str(text);
        Ok(())
    }
}

/// A value with its references to spaces resolved.
fn with_spaces(value: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(value.len()), value);
    while let Some(at) = rest.find("&#") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match leading_character(rest) {
            Some((' ', behind)) => {
                out.push(' ');
                rest = behind;
            }
            _ => {
                out.push_str("&#");
                rest = &rest[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Where a reference stands.
#[derive(Clone, Copy)]
enum Place {
    Content,
    Value,
}
