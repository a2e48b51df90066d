//! Documents of data: two versions of one in every input, and what they differ in.

use everfresh::meaning::{Content, Format, Limits, Rules, delta_within, read};

use crate::input;

/// About as far as the program goes in the task of a visit; what takes more goes to a process of its own.
fn limits() -> Limits {
    Limits { bytes: 256 << 10, json_ld: 16 << 10, steps: 200_000, ..Limits::default() }
}

/// The line-like syntaxes of RDF; the first line says which.
pub(crate) fn rdf(input: &[u8]) {
    let (word, documents) = input::line(input);
    let formats = [
        ("turtle", Format::Turtle),
        ("trig", Format::TriG),
        ("n-triples", Format::NTriples),
        ("n-quads", Format::NQuads),
    ];
    compared(input::choice(&word, &formats), documents, &Rules::default());
}

/// RDF/XML.
pub(crate) fn rdfxml(input: &[u8]) {
    compared(Format::RdfXml, input, &Rules::default());
}

/// JSON-LD.
pub(crate) fn jsonld(input: &[u8]) {
    compared(Format::JsonLd, input, &Rules::default());
}

/// JSON and JSON Lines; the first line says which and whether order counts, the second a path to ignore.
pub(crate) fn json(input: &[u8]) {
    let (word, rest) = input::line(input);
    let (path, documents) = input::line(rest);
    let kinds = [
        ("json", (Format::Json, false)),
        ("json any order", (Format::Json, true)),
        ("lines", (Format::JsonLines, false)),
        ("lines any order", (Format::JsonLines, true)),
    ];
    let (format, any_order) = input::choice(&word, &kinds);
    let ignore = if path.is_empty() { Vec::new() } else { vec![path] };
    compared(format, documents, &Rules { ignore, any_order, ..Rules::default() });
}

/// CSV and TSV; the first line says which and whether order counts, the second a column that is the key.
pub(crate) fn csv(input: &[u8]) {
    let (word, rest) = input::line(input);
    let (key, documents) = input::line(rest);
    let kinds = [
        ("csv", (Format::Csv, false)),
        ("csv any order", (Format::Csv, true)),
        ("tsv", (Format::Tsv, false)),
        ("tsv any order", (Format::Tsv, true)),
    ];
    let (format, any_order) = input::choice(&word, &kinds);
    let key = if key.is_empty() { Vec::new() } else { vec![key] };
    compared(format, documents, &Rules { key, any_order, ..Rules::default() });
}

/// XML; the first line says whether order counts.
pub(crate) fn xml(input: &[u8]) {
    let (word, documents) = input::line(input);
    let any_order = input::choice(&word, &[("in order", false), ("any order", true)]);
    compared(Format::Xml, documents, &Rules { any_order, ..Rules::default() });
}

/// Plain text by its lines.
pub(crate) fn lines(input: &[u8]) {
    compared(Format::Text, input, &Rules::default());
    compared(Format::Binary, input, &Rules::default());
}

fn compared(format: Format, documents: &[u8], rules: &Rules) {
    let [old, new] = input::documents(documents);
    let of = |body| read(format, body, "http://a.example/d", rules, &limits()).ok();
    let (old, again, new) = (of(old), of(old), of(new));
    if let (Some(old), Some(again)) = (&old, &again) {
        assert_eq!(old.digest(), again.digest(), "the same bytes have the same meaning");
        assert!(delta_within(old, again, &limits()).is_some_and(|found| found.is_empty()));
    }
    if let (Some(old), Some(new)) = (&old, &new) {
        differing(old, new, &limits());
        differing(new, old, &limits());
    }
}

fn differing(old: &Content<'_>, new: &Content<'_>, limits: &Limits) {
    let Some(found) = delta_within(old, new, limits) else { return };
    assert_eq!(found.is_empty(), old.digest() == new.digest(), "{found}");
    assert!(found.added <= new.statements() && found.removed <= old.statements(), "{found}");
    assert!(found.lines.len() <= 200, "{}", found.lines.len());
    assert!(found.lines.iter().all(|line| !line.contains('\n')), "{found}");
}
