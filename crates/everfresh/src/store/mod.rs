//! Room 7: everything known of hosts, pages and visits, behind an interface that says what is kept and not how.
//!
//! It is split by who uses it: the crawl's writer [commits](Commit) batches, a start [replays](Replay) what happened, visits are
//! [loaded](Load), and people [ask](Ask). A batch holds visits, the copies they left, pages and hosts they found and the index entries of
//! what the archive already has on disk, so that after a crash either all of a visit is there or nothing. Visits are
//! append-only, batches are numbered, and numbers of pages and hosts are never used twice; told again [batch by batch](replay())
//! they rebuild every history.
//!
//! Behind it are a SQLite file, which a user can open with any tool, and for tests a store in memory. No file but
//! this one names them. All must pass one suite, the contract.

mod answers;
mod batch;
mod error;
mod learned;
mod memory;
mod piece;
mod replay;
mod rows;
mod sqlite;
mod varint;
mod waiting;

#[cfg(test)]
mod contract;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use revisit::{HostId, PageId, Time};

pub use answers::{
    ArchivedEntry, CaptureEntry, CycleEntry, HintEntry, LeftOutEntry, Loaded, Order, PageSummary, Totals, VersionEntry,
    VisitEntry,
};
pub use batch::{Batch, Committed, Lost, LostFile};
pub use error::StoreError;
pub use learned::Learned;
pub use memory::Memory;
pub use piece::{Cursor, Numbered, Piece, each, each_numbered};
pub use replay::{Event, Span, replay, replay_while};
pub use rows::{
    Answer, AsideRow, BatchRow, CaptureRow, ClosedCycle, CopyRow, FeaturesRow, FileRow, FoundAs, HintsRow, HostRow,
    IndexRow, LinksRow, OpenedCycle, Outcomes, PageEntry, PageRow, PartRow, RobotsRow, SourceRow, ToldVisit,
    TrainingRow, VisitRow,
};
pub use sqlite::FILE;
pub use waiting::{Briefly, Reason, Waiter};

/// How a store is opened for writing.
pub struct Opening {
    /// Whether a commit waits for the disk; if not, a loss of power may take it back.
    pub durable: bool,
    /// What was committed may wait to be moved to its place, up to so many bytes; beyond, readers that hold it up are waited for.
    pub max_log: u64,
    /// Who decides how long others are waited for.
    pub waiter: Arc<dyn Waiter>,
}

impl Default for Opening {
    fn default() -> Opening {
        Opening { durable: true, max_log: 1 << 30, waiter: Arc::new(Briefly::default()) }
    }
}

/// Opens the store of the collection in a folder for writing; makes it if there is none, and brings it up to date if it is old.
/// There must be one writer at a time: the collection's lock sees to that.
pub fn open(folder: &Path, opening: Opening) -> Result<Box<dyn Writer>, StoreError> {
    Ok(Box::new(sqlite::Sqlite::open(folder, opening)?))
}

/// Opens a store that exists for reading beside whoever writes. Changes nothing.
pub fn reader(folder: &Path) -> Result<Box<dyn Reader>, StoreError> {
    Ok(Box::new(sqlite::Sqlite::open_reader(folder)?))
}

/// Writing, the whole of it.
pub trait Commit: Send {
    /// Makes all of a batch true, or nothing. Who reads after it sees it, and so does the next start.
    fn commit(&mut self, batch: &Batch) -> Result<Committed, StoreError>;
}

/// What a start needs. Rows come by rising numbers and in pieces: some of those from a number on, none if there are none. Numbers
/// may have gaps.
pub trait Replay {
    /// The last batch committed, which also says what numbers come next.
    fn last_batch(&self) -> Result<BatchRow, StoreError>;
    /// Batches.
    fn batches(&self, from: u64) -> Result<Vec<BatchRow>, StoreError>;
    /// What batches taught, by the numbers of the journal.
    fn learned(&self, from: u64) -> Result<Vec<(u64, Learned)>, StoreError>;
    /// Hosts.
    fn hosts(&self, from: u64) -> Result<Vec<HostRow>, StoreError>;
    /// Pages.
    fn pages(&self, from: u64) -> Result<Vec<PageEntry>, StoreError>;
    /// How many pages have numbers below this one.
    fn count_pages(&self, below: u32) -> Result<u64, StoreError>;
    /// Visits, in the order in which they were made.
    fn visits(&self, from: u64) -> Result<Vec<ToldVisit>, StoreError>;
    /// Cycles of which it is known after which batch they began.
    fn opened_cycles(&self, from: u64) -> Result<Vec<OpenedCycle>, StoreError>;
    /// The features of those of some pages that have any, in the order of the pages.
    fn features(&self, pages: &[PageId]) -> Result<Vec<FeaturesRow>, StoreError>;
    /// Pages that are asked in a way of their own.
    fn sources(&self, from: u64) -> Result<Vec<PageId>, StoreError>;
    /// Pages whose copy was lost and that were not archived since.
    fn lost(&self, from: u64) -> Result<Vec<PageId>, StoreError>;
}

