//! `historic`: pages move between groups by what a window of visits showed (Barbosa et al. 2005, Algorithm 1).
//!
//! Every group has a visit interval, a window of visits and a least and a greatest share of changed visits. At the end
//! of a window a page with a smaller share moves one group slower, one with a larger share one group faster, and a new
//! window begins. The slowest and the fastest group keep their pages. Reading: a page is visited once an interval, and
//! a window counts those visits; the paper's text also reads as if the window stretched the interval. Here every page
//! begins in the group `start`; [`composed`](super::composed) has other beginnings.

use super::{PARAMETERS, Start, Starts, chosen};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::column::Column;
use crate::features::Features;
use crate::model::groups::Group;
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Policy, interval_reason, overdue};
use crate::{History, Outcome, PageId, Span, Time, Visit};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "historic",
    paper: "Barbosa et al. 2005 (historic classifier)",
    summary: "groups of pages with an interval each; a page moves to the next when a window of visits says so",
    spending: Spending::Free,
    needs_truth: false,
    parameters: PARAMETERS,
    build: Build::Groups(|values, given| {
        Box::new(Historic::new(chosen(values, given), Start::In(values.number("start") as usize)))
    }),
};

/// Groups with an interval each, and pages that move between them.
#[derive(Debug)]
pub struct Historic {
    groups: Vec<Group>,
    starts: Starts,
    /// By page; `None` while it is where it began.
    places: Column<Option<Place>>,
}

/// Where a page is, and what its window showed so far.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
struct Place {
    group: u8,
    visits: u8,
    changes: u8,
}

impl Historic {
    /// At most 256 groups, fastest first.
    pub fn new(groups: Vec<Group>, start: Start) -> Historic {
        Historic { starts: Starts::new(start, groups.len()), groups, places: Column::new(None) }
    }

    /// The number of a page's group, 0 the fastest.
    pub fn group(&self, page: PageId) -> usize {
        usize::from(self.place(page).group)
    }

    fn place(&self, page: PageId) -> Place {
        let begin = || Place { group: self.starts.of(page), visits: 0, changes: 0 };
        self.places.get(page.index()).unwrap_or_else(begin)
    }

    fn interval(&self, page: PageId) -> Span {
        self.groups.get(self.group(page)).map_or(Span::DAY, |group| group.interval)
    }

    /// Where a page is after one more visit.
    fn moved(&self, mut place: Place, changed: bool) -> Place {
        place.visits += 1;
        place.changes += u8::from(changed);
        let Some(group) = self.groups.get(usize::from(place.group)) else { return place };
        if place.visits < group.window {
            return place;
        }
        let share = f64::from(place.changes) / f64::from(group.window.max(1));
        let slowest = (self.groups.len() - 1) as u8;
        let group = match share {
            share if share < group.least => (place.group + 1).min(slowest),
            share if share > group.most => place.group.saturating_sub(1),
            _ => place.group,
        };
        Place { group, visits: 0, changes: 0 }
    }
}

impl Policy for Historic {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        overdue(history.elapsed(now)?, self.interval(page))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let Place { group, visits, changes } = self.place(page);
        let rest = interval_reason(history.elapsed(now).unwrap_or_default(), self.interval(page));
        let begun = self.starts.reason(page);
        format!("it is in group {group}, where {changes} of {visits} visits of its window saw a change; {rest}{begun}")
    }

    fn describe(&mut self, page: PageId, features: &Features) {
        self.starts.describe(page, features);
    }

    fn learn(&mut self, page: PageId, _history: &History, visit: &Visit) {
        if !matches!(visit.outcome, Outcome::Changed | Outcome::Unchanged) {
            return;
        }
        let place = self.moved(self.place(page), visit.outcome == Outcome::Changed);
        self.places.set(page.index(), Some(place));
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.starts.keep(checkpoint)?;
        self.places.keep(checkpoint)
    }
}
