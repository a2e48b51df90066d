//! The writer: one thread that makes what visits left durable, many visits at a time.
//!
//! Order that survives kill -9: records appended and synced → one transaction with the visits, the copies they left, the
//! pages they found and the index entries → acknowledged. Visits that end within a few milliseconds of each other share
//! their syncs, so a busy crawl pays for one in a hundred visits. The loop never waits for it: it looks whether there is room
//! before it lets anything begin that will have to be written. Other programs that hold the store, or read it without end,
//! are [waited for](super::patience).

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use revisit::{PageId, PageOrder};
use tokio::sync::{mpsc, oneshot};

use super::PipelineError;
use super::calls::Reply;
use super::context::Context;
use super::index;
use super::meter::Room;
use super::patience::Patience;
use crate::archive::Writer;
use crate::clock::Hold;
use crate::collection::{Collection, Place};
use crate::fetch::Space;
use crate::parse::LeftOut;
use crate::store::{
    self, AsideRow, Batch, ClosedCycle, CopyRow, FeaturesRow, FileRow, HintsRow, HostRow, LinksRow, OpenedCycle,
    PageRow, SourceRow, ToldVisit, TrainingRow, VisitRow,
};

/// Visits made durable together, at most.
const GROUP: usize = 1024;
/// Bytes made durable together, about.
const GROUP_BYTES: usize = 16 << 20;
/// Pages found that are made durable together, about.
const GROUP_PAGES: usize = 1 << 16;
/// How long the writer waits for company before it makes a visit durable: syncs cost more than the wait.
const LINGER: Duration = Duration::from_millis(20);
/// What orders that wait for the writer may hold together before visits have to wait, in bytes.
const WAITING: usize = 64 << 20;
/// An order that adds so many pages is a list's, and holds others up.
const LIST: usize = 4096;

/// What the writer is told.
pub(super) enum Order {
    /// Make this durable.
    Record(Box<Entry>),
    /// A cycle began.
    OpenCycle(OpenedCycle),
    /// A cycle ended.
    CloseCycle(ClosedCycle),
    /// A training ended.
    Trained(TrainingRow),
}

/// One visit's, or one robots.txt's, share of a transaction.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) visit: Option<VisitRow>,
    pub(super) records: Vec<u8>,
    pub(super) copy: Option<CopyRow>,
    pub(super) aside: Option<AsideRow>,
    pub(super) features: Option<FeaturesRow>,
    pub(super) links: Option<LinksRow>,
    pub(super) pages: Vec<PageRow>,
    pub(super) sources: Vec<SourceRow>,
    pub(super) hosts: Vec<HostRow>,
    pub(super) hints: Option<HintsRow>,
    pub(super) left_out: LeftOut,
    /// Known pages that become seeds, with how much they matter.
    pub(super) adopted: Vec<(PageId, f32)>,
    /// What is ordered of pages.
    pub(super) orders: Vec<(PageId, PageOrder)>,
    /// Requests made beside that of the visit.
    pub(super) charged: u32,
    /// The room of a large body, given back when its records are written.
    pub(super) space: Option<Space>,
    /// Who waits for it.
    pub(super) confirm: Option<Confirm>,
}

/// Somebody gave an order, and is to be told when it is durable.
pub(super) struct Confirm {
    /// What comes of it.
    pub(super) done: Reply,
    /// Pages that it describes.
    pub(super) described: Vec<PageId>,
    pub(super) reply: oneshot::Sender<Reply>,
}

/// What one batch made durable.
#[derive(Default)]
pub(super) struct Acknowledged {
    /// The batch's number.
    pub(super) batch: u64,
    /// Kept until the loop has heard of it.
    pub(super) holds: Vec<Hold>,
    pub(super) visits: Vec<ToldVisit>,
    /// Requests made beside theirs.
    pub(super) charged: u32,
    /// What first versions showed.
    pub(super) features: Vec<FeaturesRow>,
    /// Links of pages that were read anew.
    pub(super) links: Vec<LinksRow>,
    /// What lists said of pages.
    pub(super) hints: Vec<HintsRow>,
    /// Every page found, in the order of the ids.
    pub(super) pages: Vec<PageRow>,
    /// Known pages that became seeds, with how much they matter.
    pub(super) weights: Vec<(PageId, f32)>,
    /// What was ordered of pages.
    pub(super) orders: Vec<(PageId, PageOrder)>,
    /// Orders that are done.
    pub(super) confirmed: Vec<Confirm>,
}

