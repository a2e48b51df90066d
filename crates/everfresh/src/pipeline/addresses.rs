//! Which URLs are known, and which page each of them is: 64-bit fingerprints, some 14 bytes a page.
//!
//! A fingerprint is the head of the URL's BLAKE3 digest, which nobody can steer. At 100 million pages the chance that any
//! two share one is below 1 in 3,000; the later one would then be taken for known and not be visited. The [table] holds page
//! numbers and looks their fingerprints up, which takes little more room than a set of fingerprints would.

mod table;

use revisit::{Checkpoint, CheckpointError, PageId, Pages};

use table::Table;

/// The fingerprint of what is no page.
const NOBODY: u64 = 0;

/// 64 bits that stand for a URL, not all of them 0.
pub fn fingerprint(url: &str) -> u64 {
    let digest = blake3::hash(url.as_bytes());
    let mut head = [0; 8];
    head.copy_from_slice(&digest.as_bytes()[..8]);
    u64::from_le_bytes(head).max(NOBODY + 1)
}

/// The fingerprints of all pages.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    /// Above every number that a page ever had.
    next: u32,
    /// By page.
    fingerprints: Vec<u64>,
    pages: Table,
}

impl Addresses {
    /// Takes in a page, under the number it has.
    pub(super) fn add(&mut self, page: PageId, fingerprint: u64) {
        self.begin_at(page.0.saturating_add(1));
        if self.fingerprints.len() <= page.index() {
            self.fingerprints.resize(page.index() + 1, NOBODY);
        }
        self.fingerprints[page.index()] = fingerprint;
        if self.pages.is_full() {
            self.tabulate();
        } else {
            self.pages.insert(fingerprint, page.0);
        }
    }

    /// Makes the table anew, of all pages. The one before goes first: both would be more than a page may take.
    fn tabulate(&mut self) {
        self.pages = Table::default();
        let known = || (0..).zip(&self.fingerprints).filter(|(_, fingerprint)| **fingerprint != NOBODY);
        let mut pages = Table::for_pages(known().count());
        known().for_each(|(page, fingerprint)| pages.insert(*fingerprint, page));
        self.pages = pages;
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
            self.fingerprints.resize(pages.end(), NOBODY);
            self.begin_at(pages.end() as u32);
            self.tabulate();
        }
        Ok(())
    }

    /// The fingerprint of a known page.
    pub(super) fn fingerprint(&self, page: PageId) -> u64 {
        self.fingerprints[page.index()]
    }

    /// The page of a fingerprint, if it is known.
    pub(super) fn find(&self, fingerprint: u64) -> Option<PageId> {
        self.pages.find(fingerprint, |page| self.fingerprints[page as usize]).map(PageId)
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
