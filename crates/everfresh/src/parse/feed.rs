//! Feeds: RSS 0.9–2.0, RSS 1.0 (RDF) and Atom. Their items are links with a date; their text is what readers see.
//!
//! The dates of the feed itself (`lastBuildDate`) are left out of the text: many servers write the time of the request there,
//! which is no change.

use super::links::Links;
use super::text::Collapsed;
use super::xml::{self, XmlEvents};
use super::{Kind, Parsed, dates};
use quick_xml::events::BytesStart;
use revisit::Time;
use url::Url;

const MAX_ITEMS: usize = 10_000;

/// Reads a feed found at `url`.
pub(super) fn parse(document: &str, charset: &'static str, url: &Url) -> Parsed {
    let mut feed = Feed {
        links: Links::new(url.clone(), MAX_ITEMS),
        text: Collapsed::with_capacity(document.len() / 2),
        item: None,
        field: Field::Other,
        value: String::new(),
    };
    xml::read(document, &mut feed);
    Parsed::list(Kind::Feed, charset, feed.text.finish(), feed.links, url)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    /// RSS writes the link as text; Atom's is an attribute.
    Link,
    /// An RSS `guid` that is a link stands in for a missing one.
    Permalink,
    Date,
    Other,
}

#[derive(Default)]
struct Item {
    link: Option<String>,
    permalink: Option<String>,
    date: Option<Time>,
}

struct Feed {
    links: Links,
    text: Collapsed,
    item: Option<Item>,
    field: Field,
    value: String,
}

impl Feed {
    fn take_link(&mut self, target: String) {
        match &mut self.item {
            Some(item) => item.link = item.link.take().or(Some(target)),
            None => self.links.add(&target, false, None),
        }
    }

    /// Atom: the page itself (`alternate`, the default) and the next part of a paged feed; not comments, hubs or itself.
    fn take_link_element(&mut self, element: &BytesStart<'_>) {
        let Some(target) = xml::attribute(element, "href") else { return };
        let relation = xml::attribute(element, "rel");
        if matches!(relation.as_deref(), None | Some("alternate" | "next")) {
            self.take_link(target.trim().to_owned());
        }
    }

    fn finish_field(&mut self) {
        let value = std::mem::take(&mut self.value);
        let trimmed = value.trim();
        match (self.field, &mut self.item) {
            (Field::Link, _) if !trimmed.is_empty() => self.take_link(trimmed.to_owned()),
            (Field::Permalink, Some(item)) if trimmed.starts_with("http") => item.permalink = Some(trimmed.to_owned()),
            (Field::Date, Some(item)) => item.date = item.date.max(dates::parse(trimmed)),
            _ => {}
        }
        self.field = Field::Other;
    }

    fn finish_item(&mut self) {
        let Some(item) = self.item.take() else { return };
        if let Some(target) = item.link.or(item.permalink) {
            self.links.add(&target, false, item.date);
        }
    }
}

impl XmlEvents for Feed {
    fn start(&mut self, element: &BytesStart<'_>) {
        self.text.separate();
        self.value.clear();
        let name = element.name();
        self.field = match xml::local(name.as_ref()) {
            "item" | "entry" => {
                self.item = Some(Item::default());
                Field::Other
            }
            "link" if xml::attribute(element, "href").is_some() => {
                self.take_link_element(element);
                Field::Other
            }
            "link" => Field::Link,
            "guid" if xml::attribute(element, "isPermaLink").as_deref() != Some("false") => Field::Permalink,
            "pubDate" | "published" | "updated" | "modified" | "issued" | "date" | "lastBuildDate" => Field::Date,
            _ => Field::Other,
        };
    }

    fn end(&mut self, name: &str) {
        self.text.separate();
        self.finish_field();
        if matches!(xml::local(name), "item" | "entry") {
            self.finish_item();
        }
    }

    fn text(&mut self, piece: &str) {
        if self.field != Field::Other {
            self.value.push_str(piece);
        }
        if self.field != Field::Date || self.item.is_some() {
            self.text.push(piece.as_bytes());
        }
    }

    fn is_done(&self) -> bool {
        self.links.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(document: &str) -> (Vec<(String, Option<Time>)>, String) {
        let parsed = parse(document, "UTF-8", &Url::parse("http://a.org/feed").unwrap());
        (parsed.links.into_iter().map(|link| (link.url.into(), link.last_modified)).collect(), parsed.text)
    }

    const NOON: Option<Time> = Some(Time::from_secs(1_709_294_400));

    #[test]
    fn rss_items_have_links_and_dates() {
        let (links, text) = feed(
            "<rss><channel><title>News</title><link>http://a.org/</link><lastBuildDate>Fri, 01 Mar 2024 13:37:00 GMT\
             </lastBuildDate><item><title>One &amp; only</title><link>/1</link><pubDate>Fri, 01 Mar 2024 12:00:00 GMT</pubDate>\
             </item><item><guid>http://a.org/2</guid></item><item><guid isPermaLink='false'>3</guid></item></channel></rss>",
        );
        assert_eq!(
            links,
            [("http://a.org/".into(), None), ("http://a.org/1".into(), NOON), ("http://a.org/2".into(), None)]
        );
        assert!(text.contains("One & only") && !text.contains("13:37"), "{text}");
    }

    #[test]
    fn atom_entries_have_links_and_dates() {
        let (links, _) = feed(
            "<feed xmlns='http://www.w3.org/2005/Atom'><updated>2024-03-02T00:00:00Z</updated><link rel='self' href='/feed'/>\
             <link rel='next' href='?page=2'/><entry><link rel='replies' href='/c'/><link href='/1?a&amp;b'/>\
             <published>2024-02-01T12:00:00Z</published><updated>2024-03-01T12:00:00Z</updated></entry></feed>",
        );
        assert_eq!(links, [("http://a.org/feed?page=2".into(), None), ("http://a.org/1?a&b".into(), NOON)]);
    }

    #[test]
    fn hostile_feeds_are_read_in_linear_time() {
        let attributes: String = (0..200_000).map(|number| format!("a{number}='' ")).collect();
        assert_eq!(feed(&format!("<feed><link {attributes}href='/x'/></feed>")).0.len(), 1);
        feed(&"<item><link>".repeat(100_000));
        feed(&format!("{}<rss>", "<!a>".repeat(100_000)));
    }

    #[test]
    fn rdf_items_have_links_and_dates() {
        let (links, _) = feed(
            "<rdf:RDF><item rdf:about='x'><link>http://a.org/1</link><dc:date>2024-03-01T12:00:00Z</dc:date></item></rdf:RDF>",
        );
        assert_eq!(links, [("http://a.org/1".into(), NOON)]);
    }
}
