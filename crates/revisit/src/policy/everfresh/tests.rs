//! The policy as a whole.

use super::*;
use crate::policy::registry::build;
use crate::{Floors, HostId, Scheduler};

const PAGES: u32 = 60;

fn at(day: u32) -> Time {
    Time::from_secs(i64::from(day) * 86_400)
}

/// A crawl of forty days: every fourth page changes daily, the others never; all are visited once a day.
fn crawled(policy: &str) -> Scheduler {
    let mut scheduler = Scheduler::new(build(policy).unwrap(), Span::DAY, Floors::NONE);
    for page in 0..PAGES {
        scheduler.add(PageId(page), HostId(0), 1.0);
        scheduler.locate(PageId(page), &format!("http://x.org/{}/{page}", page % 2));
    }
    for day in 0..40 {
        for page in 0..PAGES {
            let outcome = match (day, page % 4) {
                (0, _) => Outcome::First,
                (_, 0) => Outcome::Changed,
                _ => Outcome::Unchanged,
            };
            scheduler.record(&Visit { page: PageId(page), at: at(day), outcome });
        }
        if day == 0 {
            scheduler.end_replay();
        }
        scheduler.open_cycle(1, 0, at(day + 1));
        scheduler.rank(PageId(0), at(day + 1), 1).unwrap();
    }
    scheduler
}

#[test]
fn every_objective_prefers_what_changes_and_expects_the_rest_to_be_current() {
    for objective in ["freshness", "age", "changes", "capture"] {
        let mut scheduler = crawled(&format!("everfresh?objective={objective}"));
        scheduler.open_cycle(15, 15, at(40));
        let picks = scheduler.pick(at(40), 15).unwrap();
        assert!(picks.iter().all(|page| page.0 % 4 == 0), "{objective}: {picks:?}");
    }
    let expected = crawled("everfresh").expected_freshness(at(40));
    assert!((0.74..0.86).contains(&expected), "a quarter changed with a good chance: {expected}");
}

#[test]
fn reasons_have_the_page_s_numbers() {
    let scheduler = crawled("everfresh");
    let reason = scheduler.reason(PageId(0), at(41));
    assert!(reason.starts_with("39 of 39 visits saw a change"), "{reason}");
    assert!(reason.contains("last seen 2d ago") && reason.contains("for the share of copies"), "{reason}");
}

#[test]
fn what_is_known_of_a_page_takes_60_bytes() {
    assert!(size_of::<Known>() <= 60, "{}", size_of::<Known>());
}

#[test]
fn failures_teach_nothing() {
    let mut policy = Everfresh::new(Objective::Freshness, ALL);
    let visit = Visit { page: PageId(3), at: at(1), outcome: Outcome::Failed };
    policy.learn(PageId(3), &History::default(), &visit);
    assert!(policy.pages.is_empty() && policy.origin.is_none());
}

#[test]
fn it_is_fitted_when_it_plans_and_at_no_other_time() {
    let mut policy = Everfresh::new(Objective::Freshness, ALL);
    let mut histories = vec![History::default(); 20];
    for day in 0..40 {
        if day < 35 {
            policy.plan(&Pages::default(), Budget { fetches: 0, cycle: Span::DAY }, at(day));
        }
        for (page, history) in (0..).zip(&mut histories) {
            let outcome = if page % 4 == 0 { Outcome::Changed } else { Outcome::Unchanged };
            let visit = Visit { page: PageId(page), at: at(day), outcome };
            history.record(&visit);
            policy.learn(PageId(page), history, &visit);
        }
    }
    assert_eq!(policy.refitted, 34.0);
    let of_calm = policy.prior.of(NEUTRAL)[0] + policy.prior.of(NEUTRAL)[1];
    assert!(of_calm > 0.2, "most pages of the collection never change: {of_calm}");
}

#[test]
fn pages_that_rest_at_weekends_wait_for_monday() {
    // Days from a Monday; half of the pages change on all days, half on five.
    let day = |number: u32| at(number + 4);
    let mut policy = Everfresh::new(Objective::Freshness, ALL);
    let mut histories = vec![History::default(); 200];
    for today in 1..=42 {
        policy.plan(&Pages::default(), Budget { fetches: 200, cycle: Span::DAY }, day(today));
        for (page, history) in (0..).zip(&mut histories) {
            let weekend = (today - 1) % 7 >= 5;
            let outcome = if page % 2 == 0 && weekend { Outcome::Unchanged } else { Outcome::Changed };
            let visit = Visit { page: PageId(page), at: day(today), outcome };
            history.record(&visit);
            policy.learn(PageId(page), history, &visit);
        }
    }
    // All were last seen at the end of a Sunday.
    let busy = |page: usize, from: u32, to: u32| policy.busy(&policy.pages[page], from as f32, to as f32);
    assert!(busy(0, 41, 42) > 1.2, "a Monday of the office");
    assert!(busy(0, 46, 47) < 0.2, "its Saturday");
    assert!((busy(1, 46, 47) - 1.0).abs() < 0.1, "a Saturday of the machine");
    let reason = policy.reason(PageId(0), &histories[0], day(43));
    assert!(reason.contains("going by the days and hours at which it rests it changed 1."), "{reason}");
}
