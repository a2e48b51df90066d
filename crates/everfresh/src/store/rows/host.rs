//! Hosts, and the state of their politeness.

use revisit::{HostId, Span, Time};
use serde::{Deserialize, Serialize};

use crate::store::piece::Numbered;

/// A host and the state of its politeness.
#[derive(Clone, Debug, PartialEq)]
pub struct HostRow {
    /// Its number.
    pub id: HostId,
    /// Scheme, name and port: `https://example.org`, `http://example.org:8080`.
    pub name: String,
    /// Its robots.txt as last fetched; written as `None`, what the store has stays.
    pub robots: Option<RobotsRow>,
    /// When it was last contacted.
    pub last_contact: Time,
    /// Until when it is left alone.
    pub blocked_until: Time,
    /// The last pause after a refusal.
    pub pause: Span,
}

impl Numbered for HostRow {
    fn number(&self) -> u64 {
        self.id.0.into()
    }
}

/// A robots.txt as fetched.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct RobotsRow {
    /// The HTTP status.
    pub status: u16,
    /// The body, cut to the part that is parsed.
    pub body: Vec<u8>,
    /// When.
    pub at: Time,
}
