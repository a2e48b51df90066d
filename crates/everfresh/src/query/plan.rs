//! What the next cycle would do.

use revisit::{PageId, Time};
use serde::Serialize;

use super::{Query, QueryError};
use crate::pipeline::{Memory, PipelineError};

/// What the next cycle would do.
#[derive(Serialize)]
pub struct Plan {
    /// Fetches that it has.
    pub budget: usize,
    /// The pages that it would visit, in the order in which they are picked.
    pub visits: Vec<PlannedVisit>,
}

/// A visit that the next cycle would make.
#[derive(Serialize)]
pub struct PlannedVisit {
    /// The page.
    pub url: String,
    /// Why, in the policy's words.
    pub reason: String,
}

impl Query {
    /// What a cycle that began now would do.
    pub fn plan(&self, now: Time) -> Result<Plan, QueryError> {
        let (store, settings, budget) = (self.store.as_ref(), &self.settings, self.settings.budget);
        let mut scheduler = Memory::rebuild(self.collection.folder(), store, settings, now, true)?.scheduler;
        scheduler.open_cycle(budget, budget, now);
        let picks = scheduler.pick(now, budget).map_err(PipelineError::from)?;
        let reason = |page: PageId| match scheduler.pages().history(page).last_seen() {
            None => "never seen".to_owned(),
            Some(_) => scheduler.reason(page, now),
        };
        let loaded = store.load(&picks)?.into_iter();
        let visits = loaded.map(|page| PlannedVisit { reason: reason(page.page), url: page.url }).collect();
        Ok(Plan { budget, visits })
    }
}
