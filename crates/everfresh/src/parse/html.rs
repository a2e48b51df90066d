//! HTML pages: text, links, metadata and the counts Barbosa's features need, in one pass.

use super::attributes::{Attribute, Attributes};
use super::directives::Directives;
use super::links::Links;
use super::shown::Text;
use super::text::Addresses;
use super::tokens::{self, Events};
use super::{Features, Kind, Parsed, xhtml};
use url::Url;

/// Links kept of one page; a page with more is a list nobody reads to its end, or a trap.
const MAX_LINKS: usize = 10_000;

/// Reads a page found at `url`, as the robot of this name.
pub(super) fn parse(html: &str, charset: &'static str, url: &Url, agent: &str) -> Parsed {
    let mut page = Page::new(url, charset, html.len(), agent);
    tokens::read(html, &mut page);
    page.finish(charset, url)
}

/// Reads a page that was sent as XML; as HTML if it is none.
pub(super) fn parse_xml(document: &str, charset: &'static str, url: &Url, agent: &str) -> Parsed {
    let mut page = Page::new(url, charset, document.len(), agent);
    match xhtml::read(document, &mut page) {
        Ok(()) => Parsed { is_xml: true, ..page.finish(charset, url) },
        Err(xhtml::NotWellFormed) => {
            let mut page = Page::new(url, charset, document.len(), agent);
            tokens::read_meant_as_xml(document, &mut page);
            page.finish(charset, url)
        }
    }
}

/// Only the text of a page, as [`parse`] sees it.
pub(super) fn text(html: &str) -> String {
    struct TextOnly(Text);
    impl Events for TextOnly {
        fn start(&mut self, element: &[u8], attributes: &Attributes) {
            self.0.start(element, attributes);
        }
        fn end(&mut self, element: &[u8]) {
            self.0.end(element);
        }
        fn text(&mut self, piece: &[u8]) {
            self.0.push(piece);
        }
    }
    let mut only = TextOnly(Text::new(html.len()));
    tokens::read(html, &mut only);
    only.0.finish()
}

struct Page<'a> {
    /// Who reads.
    agent: &'a str,
    text: Text,
    links: Links,
    addresses: Addresses,
    images: u32,
    has_base: bool,
    canonical: Option<Url>,
    directives: Directives,
}

