//! The exact digest of a page's text, of what its data says, or of its content if neither can be read: equal text, equal digest.
//!
//! A digest can only be compared with one that was made in the same way. So it carries how it was made: the algorithm, and a
//! fingerprint of the filters (and of the version of our text extraction) behind it. A user who adds a filter therefore does
//! not see a "change" of every page at the next visit. Where there is nothing to read, or it cannot be read, the bytes without
//! their content coding are digested, and the digest says which of the two it was.

use md5::{Digest as _, Md5};
use serde::{Deserialize, Serialize};

const DIGEST_BYTES: usize = 16;

/// How text is digested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// MD5, as in the papers.
    Md5,
    /// BLAKE3, cut to 128 bits.
    #[default]
    Blake3,
}

impl Algorithm {
    /// The name used in the configuration and for people.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Md5 => "md5",
            Algorithm::Blake3 => "blake3",
        }
    }
}

/// The digest of a text and how it was made; see [`TextDigest::comparable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextDigest {
    /// 0 if nothing is known but the bytes as sent; else how it was made.
    algorithm: u8,
    filters: u64,
    digest: [u8; DIGEST_BYTES],
}

impl TextDigest {
    /// The length of its stored form.
    pub const BYTES: usize = 1 + 8 + DIGEST_BYTES;
    /// Stands for content that was not even decoded.
    pub const NONE: TextDigest = TextDigest { algorithm: 0, filters: 0, digest: [0; DIGEST_BYTES] };

    /// Digests a text that was made with filters of this fingerprint.
    pub fn new(text: &str, algorithm: Algorithm, filters: u64) -> TextDigest {
        let digest = match algorithm {
            Algorithm::Md5 => Md5::digest(text).into(),
            Algorithm::Blake3 => blake3(text.as_bytes()),
        };
        TextDigest { algorithm: code(algorithm), filters, digest }
    }

    /// The digest of content that has no text, by the SHA-1 of its decoded bytes.
    pub(super) fn of_content(sha1: &[u8; 20]) -> TextDigest {
        TextDigest::of_bytes(CONTENT, sha1)
    }

    /// The digest of content that should say something but could not be read, by the SHA-1 of its decoded bytes.
    pub(super) fn of_unread(sha1: &[u8; 20]) -> TextDigest {
        TextDigest::of_bytes(UNREAD, sha1)
    }

    fn of_bytes(algorithm: u8, sha1: &[u8; 20]) -> TextDigest {
        let mut digest = [0; DIGEST_BYTES];
        digest.copy_from_slice(&sha1[..DIGEST_BYTES]);
        TextDigest { algorithm, filters: 0, digest }
    }

    /// The digest of what data says, judged under rules of this fingerprint.
    pub fn of_data(statements: &[u8; 32], rules: u64) -> TextDigest {
        let mut digest = [0; DIGEST_BYTES];
        digest.copy_from_slice(&statements[..DIGEST_BYTES]);
        TextDigest { algorithm: DATA, filters: rules, digest }
    }

    /// Whether it is a digest of data.
    pub fn is_data(&self) -> bool {
        self.algorithm == DATA
    }

    /// Whether it could not be read: all that is known is bytes, though it should say more.
    pub fn is_unread(&self) -> bool {
        matches!(self.algorithm, 0 | UNREAD)
    }

    /// Whether it is one of bytes, be it that there is nothing to read or that it could not be read.
    pub fn is_bytes(&self) -> bool {
        self.algorithm == CONTENT || self.is_unread()
    }

    /// Whether it was made with filters of this fingerprint, or under rules of it.
    pub fn is_made_with(&self, filters: u64) -> bool {
        self.filters == filters
    }

    /// Whether both were made in the same way, so that a difference means different text.
    pub fn comparable(&self, other: &TextDigest) -> bool {
        self.algorithm == other.algorithm && self.filters == other.filters
    }

    /// The stored form: algorithm, fingerprint of the filters (big-endian), digest.
    pub fn to_bytes(self) -> [u8; TextDigest::BYTES] {
        let mut bytes = [0; TextDigest::BYTES];
        bytes[0] = self.algorithm;
        bytes[1..9].copy_from_slice(&self.filters.to_be_bytes());
        bytes[9..].copy_from_slice(&self.digest);
        bytes
    }

    /// Reads it from the beginning of what is stored of a version, if it is there.
    pub fn from_start(stored: &[u8]) -> Option<TextDigest> {
        stored.first_chunk().map(TextDigest::from_bytes)
    }

    /// Reads the stored form back.
    pub fn from_bytes(bytes: &[u8; TextDigest::BYTES]) -> TextDigest {
        let (mut filters, mut digest) = ([0; 8], [0; DIGEST_BYTES]);
        filters.copy_from_slice(&bytes[1..9]);
        digest.copy_from_slice(&bytes[9..]);
        TextDigest { algorithm: bytes[0], filters: u64::from_be_bytes(filters), digest }
    }
}

/// The numbers of the digests of data, of content without text and of content that could not be read, beside those of
/// [`code`].
const DATA: u8 = 3;
const CONTENT: u8 = 4;
const UNREAD: u8 = 5;

/// Stored with every page: never reuse a number.
fn code(algorithm: Algorithm) -> u8 {
    match algorithm {
        Algorithm::Md5 => 1,
        Algorithm::Blake3 => 2,
    }
}

fn blake3(content: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut digest = [0; DIGEST_BYTES];
    digest.copy_from_slice(&blake3::hash(content).as_bytes()[..DIGEST_BYTES]);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn md5_is_the_papers_md5() {
        let digest = TextDigest::new("abc", Algorithm::Md5, 0);
        assert_eq!(
            digest.digest,
            [0x90, 1, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0, 0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1, 0x7f, 0x72]
        );
    }

    #[test]
    fn what_is_stored_comes_back() {
        for digest in [
            TextDigest::NONE,
            TextDigest::new("a", Algorithm::Md5, 7),
            TextDigest::new("b", Algorithm::Blake3, u64::MAX),
            TextDigest::of_content(&[9; 20]),
            TextDigest::of_unread(&[9; 20]),
        ] {
            assert_eq!(TextDigest::from_bytes(&digest.to_bytes()), digest);
        }
    }

    #[test]
    fn only_digests_made_alike_are_comparable() {
        let digest = TextDigest::new("a", Algorithm::Blake3, 1);
        assert!(digest.comparable(&TextDigest::new("b", Algorithm::Blake3, 1)));
        assert!(!digest.comparable(&TextDigest::new("a", Algorithm::Blake3, 2)));
        assert!(!digest.comparable(&TextDigest::new("a", Algorithm::Md5, 1)));
        assert!(!digest.comparable(&TextDigest::NONE));
    }
}
