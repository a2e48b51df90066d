//! What two trees differ in, each difference named by its path.
//!
//! Members of objects and attributes go together by name, members of arrays and children of elements by where the sequences
//! differ. Paths are kept as steps that know the step before them, and written out only for the lines that are shown: a
//! million differences at the bottom of a deep document cost no more than elsewhere.

use std::cmp::Ordering;

use hashbrown::HashMap;

use super::super::align;
use super::super::delta::{Delta, short};
use super::{Kind, Node, Tree};
use crate::parse::number;

/// Steps of a path that are shown.
const MAX_STEPS: usize = 40;
/// What is before the step to the root.
const NOTHING: u32 = u32::MAX;

/// One of the two versions.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Old,
    New,
}

/// A step of a path: which child of the step before.
struct Step {
    before: u32,
    side: Side,
    node: u32,
    /// Counted from 0 in arrays, from 1 among equal elements.
    position: u32,
}

/// What is still to be compared.
enum Task {
    /// A node of each side in the same place.
    Pair(u32, u32, u32),
    /// A node that the step's side alone has.
    Only(u32),
}

struct Walk<'t> {
    old: &'t Tree,
    new: &'t Tree,
    old_hashes: Vec<u64>,
    new_hashes: Vec<u64>,
    steps: Vec<Step>,
    tasks: Vec<Task>,
}

/// Says which values differ.
pub(crate) fn compare(old: &Tree, new: &Tree, delta: &mut Delta) {
    let (old_hashes, new_hashes) = (old.hashes(), new.hashes());
    let mut walk = Walk { old, new, old_hashes, new_hashes, steps: Vec::new(), tasks: Vec::new() };
    let root = walk.step(NOTHING, Side::New, new.root, 1);
    walk.tasks.push(Task::Pair(old.root, new.root, root));
    while let Some(task) = walk.tasks.pop() {
        match task {
            Task::Pair(old, new, step) => walk.pair(old, new, step, delta),
            Task::Only(step) => walk.only(step, delta),
        }
    }
}

impl<'t> Walk<'t> {
    fn step(&mut self, before: u32, side: Side, node: u32, position: u32) -> u32 {
        self.steps.push(Step { before, side, node, position });
        self.steps.len() as u32 - 1
    }

