//! Pages that come and go in the lab, and parts of the pages: what must hold for every policy and every trace.
#![allow(clippy::unwrap_used)]

mod support;

use proptest::prelude::*;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::limit::Limits;
use revisit::lab::population::Population;
use revisit::lab::run::{Run, run, run_by_group};
use revisit::lab::trace::{Trace, TracePage};
use revisit::policy::registry::POLICIES;
use revisit::{Span, Time};
use support::built;

const CYCLES: usize = 10;

fn hour(hour: i64) -> Time {
    Time::from_secs(hour * 3600)
}

fn window() -> Window {
    Window { start: hour(0), cycle: Span::DAY, cycles: CYCLES, warmup: 2 }
}

/// A trace of pages with the hours at which they appear, are last seen, and change.
fn trace(pages: &[(i64, i64, Vec<i64>)]) -> Trace {
    let page = |(first, last, changes): &(i64, i64, Vec<i64>)| {
        let inside = changes.iter().filter(|change| (first..=last).contains(change));
        (TracePage::named("", hour(*first), hour(*last)), inside.map(|change| hour(*change)).collect())
    };
    Trace::new("made", pages.iter().map(page))
}

fn half(pages: usize) -> usize {
    pages.div_ceil(2)
}

fn run_half(cut: &Cut<'_>, policy: &str) -> Run {
    run_by_group(cut, built(policy), half, 1, |_| 0).unwrap().remove(0)
}

#[test]
fn a_life_by_hand() {
    // One page throughout; one found on day 4 (the fifth), which changes on days 4, 6 and 8, and is last seen on day 9.
    let trace = trace(&[(0, 240, vec![]), (100, 220, vec![110, 150, 200, 219])]);
    let cut = Cut::of(&trace, window(), Population::All).unwrap();
    assert_eq!(cut.present(), [1, 1, 1, 1, 2, 2, 2, 2, 2, 1]);
    assert_eq!((cut.appeared_in(4), cut.gone_in(9)), (1..2, &[1][..]));
    // Two visits a cycle see everything at once.
    let all = run(&cut, built("age"), 2).unwrap();
    let visits: Vec<usize> = all.cycles.iter().map(|counts| counts.visits).collect();
    assert_eq!(visits, [1, 1, 1, 2, 2, 2, 2, 1], "discovery is no visit, and nobody visits a page that is gone");
    assert_eq!(all.cycles.iter().map(|counts| counts.changed_pages).sum::<usize>(), 2, "days 6 and 8");
    let measures = all.measures();
    assert_eq!((measures.recall, measures.freshness, measures.downloads), (1.0, 1.0, 12));
    let limits = Limits::of(&cut, |pages| pages);
    assert_eq!((limits.recall, limits.freshness, limits.change_ratio), (1.0, 1.0, 2.0 / 13.0));
    // Without a visit the change of day 6 makes the copy old until the page is gone.
    let none = run(&cut, built("age"), 0).unwrap();
    assert_eq!(none.cycles.iter().map(|counts| counts.current).collect::<Vec<_>>(), [1, 1, 2, 2, 1, 1, 1, 1]);
    assert_eq!(Limits::of(&cut, |_| 0).freshness, 10.0 / 13.0);
}

#[test]
fn the_mean_interval_is_that_of_the_life() {
    let trace = trace(&[(0, 240, vec![5]), (100, 220, vec![110, 150])]);
    let cut = Cut::of(&trace, window(), Population::All).unwrap();
    assert_eq!((cut.mean_interval(0), cut.mean_interval(1)), (Span::HOUR * 240.0, Span::HOUR * 60.0));
}

fn lives() -> impl Strategy<Value = Vec<(i64, i64, Vec<i64>)>> {
    let changes = || prop::collection::vec(-20_i64..260, 0..12);
    let page = (-20_i64..260, 0_i64..280, changes()).prop_map(|(first, rest, changes)| (first, first + rest, changes));
    // At least one page can be met.
    (prop::collection::vec(page, 0..25), changes()).prop_map(|(mut pages, changes)| {
        pages.push((-1, 241, changes));
        pages
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn pages_that_stay_are_the_same_in_both_populations(changes in prop::collection::vec(prop::collection::vec(0_i64..240, 0..12), 1..15)) {
        let pages: Vec<_> = changes.into_iter().map(|changes| (-1, 240, changes)).collect();
        let trace = trace(&pages);
        let (throughout, all) = (Cut::new(&trace, window()).unwrap(), Cut::of(&trace, window(), Population::All).unwrap());
        prop_assert_eq!(Limits::of(&throughout, half), Limits::of(&all, half));
        for entry in POLICIES {
            prop_assert_eq!(run_half(&throughout, entry.name), run_half(&all, entry.name), "{}", entry.name);
        }
    }

    #[test]
    fn no_policy_does_more_than_was_possible(pages in lives()) {
        let trace = trace(&pages);
        let cut = Cut::of(&trace, window(), Population::All).unwrap();
        let limits = Limits::of(&cut, half);
        let present = cut.present();
        for entry in POLICIES {
            let run = run_half(&cut, entry.name);
            let seen: usize = run.cycles.iter().map(|counts| counts.changed_visits).sum();
            let happened: usize = run.cycles.iter().map(|counts| counts.changed_pages).sum();
            prop_assert!(seen as f64 <= limits.recall * happened as f64 + 1e-9, "{}: {seen} of {happened}", entry.name);
            for (counts, present) in run.cycles.iter().zip(&present[2..]) {
                prop_assert_eq!(counts.pages, *present);
                prop_assert!(counts.visits <= half(*present) && counts.current <= *present);
            }
        }
    }

    #[test]
    fn folds_are_the_pages_in_parts(pages in lives(), count in 1_usize..9, seed in 0_u64..5) {
        let trace = trace(&pages);
        let cut = Cut::of(&trace, window(), Population::All).unwrap();
        let folds = cut.folds(count, seed);
        prop_assert_eq!(folds.len(), count.min(cut.len()));
        let sizes = folds.iter().map(Cut::len);
        prop_assert!(sizes.clone().max().unwrap() - sizes.clone().min().unwrap() <= 1);
        let mut ids: Vec<_> = folds.iter().flat_map(|fold| (0..fold.len()).map(|index| fold.page(index))).collect();
        ids.sort_unstable();
        let mut whole: Vec<_> = (0..cut.len()).map(|index| cut.page(index)).collect();
        whole.sort_unstable();
        prop_assert_eq!(ids, whole);
        for cycle in 0..CYCLES {
            let changes: usize = folds.iter().map(|fold| fold.changed_in(cycle).len()).sum();
            prop_assert_eq!(changes, cut.changed_in(cycle).len());
            prop_assert_eq!(folds.iter().map(|fold| fold.present()[cycle]).sum::<usize>(), cut.present()[cycle]);
        }
    }
}
