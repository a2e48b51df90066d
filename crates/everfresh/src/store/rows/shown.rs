//! What pages show: their first features, their links, and what lists say of others.

use revisit::{Feature, Features, ListKind, PageId, Time};
use serde::{Deserialize, Serialize};

use crate::store::piece::Numbered;

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

impl Numbered for LinksRow {
    fn number(&self) -> u64 {
        self.page.0.into()
    }
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