/// What visits need to know beforehand.
pub trait Load {
    /// Those of some pages that are there, for their next visits, in the order in which they are asked for.
    fn load(&self, pages: &[PageId]) -> Result<Vec<Loaded>, StoreError>;
    /// The robots.txt of a host, if it was ever fetched.
    fn robots(&self, host: HostId) -> Result<Option<RobotsRow>, StoreError>;
}

/// What people ask, and what a crawl asks now and then.
pub trait Ask {
    /// The collection's own number, if one was drawn.
    fn collection(&self) -> Result<Option<u64>, StoreError>;
    /// Whether a crawl runs, or was killed.
    fn is_running(&self) -> Result<bool, StoreError>;
    /// How large the collection is.
    fn totals(&self) -> Result<Totals, StoreError>;
    /// Visits counted by outcome.
    fn outcomes(&self) -> Result<Outcomes, StoreError>;
    /// The page with this URL.
    fn find(&self, url: &str, fingerprint: u64) -> Result<Option<PageSummary>, StoreError>;
    /// The host of this name.
    fn find_host(&self, name: &str) -> Result<Option<HostId>, StoreError>;
    /// The SPARQL sources at an endpoint, which people name by its address.
    fn sources_at(&self, endpoint: &str) -> Result<Vec<PageSummary>, StoreError>;
    /// Pages from a number on, some of them; none if there are none.
    fn summaries(&self, from: u64) -> Result<Vec<PageSummary>, StoreError>;
    /// The links that pages have now, from a page on, some of them; none if there are none.
    fn links(&self, from: u64) -> Result<Vec<LinksRow>, StoreError>;
    /// The pages of a host, from a number on, some of them; none if there are none.
    fn pages_on(&self, host: HostId, from: u64) -> Result<Vec<PageEntry>, StoreError>;
    /// The links that those of some pages have now that were ever read.
    fn links_of(&self, pages: &[PageId]) -> Result<Vec<LinksRow>, StoreError>;
    /// The URLs of those of some pages that are there.
    fn urls(&self, pages: &[PageId]) -> Result<BTreeMap<PageId, String>, StoreError>;
    /// The URLs of the pages the user named to begin with. Sources are meant alone, not with all that is around them.
    fn seeds(&self, after: Option<Cursor>) -> Result<Piece<String>, StoreError>;
    /// The visits of one page, or of all.
    fn history(&self, of: Option<PageId>, order: Order, after: Option<Cursor>)
    -> Result<Piece<VisitEntry>, StoreError>;
    /// When the first visit was made.
    fn first_visit(&self) -> Result<Option<Time>, StoreError>;
    /// The versions of a page that the archive keeps whole, oldest first.
    fn versions(&self, page: PageId, after: Option<Cursor>) -> Result<Piece<VersionEntry>, StoreError>;
    /// The exchanges of the version that was archived at a time, in the order in which they were made; none if there is no
    /// such version.
    fn archived(&self, page: PageId, at: Time) -> Result<Vec<ArchivedEntry>, StoreError>;
    /// The archive's files and what is known of their indexes, in the order in which they were begun.
    fn files(&self) -> Result<Vec<IndexRow>, StoreError>;
    /// Each capture that the archive holds in one file.
    fn captures(&self, file: u32, after: Option<Cursor>) -> Result<Piece<CaptureEntry>, StoreError>;
    /// What lists last said of a page.
    fn hint(&self, page: PageId) -> Result<Option<HintEntry>, StoreError>;
    /// Links that guards left out, most first.
    fn left_out(&self) -> Result<Vec<LeftOutEntry>, StoreError>;
    /// The last cycles, newest first.
    fn cycles(&self, most: usize) -> Result<Vec<CycleEntry>, StoreError>;
    /// The last trainings, newest first.
    fn trainings(&self, most: usize) -> Result<Vec<TrainingRow>, StoreError>;
}

/// All that can be read.
pub trait Reader: Replay + Load + Ask + Send {}

impl<S: Replay + Load + Ask + Send> Reader for S {}

/// All that can be done.
pub trait Writer: Commit + Reader {}

impl<S: Commit + Reader> Writer for S {}
