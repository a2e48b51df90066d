//! How large and how fresh a collection is.

use revisit::Time;
use serde::Serialize;

use super::{Query, QueryError, SiteEntry};
use crate::models::Provenance;
use crate::pipeline::{Call, Overview, PipelineError, Reply};
use crate::store::{ClosedCycle, CycleEntry, LeftOutEntry, Outcomes, Totals, TrainingRow};

/// Cycles that are listed, the one that goes on left out.
const CYCLES: usize = 11;
/// Trainings that are listed.
const TRAININGS: usize = 5;

/// How a collection stands.
#[derive(Serialize)]
pub struct Status {
    /// How long a cycle is.
    pub cycle_seconds: f64,
    /// How large it is.
    pub totals: Totals,
    /// Every visit, by outcome.
    pub outcomes: Outcomes,
    /// Whether the crawl that runs says so; if not, what follows is what the store tells.
    pub live: bool,
    /// What memory says.
    #[serde(flatten)]
    pub overview: Overview,
    /// The last cycles that ended, newest first.
    pub cycles: Vec<CycleSummary>,
    /// Links that guards left out, each time one was met.
    pub left_out: Vec<LeftOutEntry>,
    /// Where the policy's model comes from, if it has one.
    pub model: Option<Provenance>,
    /// Models trained while the crawl went on, newest first.
    pub trainings: Vec<TrainingRow>,
    /// The largest first, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sites: Option<Vec<SiteEntry>>,
}

/// A cycle that ended.
#[derive(Serialize)]
pub struct CycleSummary {
    /// When it began, in milliseconds since 1970.
    pub opened_at: i64,
    /// When it ended.
    pub closed_at: i64,
    /// How its visits ended.
    pub outcomes: Outcomes,
    /// The share of copies that were expected to be current at its end.
    pub expected_freshness: f64,
}

impl CycleSummary {
    fn of(cycle: CycleEntry) -> Option<CycleSummary> {
        let ClosedCycle { at, outcomes, expected_freshness, .. } = cycle.closed?;
        let (opened_at, closed_at) = (cycle.opened_at.millis(), at.millis());
        Some(CycleSummary { opened_at, closed_at, outcomes, expected_freshness })
    }
}

impl Query {
    /// How the collection stands, with its sites if they are wanted.
    pub fn status(&self, with_sites: bool, now: Time) -> Result<Status, QueryError> {
        let live = match self.ask(&Call::Overview) {
            Some(Reply::Overview(overview)) => Some(overview).filter(|said| self.means(&said.policy, said.budget)),
            _ => None,
        };
        if let (Some(overview), false) = (&live, with_sites) {
            return self.status_with(overview.clone(), true, None);
        }
        let memory = self.memory(now)?;
        let sites = with_sites.then(|| self.sites(&memory, now)).transpose()?;
        let is_live = live.is_some();
        self.status_with(live.unwrap_or_else(|| memory.overview(&self.settings, now)), is_live, sites)
    }

    fn status_with(&self, overview: Overview, live: bool, sites: Option<Vec<SiteEntry>>) -> Result<Status, QueryError> {
        let (store, settings) = (&self.store, &self.settings);
        let model = settings.model().map_err(PipelineError::from)?;
        Ok(Status {
            cycle_seconds: settings.cycle.as_secs(),
            totals: store.totals()?,
            outcomes: store.outcomes()?,
            live,
            overview,
            cycles: store.cycles(CYCLES)?.into_iter().filter_map(CycleSummary::of).collect(),
            left_out: store.left_out()?,
            model: model.map(|trained| trained.provenance),
            trainings: store.trainings(TRAININGS)?,
            sites,
        })
    }
}
