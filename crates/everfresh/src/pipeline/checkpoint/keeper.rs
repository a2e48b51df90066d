//! Who makes checkpoints while a crawl goes on: a thread that reads the store as a start would, and holds up nobody.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use revisit::Time;

use super::make;
use crate::pipeline::PipelineError;
use crate::pipeline::context::Context;
use crate::store::OpenedCycle;

/// A checkpoint is made when a start would be told so much, in visits and in pages that cycles look at: that takes about a second,
/// and less is not worth a file.
const WORTH: u64 = 200_000;

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

    /// A cycle opens: begins a checkpoint of what was before it, if a start would be told so much and none is being made. Says
    /// whether it did.
    pub(in crate::pipeline) fn begin(
        &mut self,
        context: &Arc<Context>,
        cycle: &OpenedCycle,
        cost: u64,
        now: Time,
    ) -> bool {
        if cost < WORTH || self.work.as_ref().is_some_and(|work| !work.thread.is_finished()) {
            return false;
        }
        self.finish();
        let (folder, context, cycle) = (self.folder.clone(), context.clone(), cycle.clone());
        let abandoned = Arc::new(AtomicBool::new(false));
        let is_abandoned = abandoned.clone();
        let goes_on = move || !is_abandoned.load(Ordering::Relaxed);
        let making = move || make(&folder, &context.settings, &cycle, now, &goes_on);
        match std::thread::Builder::new().name("checkpoint".into()).spawn(making) {
            Ok(thread) => self.work = Some(Work { thread, abandoned }),
            Err(error) => self.tell(&PipelineError::Thread(error)),
        }
        self.work.is_some()
    }

    /// The crawl ends: what is not done by now is left undone.
    pub(in crate::pipeline) fn end(mut self) {
        if let Some(work) = &self.work {
            work.abandoned.store(true, Ordering::Relaxed);
        }
        self.finish();
    }

    /// Takes note of what came of the last one.
    fn finish(&mut self) {
        let Some(work) = self.work.take() else { return };
        if let Ok(Err(error)) = work.thread.join() {
            self.tell(&error);
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
