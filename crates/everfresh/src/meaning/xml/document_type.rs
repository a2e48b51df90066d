//! What a document type declares inside of the document: entities, values of attributes that are left out, and attributes
//! whose values are words.
//!
//! Nothing is loaded from elsewhere, so what an external subset or entity declares stays unknown. Element types and notations
//! say what a document may hold and not what it says, so they are skipped.

use std::collections::HashMap;

use super::super::Unreadable;
use super::super::budget::Budget;
use super::{malformed, with_line_feeds};

/// Parameter entities, which hold declarations, within each other.
const MAX_NESTING: usize = 16;
/// Names that are compared in a step.
pub(super) const NAMES_TO_A_STEP: usize = 64;
/// Declarations count as many steps as they have bytes, divided by this.
const BYTES_TO_A_STEP: usize = 64;

/// The declarations of a document.
#[derive(Default)]
pub(super) struct DocumentType {
    /// The text that each entity stands for, as it is to be parsed where it is referred to.
    entities: HashMap<String, String>,
    /// Declarations to be read where they are referred to.
    parameters: HashMap<String, String>,
    /// The attributes of each element.
    attributes: HashMap<String, Vec<Attribute>>,
}

/// An attribute that is declared.
pub(super) struct Attribute {
    pub(super) name: String,
    /// White space in its value only stands between words.
    pub(super) is_words: bool,
    /// The raw value that it has where it is left out.
    pub(super) default: Option<String>,
}

impl DocumentType {
    /// Splits a document that declares anything itself into its declarations and what is behind them; `None` for any other.
    pub(super) fn split<'t>(text: &'t str, budget: &mut Budget) -> Result<Option<(DocumentType, &'t str)>, Unreadable> {
        let Some(declared) = before_root(text) else { return Ok(None) };
        let mut scanner = Scanner { rest: declared };
        scanner.until_any(&['[', '>']);
        if !scanner.take("[") {
            return Ok(None);
        }
        // What is written out may be scanned many times over.
        budget.uncounted()?;
        let mut found = DocumentType::default();
        found.declarations(&mut scanner, 0, budget)?;
        scanner.until_any(&['>']);
        if !scanner.take(">") {
            return Err(malformed("its document type does not end"));
        }
        Ok(Some((found, scanner.rest)))
    }

    /// Whether nothing is declared that has to be written out.
    pub(super) fn is_empty(&self) -> bool {
        let is_plain = |attribute: &Attribute| !attribute.is_words && attribute.default.is_none();
        self.entities.is_empty() && self.attributes.values().flatten().all(is_plain)
    }

    /// The text that an entity stands for, if it is declared here.
    pub(super) fn entity(&self, name: &str) -> Option<&str> {
        self.entities.get(name).map(String::as_str)
    }

    /// The attributes that are declared for an element.
    pub(super) fn attributes(&self, element: &str) -> &[Attribute] {
        self.attributes.get(element).map_or(&[], Vec::as_slice)
    }

    /// Reads declarations until they end, or the subset that they are in does.
    fn declarations(&mut self, scanner: &mut Scanner<'_>, depth: usize, budget: &mut Budget) -> Result<(), Unreadable> {
        if depth > MAX_NESTING {
            return Err(malformed("its declarations are nested without end"));
        }
        budget.steps(scanner.rest.len().min(1 << 20) / BYTES_TO_A_STEP)?;
        loop {
            budget.step()?;
            scanner.space();
            if scanner.take("<!--") {
                scanner.behind("-->");
            } else if scanner.take("<?") {
                scanner.behind("?>");
            } else if scanner.take("<!ENTITY") {
                self.entity_declaration(scanner);
            } else if scanner.take("<!ATTLIST") {
                self.attributes_declaration(scanner, budget)?;
            } else if scanner.take("%") {
                let name = scanner.name();
                scanner.take(";");
                if let Some(held) = self.parameters.get(name).cloned() {
                    self.declarations(&mut Scanner { rest: &held }, depth + 1, budget)?;
                }
            } else if scanner.rest.starts_with("<!") {
                scanner.declaration_end();
            } else {
                // Its bracket, or something that is no declaration.
                scanner.until_any(&[']']);
                scanner.take("]");
                return Ok(());
            }
        }
    }

    /// `<!ENTITY name "value">`; of several with one name the first counts.
    fn entity_declaration(&mut self, scanner: &mut Scanner<'_>) {
        scanner.space();
        let is_parameter = scanner.take("%");
        scanner.space();
        let name = scanner.name();
        scanner.space();
        if let Some(value) = scanner.quoted() {
            let into = if is_parameter { &mut self.parameters } else { &mut self.entities };
            into.entry(name.to_owned()).or_insert_with(|| with_characters(&with_line_feeds(value)));
        }
        scanner.declaration_end();
    }

    /// `<!ATTLIST element name type default …>`; of several for one attribute the first counts.
    fn attributes_declaration(&mut self, scanner: &mut Scanner<'_>, budget: &mut Budget) -> Result<(), Unreadable> {
        scanner.space();
        let element = scanner.name();
        loop {
            budget.step()?;
            scanner.space();
            let name = scanner.name();
            if name.is_empty() {
                scanner.declaration_end();
                return Ok(());
            }
            scanner.space();
            let is_words = scanner.attribute_type() != "CDATA";
            scanner.space();
            scanner.take("#FIXED");
            scanner.space();
            let default = scanner.quoted().map(|value| with_line_feeds(value).into_owned());
            if default.is_none() && scanner.take("#") {
                // Required or implied.
                scanner.name();
            }
            self.declare(element, Attribute { name: name.to_owned(), is_words, default }, budget)?;
        }
    }

    fn declare(&mut self, element: &str, attribute: Attribute, budget: &mut Budget) -> Result<(), Unreadable> {
        let declared = self.attributes.entry(element.to_owned()).or_default();
        budget.steps(declared.len() / NAMES_TO_A_STEP)?;
        if !declared.iter().any(|other| other.name == attribute.name) {
            declared.push(attribute);
        }
        Ok(())
    }
}

