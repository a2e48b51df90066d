//! What a store keeps, as plain values.

use revisit::{Feature, Features, HostId, ListKind, Outcome, PageId, Span, Time, Visit};
use serde::{Deserialize, Serialize};

use super::learned::Learned;
use super::piece::Numbered;
use crate::rule::Rule;
use crate::sources::Source;

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

/// The static features of a page's first version.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct FeaturesRow {
    /// The page.
    pub page: PageId,
    /// Links followed from a seed to it; kept with the page.
    pub depth: u32,
    /// Bytes of text without markup.
    pub text_bytes: u32,
    /// Links.
    pub links: u32,
    /// Images.
    pub images: u32,
    /// E-mail addresses.
    pub emails: u32,
    /// Directory level of the URL.
    pub directory_level: u8,
    /// Whether the server sent Last-Modified.
    pub last_modified: bool,
    /// Whether the page asks that its links not be followed.
    pub nofollow: bool,
    /// Whether the page asks not to be indexed.
    pub noindex: bool,
    /// The family of its format.
    pub format: Option<u8>,
    /// Whose host it is on.
    pub host_kind: Option<u8>,
    /// For how many seconds the server says a copy may be used.
    pub max_age: Option<u32>,
}

impl FeaturesRow {
    /// The features as policies know them.
    pub fn features(&self) -> Features {
        let unless_unknown = |value: Option<f32>| value.unwrap_or(f32::NAN);
        Features::default()
            .with(Feature::Format, unless_unknown(self.format.map(f32::from)))
            .with(Feature::HostKind, unless_unknown(self.host_kind.map(f32::from)))
            .with(Feature::MaxAge, unless_unknown(self.max_age.map(|seconds| seconds as f32)))
            .with(Feature::Links, self.links as f32)
            .with(Feature::Emails, self.emails as f32)
            .with(Feature::LastModified, f32::from(u8::from(self.last_modified)))
            .with(Feature::TextBytes, self.text_bytes as f32)
            .with(Feature::Images, self.images as f32)
            .with(Feature::Depth, self.depth as f32 + 1.0)
            .with(Feature::DirectoryLevel, f32::from(self.directory_level))
    }
}

/// The links of a page, in place of those it had.
#[derive(Clone, Debug, PartialEq)]
pub struct LinksRow {
    /// The page.
    pub page: PageId,
    /// The known pages it links to, rising.
    pub targets: Vec<PageId>,
}

impl LinksRow {
    /// Links in any order: told again, they come as they are kept.
    pub fn new(page: PageId, mut targets: Vec<PageId>) -> LinksRow {
        targets.sort_unstable();
        targets.dedup();
        LinksRow { page, targets }
    }
}

/// A model that was trained while the crawl went on, and whether it was better than the one in use.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingRow {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The model's file.
    pub model: String,
    /// Whether it is used from then on.
    pub adopted: bool,
    /// The freshness it would have kept of pages it was not trained on; `None` if there is no such model.
    pub freshness: Option<f64>,
    /// The freshness that the model in use would have kept of them.
    pub freshness_before: Option<f64>,
    /// How many such pages there are.
    pub pages: usize,
    /// What happened, in words.
    pub detail: String,
}

/// A visit, complete.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct VisitRow {
    /// Page, time and outcome: what flows to the policy.
    pub visit: Visit,
    /// The rule that decided the outcome.
    pub rule: Rule,
    /// What there is to say beyond the rule.
    pub detail: Option<String>,
    /// The server's answer, if there was one.
    pub answer: Option<Answer>,
    /// Where the archive keeps it.
    pub capture: Option<CaptureRow>,
    /// The exchanges after the first that the archive keeps, if it took several.
    pub parts: Vec<PartRow>,
    /// Requests made, those that failed too; none if the page was refused before anybody was contacted.
    pub requests: u32,
}

/// A visit as a start needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToldVisit {
    /// Its number, which no other has.
    pub number: u64,
    /// Page, time and outcome.
    pub visit: Visit,
    /// Requests made.
    pub requests: u32,
}

/// What the server answered.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Media type without parameters.
    pub mime: Option<String>,
    /// Bytes of body as sent.
    pub bytes: u64,
    /// How long the exchange took, in wall time.
    pub millis: u64,
}

