//! Room 2: what is in a body. Bytes come in, text, links, metadata and features go out.
//!
//! [`parse`] never fails: whatever a server sends is some [`Kind`] of content, at worst [`Kind::Other`] without text. It holds
//! no state, waits for nothing, and takes time and memory linear in the body. Which of the links are followed is for
//! [`scope::Scope`] to say.

mod attributes;
mod charset;
mod dates;
mod declaration;
mod directives;
mod feed;
mod html;
mod json_feed;
mod left_out;
mod links;
pub mod normalise;
pub(crate) mod number;
mod outline;
mod refusal;
pub mod scope;
mod shown;
mod sitemap;
mod sniff;
mod text;
mod tokens;
mod traps;
mod xhtml;
pub(crate) mod xml;

pub(crate) use charset::{decode_as, from_content_type as claimed_charset};
pub(crate) use declaration::{in_xml as declared_in_xml, unmarked_utf16};
pub use directives::Directives;
pub use left_out::{LeftOut, LeftOutRow};
pub use links::Link;
pub(crate) use sniff::{claims_page, is_no_claim, is_no_text};
pub(crate) use text::collapse;

use links::Links;
use url::Url;

/// What a body turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An HTML page.
    Html,
    /// Any other text: plain, JSON, CSV, XML of no known kind.
    Text,
    /// An RSS, Atom or JSON feed.
    Feed,
    /// A sitemap, an index of sitemaps or a plain list of URLs.
    Sitemap,
    /// Not text.
    Other,
}

/// The static features of a page (Barbosa et al. 2005) that its body and URL tell; counts are of the page as seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Bytes of text without markup.
    pub text_bytes: u32,
    /// Links, repeated ones and those that lead nowhere included.
    pub links: u32,
    /// Images.
    pub images: u32,
    /// Distinct e-mail addresses.
    pub emails: u32,
    /// Directory level of the URL: 1 for `www.x.com`, 2 for `www.x.com/mail/`.
    pub directory_level: u8,
}

/// All that the later rooms need to know of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// What it is.
    pub kind: Kind,
    /// The encoding it was read with; `binary` for [`Kind::Other`].
    pub charset: &'static str,
    /// Whether it is a page that was read by the rules of XML.
    pub is_xml: bool,
    /// Its text without markup, on one line; empty for [`Kind::Other`]. A byte that does not decode is a character of private
    /// use, U+F700 and the byte, so that another one is another text.
    pub text: String,
    /// Where it leads: each URL once, in order of first appearance, at most 10,000 (sitemaps: 50,000).
    pub links: Vec<Link>,
    /// Whether it is a list that breaks off, so that these are not all its links, nor is this its text.
    pub breaks_off: bool,
    /// Links that are not among these: too long, or too many.
    pub left_out: LeftOut,
    /// The URL the page names as its own, in normal form.
    pub canonical: Option<Url>,
    /// What it asks of robots.
    pub directives: Directives,
    /// Its static features.
    pub features: Features,
}

impl Parsed {
    /// A sitemap or feed: text and links, nothing else.
    fn list(kind: Kind, charset: &'static str, text: String, links: Links, url: &Url) -> Parsed {
        let features = Features {
            text_bytes: u32::try_from(text.len()).unwrap_or(u32::MAX),
            links: links.found(),
            directory_level: directory_level(url),
            ..Features::default()
        };
        let (links, left_out) = links.finish();
        let (breaks_off, canonical, directives) = (false, None, Directives::default());
        let is_xml = false;
        Parsed { kind, charset, is_xml, text, links, breaks_off, left_out, canonical, directives, features }
    }

    /// Whether it leads to more pages than were read.
    pub fn has_more_links(&self) -> bool {
        self.left_out.has(scope::Refusal::LinkLimit)
    }

    fn plain(kind: Kind, charset: &'static str, text: String, url: &Url) -> Parsed {
        let mut addresses = text::Addresses::default();
        addresses.add_text(&text);
        let mut parsed = Parsed::list(kind, charset, text, Links::new(url.clone(), 0), url);
        parsed.features.emails = addresses.count();
        parsed
    }
}

/// Reads a body that was sent for `url` with this `Content-Type`, as a robot nobody knows by name.
pub fn parse(content: &[u8], content_type: Option<&str>, url: &Url) -> Parsed {
    parse_as("", content, content_type, url)
}

