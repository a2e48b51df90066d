//! HTML bytes to the few events extraction needs, on the WHATWG state machine of `html5gum`.
//!
//! The tokenizer decodes entities and copes with any tag soup in linear time. It calls back piece by piece, so nothing is
//! kept here but the tag being read, and of its attributes only the few that carry links or metadata. There is no tree:
//! what a browser's tree builder would add (raw text elements, SVG and MathML) is imitated where it matters for text.
//!
//! From one quoted attribute to the next the tokenizer calls itself, so a tag with thousands of them would overflow the
//! stack. It is made to [return](Rested) now and then and called again.

use super::attributes::{Attribute, Attributes};
use html5gum::{Emitter, Error, Readable, Reader, State, StringReader, Tokenizer};
use std::convert::Infallible;

/// Longer names belong to no element we know; the rest of them is not kept.
const MAX_NAME_BYTES: usize = 32;

/// What is told about a page, in document order.
pub(super) trait Events {
    /// An element begins; `attributes` are those of [`Attribute`] it has.
    fn start(&mut self, element: &[u8], attributes: &Attributes);
    /// An end tag, whether or not it closes something.
    fn end(&mut self, element: &[u8]);
    /// A piece of the text of the page, entities decoded; never the inside of scripts, styles or fallbacks.
    fn text(&mut self, piece: &[u8]);
    /// The markup of a whole fallback, which a browser shows to those who do without scripts or frames.
    fn fallback(&mut self, _markup: &str) {}
}

/// Reads `html` and tells `events` what is in it.
pub(super) fn read(html: &str, events: &mut impl Events) {
    read_as(false, html, events);
}

/// Reads what was meant as XML and is not well-formed as HTML, but for what XML may close and quote: any element can close
/// itself, and sections of character data are text.
pub(super) fn read_meant_as_xml(document: &str, events: &mut impl Events) {
    read_as(true, document, events);
}

fn read_as(is_xml: bool, html: &str, events: &mut impl Events) {
    let reader = Tokens {
        events,
        name: Vec::with_capacity(MAX_NAME_BYTES),
        raw_element: Vec::new(),
        is_start: false,
        self_closing: false,
        attribute_name: Vec::with_capacity(MAX_NAME_BYTES),
        attribute: None,
        attributes: Attributes::default(),
        hidden: false,
        fallback: None,
        is_xml,
        foreign: 0,
    };
    let mut tokenizer = Tokenizer::new_with_emitter(Rested { page: html.to_reader(), quoted: 0 }, reader);
    // There are no tokens, so whatever comes before the end is a rest.
    while tokenizer.next().is_some() {}
}

/// Tells `take` of a text without markup whose references are to be decoded.
pub(super) fn decode(raw: &str, mut take: impl FnMut(&[u8])) {
    struct Decoded<F>(F);
    impl<F: FnMut(&[u8])> Events for Decoded<F> {
        fn start(&mut self, _: &[u8], _: &Attributes) {}
        fn end(&mut self, _: &[u8]) {}
        fn text(&mut self, piece: &[u8]) {
            (self.0)(piece);
        }
    }
    if raw.contains('&') {
        read(raw, &mut Decoded(take));
    } else {
        take(raw.as_bytes());
    }
}

/// Quoted values that are read before the tokenizer has to return: some 20 KB of stack.
const QUOTED_TO_A_REST: u32 = 64;

/// A page whose reading fails every so often, at a place where the tokenizer can go on as if nothing had been: within a
/// quoted value, which is part of every turn of its recursion, and of which it has noted that it is there.
struct Rested<'a> {
    page: StringReader<'a>,
    quoted: u32,
}

/// No error of the page: the tokenizer is to be called again.
#[derive(Debug, thiserror::Error)]
#[error("call again")]
struct Rest;

impl Reader for Rested<'_> {
    type Error = Rest;

    #[inline(always)]
    fn read_byte(&mut self) -> Result<Option<u8>, Rest> {
        match self.page.read_byte() {
            Ok(byte) => Ok(byte),
        }
    }

    #[inline(always)]
    fn try_read_string(&mut self, wanted: &[u8], case_sensitive: bool) -> Result<bool, Rest> {
        match self.page.try_read_string(wanted, case_sensitive) {
            Ok(found) => Ok(found),
        }
    }

    #[inline(always)]
    fn read_until<'b>(&'b mut self, needle: &[u8], buffer: &'b mut [u8; 4]) -> Result<Option<&'b [u8]>, Rest> {
        // Only what is in double quotes is read up to them first of all.
        if needle[0] == b'"' {
            self.quoted += 1;
            if self.quoted == QUOTED_TO_A_REST {
                self.quoted = 0;
                return Err(Rest);
            }
        }
        match self.page.read_until(needle, buffer) {
            Ok(piece) => Ok(piece),
        }
    }
}

