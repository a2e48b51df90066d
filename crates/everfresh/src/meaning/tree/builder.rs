//! A tree from the events of a parser: values begin and end, in the order of the document.

use super::super::Unreadable;
use super::super::budget::Budget;
use super::{Kind, Node, Tree};

/// A tree being built.
#[derive(Default)]
pub(crate) struct Builder {
    tree: Tree,
    /// Values that are complete and wait for their parent to be.
    waiting: Vec<u32>,
    open: Vec<Open>,
}

/// A value that has begun.
struct Open {
    kind: Kind,
    name: u32,
    /// How many values were waiting when it began.
    waiting: usize,
    /// How much of the tree there was.
    nodes: usize,
    children: usize,
    text: usize,
}

impl Builder {
    /// The number of a name.
    pub(crate) fn name(&mut self, name: &str) -> u32 {
        self.tree.names.intern(name)
    }

    /// A value without children whose text is written by `write`.
    pub(crate) fn leaf(
        &mut self,
        kind: Kind,
        name: u32,
        budget: &mut Budget,
        write: impl FnOnce(&mut String),
    ) -> Result<(), Unreadable> {
        budget.statement()?;
        let begin = self.tree.text.len() as u32;
        write(&mut self.tree.text);
        let node = Node { kind, name, begin, end: self.tree.text.len() as u32 };
        self.push(node);
        Ok(())
    }

    /// A value with children begins.
    pub(crate) fn begin(&mut self, kind: Kind, name: u32, budget: &mut Budget) -> Result<(), Unreadable> {
        budget.statement()?;
        budget.depth(self.open.len() + 1)?;
        let Tree { nodes, children, text, .. } = &self.tree;
        let (nodes, children, text) = (nodes.len(), children.len(), text.len());
        self.open.push(Open { kind, name, waiting: self.waiting.len(), nodes, children, text });
        Ok(())
    }

    /// The value that began last ends.
    pub(crate) fn end(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.order(&open);
        let begin = self.tree.children.len() as u32;
        self.tree.children.extend(self.waiting.drain(open.waiting..));
        self.push(Node { kind: open.kind, name: open.name, begin, end: self.tree.children.len() as u32 });
    }

    /// The value that began last ends, and is forgotten with all that is in it.
    pub(crate) fn forget(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.waiting.truncate(open.waiting);
        self.tree.nodes.truncate(open.nodes);
        self.tree.children.truncate(open.children);
        self.tree.text.truncate(open.text);
    }

    /// The finished tree, if there is exactly one value that all others are in.
    pub(crate) fn finish(mut self) -> Option<Tree> {
        let root = self.waiting.pop()?;
        self.tree.root = root;
        (self.waiting.is_empty() && self.open.is_empty()).then_some(self.tree)
    }

    fn push(&mut self, node: Node) {
        self.waiting.push(self.tree.nodes.len() as u32);
        self.tree.nodes.push(node);
    }

    /// Puts members and attributes in the order of their names. Of members with the same name the last one counts.
    fn order(&mut self, open: &Open) {
        let (tree, members) = (&self.tree, &mut self.waiting[open.waiting..]);
        let name = |id: &u32| tree.name(tree.node(*id));
        match open.kind {
            Kind::Object if !members.is_sorted_by(|left, right| name(left) < name(right)) => {
                members.sort_by(|left, right| name(left).cmp(name(right)));
                self.keep_last(open.waiting);
            }
            Kind::Element => {
                let attributes = members.iter().take_while(|id| tree.node(**id).kind == Kind::Attribute).count();
                members[..attributes].sort_by(|left, right| name(left).cmp(name(right)));
            }
            _ => {}
        }
    }

    fn keep_last(&mut self, begin: usize) {
        let (tree, waiting) = (&self.tree, &mut self.waiting);
        let mut kept = begin;
        for at in begin..waiting.len() {
            let is_last = waiting.get(at + 1).is_none_or(|next| tree.node(*next).name != tree.node(waiting[at]).name);
            if is_last {
                waiting[kept] = waiting[at];
                kept += 1;
            }
        }
        waiting.truncate(kept);
    }
}
