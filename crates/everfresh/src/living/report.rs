//! How well a crawler kept up: its visits compared with the truth.
//!
//! The copy of a page is what the last visit that changed it (or the first one) saw; a visit that judges
//! "unchanged" keeps the copy, right or wrong. So a detector that overlooks a change loses freshness here, and does
//! not win by visiting often. A page that is known to be gone has no copy, so the time after that counts for nothing.

use std::collections::HashMap;
use std::ops::Range;

use revisit::Time;

use super::server::Request;
use super::truth::Truth;

/// What a crawler made of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The page is new or differs from the copy.
    Changed,
    /// The page is as the copy.
    Unchanged,
    /// The page does not exist (any more).
    Gone,
    /// Nothing was learned about the page.
    Failed,
}

/// One visit.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The page, as the truth names it; visits of other URLs, of redirects and errors are left out.
    pub url: String,
    /// When it was, on the clock of the living web.
    pub at: Time,
    /// What came of it.
    pub judgement: Judgement,
}

/// The result, over a window of time. Pages count while there is a copy of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Articles of the truth of which there was a copy.
    pub pages: usize,
    /// Their visits within the window.
    pub visits: usize,
    /// Visits that judged "changed", or "gone" first, when the page truly had changed since its copy. One visit
    /// catches one change, however many there were.
    pub changes_caught: usize,
    /// True changes that no visit caught: overwritten before a visit, overlooked, or not visited yet.
    pub changes_missed: usize,
    /// Visits that judged "changed" when nothing had.
    pub false_alarms: usize,
    /// Mean over pages of the share of the copy's time during which it was the current version; 0 without pages.
    pub true_freshness: f64,
}

/// A visit of a known page.
type Seen = (Time, Judgement);

/// Compares visits with the truth, from `from` to `to`.
pub fn compare(truth: &Truth, visits: impl Iterator<Item = Observation>, from: Time, to: Time) -> Comparison {
    let mut total = Comparison::default();
    for (url, mut visits) in by_page(truth, visits, to) {
        total.visits += visits.iter().filter(|(at, _)| *at >= from).count();
        visits.retain(|(_, judgement)| *judgement != Judgement::Failed);
        if let Some((first, later)) = visits.split_first() {
            let changes = truth.changes(url, first.0, to);
            judge(&changes, *first, later, from..to, &mut total);
        }
    }
    if total.pages > 0 {
        total.true_freshness /= total.pages as f64;
    }
    total
}

/// The share of the copies held at a moment that were the current version: the mean over these moments, without those at
/// which there was no copy; 1 if there never was.
pub fn freshness_at(truth: &Truth, visits: impl Iterator<Item = Observation>, moments: &[Time]) -> f64 {
    let last = moments.iter().copied().max().unwrap_or(Time::MIN);
    let mut counts = vec![(0, 0); moments.len()];
    for (url, mut visits) in by_page(truth, visits, last) {
        visits.retain(|(_, judgement)| matches!(judgement, Judgement::Changed | Judgement::Gone));
        let Some(first) = visits.first() else { continue };
        let changes = truth.changes(url, first.0, last);
        for (moment, (current, held)) in moments.iter().zip(&mut counts) {
            let before = visits.partition_point(|(at, _)| at <= moment);
            if let Some((taken, Judgement::Changed)) = visits[..before].last() {
                *current += usize::from(next(&changes, *taken) > *moment);
                *held += 1;
            }
        }
    }
    let shares = counts.iter().filter(|(_, held)| *held > 0).map(|(current, held)| *current as f64 / *held as f64);
    let (sum, count) = shares.fold((0.0, 0), |(sum, count), share| (sum + share, count + 1));
    if count == 0 { 1.0 } else { sum / f64::from(count) }
}