impl Acknowledged {
    /// Whether there is nothing to learn from it.
    pub(super) fn is_empty(&self) -> bool {
        let Acknowledged { visits, charged, features, links, hints, pages, weights, orders, confirmed, .. } = self;
        let is_nothing_new = pages.is_empty() && weights.is_empty() && orders.is_empty() && confirmed.is_empty();
        let is_nothing_new = is_nothing_new && *charged == 0;
        is_nothing_new && visits.is_empty() && features.is_empty() && links.is_empty() && hints.is_empty()
    }
}

/// An order on its way.
struct Parcel {
    order: Order,
    hold: Hold,
    /// Its share of what waits, until it is written.
    load: Load,
}

/// What waits for the writer.
#[derive(Default)]
struct Waiting {
    bytes: AtomicUsize,
    lists: AtomicUsize,
}

/// An order's share of it.
struct Load {
    waiting: Arc<Waiting>,
    bytes: usize,
    lists: usize,
}

impl Load {
    fn of(order: &Order, waiting: &Arc<Waiting>) -> Load {
        let (bytes, lists) = (order.bytes(), usize::from(order.is_list()));
        waiting.bytes.fetch_add(bytes, Ordering::Relaxed);
        waiting.lists.fetch_add(lists, Ordering::Relaxed);
        Load { waiting: waiting.clone(), bytes, lists }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.waiting.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        self.waiting.lists.fetch_sub(self.lists, Ordering::Relaxed);
    }
}

/// The way to the writer.
pub(super) struct Handle {
    orders: mpsc::UnboundedSender<Parcel>,
    waiting: Arc<Waiting>,
    /// Stepped time stands still while the writer works, so there is always room: who was faster must not matter.
    is_stepped: bool,
    thread: JoinHandle<Result<(), PipelineError>>,
}

impl Handle {
    /// Hands an order over.
    pub(super) fn order(&self, order: Order, hold: Hold) {
        let load = Load::of(&order, &self.waiting);
        // If the writer is gone, the loop sees that its acknowledgements ended and asks it why.
        let _ = self.orders.send(Parcel { order, hold, load });
    }

    /// Whether more may be begun that will have to be written.
    pub(super) fn has_room(&self) -> bool {
        self.is_stepped || self.waiting.bytes.load(Ordering::Relaxed) < WAITING
    }

    /// Whether no list waits to be written, so that another may.
    pub(super) fn has_room_for_list(&self) -> bool {
        self.is_stepped || (self.has_room() && self.waiting.lists.load(Ordering::Relaxed) == 0)
    }

    /// Tells the writer that no more orders come, and gives its thread.
    pub(super) fn close(self) -> JoinHandle<Result<(), PipelineError>> {
        self.thread
    }
}

impl Order {
    /// What it holds that may be large, in bytes.
    fn bytes(&self) -> usize {
        let Order::Record(entry) = self else { return 0 };
        let robots = entry.hosts.iter().filter_map(|host| host.robots.as_ref()).map(|robots| robots.body.len());
        let pages = entry.pages.iter().map(|page| size_of::<PageRow>() + page.url.len());
        entry.records.len() + robots.sum::<usize>() + pages.sum::<usize>()
    }

    fn is_list(&self) -> bool {
        matches!(self, Order::Record(entry) if entry.pages.len() >= LIST)
    }
}

/// Starts the writer's thread; it ends, with everything durable and indexed, when the sender of orders is dropped.
pub(super) fn start(
    store: Box<dyn store::Writer>,
    archive: Writer,
    collection: &Collection,
    context: Arc<Context>,
    patience: Patience,
) -> Result<(Handle, mpsc::UnboundedReceiver<Acknowledged>), PipelineError> {
    let (orders, received) = mpsc::unbounded_channel();
    let (acknowledge, acknowledged) = mpsc::unbounded_channel();
    patience.begin();
    let (place, indexes, is_stepped) = (collection.place()?, collection.indexes(), context.clock.is_stepped());
    let writing = Writing { store, archive, place, indexes, context, unindexed: Vec::new() };
    let thread = std::thread::Builder::new().name("writer".into()).spawn(move || writing.run(received, acknowledge));
    let thread = thread.map_err(PipelineError::Thread)?;
    Ok((Handle { orders, waiting: Arc::default(), is_stepped, thread }, acknowledged))
}

struct Writing {
    store: Box<dyn store::Writer>,
    archive: Writer,
    place: Place,
    indexes: PathBuf,
    context: Arc<Context>,
    /// Files that grew since their indexes were written; the last of them may still grow.
    unindexed: Vec<FileRow>,
}

