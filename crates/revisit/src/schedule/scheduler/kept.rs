//! What of a scheduler outlives the process.

use super::order::Round;
use super::{Scheduler, Standing};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::PageId;

impl Scheduler {
    /// Writes all that is known down, or brings it back into a scheduler of the same policy and cycle. To be called between two
    /// cycles, before the next one opens: what was picked and not yet visited is not in it, nor the order of the cycle that
    /// ends. Hosts have to be limited and paused again.
    pub fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.pages.keep(checkpoint)?;
        let mut waiting: Vec<bool> = (0..self.pages.end() as u32).map(|page| self.waits(PageId(page))).collect();
        checkpoint.keep_rows(&mut waiting)?;
        checkpoint.keep(&mut self.number)?;
        checkpoint.keep(&mut self.owed)?;
        checkpoint.keep(&mut self.seen)?;
        self.hints.keep(checkpoint)?;
        self.structure.keep(checkpoint)?;
        self.policy.keep(checkpoint)?;
        if checkpoint.is_read() {
            self.resume(&waiting);
        }
        Ok(())
    }

    /// Whether a page waits for its first visit, or did before it was picked for it.
    fn waits(&self, page: PageId) -> bool {
        match self.standing.get(page.index()) {
            Some(Standing::Waiting) => true,
            Some(Standing::Picked) => self.pages.history(page).last_attempt().is_none(),
            Some(Standing::Resting) | None => false,
        }
    }

    /// Goes on from what was read.
    fn resume(&mut self, waiting: &[bool]) {
        let standing = |waits: &bool| if *waits { Standing::Waiting } else { Standing::Resting };
        self.standing = waiting.iter().map(standing).collect();
        self.had_turn = vec![false; waiting.len()];
        let is_unreached = |page: &PageId| !waiting[page.index()] && self.pages.history(*page).last_seen().is_none();
        self.unreached = self.pages.ids().filter(is_unreached).collect();
        // Who looks again at what was looked at before sees nothing new.
        self.rearranged = self.needs.structure;
        self.round = Round::default();
        self.queue_fresh();
    }
}
