//! What a body is: the server's claim and the first bytes together decide, because either may lie.
//!
//! Claims of images, films and the like are believed of all but lists. Everything else is looked at: binary bytes under a text claim
//! are binary, and the root element of an XML document counts more than the type it was sent with (feeds and sitemaps come
//! as `text/html`, `text/plain` and worse).

use super::xml::{self, Document, Scanner};
use super::{Kind, charset, json_feed, sitemap};
use crate::fetch::media_type;
use std::io::Read;

/// How the document type of HTML begins.
const DOCTYPE: &str = "<!doctype html";
/// Bytes that are looked at to tell text from binary.
const SAMPLE_BYTES: usize = 512;
/// Bytes in which what is compressed, or claims to be no text, must show that it is a list.
const BYTES_TO_SEE: usize = 64 * 1024;
/// How files of gzip begin.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// What compressed lists are taken for.
pub(super) const XML: &str = "application/xml";
/// The most a compressed sitemap may unpack to, as the protocol says.
pub(super) const MAX_UNPACKED_BYTES: u64 = 50 * 1024 * 1024;

/// Whether a body holds no text that could be read.
pub(super) fn is_binary(content: &[u8], content_type: Option<&str>) -> bool {
    const BINARY: [&str; 6] = ["image/", "audio/", "video/", "font/", "application/pdf", "application/zip"];
    let essence = essence(content_type);
    let claims_text_image = essence.eq_ignore_ascii_case("image/svg+xml");
    let claims_binary = BINARY.iter().any(|kind| starts_with_ignoring_case(essence, kind)) && !claims_text_image;
    looks_binary(content, content_type) || (claims_binary && !begins_as_list(content))
}

fn looks_binary(content: &[u8], content_type: Option<&str>) -> bool {
    !charset::is_utf16(content, content_type) && is_no_text(content)
}

/// Whether content in which ASCII stands for itself is no text. One control byte in 32 that no text has makes it binary; a
/// stray one does not.
pub(crate) fn is_no_text(content: &[u8]) -> bool {
    let sample = &content[..content.len().min(SAMPLE_BYTES)];
    let odd = sample.iter().filter(|byte| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)).count();
    content.starts_with(b"%PDF-") || content.starts_with(GZIP) || odd > sample.len() / 32
}

/// The kind of a body that is text.
pub(super) fn kind(text: &str, content_type: Option<&str>) -> Kind {
    let essence = essence(content_type);
    let root = xml::root(text);
    let document = root.as_ref().map(xml::Root::document);
    match document {
        Some(Document::Sitemap) => return Kind::Sitemap,
        Some(Document::Feed) => return Kind::Feed,
        _ => {}
    }
    // A file may have been packed until its coding was removed.
    let claims_nothing = is_no_claim(essence) || is_any(essence, &["application/gzip", "application/x-gzip"]);
    let is_page = match claims_xml(content_type) || (claims_nothing && text.starts_with("<?xml")) {
        // XML names its elements as it likes.
        true => document == Some(Document::Page),
        false => claims_nothing && (is_typed_html(text) || root.is_some_and(|root| is_html_element(root.name))),
    };
    if claims_page(content_type) || is_page {
        Kind::Html
    } else if json_feed::is_feed(text) {
        Kind::Feed
    } else if sitemap::is_plain(text) {
        Kind::Sitemap
    } else {
        Kind::Text
    }
}

/// Whether the claim is a page in HTML.
pub(crate) fn claims_page(content_type: Option<&str>) -> bool {
    is_any(essence(content_type), &["text/html", "application/xhtml+xml"])
}

/// Whether the claim is XML of any kind.
pub(super) fn claims_xml(content_type: Option<&str>) -> bool {
    let essence = essence(content_type).as_bytes();
    essence.len().checked_sub(3).is_some_and(|start| essence[start..].eq_ignore_ascii_case(b"xml"))
}

/// Whether a claim says nothing of a body, as what servers send for files they do not know.
pub(crate) fn is_no_claim(essence: &str) -> bool {
    essence.is_empty() || is_any(essence, &["application/octet-stream", "binary/octet-stream"])
}

fn is_any(essence: &str, types: &[&str]) -> bool {
    types.iter().any(|one| essence.eq_ignore_ascii_case(one))
}

/// Whether a text has the document type of HTML.
fn is_typed_html(text: &str) -> bool {
    let mut scanner = Scanner { rest: text.trim_start_matches('\u{feff}').trim_start() };
    while scanner.remark() {
        scanner.rest = scanner.rest.trim_start();
    }
    let is_ended = |rest: &str| rest.starts_with(|c: char| c.is_ascii_whitespace() || c == '>');
    starts_with_ignoring_case(scanner.rest, DOCTYPE) && is_ended(&scanner.rest[DOCTYPE.len()..])
}

