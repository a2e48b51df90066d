//! XHTML that was sent as XML, told as the events of an HTML page.
//!
//! By the rules of XML an element that closes itself is closed, whatever its name (`<script/>`), CDATA is text, and a prefix or
//! another namespace says what is not HTML. References are those of HTML, which the document types of XHTML declare. Browsers
//! refuse what is not well-formed; here it is read as HTML that may close and quote as XML does.

mod as_html;

pub(super) use as_html::as_html;

use super::attributes::{Attribute, Attributes};
use super::tokens::{self, Events};
use super::xml;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// The namespaces whose elements are told by name, as in HTML.
const NAMESPACES: [&str; 3] =
    ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"];
/// Namespaces declared at one place of a document; one with more is not read as XML.
const MAX_DECLARED: usize = 64;

/// A document that no browser would show.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotWellFormed;

/// Reads a document and tells `events` what is in it, up to where it breaks off.
pub(super) fn read(document: &str, events: &mut impl Events) -> Result<(), NotWellFormed> {
    let mut page = Elements::new(events);
    let mut reader = Reader::from_str(document);
    loop {
        match reader.read_event().map_err(|_| NotWellFormed)? {
            Event::Start(element) => page.start(&element)?,
            Event::Empty(element) => {
                page.start(&element)?;
                page.end(element.name().as_ref());
            }
            Event::End(element) => page.end(element.name().as_ref()),
            Event::Text(text) => page.text(&text),
            Event::CData(text) => page.text(&text),
            Event::GeneralRef(reference) => page.reference(&reference),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// A namespace, within the element that declares it.
struct Declared {
    depth: u32,
    prefix: String,
    is_known: bool,
}

struct Elements<'a, E> {
    events: &'a mut E,
    depth: u32,
    /// How deep the element lies whose text is not the page's text, if within one.
    hidden: Option<u32>,
    declared: Vec<Declared>,
    attributes: Attributes,
}

impl<'a, E: Events> Elements<'a, E> {
    fn new(events: &'a mut E) -> Elements<'a, E> {
        Elements { events, depth: 0, hidden: None, declared: Vec::new(), attributes: Attributes::default() }
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), NotWellFormed> {
        self.depth += 1;
        self.read_attributes(element)?;
        let name = element.name();
        if !self.is_known(name.as_ref()) {
            self.attributes.clear();
            self.events.start(b"", &self.attributes);
            return if self.depth > 1 { Ok(()) } else { Err(NotWellFormed) };
        }
        let local = xml::local(name.as_ref()).as_bytes();
        if self.hidden.is_none() && tokens::is_hidden(local) {
            self.hidden = Some(self.depth);
        }
        self.events.start(local, &self.attributes);
        Ok(())
    }

    fn read_attributes(&mut self, element: &BytesStart<'_>) -> Result<(), NotWellFormed> {
        self.attributes.clear();
        // Unchecked: looking for duplicates would take quadratic time on a tag with very many attributes.
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|_| NotWellFormed)?;
            let (name, value) = (attribute.key.as_ref(), attribute.value.as_ref());
            if name == "xmlns" || name.starts_with("xmlns:") {
                self.declare(&name["xmlns".len()..], value)?;
            } else if let Some(known) = Attribute::named(name.as_bytes()) {
                let start = self.attributes.end();
                tokens::decode(value, |piece| self.attributes.push(piece));
                self.attributes.finish(known, start);
            }
        }
        Ok(())
    }

    fn end(&mut self, name: &str) {
        let is_known = self.is_known(name);
        self.events.end(if is_known { xml::local(name).as_bytes() } else { b"" });
        self.hidden = self.hidden.filter(|depth| *depth < self.depth);
        while self.declared.last().is_some_and(|declared| declared.depth == self.depth) {
            self.declared.pop();
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn text(&mut self, piece: &str) {
        if self.hidden.is_none() {
            self.events.text(piece.as_bytes());
        }
    }

    fn reference(&mut self, name: &str) {
        if self.hidden.is_none() {
            self.events.text(xml::in_html(name).as_bytes());
        }
    }

    /// Takes what an `xmlns` attribute declares; `prefix` is empty, or has its colon before it.
    fn declare(&mut self, prefix: &str, namespace: &str) -> Result<(), NotWellFormed> {
        if self.declared.len() == MAX_DECLARED {
            return Err(NotWellFormed);
        }
        let prefix = prefix.trim_start_matches(':').to_owned();
        let is_known = NAMESPACES.contains(&namespace);
        self.declared.push(Declared { depth: self.depth, prefix, is_known });
        Ok(())
    }

    /// Whether an element is of a namespace whose elements are told by name.
    fn is_known(&self, name: &str) -> bool {
        let prefix = xml::prefix(name).trim_end_matches(':');
        self.declared.iter().rev().find(|declared| declared.prefix == prefix).is_some_and(|declared| declared.is_known)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::super::Parsed;
    use super::super::parse;
    use url::Url;

    fn page(body: &str) -> Parsed {
        let document =
            format!("<?xml version='1.0'?><!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'>{body}</html>");
        whole(&document)
    }

    fn whole(document: &str) -> Parsed {
        let parsed = parse(
            document.as_bytes(),
            Some("application/xhtml+xml; charset=utf-8"),
            &Url::parse("http://a.org/").unwrap(),
        );
        assert_eq!(parsed.kind, Kind::Html);
        parsed
    }

    fn paths(parsed: &Parsed) -> Vec<&str> {
        parsed.links.iter().map(|link| &link.url.as_str()["http://a.org".len()..]).collect()
    }

    #[test]
    fn an_element_that_closes_itself_is_closed() {
        let parsed = page(
            "<head><script src='s'/><title/><style/></head><body><p>one<textarea/> <a href='/x?a&amp;b'>two</a></p></body>",
        );
        assert_eq!(paths(&parsed), ["/x?a&b"]);
        assert_eq!(parsed.text, "one two");
    }

    #[test]
    fn what_is_in_cdata_is_text_and_scripts_are_none() {
        let parsed = page(
            "<script><![CDATA[ if (a < b) x(\"<a href='/no'>\") ]]></script><p><![CDATA[a < b]]>&#233;&nbsp;&eacute;</p><style>s</style>",
        );
        assert_eq!(parsed.text, "a < bé é");
        assert!(parsed.links.is_empty());
    }

    #[test]
    fn references_are_read_by_their_whole_names() {
        assert_eq!(page("<p>&section; &sect; &#59;</p>").text, "&section; § ;");
    }

    #[test]
    fn namespaces_say_what_is_html() {
        let parsed = whole(
            "<h:html xmlns:h='http://www.w3.org/1999/xhtml' xmlns='urn:x'><h:a href='/1'>1</h:a><a href='/no'/><x:y xmlns:x='urn:y'>\
             <x:a href='/no'/></x:y><svg xmlns='http://www.w3.org/2000/svg'><a href='/2'>2</a></svg><a href='/no'/></h:html>",
        );
        assert_eq!(paths(&parsed), ["/1", "/2"]);
        let parsed = page("<div xmlns='urn:x'><script>shown</script><a href='/no'/></div><a href='/1'/>");
        assert_eq!((paths(&parsed), parsed.text.as_str()), (vec!["/1"], "shown"));
    }

    #[test]
    fn fallbacks_lead_on_but_are_no_text() {
        let parsed = page("<noscript><p>no <a href='/1'>no</a></p></noscript><p>yes</p>");
        assert_eq!((paths(&parsed), parsed.text.as_str()), (vec!["/1"], "yes"));
    }

    #[test]
    fn what_is_not_well_formed_is_html() {
        for broken in [
            "<p>one<br><a href='/1'>two</a>",
            "<p>one & <a href='/1'>two</a></p>",
            "<p class=x>one <a href='/1'>two</a></p>",
        ] {
            let parsed = page(broken);
            assert_eq!(paths(&parsed), ["/1"], "{broken}");
            assert!(parsed.text.starts_with("one") && parsed.text.ends_with("two"), "{}", parsed.text);
        }
        assert_eq!(paths(&whole("<html><script src='s'></script><a href='/1'/></html>")), ["/1"], "of no namespace");
    }

    #[test]
    fn what_is_not_well_formed_reads_as_if_it_were() {
        let well = "<head><script src='x'/></head><body><p>one</p><p><![CDATA[a < b]]></p><a href='/1'>two</a></body>";
        let ill = well.replace("</p><p>", "<br></p><p>");
        assert_eq!((page(&ill).text, paths(&page(&ill))), (page(well).text, vec!["/1"]));
    }

    #[test]
    fn a_page_that_breaks_off_counts_up_to_there() {
        let parsed = whole("<html xmlns='http://www.w3.org/1999/xhtml'><script/><a href='/1'>one</a><p>tw");
        assert_eq!((paths(&parsed), parsed.text.as_str()), (vec!["/1"], "one tw"));
    }

    #[test]
    fn hostile_documents_are_read_in_linear_time() {
        page(&"<p>".repeat(300_000));
        page(&"<p xmlns='urn:x'>".repeat(100_000));
        let declared: String = (0..100_000).map(|number| format!(" xmlns:n{number}='urn:x'")).collect();
        page(&format!("<p{declared}>{}</p>", "<a:b/>".repeat(100_000)));
        page(&format!("<p>{}</p>", "&nbsp;".repeat(100_000)));
        page(&format!("<a {}/>", "href='x' ".repeat(100_000)));
    }
}
