//! What a store answers, as plain values.

use revisit::{HostId, PageId, Time};

use super::piece::Numbered;
use super::rows::{AsideRow, ClosedCycle, CopyRow, OpenedCycle};
use crate::archive::{Digest, cdxj};
use crate::sources::Source;

/// A page as its next visit needs it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its number.
    pub page: PageId,
    /// Its host.
    pub host: HostId,
    /// Its URL.
    pub url: String,
    /// Links from a seed.
    pub depth: u32,
    /// Redirects in a row that led to it.
    pub hops: u8,
    /// The version held, if any.
    pub copy: Option<CopyRow>,
    /// The last answer archived that was no version, if any.
    pub aside: Option<AsideRow>,
    /// How it is asked, if that is not as for all pages.
    pub source: Option<Source>,
}

/// A page as people ask for it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct PageSummary {
    /// Its number.
    pub id: u32,
    /// Its URL.
    pub url: String,
    /// How much it matters.
    pub weight: f64,
    /// Links from a seed.
    pub depth: u32,
    /// How it was found.
    pub found_as: String,
    /// On which page.
    pub found_on: Option<String>,
    /// When, in milliseconds since 1970.
    pub found_at: i64,
}

/// A visit as people ask for it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct VisitEntry {
    /// The page's URL.
    pub url: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What it showed.
    pub outcome: String,
    /// The rule that decided.
    pub rule: String,
    /// What there is to say beyond the rule.
    pub detail: Option<String>,
    /// HTTP status.
    pub status: Option<u16>,
    /// Bytes as sent.
    pub bytes: Option<u64>,
    /// How long the exchange took.
    pub millis: Option<u64>,
    /// The WARC file that holds it.
    pub file: Option<String>,
    /// Where in the file.
    pub position: Option<u64>,
    /// How many bytes.
    pub length: Option<u64>,
}

/// An index entry as CDXJ needs it.
#[derive(Clone, Debug)]
pub struct CaptureEntry {
    /// The page's URL.
    pub url: String,
    /// When.
    pub at: Time,
    /// HTTP status.
    pub status: u16,
    /// Media type.
    pub mime: Option<String>,
    /// SHA-1 of the payload.
    pub payload: [u8; 20],
    /// Whether it refers to an earlier record.
    pub revisit: bool,
    /// Where in the file.
    pub position: u64,
    /// How many bytes.
    pub length: u64,
}

impl CaptureEntry {
    /// The line of the index, given the name of the file.
    pub fn index_entry<'a>(&'a self, file: &'a str) -> cdxj::Entry<'a> {
        cdxj::Entry {
            url: &self.url,
            at: self.at,
            status: self.status,
            content_type: self.mime.as_deref(),
            payload: Digest(self.payload),
            revisit: self.revisit,
            file,
            offset: self.position,
            length: self.length,
        }
    }
}

/// How large the collection is.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Totals {
    /// Hosts known.
    pub hosts: u64,
    /// Pages known.
    pub pages: u64,
    /// Pages of which a version is held.
    pub copies: u64,
    /// Visits made.
    pub visits: u64,
    /// Bytes in the archive.
    pub archive_bytes: u64,
}

/// What was last said of a page, as people ask for it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct HintEntry {
    /// When the page last changed, in milliseconds since 1970.
    pub modified: i64,
    /// When that was said first.
    pub told_at: i64,
    /// The URL of the list that said it.
    pub told_by: String,
}

/// Links left out for one reason.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LeftOutEntry {
    /// The name of the reason.
    pub reason: String,
    /// How many, each time one was met.
    pub links: u64,
    /// The last that was taken for an example.
    pub example: String,
}

/// A version of a page that the archive keeps whole.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct VersionEntry {
    /// When it was archived, in milliseconds since 1970.
    pub at: i64,
    /// Whether it differs from the one before.
    pub changed: bool,
}

/// One archived exchange of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedEntry {
    /// What was asked, with the fragment that tells apart what was posted to one URL.
    pub url: String,
    /// The WARC file that holds the answer.
    pub file: String,
    /// Where in the file.
    pub position: u64,
    /// How many bytes.
    pub length: u64,
}

/// A cycle as people ask for it.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleEntry {
    /// Its number.
    pub number: u64,
    /// When it began.
    pub opened_at: Time,
    /// The last batch that the crawl had learned of then, the fetches it planned with and the visits it might make; unknown of
    /// cycles that an earlier version of this program made.
    pub opened: Option<OpenedCycle>,
    /// How it ended; `None` while it goes on, or if its crawl was killed.
    pub closed: Option<ClosedCycle>,
}

impl Numbered for PageSummary {
    fn number(&self) -> u64 {
        self.id.into()
    }
}

/// Which visits come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Those made first.
    OldestFirst,
    /// Those made last.
    NewestFirst,
}