impl<'a> Page<'a> {
    fn new(url: &Url, charset: &str, html_bytes: usize, agent: &'a str) -> Page<'a> {
        Page {
            agent,
            text: Text::new(html_bytes),
            links: Links::new(url.clone(), MAX_LINKS).in_charset(charset),
            addresses: Addresses::default(),
            images: 0,
            has_base: false,
            canonical: None,
            directives: Directives::default(),
        }
    }

    fn finish(mut self, charset: &'static str, url: &Url) -> Parsed {
        let text = self.text.finish();
        self.addresses.add_text(&text);
        let features = Features {
            text_bytes: u32::try_from(text.len()).unwrap_or(u32::MAX),
            links: self.links.found(),
            images: self.images,
            emails: self.addresses.count(),
            directory_level: super::directory_level(url),
        };
        let (links, left_out) = self.links.finish();
        Parsed {
            kind: Kind::Html,
            charset,
            is_xml: false,
            text,
            links,
            breaks_off: false,
            left_out,
            canonical: self.canonical,
            directives: self.directives,
            features,
        }
    }

    /// Takes what an element says of where the page leads, and of whether robots are to go there.
    #[inline]
    fn lead_on(&mut self, element: &[u8], attributes: &Attributes) {
        match element {
            b"a" | b"area" => self.anchor(attributes),
            b"link" => self.link(attributes),
            b"meta" => self.meta(attributes),
            b"iframe" | b"frame" => {
                if let Some(source) = attributes.get(Attribute::Src) {
                    self.links.add(source, false, None);
                }
            }
            _ => {}
        }
    }

    fn anchor(&mut self, attributes: &Attributes) {
        let Some(href) = attributes.get(Attribute::Href) else { return };
        match href.get(..7) {
            Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => self.addresses.add_mailto(&href[7..]),
            _ => self.links.add(href, has_token(attributes.get(Attribute::Rel), "nofollow"), None),
        }
    }

    /// `<link>` elements lead on if they continue a series or name a feed of the page.
    fn link(&mut self, attributes: &Attributes) {
        let (Some(href), rel) = (attributes.get(Attribute::Href), attributes.get(Attribute::Rel)) else { return };
        if has_token(rel, "canonical") && self.canonical.is_none() {
            self.canonical = self.links.resolve(href);
        }
        let series = ["next", "prev", "previous"].iter().any(|relation| has_token(rel, relation));
        let is_feed = attributes.get(Attribute::Type).is_some_and(is_feed_type);
        if series || (is_feed && has_token(rel, "alternate")) {
            self.links.add(href, has_token(rel, "nofollow"), None);
        }
    }

    /// The first `<base href>` holds, for what follows it. It is bounded like every URL: each link would copy it.
    fn base(&mut self, attributes: &Attributes) {
        let Some(href) = attributes.get(Attribute::Href).filter(|_| !self.has_base) else { return };
        self.has_base = true;
        if let Some(base) = self.links.resolve(href) {
            self.links.set_base(base);
        }
    }

    fn meta(&mut self, attributes: &Attributes) {
        let Some(content) = attributes.get(Attribute::Content) else { return };
        let is_to_us = |name: &str| name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(self.agent);
        if attributes.get(Attribute::Name).is_some_and(is_to_us) {
            self.directives = self.directives.merged(Directives::from_rules(content));
        }
        let refreshes = attributes.get(Attribute::HttpEquiv).is_some_and(|name| name.eq_ignore_ascii_case("refresh"));
        if let Some(target) = refresh_target(content).filter(|_| refreshes) {
            self.links.add(target, false, None);
        }
    }
}

impl Events for Page<'_> {
    fn start(&mut self, element: &[u8], attributes: &Attributes) {
        self.text.start(element, attributes);
        if self.text.is_hidden() {
            return;
        }
        match element {
            b"img" => self.images = self.images.saturating_add(1),
            b"base" => self.base(attributes),
            _ => self.lead_on(element, attributes),
        }
        if let Some(markup) = attributes.get(Attribute::Srcdoc).filter(|_| element == b"iframe") {
            tokens::read(markup, &mut Fallback(self));
        }
    }

    fn end(&mut self, element: &[u8]) {
        self.text.end(element);
    }

    fn text(&mut self, piece: &[u8]) {
        self.text.push(piece);
    }

    fn fallback(&mut self, markup: &str) {
        if !self.text.is_hidden() {
            tokens::read(markup, &mut Fallback(self));
        }
    }
}

/// What a page shows to those who do without scripts or frames, or in a frame of its own: it is not what its readers see, or
/// is read as text elsewhere, but it leads on.
struct Fallback<'a, 'page>(&'a mut Page<'page>);

impl Events for Fallback<'_, '_> {
    fn start(&mut self, element: &[u8], attributes: &Attributes) {
        self.0.lead_on(element, attributes);
    }
    fn end(&mut self, _: &[u8]) {}
    fn text(&mut self, _: &[u8]) {}
}

fn is_feed_type(media_type: &str) -> bool {
    const FEEDS: [&str; 3] = ["application/rss+xml", "application/atom+xml", "application/feed+json"];
    let essence = media_type.split(';').next().unwrap_or_default().trim_ascii();
    FEEDS.iter().any(|feed| essence.eq_ignore_ascii_case(feed))
}

fn has_token(value: Option<&str>, token: &str) -> bool {
    value.is_some_and(|value| value.split_ascii_whitespace().any(|found| found.eq_ignore_ascii_case(token)))
}

