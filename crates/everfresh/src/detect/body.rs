//! A body as it was sent and as it was decoded. A server that packs the same content otherwise (another level, another date
//! in the head of a gzip, no coding at all) has not changed it.

use sha1::{Digest as _, Sha1};

use super::TextDigest;

/// The bytes of one version.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// SHA-1 of the bytes as sent.
    pub payload: [u8; 20],
    /// What they say, without content codings.
    pub content: &'a [u8],
    /// Whether these are others than those sent.
    pub is_coded: bool,
}

impl Body<'_> {
    /// The digest of content that has no text.
    pub(super) fn digest(&self) -> TextDigest {
        TextDigest::of_content(&self.sha1())
    }

    /// The digest of content that should say something but could not be read.
    pub(super) fn unread(&self) -> TextDigest {
        TextDigest::of_unread(&self.sha1())
    }

    /// That of the bytes as sent is known already, and most bodies have no coding.
    fn sha1(&self) -> [u8; 20] {
        if self.is_coded { Sha1::digest(self.content).into() } else { self.payload }
    }
}
