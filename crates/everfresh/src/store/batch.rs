//! Everything that is ever written, as what one commit makes true: all of it or nothing.

use revisit::{PageId, PageOrder, Visit};

use super::rows::{
    AsideRow, ClosedCycle, CopyRow, FeaturesRow, FileRow, HintsRow, HostRow, IndexRow, LinksRow, OpenedCycle, PageRow,
    SourceRow, TrainingRow, VisitRow,
};
use crate::parse::LeftOut;

/// What one commit makes true.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Hosts found or changed; the last entry of a host wins.
    pub hosts: Vec<HostRow>,
    /// Pages found, by rising numbers that nobody ever had.
    pub pages: Vec<PageRow>,
    /// Pages that are asked in a way of their own; one that is asked in another way than before has no copy any more.
    pub sources: Vec<SourceRow>,
    /// WARC files with what of them is committed now.
    pub files: Vec<FileRow>,
    /// Visits made, in order.
    pub visits: Vec<VisitRow>,
    /// Copies replaced.
    pub copies: Vec<CopyRow>,
    /// Answers archived that are no versions.
    pub asides: Vec<AsideRow>,
    /// Features of first versions; those that a page has stay.
    pub features: Vec<FeaturesRow>,
    /// Links of pages that were read anew.
    pub links: Vec<LinksRow>,
    /// What lists said of pages; the latest date of a page stands.
    pub hints: Vec<HintsRow>,
    /// Links that guards left out, beside those counted before.
    pub left_out: LeftOut,
    /// Known pages that become seeds, with how much they matter.
    pub adopted: Vec<(PageId, f32)>,
    /// What was ordered of pages, in order.
    pub orders: Vec<(PageId, PageOrder)>,
    /// Requests made beside those of the visits.
    pub charged: u32,
    /// Cycles that began.
    pub opened: Vec<OpenedCycle>,
    /// Cycles that ended.
    pub closed: Vec<ClosedCycle>,
    /// Trainings that ended.
    pub trainings: Vec<TrainingRow>,
    /// Indexes that are on disk.
    pub indexes: Vec<IndexRow>,
    /// Files that were cut or are gone: captures of theirs that are forgotten.
    pub lost: Vec<LostFile>,
    /// Whether a crawl runs from now on, or has ended in order.
    pub running: Option<bool>,
    /// A number of the collection's own, unless it has one.
    pub collection: Option<u64>,
}

impl Batch {
    /// A digest of what came before, by its mark, and of the hosts, pages and visits of this batch: two stores whose batches have the
    /// same mark went the same way until then.
    pub fn mark(&self, before: u64) -> u64 {
        let mut digest = blake3::Hasher::new();
        digest.update(&before.to_le_bytes());
        self.hosts.iter().for_each(|host| _ = digest.update(host.name.as_bytes()));
        self.pages.iter().for_each(|page| _ = digest.update(&page.fingerprint.to_le_bytes()));
        self.adopted
            .iter()
            .for_each(|(page, weight)| _ = digest.update(&page.0.to_le_bytes()).update(&weight.to_le_bytes()));
        for Visit { page, at, .. } in self.visits.iter().map(|row| row.visit) {
            digest.update(&page.0.to_le_bytes()).update(&at.millis().to_le_bytes());
        }
        let mut mark = [0; 8];
        digest.finalize_xof().fill(&mut mark);
        u64::from_le_bytes(mark)
    }
}

/// A file that is shorter than was committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostFile {
    /// Its number.
    pub file: u32,
    /// Bytes that are left of it; it counts up to the first capture that is not whole. 0 if it is gone.
    pub length: u64,
}

/// What a commit came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// The batch's number: one more than that of the batch before.
    pub batch: u64,
    /// Pages whose features nobody knew before.
    pub described: Vec<PageId>,
    /// What was forgotten.
    pub lost: Lost,
}

/// What was lost with the ends of files.
///
/// The visits stay: what they showed was seen. But they point nowhere any more, and neither does a visit that refers to one
/// of them instead of holding a body of its own. A page whose held version is lost has no copy, so that its next visit asks
/// without conditions, compares with nothing and archives all it gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Visits whose records are gone, or name records that are.
    pub visits: usize,
    /// Pages without a copy from now on.
    pub copies: usize,
}
