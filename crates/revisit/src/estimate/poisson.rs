//! The change rate of a page visited at unequal intervals: maximum likelihood under a Poisson process, shrunk a little.
//!
//! The rate Δ that solves Σ_changed τ/(e^(Δτ) − 1) = Σ_unchanged τ, with one made-up changed and one made-up unchanged
//! interval of half a day each, so that a page with no history has a rate and one that always changed a finite rate
//! (the estimator LambdaCrawl 2019 uses for incomplete observations).

use crate::history::History;

/// Half a day: the length of the two made-up intervals, in days.
const PRIOR_DAYS: f64 = 0.5;

/// Changes per day.
///
/// With no history only the two made-up intervals speak: 0.5/(e^(0.5 Δ) − 1) = 0.5, so Δ = 2 ln 2.
///
/// ```
/// use revisit::{History, estimate::poisson};
/// assert!((poisson::rate(&History::default()) - 2.0 * 2f64.ln()).abs() < 1e-6);
/// ```
pub fn rate(history: &History) -> f64 {
    let unchanged = PRIOR_DAYS + history.unchanged_days();
    if history.changes() == 0 {
        // Only the made-up changed interval pulls: 0.5/(e^(0.5 Δ) − 1) = unchanged has a closed form.
        return (PRIOR_DAYS / unchanged).ln_1p() / PRIOR_DAYS;
    }
    let changed: Vec<(u32, f64)> = history.changed_intervals().chain([(1, PRIOR_DAYS)]).collect();
    let balance = |rate: f64| {
        let pulls = changed.iter().map(|&(count, days)| f64::from(count) * pull(days, rate));
        pulls.sum::<f64>() - unchanged
    };
    // The balance falls as the rate grows. Bisection on a logarithmic scale; 36 halvings are exact to about 1e-9.
    let (mut low, mut high) = (1e-7_f64, 1e5_f64);
    for _ in 0..36 {
        let middle = (low * high).sqrt();
        if balance(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low * high).sqrt()
}

/// τ/(e^(Δτ) − 1): how hard one changed interval pulls the rate up.
fn pull(days: f64, rate: f64) -> f64 {
    days / (rate * days).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, PageId, Span, Time, Visit};

    fn history(days: f64, outcomes: &[bool]) -> History {
        let mut history = History::default();
        let mut at = Time::from_secs(0);
        history.record(&Visit { page: PageId(0), at, outcome: Outcome::First });
        for &changed in outcomes {
            at = at + Span::DAY * days;
            let outcome = if changed { Outcome::Changed } else { Outcome::Unchanged };
            history.record(&Visit { page: PageId(0), at, outcome });
        }
        history
    }

    #[test]
    fn agrees_with_the_closed_form_for_equal_intervals() {
        // Daily visits, 60 of 100 changed: without the made-up intervals Δ = -ln(1 - 0.6) = 0.916 a day.
        let outcomes: Vec<bool> = (0..100).map(|visit| visit % 5 < 3).collect();
        let estimate = rate(&history(1.0, &outcomes));
        assert!((estimate - 0.916).abs() < 0.02, "{estimate}");
    }

    #[test]
    fn quiet_pages_get_slower_and_busy_pages_faster() {
        let quiet = rate(&history(1.0, &[false; 30]));
        let longer_quiet = rate(&history(1.0, &[false; 300]));
        let busy = rate(&history(1.0, &[true; 30]));
        assert!(longer_quiet < quiet && quiet < busy && busy < 20.0, "{longer_quiet} {quiet} {busy}");
    }
}
