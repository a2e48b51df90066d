//! What an XML document is, by its root element: a page, a list of pages, a graph, or data of any other kind.
//!
//! The root counts wherever it stands: a licence or a long document type before it changes nothing. Names alone say little,
//! since XML names its elements as it likes: a `feed` of a shop is none of Atom's.

use quick_xml::NsReader;
use quick_xml::events::Event;
use quick_xml::name::ResolveResult;

use super::local;
use super::scanner::Scanner;

/// The namespace of pages that are XML.
const XHTML: &str = "http://www.w3.org/1999/xhtml";
/// What is in the namespaces of lists, in lower case: there are several of each, and people misspell them.
const ATOM: [&str; 2] = ["w3.org/2005/atom", "purl.org/atom/"];
const SITEMAPS: [&str; 3] = ["sitemaps.org/", "sitemap.org/", "google.com/schemas/sitemap"];
const RSS: [&str; 2] = ["purl.org/rss/", "netscape.com/rdf/"];
/// Bytes from the root element on in which its children are looked at.
const CHILDREN_BYTES: usize = 64 * 1024;

/// What a document can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    /// XHTML, or what calls itself HTML.
    Page,
    /// RSS or Atom.
    Feed,
    /// A sitemap or an index of sitemaps.
    Sitemap,
    /// RDF.
    Graph,
    /// Any other XML.
    Data,
}

/// The root element of a document.
pub(crate) struct Root<'t> {
    /// Its name, with its prefix.
    pub(crate) name: &'t str,
    /// The document from here on.
    text: &'t str,
}

/// The root element, if this is XML: declarations, comments and document types before it are skipped.
pub(crate) fn root(document: &str) -> Option<Root<'_>> {
    let mut scanner = Scanner { rest: document.trim_start_matches('\u{feff}').trim_start() };
    while scanner.remark() || document_type(&mut scanner) {
        scanner.rest = scanner.rest.trim_start();
    }
    let name = scanner.rest.strip_prefix('<')?;
    let end = name.find(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/'))?;
    (end > 0).then(|| Root { name: &name[..end], text: scanner.rest })
}

/// Whether a document type comes next, or what may be meant as one; then it is read.
fn document_type(scanner: &mut Scanner<'_>) -> bool {
    if !scanner.take("<!") {
        return false;
    }
    let begin = scanner.rest;
    scanner.until_any(&['[', '>']);
    let skipped = &begin[..begin.len() - scanner.rest.len()];
    if let Some(end) = skipped.find('>') {
        // As in browsers: pages forget the second quote, and no name of a document type has this character.
        scanner.rest = &begin[end..];
    }
    if scanner.take("[") {
        while scanner.remark() || declaration(scanner) {
            scanner.space();
        }
        scanner.until_any(&[']']);
    }
    scanner.declaration_end();
    true
}

/// Whether a declaration inside of a document type comes next, or white space before one; then it is read.
fn declaration(scanner: &mut Scanner<'_>) -> bool {
    match scanner.rest {
        _ if scanner.take("<!") => scanner.declaration_end(),
        _ if scanner.take("%") => {
            scanner.name();
            scanner.take(";");
        }
        rest => {
            scanner.space();
            return scanner.rest.len() < rest.len();
        }
    }
    true
}

impl Root<'_> {
    /// What the document is. Lists count in their own namespaces and in none.
    pub(crate) fn document(&self) -> Document {
        let name = local(self.name);
        let is_own = |namespaces: &[&str]| self.namespace().is_none_or(|found| is_of(&found, namespaces));
        match name {
            "urlset" | "sitemapindex" if is_own(&SITEMAPS) => Document::Sitemap,
            "feed" if is_own(&ATOM) => Document::Feed,
            // There is no namespace of RSS 2.0, but everybody knows one; what counts is what it holds.
            "rss" if self.any_child(|name, _| is_part(name)).unwrap_or(true) => Document::Feed,
            "RDF" if self.any_child(|name, namespace| is_part(name) && is_of(namespace, &RSS)) == Some(true) => {
                Document::Feed
            }
            "RDF" => Document::Graph,
            _ if name.eq_ignore_ascii_case("html") || self.namespace().as_deref() == Some(XHTML) => Document::Page,
            _ => Document::Data,
        }
    }

    /// The namespace it is in, if it is in one that is declared.
    fn namespace(&self) -> Option<String> {
        match NsReader::from_str(self.text).read_resolved_event() {
            Ok((ResolveResult::Bound(namespace), _)) => Some(namespace.as_ref().to_owned()),
            _ => None,
        }
    }

    /// Whether any child, among those that begin near, is one of these by its name without prefix and its namespace; `None` if
    /// there is no child.
    fn any_child(&self, is_one: impl Fn(&str, &str) -> bool) -> Option<bool> {
        let mut reader = NsReader::from_str(beginning(self.text, CHILDREN_BYTES));
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        let (mut depth, mut found) = (0u32, None);
        loop {
            let Ok((namespace, event)) = reader.read_resolved_event() else { return found };
            let (element, is_empty) = match event {
                Event::Start(element) => (element, false),
                Event::Empty(element) => (element, true),
                Event::End(_) => {
                    depth = depth.saturating_sub(1);
                    continue;
                }
                Event::Eof => return found,
                _ => continue,
            };
            if depth == 1 {
                let namespace = if let ResolveResult::Bound(namespace) = &namespace { namespace.as_ref() } else { "" };
                found = Some(is_one(local(element.name().as_ref()), namespace));
            }
            if found == Some(true) {
                return found;
            }
            depth += u32::from(!is_empty);
        }
    }
}

/// Whether only feeds have such an element below their root.
fn is_part(name: &str) -> bool {
    matches!(name, "channel" | "item")
}

fn is_of(namespace: &str, namespaces: &[&str]) -> bool {
    let namespace = namespace.to_ascii_lowercase();
    namespaces.iter().any(|known| namespace.contains(known))
}

/// At most so many bytes of the beginning of a text.
fn beginning(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root_name(document: &str) -> Option<&str> {
        root(document).map(|root| root.name)
    }

    #[test]
    fn the_root_is_found_behind_what_may_come_first() {
        assert_eq!(root_name("<?xml version='1.0'?>\n<!-- x --><urlset xmlns='y'>"), Some("urlset"));
        assert_eq!(root_name("<rdf:RDF\nx=y>"), Some("rdf:RDF"));
        assert_eq!(root_name("\u{feff} <!doctype html>\n<p>"), Some("p"));
        for nothing in ["plain text", "<?xml", "<>", "<!-- <a>", "<!DOCTYPE a [<!ENTITY b '>]><a>", "a <b>", "<a"] {
            assert_eq!(root_name(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn document_types_end_where_they_end() {
        for subset in [
            "<!ENTITY a 'b>'>",
            "<!ENTITY x \"]\">",
            "<!ENTITY c \"<b>x</b>\">",
            "<!-- ]> it's -->",
            "<?p ]> ' ?>",
            " %more; <!ELEMENT a (b)>\n",
        ] {
            assert_eq!(root_name(&format!("<!DOCTYPE rss [{subset}] ><rss>")), Some("rss"), "{subset}");
        }
        assert_eq!(root_name("<!DOCTYPE a SYSTEM 'it\"s[' [ ]><a>"), Some("a"));
        assert_eq!(root_name("<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN><p class=\"b\">"), Some("p"), "no end");
    }
}
