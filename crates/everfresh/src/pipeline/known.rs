//! Which URLs are known: a set of 64-bit fingerprints, nine bytes a page.
//!
//! A fingerprint is the head of the URL's BLAKE3 digest, which nobody can steer. At 100 million pages the chance that any
//! two share one is below 1 in 3,000; the later one would then be taken for known and not be visited.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

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
    fingerprints: HashSet<u64, BuildHasherDefault<AsIs>>,
}

impl Known {
    /// Takes a fingerprint in; false if it was known.
    pub(super) fn insert(&mut self, fingerprint: u64) -> bool {
        self.fingerprints.insert(fingerprint)
    }

    /// Whether a fingerprint is known.
    pub(super) fn contains(&self, fingerprint: u64) -> bool {
        self.fingerprints.contains(&fingerprint)
    }
}

/// Fingerprints are random already.
#[derive(Debug, Default)]
pub(super) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("only whole fingerprints are hashed")
    }

    fn write_u64(&mut self, fingerprint: u64) {
        self.0 = fingerprint;
    }
}
