//! RDF Dataset Canonicalization (RDFC-1.0, W3C Recommendation of 21 May 2024): names for blank nodes that depend on the graph
//! alone.
//!
//! A blank node is hashed by the quads it is in, all blank nodes anonymous. Where that hash is unique it gives the node its
//! place; the others are told apart by walking their neighbourhood in every order, which takes factorial time on graphs made
//! for it. So every hash and every order tried counts as work, and a graph that needs too much of it is refused; the work is
//! counted and not timed, so that a slow machine refuses nothing that a fast one takes. The recursion follows paths of alike
//! nodes and is bounded too; where many of them hang together they are [told apart](super::refine) first.

use sha2::{Digest, Sha256};

use super::super::Unreadable;
use super::super::budget::Budget;
use super::refine::{MAX_ALIKE, refine};
use super::terms::{DEFAULT_GRAPH, Quad, Term, Terms, blank};

/// Hashes and orders that any graph may take.
const BASE_WORK: usize = 500_000;
/// Further ones for each quad.
const WORK_PER_QUAD: usize = 50;
/// What a hash or an order is worth in steps.
const STEPS_OF_WORK: usize = 4;
/// Blank nodes on a path that are all alike up to there.
const MAX_DEPTH: usize = 400;
/// A node without a name yet.
const UNNAMED: u32 = u32::MAX;

pub(super) type Hash = [u8; 32];

/// Names for the time being, given in the order in which nodes were met. The recommendation copies it for every path that is
/// tried; here names are taken back instead.
struct Issuer {
    order: Vec<u32>,
    names: Vec<u32>,
}

/// The blank nodes of a graph, and what is known of them so far.
pub(super) struct Canonical<'g> {
    terms: &'g Terms,
    pub(super) quads: &'g [Quad],
    /// The quads of each blank node: `incident[begins[node]..begins[node + 1]]`.
    incident: Vec<u32>,
    begins: Vec<u32>,
    /// The hash of each node by its own quads.
    pub(super) first_degree: Vec<Hash>,
    /// The canonical names.
    pub(super) labels: Vec<u32>,
    issued: u32,
    work_left: usize,
}

/// The numbers in the canonical names (`_:c14nN`) of blank nodes `0..nodes`, which these quads are about.
pub(super) fn labels(terms: &Terms, quads: &[Quad], nodes: usize, budget: &mut Budget) -> Result<Vec<u32>, Unreadable> {
    labels_beyond(MAX_ALIKE, terms, quads, nodes, budget)
}

/// The same, where hashes are refined if more than `max_alike` alike nodes hang together.
pub(super) fn labels_beyond(
    max_alike: usize,
    terms: &Terms,
    quads: &[Quad],
    nodes: usize,
    budget: &mut Budget,
) -> Result<Vec<u32>, Unreadable> {
    let (begins, incident) = incidence(quads, nodes);
    let labels = vec![UNNAMED; nodes];
    let work_left = BASE_WORK + WORK_PER_QUAD * quads.len();
    let mut canonical =
        Canonical { terms, quads, incident, begins, first_degree: Vec::new(), labels, issued: 0, work_left };
    canonical.hash_all(budget)?;
    refine(&mut canonical, max_alike, budget)?;
    let mut order: Vec<u32> = (0..nodes as u32).collect();
    order.sort_unstable_by_key(|node| canonical.first_degree[*node as usize]);
    let groups: Vec<&[u32]> =
        order.chunk_by(|a, b| canonical.first_degree[*a as usize] == canonical.first_degree[*b as usize]).collect();
    groups.iter().filter(|group| group.len() == 1).for_each(|group| canonical.issue(group[0]));
    let mut issuer = Issuer { order: Vec::new(), names: vec![UNNAMED; nodes] };
    for group in groups.iter().filter(|group| group.len() > 1) {
        canonical.tell_apart(group, &mut issuer, budget)?;
    }
    Ok(canonical.labels)
}

/// The quads of each blank node, one list behind the other, and where the lists begin.
pub(super) fn incidence(quads: &[Quad], nodes: usize) -> (Vec<u32>, Vec<u32>) {
    let each = |visit: &mut dyn FnMut(usize, u32)| {
        for (number, quad) in quads.iter().enumerate() {
            for (place, term) in quad.iter().enumerate().filter(|(_, term)| blank(**term).is_some()) {
                // A quad with the same node in two places is one of its quads all the same.
                if !quad[..place].contains(term) {
                    blank(*term).into_iter().for_each(|node| visit(node, number as u32));
                }
            }
        }
    };
    let mut begins = vec![0u32; nodes + 1];
    each(&mut |node, _| begins[node + 1] += 1);
    (0..nodes).for_each(|node| begins[node + 1] += begins[node]);
    let (mut next, mut incident) = (begins.clone(), vec![0; begins[nodes] as usize]);
    each(&mut |node, quad| {
        incident[next[node] as usize] = quad;
        next[node] += 1;
    });
    (begins, incident)
}

