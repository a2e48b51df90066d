//! The triples of an answer, one by one, whatever its syntax: to count them, to unite parts and to find what a catalogue lists.
//!
//! Nothing is loaded from elsewhere: a JSON-LD document that needs a remote context is refused.

use std::fmt::Write;

use oxjsonld::JsonLdParser;
use oxrdf::{NamedOrBlankNode, Quad, Term, Triple};
use oxrdfxml::RdfXmlParser;
use oxttl::{NQuadsParser, NTriplesParser, TriGParser, TurtleParser};
use url::Url;

use crate::meaning::{self, Format, Limits};

/// More JSON-LD takes more memory than any process gets for it, since its parser keeps all of it many times over. What is
/// large within this is read apart.
const MAX_JSON_LD_BYTES: usize = 4 << 20;
/// Prefixes make terms longer than the document is. Honest ones some ten times in all; beyond this a document is refused.
const MAX_GROWTH: usize = 32;
/// A document may grow to this in any case.
const SMALL_BYTES: usize = 1 << 20;

/// Calls `take` with every triple of a document, until the document ends or breaks.
pub(super) fn each_triple(format: Format, body: &[u8], base: &Url, mut take: impl FnMut(Triple)) -> Result<(), String> {
    let base = base.as_str();
    let limits = Limits { json_ld: MAX_JSON_LD_BYTES, ..Limits::default() };
    let characters = meaning::text(body, format).map_err(text)?;
    let document = meaning::prepared(format, &characters, &limits).map_err(text)?;
    let document = document.as_bytes();
    let mut room = body.len().saturating_mul(MAX_GROWTH).saturating_add(SMALL_BYTES);
    let mut take = |triple: Triple| {
        room = room.checked_sub(bytes(&triple)).ok_or("its terms are out of all proportion to its size")?;
        take(triple);
        Ok(())
    };
    match format {
        Format::NTriples => drain(NTriplesParser::new().for_slice(document), take),
        Format::NQuads => drain(NQuadsParser::new().for_slice(document), |quad| take(triple(quad))),
        Format::Turtle => drain(TurtleParser::new().with_base_iri(base).map_err(text)?.for_slice(document), take),
        Format::TriG => {
            drain(TriGParser::new().with_base_iri(base).map_err(text)?.for_slice(document), |quad| take(triple(quad)))
        }
        Format::RdfXml => drain(RdfXmlParser::new().with_base_iri(base).map_err(text)?.for_slice(document), take),
        Format::JsonLd => {
            drain(JsonLdParser::new().with_base_iri(base).map_err(text)?.for_slice(document), |quad| take(triple(quad)))
        }
        other => Err(format!("{} holds no triples", other.name())),
    }
}

fn drain<T, E: ToString>(
    items: impl Iterator<Item = Result<T, E>>,
    mut take: impl FnMut(T) -> Result<(), String>,
) -> Result<(), String> {
    for item in items {
        take(item.map_err(text)?)?;
    }
    Ok(())
}

