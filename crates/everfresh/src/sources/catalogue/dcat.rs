//! Catalogues in RDF: distributions of DCAT datasets and dumps of VoID datasets.

use std::collections::HashMap;

use oxrdf::{NamedOrBlankNode, Term, Triple};

use super::{Part, Raw};
use crate::sources::graph;
use crate::sources::handler::Answer;

const DCAT: &str = "http://www.w3.org/ns/dcat#";
const TERMS: &str = "http://purl.org/dc/terms/";
const VOID: &str = "http://rdfs.org/ns/void#";
const HYDRA: &str = "http://www.w3.org/ns/hydra/core#";
/// The beginning of the names that DCAT gives to media types.
const MEDIA_TYPES: &str = "www.iana.org/assignments/media-types/";

/// What is said of one node, as far as it matters.
#[derive(Default)]
struct Node {
    distributions: Vec<String>,
    dumps: Vec<String>,
    download: Option<String>,
    access: Option<String>,
    format: Option<String>,
    modified: Option<String>,
}

/// Reads one part. A graph without a distribution, a dump or a dataset is no catalogue.
pub(super) fn read(answer: &Answer) -> Result<Part, String> {
    let format = answer.format().ok_or("it is no RDF")?;
    let (mut nodes, mut part, mut is_catalogue) = (HashMap::<String, Node>::new(), Part::default(), false);
    graph::each_triple(format, &answer.data(format), &answer.url, |triple| {
        let Triple { subject, predicate, object } = triple;
        let predicate = predicate.as_str();
        is_catalogue |= predicate.starts_with(DCAT) || predicate.starts_with(VOID);
        is_catalogue |= matches!(&object, Term::NamedNode(class) if class.as_str().starts_with(DCAT));
        if matches!(predicate.strip_prefix(HYDRA), Some("next" | "nextPage")) {
            part.next = Some(value(object));
        } else if let Some(place) = place(predicate) {
            take(nodes.entry(key(subject)).or_default(), place, value(object));
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
        Place::Download => node.download = Some(value),
        Place::Access => node.access = Some(value),
        Place::MediaType => node.format = Some(media_type(value)),
        Place::Format => node.format = node.format.take().or(Some(media_type(value))),
        Place::Modified => node.modified = node.modified.take().max(Some(value)),
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

fn listed(mut nodes: HashMap<String, Node>) -> Vec<Raw> {
    let mut listed = Vec::new();
    let keys: Vec<String> = nodes.keys().cloned().collect();
    // First what datasets pass on to their distributions, then the distributions that no dataset names.
    for key in &keys {
        let Some(node) = nodes.get_mut(key) else { continue };
        let (distributions, dumps) = (std::mem::take(&mut node.distributions), std::mem::take(&mut node.dumps));
        let modified = node.modified.clone();
        listed.extend(dumps.into_iter().map(|url| Raw { url, format: None, modified: modified.clone() }));
        for distribution in distributions {
            let Some(node) = nodes.get_mut(&distribution) else { continue };
            node.modified = node.modified.take().or(modified.clone());
        }
    }
    let entries = nodes.into_values().filter_map(|node| {
        Some(Raw { url: node.download.or(node.access)?, format: node.format, modified: node.modified })
    });
    listed.extend(entries);
    listed
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