/// What follows `<!DOCTYPE` if there is one before the root element.
fn before_root(text: &str) -> Option<&str> {
    let mut scanner = Scanner { rest: text.trim_start_matches('\u{feff}') };
    loop {
        scanner.space();
        if scanner.take("<!DOCTYPE") {
            return Some(scanner.rest);
        } else if scanner.take("<!--") {
            scanner.behind("-->");
        } else if scanner.take("<?") {
            scanner.behind("?>");
        } else {
            return None;
        }
    }
}

/// The value of an entity with references to characters resolved, which is done where it is declared.
fn with_characters(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find("&#") {
        out.push_str(&rest[..at]);
        let reference = &rest[at + 2..];
        let character = reference.split_once(';').and_then(|(number, behind)| Some((character(number)?, behind)));
        match character {
            Some((character, behind)) => {
                out.push(character);
                rest = behind;
            }
            None => {
                out.push_str("&#");
                rest = reference;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The character of a number as in `&#60;` or `&#x3c;`.
fn character(number: &str) -> Option<char> {
    let code = match number.strip_prefix('x') {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?)
}

/// A text of declarations, as far as it is not read.
struct Scanner<'t> {
    rest: &'t str,
}

impl<'t> Scanner<'t> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    /// Whether this comes next; then it is read.
    fn take(&mut self, mark: &str) -> bool {
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads on behind a mark, or to the end.
    fn behind(&mut self, mark: &str) {
        self.rest = self.rest.find(mark).map_or("", |at| &self.rest[at + mark.len()..]);
    }

    /// A name; empty if there is none.
    fn name(&mut self) -> &'t str {
        let ends = |c: char| c.is_ascii_whitespace() || "<>[]()%;,|\"'&#/=".contains(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name
    }

    /// A text in quotes of either kind.
    fn quoted(&mut self) -> Option<&'t str> {
        let quote = self.rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, rest) = self.rest[1..].split_once(quote)?;
        self.rest = rest;
        Some(value)
    }

    /// The name of an attribute's type, which may be followed by a list, or be one.
    fn attribute_type(&mut self) -> &'t str {
        let name = self.name();
        self.space();
        if self.take("(") {
            self.behind(")");
        }
        name
    }

    /// Reads up to one of these characters that is not in quotes, or to the end.
    fn until_any(&mut self, marks: &[char]) {
        loop {
            let end = self.rest.find(|c| marks.contains(&c) || matches!(c, '"' | '\'')).unwrap_or(self.rest.len());
            self.rest = &self.rest[end..];
            if self.rest.starts_with(['"', '\'']) {
                if self.quoted().is_none() {
                    self.rest = "";
                }
            } else {
                return;
            }
        }
    }

    fn declaration_end(&mut self) {
        self.until_any(&['>']);
        self.take(">");
    }
}
