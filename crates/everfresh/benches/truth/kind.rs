//! The formats, and how a version of a document becomes bytes and a media type.

use encoding_rs::Encoding;

use crate::content::{Content, Script};
use crate::draw::Draw;
use crate::{data, markup, rdf, results};

type Write = fn(&Content, &str, &mut Draw) -> String;

/// How a document may say what its charset is.
#[derive(Clone, Copy, PartialEq)]
enum Charsets {
    /// It is UTF-8 by its standard.
    One,
    /// In the header.
    Header,
    /// In the document itself, and perhaps in the header.
    Inside,
}

enum Writer {
    Text(Write, Charsets, &'static str),
    Answers,
    AnswersInCsv,
    Picture,
}

/// A format of documents.
pub(crate) struct Kind {
    /// For people, and for the judges of others.
    pub(crate) name: &'static str,
    /// What the paths of its documents end with.
    pub(crate) ending: &'static str,
    writer: Writer,
}

const fn text(name: &'static str, ending: &'static str, write: Write, charsets: Charsets, media: &'static str) -> Kind {
    Kind { name, ending, writer: Writer::Text(write, charsets, media) }
}

pub(crate) const KINDS: [Kind; 18] = [
    text("html", "html", markup::html, Charsets::Inside, "text/html"),
    text("xhtml", "xhtml", markup::xhtml, Charsets::Inside, "application/xhtml+xml"),
    text("xml", "xml", markup::xml, Charsets::Inside, "application/xml"),
    text("atom", "atom", markup::atom, Charsets::Inside, "application/atom+xml"),
    text("rss", "rss", markup::rss, Charsets::Inside, "application/rss+xml"),
    text("sitemap", "map", markup::sitemap, Charsets::Inside, "application/xml"),
    text("turtle", "ttl", rdf::turtle, Charsets::One, "text/turtle"),
    text("n-triples", "nt", rdf::n_triples, Charsets::One, "application/n-triples"),
    text("trig", "trig", rdf::trig, Charsets::One, "application/trig"),
    text("rdf-xml", "rdf", rdf::rdf_xml, Charsets::Inside, "application/rdf+xml"),
    text("json-ld", "jsonld", rdf::json_ld, Charsets::One, "application/ld+json"),
    text("json", "json", data::json, Charsets::One, "application/json"),
    text("csv", "csv", data::csv, Charsets::Header, "text/csv"),
    text("tsv", "tsv", data::tsv, Charsets::Header, "text/tab-separated-values"),
    text("text", "txt", data::text, Charsets::Header, "text/plain"),
    Kind { name: "results", ending: "sparql", writer: Writer::Answers },
    Kind { name: "results-csv", ending: "sparqlcsv", writer: Writer::AnswersInCsv },
    Kind { name: "picture", ending: "png", writer: Writer::Picture },
];

impl Kind {
    /// Whether its documents are answers of an endpoint.
    pub(crate) fn is_source(&self) -> bool {
        matches!(self.writer, Writer::Answers | Writer::AnswersInCsv)
    }

    /// A version: its bytes before any coding, and its Content-Type.
    pub(crate) fn write(&self, content: &Content, script: &Script, draw: &mut Draw) -> (Vec<u8>, String) {
        match self.writer {
            Writer::Text(write, charsets, media) => {
                let charset = if charsets == Charsets::One { "utf-8" } else { draw.pick(script.charsets) };
                let says = match charsets {
                    Charsets::One => draw.once_in(2),
                    Charsets::Header => true,
                    Charsets::Inside => draw.once_in(2),
                };
                let media = match charsets {
                    // Many servers do not know these types, and the ending of the path has to do.
                    Charsets::One if draw.once_in(8) => draw.pick(&["text/plain", "application/octet-stream"]),
                    _ => media,
                };
                let media = if says { format!("{media}; charset={charset}") } else { media.to_owned() };
                (encoded(&write(content, charset, draw), charset), media)
            }
            Writer::Answers => {
                let (text, media) = results::any(content, draw);
                (text.into_bytes(), media.to_owned())
            }
            Writer::AnswersInCsv => (results::csv(content, draw).into_bytes(), "text/csv".to_owned()),
            Writer::Picture => (data::picture(content), "image/png".to_owned()),
        }
    }
}

/// Text in a charset; UTF-16 begins with its mark.
fn encoded(text: &str, charset: &str) -> Vec<u8> {
    let text = format!("\u{feff}{text}");
    match charset {
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => {
            let encoding = Encoding::for_label(charset.as_bytes()).unwrap();
            encoding.encode(text.trim_start_matches('\u{feff}')).0.into_owned()
        }
    }
}
