//! Pages: how they were found, how they are asked, and what is held of them.

use revisit::{HostId, PageId, Time};
use serde::{Deserialize, Serialize};

use crate::sources::Source;
use crate::store::piece::Numbered;

/// How a page was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum FoundAs {
    /// The user named it.
    Seed,
    /// Another page links to it.
    Link,
    /// A sitemap lists it, or robots.txt names it as a sitemap.
    Sitemap,
    /// A feed lists it.
    Feed,
    /// A catalogue lists it.
    Catalogue,
    /// Another page redirects to it.
    Redirect,
}

impl FoundAs {
    /// The word the store writes.
    pub const fn name(self) -> &'static str {
        match self {
            FoundAs::Seed => "seed",
            FoundAs::Link => "link",
            FoundAs::Sitemap => "sitemap",
            FoundAs::Feed => "feed",
            FoundAs::Catalogue => "catalogue",
            FoundAs::Redirect => "redirect",
        }
    }
}

/// A page as found.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRow {
    /// Its number.
    pub id: PageId,
    /// Its normalised URL.
    pub url: String,
    /// 64 bits of a digest of the URL.
    pub fingerprint: u64,
    /// Its host.
    pub host: HostId,
    /// How much it matters.
    pub weight: f32,
    /// Links from a seed.
    pub depth: u32,
    /// Redirects in a row that led here.
    pub hops: u8,
    /// When it was found.
    pub found_at: Time,
    /// How it was found.
    pub found_as: FoundAs,
    /// On which page.
    pub found_on: Option<PageId>,
}

/// A page as a start needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct PageEntry {
    /// Its number.
    pub id: PageId,
    /// 64 bits of a digest of its URL.
    pub fingerprint: u64,
    /// Its host.
    pub host: HostId,
    /// How much it mattered when it was found; the journal says what became of that.
    pub weight: f32,
    /// Its URL.
    pub url: String,
}

impl From<PageRow> for PageEntry {
    fn from(row: PageRow) -> PageEntry {
        let PageRow { id, fingerprint, host, weight, url, .. } = row;
        PageEntry { id, fingerprint, host, weight, url }
    }
}

impl Numbered for PageEntry {
    fn number(&self) -> u64 {
        self.id.0.into()
    }
}

/// A page and how it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRow {
    /// The page.
    pub page: PageId,
    /// How it is asked.
    pub source: Source,
}

/// The version of a page that the replica holds: what the next visit is compared with.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct CopyRow {
    /// The page.
    pub page: PageId,
    /// When its bytes were archived.
    pub since: Time,
    /// The server's ETag.
    pub etag: Option<String>,
    /// The server's Last-Modified.
    pub last_modified: Option<String>,
    /// SHA-1 of the bytes as sent.
    pub payload: [u8; 20],
    /// Digest of the text that counts, of what the data says, or of the content.
    pub text: Vec<u8>,
    /// SimHash of the text that counts.
    pub simhash: u64,
    /// Where it redirects to, if it does.
    pub moved_to: Option<String>,
}

/// The last answer of a page that the archive keeps although it is no version of it: that the page is gone, or what cannot be
/// decoded or judged.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct AsideRow {
    /// The page.
    pub page: PageId,
    /// When its bytes were archived.
    pub since: Time,
    /// SHA-1 of the bytes as sent.
    pub payload: [u8; 20],
}

impl Numbered for PageId {
    fn number(&self) -> u64 {
        self.0.into()
    }
}
