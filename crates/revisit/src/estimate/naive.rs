//! The plainest change rate: X changes seen in T days are X / T a day.
//!
//! Every change that fell into the same interval as another is missed, so the rate of a page that changes faster than it
//! is visited comes out too low (Cho & Garcia-Molina 2003 call it the naive estimator, and it is here to be compared with).

use crate::history::History;

/// Changes per day, from the first to the last time the page was seen; 0 for a page seen once.
///
/// ```
/// use revisit::{History, Outcome, PageId, Time, Visit, estimate::naive};
///
/// let mut history = History::default();
/// for (day, outcome) in [(0, Outcome::First), (1, Outcome::Changed), (3, Outcome::Unchanged), (8, Outcome::Changed)] {
///     history.record(&Visit { page: PageId(0), at: Time::from_secs(day * 86_400), outcome });
/// }
/// // 2 changes in 8 days.
/// assert_eq!(naive::rate(&history), 0.25);
/// ```
pub fn rate(history: &History) -> f64 {
    let (Some(first), Some(last)) = (history.first_seen(), history.last_seen()) else { return 0.0 };
    let days = (last - first).as_days();
    if days > 0.0 { f64::from(history.changes()) / days } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_never_seen_twice_has_no_rate() {
        assert_eq!(rate(&History::default()), 0.0);
    }
}
