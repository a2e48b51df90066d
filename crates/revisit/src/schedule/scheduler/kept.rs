//! What of a scheduler outlives the process.

use super::{Scheduler, Standing};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::PageId;

impl Scheduler {
    /// Writes all that is known down, the cycle under way and its order among it, or brings it back into a scheduler of the same
    /// policy and cycle. What was picked and not yet visited is given back in what is written. Hosts have to be limited and paused
    /// again.
    pub fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.pages.keep(checkpoint)?;
        let pages = || (0..self.pages.end() as u32).map(PageId);
        let mut waiting: Vec<bool> = pages().map(|page| self.waits(page)).collect();
        let mut visited: Vec<bool> = pages().map(|page| self.was_visited(page)).collect();
        checkpoint.keep_rows(&mut waiting)?;
        checkpoint.keep_rows(&mut visited)?;
        let mut books = self.books.at_rest();
        checkpoint.keep(&mut books)?;
        for number in [&mut self.budget, &mut self.seen, &mut self.seen_at_opening] {
            checkpoint.keep(number)?;
        }
        checkpoint.keep(&mut self.number)?;
        checkpoint.keep(&mut self.opened_at)?;
        checkpoint.keep(&mut self.rearranged)?;
        self.fresh.keep(checkpoint)?;
        self.outages.keep(checkpoint)?;
        self.orders.keep(checkpoint)?;
        checkpoint.keep(&mut self.prices)?;
        self.hints.keep(checkpoint)?;
        self.structure.keep(checkpoint)?;
        self.policy.keep(checkpoint)?;
        let (pages, is_wanted) = (&self.pages, |page: PageId| visited.get(page.index()) == Some(&false));
        self.round.keep(checkpoint, is_wanted, |page| pages.host(page))?;
        if checkpoint.is_read() {
            self.books = books;
            self.resume(&waiting, visited);
        }
        Ok(())
    }

    /// Whether a page waits for its first visit, or did before it was picked for it.
    fn waits(&self, page: PageId) -> bool {
        matches!(self.standing.get(page.index()), Some(Standing::Waiting | Standing::PickedFirst))
    }

    /// Whether a page had its turn in this cycle, and not only was picked for it.
    fn was_visited(&self, page: PageId) -> bool {
        self.had_turn.get(page.index()) == Some(&true) && self.picked(page).is_none()
    }

    /// Goes on from what was read.
    fn resume(&mut self, waiting: &[bool], visited: Vec<bool>) {
        let standing = |waits: &bool| if *waits { Standing::Waiting } else { Standing::Resting };
        self.standing = waiting.iter().map(standing).collect();
        self.had_turn = visited;
        let is_unreached = |page: &PageId| !waiting[page.index()] && self.pages.history(*page).last_seen().is_none();
        self.unreached = self.pages.ids().filter(is_unreached).collect();
        self.fresh = self.fresh.with(self.waiting_pages());
    }
}