/// The visits of each article up to a time, oldest first. In the order of the truth, so that rounding does not depend on
/// the order of a hash map.
fn by_page(
    truth: &Truth,
    visits: impl Iterator<Item = Observation>,
    to: Time,
) -> impl Iterator<Item = (&str, Vec<Seen>)> {
    let mut by_page: HashMap<String, Vec<Seen>> = HashMap::new();
    for Observation { url, at, judgement } in visits {
        if at <= to && truth.is_article(&url) {
            by_page.entry(url).or_default().push((at, judgement));
        }
    }
    by_page.values_mut().for_each(|visits| visits.sort_by_key(|(at, _)| *at));
    truth.pages().filter_map(move |page| Some((page.url, by_page.remove(page.url)?)))
}

/// Moves each visit to the moment at which its request reached the living web: that of the nearest request for the
/// same URL. A clock that runs a day in two seconds gains minutes while a request is on its way, and a page may
/// change meanwhile.
pub fn aligned(visits: impl Iterator<Item = Observation>, log: &[Request]) -> impl Iterator<Item = Observation> {
    let mut by_url: HashMap<String, Vec<Time>> = HashMap::new();
    for request in log {
        by_url.entry(format!("http://{}{}", request.host, request.path)).or_default().push(request.at);
    }
    by_url.values_mut().for_each(|times| times.sort_unstable());
    visits.map(move |mut visit| {
        if let Some(times) = by_url.get(&visit.url) {
            visit.at = nearest(times, visit.at);
        }
        visit
    })
}

/// Adds one page to the total; its share of time with a current copy goes into the sum from which the mean is made.
fn judge(changes: &[Time], first: Seen, later: &[Seen], window: Range<Time>, total: &mut Comparison) {
    let mut copy = first;
    let (mut fresh, mut held, mut caught) = (0.0, 0.0, 0);
    let mut hold = |copy: Seen, until: Time| {
        if copy.1 != Judgement::Gone {
            fresh += current(copy.0..until, changes, window.start);
            held += (until - copy.0.max(window.start)).as_secs().max(0.0);
        }
    };
    for visit in later.iter().filter(|visit| visit.1 != Judgement::Unchanged) {
        if (visit.1, copy.1) == (Judgement::Gone, Judgement::Gone) {
            continue;
        }
        let truly = next(changes, copy.0) <= visit.0;
        if visit.0 > window.start {
            caught += usize::from(truly);
            total.false_alarms += usize::from(!truly);
        }
        hold(copy, visit.0);
        copy = *visit;
    }
    hold(copy, window.end);
    let happened = changes.iter().filter(|change| **change > window.start).count();
    total.changes_caught += caught;
    total.changes_missed += happened.saturating_sub(caught);
    if held > 0.0 {
        total.pages += 1;
        total.true_freshness += fresh / held;
    }
}

/// The seconds after `begin` for which a copy that was held during a time was the current version.
fn current(held: Range<Time>, changes: &[Time], begin: Time) -> f64 {
    let stale = next(changes, held.start).min(held.end);
    (stale - held.start.max(begin)).as_secs().max(0.0)
}

/// The one of the ordered times that is nearest to `at`.
fn nearest(times: &[Time], at: Time) -> Time {
    let place = times.partition_point(|time| *time < at);
    let around = times[place.saturating_sub(1)..].iter().take(2);
    around.copied().min_by_key(|time| (*time - at).millis().unsigned_abs()).unwrap_or(at)
}

