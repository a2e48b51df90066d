//! Graphs: order, prefixes, names of blank nodes and ways to write a term do not count.

use crate::content::{Content, Item};
use crate::data::{object, string};
use crate::draw::Draw;
use crate::markup::escaped;

const NAMESPACE: &str = "http://e.example/ns#";
const DECIMAL: &str = "http://www.w3.org/2001/XMLSchema#decimal";

/// What a triple is about or ends with.
#[derive(Clone)]
enum Node {
    Thing(String),
    Blank(usize),
    Text(String),
    Price(String),
}

type Triple = (Node, &'static str, Node);

/// A shop with goods, which are blank nodes: nothing but what is said of them tells them apart.
fn triples(content: &Content, draw: &mut Draw) -> Vec<Triple> {
    let shop = Node::Thing("http://e.example/shop".into());
    let mut triples = vec![(shop.clone(), "title", Node::Text(content.title.clone()))];
    let places = draw.shuffled((0..content.items.len()).collect());
    for (Item { id, name, note, .. }, place) in content.items.iter().zip(places) {
        let goods = Node::Blank(place);
        triples.push((shop.clone(), "sells", goods.clone()));
        triples.push((goods.clone(), "same", Node::Thing(format!("http://e.example/goods/{id}"))));
        triples.push((goods.clone(), "name", Node::Text(name.clone())));
        triples.push((goods, "note", Node::Text(note.clone())));
    }
    for (item, (goods, ..)) in content.items.iter().zip(triples.clone().into_iter().skip(2).step_by(4)) {
        triples.push((goods, "price", Node::Price(item.price())));
    }
    draw.shuffled(triples)
}

/// Names of blank nodes for one version.
struct Labels(u64);

impl Labels {
    fn of(&self, place: usize) -> String {
        format!("b{:x}", (place as u64 ^ self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

fn literal(text: &str, draw: &mut Draw) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            other if draw.once_in(10) => out.push_str(&format!("\\U{:08X}", other as u32)),
            other => out.push(other),
        }
    }
    out + "\""
}

fn term(node: &Node, labels: &Labels, draw: &mut Draw) -> String {
    match node {
        Node::Thing(name) => format!("<{name}>"),
        Node::Blank(place) => format!("_:{}", labels.of(*place)),
        Node::Text(text) => literal(text, draw),
        Node::Price(price) => format!("\"{price}\"^^<{DECIMAL}>"),
    }
}

pub(crate) fn n_triples(content: &Content, _: &str, draw: &mut Draw) -> String {
    let labels = Labels(draw.number());
    let mut out = String::new();
    for (subject, predicate, object) in triples(content, draw) {
        let (subject, object) = (term(&subject, &labels, draw), term(&object, &labels, draw));
        out += &format!("{subject} <{NAMESPACE}{predicate}> {object} .{}\n", draw.pick(&["", " # a comment", " "]));
    }
    out
}

pub(crate) fn turtle(content: &Content, _: &str, draw: &mut Draw) -> String {
    let (labels, prefix) = (Labels(draw.number()), draw.pick(&["", "n", "shop"]));
    let mut out = match draw.below(2) {
        0 => format!("@prefix {prefix}: <{NAMESPACE}> .\n"),
        _ => format!("PREFIX {prefix}: <{NAMESPACE}>\n"),
    };
    for (subject, predicate, object) in triples(content, draw) {
        let object = match &object {
            Node::Price(price) if draw.once_in(2) => price.clone(),
            Node::Text(text) if draw.once_in(4) && !text.contains('"') => format!("'''{text}'''"),
            other => term(other, &labels, draw),
        };
        let subject = term(&subject, &labels, draw);
        out += &format!("{subject} {prefix}:{predicate}{}{object} .{}", draw.pick(&[" ", "\n\t"]), draw.space());
    }
    out
}

pub(crate) fn trig(content: &Content, charset: &str, draw: &mut Draw) -> String {
    let text = turtle(content, charset, draw);
    let (prefixes, triples) = text.split_once('\n').unwrap_or_default();
    let graph = draw.pick(&["<http://e.example/g> {", "GRAPH <http://e.example/g> {\n"]);
    format!("{prefixes}\n{graph}{triples}}}\n")
}

pub(crate) fn rdf_xml(content: &Content, charset: &str, draw: &mut Draw) -> String {
    let (labels, prefix) = (Labels(draw.number()), draw.pick(&["n", "shop", "x1"]));
    let name = if charset.starts_with("utf-16") { "utf-16" } else { charset };
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"{name}\"?>\n<rdf:RDF xmlns:{prefix}=\"{NAMESPACE}\"\n  \
         xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
    );
    for (subject, predicate, object) in triples(content, draw) {
        let about = match &subject {
            Node::Blank(place) => format!("rdf:nodeID=\"{}\"", labels.of(*place)),
            Node::Thing(name) | Node::Text(name) | Node::Price(name) => format!("rdf:about='{name}'"),
        };
        let property = match &object {
            Node::Blank(place) => format!("<{prefix}:{predicate} rdf:nodeID='{}'/>", labels.of(*place)),
            Node::Thing(name) => format!("<{prefix}:{predicate} rdf:resource=\"{name}\" />"),
            Node::Text(text) => format!("<{prefix}:{predicate}>{}</{prefix}:{predicate}>", escaped(text, draw)),
            Node::Price(price) => {
                format!("<{prefix}:{predicate} rdf:datatype='{DECIMAL}'>{price}</{prefix}:{predicate}>")
            }
        };
        out += &format!("<rdf:Description {about}>{property}</rdf:Description>{}", draw.space());
    }
    out + "</rdf:RDF>"
}

pub(crate) fn json_ld(content: &Content, _: &str, draw: &mut Draw) -> String {
    let (labels, short) = (Labels(draw.number()), draw.once_in(2));
    let mut nodes = Vec::new();
    for (subject, predicate, value) in triples(content, draw) {
        let named = |node: &Node| match node {
            Node::Blank(place) => format!("_:{}", labels.of(*place)),
            Node::Thing(name) | Node::Text(name) | Node::Price(name) => name.clone(),
        };
        let value = match &value {
            Node::Text(text) => string(text, draw),
            Node::Price(price) => {
                let members = vec![("@value", string(price, draw)), ("@type", string(DECIMAL, draw))];
                object(members, draw)
            }
            other => format!("{{\"@id\": \"{}\"}}", named(other)),
        };
        let predicate = if short { format!("n:{predicate}") } else { format!("{NAMESPACE}{predicate}") };
        nodes.push(object(vec![("@id", string(&named(&subject), draw)), (&predicate, value)], draw));
    }
    let graph = format!("[{}]", nodes.join(draw.pick(&[",", ",\n", " , "])));
    let context = format!("{{\"n\": \"{NAMESPACE}\"}}");
    object(vec![("@context", context), ("@graph", graph)], draw)
}