/// Where the archive keeps a visit: the index entry.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct CaptureRow {
    /// SHA-1 of the payload, or of the version it refers to.
    pub payload: [u8; 20],
    /// Whether the record refers to an earlier one instead of holding the body.
    pub revisit: bool,
    /// The file's number; the writer fills it in.
    pub file: u32,
    /// Where the record begins in the file; the writer fills it in.
    pub position: u64,
    /// How long the record is.
    pub length: u64,
}

/// A WARC file and how much of it belongs to committed visits.
#[derive(Clone, Debug, PartialEq)]
pub struct FileRow {
    /// Its number.
    pub id: u32,
    /// Its name in `archive/`.
    pub name: String,
    /// Bytes; 0 if the file is known to be gone.
    pub length: u64,
}

/// A file of the archive and its index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexRow {
    /// The file.
    pub file: FileRow,
    /// How long the file was when its index was written; 0 if it never was, or lists what was lost since.
    pub indexed: u64,
    /// Bytes of the index.
    pub length: u64,
}

/// A page and how it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRow {
    /// The page.
    pub page: PageId,
    /// How it is asked.
    pub source: Source,
}

/// A further exchange of a visit, which the archive keeps beside the first.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct PartRow {
    /// What was asked.
    pub url: String,
    /// HTTP status.
    pub status: u16,
    /// Media type without parameters.
    pub mime: Option<String>,
    /// Where the archive keeps it; its position counts from that of the first exchange until the writer fills it in.
    pub capture: CaptureRow,
}

/// All that one reading of a list says of its host's pages.
#[derive(Clone, Debug, PartialEq)]
pub struct HintsRow {
    /// The list.
    pub list: PageId,
    /// Its kind.
    pub kind: ListKind,
    /// When it was read.
    pub at: Time,
    /// Pages, and when they last changed.
    pub entries: Vec<(PageId, Time)>,
}

/// A cycle as it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenedCycle {
    /// Its number, which no other has.
    pub number: u64,
    /// When it began.
    pub at: Time,
    /// The last batch that the crawl had learned of.
    pub after: u64,
    /// Fetches it plans with.
    pub budget: u64,
    /// Visits it may make.
    pub visits: u64,
}

/// A cycle as it ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClosedCycle {
    /// Its number.
    pub number: u64,
    /// When it ended.
    pub at: Time,
    /// How its visits ended.
    pub outcomes: Outcomes,
    /// The share of pages expected to be current when it ended.
    pub expected_freshness: f64,
}

/// A batch, and where it ends: what has a number below these was there when it was committed, if it ever was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchRow {
    /// Its number, from 1; 0 stands for the time before the first.
    pub number: u64,
    /// Above every visit's number.
    pub next_visit: u64,
    /// Above every page's number: what the next page is called.
    pub next_page: u32,
    /// Above every host's number: what the next host is called.
    pub next_host: u32,
    /// Above the number of every entry of the journal.
    pub next_change: u64,
}

impl Default for BatchRow {
    fn default() -> BatchRow {
        BatchRow { number: 0, next_visit: 1, next_page: 0, next_host: 0, next_change: 1 }
    }
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
    /// How much it matters.
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

impl Numbered for HostRow {
    fn number(&self) -> u64 {
        self.id.0.into()
    }
}

impl Numbered for PageEntry {
    fn number(&self) -> u64 {
        self.id.0.into()
    }
}

impl Numbered for PageId {
    fn number(&self) -> u64 {
        self.0.into()
    }
}

impl Numbered for LinksRow {
    fn number(&self) -> u64 {
        self.page.0.into()
    }
}

impl Numbered for BatchRow {
    fn number(&self) -> u64 {
        self.number
    }
}

impl Numbered for ToldVisit {
    fn number(&self) -> u64 {
        self.number
    }
}

impl Numbered for OpenedCycle {
    fn number(&self) -> u64 {
        self.number
    }
}

impl Numbered for (u64, Learned) {
    fn number(&self) -> u64 {
        self.0
    }
}

/// Visits counted by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Outcomes {
    /// Seen for the first time.
    pub first: u64,
    /// Seen changed.
    pub changed: u64,
    /// Seen unchanged.
    pub unchanged: u64,
    /// Not there any more.
    pub gone: u64,
    /// Told nothing.
    pub failed: u64,
}

impl Outcomes {
    /// Counts one more visit.
    pub fn count(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::First => &mut self.first,
            Outcome::Changed => &mut self.changed,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::Gone => &mut self.gone,
            Outcome::Failed => &mut self.failed,
        } += 1;
    }

    /// All visits.
    pub fn total(&self) -> u64 {
        self.first + self.changed + self.unchanged + self.gone + self.failed
    }
}
