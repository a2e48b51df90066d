//! Sitemaps (sitemaps.org): lists of pages, indexes of further sitemaps, and plain lists of URLs.
//!
//! The children of an index are links like any other; fetching them shows that they are sitemaps too.

use super::links::Links;
use super::outline::Outline;
use super::text::collapse;
use super::xml::{self, Children, XmlEvents};
use super::{Kind, Parsed, dates};
use quick_xml::events::BytesStart;
use revisit::Time;
use url::Url;

/// Entries of one sitemap, as the protocol limits them.
const MAX_ENTRIES: usize = 50_000;
/// How deep entries lie.
const ENTRY_DEPTH: usize = 1;
/// Lines looked at before a text counts as a list of URLs.
const SAMPLE_LINES: usize = 10;

/// Reads a `urlset` or a `sitemapindex`.
pub(super) fn parse_xml(document: &str, charset: &'static str, url: &Url) -> Parsed {
    let mut entries = Entries {
        links: Links::new(url.clone(), MAX_ENTRIES),
        outline: Outline::with_capacity(document.len() / 2),
        marks: Vec::new(),
        inner: 0,
        entry: String::new(),
        children: Children::default(),
        field: None,
        value: String::new(),
        locations: Vec::new(),
        last_modified: None,
    };
    let is_whole = xml::read(document, &mut entries);
    // What is still open broke off.
    entries.field = None;
    entries.finish_entry();
    let parsed = Parsed::list(Kind::Sitemap, charset, entries.outline.finish(), entries.links, url);
    Parsed { breaks_off: !is_whole, ..parsed }
}

/// Reads a plain list: one URL a line.
pub(super) fn parse_plain(text: &str, charset: &'static str, url: &Url) -> Parsed {
    let mut links = Links::new(url.clone(), MAX_ENTRIES);
    for line in text.lines().map(str::trim).filter(|line| is_absolute(line)) {
        links.add(line, false, None);
    }
    let lines: Vec<_> = text.lines().map(collapse).filter(|line| !line.is_empty()).collect();
    Parsed::list(Kind::Sitemap, charset, lines.join("\n"), links, url)
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
    /// How often it changes, and how much it matters.
    Other,
}

struct Entries {
    links: Links,
    outline: Outline,
    /// Where the children of the entry begin in the outline.
    marks: Vec<usize>,
    /// Open elements within the child.
    inner: usize,
    /// The name of the entry that is open; empty if none is.
    entry: String,
    /// Only these speak for the entry: the `loc` of an image in it is not its own.
    children: Children,
    field: Option<Field>,
    value: String,
    /// One, by the protocol.
    locations: Vec<String>,
    last_modified: Option<Time>,
}

impl Entries {
    /// An entry begins where none is open, or where the next one of its kind does.
    fn is_entry(&self, name: &str) -> bool {
        let is_own = self.entry.is_empty() || xml::prefix(name) == xml::prefix(&self.entry);
        is_own && matches!(xml::local(name), "url" | "sitemap")
    }

    fn begin_entry(&mut self, element: &BytesStart<'_>) {
        self.finish_entry();
        self.outline.begin(ENTRY_DEPTH, element, false);
        self.entry.push_str(element.name().as_ref());
    }

    fn begin_child(&mut self, element: &BytesStart<'_>) {
        let name = element.name();
        let is_foreign = xml::prefix(name.as_ref()) != xml::prefix(&self.entry);
        self.marks.push(self.outline.mark());
        self.outline.begin(ENTRY_DEPTH + 1, element, is_foreign);
        self.inner = 0;
        self.value.clear();
        self.field = self.field(name.as_ref());
    }

    fn finish_entry(&mut self) {
        self.finish_field();
        for location in self.locations.drain(..) {
            self.links.add(&location, false, self.last_modified);
        }
        self.outline.sort(&self.marks);
        self.outline.end(0);
        self.marks.clear();
        self.last_modified = None;
        self.children.leave();
        self.entry.clear();
    }

    fn field(&self, name: &str) -> Option<Field> {
        match xml::local(name) {
            _ if xml::prefix(name) != xml::prefix(&self.entry) => None,
            "loc" => Some(Field::Location),
            "lastmod" => Some(Field::LastModified),
            "changefreq" | "priority" => Some(Field::Other),
            _ => None,
        }
    }

