//! The attributes of a tag as people write them: in quotes of either kind, or in none, up to white space.
//!
//! A name without a value says nothing, as XML has none such. Doubled names are not looked for, which would take quadratic time on a
//! tag with very many attributes.

use quick_xml::events::BytesStart;
use quick_xml::events::attributes::Attribute;
use quick_xml::name::QName;

use super::scanner::Scanner;

/// The attributes of a tag, in order.
pub(super) struct Attributes<'t>(Scanner<'t>);

impl<'t> Attributes<'t> {
    pub(super) fn of(element: &'t BytesStart<'_>) -> Attributes<'t> {
        Attributes(Scanner { rest: element.attributes_raw() })
    }

    /// Reads up to white space, or to one of these characters.
    fn word(&mut self, ends: &[char]) -> &'t str {
        let rest = self.0.rest;
        let end = rest.find(|c: char| c.is_ascii_whitespace() || ends.contains(&c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        self.0.rest = behind;
        word
    }
}

impl<'t> Iterator for Attributes<'t> {
    type Item = Attribute<'t>;

    fn next(&mut self) -> Option<Attribute<'t>> {
        loop {
            self.0.rest = self.0.rest.trim_ascii_start();
            if self.0.rest.is_empty() {
                return None;
            }
            let name = self.word(&['=']);
            self.0.rest = self.0.rest.trim_ascii_start();
            if self.0.take("=") {
                self.0.rest = self.0.rest.trim_ascii_start();
                let value = self.0.quoted().unwrap_or_else(|| self.word(&[]));
                return Some(Attribute { key: QName(name), value: value.into() });
            }
        }
    }
}
