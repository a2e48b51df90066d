//! What `nad`, `sad`, `aad` and `gad` share: the chance of a change from a weighted mean of the past.
//!
//! Score = 1 − e^(−λt), the chance that a Poisson process of rate λ = Σ w_i·I_i a cycle showed something in the t
//! cycles since the last visit (Tan & Mitra 2010; Santos 2013, eq. 4.1). The four differ in their weights only, which
//! [`recency`](crate::estimate::recency) computes. Reading: `visits` (the thesis' text) numbers the visits; `calendar`
//! (its public code) numbers the cycles since the page was first seen, and a cycle without a visit counts as no change.

use crate::policy::parameter::{Parameter, Values};
use crate::policy::{Budget, cycles_since};
use crate::{History, Span, Time};

/// What the weights run over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The page's visits.
    #[default]
    Visits,
    /// The cycles since the page was first seen.
    Calendar,
}

/// Lets users choose the reading.
pub(super) const READING: Parameter = Parameter::choice(
    "reading",
    &["visits", "calendar"],
    "weights run over visits, or over all cycles of the calendar",
);

impl Reading {
    pub(super) fn of(values: &Values<'_>) -> Reading {
        if values.is("reading", "calendar") { Reading::Calendar } else { Reading::Visits }
    }
}

/// The reading, and the cycle in which times are told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) reading: Reading,
    pub(super) cycle: Span,
}

impl Terms {
    pub(super) fn new(reading: Reading) -> Terms {
        Terms { reading, cycle: Span::HOUR }
    }

    pub(super) fn plan(&mut self, budget: Budget) {
        self.cycle = budget.cycle;
    }

    /// t: cycles since the last visit.
    pub(super) fn waited(&self, history: &History, now: Time) -> f64 {
        cycles_since(history, self.cycle, now)
    }

    /// Cycles in which the page was known, the current one left out; at least 1.
    pub(super) fn known(&self, history: &History, now: Time) -> f64 {
        history.first_seen().map_or(1.0, |first| (now - first).ratio(self.cycle).max(1.0))
    }

    /// 1 − e^(−λt). `exp_m1` would cost twice as much and only be better for chances that no number of visits leads to.
    pub(super) fn chance(&self, rate: f64, history: &History, now: Time) -> f64 {
        if rate == 0.0 { 0.0 } else { 1.0 - (-rate * self.waited(history, now)).exp() }
    }

    /// Says what the chance comes from.
    pub(super) fn reason(&self, rate: f64, weights: &str, history: &History, now: Time) -> String {
        let (n, x) = (history.observations(), history.changes());
        let (waited, chance) = (self.waited(history, now), 100.0 * self.chance(rate, history, now));
        format!(
            "{x} of {n} visits saw a change, {rate:.3} a cycle {weights}, and {waited:.1} cycles have passed: \
             {chance:.0} % likely to have changed"
        )
    }
}
