//! Which format of data a body has: by the server's claim, else by the ending of its path, else by its first bytes.
//!
//! A claim that says little (`text/plain`, `application/octet-stream`) or nothing leaves the word to the ending. Pages, feeds,
//! sitemaps, plain text and pictures are no data here: other rooms judge them.

use crate::fetch::media_type;
use crate::parse::is_no_claim;
use crate::parse::xml::{self, Document};

/// Bytes in which a root element must begin: they are decoded for this alone.
const PROLOG_BYTES: usize = 1024 * 1024;

/// A format whose documents can be judged by their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names of the formats say it all
pub enum Format {
    Turtle,
    NTriples,
    NQuads,
    TriG,
    RdfXml,
    JsonLd,
    Json,
    JsonLines,
    Csv,
    Tsv,
    Xml,
    Text,
    Binary,
}

/// Media types without parameters, and the format they claim.
const TYPES: [(&str, Format); 32] = [
    ("text/turtle", Format::Turtle),
    ("application/x-turtle", Format::Turtle),
    ("text/n3", Format::Turtle),
    ("text/rdf+n3", Format::Turtle),
    ("application/rdf+n3", Format::Turtle),
    ("application/n-triples", Format::NTriples),
    ("text/ntriples", Format::NTriples),
    ("application/ntriples", Format::NTriples),
    ("application/n-quads", Format::NQuads),
    ("text/x-nquads", Format::NQuads),
    ("application/trig", Format::TriG),
    ("application/x-trig", Format::TriG),
    ("application/rdf+xml", Format::RdfXml),
    ("application/ld+json", Format::JsonLd),
    ("application/json", Format::Json),
    ("text/json", Format::Json),
    ("application/x-json", Format::Json),
    ("text/x-json", Format::Json),
    ("application/x-ndjson", Format::JsonLines),
    ("application/ndjson", Format::JsonLines),
    ("application/jsonl", Format::JsonLines),
    ("application/x-jsonlines", Format::JsonLines),
    ("application/json-seq", Format::JsonLines),
    ("text/csv", Format::Csv),
    ("application/csv", Format::Csv),
    ("text/x-csv", Format::Csv),
    ("application/x-csv", Format::Csv),
    ("text/comma-separated-values", Format::Csv),
    ("text/tab-separated-values", Format::Tsv),
    ("application/xml", Format::Xml),
    ("text/xml", Format::Xml),
    ("image/svg+xml", Format::Xml),
];

/// Endings of paths, and the format they promise.
const ENDINGS: [(&str, Format); 16] = [
    ("ttl", Format::Turtle),
    ("n3", Format::Turtle),
    ("nt", Format::NTriples),
    ("nq", Format::NQuads),
    ("trig", Format::TriG),
    ("rdf", Format::RdfXml),
    ("owl", Format::RdfXml),
    ("jsonld", Format::JsonLd),
    ("json", Format::Json),
    ("geojson", Format::Json),
    ("jsonl", Format::JsonLines),
    ("ndjson", Format::JsonLines),
    ("csv", Format::Csv),
    ("tsv", Format::Tsv),
    ("tab", Format::Tsv),
    ("xml", Format::Xml),
];

impl Format {
    /// The format of a body; `None` if it is no data: a page, a feed, a sitemap, plain text, a picture.
    ///
    /// [`Format::Text`] and [`Format::Binary`] are never found here: they are for who wants a delta of such a body.
    pub fn of(media_type: Option<&str>, path: &str, body: &[u8]) -> Option<Format> {
        let essence = essence(media_type);
        let seen = || if says_little(&essence) && essence != "text/plain" { seen(body) } else { None };
        match Format::claimed(media_type, path).or_else(seen)? {
            format @ (Format::Xml | Format::RdfXml) => xml(body, format),
            // A claim of plain JSON is no word against an ending that knows more.
            Format::Json if essence == "application/json" => promised_json(path).or(Some(Format::Json)),
            format => Some(format),
        }
    }

    /// What a document is by its media type and the end of its path alone.
    pub fn claimed(media_type: Option<&str>, path: &str) -> Option<Format> {
        let essence = essence(media_type);
        claimed(&essence).or_else(|| if says_little(&essence) { promised(path) } else { None })
    }

