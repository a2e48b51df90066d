//! What a crawl of a trace did, beside what the lab does on it.

use std::collections::BTreeSet;

use revisit::Policy;
use revisit::lab::cut::Cut;
use revisit::lab::measure::{CycleCounts, Measures};
use revisit::lab::run::run_watched;
use serde::Serialize;
use url::Url;

use super::stages::cycle_of;
use crate::living::{Judgement, Observation};

/// One visit: its cycle, the place of its page, and whether it saw a change.
type Visit = (usize, usize, bool);

/// Both, and how far they agree.
#[derive(Serialize)]
pub(super) struct Beside {
    pub(super) live: Told,
    pub(super) lab: Told,
    /// Visits of the lab, those of the warm-up too.
    pub(super) visits: usize,
    /// Those of them that the crawl made too, in the same cycle and with the same outcome.
    pub(super) made_by_both: usize,
    /// Visits that the crawl made and the lab did not.
    pub(super) made_live_only: usize,
}

/// The measures over the cycles after the warm-up.
#[derive(Serialize)]
pub(super) struct Told {
    pub(super) change_ratio: f64,
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) freshness: f64,
    pub(super) age_days: f64,
    pub(super) downloads: usize,
}

impl Told {
    fn of(cycles: &[CycleCounts]) -> Told {
        let Measures { change_ratio, precision, recall, freshness, age_days, downloads } = Measures::of(cycles);
        Told { change_ratio, precision, recall, freshness, age_days, downloads }
    }
}

impl Beside {
    /// Runs the lab, and holds a crawl's visits of the pages at these addresses against it.
    pub(super) fn of(
        cut: &Cut<'_>,
        addresses: &[Url],
        policy: Box<dyn Policy>,
        visits: usize,
        live: &[CycleCounts],
        observed: &[Observation],
    ) -> anyhow::Result<Beside> {
        let mut lab_visits = BTreeSet::new();
        let watch = |cycle, place, changed| _ = lab_visits.insert((cycle, place, changed));
        let lab = run_watched(cut, policy, visits, watch)?;
        let live_visits = placed(cut, addresses, observed);
        Ok(Beside {
            live: Told::of(live),
            lab: Told::of(&lab.cycles),
            visits: lab_visits.len(),
            made_by_both: lab_visits.intersection(&live_visits).count(),
            made_live_only: live_visits.difference(&lab_visits).count(),
        })
    }

    /// The first cycle in which they differ is told by no number; whether they do, by these.
    pub(super) fn is_same(&self) -> bool {
        self.made_by_both == self.visits && self.made_live_only == 0
    }
}

/// The crawl's visits within the window that told something.
fn placed(cut: &Cut<'_>, addresses: &[Url], observed: &[Observation]) -> BTreeSet<Visit> {
    let places: std::collections::HashMap<&str, usize> = addresses.iter().map(Url::as_str).zip(0..).collect();
    let told = observed.iter().filter(|visit| matches!(visit.judgement, Judgement::Changed | Judgement::Unchanged));
    let placed = told.filter_map(|visit| {
        let (cycle, place) = (cycle_of(cut.window(), visit.at)?, *places.get(visit.url.as_str())?);
        Some((cycle, place, visit.judgement == Judgement::Changed))
    });
    placed.collect()
}
