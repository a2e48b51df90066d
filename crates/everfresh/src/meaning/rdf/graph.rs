//! A graph, or a set of named ones: quads of small numbers.

use oxrdf::{GraphNameRef, NamedOrBlankNodeRef, QuadRef, TermRef};
use sha2::{Digest, Sha256};

use super::super::Unreadable;
use super::super::budget::Budget;
use super::super::interner::Interner;
use super::canonical;
use super::terms::{BLANK, DEFAULT_GRAPH, Quad, Term, Terms, blank, blanks};

/// A step of work for so many bytes of terms, be they ones that were met before.
const BYTES_TO_A_STEP: usize = 64;

/// A graph: its quads in canonical order, each once.
pub(crate) struct Graph {
    pub(super) terms: Terms,
    pub(super) quads: Vec<Quad>,
    /// How many blank nodes there are.
    pub(super) blanks: usize,
    /// The canonical name of each blank node.
    pub(super) labels: Vec<u32>,
}

/// A graph being read.
#[derive(Default)]
pub(super) struct Builder {
    terms: Terms,
    quads: Vec<Quad>,
    /// The names that the document gives to blank nodes.
    names: Interner,
}

impl Builder {
    /// Takes a quad in.
    pub(super) fn add(&mut self, quad: QuadRef<'_>, budget: &mut Budget) -> Result<(), Unreadable> {
        budget.statement()?;
        budget.steps(written(quad) / BYTES_TO_A_STEP)?;
        let subject = match quad.subject {
            NamedOrBlankNodeRef::NamedNode(node) => self.terms.named(node),
            NamedOrBlankNodeRef::BlankNode(node) => self.blank(node.as_str()),
        };
        let predicate = self.terms.named(quad.predicate);
        let object = match quad.object {
            TermRef::NamedNode(node) => self.terms.named(node),
            TermRef::BlankNode(node) => self.blank(node.as_str()),
            TermRef::Literal(literal) => self.terms.literal(literal),
        };
        let graph = match quad.graph_name {
            GraphNameRef::NamedNode(node) => self.terms.named(node),
            GraphNameRef::BlankNode(node) => self.blank(node.as_str()),
            GraphNameRef::DefaultGraph => DEFAULT_GRAPH,
        };
        self.quads.push([subject, predicate, object, graph]);
        // Prefixes make terms longer than the document, and it is the terms that are kept.
        budget.bytes(self.terms.bytes() + self.names.bytes())?;
        let limit = budget.limits().blank_nodes;
        if self.names.len() > limit {
            return Err(Unreadable::TooLarge { what: "blank nodes", limit });
        }
        Ok(())
    }

    fn blank(&mut self, name: &str) -> Term {
        BLANK | self.names.intern(name)
    }

    /// The graph, whose quads are not in order yet.
    pub(super) fn finish(self) -> Graph {
        Graph { terms: self.terms, quads: self.quads, blanks: self.names.len(), labels: Vec::new() }
    }
}

/// How long the terms of a quad are, about.
fn written(quad: QuadRef<'_>) -> usize {
    let subject = match quad.subject {
        NamedOrBlankNodeRef::NamedNode(node) => node.as_str().len(),
        NamedOrBlankNodeRef::BlankNode(node) => node.as_str().len(),
    };
    let object = match quad.object {
        TermRef::NamedNode(node) => node.as_str().len(),
        TermRef::BlankNode(node) => node.as_str().len(),
        TermRef::Literal(literal) => literal.value().len(),
    };
    subject + quad.predicate.as_str().len() + object
}

impl Graph {
    /// How many quads there are.
    pub(super) fn len(&self) -> usize {
        self.quads.len()
    }

    /// Whether any quad is in a named graph.
    pub(super) fn has_names(&self) -> bool {
        self.quads.iter().any(|quad| quad[3] != DEFAULT_GRAPH)
    }

    /// Names the blank nodes, puts the quads in order, and returns the SHA-256 of the canonical N-Quads.
    pub(super) fn canonicalise(&mut self, budget: &mut Budget) -> Result<[u8; 32], Unreadable> {
        self.quads.sort_unstable();
        self.quads.dedup();
        if self.blanks > 0 {
            let with_blanks: Vec<Quad> =
                self.quads.iter().filter(|quad| blanks(quad).next().is_some()).copied().collect();
            self.labels = canonical::labels(&self.terms, &with_blanks, self.blanks, budget)?;
        }
        self.sort(budget)?;
        self.digest(budget)
    }

    /// Sorts the quads as their lines sort. No spelling of a term is the beginning of another one but where the next
    /// character sorts behind the space that ends a term, so the order of lines is that of terms.
    fn sort(&mut self, budget: &mut Budget) -> Result<(), Unreadable> {
        budget.step()?;
        let mut named: Vec<Term> = (0..self.terms.len() as Term).collect();
        named.sort_unstable_by_key(|term| self.terms.text(*term));
        let mut ranks = vec![0; named.len()];
        named.iter().zip(1u32..).for_each(|(term, rank)| ranks[*term as usize] = rank);
        let mut blank_nodes: Vec<usize> = (0..self.blanks).collect();
        blank_nodes.sort_by_cached_key(|node| self.labels[*node].to_string());
        let mut blank_ranks = vec![0; self.blanks];
        blank_nodes.iter().zip(BLANK..).for_each(|(node, rank)| blank_ranks[*node] = rank);
        let rank = |term: Term| match blank(term) {
            Some(node) => blank_ranks[node],
            None if term == DEFAULT_GRAPH => 0,
            None => ranks[term as usize],
        };
        self.quads.sort_unstable_by_key(|quad| quad.map(rank));
        budget.step()
    }

    fn digest(&self, budget: &mut Budget) -> Result<[u8; 32], Unreadable> {
        const BUFFER_BYTES: usize = 64 * 1024;
        let (mut hasher, mut buffer) = (Sha256::new(), String::with_capacity(BUFFER_BYTES));
        for quad in &self.quads {
            budget.step()?;
            self.write(quad, &mut buffer);
            buffer.push('\n');
            if buffer.len() >= BUFFER_BYTES {
                hasher.update(&buffer);
                buffer.clear();
            }
        }
        hasher.update(&buffer);
        Ok(hasher.finalize().into())
    }

    /// Writes a quad as a line of canonical N-Quads.
    pub(super) fn write(&self, quad: &Quad, out: &mut String) {
        for term in quad.iter().filter(|term| **term != DEFAULT_GRAPH) {
            match blank(*term) {
                Some(node) => out.extend(["_:c14n", self.labels[node].to_string().as_str()]),
                None => out.push_str(self.terms.text(*term)),
            }
            out.push(' ');
        }
        out.push('.');
    }
}
