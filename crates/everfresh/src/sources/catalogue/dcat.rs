//! Catalogues in RDF: distributions of DCAT datasets and dumps of VoID datasets.

use std::collections::HashMap;

use oxrdf::{NamedOrBlankNode, Term, Triple};
use revisit::Time;

use super::{Part, Raw};
use crate::parse::date;
use crate::sources::graph;
use crate::sources::handler::Answer;

const DCAT: &str = "http://www.w3.org/ns/dcat#";
const TERMS: &str = "http://purl.org/dc/terms/";
const VOID: &str = "http://rdfs.org/ns/void#";
const HYDRA: &str = "http://www.w3.org/ns/hydra/core#";
/// The beginning of the names that DCAT gives to media types.
const MEDIA_TYPES: &str = "www.iana.org/assignments/media-types/";

/// What is said of one node, as far as it matters. A node may say several things, in any order.
#[derive(Default)]
struct Node {
    distributions: Vec<String>,
    dumps: Vec<String>,
    downloads: Vec<String>,
    accesses: Vec<String>,
    media_types: Vec<String>,
    formats: Vec<String>,
    /// The latest date.
    modified: Option<Time>,
}

/// The nodes of a graph in the order in which they are met.
#[derive(Default)]
struct Nodes {
    places: HashMap<String, usize>,
    nodes: Vec<Node>,
}

impl Nodes {
    fn named(&mut self, name: String) -> &mut Node {
        let place = *self.places.entry(name).or_insert(self.nodes.len());
        if place == self.nodes.len() {
            self.nodes.push(Node::default());
        }
        &mut self.nodes[place]
    }
}

/// Reads one part. A graph without a distribution, a dump or a dataset is no catalogue.
pub(super) fn read(answer: &Answer) -> Result<Part, String> {
    let format = answer.format().ok_or("it is no RDF")?;
    let (mut nodes, mut part, mut is_catalogue) = (Nodes::default(), Part::default(), false);
    graph::each_triple(format, &answer.data(format), &answer.url, |triple| {
        let Triple { subject, predicate, object } = triple;
        let predicate = predicate.as_str();
        is_catalogue |= predicate.starts_with(DCAT) || predicate.starts_with(VOID);
        is_catalogue |= matches!(&object, Term::NamedNode(class) if class.as_str().starts_with(DCAT));
        if matches!(predicate.strip_prefix(HYDRA), Some("next" | "nextPage")) {
            // Of several the least: another order of triples asks the same parts.
            part.next = Some(value(object)).into_iter().chain(part.next.take()).min();
        } else if let Some(place) = place(predicate) {
            take(nodes.named(key(subject)), place, value(object));
        }
    })?;
    if !is_catalogue {
        return Err("it says nothing in the words of DCAT or VoID".into());
    }
    part.listed = listed(nodes);
    Ok(part)
}

/// What a predicate says that matters.
#[derive(Clone, Copy)]
enum Place {
    Distribution,
    Dump,
    Download,
    Access,
    MediaType,
    Format,
    Modified,
}

fn place(predicate: &str) -> Option<Place> {
    let names = |prefix: &str| predicate.strip_prefix(prefix);
    match (names(DCAT), names(TERMS), names(VOID)) {
        (Some("distribution"), ..) => Some(Place::Distribution),
        (Some("downloadURL"), ..) => Some(Place::Download),
        (Some("accessURL"), ..) => Some(Place::Access),
        (Some("mediaType"), ..) => Some(Place::MediaType),
        (_, Some("format"), _) => Some(Place::Format),
        (_, Some("modified"), _) => Some(Place::Modified),
        (.., Some("dataDump")) => Some(Place::Dump),
        _ => None,
    }
}

fn take(node: &mut Node, place: Place, value: String) {
    match place {
        Place::Distribution => node.distributions.push(value),
        Place::Dump => node.dumps.push(value),
        Place::Download => node.downloads.push(value),
        Place::Access => node.accesses.push(value),
        Place::MediaType => node.media_types.push(media_type(value)),
        Place::Format => node.formats.push(media_type(value)),
        Place::Modified => node.modified = node.modified.max(date(&value)),
    }
}

/// The media type in the name that IANA, or the EU's list of file types, has for it.
fn media_type(value: String) -> String {
    let at = |mark: &str| value.find(mark).map(|at| at + mark.len());
    match at(MEDIA_TYPES).or_else(|| at("/authority/file-type/")) {
        Some(start) => value[start..].to_owned(),
        None => value,
    }
}

/// The dumps of all datasets, and all distributions. One that has no date of its own has the latest of those who name it.
fn listed(Nodes { places, nodes }: Nodes) -> Vec<Raw> {
    let mut inherited = vec![None; nodes.len()];
    for node in &nodes {
        for place in node.distributions.iter().filter_map(|name| places.get(name)) {
            inherited[*place] = node.modified.max(inherited[*place]);
        }
    }
    nodes.into_iter().zip(inherited).flat_map(|(node, inherited)| entries(node, inherited)).collect()
}

fn entries(node: Node, inherited: Option<Time>) -> impl Iterator<Item = Raw> {
    let Node { dumps, downloads, accesses, media_types, formats, modified, .. } = node;
    let formats = if media_types.is_empty() { formats } else { media_types };
    let dumps = dumps.into_iter().map(move |url| Raw { url, formats: Vec::new(), modified });
    let urls = if downloads.is_empty() { accesses } else { downloads };
    let modified = modified.or(inherited);
    dumps.chain(urls.into_iter().map(move |url| Raw { url, formats: formats.clone(), modified }))
}

/// What a node is known by.
fn key(subject: NamedOrBlankNode) -> String {
    match subject {
        NamedOrBlankNode::NamedNode(node) => node.into_string(),
        NamedOrBlankNode::BlankNode(node) => node.to_string(),
    }
}

/// The text of a term; of a node, what it is known by.
fn value(object: Term) -> String {
    match object {
        Term::Literal(literal) => literal.value().to_owned(),
        Term::NamedNode(node) => node.into_string(),
        Term::BlankNode(node) => node.to_string(),
    }
}