/// Elements that pages without a type begin with; none that other documents have for a root.
fn is_html_element(name: &str) -> bool {
    const ELEMENTS: [&str; 41] = [
        "html", "head", "body", "title", "meta", "link", "script", "style", "div", "p", "a", "h1", "h2", "h3", "h4",
        "h5", "h6", "table", "main", "article", "section", "nav", "aside", "header", "footer", "ul", "ol", "dl",
        "span", "b", "br", "hr", "i", "em", "strong", "font", "center", "form", "img", "iframe", "pre",
    ];
    ELEMENTS.iter().any(|element| name.eq_ignore_ascii_case(element))
}

/// Whether a body is sent as a table, by its type or, where that says little, by the ending of its path.
pub(super) fn claims_table(content_type: Option<&str>, path: &str) -> bool {
    let essence = essence(content_type).to_ascii_lowercase();
    let path = path.to_ascii_lowercase();
    match essence.as_str() {
        "text/tab-separated-values" => true,
        csv if csv.ends_with("/csv") || csv.ends_with("/x-csv") || csv.ends_with("/comma-separated-values") => true,
        little if is_no_claim(little) || little == "text/plain" => {
            [".csv", ".tsv", ".tab"].iter().any(|end| path.ends_with(end))
        }
        _ => false,
    }
}

/// Unpacks a body that is itself a compressed sitemap or feed. Any other archive is left alone: its first bytes tell.
pub(super) fn unpack_list(content: &[u8]) -> Option<Vec<u8>> {
    let (rest, mut unpacked) = begin_list(content)?;
    let _ = rest.take(MAX_UNPACKED_BYTES - BYTES_TO_SEE as u64).read_to_end(&mut unpacked);
    Some(unpacked)
}

/// Whether a body is itself a compressed sitemap or feed.
pub(super) fn is_packed_list(content: &[u8]) -> bool {
    begin_list(content).is_some()
}

/// The beginning of a compressed list, and what unpacks the rest.
fn begin_list(content: &[u8]) -> Option<(impl Read, Vec<u8>)> {
    if !content.starts_with(GZIP) {
        return None;
    }
    let mut decoder = flate2::read::MultiGzDecoder::new(content);
    let mut unpacked = Vec::new();
    // An error after some output leaves what was unpacked so far, which is what there is to read.
    let _ = decoder.by_ref().take(BYTES_TO_SEE as u64).read_to_end(&mut unpacked);
    begins_as_list(&unpacked).then_some((decoder, unpacked))
}

/// Whether content is a sitemap or feed by its first bytes.
fn begins_as_list(content: &[u8]) -> bool {
    let beginning = &content[..content.len().min(BYTES_TO_SEE)];
    let text = match charset::is_utf16(beginning, None) {
        true => charset::decode(beginning, Some(XML)).text,
        false => String::from_utf8_lossy(beginning),
    };
    matches!(kind(&text, Some(XML)), Kind::Sitemap | Kind::Feed)
}