    /// Whether it is a syntax of RDF.
    pub fn is_graph(self) -> bool {
        use Format::{JsonLd, NQuads, NTriples, RdfXml, TriG, Turtle};
        matches!(self, Turtle | NTriples | NQuads | TriG | RdfXml | JsonLd)
    }

    /// Changes whenever documents of a format come to other statements, so that stored digests of them are not taken for
    /// comparable ones.
    pub(crate) fn reading(self) -> u64 {
        match self {
            Format::Xml => 1,
            _ => 0,
        }
    }

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Format::Turtle => "Turtle",
            Format::NTriples => "N-Triples",
            Format::NQuads => "N-Quads",
            Format::TriG => "TriG",
            Format::RdfXml => "RDF/XML",
            Format::JsonLd => "JSON-LD",
            Format::Json => "JSON",
            Format::JsonLines => "JSON Lines",
            Format::Csv => "CSV",
            Format::Tsv => "TSV",
            Format::Xml => "XML",
            Format::Text => "text",
            Format::Binary => "binary",
        }
    }
}

/// A media type without its parameters; empty if none is claimed.
fn essence(content_type: Option<&str>) -> String {
    media_type::last_of(content_type.into_iter()).map_or("", media_type::essence).to_ascii_lowercase()
}

/// Whether a media type leaves open what a document is.
fn says_little(essence: &str) -> bool {
    is_no_claim(essence) || essence == "text/plain"
}

fn claimed(essence: &str) -> Option<Format> {
    let suffix = || match essence {
        "application/xhtml+xml" => None,
        _ if essence.ends_with("+json") => Some(Format::Json),
        _ if essence.ends_with("+json-seq") => Some(Format::JsonLines),
        _ if essence.ends_with("+xml") => Some(Format::Xml),
        _ => None,
    };
    TYPES.iter().find(|(name, _)| *name == essence).map(|(_, format)| *format).or_else(suffix)
}