    /// A field that nobody closes ends where the next begins, or what is none of the protocol's.
    fn leave_field(&mut self, name: &str) {
        let is_foreign = xml::prefix(name) != xml::prefix(&self.entry);
        if self.field.is_some() && (is_foreign || self.field(name).is_some()) {
            self.finish_field();
            self.children.leave();
            self.outline.end(ENTRY_DEPTH);
        }
    }

    fn finish_field(&mut self) {
        let value = self.value.trim();
        match self.field.take() {
            Some(Field::Location) if !value.is_empty() => self.locations.push(value.to_owned()),
            Some(Field::LastModified) => self.last_modified = self.last_modified.max(dates::parse(value)),
            _ => {}
        }
    }
}

impl XmlEvents for Entries {
    fn start(&mut self, element: &BytesStart<'_>) {
        let name = element.name();
        let name = name.as_ref();
        self.leave_field(name);
        if self.is_entry(name) {
            self.begin_entry(element);
        } else if self.entry.is_empty() {
            self.outline.begin(0, element, false);
        } else if self.children.start(name) {
            self.begin_child(element);
        } else {
            self.inner += 1;
            self.outline.begin_inner(ENTRY_DEPTH + 1 + self.inner, element);
        }
    }

    fn end(&mut self, name: &str) {
        if self.entry == name {
            self.finish_entry();
        } else if self.children.end(name) {
            self.outline.end(ENTRY_DEPTH);
            self.finish_field();
        } else {
            self.inner = self.inner.saturating_sub(1);
            self.outline.end_inner(ENTRY_DEPTH + 1 + self.inner, name);
        }
    }

