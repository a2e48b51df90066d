//! Who makes checkpoints while a crawl goes on: a thread that reads the store as a start would, and holds up nobody. One that is
//! being made, or is due, when a crawl ends in order is waited for, so that the next start is quick.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use revisit::Time;

use super::{Extent, make, make_checkpoint};
use crate::pipeline::PipelineError;
use crate::pipeline::context::Context;
use crate::settings::Settings;
use crate::store;

/// A checkpoint is made when a start would be told so much, in visits and in pages that cycles look at: that takes less than a
/// second, and less is not worth a file.
const WORTH: u64 = 200_000;
/// Or so large a part of the pages, if that is more: a checkpoint holds all of them.
const PART: u64 = 8;

/// The thread, if it is at work.
pub(in crate::pipeline) struct Keeper {
    folder: PathBuf,
    work: Option<Work>,
    failed: bool,
}

struct Work {
    thread: JoinHandle<Result<bool, PipelineError>>,
    /// Whether nobody waits for it any more.
    abandoned: Arc<AtomicBool>,
}

impl Keeper {
    pub(in crate::pipeline) fn new(folder: &Path) -> Keeper {
        Keeper { folder: folder.to_owned(), work: None, failed: false }
    }

    /// Something was learned: begins a checkpoint if a start would be told so much, and none is being made. Says whether it did.
    pub(in crate::pipeline) fn begin(
        &mut self,
        context: &Arc<Context>,
        extent: Extent,
        cost: u64,
        pages: usize,
    ) -> bool {
        if cost < WORTH.max(pages as u64 / PART) || self.work.as_ref().is_some_and(|work| !work.thread.is_finished()) {
            return false;
        }
        self.finish();
        let (folder, context) = (self.folder.clone(), context.clone());
        let abandoned = Arc::new(AtomicBool::new(false));
        let is_abandoned = abandoned.clone();
        let goes_on = move || !is_abandoned.load(Ordering::Relaxed);
        let making = move || make(&folder, store::reader(&folder)?.as_ref(), &context.settings, extent, &goes_on);
        match std::thread::Builder::new().name("checkpoint".into()).spawn(making) {
            Ok(thread) => self.work = Some(Work { thread, abandoned }),
            Err(error) => self.tell(&PipelineError::Thread(error)),
        }
        self.work.is_some()
    }

    /// The crawl ends because something failed: what is not done by now is left undone.
    pub(in crate::pipeline) fn give_up(mut self) {
        if let Some(work) = &self.work {
            work.abandoned.store(true, Ordering::Relaxed);
        }
        self.finish();
    }

    /// The crawl has ended in order, and all it did is in the store: waits for a checkpoint, if a start would be told so much.
    pub(in crate::pipeline) fn end(mut self, settings: &Settings, cost: u64, now: Time) {
        self.finish();
        if cost >= WORTH
            && let Err(error) = make_checkpoint(&self.folder, settings, now)
        {
            self.tell(&error);
        }
    }

    /// Takes note of what came of the last one.
    fn finish(&mut self) {
        let Some(work) = self.work.take() else { return };
        match work.thread.join() {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => self.tell(&error),
            Err(_) => self.tell(&PipelineError::KeeperLost),
        }
    }

    /// Says once that it does not work.
    fn tell(&mut self, error: &PipelineError) {
        if !std::mem::replace(&mut self.failed, true) {
            tracing::warn!(
                "no checkpoint is written, so the next start takes longer; nothing else depends on it: {error}"
            );
        }
    }
}
