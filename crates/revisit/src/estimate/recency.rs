//! Change rates per cycle that weigh recent visits more (Tan & Mitra 2010, as Santos 2013 uses them).
//!
//! λ = Σ w_i·I_i, where I_i is 1 if the i-th visit saw a change and the weights add up to 1: all equal ([`equal`]), only
//! the last ([`last_only`]), ∝ i ([`arithmetic`]) or ∝ 2^(i−1) ([`geometric`]). The thesis numbers visits. Its public code
//! numbers the cycles of the calendar instead, and a cycle without a visit counts as no change; those are the functions
//! that take a number of cycles. Reading: a page's calendar begins with the cycle in which it was first seen.
//!
//! A history holds the sums, so each of these is a few operations however many visits there were.
//!
//! ```
//! use revisit::{History, Outcome, PageId, Time, Visit, estimate::recency};
//!
//! let mut history = History::default();
//! for (day, outcome) in [(0, Outcome::Changed), (1, Outcome::Unchanged), (2, Outcome::Changed)] {
//!     history.record(&Visit { page: PageId(0), at: Time::from_secs(day * 86_400), outcome });
//! }
//! // Visits 1 and 3 of 3 saw a change.
//! assert_eq!(recency::equal(&history), 2.0 / 3.0);
//! assert_eq!(recency::last_only(&history), 1.0);
//! assert_eq!(recency::arithmetic(&history), (1.0 + 3.0) / (1.0 + 2.0 + 3.0));
//! assert_eq!(recency::geometric(&history), (1.0 + 4.0) / (1.0 + 2.0 + 4.0));
//! ```

use crate::history::History;
use crate::time::Span;

/// All visits weigh the same: X / n.
pub fn equal(history: &History) -> f64 {
    f64::from(history.changes()) / f64::from(history.observations().max(1))
}

/// All cycles weigh the same: X / `cycles`, the cycles since the page was first seen.
pub fn equal_by_cycle(history: &History, cycles: f64) -> f64 {
    f64::from(history.changes()) / cycles.max(1.0)
}

/// Only the last visit counts.
pub fn last_only(history: &History) -> f64 {
    (history.recent_bits() & 1) as f64
}

/// Only the last cycle counts: the last visit if it was at most one cycle ago, else no change.
pub fn last_only_by_cycle(history: &History, cycles_since_visit: f64) -> f64 {
    // Half a cycle of slack: visits of a live crawl do not fall on the ends of cycles.
    if cycles_since_visit < 1.5 { last_only(history) } else { 0.0 }
}

/// The i-th visit weighs i: Σ i·I_i / Σ i.
pub fn arithmetic(history: &History) -> f64 {
    history.change_places() / triangle(f64::from(history.observations()))
}

/// The i-th cycle weighs i, over `cycles` cycles since the page was first seen.
///
/// ```
/// use revisit::{History, Outcome, PageId, Span, Time, Visit, estimate::recency};
///
/// let mut history = History::default();
/// for (day, outcome) in [(0, Outcome::Unchanged), (3, Outcome::Changed)] {
///     history.record(&Visit { page: PageId(0), at: Time::from_secs(day * 86_400), outcome });
/// }
/// // A change in the fourth of five daily cycles: 4 / (1 + 2 + 3 + 4 + 5).
/// assert_eq!(recency::arithmetic_by_cycle(&history, Span::DAY, 5.0), 4.0 / 15.0);
/// ```
pub fn arithmetic_by_cycle(history: &History, cycle: Span, cycles: f64) -> f64 {
    let places = history.change_days() / cycle.as_days() + f64::from(history.changes());
    places / triangle(cycles)
}

/// The i-th visit weighs 2^(i−1). What lies more than 64 visits back weighs nothing that could be told.
pub fn geometric(history: &History) -> f64 {
    let visits = history.observations().min(64);
    if visits == 0 || history.recent_bits() == 0 {
        return 0.0;
    }
    // Reversed, the newest outcome is the highest bit, which is its weight.
    let weights = history.recent_bits().reverse_bits() >> (64 - visits);
    weights as f64 / (u64::MAX >> (64 - visits)) as f64
}

/// 1 + 2 + … + n, at least 1.
fn triangle(n: f64) -> f64 {
    (n * (n + 1.0) / 2.0).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, PageId, Time, Visit};

    fn daily(changed: impl Iterator<Item = bool>) -> History {
        let mut history = History::default();
        for (day, changed) in changed.enumerate() {
            let outcome = if changed { Outcome::Changed } else { Outcome::Unchanged };
            history.record(&Visit { page: PageId(0), at: Time::from_secs(day as i64 * 86_400), outcome });
        }
        history
    }

    #[test]
    fn a_page_that_always_changed_has_rate_one_by_every_weight() {
        for visits in [1, 2, 63, 64, 65, 300] {
            let history = daily((0..visits).map(|_| true));
            for rate in [equal(&history), last_only(&history), arithmetic(&history), geometric(&history)] {
                assert!((rate - 1.0).abs() < 1e-6, "{visits} {rate}");
            }
            let rate = arithmetic_by_cycle(&history, Span::DAY, visits as f64);
            assert!((rate - 1.0).abs() < 1e-6, "{visits} {rate}");
        }
    }

    #[test]
    fn without_visits_no_rate() {
        let history = History::default();
        assert_eq!([equal(&history), last_only(&history), arithmetic(&history), geometric(&history)], [0.0; 4]);
    }

    #[test]
    fn by_cycle_and_by_visit_agree_when_every_cycle_had_a_visit() {
        let history = daily((0..20).map(|day| day % 3 == 0));
        assert_eq!(equal(&history), equal_by_cycle(&history, 20.0));
        assert!((arithmetic(&history) - arithmetic_by_cycle(&history, Span::DAY, 20.0)).abs() < 1e-9);
        assert_eq!(last_only(&history), last_only_by_cycle(&history, 1.0));
        assert_eq!(last_only_by_cycle(&daily([true].into_iter()), 2.0), 0.0);
    }
}
