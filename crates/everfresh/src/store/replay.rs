//! Replay: all that ever happened, told again in the order in which the crawl learned of it.
//!
//! What a batch made true is told before anything of the next: first the pages it found, then links, what lists said, what
//! first versions showed and what was ordered, then its visits, and the cycles that opened when it was the last. That is the order in which a running crawl [learns](crate::store::Batch) what was
//! committed, so whoever listens ends with the state that the crawl had, whatever a policy makes of the order.

use revisit::site::Trust;
use revisit::{HostId, PageId, PageOrder};

use super::piece::Walk;
use super::rows::{BatchRow, FeaturesRow, HintsRow, HostRow, LinksRow, OpenedCycle, PageEntry, ToldVisit};
use super::{Replay, StoreError};

/// Pages whose features are asked for at once.
const FEATURES: usize = 1024;

/// What happened.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// There is this host, in its present state.
    Host(HostRow),
    /// A page was found.
    Page(&'a PageEntry),
    /// A page was read anew: all links it has now.
    Links(&'a LinksRow),
    /// A list was read.
    Hints(&'a HintsRow),
    /// A page's first version showed this.
    Features(&'a FeaturesRow),
    /// A visit was made.
    Visit(&'a ToldVisit),
    /// Requests were made beside those of visits that are told.
    Charged(u32),
    /// A page matters more than before, or less.
    Weight(PageId, f32),
    /// Something was ordered of a page.
    Order(PageId, PageOrder),
    /// What the dates of a host were worth when nobody kept how that came.
    Trust(HostId, Trust),
    /// All of a batch was told.
    Batch(BatchRow),
    /// A cycle began.
    Cycle(&'a OpenedCycle),
    /// A page is asked in a way of its own.
    Source(PageId),
    /// A page's copy was lost, and it was not archived since.
    Lost(PageId),
}

/// Which batches and cycles are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Those after this one; 0 for all.
    pub after: u64,
    /// Up to this one.
    pub until: u64,
    /// Of the cycles that began after one of these batches, or before, those from this number on.
    pub first_cycle: u64,
}

impl Span {
    /// All batches.
    pub const ALL: Span = Span { after: 0, until: u64::MAX, first_cycle: 0 };

    /// All batches up to one.
    pub fn until(batch: u64) -> Span {
        Span { until: batch, ..Span::ALL }
    }
}

/// Tells what happened in some batches, after the hosts as they are now, and at the end which pages are sources and which have
/// lost their copies.
///
/// Beside a crawl the store grows meanwhile: what is committed after the beginning is not told.
pub fn replay(store: &dyn Replay, span: Span, sink: &mut dyn FnMut(Event<'_>)) -> Result<BatchRow, StoreError> {
    replay_while(store, span, &|| true, sink)
}

/// The same, until `goes_on` says no: then no further batch is told, and the last that was is the answer.
pub fn replay_while(
    store: &dyn Replay,
    span: Span,
    goes_on: &dyn Fn() -> bool,
    sink: &mut dyn FnMut(Event<'_>),
) -> Result<BatchRow, StoreError> {
    let until = span.until.min(store.last_batch()?.number);
    walk(Walk::from(0, |from| store.hosts(from)), |host| sink(Event::Host(host)))?;
    let mut last = match span.after {
        0 => BatchRow::default(),
        after => store
            .batches(after)?
            .first()
            .copied()
            .filter(|batch| batch.number == after)
            .ok_or_else(|| StoreError::Damaged(format!("batch {after}, after which to go on, is not there")))?,
    };
    let mut batches = Walk::from(span.after + 1, |from| store.batches(from));
    let mut pages = Walk::from(last.next_page.into(), |from| store.pages(from));
    let mut learned = Walk::from(last.next_change, |from| store.learned(from));
    let mut visits = Walk::from(last.next_visit, |from| store.visits(from));
    let mut cycles = Walk::from(span.first_cycle, |from| store.opened_cycles(from));
    while let Some(batch) = batches.next_below(until.saturating_add(1))? {
        if !goes_on() {
            return Ok(last);
        }
        while let Some(cycle) = cycles.next_if(|cycle| cycle.after < batch.number)? {
            sink(Event::Cycle(&cycle));
        }
        while let Some(page) = pages.next_below(batch.next_page.into())? {
            sink(Event::Page(&page));
        }
        let mut trusts = Vec::new();
        while let Some((_, learned)) = learned.next_below(batch.next_change)? {
            learned.links.iter().for_each(|links| sink(Event::Links(links)));
            learned.hints.iter().for_each(|hints| sink(Event::Hints(hints)));
            for some in learned.described.chunks(FEATURES) {
                store.features(some)?.iter().for_each(|features| sink(Event::Features(features)));
            }
            learned.weights.iter().for_each(|(page, weight)| sink(Event::Weight(*page, *weight)));
            learned.orders.iter().for_each(|(page, order)| sink(Event::Order(*page, *order)));
            if learned.charged > 0 {
                sink(Event::Charged(learned.charged));
            }
            trusts.extend(learned.trust);
        }
        while let Some(visit) = visits.next_below(batch.next_visit)? {
            sink(Event::Visit(&visit));
        }
        trusts.into_iter().for_each(|(host, trust)| sink(Event::Trust(host, trust)));
        sink(Event::Batch(batch));
        last = batch;
    }
    while let Some(cycle) = cycles.next_if(|cycle| cycle.after <= until)? {
        sink(Event::Cycle(&cycle));
    }
    walk(Walk::from(0, |from| store.sources(from)), |page| sink(Event::Source(page)))?;
    walk(Walk::from(0, |from| store.lost(from)), |page| sink(Event::Lost(page)))?;
    Ok(last)
}

fn walk<T: super::Numbered, A: Fn(u64) -> Result<Vec<T>, StoreError>>(
    mut walk: Walk<T, A>,
    mut take: impl FnMut(T),
) -> Result<(), StoreError> {
    while let Some(row) = walk.next_below(u64::MAX)? {
        take(row);
    }
    Ok(())
}