struct Tokens<'a, E> {
    events: &'a mut E,
    name: Vec<u8>,
    /// The element whose content is being read as raw text, if any: only its own end tag ends it.
    raw_element: Vec<u8>,
    is_start: bool,
    self_closing: bool,
    attribute_name: Vec<u8>,
    /// The attribute being read, if it is one that is kept: which, and where its value starts.
    attribute: Option<(Attribute, usize)>,
    attributes: Attributes,
    /// Inside an element whose text is not the page's text.
    hidden: bool,
    /// The markup of the fallback being read, if any.
    fallback: Option<Vec<u8>>,
    /// Whether the page was meant as XML.
    is_xml: bool,
    /// Depth of nested `svg` and `math` elements.
    foreign: u32,
}

impl<E: Events> Tokens<'_, E> {
    /// Settles which attribute is being read, once its name is complete.
    fn begin_value(&mut self) {
        if self.attribute_name.is_empty() {
            return;
        }
        let wanted = Attribute::named(&self.attribute_name).filter(|_| self.is_start);
        let unseen = wanted.filter(|attribute| !self.attributes.has(*attribute));
        self.attribute = unseen.map(|attribute| (attribute, self.attributes.end()));
        self.attribute_name.clear();
    }

    fn finish_attribute(&mut self) {
        self.begin_value();
        if let Some((attribute, start)) = self.attribute.take() {
            self.attributes.finish(attribute, start);
        }
    }

    fn start_tag(&mut self) -> Option<State> {
        self.enter_foreign();
        self.events.start(&self.name, &self.attributes);
        if self.is_like_xml() && self.self_closing {
            self.events.end(&self.name);
            return None;
        }
        let (state, hidden) = raw_content(&self.name).filter(|_| self.foreign == 0 || self.name != b"title")?;
        self.hidden = hidden;
        self.fallback = is_fallback(&self.name).then(Vec::new);
        self.raw_element.clone_from(&self.name);
        Some(state)
    }

    /// Whether the rules of XML hold here for what closes itself and for character data.
    fn is_like_xml(&self) -> bool {
        self.is_xml || self.foreign > 0
    }

    /// In SVG and MathML a self-closing tag is closed, and an HTML element ends them.
    fn enter_foreign(&mut self) {
        match self.name.as_slice() {
            b"svg" | b"math" if !self.self_closing => self.foreign = self.foreign.saturating_add(1),
            b"body" | b"div" | b"p" | b"table" | b"ul" | b"ol" | b"li" | b"h1" | b"h2" | b"h3" | b"span" | b"img" => {
                self.foreign = 0;
            }
            _ => {}
        }
    }

    fn tell_fallback(&mut self) {
        let Some(markup) = self.fallback.take() else { return };
        if let Ok(markup) = std::str::from_utf8(&markup) {
            self.events.fallback(markup);
        }
    }

    fn end_tag(&mut self) {
        self.hidden = false;
        self.tell_fallback();
        self.raw_element.clear();
        if matches!(self.name.as_slice(), b"svg" | b"math") {
            self.foreign = self.foreign.saturating_sub(1);
        }
        self.events.end(&self.name);
    }
}

/// Elements whose content is not markup: how to read it, and whether to hide it from the text.
fn raw_content(element: &[u8]) -> Option<(State, bool)> {
    match element {
        b"script" => Some((State::ScriptData, true)),
        b"style" | b"iframe" | b"noembed" | b"noframes" | b"noscript" => Some((State::RawText, true)),
        b"xmp" => Some((State::RawText, false)),
        b"title" | b"textarea" => Some((State::RcData, false)),
        b"plaintext" => Some((State::PlainText, false)),
        _ => None,
    }
}

/// Whether the text of an element is not the page's text.
pub(super) fn is_hidden(element: &[u8]) -> bool {
    raw_content(element).is_some_and(|(_, hidden)| hidden)
}

/// Elements whose content is markup to some browsers and to others not there.
fn is_fallback(element: &[u8]) -> bool {
    matches!(element, b"noscript" | b"noframes" | b"noembed")
}

fn push_bounded(name: &mut Vec<u8>, piece: &[u8]) {
    let room = MAX_NAME_BYTES - name.len();
    name.extend_from_slice(&piece[..piece.len().min(room)]);
}

