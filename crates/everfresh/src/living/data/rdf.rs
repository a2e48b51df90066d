//! The same graph in every syntax of RDF: records, notes that are blank nodes, and two blank nodes that know each other and
//! cannot be told apart.

use std::fmt::Write;

use super::plain::{quoted, text};
use super::{Document, Random, Record, Syntax, shuffle};

const NAMESPACE: &str = "http://living.test/ns#";
const INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";

#[derive(Clone, PartialEq, Eq)]
enum Node {
    /// A thing of the document, by the fragment of its URL.
    Thing(u64),
    /// A blank node, by a number that is not written anywhere.
    Blank(u64),
    Text(String),
    Number(u64),
}

/// Subject, name of the predicate, object.
type Triple = (Node, &'static str, Node);

fn triples(document: &Document) -> Vec<Triple> {
    let mut triples = Vec::new();
    for Record { id, name, count } in &document.records {
        triples.push((Node::Thing(*id), "name", Node::Text(name.clone())));
        triples.push((Node::Thing(*id), "count", Node::Number(*count)));
        triples.push((Node::Thing(*id), "note", Node::Blank(*id)));
        triples.push((Node::Blank(*id), "text", Node::Text(format!("note {}", id % 3))));
    }
    let (one, other) = (Node::Blank(1 << 40), Node::Blank(1 << 41));
    triples.push((one.clone(), "knows", other.clone()));
    triples.push((other, "knows", one));
    triples
}

/// The graph of a document in a syntax of RDF.
pub(super) fn write(document: &Document, syntax: Syntax, random: &mut Random) -> String {
    let mut triples = triples(document);
    shuffle(&mut triples, random);
    let names = Names { url: document.url.clone(), label: random.below(1 << 30) as u64 };
    match syntax {
        Syntax::NTriples | Syntax::NQuads => triples.iter().map(|triple| names.line(triple, random)).collect(),
        Syntax::TriG => names.turtle(&triples, random, true),
        Syntax::RdfXml => names.xml(&triples, random),
        Syntax::JsonLd => names.json(&triples, random),
        _ => names.turtle(&triples, random, false),
    }
}

struct Names {
    url: String,
    /// What the labels of blank nodes begin with.
    label: u64,
}

impl Names {
    fn blank(&self, number: u64) -> String {
        // Not in the order of the numbers.
        format!("b{:x}", (number ^ self.label).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn term(&self, node: &Node) -> String {
        match node {
            Node::Thing(number) => format!("<{}#{number}>", self.url),
            Node::Blank(number) => format!("_:{}", self.blank(*number)),
            Node::Text(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
            Node::Number(number) => format!("\"{number}\"^^<{INTEGER}>"),
        }
    }

    fn line(&self, (subject, predicate, object): &Triple, random: &mut Random) -> String {
        let object = match object {
            Node::Text(text) => quoted(text, random),
            other => self.term(other),
        };
        format!("{} <{NAMESPACE}{predicate}> {object} .\n", self.term(subject))
    }

    /// Turtle, or the same within the braces of a default graph.
    fn turtle(&self, triples: &[Triple], random: &mut Random, braces: bool) -> String {
        let (prefix, short) = (random.pick(&["", "n", "ns1"]), random.chance(0.5));
        let mut out = random.pick(&["", "# made by a machine\n"]).to_owned();
        let _ = writeln!(out, "@prefix {prefix}: <{NAMESPACE}> .");
        out.push_str(if braces { "{\n" } else { "" });
        let mut last: Option<&Node> = None;
        for (subject, predicate, object) in triples {
            let object = match object {
                Node::Number(number) if short => number.to_string(),
                Node::Thing(number) if short => format!("<#{number}>"),
                other => self.term(other),
            };
            let _ = match last {
                Some(same) if same == subject => write!(out, " ;\n  {prefix}:{predicate} {object}"),
                Some(_) => write!(out, " .\n{} {prefix}:{predicate} {object}", self.term(subject)),
                None => write!(out, "{} {prefix}:{predicate} {object}", self.term(subject)),
            };
            last = Some(subject);
        }
        out + " .\n" + if braces { "}\n" } else { "" }
    }

    fn xml(&self, triples: &[Triple], random: &mut Random) -> String {
        let prefix = random.pick(&["n", "living", "x1"]);
        let mut out = format!(
            "<?xml version=\"1.0\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:{prefix}=\"{NAMESPACE}\">\n"
        );
        for (subject, predicate, object) in triples {
            let about = match subject {
                Node::Blank(number) => format!("rdf:nodeID=\"{}\"", self.blank(*number)),
                Node::Thing(number) => format!("rdf:about=\"{}#{number}\"", self.url),
                Node::Text(_) | Node::Number(_) => continue,
            };
            let element = format!("{prefix}:{predicate}");
            let property = match object {
                Node::Blank(number) => format!("<{element} rdf:nodeID=\"{}\"/>", self.blank(*number)),
                Node::Thing(number) => format!("<{element} rdf:resource=\"{}#{number}\"/>", self.url),
                Node::Text(value) => format!("<{element}>{}</{element}>", text(value, random)),
                Node::Number(value) => format!("<{element} rdf:datatype=\"{INTEGER}\">{value}</{element}>"),
            };
            let _ = writeln!(out, "<rdf:Description {about}>{property}</rdf:Description>");
        }
        out + "</rdf:RDF>\n"
    }

    fn json(&self, triples: &[Triple], random: &mut Random) -> String {
        let name = |node: &Node| match node {
            Node::Blank(number) => format!("_:{}", self.blank(*number)),
            Node::Thing(number) => format!("{}#{number}", self.url),
            Node::Text(_) | Node::Number(_) => String::new(),
        };
        let mut nodes = Vec::new();
        for (subject, predicate, object) in triples {
            let value = match object {
                Node::Text(text) => format!("{{\"@value\": {}}}", quoted(text, random)),
                Node::Number(number) if random.chance(0.5) => format!("{{\"@value\": {number}}}"),
                Node::Number(number) => format!("{{\"@value\": \"{number}\", \"@type\": \"{INTEGER}\"}}"),
                other => format!("{{\"@id\": \"{}\"}}", name(other)),
            };
            let mut members =
                [format!("\"@id\": \"{}\"", name(subject)), format!("\"{NAMESPACE}{predicate}\": [{value}]")];
            shuffle(&mut members, random);
            nodes.push(format!("{{{}}}", members.join(", ")));
        }
        format!("[{}]\n", nodes.join(random.pick(&[",", ",\n", " , "])))
    }
}
