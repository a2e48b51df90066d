//! Pairs of blank nodes of two graphs that differ: those that look most alike, the surest first.
//!
//! Every node gets a colour: a hash of the quads it is in, in which nodes that have a partner count as named and all others are
//! anonymous. At deeper levels the others count by their own colours one level above. Nodes whose colour is unique on both sides
//! are a pair; the deepest level comes first, because it has seen most. If no colour is unique, a pair of equal colour is as good
//! as another (in symmetric graphs there are such), and if no colours are equal the nodes that share most quads are paired. Each
//! pair is a new name that tells the nodes linked to it apart, so pairs spread along links, and then colours are made again.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::super::budget::Budget;
use super::super::lines;
use super::canonical;
use super::compare::ALONE;
use super::part::Rest;
use super::terms::{Quad, blank, blanks};

/// How far a colour looks.
const LEVELS: usize = 6;
/// Quads that are looked at in all, within the budget; what is not paired then stays alone.
const MAX_WORK: usize = 20_000_000;
/// Nodes on a side that share a quad; of one that more share, nothing is learned.
const MAX_SHARED: usize = 16;

const SELF: u64 = 1 << 40;
const PAIRED: u64 = 2 << 40;
const OTHER: u64 = 3 << 40;

/// A quad as a node sees it.
type View = [u64; 4];

/// The nodes of one colour on the old and on the new side.
type Group = (Vec<u32>, Vec<u32>);

/// One of the two sides.
struct Side<'r> {
    quads: &'r [Quad],
    begins: Vec<u32>,
    incident: Vec<u32>,
    /// The number of the pair each node is in, which is its node on the new side.
    pair: Vec<u32>,
    /// The nodes that are in none.
    open: Vec<u32>,
}

/// The partner of each node of the old side.
pub(super) fn pair(old: &Rest, new: &Rest, budget: &mut Budget) -> Vec<u32> {
    let (mut old, mut new) = (Side::new(old), Side::new(new));
    let mut work = 0;
    while !old.open.is_empty() && !new.open.is_empty() && work < MAX_WORK {
        let looks = LEVELS * (old.incident.len() + new.incident.len());
        work += looks;
        if budget.steps(looks).is_err() {
            break;
        }
        let (old_colours, new_colours) = (old.colours(), new.colours());
        let levels = old_colours.iter().zip(&new_colours).rev();
        let levels: Vec<Vec<Group>> =
            levels.map(|(old_level, new_level)| groups(&old, old_level, &new, new_level)).collect();
        let mut found =
            levels.iter().map(|groups| unique(groups)).chain(levels.iter().map(|groups| equal(&old, groups)));
        let pairs = found.find(|pairs| !pairs.is_empty()).unwrap_or_else(|| similar(&old, &new));
        if pairs.is_empty() {
            break;
        }
        spread(&mut old, &mut new, pairs);
        old.close();
        new.close();
    }
    old.pair
}

/// Makes these pairs, and those that follow: nodes of equal colour that are linked to a pair in a way that no others are.
fn spread(old: &mut Side<'_>, new: &mut Side<'_>, mut pairs: Vec<(u32, u32)>) {
    while let Some((left, right)) = pairs.pop() {
        if old.pair[left as usize] != ALONE || new.pair[right as usize] != ALONE {
            continue;
        }
        (old.pair[left as usize], new.pair[right as usize]) = (right, right);
        let (linked_left, linked_right) = (old.linked(left), new.linked(right));
        for (view, left) in &linked_left {
            let Some(right) = linked_right.get(view) else { continue };
            if *left != ALONE && *right != ALONE && old.colour(*left) == new.colour(*right) {
                pairs.push((*left, *right));
            }
        }
    }
}