impl<E: Events> Emitter for Tokens<'_, E> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, element: Option<&[u8]>) {
        self.raw_element = element.unwrap_or_default().to_vec();
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, piece: &[u8]) {
        if !self.hidden {
            self.events.text(piece);
        } else if let Some(fallback) = &mut self.fallback {
            fallback.extend_from_slice(piece);
        }
    }

    fn init_start_tag(&mut self) {
        self.name.clear();
        self.attributes.clear();
        self.is_start = true;
        self.self_closing = false;
    }

    fn init_end_tag(&mut self) {
        self.name.clear();
        self.attributes.clear();
        self.is_start = false;
    }

    fn push_tag_name(&mut self, piece: &[u8]) {
        push_bounded(&mut self.name, piece);
    }

    fn init_attribute(&mut self) {
        self.finish_attribute();
    }

    fn push_attribute_name(&mut self, piece: &[u8]) {
        push_bounded(&mut self.attribute_name, piece);
    }

    fn init_attribute_value(&mut self) {
        self.begin_value();
    }

    fn push_attribute_value(&mut self, piece: &[u8]) {
        self.begin_value();
        if self.attribute.is_some() {
            self.attributes.push(piece);
        }
    }

    fn set_self_closing(&mut self) {
        self.self_closing = true;
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.finish_attribute();
        if self.is_start {
            return self.start_tag();
        }
        self.end_tag();
        None
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        !self.is_start && !self.raw_element.is_empty() && self.raw_element == self.name
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.is_like_xml()
    }

    fn emit_eof(&mut self) {
        self.tell_fallback();
    }

    fn emit_error(&mut self, _: Error) {}
    fn init_comment(&mut self) {}
    fn push_comment(&mut self, _: &[u8]) {}
    fn emit_current_comment(&mut self) {}
    fn init_doctype(&mut self) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn set_force_quirks(&mut self) {}
    fn emit_current_doctype(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Log(String);

    impl Events for Log {
        fn start(&mut self, element: &[u8], attributes: &Attributes) {
            self.0 += &format!("<{}", String::from_utf8_lossy(element));
            for attribute in [Attribute::Href, Attribute::Rel] {
                if let Some(value) = attributes.get(attribute) {
                    self.0 += &format!(" {attribute:?}={value}");
                }
            }
            self.0 += ">";
        }

        fn end(&mut self, element: &[u8]) {
            self.0 += &format!("</{}>", String::from_utf8_lossy(element));
        }

        fn text(&mut self, piece: &[u8]) {
            self.0 += &String::from_utf8_lossy(piece);
        }

        fn fallback(&mut self, markup: &str) {
            self.0 += &format!("[{markup}]");
        }
    }

    fn told(html: &str) -> String {
        let mut log = Log::default();
        read(html, &mut log);
        log.0
    }

    #[test]
    fn attributes_are_decoded_and_the_first_one_counts() {
        assert_eq!(told("<A ID=x HREF='/?a&amp;b' href=no rel=''>t"), "<a Href=/?a&b Rel=>t");
        assert_eq!(told("<a href rel=nofollow>"), "<a Href= Rel=nofollow>");
        assert_eq!(told("</a href=x><b>"), "</a><b>");
    }

    #[test]
    fn a_tag_has_as_many_quoted_attributes_as_it_likes() {
        for many in (0..200).chain([1_000_000]) {
            let tag = format!("<a {}href=\"/?a&amp;b\">t", "b=\"1\" ".repeat(many));
            assert_eq!(told(&tag), "<a Href=/?a&b>t", "{many}");
        }
    }

    #[test]
    fn raw_elements_end_only_with_their_own_tag() {
        assert_eq!(told("<script>a</b><i></script>c"), "<script></script>c");
        assert_eq!(told("<title>a &lt; <b></title>c"), "<title>a < <b></title>c");
        assert_eq!(told("<xmp><b></xmp>"), "<xmp><b></xmp>");
    }

    #[test]
    fn a_fallback_is_told_as_a_whole() {
        assert_eq!(told("<noscript><a href=&amp;></b></noscript>c"), "<noscript>[<a href=&amp;></b>]</noscript>c");
        assert_eq!(told("<noframes><p></noscript>"), "<noframes>[<p></noscript>]", "to the end if nobody closes it");
        assert_eq!(
            told("<script>x</script><noscript>\u{e9}</noscript>"),
            "<script></script><noscript>[\u{e9}]</noscript>"
        );
    }

    #[test]
    fn what_was_meant_as_xml_may_close_itself_anywhere() {
        let mut log = Log::default();
        read_meant_as_xml("<script src='x'/><title/>a<br><![CDATA[b<c]]><style>d</style>", &mut log);
        assert_eq!(log.0, "<script></script><title></title>a<br>b<c<style></style>");
    }

    #[test]
    fn a_closed_script_in_svg_hides_nothing() {
        assert_eq!(
            told("<svg><script/><title>t</title></svg>after"),
            "<svg><script></script><title>t</title></svg>after"
        );
        assert_eq!(told("<svg><![CDATA[a<b]]></svg>"), "<svg>a<b</svg>");
        assert_eq!(told("<svg><p><script/>hidden"), "<svg><p><script>");
    }
}