/// The target in `5; url='/next'`, as the HTML standard reads it ("shared declarative refresh steps"); a refresh without one
/// reloads the page and leads nowhere.
fn refresh_target(content: &str) -> Option<&str> {
    let content = content.trim_ascii_start();
    let rest = content.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_timed =
        rest.len() < content.len() && rest.starts_with(|c: char| matches!(c, ';' | ',') || c.is_ascii_whitespace());
    let rest = Some(rest.trim_ascii_start()).filter(|_| is_timed)?;
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start();
    let is_named = rest.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("url"));
    let named = is_named.then(|| rest[3..].trim_ascii_start().strip_prefix('=')).flatten();
    let target = named.unwrap_or(rest).trim_ascii();
    let target = match target.chars().next() {
        Some(quote @ ('"' | '\'')) => target[1..].split(quote).next().unwrap_or_default(),
        _ => target,
    };
    (!target.is_empty()).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Parsed {
        parse(html, "UTF-8", &Url::parse("http://a.org/d/page").unwrap(), "everfresh")
    }

    fn urls(parsed: &Parsed) -> Vec<&str> {
        parsed.links.iter().map(|link| link.url.as_str()).collect()
    }

    #[test]
    fn text_is_what_a_reader_sees() {
        let html = "<html><head><title>T &amp; U</title><style>b{}</style><script>x<y</script></head><body><h1>One</h1>\
                    <p>t<b>w</b>o&nbsp;&eacute;<br>three<template><p>not <template>this</template></p></template>\
                    <noscript>nor this</noscript><ul><li>4<li>5</ul>\n\n  six<!-- 7 --></body></html>";
        assert_eq!(page(html).text, "T & U One two é three 4 5 six");
        assert_eq!(text(html), page(html).text);
    }

    #[test]
    fn the_layout_of_preformatted_text_counts() {
        let html = "<p>a  b<pre>\nif a:\n    b() \n<b>c</b>()\n</pre> d  e<textarea>\n x\n  y</textarea><template><pre></template>f  g";
        assert_eq!(page(html).text, "a b if a:\n    b()\nc() d e  x\n  y f g");
        assert_eq!(text(html), page(html).text);
        assert_eq!(page("a<pre>  b \r\n\r\n").text, "a   b", "which nobody closes");
        assert_eq!(page("a<pre>\n</pre>b").text, "a b");
    }

    #[test]
    fn shadow_roots_and_inner_documents_are_shown() {
        let html = "<x-y><template shadowrootmode=Open><p>one <a href=/1>two</a><template>no<a href=/no></a></template></template>\
                    </x-y><iframe srcdoc=\"<template>no</template><a href='/2'>three</a><pre>\n x\n  y\n<iframe srcdoc='<a href=/no>no'>\"></iframe>\
                    four  five<template shadowrootmode=no><a href=/no>no</a></template><svg><template/></svg>six";
        let parsed = page(html);
        assert_eq!(parsed.text, "one two three  x\n  y four five six");
        assert_eq!(urls(&parsed), ["http://a.org/1", "http://a.org/2"]);
        assert_eq!(text(html), parsed.text);
    }

    #[test]
    fn a_refresh_leads_where_browsers_go() {
        for (content, target) in [
            ("0; URL='/r'", Some("/r")),
            ("0 url=/r", Some("/r")),
            ("0;url='/r' ; y", Some("/r")),
            ("0;url=\"/r", Some("/r")),
            (".5 , url = /r ", Some("/r")),
            ("3,/r", Some("/r")),
            ("3;url", Some("url")),
            ("0", None),
            ("0;", None),
            ("0;url=", None),
            ("url=/r", None),
            ("5x; url=/r", None),
        ] {
            assert_eq!(refresh_target(content), target, "{content}");
        }
    }

    #[test]
    fn links_of_every_kind() {
        let parsed = page(
            "<link rel=stylesheet href=s.css><link rel='alternate' type='application/rss+xml' href=/feed><link rel=next href=2>\
             <link rel=Previous href=0><link rel=alternate hreflang=de href=/de><a href=' x?a=1&amp;b=2 '>x</a><area href=y><iframe src=f></iframe>\
             <meta http-equiv=Refresh content=\"0; URL='/r'\"><a href=#top>t</a><a name=n>n</a><a href=javascript:void(0)>j</a>",
        );
        let expected =
            ["/feed", "/d/2", "/d/0", "/d/x?a=1&b=2", "/d/y", "/d/f", "/r"].map(|path| format!("http://a.org{path}"));
        assert_eq!(urls(&parsed), expected);
        assert_eq!(parsed.features.links, 9);
    }

    #[test]
    fn feeds_of_every_kind_are_named_by_their_type() {
        let parsed = page(
            "<link rel=alternate type='application/feed+json' href=/json><link rel=alternate type='text/html' href=/no>\
             <link rel=alternate type='Application/Atom+XML; charset=utf-8' href=/atom>",
        );
        assert_eq!(urls(&parsed), ["http://a.org/json", "http://a.org/atom"]);
    }

    #[test]
    fn fallbacks_lead_on_but_are_no_text() {
        let parsed = page(
            "<noscript><meta http-equiv=refresh content='0;url=/r'><base href=/no/><a href='x?a&amp;b'>t</a><!-- </noscript>\
             <a href=y>seen</a><noframes><body><a href=z></noframes><template><noscript><a href=no></noscript></template>",
        );
        assert_eq!(urls(&parsed), ["/r", "/d/x?a&b", "/d/y", "/d/z"].map(|path| format!("http://a.org{path}")));
        assert_eq!(parsed.text, "seen");
    }

    #[test]
    fn queries_are_in_the_charset_of_the_page() {
        let parsed = parse(
            "<a href='/\u{e9}?\u{e9}'><link rel=canonical href='?&eacute;'>",
            "windows-1252",
            &"http://a.org/".parse().unwrap(),
            "everfresh",
        );
        assert_eq!(urls(&parsed), ["http://a.org/%C3%A9?%E9"]);
        assert_eq!(parsed.canonical.unwrap().as_str(), "http://a.org/?%E9");
    }

    #[test]
    fn only_ascii_spaces_around_a_link_do_not_count() {
        assert_eq!(urls(&page("<a href='\n x&nbsp;\t'>")), ["http://a.org/d/x%C2%A0"]);
    }

    #[test]
    fn only_the_first_base_counts() {
        let parsed = page("<base target=_top><base href=/base/><base href=/other/><a href=x>");
        assert_eq!(urls(&parsed), ["http://a.org/base/x"]);
    }

    #[test]
    fn metadata() {
        let parsed = page(
            "<link rel=canonical href='/c?utm_source=x#y'><link rel=canonical href=/second><meta name=ROBOTS content='NoFollow'>\
             <a href=/a rel='external nofollow'>a</a><a href=/b rel=nofollow>b</a><a href=/b>b</a>",
        );
        assert_eq!(parsed.canonical.as_ref().map(Url::as_str), Some("http://a.org/c"));
        assert_eq!(parsed.directives, Directives { nofollow: true, noindex: false });
        assert_eq!(parsed.links.iter().map(|link| link.nofollow).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_page_may_address_one_robot_by_its_name() {
        let asks = |name| page(&format!("<meta name={name} content=none>")).directives.nofollow;
        assert_eq!(["robots", "EverFresh", "otherbot"].map(asks), [true, true, false]);
    }

    #[test]
    fn counts_of_the_page_as_seen() {
        let parsed = page(
            "<img src=a><img src=a><a href='mailto:Me@a.org?subject=x'>me@a.org</a> you@b.org <a href=1>1</a><a href=1>1</a>",
        );
        let counts = (parsed.features.images, parsed.features.emails, parsed.features.links, parsed.links.len());
        assert_eq!(counts, (2, 2, 2, 1));
    }

    #[test]
    fn hostile_pages_are_read_in_linear_time() {
        assert_eq!(page(&"<".repeat(1_000_000)).features.links, 0);
        assert_eq!(page(&"<div>".repeat(1_000_000)).text, "");
        assert_eq!(page(&"<template>".repeat(1_000_000)).text, "");
        page(&format!("<a {}", "href=x ".repeat(300_000)));
        page(&format!("<{}>", "x".repeat(1_000_000)));
        page(&format!("<script>{}", "</scrip".repeat(200_000)));
        let base = format!("<base href='/{}'>", "x".repeat(1_000_000));
        assert_eq!(page(&(base + &"<a href=y>".repeat(100_000))).links.len(), 1);
        let many: String = (0..20_000).map(|number| format!("<a href={number}>")).collect();
        let parsed = page(&many);
        assert_eq!((parsed.links.len(), parsed.has_more_links()), (MAX_LINKS, true));
        page(&"<noscript><a href=x>".repeat(100_000));
    }
}
