//! What a crawl of a trace did, beside what the lab does on it: on the trace as it is, and as the living web could show it.

use std::collections::{BTreeSet, HashMap};

use revisit::lab::cut::Cut;
use revisit::lab::measure::{CycleCounts, Measures};
use revisit::lab::run::{Run, run_watched};
use revisit::{BadScore, Policy};
use serde::Serialize;
use url::Url;

use super::stages::cycle_of;
use crate::config::ConfigError;
use crate::experiments::ExperimentError;
use crate::living::{Judgement, Observation, Played};

/// One visit: its cycle, the place of its page, and whether it saw a change.
type Visit = (usize, usize, bool);

/// All of them, and how far they agree.
#[derive(Serialize)]
pub(super) struct Beside {
    pub(super) live: Told,
    /// The lab on the trace as it is, as `lab compare` runs it.
    pub(super) lab: Told,
    /// The lab on what the crawl was shown.
    pub(super) lab_as_shown: Told,
    pub(super) agreement: Agreement,
    pub(super) agreement_as_shown: Agreement,
}

/// How far the visits of a crawl are those of the lab, the warm-up's included.
#[derive(Serialize)]
pub(super) struct Agreement {
    /// Visits of the lab.
    pub(super) visits: usize,
    /// Those of them that the crawl made too, in the same cycle and with the same outcome.
    pub(super) made_by_both: usize,
    /// Visits that the crawl made and the lab did not.
    pub(super) made_live_only: usize,
}

impl Agreement {
    fn of(lab: &BTreeSet<Visit>, live: &BTreeSet<Visit>) -> Agreement {
        let made_by_both = lab.intersection(live).count();
        Agreement { visits: lab.len(), made_by_both, made_live_only: live.len() - made_by_both }
    }

    /// Whether all visits are the same.
    pub(super) fn is_full(&self) -> bool {
        self.made_by_both == self.visits && self.made_live_only == 0
    }
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
    /// Runs the lab both ways, and holds against it what a crawl did: its visits, and what was counted of them.
    pub(super) fn of(
        cut: &Cut<'_>,
        played: &Played,
        policy: impl Fn() -> Result<Box<dyn Policy>, ConfigError>,
        visits: usize,
        (observed, counts): (&[Observation], &[CycleCounts]),
    ) -> anyhow::Result<Beside> {
        let shown = Cut::new(&played.shown, cut.window()).map_err(ExperimentError::from)?;
        let (lab, made) = in_lab(cut, policy()?, visits)?;
        let (lab_as_shown, made_as_shown) = in_lab(&shown, policy()?, visits)?;
        let live = placed(cut, &played.addresses, observed);
        Ok(Beside {
            live: Told::of(counts),
            lab: Told::of(&lab.cycles),
            lab_as_shown: Told::of(&lab_as_shown.cycles),
            agreement: Agreement::of(&made, &live),
            agreement_as_shown: Agreement::of(&made_as_shown, &live),
        })
    }
}

/// What the lab does on a cut, and its visits.
fn in_lab(cut: &Cut<'_>, policy: Box<dyn Policy>, visits: usize) -> Result<(Run, BTreeSet<Visit>), BadScore> {
    let mut made = BTreeSet::new();
    let run = run_watched(cut, policy, visits, |cycle, place, changed| {
        made.insert((cycle, place, changed));
    })?;
    Ok((run, made))
}

/// The crawl's visits within the window that told something.
fn placed(cut: &Cut<'_>, addresses: &[Url], observed: &[Observation]) -> BTreeSet<Visit> {
    let places: HashMap<&str, usize> = addresses.iter().map(Url::as_str).zip(0..).collect();
    let told = observed.iter().filter(|visit| matches!(visit.judgement, Judgement::Changed | Judgement::Unchanged));
    let placed = told.filter_map(|visit| {
        let (cycle, place) = (cycle_of(cut.window(), visit.at)?, *places.get(visit.url.as_str())?);
        Some((cycle, place, visit.judgement == Judgement::Changed))
    });
    placed.collect()
}