    fn tree(&self, side: Side) -> &'t Tree {
        if side == Side::Old { self.old } else { self.new }
    }

    fn pair(&mut self, old: u32, new: u32, step: u32, delta: &mut Delta) {
        if self.old_hashes[old as usize] == self.new_hashes[new as usize] {
            return;
        }
        let (before, after) = (self.old.node(old), self.new.node(new));
        let is_same_name = self.old.name(before) == self.new.name(after);
        if is_same_name && before.kind == after.kind && before.kind.has_children() {
            let first = self.tasks.len();
            self.children(before, after, step);
            // Tasks are taken from the end, and lines should come in the order of the document.
            self.tasks[first..].reverse();
        } else if is_same_name && !before.kind.has_children() && !after.kind.has_children() {
            delta.change(|| format!("{}: {} → {}", self.path(step), shown(self.old, before), shown(self.new, after)));
        } else {
            let Step { before: parent, position, .. } = self.steps[step as usize];
            let removed = self.step(parent, Side::Old, old, position);
            self.tasks.push(Task::Only(step));
            self.tasks.push(Task::Only(removed));
        }
    }

    /// Every leaf of a value that one side alone has is a difference.
    fn only(&mut self, step: u32, delta: &mut Delta) {
        let Step { side, node: id, .. } = self.steps[step as usize];
        let tree = self.tree(side);
        let node = tree.node(id);
        if tree.is_leaf(node) {
            let line = || format!("{}: {}", self.path(step), shown(tree, node));
            return if side == Side::Old { delta.remove(line) } else { delta.add(line) };
        }
        let children = tree.children(node);
        let positions = positions(tree, node.kind, children);
        for (child, position) in children.iter().zip(positions).rev() {
            let step = self.step(step, side, *child, position);
            self.tasks.push(Task::Only(step));
        }
    }

    fn children(&mut self, before: Node, after: Node, step: u32) {
        let (old, new) = (self.old.children(before), self.new.children(after));
        match before.kind {
            Kind::Object => self.by_name(old, new, step),
            Kind::Element => {
                let split = |tree: &Tree, list: &[u32]| {
                    list.iter().take_while(|id| tree.node(**id).kind == Kind::Attribute).count()
                };
                let (old, new) = (old.split_at(split(self.old, old)), new.split_at(split(self.new, new)));
                self.by_name(old.0, new.0, step);
                self.in_order(Kind::Element, old.1, new.1, step);
            }
            kind => self.in_order(kind, old, new, step),
        }
    }

    /// Children in the order of their names, each name once.
    fn by_name(&mut self, old: &[u32], new: &[u32], step: u32) {
        let (mut o, mut n) = (0, 0);
        while o < old.len() || n < new.len() {
            let order = match (old.get(o), new.get(n)) {
                (Some(o), Some(n)) => self.old.name(self.old.node(*o)).cmp(self.new.name(self.new.node(*n))),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            match order {
                Ordering::Equal => self.push_pair(old[o], new[n], 0, step),
                Ordering::Less => self.push_only(Side::Old, old[o], 0, step),
                Ordering::Greater => self.push_only(Side::New, new[n], 0, step),
            }
            (o, n) = (o + usize::from(order.is_le()), n + usize::from(order.is_ge()));
        }
    }

    /// Children in an order of their own, or in none: in a gap the first goes with the first.
    fn in_order(&mut self, kind: Kind, old: &[u32], new: &[u32], step: u32) {
        let hashes = |list: &[u32], hashes: &[u64]| list.iter().map(|id| hashes[*id as usize]).collect::<Vec<_>>();
        let (old_hashes, new_hashes) = (hashes(old, &self.old_hashes), hashes(new, &self.new_hashes));
        let gaps: Vec<(Vec<usize>, Vec<usize>)> = if self.new.any_order {
            vec![align::unshared(&old_hashes, &new_hashes)]
        } else {
            let gaps = align::gaps(&old_hashes, &new_hashes).into_iter();
            gaps.map(|gap| (gap.old.collect(), gap.new.collect())).collect()
        };
        let (old_positions, new_positions) = (positions(self.old, kind, old), positions(self.new, kind, new));
        for (gap_old, gap_new) in gaps {
            let pairs = gap_old.len().min(gap_new.len());
            gap_old.iter().zip(&gap_new).for_each(|(o, n)| self.push_pair(old[*o], new[*n], new_positions[*n], step));
            gap_old[pairs..].iter().for_each(|o| self.push_only(Side::Old, old[*o], old_positions[*o], step));
            gap_new[pairs..].iter().for_each(|n| self.push_only(Side::New, new[*n], new_positions[*n], step));
        }
    }

    fn push_pair(&mut self, old: u32, new: u32, position: u32, before: u32) {
        if self.old_hashes[old as usize] != self.new_hashes[new as usize] {
            let step = self.step(before, Side::New, new, position);
            self.tasks.push(Task::Pair(old, new, step));
        }
    }

    fn push_only(&mut self, side: Side, node: u32, position: u32, before: u32) {
        let step = self.step(before, side, node, position);
        self.tasks.push(Task::Only(step));
    }

    /// A path as JSONPath or XPath write it; of a very long one the last steps.
    fn path(&self, step: u32) -> String {
        let before = |step: &u32| Some(self.steps[*step as usize].before).filter(|before| *before != NOTHING);
        let mut steps: Vec<u32> = std::iter::successors(Some(step), before).take(MAX_STEPS + 1).collect();
        let is_cut = steps.len() > MAX_STEPS && steps.pop().is_some();
        let written: String = steps.iter().rev().map(|step| self.written(*step)).collect();
        if is_cut { format!("…{written}") } else { written }
    }

    fn written(&self, step: u32) -> String {
        let step = &self.steps[step as usize];
        let tree = self.tree(step.side);
        let node = tree.node(step.node);
        let name = tree.name(node);
        let local = name.rsplit('}').next().unwrap_or(name);
        let is_markup = matches!(self.new.node(self.new.root).kind, Kind::Element);
        match node.kind {
            Kind::Attribute => format!("/@{local}"),
            Kind::Element if step.position > 1 => format!("/{local}[{}]", step.position),
            Kind::Element => format!("/{local}"),
            Kind::Text if is_markup => "/text()".to_owned(),
            _ if step.before == NOTHING => "$".to_owned(),
            _ if node.name == super::NO_NAME => format!("[{}]", step.position),
            _ if is_plain(name) => format!(".{name}"),
            _ => format!("['{}']", short(name)),
        }
    }
}

/// The number of each child: its place in an array, or how many such elements there are up to it.
fn positions(tree: &Tree, kind: Kind, children: &[u32]) -> Vec<u32> {
    if kind != Kind::Element {
        return (0..children.len() as u32).collect();
    }
    let mut counts: HashMap<u32, u32> = HashMap::new();
    let count = |id: &u32| {
        let count = counts.entry(tree.node(*id).name).or_default();
        *count += 1;
        *count
    };
    children.iter().map(count).collect()
}

/// A name that a path can hold without quotes.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.len() <= 100 && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '@'))
}

/// A leaf as a user knows it.
fn shown(tree: &Tree, node: Node) -> String {
    match node.kind {
        Kind::Literal => tree.text(node).to_owned(),
        Kind::Number => number::shown(tree.text(node)),
        Kind::Text | Kind::Attribute => format!("\"{}\"", short(tree.text(node))),
        Kind::Object => "{}".to_owned(),
        Kind::Array => "[]".to_owned(),
        Kind::Element => "empty".to_owned(),
    }
}
