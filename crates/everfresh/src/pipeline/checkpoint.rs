//! Checkpoints: what a start would be told again, written down, so that it is told only what came after.
//!
//! A [file](file) holds the scheduler as it was after some batch, the cycle that it was in, and which pages are known. It is a shortcut and never the
//! truth: what is cut, of another program, collection or setting, or does not fit the store, is passed over with a word, and all
//! is told from the beginning. Deleting it loses nothing. It is [made](keeper) beside the crawl, from the store.

mod file;
mod keeper;

use std::collections::HashSet;
use std::io;
use std::path::Path;

use revisit::{Checkpoint, CheckpointError, Scheduler, Time};
use serde::{Deserialize, Serialize};

use super::PipelineError;
use super::addresses::Addresses;
use super::memory::{Future, Retold, ToldCycle, last_cycle};
use crate::settings::Settings;
use crate::store::{self, BatchRow, Event, Reader, Span, replay_while};
pub(super) use keeper::Keeper;

/// The name of the file in a collection's folder.
pub const FILE: &str = "checkpoint";

/// What a checkpoint takes of a page on disk, and as much again is left for what the crawl has to write.
const ROOM: u64 = 2 * 128;

/// What is known before anything is told, and where the telling begins.
pub(super) struct Base {
    pub(super) scheduler: Scheduler,
    /// The cycle that it is in.
    pub(super) cycle: Option<ToldCycle>,
    /// Empty if nobody wants to look pages up.
    pub(super) addresses: Addresses,
    /// The last batch that is in it; 0 if none is.
    pub(super) batch: u64,
    /// Cycles from this number on are not in it.
    pub(super) first_cycle: u64,
}

/// What a checkpoint is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
struct Head {
    /// The collection's own number.
    collection: u64,
    /// A digest of all that decides what the rest means.
    meaning: [u8; 32],
    /// The last batch that is in it: its number, above which numbers it ends, and its mark, so that a store which went another way is
    /// not taken for this one.
    batch: [u64; 6],
    /// When it was made, in milliseconds. Nothing in it is later.
    made_at: i64,
    /// Cycles from this number on are not in it.
    first_cycle: u64,
    /// Pages that are in it.
    pages: u64,
}

impl Head {
    /// The head of a checkpoint that ends with a batch.
    fn of(
        store: &dyn Reader,
        settings: &Settings,
        batch: &BatchRow,
        first_cycle: u64,
        made_at: i64,
    ) -> Result<Head, PipelineError> {
        let BatchRow { number, next_visit, next_page, next_host, next_change, mark } = *batch;
        Ok(Head {
            collection: store.collection()?.unwrap_or_default(),
            meaning: meaning(settings),
            batch: [number, next_visit, next_page.into(), next_host.into(), next_change, mark],
            made_at,
            first_cycle,
            pages: store.count_pages(next_page)?,
        })
    }
}

/// A digest of what decides which state follows from what happened: the program, the policy with its model, and the settings that
/// it and the scheduler are given.
fn meaning(settings: &Settings) -> [u8; 32] {
    let mut digest = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        digest.update(&(bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    };
    add(env!("CARGO_PKG_VERSION").as_bytes());
    add(settings.policy.as_bytes());
    add(&settings.cycle.millis().to_le_bytes());
    add(&settings.floors.first.to_le_bytes());
    add(&settings.floors.again.to_le_bytes());
    // A model that cannot be read is no policy either.
    add(&settings.model_file().and_then(|file| std::fs::read(file).ok()).unwrap_or_default());
    digest.finalize().into()
}

impl Base {
    /// Nothing is known.
    pub(super) fn nothing(settings: &Settings) -> Result<Base, PipelineError> {
        let scheduler = Scheduler::new(settings.new_policy()?, settings.cycle, settings.floors);
        Ok(Base { scheduler, cycle: None, addresses: Addresses::default(), batch: 0, first_cycle: 0 })
    }

    /// What the checkpoint in a collection's folder holds, if there is one that fits; or nothing. Which pages are known is read only
    /// for who `looks_up` pages.
    pub(super) fn load(
        folder: &Path,
        store: &dyn Reader,
        settings: &Settings,
        now: Time,
        looks_up: bool,
    ) -> Result<Base, PipelineError> {
        match Base::read(&folder.join(FILE), store, settings, now, looks_up) {
            Ok(Some(base)) => return Ok(base),
            Ok(None) => {}
            Err(Unfit::Store(error)) => return Err(error),
            Err(Unfit::Because(why)) => {
                tracing::warn!(
                    "the file '{FILE}' is not used, since {why}: all visits are read again, which takes longer; nothing is lost"
                );
            }
        }
        Base::nothing(settings)
    }

    fn read(
        path: &Path,
        store: &dyn Reader,
        settings: &Settings,
        now: Time,
        looks_up: bool,
    ) -> Result<Option<Base>, Unfit> {
        let Some(mut blocks) = file::Blocks::open(path)? else { return Ok(None) };
        let (mut take, mut head) = (|| blocks.next(), Head::default());
        let mut checkpoint = Checkpoint::read(&mut take);
        checkpoint.keep(&mut head)?;
        let (number, first_cycle) = (head.batch[0], head.first_cycle);
        if head.collection != store.collection().map_err(PipelineError::from)?.unwrap_or_default() {
            return Err(unfit("it is of another collection"));
        }
        if head.meaning != meaning(settings) {
            return Err(unfit("it was made under another policy, model, cycle or version"));
        }
        if head.made_at > now.millis() {
            return Err(unfit("it is from the future, by this clock"));
        }
        let batch = store.batches(number).map_err(PipelineError::from)?.into_iter().next();
        let Some(batch) = batch.filter(|batch| batch.number == number) else {
            return Err(unfit("it is newer than the store"));
        };
        if head != Head::of(store, settings, &batch, first_cycle, head.made_at)? {
            return Err(unfit("the store has other visits, or pages were deleted"));
        }
        // The cycle that goes on may have been deleted: its number would be given to another.
        if first_cycle > last_cycle(store)?.map_or(0, |last| last + 1) {
            return Err(unfit("cycles were deleted"));
        }
        let mut base = Base::nothing(settings)?;
        (base.batch, base.first_cycle) = (number, first_cycle);
        base.keep_told(&mut checkpoint)?;
        if looks_up {
            base.keep_addresses(&mut checkpoint)?;
        }
        Ok(Some(base))
    }

    fn keep_told(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.cycle)?;
        self.scheduler.keep(checkpoint)
    }

    fn keep_addresses(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.addresses.keep(checkpoint, self.scheduler.pages())
    }
}

