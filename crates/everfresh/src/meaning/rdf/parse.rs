//! The RDF syntaxes, each by the parser that knows it, into one graph.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use oxjsonld::JsonLdParser;
use oxrdf::{GraphNameRef, Quad, Triple};
use oxrdfxml::RdfXmlParser;
use oxttl::{NQuadsParser, NTriplesParser, TriGParser, TurtleParser};

use super::super::budget::Budget;
use super::super::{Format, Limits, Unreadable, json, xml};
use super::graph::{Builder, Graph};
use super::{languages, parse_types};

/// Levels of nesting in JSON-LD, whose parser is recursive.
const MAX_JSON_LD_DEPTH: usize = 100;

/// Reads a document of an RDF syntax. A base that is no absolute address is left out.
pub(super) fn parse(format: Format, text: &str, base: &str, budget: &mut Budget) -> Result<Graph, Unreadable> {
    let text = prepared_within(format, text, budget)?;
    let text = text.as_ref();
    let mut into = Into { builder: Builder::default(), format: format.name(), budget };
    match format {
        Format::NTriples => into.triples(NTriplesParser::new().for_slice(text)),
        Format::NQuads => into.quads(NQuadsParser::new().for_slice(text)),
        Format::TriG => {
            let parser = TriGParser::new();
            into.quads(parser.clone().with_base_iri(base).unwrap_or(parser).for_slice(text))
        }
        Format::RdfXml => {
            let parser = RdfXmlParser::new();
            let triples = parser.clone().with_base_iri(base).unwrap_or(parser).for_slice(text);
            into.triples(triples.map(|triple| triple.map(languages::without_name)))
        }
        Format::JsonLd => into.json_ld(text, base),
        _ => {
            let parser = TurtleParser::new();
            into.triples(parser.clone().with_base_iri(base).unwrap_or(parser).for_slice(text))
        }
    }?;
    Ok(into.builder.finish())
}

/// The text of a document as its parser may be given it: within what that one can bear, and nothing left to expand.
pub fn prepared<'t>(format: Format, text: &'t str, limits: &Limits) -> Result<Cow<'t, str>, Unreadable> {
    prepared_within(format, text, &mut Budget::of(limits))
}

fn prepared_within<'t>(format: Format, text: &'t str, budget: &mut Budget) -> Result<Cow<'t, str>, Unreadable> {
    match format {
        Format::RdfXml => {
            let text = xml::written_out(text, budget)?;
            let text = xml::changed(text, |text| xml::plain(text, format.name(), budget))?;
            let text = xml::changed(text, |text| parse_types::known(text, budget))?;
            xml::changed(text, languages::named)
        }
        Format::Xml => xml::written_out(text, budget),
        Format::JsonLd => {
            check_json_ld(text, budget.limits())?;
            Ok(Cow::Borrowed(text))
        }
        _ => Ok(Cow::Borrowed(text)),
    }
}

/// Whether a JSON-LD document may be given to its parser, which is recursive and keeps all of it many times over.
fn check_json_ld(text: &str, limits: &Limits) -> Result<(), Unreadable> {
    let limit = if has_one_context(text) { limits.json_ld } else { limits.json_ld.min(limits.scoped_json_ld) };
    if text.len() > limit {
        return Err(Unreadable::TooLarge { what: "bytes of JSON-LD", limit });
    }
    json::check_depth(text, MAX_JSON_LD_DEPTH)
}

/// Whether a JSON-LD document has at most one context, as far as a glance tells: no array of them, and none in another or in a value.
fn has_one_context(text: &str) -> bool {
    let mut after = text.split("@context\"").skip(1);
    let is_object =
        |after: &str| after.trim_start().strip_prefix(':').is_some_and(|value| value.trim_start().starts_with('{'));
    !may_spell_context(text) && after.next().is_none_or(is_object) && after.next().is_none()
}

/// Whether a character of `@context` is escaped somewhere. Others often are: many writers of JSON escape all that is not ASCII.
fn may_spell_context(text: &str) -> bool {
    let code = |after: &str| after.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let mut escaped = text.split("\\u").skip(1).filter_map(code).filter_map(char::from_u32);
    escaped.any(|character| "@context".contains(character))
}

/// Where the quads go.
struct Into<'b> {
    builder: Builder,
    format: &'static str,
    budget: &'b mut Budget,
}

impl Into<'_> {
    fn triples<E: ToString>(&mut self, triples: impl Iterator<Item = Result<Triple, E>>) -> Result<(), Unreadable> {
        for triple in triples {
            let triple = triple.map_err(|error| Unreadable::malformed(self.format, error.to_string()))?;
            self.builder.add(triple.as_ref().in_graph(GraphNameRef::DefaultGraph), self.budget)?;
        }
        Ok(())
    }

    fn quads<E: ToString>(&mut self, quads: impl Iterator<Item = Result<Quad, E>>) -> Result<(), Unreadable> {
        for quad in quads {
            let quad = quad.map_err(|error| Unreadable::malformed(self.format, error.to_string()))?;
            self.builder.add(quad.as_ref(), self.budget)?;
        }
        Ok(())
    }

    fn json_ld(&mut self, text: &str, base: &str) -> Result<(), Unreadable> {
        let parser = JsonLdParser::new();
        let parser = parser.clone().with_base_iri(base).unwrap_or(parser).for_slice(text);
        let wanted = Arc::new(OnceLock::new());
        let first = Arc::clone(&wanted);
        let result = self.quads(parser.with_load_document_callback(move |url, _| {
            _ = first.set(url.to_owned());
            Err("remote contexts are not loaded".into())
        }));
        match wanted.get() {
            Some(context) => Err(Unreadable::RemoteContext(context.clone())),
            None => result,
        }
    }
}
