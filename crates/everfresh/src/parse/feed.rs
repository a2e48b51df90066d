//! Feeds: RSS 0.9–2.0, RSS 1.0 (RDF) and Atom. Their items are links with a date; their text is the [outline](Outline) of all
//! they say.
//!
//! Only children of an item speak for it: the `source` of an Atom entry has a link and a date too, and so may its content. Of
//! children with another prefix than its own these are links of Atom and dates of Atom and Dublin Core, and its own link comes
//! first. The dates of the feed itself (`lastBuildDate`) are left out of the text: many servers write the time of the request
//! there, which is no change.

mod vocabulary;

use super::links::{Link, Links};
use super::outline::Outline;
use super::xml::{self, Children, XmlEvents};
use super::{Kind, Parsed, dates, normalise};
use quick_xml::events::BytesStart;
use revisit::Time;
use url::Url;
use vocabulary::{Vocabularies, Vocabulary};

const MAX_ITEMS: usize = 10_000;
/// Where relations of links are registered: by these names or by these addresses.
const REGISTRY: &str = "http://www.iana.org/assignments/relation/";
/// Items within items; deeper, one ends where the next begins.
const MAX_NESTED: usize = 16;

/// Reads a feed found at `url`.
pub(super) fn parse(document: &str, charset: &'static str, url: &Url) -> Parsed {
    let mut feed = Feed {
        links: Links::new(url.clone(), MAX_ITEMS),
        outline: Outline::with_capacity(document.len() / 2),
        vocabularies: Vocabularies::default(),
        parts: Vec::new(),
        inner: 0,
        field: Field::Other,
        field_base: None,
        value: String::new(),
    };
    let is_whole = xml::read(document, &mut feed);
    while feed.finish_part() {}
    let parsed = Parsed::list(Kind::Feed, charset, feed.outline.finish(), feed.links, url);
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
    /// The prefix of its name, with its colon; its own children have the same.
    prefix: String,
    children: Children,
    /// Where the elements in it begin in the outline, if it is an item.
    marks: Vec<usize>,
    /// What its links are relative to, if it says so itself.
    base: Option<Url>,
    link: Option<Url>,
    /// In words of Atom, in an item that is none of Atom's.
    alternate: Option<Url>,
    permalink: Option<Url>,
    date: Option<Time>,
}

struct Feed {
    links: Links,
    outline: Outline,
    /// What prefixes stand for.
    vocabularies: Vocabularies,
    /// From the feed to the innermost item.
    parts: Vec<Part>,
    /// Open elements within the child of the innermost part.
    inner: usize,
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
        self.mark();
        self.outline.begin(self.parts.len(), element, false);
        let prefix = xml::prefix(element.name().as_ref()).to_owned();
        self.parts.push(Part { is_item, prefix, base, ..Part::default() });
    }

    fn begin_child(&mut self, element: &BytesStart<'_>) {
        let Some(part) = self.parts.last_mut() else { return };
        let is_foreign = part.prefix != xml::prefix(element.name().as_ref());
        self.field = self.begin_field(element, is_foreign);
        self.inner = 0;
        if self.is_left_out() {
            return;
        }
        self.mark();
        self.outline.begin(self.parts.len(), element, is_foreign);
    }

    /// Notes where in the outline the next element of an item begins.
    fn mark(&mut self) {
        if let Some(item) = self.parts.last_mut().filter(|part| part.is_item) {
            item.marks.push(self.outline.mark());
        }
    }

    fn begin_inner(&mut self, element: &BytesStart<'_>) {
        self.inner += 1;
        if !self.is_left_out() {
            self.outline.begin_inner(self.parts.len() + self.inner, element);
        }
    }

    fn end_inner(&mut self, name: &str) {
        self.inner = self.inner.saturating_sub(1);
        if !self.is_left_out() {
            self.outline.end_inner(self.parts.len() + self.inner, name);
        }
    }

    /// Whether what is being read is a date of the feed itself.
    fn is_left_out(&self) -> bool {
        self.field == Field::Date && !self.is_in_item()
    }

    /// Ends the innermost part; whether there was one.
    fn finish_part(&mut self) -> bool {
        let Some(part) = self.parts.pop() else { return false };
        self.leave_field();
        self.outline.sort(&part.marks);
        self.outline.end(self.parts.len().saturating_sub(1));
        if let Some(url) = part.link.or(part.alternate).or(part.permalink) {
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

    fn begin_field(&mut self, element: &BytesStart<'_>, is_foreign: bool) -> Field {
        let name = element.name();
        let vocabulary = self.vocabularies.of(name.as_ref());
        match xml::local(name.as_ref()) {
            "link" => {
                self.field_base = self.written_base(element);
                match xml::attribute(element, "href") {
                    Some(target) if !is_foreign || vocabulary == Vocabulary::Atom => {
                        self.take_link_element(element, &target, is_foreign);
                    }
                    None if !is_foreign => return Field::Link,
                    _ => {}
                }
                Field::Other
            }
            "guid" if !is_foreign && is_permalink(element) => Field::Permalink,
            "pubDate" | "published" | "updated" | "modified" | "issued" | "date" | "lastBuildDate"
                if !is_foreign || vocabulary != Vocabulary::Other =>
            {
                Field::Date
            }
            _ => Field::Other,
        }
    }

    /// Atom: the page itself (`alternate`, the default), and of a feed its next part; not comments, hubs or itself.
    fn take_link_element(&mut self, element: &BytesStart<'_>, target: &str, is_foreign: bool) {
        let relation = xml::attribute(element, "rel");
        let relation = relation.as_deref().map_or("alternate", str::trim);
        let relation = relation.strip_prefix(REGISTRY).unwrap_or(relation);
        let leads_on = relation.eq_ignore_ascii_case("next") && !self.is_in_item();
        if relation.eq_ignore_ascii_case("alternate") || leads_on {
            self.take_link(target, is_foreign);
        }
    }

    /// The link of an item, of which the first one counts, or one of the feed.
    fn take_link(&mut self, target: &str, is_foreign: bool) {
        let url = self.resolve(target);
        match (self.parts.last_mut(), url) {
            (Some(item), url) if item.is_item && is_foreign => item.alternate = item.alternate.take().or(url),
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
            (Field::Link, _) if !trimmed.is_empty() => self.take_link(trimmed, false),
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
        self.vocabularies.declare(element);
        let name = element.name();
        match xml::local(name.as_ref()) {
            "item" | "entry" => self.begin_part(true, element),
            "rss" | "RDF" | "feed" | "channel" if !self.is_in_item() => self.begin_part(false, element),
            _ if self.parts.last_mut().is_some_and(|part| part.children.start(name.as_ref())) => {
                self.begin_child(element);
            }
            _ => self.begin_inner(element),
        }
    }

    fn end(&mut self, name: &str) {
        match xml::local(name) {
            "item" | "entry" => self.end_part(true),
            "rss" | "RDF" | "feed" | "channel" if !self.is_in_item() => self.end_part(false),
            _ if self.parts.last_mut().is_some_and(|part| part.children.end(name)) => {
                self.outline.end(self.parts.len().saturating_sub(1));
                self.finish_field();
            }
            _ => self.end_inner(name),
        }
    }

    fn text(&mut self, piece: &str) {
        if self.field != Field::Other {
            self.value.push_str(piece);
        }
        if !self.is_left_out() {
            self.outline.text(piece);
        }
    }
}

fn is_permalink(guid: &BytesStart<'_>) -> bool {
    !xml::attribute(guid, "isPermaLink").is_some_and(|value| value.trim().eq_ignore_ascii_case("false"))
}

#[cfg(test)]
mod tests;
