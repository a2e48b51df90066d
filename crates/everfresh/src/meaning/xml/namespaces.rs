//! The namespaces that are known at a place of a document.
//!
//! What a name begins with is made where its namespace is declared, and found by its prefix: a name takes as long as any other,
//! however long its namespace is called and however many there are.

use std::collections::HashMap;

use quick_xml::events::BytesStart;
use quick_xml::name::{PrefixDeclaration, QName};

use super::super::Unreadable;
use super::{malformed, value};

/// A longer name of a namespace is kept as its hash, because it is repeated for every name in it.
pub(super) const MAX_NAMESPACE_BYTES: usize = 128;
/// Prefixes that no document declares, and what names with them begin with.
const RESERVED: [(&str, &str); 2] =
    [("xml", "{http://www.w3.org/XML/1998/namespace}"), ("xmlns", "{http://www.w3.org/2000/xmlns/}")];
/// What a declaration has beside its prefix and the name: ` xmlns:=""`.
const DECLARATION_BYTES: usize = 10;

/// The namespaces that open elements declare.
#[derive(Default)]
pub(in super::super) struct Namespaces {
    /// What names begin with, by prefix, the innermost last; nothing where a prefix is taken back. The default has no prefix.
    bound: HashMap<String, Vec<Option<String>>>,
    declared: Vec<Declared>,
    depth: usize,
    written: usize,
    longest: usize,
}

struct Declared {
    depth: usize,
    prefix: String,
    bytes: usize,
}

/// Whether a declaration is one that XML reserves: `xmlns` is declared by nobody, and only `xml` may be called as it is.
fn is_reserved(prefix: &str, name: &str) -> bool {
    let is_named = |place: usize| RESERVED[place].1.trim_matches(['{', '}']) == name;
    prefix == "xmlns" || is_named(1) || (prefix == "xml") != is_named(0)
}

impl Namespaces {
    /// An element begins, and what it declares is known. What XML reserves nobody may declare.
    pub(in super::super) fn begin(&mut self, element: &BytesStart<'_>) -> Result<(), Unreadable> {
        self.depth += 1;
        for attribute in element.attributes().with_checks(false).map_while(Result::ok) {
            match attribute.key.as_namespace_binding() {
                Some(PrefixDeclaration::Default) => self.declare("", &value(&attribute.value)),
                Some(PrefixDeclaration::Named(prefix)) => {
                    let name = value(&attribute.value);
                    if is_reserved(prefix, &name) {
                        return Err(malformed(format!("it declares {prefix:?} as {name:?}, which is reserved")));
                    }
                    self.declare(prefix, &name);
                }
                None => {}
            }
        }
        Ok(())
    }

    /// The innermost element ends.
    pub(in super::super) fn end(&mut self) {
        while let Some(declared) = self.declared.pop_if(|declared| declared.depth == self.depth) {
            self.written -= declared.bytes;
            self.bound.get_mut(&declared.prefix).and_then(Vec::pop);
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn declare(&mut self, prefix: &str, name: &str) {
        let beginning = match name {
            "" => None,
            _ if name.len() > MAX_NAMESPACE_BYTES => Some(format!("{{{}}}", blake3::hash(name.as_bytes()))),
            _ => Some(format!("{{{name}}}")),
        };
        self.bound.entry(prefix.to_owned()).or_default().push(beginning);
        let bytes = prefix.len() + name.len() + DECLARATION_BYTES;
        self.declared.push(Declared { depth: self.depth, prefix: prefix.to_owned(), bytes });
        self.written += bytes;
        self.longest = self.longest.max(name.len());
    }

    /// Writes a name with its namespace, however its prefix is spelled. Names of attributes have no default one.
    pub(in super::super) fn push_name(&self, name: QName<'_>, is_element: bool, out: &mut String) {
        let (local, prefix) = name.decompose();
        let prefix = prefix.as_ref().map(AsRef::as_ref);
        match prefix.or(is_element.then_some("")) {
            None => {}
            Some(prefix) => match self.beginning(prefix) {
                Some(beginning) => out.push_str(beginning),
                None if prefix.is_empty() => {}
                None => out.extend(["{?", prefix, "}"]),
            },
        }
        out.push_str(local.as_ref());
    }

    /// What names with a prefix begin with.
    fn beginning(&self, prefix: &str) -> Option<&str> {
        let reserved = RESERVED.iter().find(|(reserved, _)| *reserved == prefix).map(|(_, beginning)| *beginning);
        reserved.or_else(|| self.bound.get(prefix)?.last()?.as_deref())
    }

    /// How many declarations there are around this place.
    pub(in super::super) fn len(&self) -> usize {
        self.declared.len()
    }

    /// How many bytes these take where they are repeated.
    pub(in super::super) fn written(&self) -> usize {
        self.written
    }

    /// How long the longest name of a namespace is that was met so far.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }
}