impl Writing {
    fn run(
        mut self,
        mut orders: mpsc::UnboundedReceiver<Parcel>,
        acknowledge: mpsc::UnboundedSender<Acknowledged>,
    ) -> Result<(), PipelineError> {
        while let Some(first) = orders.blocking_recv() {
            // Stepped time waits for the writer, so nobody else will come meanwhile.
            if !self.context.clock.is_stepped() {
                std::thread::sleep(LINGER);
            }
            let context = self.context.clone();
            let done = context.meter.measure(Room::Store, || self.make_durable(first, &mut orders))?;
            // The loop that counts acknowledgements may have ended already, after an error of its own.
            let _ = acknowledge.send(done);
        }
        self.place.check()?;
        self.index_all_but(None)?;
        self.store.commit(&Batch { running: Some(false), ..Batch::default() })?;
        Ok(())
    }

    /// Makes the first order and those that wait behind it durable.
    fn make_durable(
        &mut self,
        first: Parcel,
        orders: &mut mpsc::UnboundedReceiver<Parcel>,
    ) -> Result<Acknowledged, PipelineError> {
        self.place.check()?;
        let (mut batch, mut bytes, mut holds) = (Batch::default(), 0, Vec::new());
        let (mut loads, mut confirmed, mut next) = (Vec::new(), Vec::new(), Some(first));
        while let Some(Parcel { order, hold, load }) = next {
            holds.push(hold);
            loads.push(load);
            bytes += order.bytes();
            match order {
                Order::OpenCycle(cycle) => batch.opened.push(cycle),
                Order::CloseCycle(cycle) => batch.closed.push(cycle),
                Order::Trained(training) => batch.trainings.push(training),
                Order::Record(mut entry) => {
                    confirmed.extend(entry.confirm.take());
                    self.add(*entry, &mut batch)?;
                }
            }
            let full = batch.visits.len() >= GROUP || bytes >= GROUP_BYTES || batch.pages.len() >= GROUP_PAGES;
            next = if full { None } else { orders.try_recv().ok() };
        }
        self.sync(&mut batch)?;
        let committed = self.store.commit(&batch)?;
        self.unindexed.retain(|file| batch.files.iter().all(|grown| grown.id != file.id));
        self.unindexed.extend_from_slice(&batch.files);
        self.index_all_but(self.archive.current_file().map(str::to_owned))?;
        let described: HashSet<PageId> = committed.described.into_iter().collect();
        batch.features.retain(|row| described.contains(&row.page));
        Ok(Acknowledged {
            batch: committed.batch,
            holds,
            visits: batch.visits.iter().map(|row| row.told(0)).collect(),
            charged: batch.charged,
            features: batch.features,
            links: batch.links,
            hints: batch.hints,
            pages: batch.pages,
            weights: batch.adopted,
            orders: batch.orders,
            confirmed,
        })
    }

    fn add(&mut self, entry: Entry, batch: &mut Batch) -> Result<(), PipelineError> {
        let Entry { visit, records, copy, aside, features, links, pages, sources, hosts, hints, .. } = entry;
        let (left_out, _space) = (entry.left_out, entry.space);
        if let Some(mut row) = visit {
            if let Some(capture) = &mut row.capture {
                let position = self.archive.append(&records, row.visit.at)?;
                (capture.file, capture.position) = (position.file, position.offset);
                for part in &mut row.parts {
                    part.capture.file = position.file;
                    part.capture.position += position.offset;
                }
            }
            batch.visits.push(row);
        }
        // What was a version before a page was to be asked in another way is none any more.
        batch.copies.retain(|copy| sources.iter().all(|row| row.page != copy.page));
        batch.copies.extend(copy);
        batch.asides.extend(aside);
        batch.features.extend(features);
        batch.links.extend(links);
        batch.pages.extend(pages);
        batch.sources.extend(sources);
        batch.hosts.extend(hosts);
        batch.hints.extend(hints);
        batch.left_out.join(left_out);
        batch.adopted.extend(entry.adopted);
        batch.orders.extend(entry.orders);
        batch.charged += entry.charged;
        Ok(())
    }

    /// Makes the appended records durable and puts the files that grew into the batch.
    fn sync(&mut self, batch: &mut Batch) -> Result<(), PipelineError> {
        let grown = self.archive.sync()?;
        let captures = batch.visits.iter().filter_map(|row| row.capture.as_ref());
        let names: BTreeMap<String, u32> =
            captures.map(|capture| (self.archive.file_name(capture.file), capture.file)).collect();
        for file in grown {
            let id = names.get(&file.name).copied();
            batch.files.extend(id.map(|id| FileRow { id, name: file.name, length: file.length }));
        }
        Ok(())
    }

    /// Writes the indexes of the files that grew, but not of the one that still grows.
    fn index_all_but(&mut self, growing: Option<String>) -> Result<(), PipelineError> {
        let filled = self.unindexed.extract_if(.., |file| Some(&file.name) != growing.as_ref());
        filled.into_iter().try_for_each(|file| index::write(self.store.as_mut(), &self.indexes, file))
    }
}
