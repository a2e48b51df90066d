//! Which quads two graphs differ in, though their blank nodes have no names to go by.
//!
//! One triple more can give every blank node another canonical name, so names are no guide. Instead:
//!
//! 1. Quads without blank nodes are compared as they are.
//! 2. Blank nodes that hang together form a part. Parts of the same canonical form are paired, node by node.
//! 3. What is left is paired by [likeness](super::pairing), the surest pairs first.
//! 4. If what is left has one quad more on one side, and likeness found a larger difference, every quad is tried to be
//!    [the one](super::part::without_one).
//!
//! The result always holds: the old graph without the quads removed and with those added is the new graph. It is exactly one
//! quad if the graphs differ in one quad, as long as what is left can be brought into canonical form within the limits and has
//! no more than some thousand quads. Of larger differences it may not be the smallest, which no method can promise in
//! reasonable time.

use hashbrown::{HashMap, HashSet};

use super::super::Unreadable;
use super::super::budget::Budget;
use super::super::delta::{Delta, short};
use super::graph::Graph;
use super::pairing;
use super::part::{Part, Rest, without_one};
use super::terms::{BLANK, DEFAULT_GRAPH, Quad, Term, blank, blanks};

/// Stands for a blank node without a partner.
pub(super) const ALONE: u32 = u32::MAX;

/// Says which quads differ. Partners of nodes are looked for within the budget; nodes that have none by then stay alone.
pub(crate) fn compare(old: &Graph, new: &Graph, delta: &mut Delta, budget: &mut Budget) {
    let numbers = shared_numbers(old, new);
    let partners = partners(old, new, &numbers, budget);
    // Each quad of the old graph in terms of the new one; blank nodes without a partner are like no other.
    let translate = |term: Term| match blank(term) {
        Some(node) if partners[node] == ALONE => None,
        Some(node) => Some(BLANK | partners[node]),
        None if term == DEFAULT_GRAPH => Some(term),
        None => Some(numbers[term as usize]),
    };
    let translated = |quad: &Quad| -> Option<Quad> {
        Some([translate(quad[0])?, translate(quad[1])?, translate(quad[2])?, translate(quad[3])?])
    };
    let kept: HashSet<Quad> = old.quads.iter().filter_map(translated).collect();
    let known: HashSet<Quad> = new.quads.iter().copied().collect();
    for quad in old.quads.iter().filter(|quad| translated(quad).is_none_or(|quad| !known.contains(&quad))) {
        delta.remove(|| old_line(old, new, &partners, quad));
    }
    for quad in new.quads.iter().filter(|quad| !kept.contains(*quad)) {
        delta.add(|| line(new, quad, |node| format!("_:c14n{}", new.labels[node])));
    }
}

/// A quad of the old graph, its blank nodes named as in the new one where they are there.
pub(super) fn old_line(old: &Graph, new: &Graph, partners: &[u32], quad: &Quad) -> String {
    line(old, quad, |node| match partners[node] {
        ALONE => format!("_:old{}", old.labels[node]),
        partner => format!("_:c14n{}", new.labels[partner as usize]),
    })
}

/// A quad as a line whose terms are cut short.
fn line(graph: &Graph, quad: &Quad, name: impl Fn(usize) -> String) -> String {
    let terms = quad.iter().filter(|term| **term != DEFAULT_GRAPH);
    let written = terms.map(|term| match blank(*term) {
        Some(node) => name(node),
        None => short(graph.terms.text(*term)),
    });
    written.chain([".".to_owned()]).collect::<Vec<_>>().join(" ")
}

/// Numbers for the named terms of the old graph that mean the same in the new one.
pub(super) fn shared_numbers(old: &Graph, new: &Graph) -> Vec<Term> {
    let mut unknown = new.terms.len() as Term..;
    let texts = (0..old.terms.len() as Term).map(|term| old.terms.text(term));
    texts.map(|text| new.terms.find(text).or_else(|| unknown.next()).unwrap_or(DEFAULT_GRAPH)).collect()
}