/// How much of a store's content a checkpoint is to hold: nothing of it is of the future.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Up to this batch.
    pub(super) batch: u64,
    /// Up to this cycle, if it began by then.
    pub(super) cycle: Option<u64>,
    /// Which was at this time.
    pub(super) now: Time,
}

impl Extent {
    /// All that is in a store that nobody writes to.
    fn whole(store: &dyn Reader, now: Time) -> Result<Extent, PipelineError> {
        Ok(Extent { batch: store.last_batch()?.number, cycle: last_cycle(store)?, now })
    }
}

/// Makes a checkpoint of a collection's store, unless there is one already, or `goes_on` says that nobody waits for it any more; says
/// whether there is one now.
fn make(
    folder: &Path,
    store: &dyn Reader,
    settings: &Settings,
    extent: Extent,
    goes_on: &dyn Fn() -> bool,
) -> Result<bool, PipelineError> {
    let Extent { batch: until, cycle: last_cycle, now } = extent;
    let meant = meaning(settings);
    let Base { scheduler, cycle, mut addresses, batch, first_cycle } = Base::load(folder, store, settings, now, true)?;
    if batch >= until && last_cycle.is_none_or(|last| last < first_cycle) {
        return Ok(true);
    }
    let (mut future, mut hosts) = (Future::none(now), HashSet::new());
    let mut retold = Retold::new(scheduler, cycle, last_cycle, &mut future);
    let span = Span { after: batch, until, first_cycle };
    let last = replay_while(store, span, goes_on, &mut |event| match event {
        Event::Host(row) => _ = hosts.insert(row.id),
        Event::Page(page) if !hosts.contains(&page.host) => {}
        Event::Page(page) => {
            addresses.add(page.id, page.fingerprint);
            retold.hear(&event);
        }
        // Every start is told of all of them.
        Event::Source(_) | Event::Lost(_) => {}
        other => retold.hear(&other),
    })?;
    let Retold { mut scheduler, cycle, .. } = retold;
    // What a clock put into the future is judged by the clock of each start.
    if last.number != until || future.is_any() {
        return Ok(false);
    }
    scheduler.end_replay();
    let first_cycle = cycle.as_ref().map_or(first_cycle, |cycle| cycle.opened.number + 1);
    let mut head = Head::of(store, settings, &last, first_cycle, now.millis())?;
    // A model that was replaced meanwhile may be the one that was used, or not.
    if head.meaning != meant {
        return Ok(false);
    }
    let mut base = Base { scheduler, cycle, addresses, batch: last.number, first_cycle };
    let written = file::write(&folder.join(FILE), base.scheduler.pages().end() as u64 * ROOM, |put| {
        let mut checkpoint = Checkpoint::written(put);
        checkpoint.keep(&mut head)?;
        base.keep_told(&mut checkpoint)?;
        base.keep_addresses(&mut checkpoint)
    });
    let path = || folder.join(FILE).display().to_string();
    written.map_err(|error| PipelineError::Checkpoint { path: path(), error })?;
    Ok(true)
}

/// Makes a checkpoint of all that a collection's store holds; says whether there is one now.
pub fn make_checkpoint(folder: &Path, settings: &Settings, now: Time) -> Result<bool, PipelineError> {
    let store = store::reader(folder)?;
    make(folder, store.as_ref(), settings, Extent::whole(store.as_ref(), now)?, &|| true)
}

/// Why a checkpoint is not used.
enum Unfit {
    /// It is of no use, for this reason.
    Because(String),
    /// Nothing is: the store itself cannot be read.
    Store(PipelineError),
}

fn unfit(why: &str) -> Unfit {
    Unfit::Because(why.to_owned())
}

impl From<PipelineError> for Unfit {
    fn from(error: PipelineError) -> Unfit {
        Unfit::Store(error)
    }
}

impl From<io::Error> for Unfit {
    fn from(error: io::Error) -> Unfit {
        Unfit::Because(error.to_string())
    }
}

impl From<CheckpointError> for Unfit {
    fn from(error: CheckpointError) -> Unfit {
        Unfit::Because(error.to_string())
    }
}

#[cfg(test)]
mod tests;
