//! Which page has a fingerprint: page numbers in a table that is hardly larger than they are, between 5.3 and 5.7 bytes a page.
//!
//! Open addressing: the place of a fingerprint follows from its product with a secret, so that nobody can choose addresses that
//! crowd together; who finds it taken stands in the next free one. A byte of that product beside each number tells nearly all
//! others apart without looking their fingerprints up. Tables in libraries double, so that theirs would take 5.7 to 11.4 bytes.

use std::hash::{BuildHasher, RandomState};

/// What stands beside no number.
const FREE: u8 = 0;

/// Numbers of pages, by fingerprints that whoever asks can look up.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Odd, so that different fingerprints have different products.
    secret: u64,
    taken: usize,
    tags: Vec<u8>,
    pages: Vec<u32>,
}

impl Table {
    /// One with room for so many pages and a few more.
    pub(super) fn for_pages(pages: usize) -> Table {
        let places = pages + pages / 7 + 16;
        let secret = RandomState::new().hash_one(places) | 1;
        Table { secret, taken: 0, tags: vec![FREE; places], pages: vec![0; places] }
    }

    /// Whether it is time for a larger one: searches take long where hardly a place is free.
    pub(super) fn is_full(&self) -> bool {
        self.taken >= self.tags.len() - self.tags.len() / 16
    }

    /// Takes in a page that is not there yet. There has to be [room](Table::is_full) for it.
    pub(super) fn insert(&mut self, fingerprint: u64, page: u32) {
        let (tag, mut place) = self.begin(fingerprint);
        while self.tags[place] != FREE {
            place = self.after(place);
        }
        (self.tags[place], self.pages[place]) = (tag, page);
        self.taken += 1;
    }

    /// The page with a fingerprint; `fingerprint_of` says which one a page has.
    pub(super) fn find(&self, fingerprint: u64, fingerprint_of: impl Fn(u32) -> u64) -> Option<u32> {
        if self.taken == 0 {
            return None;
        }
        let (tag, mut place) = self.begin(fingerprint);
        while self.tags[place] != FREE {
            if self.tags[place] == tag && fingerprint_of(self.pages[place]) == fingerprint {
                return Some(self.pages[place]);
            }
            place = self.after(place);
        }
        None
    }

    /// What stands beside a page with this fingerprint, and where to look for it first.
    fn begin(&self, fingerprint: u64) -> (u8, usize) {
        let product = fingerprint.wrapping_mul(self.secret);
        let place = (u128::from(product) * self.tags.len() as u128) >> u64::BITS;
        ((product as u8).max(FREE + 1), place as usize)
    }

    fn after(&self, place: usize) -> usize {
        if place + 1 == self.tags.len() { 0 } else { place + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_found_and_nobody_else() {
        let fingerprint_of = |page: u32| u64::from(page + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut table = Table::for_pages(0);
        let mut pages = 0;
        while !table.is_full() {
            table.insert(fingerprint_of(pages), pages);
            pages += 1;
        }
        for page in 0..10 * pages {
            let found = table.find(fingerprint_of(page), fingerprint_of);
            assert_eq!(found, (page < pages).then_some(page));
        }
        assert!(pages >= 14, "{pages}");
    }

    #[test]
    fn fingerprints_that_differ_little_stand_apart() {
        let mut table = Table::for_pages(10_000);
        (0..10_000).for_each(|page| table.insert(u64::from(page) << 20, page));
        let longest = table.tags.split(|tag| *tag == FREE).map(<[u8]>::len).max();
        assert!(longest < Some(2_000), "{longest:?}");
    }
}