fn promised(path: &str) -> Option<Format> {
    let path = path.split(['?', '#']).next()?;
    let (_, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
    ENDINGS.iter().find(|(name, _)| ending.eq_ignore_ascii_case(name)).map(|(_, format)| *format)
}

fn promised_json(path: &str) -> Option<Format> {
    promised(path).filter(|format| matches!(format, Format::JsonLd | Format::JsonLines))
}

/// What the first bytes look like, where nobody said anything.
fn seen(body: &[u8]) -> Option<Format> {
    let beginning = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    let after = |first: &[u8]| Some(beginning.strip_prefix(first)?.trim_ascii_start().first().copied());
    match (after(b"{"), after(b"[")) {
        (Some(Some(b'"' | b'}')), _) => return Some(Format::Json),
        (_, Some(Some(b'{' | b'[' | b']' | b'"' | b'0'..=b'9' | b'-'))) => return Some(Format::Json),
        _ => {}
    }
    match beginning {
        [b'[', rest @ ..] if begins_with_literal(rest.trim_ascii_start()) => Some(Format::Json),
        _ if beginning.starts_with(b"<?xml") => Some(Format::Xml),
        _ if beginning.starts_with(b"@prefix ") || beginning.starts_with(b"@base ") => Some(Format::Turtle),
        _ if begins_with_prefix(beginning) => Some(Format::Turtle),
        _ => None,
    }
}

/// Whether one of JSON's words comes first, and no other word.
fn begins_with_literal(text: &[u8]) -> bool {
    let rest = [b"true".as_slice(), b"false", b"null"].into_iter().find_map(|word| text.strip_prefix(word));
    rest.is_some_and(|rest| matches!(rest.trim_ascii_start(), [b',' | b']', ..]))
}

/// Whether `PREFIX name: <` or `BASE <` comes first, as Turtle lets one write it too.
fn begins_with_prefix(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let keyword = words.next().unwrap_or_default();
    let is_name = |word: &[u8]| word.ends_with(b":");
    let is_prefix = keyword.eq_ignore_ascii_case(b"prefix") && words.next().is_some_and(is_name);
    (is_prefix || keyword.eq_ignore_ascii_case(b"base")) && words.next().is_some_and(|word| word.starts_with(b"<"))
}

/// XML that is neither a page nor a feed nor a sitemap: RDF by its root element, or any other. Without one the claim counts.
fn xml(body: &[u8], claimed: Format) -> Option<Format> {
    let beginning = &body[..body.len().min(PROLOG_BYTES)];
    let prolog = String::from_utf8_lossy(beginning);
    let prolog = if beginning.contains(&0) { prolog.replace('\0', "").into() } else { prolog };
    // A byte order mark of UTF-16 is none of UTF-8.
    let Some(root) = xml::root(prolog.trim_start_matches('\u{fffd}')) else { return Some(claimed) };
    match root.document() {
        Document::Page | Document::Feed | Document::Sitemap => None,
        Document::Graph => Some(Format::RdfXml),
        Document::Data => Some(Format::Xml),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_come_first() {
        let of = |media_type, path| Format::of(Some(media_type), path, b"");
        assert_eq!(of("text/turtle; charset=utf-8", "/a.json"), Some(Format::Turtle));
        assert_eq!(of("Application/JSON", "/a"), Some(Format::Json));
        assert_eq!(of("application/json", "/a.jsonld"), Some(Format::JsonLd));
        assert_eq!(of("application/sparql-results+json", "/"), Some(Format::Json));
        assert_eq!(of("application/sparql-results+xml", "/"), Some(Format::Xml));
        assert_eq!(of("text/html", "/a.csv"), None);
        assert_eq!(of("image/png", "/a.csv"), None);
        assert_eq!(of("application/xhtml+xml", "/a"), None);
    }

    #[test]
    fn endings_and_first_bytes_come_next() {
        assert_eq!(Format::of(Some("text/plain"), "/a/b.CSV?x=.json", b""), Some(Format::Csv));
        assert_eq!(Format::of(None, "/data.ttl", b""), Some(Format::Turtle));
        assert_eq!(Format::of(None, "/v1.2/data", b" {\"a\": 1}"), Some(Format::Json));
        assert_eq!(Format::of(None, "/data", b"@prefix a: <b> ."), Some(Format::Turtle));
        assert_eq!(Format::of(Some("text/plain"), "/data", b"{\"a\": 1}"), None);
        assert_eq!(Format::of(None, "/", b"[note] to self"), None);
        assert_eq!(Format::of(None, "/", b"[true story]"), None);
        assert_eq!(Format::of(None, "/", b"[ null , 1]"), Some(Format::Json));
        assert_eq!(Format::of(None, "/", b"[true]"), Some(Format::Json));
        assert_eq!(Format::of(None, "/", b"PREFIX a: <urn:>\na:b a:c a:d ."), Some(Format::Turtle));
        assert_eq!(Format::of(None, "/", b"base <urn:x> "), Some(Format::Turtle));
        assert_eq!(Format::of(None, "/", b"Prefix notation is due to <i>"), None);
        assert_eq!(Format::of(None, "/", b""), None);
    }

    #[test]
    fn types_that_people_write_are_known() {
        for (media_type, format) in [
            ("text/rdf+n3", Format::Turtle),
            ("application/rdf+n3", Format::Turtle),
            ("text/ntriples", Format::NTriples),
            ("text/comma-separated-values", Format::Csv),
            ("text/x-csv", Format::Csv),
            ("application/x-json", Format::Json),
            ("text/x-json", Format::Json),
            ("application/json-seq", Format::JsonLines),
            ("application/geo+json-seq", Format::JsonLines),
            ("application/json charset=utf-8", Format::Json),
            ("application/json, application/json", Format::Json),
            ("text/plain, text/csv; charset=utf-8", Format::Csv),
        ] {
            assert_eq!(Format::of(Some(media_type), "/", b""), Some(format), "{media_type}");
        }
        for nothing in ["json", "*/*", "unknown/unknown", "binary/octet-stream"] {
            assert_eq!(Format::of(Some(nothing), "/a.csv", b""), Some(Format::Csv), "{nothing}");
            assert_eq!(Format::of(Some(nothing), "/a", b"{\"a\": 1}"), Some(Format::Json), "{nothing}");
        }
        assert_eq!(Format::of(Some("application/gzip"), "/a.csv", b"\x1f\x8b\x08"), None, "an archive");
    }

    #[test]
    fn roots_tell_kinds_of_xml_apart() {
        let of = |body: &str| Format::of(Some("application/xml"), "/", body.as_bytes());
        assert_eq!(of("<?xml version='1.0'?><!-- <rss> --><!DOCTYPE a [<!ENTITY b 'c'>]><a/>"), Some(Format::Xml));
        assert_eq!(of("<rdf:RDF xmlns:rdf='x'>"), Some(Format::RdfXml));
        assert_eq!(of("<rss version='2.0'>"), None);
        assert_eq!(of("<html xmlns='http://www.w3.org/1999/xhtml'>"), None);
        assert_eq!(of("<table xmlns='http://www.w3.org/1999/xhtml'>"), None);
        assert_eq!(of("<table>"), Some(Format::Xml));
    }

    #[test]
    fn data_that_only_looks_like_a_list_is_data() {
        let of = |body: &str| Format::of(Some("application/xml"), "/", body.as_bytes());
        let rdf = |rest: &str| {
            of(&format!(
                "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:f='http://xmlns.com/foaf/0.1/' {rest}"
            ))
        };
        assert_eq!(rdf("xmlns:rss='http://purl.org/rss/1.0/'><f:Person/></rdf:RDF>"), Some(Format::RdfXml));
        assert_eq!(rdf("><!-- http://purl.org/rss/1.0/ --><f:Person/></rdf:RDF>"), Some(Format::RdfXml));
        let within = "><f:Person><f:weblog><channel xmlns='http://purl.org/rss/1.0/'/></f:weblog></f:Person></rdf:RDF>";
        assert_eq!(rdf(within), Some(Format::RdfXml));
        assert_eq!(rdf("xmlns='http://purl.org/rss/1.0/'><channel/></rdf:RDF>"), None);
        assert_eq!(rdf("><f:Image/><r:item xmlns:r='http://purl.org/rss/1.0/'>"), None);
        assert_eq!(rdf("xmlns='http://my.netscape.com/rdf/simple/0.9/'><channel>"), None);
        for data in [
            "<feed xmlns='urn:shop'>",
            "<urlset xmlns='urn:x'>",
            "<s:sitemapindex xmlns:s='urn:x'>",
            "<rss><x v='5'/></rss>",
        ] {
            assert_eq!(of(data), Some(Format::Xml), "{data}");
        }
        for list in [
            "<feed>",
            "<a:feed>",
            "<feed xmlns='http://www.w3.org/2005/Atom'>",
            "<a:feed xmlns:a='http://purl.org/atom/ns#'>",
            "<rss>",
            "<rss version='0.91'><!-- x --><channel>",
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>",
            "<sitemapindex xmlns='https://www.google.com/schemas/sitemap/0.84'>",
        ] {
            assert_eq!(of(list), None, "{list}");
        }
    }

    #[test]
    fn the_root_counts_however_far_down_it_is() {
        let of = |body: String| Format::of(Some("application/xml"), "/", body.as_bytes());
        let comment = format!("<!-- {} -->", "a licence ".repeat(1000));
        let entities = "<!ENTITY name 'something that takes room in a document type'>".repeat(100);
        assert_eq!(of(format!("{comment}<rdf:RDF>")), Some(Format::RdfXml));
        assert_eq!(of(format!("<!DOCTYPE rdf:RDF [{entities}]><rdf:RDF>")), Some(Format::RdfXml));
        assert_eq!(of("<!DOCTYPE rdf:RDF [<!ENTITY c \"<b>x</b>\">]><rdf:RDF>".into()), Some(Format::RdfXml));
        assert_eq!(of(format!("{comment}<rss>")), None);
        assert_eq!(of("no root".into()), Some(Format::Xml));
        assert_eq!(Format::of(Some("application/rdf+xml"), "/", b"<!-- no root"), Some(Format::RdfXml));
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        let marked = [b"\xff\xfe".as_slice(), &wide("<?xml version='1.0'?><rdf:RDF>")].concat();
        assert_eq!(Format::of(Some("application/xml"), "/", &marked), Some(Format::RdfXml));
    }

    #[test]
    fn hostile_beginnings_are_read_in_linear_time() {
        for piece in
            ["<!-- -->", "<?a?>", "<!DOCTYPE a [", "<!DOCTYPE a '", "<!", "<!a \"", "<!ENTITY a \"", "<a b='", "<a>"]
        {
            let body = piece.repeat(100_000);
            Format::of(Some("application/xml"), "/", body.as_bytes());
            Format::of(Some("application/xml"), "/", format!("<!DOCTYPE a [{body}").as_bytes());
            Format::of(Some("application/xml"), "/", format!("<rdf:RDF>{body}").as_bytes());
        }
    }
}