/// The media type without its parameters; empty if none is claimed.
pub(super) fn essence(content_type: Option<&str>) -> &str {
    media_type::last_of(content_type.into_iter()).map_or("", media_type::essence)
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn claims_and_first_bytes_decide_together() {
        let html = Some("text/html; charset=utf-8");
        assert_eq!(kind("hello", html), Kind::Html);
        assert_eq!(kind("<?xml version='1.0'?><rss>", html), Kind::Feed);
        assert_eq!(kind("<urlset>", Some("text/plain")), Kind::Sitemap);
        assert_eq!(kind("<!doctype html><p>", None), Kind::Html);
        assert_eq!(kind("<html>", Some("text/plain")), Kind::Text);
        assert_eq!(kind("<?xml version='1.0'?><html xmlns='x'>", Some("application/xml")), Kind::Html);
        assert_eq!(kind("<table><a/></table>", Some("application/xml")), Kind::Text);
        assert_eq!(kind("<?xml version='1.0'?><p xmlns:h='http://www.w3.org/1999/xhtml'/>", None), Kind::Text);
        assert_eq!(kind("<table><tr><td>a", None), Kind::Html);
        assert_eq!(kind("<h:div xmlns:h='http://www.w3.org/1999/xhtml'/>", Some("text/xml")), Kind::Html);
        assert_eq!(kind("<h:html xmlns:h='x'>", Some("Application/XML")), Kind::Html);
        assert_eq!(kind("<table><row/></table>", Some("application/xml")), Kind::Text, "data");
        assert_eq!(kind("{\"a\": 1}", Some("application/json")), Kind::Text);
        assert_eq!(kind("http://a.org/\nhttp://a.org/b", Some("text/plain")), Kind::Sitemap);
        assert_eq!(kind("<rdf:RDF xmlns:foaf='x'>", Some("application/rdf+xml")), Kind::Text);
    }

    #[test]
    fn what_is_no_media_type_leaves_the_word_to_the_document() {
        for odd in ["html", "*/*", "unknown/unknown", "application/unknown", "text", "", "binary/octet-stream"] {
            assert_eq!(kind("<!DOCTYPE HTML><x-app>a", Some(odd)), Kind::Html, "{odd}");
            assert_eq!(kind("plain", Some(odd)), Kind::Text, "{odd}");
        }
        for html in ["text/html charset=utf-8", "text/html, text/html", "text/plain, text/html; charset=utf-8"] {
            assert_eq!(kind("plain", Some(html)), Kind::Html, "{html}");
        }
    }

    #[test]
    fn pages_without_a_type_are_known_by_how_they_begin() {
        for page in [
            "<!doctype html>\nOne",
            "\u{feff} <!-- x --><!DOCTYPE html PUBLIC 'x'><article>One</article>",
            "<!-- x --><section>One</section>",
            "<H2>One</H2>",
            "<iframe src=/x></iframe>One",
        ] {
            assert_eq!(kind(page, None), Kind::Html, "{page}");
        }
        for other in ["<!doctype htmlx>One", "<!doctype book><x/>", "<order><p/></order>", "see <!doctype html>"] {
            assert_eq!(kind(other, None), Kind::Text, "{other}");
        }
    }

    #[test]
    fn the_root_counts_however_far_down_it_is() {
        let comment = format!("<!-- {} -->", "a licence ".repeat(1000));
        assert_eq!(kind(&format!("{comment}<rss><channel>"), Some("text/xml")), Kind::Feed);
        assert_eq!(kind(&format!("<?xml version='1.0'?>{comment}<urlset>"), None), Kind::Sitemap);
        assert_eq!(kind(&format!("{comment}<h xmlns='http://www.w3.org/1999/xhtml'>"), Some("text/xml")), Kind::Html);
        let entities = "<!ENTITY name 'something that takes room in a document type'>".repeat(100);
        assert_eq!(kind(&format!("<!DOCTYPE rss [{entities}]><rss>"), Some("text/xml")), Kind::Feed);
        let packed = packed(format!("{comment}<urlset></urlset>").as_bytes());
        assert!(is_packed_list(&packed));
    }

    #[test]
    fn a_list_of_urls_is_one_in_all_of_its_first_lines() {
        let long = format!("http://a.org/{}\n", "x".repeat(1000)).repeat(5);
        assert_eq!(kind(&format!("{long}and so on"), Some("text/plain")), Kind::Text);
    }

    #[test]
    fn binary_under_a_text_claim_is_binary() {
        assert!(is_binary(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some("text/html")));
        assert!(is_binary(b"%PDF-1.7", Some("text/html")));
        assert!(is_binary(b"GIF89a", Some("Image/GIF")));
        assert!(is_binary(b"\x1f\x8b\x08", Some("text/html")) && is_binary(b"\x1f\x8b\x08", Some("application/gzip")));
        assert!(!is_binary(b"<p>a stray \x02 in a long enough page of text is fine</p>", Some("text/html")));
        assert!(!is_binary(b"\xff\xfeh\0i\0", None));
        assert!(!is_binary(b"h\0i\0", Some("text/html; charset=utf-16le")));
        assert!(!is_binary(b"<\0?\0x\0m\0l\0 \0", None));
        assert!(!is_binary(b"<svg>", Some("image/svg+xml")));
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn compressed_lists_may_be_in_utf_16() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        for list in ["<urlset></urlset>", "\u{feff}<urlset></urlset>", "\u{feff}http://a.org/1\nhttp://a.org/2"] {
            assert!(is_packed_list(&packed(&wide(list))), "{list}");
        }
        assert!(!is_packed_list(&packed(&wide("<p>"))));
    }

    #[test]
    fn only_lists_are_unpacked_and_only_so_far() {
        assert_eq!(unpack_list(&packed(b"<urlset></urlset>")).as_deref(), Some(b"<urlset></urlset>".as_slice()));
        assert_eq!(unpack_list(&packed(b"a tar file")), None);
        assert_eq!(unpack_list(b"\x1f\x8bgarbage"), None);
        let mut bomb = b"<urlset>".to_vec();
        bomb.resize(60 * 1024 * 1024, b' ');
        assert_eq!(unpack_list(&packed(&bomb)).unwrap().len() as u64, MAX_UNPACKED_BYTES);
    }
}
