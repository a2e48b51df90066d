//! The papers' worked numbers.
#![allow(clippy::unwrap_used)]

use revisit::estimate::regular;
use revisit::model::groups::{Group, TABLE_2, TABLE_4};
use revisit::policy::groups::{Bayesian, Historic, Start};
use revisit::policy::registry::build;
use revisit::{History, Outcome, PageId, Policy, Span, Time, Visit};

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

/// Santos 2013: SAD, AAD, GAD = 1 - e^(-λt); changes at the second and third of three visits, two cycles later.
#[test]
fn recent_visits_weigh_more_by_their_formulas() {
    let history = history(&[Outcome::Unchanged, Outcome::Changed, Outcome::Changed]);
    let now = Time::from_secs(2 * 3600) + Span::HOUR * 2.0;
    for (policy, rate) in [("sad", 1.0), ("aad", 5.0 / 6.0), ("gad", 6.0 / 7.0), ("nad", 2.0 / 3.0)] {
        let score = build(policy).unwrap().score(PageId(0), &history, now).unwrap();
        assert!((score - (1.0 - f64::exp(-2.0 * rate))).abs() < 1e-12, "{policy} {score}");
    }
    assert_eq!(build("tx").unwrap().score(PageId(0), &history, now), Some(4.0));
}

/// The group of a page that begins in `start` and changes at the first `changes` of `visits` visits.
fn group_after(groups: &[Group], start: usize, visits: i64, changes: i64) -> usize {
    let (mut policy, mut history, page) =
        (Historic::new(groups.to_vec(), Start::In(start)), History::default(), PageId(0));
    for number in 0..visits {
        let outcome = if number < changes { Outcome::Changed } else { Outcome::Unchanged };
        let visit = Visit { page, at: Time::from_secs(number * 86_400), outcome };
        history.record(&visit);
        policy.learn(page, &history, &visit);
    }
    policy.group(page)
}

/// Barbosa et al. 2005, section 3.4: a one_week page that changed 6 times in 8 visits moves to one_day; with one change of 8
/// it moves to one_month.
#[test]
fn a_weekly_page_with_six_changes_in_eight_visits_becomes_daily() {
    let (day, week, month) = (0, 1, 2);
    assert_eq!(group_after(&TABLE_2, week, 8, 6), day);
    assert_eq!(group_after(&TABLE_2, week, 8, 1), month);
    assert_eq!(group_after(&TABLE_2, week, 7, 6), week, "the window is not over");
    assert_eq!(group_after(&TABLE_2, week, 8, 4), week, "4 of 8 lies between 0.3 and 0.7");
}

/// Barbosa et al. 2005, Table 2: windows of 10, 8, 6 and 2 visits, 0.3 and 0.7; the fastest and the slowest group clamp.
#[test]
fn groups_move_as_in_barbosas_table_2() {
    for (group, window) in [(0, 10), (1, 8), (2, 6), (3, 2)] {
        let faster = usize::saturating_sub(group, 1);
        assert_eq!(group_after(&TABLE_2, group, window, window), faster, "group {group}");
        assert_eq!(group_after(&TABLE_2, group, window, 0), (group + 1).min(3), "group {group}");
        assert_eq!(group_after(&TABLE_2, group, window, window / 2), group, "group {group}");
    }
    assert_eq!(group_after(&TABLE_2, 0, 10, 3), 0, "exactly 0.3 is not below the threshold");
    assert_eq!(group_after(&TABLE_2, 0, 10, 2), 1);
}

/// Barbosa et al. 2005, section 4: after a week without a change a historic page leaves its group at once (window 1), here
/// Table 4's slowest group towards a faster one; the Bayesian page moves as far as its probabilities do.
#[test]
fn the_historic_classifier_is_faster_than_the_bayesian_estimator() {
    assert_eq!(group_after(&TABLE_4, 3, 1, 1), 2);
    let page = PageId(0);
    let mut bayesian = Bayesian::new(&TABLE_4, Start::In(3));
    let mut see = |day: i64, outcome| {
        bayesian.learn(page, &History::default(), &Visit { page, at: Time::from_secs(day * 86_400), outcome });
        bayesian.group(page)
    };
    assert_eq!(see(0, Outcome::First), 3);
    let chance = |interval: f64| 1.0 - (-96.0 / interval).exp();
    assert_eq!(see(96, Outcome::Changed), 0, "a change in 96 days speaks most for the fastest group");
    let total: f64 = [1.0, 3.0, 31.0, 96.0].map(chance).iter().sum();
    assert!((f64::from(bayesian.chances(page)[3]) - chance(96.0) / total).abs() < 1e-6);
}
