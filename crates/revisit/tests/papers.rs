//! The papers' worked numbers.
#![allow(clippy::unwrap_used)]

use revisit::estimate::regular;
use revisit::policy::registry::build;
use revisit::{History, Outcome, PageId, Span, Time, Visit};

/// A page with one observation an hour, in order.
fn history(outcomes: &[Outcome]) -> History {
    let mut history = History::default();
    for (hour, &outcome) in outcomes.iter().enumerate() {
        let at = Time::from_secs(hour as i64 * 3600);
        history.record(&Visit { page: PageId(0), at, outcome });
    }
    history
}

/// Barbosa et al. 2005, eq. 1 with its brackets: every visit saw a change, 10 of 10: -ln(0.5 / 10.5) = 3.0445.
#[test]
fn the_rate_of_a_page_that_always_changes_is_finite() {
    assert!((regular::rate(10, 10) - 21f64.ln()).abs() < 1e-12);
}

/// Santos 2013: CG = -ln((n - X + 0.5) / (n + 0.5)); 1 of 3: -ln(2.5 / 3.5) = 0.3365.
#[test]
fn cg_scores_by_its_formula() {
    let history = history(&[Outcome::Unchanged, Outcome::Changed, Outcome::Unchanged]);
    let score = build("cg").unwrap().score(PageId(0), &history, Time::from_secs(9000)).unwrap();
    assert!((score - (3.5_f64 / 2.5).ln()).abs() < 1e-12);
}

/// Santos 2013: NAD = 1 - e^(-λt), λ = X / n; 1 of 2, 3 cycles later: 1 - e^(-1.5) = 0.7769.
#[test]
fn nad_scores_by_its_formula() {
    let history = history(&[Outcome::Unchanged, Outcome::Changed]);
    let now = Time::from_secs(3600) + Span::HOUR * 3.0;
    let score = build("nad").unwrap().score(PageId(0), &history, now).unwrap();
    assert!((score - (1.0 - (-1.5_f64).exp())).abs() < 1e-12);
}