impl Canonical<'_> {
    /// The numbers of the quads of a node.
    pub(super) fn quads_of(&self, node: u32) -> &[u32] {
        &self.incident[self.begins[node as usize] as usize..self.begins[node as usize + 1] as usize]
    }

    /// Gives a node the next canonical name, if it has none.
    fn issue(&mut self, node: u32) {
        if self.labels[node as usize] == UNNAMED {
            self.labels[node as usize] = self.issued;
            self.issued += 1;
        }
    }

    /// The spelling of a named term; nothing for the default graph.
    pub(super) fn text(&self, term: Term) -> &str {
        if term == DEFAULT_GRAPH { "" } else { self.terms.text(term) }
    }

    /// One hash or one order more.
    pub(super) fn work(&mut self, budget: &mut Budget) -> Result<(), Unreadable> {
        self.work_left = self.work_left.checked_sub(1).ok_or(Unreadable::AlikeBlankNodes)?;
        budget.steps(STEPS_OF_WORK)
    }

    /// Hash First Degree Quads (4.6) of every node.
    fn hash_all(&mut self, budget: &mut Budget) -> Result<(), Unreadable> {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for node in 0..self.labels.len() as u32 {
            budget.steps(STEPS_OF_WORK + self.quads_of(node).len())?;
            text.clear();
            ends.clear();
            for quad in self.quads_of(node) {
                let begin = text.len();
                self.write_anonymous(&self.quads[*quad as usize], node as usize, &mut text);
                ends.push((begin, text.len()));
            }
            ends.sort_unstable_by_key(|(begin, end)| &text[*begin..*end]);
            let mut hasher = Sha256::new();
            ends.iter().for_each(|(begin, end)| hasher.update(&text[*begin..*end]));
            self.first_degree.push(hasher.finalize().into());
        }
        Ok(())
    }

    /// Writes a quad in which the node is `_:a` and all other blank nodes are `_:z`.
    fn write_anonymous(&self, quad: &Quad, node: usize, out: &mut String) {
        for term in quad.iter().filter(|term| **term != DEFAULT_GRAPH) {
            out.push_str(match blank(*term) {
                Some(found) if found == node => "_:a",
                Some(_) => "_:z",
                None => self.terms.text(*term),
            });
            out.push(' ');
        }
        out.push_str(".\n");
    }

    /// Names the nodes of a group with the same first hash (4.4.3, step 5).
    fn tell_apart(&mut self, group: &[u32], issuer: &mut Issuer, budget: &mut Budget) -> Result<(), Unreadable> {
        let mut results = Vec::new();
        for node in group {
            if self.labels[*node as usize] == UNNAMED {
                issuer.issue(*node);
                let hash = self.hash_n_degree(*node, issuer, 0, budget)?;
                results.push((hash, issuer.take_back(0)));
            }
        }
        results.sort_by_key(|(hash, _)| *hash);
        results.iter().flat_map(|(_, order)| order).for_each(|node| self.issue(*node));
        Ok(())
    }

    /// Hash N-Degree Quads (4.8). The issuer goes on with the names of the path that was chosen.
    fn hash_n_degree(
        &mut self,
        node: u32,
        issuer: &mut Issuer,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<Hash, Unreadable> {
        if depth > MAX_DEPTH {
            return Err(Unreadable::AlikeBlankNodes);
        }
        let related = self.related(node, issuer, budget)?;
        let mut data = String::new();
        for group in related.chunk_by(|a, b| a.0 == b.0) {
            push_hex(&group[0].0, &mut data);
            let order: Vec<u32> = group.iter().map(|(_, node)| *node).collect();
            data.push_str(&self.best_path(order, issuer, depth, budget)?);
        }
        Ok(Sha256::digest(&data).into())
    }

    /// The path through related nodes in the order whose path sorts first (4.8, steps 5.2 to 5.6).
    fn best_path(
        &mut self,
        mut order: Vec<u32>,
        issuer: &mut Issuer,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<String, Unreadable> {
        if order.len() == 1 {
            // The usual case by far, in which no names are ever taken back.
            return Ok(self.walk(&order, issuer, None, depth, budget)?.unwrap_or_default());
        }
        order.sort_unstable();
        let before = issuer.order.len();
        let mut best: Option<(String, Vec<u32>)> = None;
        loop {
            self.work(budget)?;
            let path = self.walk(&order, issuer, best.as_ref().map(|(path, _)| path.as_str()), depth, budget)?;
            let issued = issuer.take_back(before);
            best = path.map(|path| (path, issued)).or(best);
            if !next_order(&mut order) {
                break;
            }
        }
        let (path, issued) = best.unwrap_or_default();
        issued.into_iter().for_each(|node| _ = issuer.issue(node));
        Ok(path)
    }

    /// The blank nodes that share a quad with a node, each with the hash of how (4.7), in the order of the hashes.
    fn related(&mut self, node: u32, issuer: &Issuer, budget: &mut Budget) -> Result<Vec<(Hash, u32)>, Unreadable> {
        let mut related = Vec::new();
        for at in self.begins[node as usize]..self.begins[node as usize + 1] {
            let quad = self.quads[self.incident[at as usize] as usize];
            for (place, position) in [(0, 's'), (2, 'o'), (3, 'g')] {
                let Some(other) = blank(quad[place]).filter(|other| *other != node as usize) else { continue };
                self.work(budget)?;
                let mut input = String::from(position);
                if position != 'g' {
                    input.push_str(self.terms.text(quad[1]));
                }
                if !self.push_name(other as u32, issuer, &mut input) {
                    push_hex(&self.first_degree[other], &mut input);
                }
                related.push((Sha256::digest(&input).into(), other as u32));
            }
        }
        related.sort_unstable();
        Ok(related)
    }

    /// The path through related nodes in this order (4.8, step 5.4); `None` if it does not sort before the best one.
    fn walk(
        &mut self,
        order: &[u32],
        issuer: &mut Issuer,
        best: Option<&str>,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<Option<String>, Unreadable> {
        let (mut path, mut unknown) = (String::new(), Vec::new());
        let is_behind = |path: &str| best.is_some_and(|best| path.len() >= best.len() && path > best);
        for node in order {
            if self.labels[*node as usize] == UNNAMED && issuer.issue(*node) {
                unknown.push(*node);
            }
            self.push_name(*node, issuer, &mut path);
            if is_behind(&path) {
                return Ok(None);
            }
        }
        for node in unknown {
            let hash = self.hash_n_degree(node, issuer, depth + 1, budget)?;
            self.push_name(node, issuer, &mut path);
            path.push('<');
            push_hex(&hash, &mut path);
            path.push('>');
            if is_behind(&path) {
                return Ok(None);
            }
        }
        Ok(best.is_none_or(|best| path.as_str() < best).then_some(path))
    }

    /// Writes the name of a node, canonical or issued; false if it has none.
    fn push_name(&self, node: u32, issuer: &Issuer, out: &mut String) -> bool {
        let (prefix, name) = match (self.labels[node as usize], issuer.names[node as usize]) {
            (UNNAMED, UNNAMED) => return false,
            (UNNAMED, name) => ("_:b", name),
            (label, _) => ("_:c14n", label),
        };
        out.extend([prefix, name.to_string().as_str()]);
        true
    }
}

impl Issuer {
    /// Gives a node the next name; false if it has one.
    fn issue(&mut self, node: u32) -> bool {
        let is_new = self.names[node as usize] == UNNAMED;
        if is_new {
            self.names[node as usize] = self.order.len() as u32;
            self.order.push(node);
        }
        is_new
    }

    /// Takes back all names but the first ones; returns the nodes that had them.
    fn take_back(&mut self, keep: usize) -> Vec<u32> {
        let taken = self.order.split_off(keep);
        taken.iter().for_each(|node| self.names[*node as usize] = UNNAMED);
        taken
    }
}

fn push_hex(hash: &Hash, out: &mut String) {
    out.push_str(&data_encoding::HEXLOWER.encode(hash));
}

/// The next order of a list in the order of lists; false after the last one.
fn next_order(list: &mut [u32]) -> bool {
    let Some(pivot) = list.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let Some(swap) = list.iter().rposition(|element| *element > list[pivot]) else { return false };
    list.swap(pivot, swap);
    list[pivot + 1..].reverse();
    true
}
