//! Change rates seen against the whole collection: a gamma prior fitted to all pages, a gamma posterior for each.
//!
//! λ ~ Gamma(α, β); a page with X changes in T days has the posterior Gamma(α + X, β + T), so its rate is (α + X)/(β + T)
//! and its copy is current after τ more days with probability E[e^(−λτ)] = ((β + T)/(β + T + τ))^(α + X). The prior is
//! fitted by moments: the mean rate m = ΣX/ΣT and the variance v left over when the noise of counting is taken off give
//! α = m²/v and β = m/v. Most pages of most collections hardly change, which makes α small: a page that has shown nothing
//! is believed to be quiet, long before a single page's history could say so (the idea of Grimes & Ford 2008).
//!
//! A visit that saw a change may have missed others, so X is not the number of such visits but the expected number of
//! changes behind them: λτ/(1 − e^(−λτ)) for an interval of τ days, at the page's own rate by [`poisson`].

use std::borrow::Borrow;

use super::poisson;
use crate::history::History;

/// A gamma distribution of change rates, in changes a day.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Gamma {
    /// α.
    pub shape: f64,
    /// β, in days.
    pub days: f64,
}

/// What is believed before any page was seen twice: about one change in ten days, give or take a lot.
const NOTHING_KNOWN: Gamma = Gamma { shape: 0.3, days: 3.0 };

/// What one page tells of rates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// X: changes, those that no visit told apart included.
    pub changes: f64,
    /// T: the days in which they happened.
    pub days: f64,
}

impl Evidence {
    /// A page's expected changes and the days in which they happened.
    pub fn of(history: &History) -> Evidence {
        if history.changes() == 0 {
            return Evidence { changes: 0.0, days: history.unchanged_days() };
        }
        let rate = poisson::rate(history);
        let (mut changes, mut days) = (0.0, history.unchanged_days());
        for (count, length) in history.changed_intervals() {
            changes += f64::from(count) * rate * length / -(-rate * length).exp_m1();
            days += f64::from(count) * length;
        }
        Evidence { changes, days }
    }
}

/// Sums over pages from which a prior is fitted; a page whose evidence changed is taken out and put in again.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Moments {
    x: f64,
    t: f64,
    xx: f64,
    xt: f64,
    tt: f64,
}

impl Moments {
    /// Puts a page's evidence in.
    pub fn add(&mut self, evidence: Evidence) {
        self.weigh(evidence, 1.0);
    }

    /// Takes a page's evidence out.
    pub fn remove(&mut self, evidence: Evidence) {
        self.weigh(evidence, -1.0);
    }

    fn weigh(&mut self, Evidence { changes, days }: Evidence, sign: f64) {
        self.x += sign * changes;
        self.t += sign * days;
        self.xx += sign * changes * changes;
        self.xt += sign * changes * days;
        self.tt += sign * days * days;
    }

    /// The gamma distribution with these moments.
    ///
    /// ```
    /// use revisit::estimate::gamma::{Evidence, Moments};
    /// let mut moments = Moments::default();
    /// moments.add(Evidence { changes: 0.0, days: 10.0 });
    /// moments.add(Evidence { changes: 8.0, days: 10.0 });
    /// // m = 8/20 = 0.4; Σ(X − mT)² = 16 + 16; less ΣmT = 8 over ΣT² = 200: v = 0.12.
    /// let prior = moments.fit();
    /// assert!((prior.shape - 0.16 / 0.12).abs() < 1e-12 && (prior.days - 0.4 / 0.12).abs() < 1e-12);
    /// ```
    pub fn fit(&self) -> Gamma {
        let Moments { x, t, xx, xt, tt } = *self;
        if x <= 0.0 || t <= 0.0 {
            // Nothing changed yet: as before, but for the days in which nothing did.
            return Gamma { days: NOTHING_KNOWN.days + t.clamp(0.0, 1000.0), ..NOTHING_KNOWN };
        }
        let mean = x / t;
        // Σ(X − mT)² − mT over ΣT². Rates that hardly differ, or too few pages to tell, would give an infinitely sure prior.
        let variance = ((xx - 2.0 * mean * xt + mean * mean * tt - mean * t) / tt).max(mean * mean / 50.0);
        Gamma { shape: mean * mean / variance, days: mean / variance }
    }
}

impl Gamma {
    /// The distribution of rates over all pages, from their histories.
    pub fn fit<H: Borrow<History>>(histories: impl Iterator<Item = H>) -> Gamma {
        let mut moments = Moments::default();
        histories.for_each(|history| moments.add(Evidence::of(history.borrow())));
        moments.fit()
    }

    /// What is known of a page once its history is taken in.
    ///
    /// ```
    /// use revisit::{History, estimate::gamma::Gamma};
    /// let prior = Gamma { shape: 0.5, days: 5.0 };
    /// assert_eq!(prior.posterior(&History::default()).rate(), 0.1);
    /// ```
    pub fn posterior(&self, history: &History) -> Gamma {
        self.after(Evidence::of(history))
    }

    /// What is known of a page with this evidence.
    pub fn after(&self, evidence: Evidence) -> Gamma {
        Gamma { shape: self.shape + evidence.changes, days: self.days + evidence.days }
    }

    /// The mean rate, in changes a day.
    pub fn rate(&self) -> f64 {
        self.shape / self.days
    }

    /// The chance that nothing changes within so many days.
    pub fn chance_current(&self, days: f64) -> f64 {
        (self.days / (self.days + days.max(0.0))).powf(self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, PageId, Span, Time, Visit};

    /// A page visited daily that changed on every `every`th day; 0 for never.
    fn page(every: i64, days: i64) -> History {
        let mut history = History::default();
        for day in 0..=days {
            let outcome = match day {
                0 => Outcome::First,
                day if every > 0 && day % every == 0 => Outcome::Changed,
                _ => Outcome::Unchanged,
            };
            history.record(&Visit { page: PageId(0), at: Time::from_secs(0) + Span::DAY * day as f64, outcome });
        }
        history
    }

    #[test]
    fn a_quiet_page_among_quiet_pages_is_believed_to_be_quiet() {
        let mut pages = vec![page(0, 5); 90];
        pages.extend(vec![page(1, 5); 10]);
        let prior = Gamma::fit(pages.iter());
        assert!(prior.shape < 0.5, "{prior:?}");
        assert!(prior.posterior(&pages[0]).chance_current(1.0) > 0.97);
        assert!(prior.posterior(&pages[99]).chance_current(1.0) < 0.2);
    }

    #[test]
    fn the_mean_of_the_prior_is_the_mean_of_the_pages() {
        let pages = [page(10, 100), page(20, 100), page(5, 100)];
        let rate = Gamma::fit(pages.iter()).rate();
        // A share s of daily visits with a change means -ln(1 - s) changes a day.
        let expected = -(0.9_f64.ln() + 0.95_f64.ln() + 0.8_f64.ln()) / 3.0;
        assert!((rate - expected).abs() < 0.005, "{rate} {expected}");
    }

    #[test]
    fn without_any_history_something_is_believed() {
        let prior = Gamma::fit([History::default()].iter());
        assert!((prior.posterior(&History::default()).rate() - 0.1).abs() < 1e-12);
    }
}