/// Reads a body as the robot with this product token: a page may ask something of it alone.
pub fn parse_as(agent: &str, content: &[u8], content_type: Option<&str>, url: &Url) -> Parsed {
    let Some(unpacked) = sniff::unpack_list(content) else { return parse_unpacked(agent, content, content_type, url) };
    let mut parsed = parse_unpacked(agent, &unpacked, Some(sniff::XML), url);
    if unpacked.len() as u64 == sniff::MAX_UNPACKED_BYTES {
        // Through no fault of its own.
        parsed.breaks_off = false;
        parsed.left_out.count(scope::Refusal::LinkLimit, url.as_str());
    }
    parsed
}

fn parse_unpacked(agent: &str, content: &[u8], content_type: Option<&str>, url: &Url) -> Parsed {
    if sniff::is_binary(content, content_type) {
        return Parsed::plain(Kind::Other, "binary", String::new(), url);
    }
    let mut decoded = charset::decode(content, content_type);
    if decoded.is_malformed && is_list_or_xml(&decoded.text, content_type) {
        decoded = charset::decode_by_itself(content).unwrap_or(decoded);
    }
    let charset = decoded.charset;
    let read = |text: &str| parse_text(agent, text, charset, content_type, url);
    let mut parsed = read(&decoded.text);
    if decoded.is_malformed {
        let told_apart = read(&decode_as(content, charset));
        (parsed.text, parsed.features.text_bytes) = (told_apart.text, told_apart.features.text_bytes);
    }
    parsed
}

/// Whether a document says itself in which encoding it is; of pages browsers believe the type.
fn is_list_or_xml(text: &str, content_type: Option<&str>) -> bool {
    sniff::claims_xml(content_type) || matches!(sniff::kind(text, content_type), Kind::Feed | Kind::Sitemap)
}

fn parse_text(agent: &str, text: &str, charset: &'static str, content_type: Option<&str>, url: &Url) -> Parsed {
    match sniff::kind(text, content_type) {
        Kind::Html if sniff::claims_xml(content_type) => html::parse_xml(text, charset, url, agent),
        Kind::Html => html::parse(text, charset, url, agent),
        Kind::Feed if json_feed::is_object(text) => json_feed::parse(text, charset, url),
        Kind::Feed => feed::parse(text, charset, url),
        // The rows of a table may be nothing but addresses.
        Kind::Sitemap if sitemap::is_plain(text) && sniff::claims_table(content_type, url.path()) => {
            Parsed::plain(Kind::Text, charset, text::lines(text), url)
        }
        Kind::Sitemap if sitemap::is_plain(text) => sitemap::parse_plain(text, charset, url),
        Kind::Sitemap => sitemap::parse_xml(text, charset, url),
        Kind::Text | Kind::Other => Parsed::plain(Kind::Text, charset, text::lines(text), url),
    }
}

/// Whether a body is a sitemap or feed that [`parse`] would unpack first, to a multiple of its size.
pub(crate) fn is_packed_list(content: &[u8]) -> bool {
    sniff::is_packed_list(content)
}

/// Only the text of an HTML page, as [`parse`] extracts it.
pub(crate) fn html_text(html: &str) -> String {
    html::text(html)
}

/// A page that was read by the rules of XML as the same page in HTML.
pub(crate) fn xhtml_as_html(document: &str) -> Option<String> {
    xhtml::as_html(document).ok()
}

/// A date as the Web writes it: W3C's profile of ISO 8601, or that of e-mail. Without a zone it is UTC.
pub fn date(text: &str) -> Option<revisit::Time> {
    dates::parse(text)
}

