//! Which URLs are known, and which page each of them is: 64-bit fingerprints, about fifteen bytes a page.
//!
//! A fingerprint is the head of the URL's BLAKE3 digest, which nobody can steer. At 100 million pages the chance that any
//! two share one is below 1 in 3,000; the later one would then be taken for known and not be visited. The table holds page
//! numbers alone and looks their fingerprints up, which takes little more room than a set of fingerprints would.

use hashbrown::HashTable;
use revisit::{Checkpoint, CheckpointError, PageId, Pages};

/// 64 bits that stand for a URL.
pub fn fingerprint(url: &str) -> u64 {
    let digest = blake3::hash(url.as_bytes());
    let mut head = [0; 8];
    head.copy_from_slice(&digest.as_bytes()[..8]);
    u64::from_le_bytes(head)
}

/// The fingerprints of all pages.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    /// Above every number that a page ever had.
    next: u32,
    /// By page; what is no page is in no table.
    fingerprints: Vec<u64>,
    /// Fingerprints are random already, so each is its own hash.
    pages: HashTable<u32>,
}

impl Addresses {
    /// Takes in a page, under the number it has.
    pub(super) fn add(&mut self, page: PageId, fingerprint: u64) {
        self.begin_at(page.0.saturating_add(1));
        if self.fingerprints.len() <= page.index() {
            self.fingerprints.resize(page.index() + 1, 0);
        }
        self.fingerprints[page.index()] = fingerprint;
        self.pages.insert_unique(fingerprint, page.0, |page| self.fingerprints[*page as usize]);
    }

    /// Numbers below this one were given before.
    pub(super) fn begin_at(&mut self, next: u32) {
        self.next = self.next.max(next);
    }

    /// Takes in a page that nobody knew, and numbers it.
    pub(super) fn meet(&mut self, fingerprint: u64) -> PageId {
        let page = PageId(self.next);
        self.add(page, fingerprint);
        page
    }

    /// Writes down the fingerprints of all pages, or takes those in that were.
    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>, pages: &Pages) -> Result<(), CheckpointError> {
        checkpoint.keep_rows(&mut self.fingerprints)?;
        if checkpoint.is_read() {
            self.fingerprints.resize(pages.end(), 0);
            self.begin_at(pages.end() as u32);
            let fingerprints = &self.fingerprints;
            self.pages.reserve(pages.len(), |page| fingerprints[*page as usize]);
            for page in pages.ids() {
                let hash = |page: &u32| fingerprints[*page as usize];
                self.pages.insert_unique(hash(&page.0), page.0, hash);
            }
        }
        Ok(())
    }

    /// The fingerprint of a known page.
    pub(super) fn fingerprint(&self, page: PageId) -> u64 {
        self.fingerprints[page.index()]
    }

    /// The page of a fingerprint, if it is known.
    pub(super) fn find(&self, fingerprint: u64) -> Option<PageId> {
        let same = |page: &u32| self.fingerprints[*page as usize] == fingerprint;
        self.pages.find(fingerprint, same).map(|page| PageId(*page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_found_by_their_fingerprints() {
        let mut known = Addresses::default();
        let urls: Vec<String> = (0..1000).map(|number| format!("http://a.test/{number}")).collect();
        for (number, url) in (0..).zip(&urls) {
            assert_eq!(known.find(fingerprint(url)), None);
            assert_eq!(known.meet(fingerprint(url)), PageId(number));
            assert_eq!(known.fingerprint(PageId(number)), fingerprint(url));
        }
        for (number, url) in (0..).zip(&urls) {
            assert_eq!(known.find(fingerprint(url)), Some(PageId(number)));
        }
    }

    #[test]
    fn pages_keep_their_numbers_and_none_is_given_twice() {
        let mut known = Addresses::default();
        known.add(PageId(7), fingerprint("seven"));
        known.begin_at(9);
        known.begin_at(3);
        assert_eq!(known.meet(fingerprint("nine")), PageId(9));
        assert_eq!(known.find(fingerprint("seven")), Some(PageId(7)));
        assert_eq!(known.find(0), None, "what is no page has no fingerprint");
    }
}