/// What a triple takes when it is written out, about.
fn bytes(triple: &Triple) -> usize {
    let subject = match &triple.subject {
        NamedOrBlankNode::NamedNode(node) => node.as_str().len(),
        NamedOrBlankNode::BlankNode(node) => node.as_str().len(),
    };
    let object = match &triple.object {
        Term::NamedNode(node) => node.as_str().len(),
        Term::BlankNode(node) => node.as_str().len(),
        Term::Literal(literal) => literal.value().len() + literal.datatype().as_str().len(),
    };
    subject + triple.predicate.as_str().len() + object
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn triple(quad: Quad) -> Triple {
    Triple { subject: quad.subject, predicate: quad.predicate, object: quad.object }
}

/// Appends a triple as a line of N-Triples. The blank nodes of two parts are different nodes.
pub(super) fn push_line(triple: &Triple, part: usize, out: &mut String) {
    let Triple { subject, predicate, object } = triple;
    // Writing to a String cannot fail.
    let _ = match subject {
        NamedOrBlankNode::BlankNode(node) => write!(out, "_:p{part}x{}", node.as_str()),
        named => write!(out, "{named}"),
    };
    let _ = match object {
        Term::BlankNode(node) => writeln!(out, " {predicate} _:p{part}x{} .", node.as_str()),
        other => writeln!(out, " {predicate} {other} ."),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(format: Format, body: &str) -> Result<Vec<String>, String> {
        let base = Url::parse("http://a.test/d/").unwrap();
        let mut lines = Vec::new();
        each_triple(format, body.as_bytes(), &base, |triple| {
            let mut line = String::new();
            push_line(&triple, 2, &mut line);
            lines.push(line);
        })?;
        Ok(lines)
    }

    #[test]
    fn every_syntax_gives_its_triples() {
        let expected = ["<http://a.test/d/s> <http://p/q> \"o\" .\n"];
        let documents = [
            (Format::NTriples, "<http://a.test/d/s> <http://p/q> \"o\" ."),
            (Format::NQuads, "<http://a.test/d/s> <http://p/q> \"o\" <http://g/> ."),
            (Format::Turtle, "<s> <http://p/q> 'o' ."),
            (Format::TriG, "<http://g/> { <s> <http://p/q> 'o' }"),
            (Format::JsonLd, r#"{"@id": "s", "http://p/q": "o"}"#),
            (
                Format::RdfXml,
                "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:p='http://p/'>\
                 <rdf:Description rdf:about='s'><p:q>o</p:q></rdf:Description></rdf:RDF>",
            ),
        ];
        for (format, body) in documents {
            assert_eq!(lines(format, body).unwrap(), expected, "{}", format.name());
        }
        assert!(lines(Format::Csv, "a,b").is_err());
    }

    #[test]
    fn blank_nodes_are_those_of_their_part() {
        assert_eq!(lines(Format::NTriples, "_:a <http://p/> _:b .").unwrap(), ["_:p2xa <http://p/> _:p2xb .\n"]);
    }

    #[test]
    fn entities_cannot_blow_up() {
        let laughs = "<!DOCTYPE r [<!ENTITY a \"ha&a;\">]><r>&a;</r>";
        assert!(lines(Format::RdfXml, laughs).unwrap_err().contains("without end"));
        let long = format!("<!DOCTYPE r [<!ENTITY a \"{}\">]><r>{}</r>", "x".repeat(1 << 20), "&a;".repeat(100));
        assert!(lines(Format::RdfXml, &long).unwrap_err().contains("entities written out"));
    }

    #[test]
    fn marks_and_wide_characters_are_read() {
        let expected = ["<http://a.test/d/s> <http://p/q> \"o\" .\n"];
        assert_eq!(lines(Format::Turtle, "\u{feff}<s> <http://p/q> 'o' .").unwrap(), expected);
        assert_eq!(lines(Format::JsonLd, "\u{feff}{\"@id\": \"s\", \"http://p/q\": \"o\"}").unwrap(), expected);
        let document = "<?xml version='1.0' encoding='UTF-16'?><!DOCTYPE r [<!ENTITY s \"s\">]><rdf:RDF xmlns:p='http://p/' \
            xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='&s;' p:q='o'/></rdf:RDF>";
        let wide: Vec<u8> = document.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [b"\xff\xfe", wide.as_slice()].concat();
        for body in [document.as_bytes(), &wide, &marked] {
            let mut found = Vec::new();
            let base = Url::parse("http://a.test/d/").unwrap();
            each_triple(Format::RdfXml, body, &base, |triple| found.push(triple.to_string())).unwrap();
            assert_eq!(found, ["<http://a.test/d/s> <http://p/q> \"o\""]);
        }
    }

    #[test]
    fn prefixes_cannot_blow_up() {
        let prefix = format!("@prefix p: <http://{}/> .\n", "x".repeat(100_000));
        let few = format!("{prefix}{}", "p:a p:b p:c .\n".repeat(10));
        assert_eq!(lines(Format::Turtle, &few).unwrap().len(), 10);
        let many = format!("{prefix}{}", "p:a p:b p:c .\n".repeat(1000));
        assert!(lines(Format::Turtle, &many).unwrap_err().contains("proportion"));
    }

    #[test]
    fn remote_contexts_are_not_loaded() {
        assert!(lines(Format::JsonLd, r#"{"@context": "http://a.test/context", "name": "x"}"#).is_err());
        assert!(lines(Format::JsonLd, &"[".repeat(200_000)).unwrap_err().contains("levels of nesting"));
        let large = format!(r#"{{"http://a.test/": [{}0]}}"#, "0,".repeat(3 << 20));
        assert!(lines(Format::JsonLd, &large).unwrap_err().contains("bytes of JSON-LD"));
    }
}
