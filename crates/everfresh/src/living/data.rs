//! Documents of data: records in one of many syntaxes, written anew for every answer.
//!
//! A version says what it says; how that is spelled (order, names of blank nodes, quotes, white space, prefixes) is drawn for
//! each answer. So a crawler that compares bytes finds a change at every visit, and one that compares what is said finds those
//! of the script. Each version differs from the one before in one value or by one record more.

mod plain;
mod rdf;

use super::random::Random;
use super::script::Flavour;
use super::words;

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names of the syntaxes say it all
pub enum Syntax {
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
}

impl Syntax {
    /// All of them.
    pub const ALL: [Syntax; 11] = [
        Syntax::Turtle,
        Syntax::NTriples,
        Syntax::NQuads,
        Syntax::TriG,
        Syntax::RdfXml,
        Syntax::JsonLd,
        Syntax::Json,
        Syntax::JsonLines,
        Syntax::Csv,
        Syntax::Tsv,
        Syntax::Xml,
    ];

    /// The media type it is sent with.
    pub const fn media_type(self) -> &'static str {
        match self {
            Syntax::Turtle => "text/turtle; charset=utf-8",
            Syntax::NTriples => "application/n-triples",
            Syntax::NQuads => "application/n-quads",
            Syntax::TriG => "application/trig",
            Syntax::RdfXml => "application/rdf+xml",
            Syntax::JsonLd => "application/ld+json",
            Syntax::Json => "application/json",
            Syntax::JsonLines => "application/x-ndjson",
            Syntax::Csv => "text/csv; charset=utf-8",
            Syntax::Tsv => "text/tab-separated-values",
            Syntax::Xml => "application/xml",
        }
    }

    /// The usual ending of its files.
    pub const fn ending(self) -> &'static str {
        match self {
            Syntax::Turtle => "ttl",
            Syntax::NTriples => "nt",
            Syntax::NQuads => "nq",
            Syntax::TriG => "trig",
            Syntax::RdfXml => "rdf",
            Syntax::JsonLd => "jsonld",
            Syntax::Json => "json",
            Syntax::JsonLines => "jsonl",
            Syntax::Csv => "csv",
            Syntax::Tsv => "tsv",
            Syntax::Xml => "xml",
        }
    }
}

/// Records that a document begins with.
const RECORDS: u64 = 6;

/// What one record says.
struct Record {
    id: u64,
    name: String,
    count: u64,
}

/// What a document says: a function of the seed, its URL and the version alone.
struct Document {
    url: String,
    records: Vec<Record>,
}

impl Document {
    fn new(seed: u64, url: &str, version: u64) -> Document {
        let record = |id: u64| {
            let mut random = Random::new(seed, url, id);
            let name = words::title(&mut random, Flavour::Wiki);
            Record { id, name: format!("{name} – né <{id}> & \"so\""), count: 1 + random.below(1000) as u64 }
        };
        let mut records: Vec<Record> = (0..RECORDS).map(record).collect();
        for edit in 1..=version {
            match edit % 3 {
                0 => records.push(record(records.len() as u64)),
                _ => records[(edit % RECORDS) as usize].count += 1000,
            }
        }
        Document { url: url.to_owned(), records }
    }
}

/// A version of a document, spelled as `dress` draws it.
pub(super) fn render(seed: u64, url: &str, version: u64, syntax: Syntax, dress: u64) -> String {
    let document = Document::new(seed, url, version);
    let mut random = Random::new(seed, url, dress.wrapping_add(1 << 40));
    match syntax {
        Syntax::Json => plain::json(&document, &mut random),
        Syntax::JsonLines => plain::json_lines(&document, &mut random),
        Syntax::Csv => plain::csv(&document, &mut random),
        Syntax::Tsv => plain::tsv(&document, &mut random),
        Syntax::Xml => plain::xml(&document, &mut random),
        _ => rdf::write(&document, syntax, &mut random),
    }
}

/// Puts items into an order that is drawn.
fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_is_spelled_otherwise() {
        for syntax in Syntax::ALL {
            let dressed = |dress| render(1, "http://a.test/d", 4, syntax, dress);
            assert_eq!(dressed(1), dressed(1));
            let different = (2..12).filter(|dress| dressed(*dress) != dressed(1)).count();
            assert!(different >= 5, "{syntax:?}: {different}");
        }
    }

    #[test]
    fn versions_grow_and_change_by_one_value() {
        let counts = |version| {
            let document = Document::new(1, "http://a.test/d", version);
            document.records.iter().map(|record| record.count).collect::<Vec<_>>()
        };
        for version in 0..20 {
            let (old, new) = (counts(version), counts(version + 1));
            let differ = old.iter().zip(&new).filter(|(old, new)| old != new).count();
            assert_eq!(differ + (new.len() - old.len()), 1, "version {version}");
        }
    }
}
