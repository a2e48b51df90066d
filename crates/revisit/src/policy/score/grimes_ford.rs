//! `grimes-ford`: the page most likely to have changed, with a prior fitted to all pages (Grimes & Ford 2008).
//!
//! Rates are believed to follow one gamma distribution over the collection, fitted to what all visits showed
//! ([`gamma`](crate::estimate::gamma)); a page with little history is judged by it, one with much history by its own.
//! Reading: the paper estimates rates; the score is the chance of a change since the last visit under the page's
//! posterior, 1 − ((β + T)/(β + T + τ))^(α + X). The prior follows every visit from running sums, at no cost in pages.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::estimate::gamma::{Evidence, Gamma, Moments};
use crate::policy::registry::{Build, Entry, Spending};
use crate::policy::{Budget, Policy};
use crate::{History, PageId, Pages, Time, Visit};

/// The registry's entry.
pub(crate) const ENTRY: Entry = Entry {
    name: "grimes-ford",
    paper: "Grimes & Ford 2008",
    summary: "the page most likely to have changed first, little-known pages judged by all others",
    spending: Spending::Ranks,
    needs_truth: false,
    parameters: &[],
    build: Build::Plain(|_| Box::new(GrimesFord::new())),
};

/// The most probable change first, under a prior fitted to all pages.
#[derive(Debug)]
pub(crate) struct GrimesFord {
    prior: Gamma,
    moments: Moments,
    /// Changes and days, by page.
    evidence: Vec<(f32, f32)>,
}

impl GrimesFord {
    /// Nothing is known yet.
    pub(crate) fn new() -> GrimesFord {
        let moments = Moments::default();
        GrimesFord { prior: moments.fit(), moments, evidence: Vec::new() }
    }

    fn evidence(&self, page: PageId) -> Evidence {
        let (changes, days) = self.evidence.get(page.index()).copied().unwrap_or_default();
        Evidence { changes: f64::from(changes), days: f64::from(days) }
    }
}

impl Default for GrimesFord {
    fn default() -> GrimesFord {
        GrimesFord::new()
    }
}

impl Policy for GrimesFord {
    fn score(&self, page: PageId, history: &History, now: Time) -> Option<f64> {
        let days = history.elapsed(now)?.as_days();
        Some(1.0 - self.prior.after(self.evidence(page)).chance_current(days))
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        let belief = self.prior.after(self.evidence(page));
        let (rate, usual) = (belief.rate(), self.prior.rate());
        let chance = 100.0 * self.score(page, history, now).unwrap_or_default();
        let elapsed = history.elapsed(now).unwrap_or_default();
        format!(
            "it is believed to change {rate:.3} times a day where {usual:.3} is usual, and was last seen {elapsed} ago: \
             {chance:.0} % likely to have changed"
        )
    }

    fn learn(&mut self, page: PageId, history: &History, _visit: &Visit) {
        if self.evidence.len() <= page.index() {
            self.evidence.resize(page.index() + 1, (0.0, 0.0));
        }
        self.moments.remove(self.evidence(page));
        let Evidence { changes, days } = Evidence::of(history);
        self.evidence[page.index()] = (changes as f32, days as f32);
        self.moments.add(self.evidence(page));
    }

    fn plan(&mut self, _pages: &Pages, _budget: Budget, _now: Time) {
        self.prior = self.moments.fit();
    }

    fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.prior)?;
        checkpoint.keep(&mut self.moments)?;
        checkpoint.keep_rows(&mut self.evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Span};

    #[test]
    fn the_running_prior_is_the_prior_of_all_histories() {
        let mut policy = GrimesFord::new();
        let mut histories = vec![History::default(); 20];
        for day in 0..30 {
            for (number, history) in histories.iter_mut().enumerate() {
                let page = PageId(number as u32);
                let outcome = if day % (number + 1) == 0 { Outcome::Changed } else { Outcome::Unchanged };
                let visit = Visit { page, at: Time::from_secs(day as i64 * 86_400), outcome };
                history.record(&visit);
                policy.learn(page, history, &visit);
            }
        }
        policy.plan(&Pages::default(), Budget { fetches: 1, cycle: Span::DAY }, Time::from_secs(0));
        let fitted = Gamma::fit(histories.iter());
        assert!((policy.prior.shape / fitted.shape - 1.0).abs() < 1e-3, "{:?} {fitted:?}", policy.prior);
        assert!((policy.prior.days / fitted.days - 1.0).abs() < 1e-3, "{:?} {fitted:?}", policy.prior);
    }
}
