//! A change rate for every page, estimated anew at each of its visits, so that no score has to do it.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::estimate::poisson;
use crate::policy::parameter::{Parameter, Values};
use crate::{History, PageId, Span};

/// Where rates come from. What a policy could do if it knew them is a bound for what it does.
pub(super) const RATES: Parameter = Parameter::choice(
    "rates",
    &["estimated", "known"],
    "estimated from what visits showed, or in the lab the true ones",
);

/// Changes a day, by page, by the estimate of [`poisson`].
#[derive(Debug, Default)]
pub(super) struct Rates {
    column: Vec<f32>,
    /// They are the true ones, so visits teach nothing.
    known: bool,
}

impl Rates {
    /// The true rates if they are asked for and there is a truth.
    pub(super) fn of_values(values: &Values<'_>) -> Rates {
        let truth = values.truth.filter(|_| values.is("rates", "known"));
        truth.map_or_else(Rates::default, |truth| {
            let rate = |interval: &Span| Span::DAY.ratio(*interval) as f32;
            Rates { column: truth.mean_intervals.iter().map(rate).collect(), known: true }
        })
    }

    /// Takes in what a page's history says now.
    pub(super) fn learn(&mut self, page: PageId, history: &History) {
        if self.known {
            return;
        }
        if self.column.len() <= page.index() {
            self.column.resize(page.index() + 1, 0.0);
        }
        self.column[page.index()] = poisson::rate(history) as f32;
    }

    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep_rows(&mut self.column)
    }

    /// Changes a day; 0 for a page never visited.
    pub(super) fn of(&self, page: PageId) -> f64 {
        self.column.get(page.index()).copied().map_or(0.0, f64::from)
    }
}
