//! The read side: what can be asked of a collection, as typed answers that commands print and a server can serve.
//!
//! Answers come from the store, through connections that can change nothing, from the archive beside it, and, for what only
//! memory knows, from the crawl that runs; if none does, or it does not answer, its memory is rebuilt from the store. What may be
//! more than memory holds is handed over row by row. Nothing here knows the command line, and nothing prints.

mod captures;
mod diff;
mod error;
mod explain;
mod history;
mod pages;
mod plan;
mod sites;
mod status;

use std::time::Duration;

use revisit::Time;

pub use diff::Difference;
pub use error::QueryError;
pub use explain::{Explanation, ListSaid, SiteOfPage, SourceEntry};
pub use history::{History, Visits};
pub use plan::{Plan, PlannedVisit};
pub use sites::SiteEntry;
pub use status::{CycleSummary, Status};

use crate::collection::Collection;
use crate::pipeline::{self, Call, Memory, Reply, Unanswered};
use crate::settings::Settings;
use crate::store::{self, Reader};

/// How long the crawl that runs may take to answer. It looks at its calls in every turn; one that is stopped does not.
const PATIENCE: Duration = Duration::from_secs(2);

/// Who answers questions about one collection.
pub struct Query {
    collection: Collection,
    settings: Settings,
    store: Box<dyn Reader>,
}

impl Query {
    /// Opens a collection for questions. Changes nothing in it.
    pub fn open(collection: Collection, settings: Settings) -> Result<Query, QueryError> {
        let store = store::reader(collection.folder())?;
        Ok(Query { collection, settings, store })
    }

    /// What the crawl that runs says, if there is one that answers.
    fn ask(&self, question: &Call) -> Option<Reply> {
        match pipeline::call(&self.collection, question, PATIENCE) {
            Ok(reply) => Some(reply),
            Err(Unanswered::NoCrawl) => None,
            Err(Unanswered::Silent(why)) => {
                tracing::warn!(
                    "the crawl that runs does not answer, so the store is asked, which may take longer: {why}"
                );
                None
            }
        }
    }

    /// Whether who asks means a crawl under this policy and budget, and not how it would be under others.
    fn means(&self, policy: &str, budget: usize) -> bool {
        policy == self.settings.policy && budget == self.settings.budget
    }

    /// What a crawl would have in memory.
    fn memory(&self, now: Time) -> Result<Memory, QueryError> {
        Ok(Memory::read(self.collection.folder(), self.store.as_ref(), &self.settings, now)?)
    }
}
