//! Whose words the elements of a feed are that have a prefix: by the namespace that it is declared for, or by its name.

use super::super::xml;
use quick_xml::events::BytesStart;

/// Prefixes that are known; a feed with more misses some.
const MAX_PREFIXES: usize = 64;

/// What elements with a prefix may mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Vocabulary {
    Atom,
    DublinCore,
    Other,
}

impl Vocabulary {
    fn of_namespace(namespace: &str) -> Vocabulary {
        let namespace = namespace.to_ascii_lowercase();
        match namespace {
            _ if namespace.contains("w3.org/2005/atom") || namespace.contains("purl.org/atom") => Vocabulary::Atom,
            _ if namespace.contains("purl.org/dc/") => Vocabulary::DublinCore,
            _ => Vocabulary::Other,
        }
    }

    /// By the name that everybody uses, for feeds that do not declare it.
    fn of_prefix(prefix: &str) -> Vocabulary {
        match prefix {
            "atom" | "a10" => Vocabulary::Atom,
            "dc" | "dcterms" => Vocabulary::DublinCore,
            _ => Vocabulary::Other,
        }
    }
}

/// What prefixes stand for.
#[derive(Default)]
pub(super) struct Vocabularies(Vec<(String, Vocabulary)>);

impl Vocabularies {
    /// Takes what an element declares its prefixes to stand for. They hold on behind it: where elements end is not to be relied
    /// on, and hardly a feed gives a prefix two meanings.
    pub(super) fn declare(&mut self, element: &BytesStart<'_>) {
        for (prefix, namespace) in xml::declared(element) {
            let vocabulary = Vocabulary::of_namespace(&namespace);
            if let Some((_, known)) = self.0.iter_mut().find(|(known, _)| *known == prefix) {
                *known = vocabulary;
            } else if self.0.len() < MAX_PREFIXES {
                self.0.push((prefix, vocabulary));
            }
        }
    }

    /// Whose word the name of an element is.
    pub(super) fn of(&self, name: &str) -> Vocabulary {
        let prefix = xml::prefix(name).trim_end_matches(':');
        let declared = self.0.iter().find(|(known, _)| known == prefix);
        declared.map_or_else(|| Vocabulary::of_prefix(prefix), |(_, vocabulary)| *vocabulary)
    }
}
