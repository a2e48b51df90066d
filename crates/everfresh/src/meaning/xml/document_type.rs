//! What a document type declares inside of the document: entities, values of attributes that are left out, and attributes
//! whose values are words.
//!
//! Nothing is loaded from elsewhere, so what an external subset or entity declares stays unknown. Element types and notations
//! say what a document may hold and not what it says, so they are skipped.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::Unreadable;
use super::super::budget::Budget;
use super::malformed;
use super::reference::leading_character;

/// Parameter entities, which hold declarations, within each other.
const MAX_NESTING: usize = 16;
/// Names that are looked at in a step.
pub(super) const NAMES_TO_A_STEP: usize = 64;
/// Bytes of declarations, and of what they stand for, that are read in a step.
pub(super) const BYTES_TO_A_STEP: usize = 8;

/// The declarations of a document.
#[derive(Default)]
pub(super) struct DocumentType {
    /// The text that each entity stands for, as it is to be parsed where it is referred to.
    entities: HashMap<String, Rc<str>>,
    /// Declarations to be read where they are referred to.
    parameters: HashMap<String, Rc<str>>,
    /// The attributes of each element.
    attributes: HashMap<String, Attributes>,
    /// Those of an element of which nothing is declared.
    none: Attributes,
}

/// The attributes that are declared for an element, in their order.
#[derive(Default)]
pub(super) struct Attributes {
    list: Vec<Attribute>,
    places: HashMap<String, usize>,
}

impl Attributes {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Attribute> {
        self.list.iter()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Attribute> {
        self.places.get(name).map(|place| &self.list[*place])
    }

    /// Of several declarations for one attribute the first counts.
    fn declare(&mut self, attribute: Attribute) {
        let place = self.list.len();
        if *self.places.entry(attribute.name.clone()).or_insert(place) == place {
            self.list.push(attribute);
        }
    }
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
        self.entities.is_empty() && self.attributes.values().flat_map(Attributes::iter).all(is_plain)
    }

    /// The text that an entity stands for, if it is declared here.
    pub(super) fn entity(&self, name: &str) -> Option<&str> {
        self.entities.get(name).map(AsRef::as_ref)
    }

    /// The attributes that are declared for an element.
    pub(super) fn attributes(&self, element: &str) -> &Attributes {
        self.attributes.get(element).unwrap_or(&self.none)
    }

    /// Reads declarations until they end, or the subset that they are in does.
    fn declarations(&mut self, scanner: &mut Scanner<'_>, depth: usize, budget: &mut Budget) -> Result<(), Unreadable> {
        if depth > MAX_NESTING {
            return Err(malformed("its declarations are nested without end"));
        }
        loop {
            let before = scanner.rest.len();
            let goes_on = self.declaration(scanner, depth, budget)?;
            budget.steps(1 + (before - scanner.rest.len()) / BYTES_TO_A_STEP)?;
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Reads the next declaration; false behind the last one.
    fn declaration(
        &mut self,
        scanner: &mut Scanner<'_>,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<bool, Unreadable> {
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
            return Ok(false);
        }
        Ok(true)
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
            into.entry(name.to_owned()).or_insert_with(|| with_characters(value).into());
        }
        scanner.declaration_end();
    }

    /// `<!ATTLIST element name type default …>`
    fn attributes_declaration(&mut self, scanner: &mut Scanner<'_>, budget: &mut Budget) -> Result<(), Unreadable> {
        scanner.space();
        let declared = self.attributes.entry(scanner.name().to_owned()).or_default();
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
            let default = scanner.quoted().map(str::to_owned);
            if default.is_none() && scanner.take("#") {
                // Required or implied.
                scanner.name();
            }
            declared.declare(Attribute { name: name.to_owned(), is_words, default });
        }
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
        rest = &rest[at..];
        match leading_character(rest) {
            Some((character, behind)) => {
                out.push(character);
                rest = behind;
            }
            None => {
                out.push_str("&#");
                rest = &rest[2..];
            }
        }
    }
    out.push_str(rest);
    out
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
