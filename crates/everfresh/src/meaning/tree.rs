//! Documents that are trees of values (JSON, XML), in one compact form with one spelling.
//!
//! A node takes 16 bytes and 4 in its parent's list; names are kept once. Children come before their parents, so a pass from
//! the first node to the last goes bottom-up without recursion: no depth of nesting can overflow the stack.

mod builder;
mod compare;

use super::interner::Interner;
use super::{Body, Content, lines};

pub(super) use builder::Builder;
pub(super) use compare::compare;

/// The name of a node that has none.
pub(super) const NO_NAME: u32 = u32::MAX;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `null`, `true` or `false`.
    Literal,
    /// A number in its one spelling.
    Number,
    /// A string, or text between elements.
    Text,
    /// Named members in the order of their names.
    Object,
    /// Members in an order of their own.
    Array,
    /// Attributes in the order of their names, then elements and text.
    Element,
    /// A named text that belongs to an element.
    Attribute,
}

impl Kind {
    fn has_children(self) -> bool {
        matches!(self, Kind::Object | Kind::Array | Kind::Element)
    }
}

/// A value: its text, or its children, is the range from `begin` to `end` of all texts, or of all lists of children.
#[derive(Clone, Copy)]
struct Node {
    kind: Kind,
    name: u32,
    begin: u32,
    end: u32,
}

/// A document.
#[derive(Default)]
pub(super) struct Tree {
    names: Interner,
    text: String,
    nodes: Vec<Node>,
    children: Vec<u32>,
    root: u32,
    /// Members of arrays and content of elements have no order.
    any_order: bool,
}

impl Tree {
    fn node(&self, id: u32) -> Node {
        self.nodes[id as usize]
    }

    fn name(&self, node: Node) -> &str {
        if node.name == NO_NAME { "" } else { self.names.get(node.name) }
    }

    fn text(&self, node: Node) -> &str {
        &self.text[node.begin as usize..node.end as usize]
    }

    fn children(&self, node: Node) -> &[u32] {
        if node.kind.has_children() { &self.children[node.begin as usize..node.end as usize] } else { &[] }
    }

    /// A leaf is a statement: a value without children, or a container that is empty.
    fn is_leaf(&self, node: Node) -> bool {
        self.children(node).is_empty()
    }

    /// The content that this tree is. In any order, members of arrays and content of elements are a bag.
    pub(super) fn into_content(mut self, unit: &'static str, any_order: bool) -> Content<'static> {
        self.any_order = any_order;
        let digest = if any_order { self.digest_of_bags() } else { self.digest() };
        Content { digest, statements: self.leaves(), unit, body: Body::Tree(self) }
    }

    /// How many leaves there are.
    fn leaves(&self) -> usize {
        let (mut open, mut leaves) = (vec![self.root], 0);
        while let Some(id) = open.pop() {
            let children = self.children(self.node(id));
            leaves += usize::from(children.is_empty());
            open.extend(children);
        }
        leaves
    }

    fn digest_of_bags(&self) -> [u8; 32] {
        *blake3::hash(&self.hashes()[self.root as usize].to_le_bytes()).as_bytes()
    }

    /// A hash of every node and all below it.
    fn hashes(&self) -> Vec<u64> {
        let (mut hashes, mut buffer) = (Vec::with_capacity(self.nodes.len()), Vec::new());
        for node in &self.nodes {
            hashes.push(self.hash(*node, &hashes, &mut buffer));
        }
        hashes
    }

    /// The hash of a node whose children's hashes are known.
    fn hash(&self, node: Node, hashes: &[u64], buffer: &mut Vec<u8>) -> u64 {
        buffer.clear();
        self.write_head(node, buffer);
        let children = self.children(node).iter().map(|child| hashes[*child as usize]);
        if self.any_order && node.kind.has_children() {
            let mut sorted: Vec<u64> = children.collect();
            sorted.sort_unstable();
            sorted.iter().for_each(|hash| buffer.extend_from_slice(&hash.to_le_bytes()));
        } else {
            children.for_each(|hash| buffer.extend_from_slice(&hash.to_le_bytes()));
        }
        lines::hash(buffer)
    }

    /// The digest of the canonical form.
    fn digest(&self) -> [u8; 32] {
        const BUFFER_BYTES: usize = 64 * 1024;
        let (mut hasher, mut buffer) = (blake3::Hasher::new(), Vec::with_capacity(BUFFER_BYTES));
        let mut open = vec![self.root];
        while let Some(id) = open.pop() {
            let node = self.node(id);
            self.write_head(node, &mut buffer);
            open.extend(self.children(node).iter().rev());
            if buffer.len() >= BUFFER_BYTES {
                hasher.update(&buffer);
                buffer.clear();
            }
        }
        *hasher.update(&buffer).finalize().as_bytes()
    }

    /// Writes what a node is, apart from its children: its kind, its name, and its text or the number of its children.
    fn write_head(&self, node: Node, buffer: &mut Vec<u8>) {
        let (name, length) = (self.name(node), node.end - node.begin);
        buffer.push(node.kind as u8);
        buffer.extend_from_slice(&(name.len() as u32).to_le_bytes());
        buffer.extend_from_slice(name.as_bytes());
        buffer.extend_from_slice(&length.to_le_bytes());
        if !node.kind.has_children() {
            buffer.extend_from_slice(self.text(node).as_bytes());
        }
    }
}
