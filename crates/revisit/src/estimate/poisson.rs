//! The change rate of a page visited at unequal intervals: maximum likelihood under a Poisson process, shrunk a little.
//!
//! The rate Δ that solves Σ_changed τ/(e^(Δτ) − 1) = Σ_unchanged τ, with one made-up changed and one made-up unchanged
//! interval of half a day each, so that a page with no history has a rate and one that always changed a finite rate
//! (the estimator LambdaCrawl 2019 uses for incomplete observations).

use crate::history::History;

/// Half a day: the length of the two made-up intervals, in days.
const PRIOR_DAYS: f64 = 0.5;

/// No rate is looked for outside, in changes a day.
const SLOWEST_TO_FASTEST: (f64, f64) = (1e-7, 1e5);

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
    let changed: Vec<(f64, f64)> = history.changed_intervals().map(|(count, days)| (f64::from(count), days)).collect();
    solve(&changed, unchanged)
}

/// The rate at which the changed intervals, as (how many, days), balance `unchanged` days.
///
/// The logarithm of the pull falls with that of the rate, along a nearly straight line, so Newton's steps on those scales
/// need few rounds; a step that leaves the bracket is replaced by its middle, so they cannot fail.
fn solve(changed: &[(f64, f64)], unchanged: f64) -> f64 {
    let (mut low, mut high) = SLOWEST_TO_FASTEST;
    let (count, days) = changed.iter().fold((1.0, PRIOR_DAYS), |(n, t), &(count, days)| (n + count, t + count * days));
    let mut rate = count / (unchanged + days / 2.0);
    for _ in 0..60 {
        let (pull, slope) = pull(changed, rate);
        if pull > unchanged {
            low = rate;
        } else {
            high = rate;
        }
        let mut next = rate * ((pull / unchanged).ln() / slope).exp();
        // The comparison is false for a NaN too.
        if !(next > low && next < high) {
            next = (low * high).sqrt();
        }
        if (next - rate).abs() <= 1e-10 * rate {
            return next;
        }
        rate = next;
    }
    rate
}

/// Σ τ/(e^(Δτ) − 1) over the changed intervals, how hard they pull the rate Δ up; and how steeply its logarithm falls with
/// that of Δ.
fn pull(changed: &[(f64, f64)], rate: f64) -> (f64, f64) {
    let (mut pull, mut fall) = (0.0, 0.0);
    for &(count, days) in changed.iter().chain(&[(1.0, PRIOR_DAYS)]) {
        let x = rate * days;
        let growth = x.exp_m1();
        let one = count * days / growth;
        pull += one;
        // d ln(τ/(e^x − 1)) / d ln Δ = −x·e^x/(e^x − 1), written without overflow.
        fall += one * x * (1.0 + 1.0 / growth);
    }
    (pull, fall / pull)
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
    fn the_rate_balances_both_sides_whatever_the_intervals() {
        for (days, changed) in [(1e-5, 300), (0.01, 1), (1.0, 50), (30.0, 3), (3000.0, 300)] {
            for unchanged in [0.5, 7.0, 1e5] {
                let lengths = [(f64::from(changed), days), (2.0, 7.0 * days)];
                let rate = solve(&lengths, unchanged);
                let (pull, _) = pull(&lengths, rate);
                assert!((pull / unchanged - 1.0).abs() < 1e-6, "{days} {changed} {unchanged}: {rate} {pull}");
            }
        }
    }

    /// A history knows changed intervals by their buckets only: how far off is the rate it gives?
    #[test]
    fn buckets_cost_little_accuracy() {
        for spread in [1.0_f64, 3.0, 10.0, 100.0] {
            for rate_a_day in [0.01, 0.1, 1.0, 5.0] {
                let (mut history, mut changed, mut unchanged) = (history(1.0, &[]), Vec::new(), PRIOR_DAYS);
                let mut at = Time::from_secs(0);
                for visit in 0..200 {
                    // Lengths spread evenly in the logarithm around half the mean change interval, in a scrambled order.
                    let place = f64::from(visit * 89 % 200) / 200.0;
                    let days = 0.5 / rate_a_day * spread.powf(place - 0.5);
                    let chance = 1.0 - (-rate_a_day * days).exp();
                    let outcome = if f64::from(visit * 37 % 200) / 200.0 < chance {
                        Outcome::Changed
                    } else {
                        Outcome::Unchanged
                    };
                    at = at + Span::DAY * days;
                    history.record(&Visit { page: PageId(0), at, outcome });
                    match outcome {
                        Outcome::Changed => changed.push((1.0, days)),
                        _ => unchanged += days,
                    }
                }
                let (bucketed, exact) = (rate(&history), solve(&changed, unchanged));
                assert!((bucketed / exact - 1.0).abs() < 0.04, "{spread} {rate_a_day}: {bucketed} {exact}");
            }
        }
    }

    #[test]
    fn quiet_pages_get_slower_and_busy_pages_faster() {
        let quiet = rate(&history(1.0, &[false; 30]));
        let longer_quiet = rate(&history(1.0, &[false; 300]));
        let busy = rate(&history(1.0, &[true; 30]));
        assert!(longer_quiet < quiet && quiet < busy && busy < 20.0, "{longer_quiet} {quiet} {busy}");
    }
}