    fn text(&mut self, piece: &str) {
        self.outline.text(piece);
        if self.field.is_some() {
            self.value.push_str(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn prefixes_hide_nothing() {
        for prefixed in [
            "<sm:urlset xmlns:sm='x'><sm:url><sm:loc>/a</sm:loc><sm:lastmod>2024-03-01</sm:lastmod></sm:url></sm:urlset>",
            "<urlset xmlns:sm='x'><sm:url><sm:loc>/a</sm:loc><sm:lastmod>2024-03-01</sm:lastmod></sm:url></urlset>",
            "<sm:urlset xmlns:sm='x'><url xmlns='x'><loc>/a</loc><lastmod>2024-03-01</lastmod></url></sm:urlset>",
        ] {
            assert_eq!(
                links(prefixed),
                [("http://a.org/a".into(), Some(Time::from_secs(1_709_251_200)))],
                "{prefixed}"
            );
        }
    }

    #[test]
    fn the_locations_of_an_entry_are_told_apart() {
        let found = links(
            "<urlset><url><loc>/a</loc><image xmlns='i'><loc>/a.png</loc><lastmod>2024-04-01</lastmod></image><video:video>\
             <video:loc>/a.mp4</video:loc></video:video><loc>/b</loc><lastmod>2024-03-01</lastmod><image:loc>/c.png</image:loc>\
             </url><url><loc>/d</loc></urlset>",
        );
        let dated = Some(Time::from_secs(1_709_251_200));
        let expected =
            [("http://a.org/a".into(), dated), ("http://a.org/b".into(), dated), ("http://a.org/d".into(), None)];
        assert_eq!(found, expected);
    }

    #[test]
    fn alternates_count_and_are_no_links() {
        let sitemap = |target| {
            let link = format!("<xhtml:link rel='alternate' hreflang='de' href='{target}'/>");
            let document = format!("<urlset><url><loc>/a</loc>{link}</url></urlset>");
            parse_xml(&document, "UTF-8", &Url::parse("http://a.org/sitemap.xml").unwrap())
        };
        assert_ne!(sitemap("/b").text, sitemap("/c").text);
        assert_eq!(sitemap("/b").links.len(), 1);
    }

    fn text(entries: &str) -> String {
        let document = format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>");
        parse_xml(&document, "UTF-8", &Url::parse("http://a.org/sitemap.xml").unwrap()).text
    }

    #[test]
    fn what_is_said_of_which_entry_counts_and_not_in_which_order() {
        let one = "<url><loc>/1</loc><lastmod>2024</lastmod></url>";
        assert_eq!(text(one), "urlset\n url\n  lastmod 2024\n  loc /1");
        assert_eq!(text(one), text("<url>\n<lastmod>2024</lastmod> <loc> /1 </loc>\n</url>"));
        assert_ne!(text(one), text("<url><loc>/1</loc><changefreq>2024</changefreq></url>"), "a role");
        assert_ne!(
            text("<url><loc>/1</loc></url><url><lastmod>2024</lastmod><loc>/2</loc></url>"),
            text("<url><loc>/1</loc><lastmod>2024</lastmod></url><url><loc>/2</loc></url>"),
            "a date of the entry beside it"
        );
        assert_ne!(text("<url><loc>/1</loc></url><url/>"), text("<url><loc>/1</loc></url>"));
        assert_ne!(
            text("<url><loc>/1</loc><i:loc>/2</i:loc></url>"),
            text("<url><loc>/2</loc><i:loc>/1</i:loc></url>")
        );
        let located = "<urlset xmlns:xsi='x' xsi:schemaLocation='a b'><url><loc>/1</loc></url></urlset>";
        let parsed = parse_xml(located, "UTF-8", &Url::parse("http://a.org/sitemap.xml").unwrap());
        assert_eq!(parsed.text, text("<url><loc>/1</loc></url>"));
    }

    #[test]
    fn an_entry_that_nobody_closes_ends_where_the_next_begins() {
        assert_eq!(links("<urlset><url><loc>/a</loc><url><loc>/b</loc></url></urlset>").len(), 2);
    }

    #[test]
    fn a_field_that_nobody_closes_ends_where_the_next_begins() {
        let dated = Some(Time::from_secs(1_709_251_200));
        for entry in [
            "<loc>/a<lastmod>2024-03-01</lastmod>",
            "<lastmod>2024-03-01<loc>/a",
            "<lastmod>2024-03-01</lastmod><loc>/a<i:image><i:loc>/i.png</i:loc></i:image>",
            "<priority>1<loc><loc>/a</loc></loc><lastmod>2024-03-01",
            "<loc><a href='/no'>/a</a></loc><lastmod>2024-03-01</lastmod>",
        ] {
            for end in ["</url>", "<url/>"] {
                let found = links(&format!("<urlset><url>{entry}{end}</urlset>"));
                assert_eq!(found, [("http://a.org/a".into(), dated)], "{entry}");
            }
        }
    }

    #[test]
    fn what_stands_behind_the_root_element_does_not_count() {
        let url = Url::parse("http://a.org/sitemap.xml").unwrap();
        let whole = "<urlset><url><loc>/a</loc></url></urlset>";
        for behind in ["\n0.1", "<p>1</p>", "<url><loc>/b</loc></url>", "<url"] {
            let parsed = parse_xml(&format!("{whole}{behind}"), "UTF-8", &url);
            assert_eq!(parsed, parse_xml(whole, "UTF-8", &url), "{behind}");
        }
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
        assert_eq!(links(bomb), [("http://a.org/&b;x".into(), None)]);
    }

    #[test]
    fn no_more_entries_than_the_protocol_allows() {
        let entries: String = (0..60_000).map(|number| format!("<url><loc>/{number}</loc></url>")).collect();
        let cut = |entries: &str| {
            let document = format!("<urlset>{entries}</urlset>");
            let parsed = parse_xml(&document, "UTF-8", &Url::parse("http://a.org/").unwrap());
            (parsed.links.len(), parsed.has_more_links())
        };
        assert_eq!(cut(&entries), (MAX_ENTRIES, true));
        assert_ne!(text(&entries), text(&entries.replace("/59999<", "/x<")), "all of them are compared");
        let end = entries.find("<url><loc>/50000<").unwrap();
        assert_eq!(cut(&entries[..end]), (MAX_ENTRIES, false));
    }

    #[test]
    fn plain_lists() {
        let list = "http://a.org/1\r\n\nhttps://a.org/2\n";
        assert!(is_plain(list));
        assert!(!is_plain("see\nhttp://a.org/1"));
        assert!(!is_plain(" \n"));
        let parsed = parse_plain(list, "UTF-8", &Url::parse("http://a.org/sitemap.txt").unwrap());
        assert_eq!(parsed.links.len(), 2);
        let text = |list: &str| parse_plain(list, "UTF-8", &Url::parse("http://a.org/sitemap.txt").unwrap()).text;
        assert_eq!(text(list), text("\n http://a.org/1\t\nhttps://a.org/2"));
        assert_ne!(text(list), text("http://a.org/1 https://a.org/2"), "lines that became one");
    }
}