/// How deep in the directories of its host a page lies, as Barbosa et al. count: `www.x.com` is 1, `www.x.com/mail/` is 2.
pub fn directory_level(url: &Url) -> u8 {
    let slashes = url.path().bytes().filter(|byte| *byte == b'/').count();
    u8::try_from(slashes.max(1)).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(content: &[u8], content_type: Option<&str>, url: &str) -> Parsed {
        parse(content, content_type, &Url::parse(url).unwrap())
    }

    #[test]
    fn every_kind_of_body_is_read() {
        let url = "http://a.org/x";
        assert_eq!(at(b"<p>hi", Some("text/html"), url).kind, Kind::Html);
        assert_eq!(at(b"a \r\n b\n", Some("text/plain"), url).text, "a\n b");
        assert_eq!(at(b"<rss/>", None, url).kind, Kind::Feed);
        assert_eq!(at(b"<urlset/>", None, url).kind, Kind::Sitemap);
        let image = at(b"\x89PNG\0\0\0", Some("image/png"), url);
        assert_eq!((image.kind, image.charset, image.text.as_str()), (Kind::Other, "binary", ""));
        assert_eq!(at(b"", None, url).kind, Kind::Text);
    }

    #[test]
    fn a_table_of_addresses_is_a_table() {
        let list = b"http://a.org/1\nhttp://a.org/2\n";
        let kind = |content_type, url| at(list, content_type, url).kind;
        assert_eq!(kind(Some("text/csv; header=absent"), "http://a.org/x"), Kind::Text);
        assert_eq!(kind(Some("text/plain"), "http://a.org/x.CSV"), Kind::Text);
        assert_eq!(kind(Some("text/plain"), "http://a.org/sitemap.txt"), Kind::Sitemap);
        assert_eq!(kind(None, "http://a.org/x"), Kind::Sitemap);
    }

    #[test]
    fn directory_levels_as_in_the_paper() {
        let level = |url| at(b"", None, url).features.directory_level;
        assert_eq!(level("http://www.x.com"), 1);
        assert_eq!(level("http://www.x.com/mail/"), 2);
        assert_eq!(level("http://www.x.com/mail/a.html"), 2);
        assert_eq!(level(&format!("http://www.x.com/{}", "a/".repeat(500))), 255);
    }

    #[test]
    fn a_compressed_sitemap_is_a_sitemap_whatever_its_type() {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"<urlset><url><loc>/a</loc></url></urlset>").unwrap();
        let packed = encoder.finish().unwrap();
        let parsed = at(&packed, Some("application/x-gzip"), "http://a.org/sitemap.xml.gz");
        assert_eq!((parsed.kind, parsed.links.len()), (Kind::Sitemap, 1));
        assert!(!parsed.has_more_links() && !parsed.breaks_off);
        assert!(at(&packed[..packed.len() - 18], None, "http://a.org/").breaks_off);
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&[b"<urlset>".as_slice(), &vec![b' '; 51 << 20]].concat()).unwrap();
        let cut = at(&encoder.finish().unwrap(), None, "http://a.org/");
        assert!(cut.has_more_links() && !cut.breaks_off, "more than is unpacked");
    }

    #[test]
    fn layout_counts_in_what_is_no_page() {
        let text = |body: &str, media_type| at(body.as_bytes(), Some(media_type), "http://a.org/x").text;
        for (old, new, media_type) in [
            ("a:\n  b: 1\nc: 2\n", "a:\n  b: 1\n  c: 2\n", "application/yaml"),
            ("if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n", "text/x-python"),
            ("a\t\tb\n", "a\tb\t\n", "text/plain"),
            ("Anna Maria\nBert\n", "Anna\nMaria Bert\n", "text/plain"),
        ] {
            assert_ne!(text(old, media_type), text(new, media_type), "{old:?}");
        }
        assert_eq!(text("a: \r\n b\r\n\r\n", "text/plain"), text("a:\n b", "text/plain"));
    }

    #[test]
    fn a_list_whose_coding_was_removed_is_a_list_whatever_its_type() {
        let (gzip, others) = (["application/gzip", "application/x-gzip"], ["application/zip", "application/pdf"]);
        for media_type in gzip.into_iter().chain(others) {
            let parsed = at(b"<urlset><url><loc>/a</loc></url></urlset>", Some(media_type), "http://a.org/s.xml.gz");
            assert_eq!((parsed.kind, parsed.links.len()), (Kind::Sitemap, 1), "{media_type}");
            let kind = if gzip.contains(&media_type) { Kind::Html } else { Kind::Other };
            assert_eq!(at(b"<!doctype html>a", Some(media_type), "http://a.org/").kind, kind, "{media_type}");
        }
        assert_eq!(at(b"\x1f\x8b\x08plain", Some("application/gzip"), "http://a.org/").kind, Kind::Other);
    }

    #[test]
    fn links_are_the_browsers_where_bytes_do_not_decode() {
        let parsed = at(b"<a href='/caf\xe9'>caf\xe9</a>", Some("text/html; charset=utf-8"), "http://a.org/");
        assert_eq!(parsed.links[0].url.as_str(), "http://a.org/caf%EF%BF%BD");
        assert_eq!((parsed.text.as_str(), parsed.features.text_bytes), ("caf\u{f7e9}", 6));
    }

    #[test]
    fn a_list_is_in_what_it_declares_if_it_is_not_in_what_its_type_claims() {
        let feed = |declared: &str, link: &[u8]| {
            let head = format!("<?xml version='1.0' encoding='{declared}'?><rss><item><link>/");
            [head.as_bytes(), link, b"</link></item></rss>"].concat()
        };
        let link = |content: &[u8], content_type| {
            let parsed = at(content, Some(content_type), "http://a.org/");
            (parsed.links[0].url.path().to_owned(), parsed.charset)
        };
        for content_type in ["application/rss+xml; charset=utf-8", "text/html; charset=utf-8"] {
            let latin = link(&feed("iso-8859-1", b"caf\xe9"), content_type);
            assert_eq!(latin, ("/caf%C3%A9".into(), "windows-1252"), "{content_type}");
        }
        let (utf8, wrong) = (feed("shift_jis", "\u{3042}".as_bytes()), feed("utf-8", b"caf\xe9"));
        assert_eq!(link(&utf8, "application/rss+xml"), ("/%E3%81%82".into(), "UTF-8"), "as other XML is");
        assert_eq!(link(&wrong, "application/rss+xml; charset=utf-8").0, "/caf%EF%BF%BD", "nothing else is left");
        let page = b"<?xml version='1.0' encoding='iso-8859-1'?><html><a href='/caf\xe9'>";
        assert_eq!(
            link(page, "text/html; charset=utf-8"),
            ("/caf%EF%BF%BD".into(), "UTF-8"),
            "pages are the browsers'"
        );
    }

    #[test]
    fn xml_that_shows_to_be_utf16_is_that_way_round() {
        let feed = "<rss><item><link>/1</link></item></rss>";
        let wide: Vec<u8> = feed.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let parsed = at(&wide, Some("application/rss+xml; charset=utf-16"), "http://a.org/");
        assert_eq!((parsed.kind, parsed.charset, parsed.links.len()), (Kind::Feed, "UTF-16BE", 1));
    }

    #[test]
    fn lists_that_break_off_are_told_from_those_that_end() {
        let breaks_off = |document: &str| at(document.as_bytes(), None, "http://a.org/").breaks_off;
        for whole in [
            "<rss/>",
            "<rss><channel><item><link>/1</link></rss>",
            "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><feed/></a:feed>\n<img src=x>",
            "<urlset><url><loc>/1</loc></url></urlset><!-- made in",
            "<sitemapindex><sitemap></nonsense></sitemapindex>",
        ] {
            assert!(!breaks_off(whole), "{whole}");
        }
        for broken in [
            "<rss>",
            "<rss><channel><item><link>/1</link></item></channel>",
            "<rss><channel/><rss></rss>",
            "<feed><entry><link href='/1'/></ent",
            "<feed><title><![CDATA[</feed>",
            "<urlset><url><loc>/1</loc></url></url",
            "<urlset><url><loc>/1",
            "<urlset><!-- </urlset>",
        ] {
            assert!(breaks_off(broken), "{broken}");
        }
        let entries: String = (0..60_000).map(|number| format!("<url><loc>/{number}</loc></url>")).collect();
        assert!(breaks_off(&format!("<urlset>{entries}")), "behind what is kept of it too");
    }

    proptest! {
        #[test]
        fn any_bytes_are_some_kind_of_content(
            bytes in proptest::collection::vec(any::<u8>(), 0..400),
            head in prop::sample::select(vec!["", "<html>", "<rss>", "<urlset>", "<?xml ", "<!DOCTYPE ", "\u{1f}\u{8b}", "http://a/\n"]),
            content_type in prop::sample::select(vec!["", "text/html", "application/xml", "text/plain; charset=utf-16"]),
        ) {
            let content = [head.as_bytes(), &bytes].concat();
            at(&content, Some(content_type), "http://a.org/b/");
        }

        #[test]
        fn any_tag_soup_is_read(soup in "[<>/!a-z\"'=&;# \\[\\]-]{0,200}") {
            for head in ["<p>", "<rss><item>", "<urlset><url>", "<feed>"] {
                at(format!("{head}{soup}").as_bytes(), Some("text/html"), "http://a.org/b/");
            }
        }
    }
}
