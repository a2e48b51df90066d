//! Feeds: RSS 0.9–2.0, RSS 1.0 (RDF) and Atom. Their items are links with a date; their text is all they say.
//!
//! That is text and the values of attributes: the link of an entry, its category and its enclosure may stand nowhere else.
//! Only children of an item speak for it: the `source` of an Atom entry has a link and a date too, and so may its content.
//! The dates of the feed itself (`lastBuildDate`) are left out of the text: many servers write the time of the request there,
//! which is no change.

use super::links::{Link, Links};
use super::text::Collapsed;
use super::xml::{self, Children, XmlEvents};
use super::{Kind, Parsed, dates, normalise};
use quick_xml::events::BytesStart;
use revisit::Time;
use url::Url;

const MAX_ITEMS: usize = 10_000;
/// Items within items; deeper, one ends where the next begins.
const MAX_NESTED: usize = 16;

/// Reads a feed found at `url`.
pub(super) fn parse(document: &str, charset: &'static str, url: &Url) -> Parsed {
    let mut feed = Feed {
        links: Links::new(url.clone(), MAX_ITEMS),
        text: Collapsed::with_capacity(document.len() / 2),
        parts: Vec::new(),
        field: Field::Other,
        field_base: None,
        value: String::new(),
    };
    let is_whole = xml::read(document, &mut feed);
    while feed.finish_part() {}
    let parsed = Parsed::list(Kind::Feed, charset, feed.text.finish(), feed.links, url);
    Parsed { breaks_off: !is_whole, ..parsed }
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

/// The feed itself or one of its items, while it is open.
#[derive(Default)]
struct Part {
    is_item: bool,
    children: Children,
    /// What its links are relative to, if it says so itself.
    base: Option<Url>,
    link: Option<Url>,
    permalink: Option<Url>,
    date: Option<Time>,
}

struct Feed {
    links: Links,
    text: Collapsed,
    /// From the feed to the innermost item.
    parts: Vec<Part>,
    field: Field,
    /// What the field is relative to, if it says so itself.
    field_base: Option<Url>,
    value: String,
}

impl Feed {
    fn base(&self) -> &Url {
        let written = self.parts.iter().rev().find_map(|part| part.base.as_ref());
        self.field_base.as_ref().or(written).unwrap_or(self.links.base())
    }

    fn resolve(&self, target: &str) -> Option<Url> {
        normalise::resolve(self.base(), target.trim()).ok()
    }

    /// The `xml:base` of an element.
    fn written_base(&self, element: &BytesStart<'_>) -> Option<Url> {
        self.resolve(&xml::attribute(element, "xml:base")?)
    }

    fn is_in_item(&self) -> bool {
        self.parts.last().is_some_and(|part| part.is_item)
    }

    fn begin_part(&mut self, is_item: bool, element: &BytesStart<'_>) {
        if self.parts.len() == MAX_NESTED {
            self.finish_part();
        }
        self.leave_field();
        let base = self.written_base(element);
        self.parts.push(Part { is_item, base, ..Part::default() });
    }

    /// Ends the innermost part; whether there was one.
    fn finish_part(&mut self) -> bool {
        let Some(part) = self.parts.pop() else { return false };
        self.leave_field();
        if let Some(url) = part.link.or(part.permalink) {
            self.links.add_resolved(Link { url, nofollow: false, last_modified: part.date });
        }
        true
    }

    /// Ends the innermost item, or the feed, with all that is open within.
    fn end_part(&mut self, is_item: bool) {
        let Some(at) = self.parts.iter().rposition(|part| part.is_item == is_item) else { return };
        while self.parts.len() > at {
            self.finish_part();
        }
    }

    fn begin_field(&mut self, element: &BytesStart<'_>) -> Field {
        match xml::local(element.name().as_ref()) {
            "link" => {
                self.field_base = self.written_base(element);
                let Some(target) = xml::attribute(element, "href") else { return Field::Link };
                self.take_link_element(element, &target);
                Field::Other
            }
            "guid" if xml::attribute(element, "isPermaLink").as_deref() != Some("false") => Field::Permalink,
            "pubDate" | "published" | "updated" | "modified" | "issued" | "date" | "lastBuildDate" => Field::Date,
            _ => Field::Other,
        }
    }

    /// Atom: the page itself (`alternate`, the default), and of a feed its next part; not comments, hubs or itself.
    fn take_link_element(&mut self, element: &BytesStart<'_>, target: &str) {
        let relation = xml::attribute(element, "rel");
        let relation = relation.as_deref().map_or("alternate", str::trim);
        let leads_on = relation.eq_ignore_ascii_case("next") && !self.is_in_item();
        if relation.eq_ignore_ascii_case("alternate") || leads_on {
            self.take_link(target);
        }
    }

    /// The link of an item, of which the first one counts, or one of the feed.
    fn take_link(&mut self, target: &str) {
        let url = self.resolve(target);
        match (self.parts.last_mut(), url) {
            (Some(item), url) if item.is_item => item.link = item.link.take().or(url),
            (_, Some(url)) => self.links.add_resolved(Link { url, nofollow: false, last_modified: None }),
            (_, None) => {}
        }
    }

    fn finish_field(&mut self) {
        let value = std::mem::take(&mut self.value);
        let trimmed = value.trim();
        let permalink = || normalise::absolute(trimmed).ok();
        match (self.field, self.parts.last_mut()) {
            (Field::Link, _) if !trimmed.is_empty() => self.take_link(trimmed),
            (Field::Permalink, Some(item)) if item.is_item => item.permalink = permalink(),
            (Field::Date, Some(part)) => part.date = part.date.max(dates::parse(trimmed)),
            _ => {}
        }
        self.leave_field();
    }

    fn leave_field(&mut self) {
        self.field = Field::Other;
        self.field_base = None;
        self.value.clear();
    }
}

impl XmlEvents for Feed {
    fn start(&mut self, element: &BytesStart<'_>) {
        self.text.push_words(xml::values(element));
        let name = element.name();
        match xml::local(name.as_ref()) {
            "item" | "entry" => self.begin_part(true, element),
            "rss" | "RDF" | "feed" | "channel" if !self.is_in_item() => self.begin_part(false, element),
            _ if self.parts.last_mut().is_some_and(|part| part.children.start(name.as_ref())) => {
                self.field = self.begin_field(element);
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        self.text.separate();
        match xml::local(name) {
            "item" | "entry" => self.end_part(true),
            "rss" | "RDF" | "feed" | "channel" if !self.is_in_item() => self.end_part(false),
            _ if self.parts.last_mut().is_some_and(|part| part.children.end(name)) => self.finish_field(),
            _ => {}
        }
    }

    fn text(&mut self, piece: &str) {
        if self.field != Field::Other {
            self.value.push_str(piece);
        }
        if self.field != Field::Date || self.is_in_item() {
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
    fn what_is_within_a_child_of_an_entry_does_not_speak_for_it() {
        let (links, _) = feed(
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry><source><link href='http://b.org/'/><updated>2024-04-01T12:00:00Z\
             </updated></source><content type='xhtml'><div><link href='/x'/><br><p></div></content><link href='/1'/>\
             <updated>2024-03-01T12:00:00Z</updated></entry></feed>",
        );
        assert_eq!(links, [("http://a.org/1".into(), NOON)]);
        let (links, _) = feed(
            "<rss><channel><image><link>http://a.org/logo</link></image><item><media:group><link>/no</link></media:group>\
             <link>/1</link></item></channel></rss>",
        );
        assert_eq!(links, [("http://a.org/1".into(), None)]);
    }

    #[test]
    fn an_entry_is_its_page_and_not_what_comes_next() {
        let (links, _) =
            feed("<feed><entry><link rel='next' href='/2'/><link rel='Alternate' href='/1'/></entry></feed>");
        assert_eq!(links, [("http://a.org/1".into(), None)]);
    }

    #[test]
    fn links_are_relative_to_the_nearest_xml_base() {
        let (links, _) = feed(
            "<feed xml:base='http://b.org/x/'><link href='.'/><entry xml:base='y/'><link href='1'/></entry><entry><link href='2'/>\
             </entry><entry><link xml:base='/z/' href='3'/></entry></feed>",
        );
        let urls: Vec<_> = links.into_iter().map(|(url, _)| url).collect();
        assert_eq!(urls, ["http://b.org/x/", "http://b.org/x/y/1", "http://b.org/x/2", "http://b.org/z/3"]);
        let (links, _) =
            feed("<rss xml:base='http://b.org/x/'><channel><item><link xml:base='y/'>1</link></item></channel></rss>");
        assert_eq!(links, [("http://b.org/x/y/1".into(), None)]);
    }

    #[test]
    fn items_within_items_and_items_that_nobody_closes_are_all_read() {
        let (links, _) = feed(
            "<rss><channel><item><link>/1</link><pubDate>2024-03-01T12:00:00Z</pubDate><item><link>/2</link></item></item></rss>",
        );
        assert_eq!(links, [("http://a.org/2".into(), None), ("http://a.org/1".into(), NOON)]);
        let open: String = (0..100).map(|number| format!("<item><link>/{number}</link>")).collect();
        assert_eq!(feed(&format!("<rss><channel>{open}")).0.len(), 100);
    }

    #[test]
    fn a_prefix_hides_nothing() {
        let (links, _) = feed(
            "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:link href='/1'/><a:updated>2024-03-01T12:00:00Z\
             </a:updated></a:entry></a:feed>",
        );
        assert_eq!(links, [("http://a.org/1".into(), NOON)]);
    }

    #[test]
    fn entities_of_html_are_what_they_stand_for_and_others_stay() {
        let (links, text) = feed(
            "<rss><channel><title>Caf&eacute;&nbsp;&#38; &bogus;bar &lt;b&gt; &ampx</title><item><link>/&eacute;?a&amp;b&bogus;</link>\
             </item></channel></rss>",
        );
        assert_eq!(text, "Café & &bogus;bar <b> &ampx /é?a&b&bogus;");
        assert_eq!(links, [("http://a.org/%C3%A9?a&b&bogus;".into(), None)]);
        let (links, _) = feed("<feed><entry><link href='/&eacute;?a&amp;b&bogus;&copy=1'/></entry></feed>");
        assert_eq!(links, [("http://a.org/%C3%A9?a&b&bogus;&copy=1".into(), None)]);
        let declared = "<!DOCTYPE rss [<!ENTITY own 'lol'><!ENTITY more '&own;&own;'>]><rss><channel><title>&more;</title></channel></rss>";
        assert_eq!(feed(declared).1, "&more;");
        assert_eq!(feed("<feed><title>&section; &notit; &semi;</title></feed>").1, "&section; &notit; ;");
        assert_eq!(feed("<feed><entry><link href='/&section;'/></entry></feed>").0[0].0, "http://a.org/&section;");
    }

    #[test]
    fn what_attributes_say_counts_in_any_order_of_them() {
        let text = |document: &str| feed(document).1;
        for (old, new) in [
            ("<feed><entry><link href='/1'/></entry></feed>", "<feed><entry><link href='/2'/></entry></feed>"),
            ("<feed><entry><category term='a'/></entry></feed>", "<feed><entry><category term='b'/></entry></feed>"),
            ("<feed><entry><content src='a'/></entry></feed>", "<feed><entry><content src='b'/></entry></feed>"),
            ("<rss><item><enclosure url='a'/></item></rss>", "<rss><item><enclosure url='b'/></item></rss>"),
            ("<rss><a:b><c:d e='1'/></a:b></rss>", "<rss><a:b><c:d e='2'/></a:b></rss>"),
        ] {
            assert_ne!(text(old), text(new), "{old}");
        }
        let spelled = "<feed xmlns='x'><link rel=\"next\" href='/a?b&amp;c'/></feed>";
        assert_eq!(text(spelled), "/a?b&c next");
        assert_eq!(text("<b:feed xmlns:b='x'><b:link href='/a?b&#38;c'  rel='next'></b:link></b:feed>"), text(spelled));
    }

    #[test]
    fn a_document_type_hides_no_item() {
        for subset in ["<!ENTITY x \"]\">", "<!-- ]> it's -->", "<!ENTITY y '<item>'>"] {
            let document =
                format!("<!DOCTYPE rss [{subset}]><rss><channel><item><link>/1</link></item></channel></rss>");
            let url = Url::parse("http://a.org/feed").unwrap();
            let parsed = super::super::parse(document.as_bytes(), Some("application/rss+xml"), &url);
            assert_eq!((parsed.kind, parsed.links.len(), parsed.breaks_off), (Kind::Feed, 1, false), "{subset}");
        }
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
