//! Parts of a graph whose blank nodes hang together, in canonical form; and what is left after equal parts are paired.

use hashbrown::{HashMap, HashSet};

use super::super::Unreadable;
use super::super::budget::Budget;
use super::canonical;
use super::compare::ALONE;
use super::terms::{BLANK, Quad, Term, Terms, blank};

/// Quads that are tried to be the one that was added; each costs a canonical form of the rest.
const MAX_TRIED: usize = 2_000;

/// A part in canonical form.
pub(super) struct Part {
    /// Equal for parts that are equal but for the names of their blank nodes.
    pub(super) form: [u8; 32],
    /// The blank nodes in the order of their canonical names.
    nodes: Vec<u32>,
}

impl Part {
    /// Brings quads, each in numbers of its graph and in shared ones, into canonical form.
    pub(super) fn new(quads: &[(Quad, Quad)], terms: &Terms, budget: &mut Budget) -> Result<Part, Unreadable> {
        let mut numbering = Numbering::default();
        let own: Vec<Quad> = quads.iter().map(|(own, _)| numbering.quad(own)).collect();
        let labels = canonical::labels(terms, &own, numbering.nodes.len(), budget)?;
        let mut shared: Vec<Quad> = quads
            .iter()
            .map(|(_, shared)| numbering.quad(shared).map(|term| blank(term).map_or(term, |node| BLANK | labels[node])))
            .collect();
        shared.sort_unstable();
        let mut hasher = blake3::Hasher::new();
        shared.iter().flatten().for_each(|term| _ = hasher.update(&term.to_le_bytes()));
        let mut nodes = vec![0; labels.len()];
        labels.iter().zip(numbering.nodes).for_each(|(label, node)| nodes[*label as usize] = node);
        Ok(Part { form: *hasher.finalize().as_bytes(), nodes })
    }

    /// Tells which node of an equal part each node is.
    pub(super) fn pair_with(&self, other: &Part, mut pair: impl FnMut(usize, u32)) {
        self.nodes.iter().zip(&other.nodes).for_each(|(node, partner)| pair(*node as usize, *partner));
    }
}

/// Numbers from 0 for the blank nodes met.
#[derive(Default)]
struct Numbering {
    numbers: HashMap<u32, u32>,
    /// The node of each number.
    nodes: Vec<u32>,
}

impl Numbering {
    fn quad(&mut self, quad: &Quad) -> Quad {
        quad.map(|term| match blank(term) {
            Some(node) => BLANK | self.number(node as u32),
            None => term,
        })
    }

    fn number(&mut self, node: u32) -> u32 {
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        })
    }
}

/// What is left of a graph, its blank nodes numbered from 0.
pub(super) struct Rest {
    /// Quads in shared numbers.
    pub(super) quads: Vec<Quad>,
    /// The same in numbers of their graph.
    own: Vec<Quad>,
    /// The blank node of the graph behind each number.
    pub(super) nodes: Vec<u32>,
}

impl Rest {
    pub(super) fn new(quads: Vec<(Quad, Quad)>) -> Rest {
        let mut numbering = Numbering::default();
        let (own, quads) = quads.iter().map(|(own, shared)| (numbering.quad(own), numbering.quad(shared))).unzip();
        Rest { quads, own, nodes: numbering.nodes }
    }

    /// How many quads only one side has, if these are the partners of the nodes of `self`.
    pub(super) fn difference(&self, new: &Rest, partners: &[u32]) -> usize {
        let partner = |term: Term| match blank(term).map(|node| partners[node]) {
            Some(ALONE) => None,
            Some(partner) => Some(BLANK | partner),
            None => Some(term),
        };
        let translated = self
            .quads
            .iter()
            .filter_map(|quad| Some([partner(quad[0])?, partner(quad[1])?, partner(quad[2])?, partner(quad[3])?]));
        let new_quads: HashSet<&Quad> = new.quads.iter().collect();
        let same = translated.filter(|quad| new_quads.contains(quad)).count();
        self.quads.len() + new.quads.len() - 2 * same
    }

    fn without(&self, left_out: usize) -> Vec<(Quad, Quad)> {
        let pairs = self.own.iter().copied().zip(self.quads.iter().copied());
        pairs.enumerate().filter(|(at, _)| *at != left_out).map(|(_, pair)| pair).collect()
    }
}

/// The partners of the old side's nodes, if one quad of the larger side can be left out so that both sides are equal.
pub(super) fn without_one(
    old: &Rest,
    new: &Rest,
    old_terms: &Terms,
    new_terms: &Terms,
    budget: &mut Budget,
) -> Result<Option<Vec<u32>>, Unreadable> {
    let is_added = new.quads.len() > old.quads.len();
    let (large, small) = if is_added { (new, old) } else { (old, new) };
    let (large_terms, small_terms) = if is_added { (new_terms, old_terms) } else { (old_terms, new_terms) };
    let goal = Part::new(&small.without(usize::MAX), small_terms, budget)?;
    for left_out in 0..large.quads.len().min(MAX_TRIED) {
        let tried = Part::new(&large.without(left_out), large_terms, budget)?;
        if tried.form == goal.form {
            let (old_part, new_part) = if is_added { (goal, tried) } else { (tried, goal) };
            let mut partners = vec![ALONE; old.nodes.len()];
            old_part.pair_with(&new_part, |node, partner| partners[node] = partner);
            return Ok(Some(partners));
        }
    }
    Ok(None)
}