impl<'r> Side<'r> {
    fn new(rest: &'r Rest) -> Side<'r> {
        let nodes = rest.nodes.len();
        let (begins, incident) = canonical::incidence(&rest.quads, nodes);
        Side { quads: &rest.quads, begins, incident, pair: vec![ALONE; nodes], open: (0..nodes as u32).collect() }
    }

    /// Drops the nodes that are in a pair by now.
    fn close(&mut self) {
        let pair = &self.pair;
        self.open.retain(|node| pair[*node as usize] == ALONE);
    }

    /// The quads of a node as it sees them; other nodes without a partner look as `other` says.
    fn views(&self, node: u32, other: impl Fn(u32) -> u64) -> impl Iterator<Item = View> {
        self.quads_of(node).iter().map(move |quad| self.view(node, *quad, &other))
    }

    fn quads_of(&self, node: u32) -> &[u32] {
        &self.incident[self.begins[node as usize] as usize..self.begins[node as usize + 1] as usize]
    }

    fn view(&self, node: u32, quad: u32, other: impl Fn(u32) -> u64) -> View {
        self.quads[quad as usize].map(|term| match blank(term) {
            None => u64::from(term),
            Some(found) if found == node as usize => SELF,
            Some(found) if self.pair[found] != ALONE => PAIRED | u64::from(self.pair[found]),
            Some(found) => other(found as u32),
        })
    }

    /// The colours of all nodes at each level; those of paired nodes are left 0.
    fn colours(&self) -> Vec<Vec<u64>> {
        let mut levels: Vec<Vec<u64>> = Vec::with_capacity(LEVELS);
        for level in 0..LEVELS {
            let mut colours = vec![0; self.pair.len()];
            for node in &self.open {
                let above = |other: u32| if level == 0 { OTHER } else { levels[level - 1][other as usize] };
                colours[*node as usize] = colour(self.views(*node, above));
            }
            levels.push(colours);
        }
        levels
    }

    /// The colour of a node by its own quads, as things stand.
    fn colour(&self, node: u32) -> u64 {
        colour(self.views(node, |_| OTHER))
    }

    /// The nodes without a partner that a node shares a quad with alone, by how they are linked; `ALONE` stands for several.
    fn linked(&self, node: u32) -> BTreeMap<View, u32> {
        let mut linked = BTreeMap::new();
        for quad in self.quads_of(node) {
            let mut others = blanks(&self.quads[*quad as usize]).filter(|other| self.pair[*other] == ALONE);
            if let (Some(other), None) = (others.next(), others.next()) {
                let view = self.view(node, *quad, |_| OTHER);
                linked.entry(view).and_modify(|found| *found = ALONE).or_insert(other as u32);
            }
        }
        linked
    }

    /// Whether a node shares a quad with another one that has no partner either.
    fn is_linked(&self, node: u32) -> bool {
        self.views(node, |_| OTHER).any(|view| view.contains(&OTHER))
    }
}

fn colour(views: impl Iterator<Item = View>) -> u64 {
    let mut views: Vec<View> = views.collect();
    views.sort_unstable();
    let bytes: Vec<u8> = views.iter().flatten().flat_map(|code| code.to_le_bytes()).collect();
    lines::hash(&bytes)
}

/// The open nodes of each colour that both sides have, in the order of the old side's nodes.
fn groups(old: &Side<'_>, old_colours: &[u64], new: &Side<'_>, new_colours: &[u64]) -> Vec<Group> {
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for node in &old.open {
        let place = *places.entry(old_colours[*node as usize]).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Group::default());
        }
        groups[place].0.push(*node);
    }
    for node in &new.open {
        places.get(&new_colours[*node as usize]).into_iter().for_each(|place| groups[*place].1.push(*node));
    }
    groups.retain(|(_, new)| !new.is_empty());
    groups
}

/// Nodes whose colour is unique on both sides.
fn unique(groups: &[Group]) -> Vec<(u32, u32)> {
    let unique = groups.iter().filter(|(old, new)| old.len() == 1 && new.len() == 1);
    unique.map(|(old, new)| (old[0], new[0])).collect()
}

/// Nodes of equal colour: one pair only if others hang on it, all of a group if not.
fn equal(side: &Side<'_>, groups: &[Group]) -> Vec<(u32, u32)> {
    let free = groups.iter().filter(|(old, _)| !side.is_linked(old[0]));
    let free: Vec<(u32, u32)> = free.flat_map(|(old, new)| old.iter().copied().zip(new.iter().copied())).collect();
    if free.is_empty() { groups.first().map(|(old, new)| (old[0], new[0])).into_iter().collect() } else { free }
}

/// Nodes that share more quads with each other than with any other one.
fn similar(old: &Side<'_>, new: &Side<'_>) -> Vec<(u32, u32)> {
    let mut by_view: HashMap<View, (Vec<u32>, Vec<u32>)> = HashMap::new();
    for node in &old.open {
        old.views(*node, |_| OTHER).for_each(|view| by_view.entry(view).or_default().0.push(*node));
    }
    for node in &new.open {
        new.views(*node, |_| OTHER).for_each(|view| by_view.entry(view).or_default().1.push(*node));
    }
    let mut shared: HashMap<(u32, u32), usize> = HashMap::new();
    let telling = by_view.values().filter(|(old, new)| old.len() <= MAX_SHARED && new.len() <= MAX_SHARED);
    for (left, right) in
        telling.flat_map(|(old, new)| old.iter().flat_map(move |left| new.iter().map(move |right| (*left, *right))))
    {
        *shared.entry((left, right)).or_default() += 1;
    }
    let mut ranked: Vec<(usize, (u32, u32))> = shared.into_iter().map(|(pair, count)| (count, pair)).collect();
    ranked.sort_unstable_by_key(|(count, pair)| (std::cmp::Reverse(*count), *pair));
    let (mut used_old, mut used_new) = (vec![false; old.pair.len()], vec![false; new.pair.len()]);
    let mut pairs = Vec::new();
    for (_, (left, right)) in ranked {
        // A node whose best partner is taken waits for the next colours.
        let is_taken = used_old[left as usize] || used_new[right as usize];
        (used_old[left as usize], used_new[right as usize]) = (true, true);
        if !is_taken {
            pairs.push((left, right));
        }
    }
    pairs
}