/// The first of the ordered changes after a time.
fn next(changes: &[Time], after: Time) -> Time {
    changes.get(changes.partition_point(|change| *change <= after)).copied().unwrap_or(Time::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::living::{Changes, Page, Script, Site};
    use Judgement::{Changed, Failed, Gone, Unchanged};
    use revisit::Span;

    const URL: &str = "http://a.test/a";

    fn hour(hours: f64) -> Time {
        Script::new(1).begins() + Span::HOUR * hours
    }

    /// A page that changes at hours 2, 4 and 5, and vanishes at hour 8.
    fn truth() -> Truth {
        let page = Page::new("/a").changes(Changes::At([2.0, 4.0, 5.0].map(hour).to_vec())).vanishes(hour(8.0));
        Truth::new(Script::new(1).site(Site::new("a.test").page(page)))
    }

    fn observed(visits: &[(f64, Judgement)]) -> impl Iterator<Item = Observation> {
        visits.iter().map(|(at, judgement)| Observation { url: URL.into(), at: hour(*at), judgement: *judgement })
    }

    fn compared(visits: &[(f64, Judgement)], from: f64, to: f64) -> Comparison {
        compare(&truth(), observed(visits), hour(from), hour(to))
    }

    #[test]
    fn a_hand_worked_example() {
        // Current during 0–2, 3–4 and 6–8: 5 of the 9 hours before the page was found gone. Changes 2, one of 4 and 5,
        // and the vanishing are caught.
        let visits =
            [(0.0, Changed), (3.0, Changed), (3.5, Unchanged), (6.0, Changed), (7.0, Failed), (9.0, Gone), (9.5, Gone)];
        let expected = Comparison {
            pages: 1,
            visits: 7,
            changes_caught: 3,
            changes_missed: 1,
            false_alarms: 0,
            true_freshness: 5.0 / 9.0,
        };
        assert_eq!(compared(&visits, 0.0, 10.0), expected);
    }

    #[test]
    fn moments_count_the_copies_held_then() {
        let visits = [(1.0, Changed), (3.0, Changed), (3.5, Unchanged), (7.0, Failed), (9.0, Gone)];
        let at = |hours: &[f64]| {
            let moments: Vec<Time> = hours.iter().map(|hours| hour(*hours)).collect();
            freshness_at(&truth(), observed(&visits), &moments)
        };
        assert_eq!([0.5, 1.5, 2.5, 3.7, 7.5].map(|hours| at(&[hours])), [1.0, 1.0, 0.0, 1.0, 0.0]);
        assert_eq!(at(&[0.5, 1.5, 2.5, 9.5]), 0.5, "there was no copy at first, and none at last");
        assert_eq!(at(&[]), 1.0);
    }

    #[test]
    fn a_page_that_was_gone_from_the_first_is_none() {
        assert_eq!(compared(&[(9.0, Gone)], 0.0, 10.0), Comparison { visits: 1, ..Comparison::default() });
    }

    #[test]
    fn false_alarms_are_told_apart() {
        let found = compared(&[(0.0, Changed), (1.0, Changed), (2.5, Changed)], 0.0, 3.0);
        assert_eq!((found.false_alarms, found.changes_caught, found.changes_missed), (1, 1, 0));
    }

    #[test]
    fn an_overlooked_change_keeps_the_copy_stale() {
        let found = compared(&[(0.0, Changed), (2.0, Unchanged)], 0.0, 4.0 - 0.1);
        assert_eq!((found.changes_caught, found.changes_missed), (0, 1));
        assert!((found.true_freshness - 2.0 / 3.9).abs() < 1e-9);
    }

    #[test]
    fn the_window_cuts_what_came_before() {
        let found = compared(&[(0.0, Changed), (3.0, Changed), (6.0, Changed)], 5.5, 7.5);
        assert_eq!((found.visits, found.changes_caught, found.changes_missed), (1, 1, 0));
        assert!((found.true_freshness - 0.75).abs() < 1e-9);
    }

    #[test]
    fn the_nearest_request_is_the_one() {
        let times = [10, 20, 20, 40].map(Time::from_secs);
        let found = [0, 10, 14, 16, 29, 31, 99].map(|at| nearest(&times, Time::from_secs(at)).secs());
        assert_eq!(found, [10, 10, 10, 20, 20, 40, 40]);
    }

    #[test]
    fn nothing_visited_is_nothing_known() {
        assert_eq!(compared(&[(1.0, Failed)], 0.0, 2.0), Comparison { visits: 1, ..Comparison::default() });
    }
}
