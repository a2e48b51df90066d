//! Which URLs are known, and which page each of them is: 64-bit fingerprints, about fifteen bytes a page.
//!
//! A fingerprint is the head of the URL's BLAKE3 digest, which nobody can steer. At 100 million pages the chance that any
//! two share one is below 1 in 3,000; the later one would then be taken for known and not be visited. The table holds page
//! numbers alone and looks their fingerprints up, which takes little more room than a set of fingerprints would.

use hashbrown::HashTable;
use revisit::PageId;

/// 64 bits that stand for a URL.
pub fn fingerprint(url: &str) -> u64 {
    let digest = blake3::hash(url.as_bytes());
    let mut head = [0; 8];
    head.copy_from_slice(&digest.as_bytes()[..8]);
    u64::from_le_bytes(head)
}

/// The fingerprints of all pages.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// By page.
    fingerprints: Vec<u64>,
    /// Fingerprints are random already, so each is its own hash.
    pages: HashTable<u32>,
}

impl Known {
    /// Takes in the next page.
    pub(super) fn push(&mut self, fingerprint: u64) -> PageId {
        let page = self.fingerprints.len() as u32;
        self.fingerprints.push(fingerprint);
        self.pages.insert_unique(fingerprint, page, |page| self.fingerprints[*page as usize]);
        PageId(page)
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
        let mut known = Known::default();
        let urls: Vec<String> = (0..1000).map(|number| format!("http://a.test/{number}")).collect();
        for (number, url) in (0..).zip(&urls) {
            assert_eq!(known.find(fingerprint(url)), None);
            assert_eq!(known.push(fingerprint(url)), PageId(number));
            assert_eq!(known.fingerprint(PageId(number)), fingerprint(url));
        }
        for (number, url) in (0..).zip(&urls) {
            assert_eq!(known.find(fingerprint(url)), Some(PageId(number)));
        }
    }
}
