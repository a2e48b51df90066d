//! Telling blank nodes apart by what lies around them, before RDFC-1.0 has to walk every path.
//!
//! RDFC-1.0 takes the square of the length of a chain of alike nodes, such as a long list whose values repeat, and a deep
//! recursion too. So where many alike nodes hang together their first hashes are refined: a node whose neighbours were told
//! apart is hashed again with their new hashes, until no class of nodes splits any more. Of a class that splits, the largest part
//! keeps its hash, so that only what was told apart is looked at again, and a chain takes time near its length.
//!
//! All of this depends on the graph alone, so names that are given by the refined hashes are canonical too. They are those of
//! RDFC-1.0 for all graphs but the ones refined here.

use hashbrown::{HashMap, HashSet};
use sha2::{Digest, Sha256};

use super::super::Unreadable;
use super::super::budget::Budget;
use super::canonical::{Canonical, Hash};
use super::terms::blank;

/// Alike nodes that may hang together before their hashes are refined.
pub(super) const MAX_ALIKE: usize = 64;

/// Refines the first hashes if more than `limit` nodes that share theirs with another one hang together.
pub(super) fn refine(canonical: &mut Canonical<'_>, limit: usize, budget: &mut Budget) -> Result<(), Unreadable> {
    let mut sizes: HashMap<Hash, usize> = HashMap::new();
    canonical.first_degree.iter().for_each(|hash| *sizes.entry(*hash).or_default() += 1);
    let is_alike = |canonical: &Canonical<'_>, sizes: &HashMap<Hash, usize>, node: u32| {
        sizes[&canonical.first_degree[node as usize]] > 1
    };
    let mut alike: Vec<u32> = (0..canonical.labels.len() as u32).collect();
    alike.retain(|node| is_alike(canonical, &sizes, *node));
    if !hang_together(canonical, &alike, limit) {
        return Ok(());
    }
    while !alike.is_empty() {
        let mut classes: HashMap<Hash, HashMap<Hash, Vec<u32>>> = HashMap::new();
        for node in alike {
            let (old, new) = (canonical.first_degree[node as usize], surroundings(canonical, node, budget)?);
            classes.entry(old).or_default().entry(new).or_default().push(node);
        }
        let split = split(classes, &mut sizes);
        split.iter().for_each(|(node, hash)| canonical.first_degree[*node as usize] = *hash);
        let mut next: HashSet<u32> = HashSet::new();
        for (node, _) in split {
            next.extend(neighbours(canonical, node).filter(|other| is_alike(canonical, &sizes, *other)));
        }
        alike = next.into_iter().collect();
    }
    Ok(())
}

/// The nodes that get a new hash, by the hashes of the nodes of each class that were hashed again.
fn split(classes: HashMap<Hash, HashMap<Hash, Vec<u32>>>, sizes: &mut HashMap<Hash, usize>) -> Vec<(u32, Hash)> {
    let mut split = Vec::new();
    for (old, parts) in classes {
        let hashed_again: usize = parts.values().map(Vec::len).sum();
        // Nodes that were not hashed again are a part too, and keep their hash.
        let is_whole = hashed_again == sizes[&old];
        let largest = parts.iter().max_by_key(|(hash, part)| (part.len(), **hash)).map(|(hash, _)| *hash);
        for (hash, part) in parts {
            if is_whole && Some(hash) == largest {
                continue;
            }
            *sizes.entry(old).or_default() -= part.len();
            *sizes.entry(hash).or_default() += part.len();
            split.extend(part.into_iter().map(|node| (node, hash)));
        }
    }
    split
}

/// The hash of a node's own hash and of those of the nodes around it, each with how they are linked.
fn surroundings(canonical: &mut Canonical<'_>, node: u32, budget: &mut Budget) -> Result<Hash, Unreadable> {
    let mut links: Vec<Hash> = Vec::new();
    for quad in canonical.quads_of(node) {
        let quad = &canonical.quads[*quad as usize];
        // A quad as the node sees it: itself, other nodes by their hashes, names by theirs.
        let mut hasher = Sha256::new();
        for term in quad {
            match blank(*term) {
                Some(found) if found == node as usize => hasher.update(b"self"),
                Some(found) => hasher.update(canonical.first_degree[found]),
                None => hasher.update(canonical.text(*term)),
            }
            hasher.update(b" ");
        }
        links.push(hasher.finalize().into());
    }
    links.sort_unstable();
    for _ in 0..=links.len() {
        canonical.work(budget)?;
    }
    let hasher = Sha256::new_with_prefix(canonical.first_degree[node as usize]);
    Ok(links.iter().fold(hasher, |hasher, link| hasher.chain_update(link)).finalize().into())
}

/// The other blank nodes of a node's quads.
fn neighbours<'c>(canonical: &'c Canonical<'_>, node: u32) -> impl Iterator<Item = u32> + 'c {
    let quads = canonical.quads_of(node).iter().flat_map(|quad| canonical.quads[*quad as usize]);
    quads.filter_map(blank).map(|other| other as u32).filter(move |other| *other != node)
}

/// Whether more than `limit` of these nodes are linked with each other, directly or over others of them.
fn hang_together(canonical: &Canonical<'_>, nodes: &[u32], limit: usize) -> bool {
    let mut unseen: HashSet<u32> = nodes.iter().copied().collect();
    for start in nodes {
        let mut open: Vec<u32> = unseen.take(start).into_iter().collect();
        let mut found = 0;
        while let Some(node) = open.pop() {
            found += 1;
            if found > limit {
                return true;
            }
            open.extend(neighbours(canonical, node).filter(|other| unseen.remove(other)));
        }
    }
    false
}
