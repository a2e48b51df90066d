//! The same page in HTML, for who can match the elements of HTML alone: what closes itself is closed by a tag, what is in CDATA is
//! text, prefixes are left out, and elements of other namespaces have a name that HTML does not know. What is no text of
//! the page is left out.

use super::super::attributes::Attributes;
use super::{Elements, Events, NotWellFormed};
use crate::parse::xml;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// An element that HTML does not know.
const OTHER: &str = "x-other";

/// Events that nobody listens to.
struct Unheard;

impl Events for Unheard {
    fn start(&mut self, _: &[u8], _: &Attributes) {}
    fn end(&mut self, _: &[u8]) {}
    fn text(&mut self, _: &[u8]) {}
}

/// Writes a document that [`read`](super::read) can read as HTML.
pub(in crate::parse) fn as_html(document: &str) -> Result<String, NotWellFormed> {
    let mut unheard = Unheard;
    let mut page = Elements::new(&mut unheard);
    let mut html = String::with_capacity(document.len() + document.len() / 8);
    let mut reader = Reader::from_str(document);
    loop {
        match reader.read_event().map_err(|_| NotWellFormed)? {
            Event::Start(element) => {
                page.start(&element)?;
                start(&mut html, &page, &element);
            }
            Event::Empty(element) => {
                page.start(&element)?;
                start(&mut html, &page, &element);
                end(&mut html, &page, element.name().as_ref());
                page.end(element.name().as_ref());
            }
            Event::End(element) => {
                end(&mut html, &page, element.name().as_ref());
                page.end(element.name().as_ref());
            }
            Event::Text(text) if page.hidden.is_none() => escape(&mut html, &text),
            Event::CData(text) if page.hidden.is_none() => escape(&mut html, &text),
            Event::GeneralRef(reference) if page.hidden.is_none() => escape(&mut html, &xml::in_html(&reference)),
            Event::Eof => return Ok(html),
            _ => {}
        }
    }
}

fn start(html: &mut String, page: &Elements<'_, Unheard>, element: &BytesStart<'_>) {
    html.push('<');
    html.push_str(name(page, element.name().as_ref()));
    html.push_str(element.attributes_raw().trim_end_matches('/'));
    html.push('>');
}

/// The end of an element; one that HTML has no end of is without.
fn end(html: &mut String, page: &Elements<'_, Unheard>, qualified: &str) {
    const VOID: [&str; 14] =
        ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
    let name = name(page, qualified);
    if !VOID.contains(&name) {
        html.push_str("</");
        html.push_str(name);
        html.push('>');
    }
}

fn name<'a>(page: &Elements<'_, Unheard>, qualified: &'a str) -> &'a str {
    if page.is_known(qualified) { xml::local(qualified) } else { OTHER }
}

/// Text as it stands between tags.
fn escape(html: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '<' => html.push_str("&lt;"),
            '&' => html.push_str("&amp;"),
            other => html.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::as_html;
    use crate::parse::{html_text, parse};
    use url::Url;

    #[test]
    fn the_page_is_the_same() {
        let body = "<head><script src='s'/><title/><style>b{}</style><base href='/x/'/></head><body class='a>b'><p>one<br/>t<b>w</b>o\
                    <textarea/> <a href='/x?a&amp;b' >&lt;&eacute;&section;</a></p><![CDATA[a < b & c]]><x:script xmlns:x='urn:x'>shown</x:script>\
                    <template><p>not this</p></template><noscript>nor this</noscript><!-- nor this --></body>";
        let document = format!("<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>{body}</html>");
        let url = Url::parse("http://a.org/").unwrap();
        let read = parse(document.as_bytes(), Some("application/xhtml+xml"), &url);
        assert!(read.is_xml && read.text.contains("<é&section;") && read.text.contains("shown"), "{}", read.text);
        assert_eq!(html_text(&as_html(&document).unwrap()), read.text);
    }
}
