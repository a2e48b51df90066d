//! Each text once, under a small number: names of keys and elements, terms of a graph.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Texts, numbered in the order they were met.
#[derive(Default)]
pub(super) struct Interner {
    text: String,
    ends: Vec<u32>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Interner {
    /// The number of a text.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        let Interner { text: all, ends, table, hasher } = self;
        let hash = hasher.hash_one(text);
        if let Some(id) = table.find(hash, |id| slice(all, ends, *id) == text) {
            return *id;
        }
        let id = ends.len() as u32;
        all.push_str(text);
        ends.push(all.len() as u32);
        table.insert_unique(hash, id, |id| hasher.hash_one(slice(all, ends, *id)));
        id
    }

    /// The number of a text, if it was met.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.table.find(hash, |id| self.get(*id) == text).copied()
    }

    /// The text of a number.
    pub(super) fn get(&self, id: u32) -> &str {
        slice(&self.text, &self.ends, id)
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many bytes they have together.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }
}

fn slice<'a>(text: &'a str, ends: &[u32], id: u32) -> &'a str {
    let begin = if id == 0 { 0 } else { ends[id as usize - 1] };
    &text[begin as usize..ends[id as usize] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_a_number() {
        let mut interner = Interner::default();
        let ids: Vec<u32> = ["a", "", "b", "a", ""].map(|text| interner.intern(text)).to_vec();
        assert_eq!(ids, [0, 1, 2, 0, 1]);
        assert_eq!((interner.get(0), interner.get(1), interner.get(2), interner.len()), ("a", "", "b", 3));
        let many: Vec<u32> = (0..1000).map(|n| interner.intern(&n.to_string())).collect();
        assert_eq!((interner.find("7"), interner.find("x")), (Some(many[7]), None));
        assert!(many.iter().zip(0..1000).all(|(id, n)| interner.get(*id) == n.to_string()));
    }
}