/// The blank node of the new graph that each of the old one is.
pub(super) fn partners(old: &Graph, new: &Graph, numbers: &[Term], budget: &mut Budget) -> Vec<u32> {
    let mut partners = vec![ALONE; old.blanks];
    let own = |term: Term| term;
    let theirs = |term: Term| if term == DEFAULT_GRAPH { term } else { numbers[term as usize] };
    let (old_parts, new_parts) = (parts(old, &theirs), parts(new, &own));
    let (old_rest, new_rest) = pair_parts(old, new, old_parts, new_parts, &mut partners, budget);
    let (left, right) = (Rest::new(old_rest), Rest::new(new_rest));
    if left.nodes.is_empty() || right.nodes.is_empty() {
        return partners;
    }
    let mut pairs = pairing::pair(&left, &right, budget);
    let differing = left.difference(&right, &pairs);
    if differing > 1 && left.quads.len().abs_diff(right.quads.len()) == 1 {
        // Beyond the limits the pairs found by likeness stand.
        if let Ok(Some(exact)) = without_one(&left, &right, &old.terms, &new.terms, budget) {
            pairs = exact;
        }
    }
    for (node, partner) in left.nodes.iter().zip(pairs).filter(|(_, partner)| *partner != ALONE) {
        partners[*node as usize] = right.nodes[partner as usize];
    }
    partners
}

/// Blank nodes that hang together, with their quads in numbers of their own and in shared ones.
type Quads = Vec<(Quad, Quad)>;

/// The parts of a graph.
fn parts(graph: &Graph, number: &impl Fn(Term) -> Term) -> Vec<Quads> {
    let mut leaders: Vec<u32> = (0..graph.blanks as u32).collect();
    let about_blanks = || graph.quads.iter().filter(|quad| blanks(quad).next().is_some());
    for quad in about_blanks() {
        let mut nodes = blanks(quad);
        let first = nodes.next().unwrap_or_default();
        for node in nodes {
            let (one, other) = (leader(&mut leaders, first), leader(&mut leaders, node));
            leaders[one.max(other)] = one.min(other) as u32;
        }
    }
    let mut parts: HashMap<usize, usize> = HashMap::new();
    let mut quads: Vec<Quads> = Vec::new();
    for quad in about_blanks() {
        let leader = blanks(quad).next().map_or(0, |node| leader(&mut leaders, node));
        let part = *parts.entry(leader).or_insert(quads.len());
        if part == quads.len() {
            quads.push(Quads::new());
        }
        let shared = quad.map(|term| if blank(term).is_some() { term } else { number(term) });
        quads[part].push((*quad, shared));
    }
    quads
}

/// The node that stands for all it is joined with.
fn leader(leaders: &mut [u32], node: usize) -> usize {
    let mut node = node;
    while leaders[node] as usize != node {
        // Every second node on the way is pointed further up, which keeps ways short.
        leaders[node] = leaders[leaders[node] as usize];
        node = leaders[node] as usize;
    }
    node
}

/// Pairs the nodes of parts of the same form; returns the quads of the others.
fn pair_parts(
    old: &Graph,
    new: &Graph,
    old_parts: Vec<Quads>,
    new_parts: Vec<Quads>,
    partners: &mut [u32],
    budget: &mut Budget,
) -> (Quads, Quads) {
    let mut form =
        |graph: &Graph, quads: &Quads| -> Result<Part, Unreadable> { Part::new(quads, &graph.terms, budget) };
    let (mut old_rest, mut new_rest) = (Quads::new(), Quads::new());
    let mut by_form: HashMap<[u8; 32], Vec<(Part, Quads)>> = HashMap::new();
    // From the last to the first, so that the first of equal parts is taken first.
    for quads in new_parts.into_iter().rev() {
        match form(new, &quads) {
            Ok(part) => by_form.entry(part.form).or_default().push((part, quads)),
            Err(_) => new_rest.extend(quads),
        }
    }
    for quads in old_parts {
        let part = form(old, &quads).ok();
        let same = part.as_ref().and_then(|part| by_form.get_mut(&part.form)?.pop());
        match (part, same) {
            (Some(part), Some((same, _))) => part.pair_with(&same, |node, partner| partners[node] = partner),
            _ => old_rest.extend(quads),
        }
    }
    new_rest.extend(by_form.into_values().flatten().flat_map(|(_, quads)| quads));
    // The map has no order of its own.
    new_rest.sort_unstable();
    (old_rest, new_rest)
}
