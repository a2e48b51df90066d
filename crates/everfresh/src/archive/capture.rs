//! What one visit puts into the archive: plain borrowed data, so that this room waits for no other.

use std::net::IpAddr;

use data_encoding::BASE32;
use revisit::Time;

/// One exchange with a server, and what the crawler concluded from it.
#[derive(Clone, Debug)]
pub struct Capture<'a> {
    /// The URL that was asked for. A fragment, which no server is sent, tells apart what was posted to one URL.
    pub url: &'a str,
    /// When it was asked for.
    pub at: Time,
    /// The server's address, if known.
    pub address: Option<IpAddr>,
    /// The request line and headers as sent.
    pub request_head: &'a [u8],
    /// What was posted; empty for a GET.
    pub request_body: &'a [u8],
    /// The status line and headers as received; they must describe `body` as it is given here.
    pub response_head: &'a [u8],
    /// The body, transfer coding removed and content coding kept. Not stored for a revisit.
    pub body: &'a [u8],
    /// The status code.
    pub status: u16,
    /// SHA-1 of `body`.
    pub payload: Digest,
    /// Whether the body is stored or refers to an earlier capture.
    pub kind: CaptureKind<'a>,
    /// Names and values for the metadata record (`via`, `hopsFromSeed`, `fetchTimeMs`…); none, no metadata record.
    pub notes: &'a [(&'a str, &'a str)],
}

/// Whether a capture stores its body.
#[derive(Clone, Copy, Debug)]
pub enum CaptureKind<'a> {
    /// A full response.
    Response,
    /// The server answered 304: the body is that of an earlier capture.
    NotModified(Original<'a>),
    /// The server sent the same bytes as an earlier capture did, at this or another URL.
    Identical(Original<'a>),
}

/// An earlier capture whose body stands for a later one. Must have been a [`CaptureKind::Response`].
#[derive(Clone, Copy, Debug)]
pub struct Original<'a> {
    /// Its URL.
    pub url: &'a str,
    /// When it was taken.
    pub at: Time,
    /// SHA-1 of its body.
    pub payload: Digest,
}

impl<'a> CaptureKind<'a> {
    /// The earlier capture a revisit refers to.
    pub fn original(&self) -> Option<&Original<'a>> {
        match self {
            CaptureKind::Response => None,
            CaptureKind::NotModified(original) | CaptureKind::Identical(original) => Some(original),
        }
    }
}

/// A SHA-1 digest, which is what archives compare bodies by. It guards against accidents, not against attackers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 20]);

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest::of_parts(&[bytes])
    }

    /// The digest of `parts` back to back.
    pub(crate) fn of_parts(parts: &[&[u8]]) -> Digest {
        use sha1::Digest as _;
        let mut hasher = sha1::Sha1::new();
        for part in parts {
            hasher.update(part);
        }
        Digest(hasher.finalize().into())
    }

    /// The 32 letters and digits that archives write.
    pub fn base32(&self) -> [u8; 32] {
        let mut text = [0; 32];
        BASE32.encode_mut(&self.0, &mut text);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_nothing_is_the_one_every_archive_knows() {
        assert_eq!(&Digest::of(b"").base32(), b"3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        assert_eq!(Digest::of(b"ab"), Digest::of_parts(&[b"a", b"b"]));
    }
}
