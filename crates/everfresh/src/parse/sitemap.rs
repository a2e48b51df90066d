//! Sitemaps (sitemaps.org): lists of pages, indexes of further sitemaps, and plain lists of URLs.
//!
//! The children of an index are links like any other; fetching them shows that they are sitemaps too.

use super::links::Links;
use super::text::{Collapsed, collapse};
use super::xml::{self, XmlEvents};
use super::{Kind, Parsed, dates};
use quick_xml::events::BytesStart;
use url::Url;

/// Entries of one sitemap, as the protocol limits them.
const MAX_ENTRIES: usize = 50_000;
/// Lines looked at before a text counts as a list of URLs.
const SAMPLE_LINES: usize = 10;

/// Reads a `urlset` or a `sitemapindex`.
pub(super) fn parse_xml(document: &str, charset: &'static str, url: &Url) -> Parsed {
    let root = xml::root_name(document).unwrap_or_default();
    let prefix = &root[..root.len() - xml::local(root).len()];
    let mut entries = Entries {
        prefix,
        links: Links::new(url.clone(), MAX_ENTRIES),
        text: Collapsed::with_capacity(document.len() / 2),
        field: None,
        location: String::new(),
        last_modified: String::new(),
    };
    xml::read(document, &mut entries);
    Parsed::list(Kind::Sitemap, charset, entries.text.finish(), entries.links, url)
}

/// Reads a plain list: one URL a line.
pub(super) fn parse_plain(text: &str, charset: &'static str, url: &Url) -> Parsed {
    let mut links = Links::new(url.clone(), MAX_ENTRIES);
    for line in text.lines().map(str::trim).filter(|line| is_absolute(line)) {
        links.add(line, false, None);
    }
    Parsed::list(Kind::Sitemap, charset, collapse(text), links, url)
}

/// Whether a text is nothing but a list of URLs, judged by its first lines.
pub(super) fn is_plain(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(SAMPLE_LINES).peekable();
    lines.peek().is_some() && lines.all(|line| is_absolute(line) && !line.contains(' '))
}

fn is_absolute(line: &str) -> bool {
    line.starts_with("http://") || line.starts_with("https://")
}

#[derive(Clone, Copy)]
enum Field {
    Location,
    LastModified,
}

struct Entries<'a> {
    /// The root's namespace prefix: `image:loc` is not the `loc` of an entry.
    prefix: &'a str,
    links: Links,
    text: Collapsed,
    field: Option<Field>,
    location: String,
    last_modified: String,
}

impl XmlEvents for Entries<'_> {
    fn start(&mut self, element: &BytesStart<'_>) {
        self.text.separate();
        self.field = match element.name().as_ref().strip_prefix(self.prefix) {
            Some("loc") => Some(Field::Location),
            Some("lastmod") => Some(Field::LastModified),
            Some("url" | "sitemap") => {
                self.location.clear();
                self.last_modified.clear();
                None
            }
            _ => None,
        };
    }

    fn end(&mut self, name: &str) {
        self.text.separate();
        self.field = None;
        if matches!(name.strip_prefix(self.prefix), Some("url" | "sitemap")) {
            let location = self.location.trim();
            if !location.is_empty() {
                self.links.add(location, false, dates::parse(&self.last_modified));
            }
            self.location.clear();
        }
    }

    fn text(&mut self, piece: &str) {
        self.text.push(piece.as_bytes());
        match self.field {
            Some(Field::Location) => self.location.push_str(piece),
            Some(Field::LastModified) => self.last_modified.push_str(piece),
            None => {}
        }
    }

    fn is_done(&self) -> bool {
        self.links.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use revisit::Time;

    fn links(document: &str) -> Vec<(String, Option<Time>)> {
        let parsed = parse_xml(document, "UTF-8", &Url::parse("http://a.org/sitemap.xml").unwrap());
        parsed.links.into_iter().map(|link| (link.url.into(), link.last_modified)).collect()
    }

    #[test]
    fn entries_with_their_dates() {
        let found = links(
            "<?xml version='1.0'?><urlset xmlns='s' xmlns:image='i'><url><loc> http://a.org/?x=1&amp;y=2\n</loc>\
             <lastmod>2024-03-01</lastmod><image:image><image:loc>http://a.org/i.png</image:loc></image:image></url>\
             <url><loc><![CDATA[http://a.org/b]]></loc><lastmod>soon</lastmod></url><url/></urlset>",
        );
        let dated = Some(Time::from_secs(1_709_251_200));
        assert_eq!(found, [("http://a.org/?x=1&y=2".into(), dated), ("http://a.org/b".into(), None)]);
    }

    #[test]
    fn an_index_leads_to_its_sitemaps() {
        let found =
            links("<s:sitemapindex xmlns:s='x'><s:sitemap><s:loc>/one.xml.gz</s:loc></s:sitemap></s:sitemapindex>");
        assert_eq!(found, [("http://a.org/one.xml.gz".into(), None)]);
    }

    #[test]
    fn a_document_that_breaks_off_counts_up_to_there() {
        assert_eq!(links("<urlset><url><loc>/a</loc></url><url><loc>/b").len(), 1);
        assert_eq!(links("<urlset><url><loc>/a</loc></url></nonsense><url><loc>/b</loc></url>").len(), 2);
    }

    #[test]
    fn declared_entities_are_not_expanded() {
        let bomb = "<!DOCTYPE urlset [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]>\
                    <urlset><url><loc>http://a.org/&b;x</loc></url></urlset>";
        assert_eq!(links(bomb), [("http://a.org/x".into(), None)]);
    }

    #[test]
    fn no_more_entries_than_the_protocol_allows() {
        let entries: String = (0..60_000).map(|number| format!("<url><loc>/{number}</loc></url>")).collect();
        assert_eq!(links(&format!("<urlset>{entries}</urlset>")).len(), MAX_ENTRIES);
    }

    #[test]
    fn plain_lists() {
        let list = "http://a.org/1\r\n\nhttps://a.org/2\n";
        assert!(is_plain(list));
        assert!(!is_plain("see\nhttp://a.org/1"));
        assert!(!is_plain(" \n"));
        let parsed = parse_plain(list, "UTF-8", &Url::parse("http://a.org/sitemap.txt").unwrap());
        assert_eq!(parsed.links.len(), 2);
    }
}
