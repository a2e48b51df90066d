//! The scheduler's promises, one a test.

use super::*;
use crate::policy::registry::build;
use crate::schedule::hints::ListKind;
use crate::site::Trust;
use crate::{Outcome, PageOrder};

fn at(hour: i64) -> Time {
    Time::from_secs(hour * 3600)
}

fn seen(pages: u32, policy: &str) -> Scheduler {
    let mut scheduler = Scheduler::new(build(policy).unwrap(), Span::HOUR, 0.5);
    for page in 0..pages {
        scheduler.add(PageId(page), HostId(page % 2), 1.0);
        scheduler.record(&Visit { page: PageId(page), at: at(0), outcome: Outcome::First });
    }
    scheduler.end_replay();
    scheduler
}

fn ids(picks: Vec<PageId>) -> Vec<u32> {
    picks.into_iter().map(|page| page.0).collect()
}

#[test]
fn ties_go_to_the_lower_id_and_a_page_is_picked_once_a_cycle() {
    let mut scheduler = seen(5, "age");
    scheduler.open_cycle(4, 4, at(1));
    assert_eq!(ids(scheduler.pick(at(1), 3).unwrap()), [0, 1, 2]);
    assert_eq!(ids(scheduler.pick(at(1), 3).unwrap()), [3], "the budget of 4 is spent");
    scheduler.record(&Visit { page: PageId(0), at: at(1), outcome: Outcome::Unchanged });
    assert_eq!(ids(scheduler.pick(at(1), 3).unwrap()), [] as [u32; 0]);
}

#[test]
fn new_pages_have_a_share_and_take_what_is_left() {
    let mut scheduler = seen(4, "age");
    for page in 4..8 {
        scheduler.add(PageId(page), HostId(0), 1.0);
    }
    scheduler.open_cycle(100, 100, at(1));
    assert_eq!(ids(scheduler.pick(at(1), 4).unwrap()), [4, 5, 0, 1]);
    assert_eq!(ids(scheduler.pick(at(1), 10).unwrap()), [6, 7, 2, 3]);
}

#[test]
fn places_and_pauses_of_a_host_are_kept() {
    let mut scheduler = seen(6, "age");
    scheduler.limit_host(HostId(0), 1);
    scheduler.pause_host(HostId(1), at(3));
    scheduler.open_cycle(100, 100, at(1));
    assert_eq!(ids(scheduler.pick(at(1), 10).unwrap()), [0]);
    scheduler.record(&Visit { page: PageId(0), at: at(1), outcome: Outcome::Unchanged });
    assert_eq!(ids(scheduler.pick(at(3), 10).unwrap()), [1, 2, 3, 5]);
}

#[test]
fn a_released_page_can_be_picked_again() {
    let mut scheduler = seen(1, "age");
    scheduler.add(PageId(1), HostId(0), 1.0);
    scheduler.open_cycle(2, 2, at(1));
    assert_eq!(ids(scheduler.pick(at(1), 2).unwrap()), [1, 0]);
    scheduler.release(PageId(0));
    scheduler.release(PageId(1));
    assert_eq!(scheduler.left(), 2);
    assert_eq!(ids(scheduler.pick(at(1), 2).unwrap()), [1, 0]);
}

#[test]
fn a_page_whose_copy_was_lost_waits_like_a_new_one() {
    let mut scheduler = seen(4, "age");
    scheduler.lose(PageId(3));
    scheduler.end_replay();
    assert_eq!(scheduler.waiting(), 1);
    scheduler.open_cycle(2, 2, at(1));
    assert_eq!(ids(scheduler.pick(at(1), 2).unwrap()), [3, 0]);
    scheduler.record(&Visit { page: PageId(3), at: at(1), outcome: Outcome::First });
    scheduler.open_cycle(4, 4, at(2));
    assert_eq!(ids(scheduler.pick(at(2), 4).unwrap()), [1, 2, 3], "0 is under way");
}

#[test]
fn a_page_that_fails_rests_longer_each_time() {
    let mut scheduler = Scheduler::new(build("age").unwrap(), Span::HOUR, 0.5);
    scheduler.add(PageId(0), HostId(0), 1.0);
    let mut visited = Vec::new();
    for hour in 0..16 {
        scheduler.open_cycle(10, 10, at(hour));
        for page in scheduler.pick(at(hour), 10).unwrap() {
            scheduler.record(&Visit { page, at: at(hour), outcome: Outcome::Failed });
            visited.push(hour);
        }
    }
    assert_eq!(visited, [0, 1, 3, 7, 15]);
}

#[test]
fn heavier_pages_go_first() {
    let mut scheduler = seen(2, "age");
    scheduler.add(PageId(2), HostId(0), 2.0);
    scheduler.record(&Visit { page: PageId(2), at: at(0), outcome: Outcome::First });
    scheduler.end_replay();
    scheduler.open_cycle(1, 1, at(1));
    assert_eq!(ids(scheduler.pick(at(1), 1).unwrap()), [2]);
    assert_eq!(scheduler.rank(PageId(1), at(1), 1).unwrap().map(|rank| (rank.position, rank.of)), Some((2, 2)));
}

#[test]
fn pages_have_a_rank_before_any_cycle_opened() {
    let mut scheduler = seen(3, "age");
    let rank = scheduler.rank(PageId(2), at(1), 1).unwrap().map(|rank| (rank.position, rank.of));
    assert_eq!(rank, Some((3, 3)));
}

#[test]
fn a_rank_is_the_same_in_however_many_steps_it_is_found() {
    let mut scheduler = seen(40, "age");
    scheduler.open_cycle(5, 5, at(1));
    (0..40).step_by(3).for_each(|page| {
        scheduler.record(&Visit { page: PageId(page), at: at(1), outcome: Outcome::Changed });
    });
    for page in [0, 1, 17, 39].map(PageId) {
        let in_steps = |pages| {
            let mut ranking = scheduler.ranking(page, at(3)).unwrap().unwrap();
            std::iter::repeat_with(|| scheduler.look_on(&mut ranking, pages).unwrap()).flatten().next().unwrap()
        };
        let whole = in_steps(usize::MAX);
        assert_eq!([in_steps(1), in_steps(7), in_steps(40)], [whole; 3]);
        assert_eq!(scheduler.rank(page, at(3), 5).unwrap(), Some(whole));
    }
}

#[test]
fn of_very_many_pages_a_rank_is_told_from_a_part() {
    const PAGES: u32 = 1_100_000;
    let mut scheduler = seen(PAGES, "age");
    (PAGES / 4..PAGES).for_each(|page| {
        scheduler.record(&Visit { page: PageId(page), at: at(1), outcome: Outcome::Changed });
    });
    let rank = scheduler.rank(PageId(PAGES - 1), at(3), 5).unwrap().unwrap();
    assert!(PAGES as usize - rank.position < 4, "{rank:?}: it is the last");
    assert_eq!(rank.of, PAGES as usize);
    let rank = scheduler.rank(PageId(PAGES / 4 - 1), at(3), 5).unwrap().unwrap();
    assert!(rank.position.abs_diff(PAGES as usize / 4) < 4, "{rank:?}: the last of those that waited longer");
}

#[test]
fn a_visit_without_a_fetch_costs_nothing() {
    let mut scheduler = seen(2, "age");
    scheduler.open_cycle(1, 1, at(1));
    let page = scheduler.pick(at(1), 1).unwrap()[0];
    scheduler.record(&Visit { page, at: at(1), outcome: Outcome::Failed });
    scheduler.refund();
    assert_eq!(ids(scheduler.pick(at(1), 1).unwrap()), [1]);
}

#[test]
fn what_a_visit_takes_beyond_one_request_is_paid_by_the_budget_and_then_by_the_next_cycles() {
    let mut scheduler = seen(20, "age");
    scheduler.open_cycle(10, 10, at(1));
    for page in scheduler.pick(at(1), 4).unwrap() {
        scheduler.record(&Visit { page, at: at(1), outcome: Outcome::Unchanged });
    }
    scheduler.charge(3);
    assert_eq!(scheduler.left(), 3);
    scheduler.charge(15);
    assert_eq!(ids(scheduler.pick(at(1), 10).unwrap()), [] as [u32; 0]);
    let left: Vec<usize> = (2..5)
        .map(|hour| {
            scheduler.open_cycle(10, 10, at(hour));
            scheduler.left()
        })
        .collect();
    assert_eq!(left, [0, 8, 10], "12 are owed");
}

/// A sitemap (page 0) that lists ten pages of its host, all seen, with nothing said yet.
fn listed(policy: &str) -> Scheduler {
    let mut scheduler = Scheduler::new(build(policy).unwrap(), Span::HOUR, 0.5);
    for page in 0..11 {
        scheduler.add(PageId(page), HostId(0), 1.0);
        scheduler.record(&Visit { page: PageId(page), at: at(0), outcome: Outcome::First });
    }
    scheduler.end_replay();
    scheduler
}

#[test]
fn who_is_paused_or_removed_is_not_picked_until_resumed() {
    let mut scheduler = seen(3, "age");
    scheduler.add(PageId(3), HostId(0), 1.0);
    scheduler.add(PageId(4), HostId(0), 1.0);
    for (page, order) in [(0, PageOrder::Pause), (1, PageOrder::Remove), (3, PageOrder::Pause)] {
        scheduler.order(PageId(page), order);
    }
    assert_eq!((scheduler.waiting(), scheduler.held(PageId(1))), (1, Some(Held::Removed)));
    assert_eq!(scheduler.all_chances_current(at(2)).count(), 2, "the copy of a page that was removed does not count");
    scheduler.open_cycle(9, 9, at(2));
    assert_eq!(ids(scheduler.pick(at(2), 9).unwrap()), [4, 2]);
    // Within the cycle, too.
    for page in [0, 3] {
        scheduler.order(PageId(page), PageOrder::Resume);
        scheduler.order(PageId(page), PageOrder::Resume);
    }
    assert_eq!(ids(scheduler.pick(at(2), 9).unwrap()), [3, 0]);
    scheduler.order(PageId(3), PageOrder::Pause);
    scheduler.release(PageId(3));
    assert_eq!((ids(scheduler.pick(at(2), 9).unwrap()), scheduler.waiting()), (vec![], 0), "given back, it stays");
    scheduler.order(PageId(77), PageOrder::Visit);
}

#[test]
fn who_is_to_be_visited_now_goes_first_and_the_next_cycle_pays() {
    let mut scheduler = seen(4, "age");
    scheduler.add(PageId(4), HostId(1), 1.0);
    scheduler.open_cycle(1, 1, at(2));
    assert_eq!(ids(scheduler.pick(at(2), 1).unwrap()), [4]);
    scheduler.record(&Visit { page: PageId(4), at: at(2), outcome: Outcome::First });
    assert_eq!((scheduler.left(), ids(scheduler.pick(at(2), 9).unwrap())), (0, vec![]));
    scheduler.order(PageId(2), PageOrder::Pause);
    for page in [4, 2] {
        scheduler.order(PageId(page), PageOrder::Visit);
    }
    scheduler.limit_host(HostId(1), 0);
    assert_eq!(ids(scheduler.pick(at(2), 9).unwrap()), [2], "the host of the other has no place");
    scheduler.limit_host(HostId(1), 1);
    assert_eq!(ids(scheduler.pick(at(2), 9).unwrap()), [4], "although it had its turn");
    for page in [2, 4] {
        scheduler.record(&Visit { page: PageId(page), at: at(2), outcome: Outcome::Unchanged });
    }
    assert_eq!(ids(scheduler.pick(at(2), 9).unwrap()), [] as [u32; 0], "once");
    scheduler.open_cycle(3, 3, at(3));
    assert_eq!(scheduler.left(), 1, "two were visited beyond what the cycle before was allowed");
}

/// Visits in one cycle, if the sitemap says of the pages in `claimed` that they changed and those in `changed` did.
fn live(scheduler: &mut Scheduler, hour: i64, claimed: &[u32], changed: &[u32]) -> Vec<u32> {
    scheduler.open_cycle(100, 100, at(hour));
    let mut visited = Vec::new();
    loop {
        // One after the other, as if every host had one place.
        let Some(&page) = scheduler.pick(at(hour), 1).unwrap().first() else { return visited };
        if page == PageId(0) {
            for told in 1..11 {
                let modified = if claimed.contains(&told) { at(hour) } else { at(0) };
                scheduler.hint(PageId(told), modified, page, ListKind::Sitemap);
            }
        }
        let changed = page == PageId(0) || changed.contains(&page.0);
        let outcome = if changed { Outcome::Changed } else { Outcome::Unchanged };
        scheduler.record(&Visit { page, at: at(hour), outcome });
        visited.push(page.0);
    }
}

#[test]
fn an_honest_sitemap_goes_first_and_saves_visits() {
    let mut scheduler = listed("age");
    let mut visits = 0;
    for hour in 1..=60 {
        let changed = 1 + (hour % 10) as u32;
        let visited = live(&mut scheduler, hour, &[changed], &[changed]);
        if hour > 30 {
            assert_eq!(visited[0], 0, "the sitemap is read first");
            assert!(visited.contains(&changed), "hour {hour}: {visited:?}");
            visits += visited.len();
        }
    }
    assert!((60..=120).contains(&visits), "{visits} visits, 330 without the sitemap");
}

#[test]
fn a_lying_sitemap_moves_nothing() {
    let mut scheduler = listed("age");
    let everything: Vec<u32> = (1..11).collect();
    for hour in 1..=20 {
        let visited = live(&mut scheduler, hour, &everything, &[1 + (hour % 10) as u32]);
        assert_eq!(visited, (0..11).collect::<Vec<u32>>(), "hour {hour}");
    }
}

#[test]
fn a_page_said_to_have_changed_is_visited_although_the_policy_would_wait() {
    let mut scheduler = listed("fix?start=100");
    scheduler.set_trust(HostId(0), Trust::from_numbers([200.0, 0.0, 0.0, 200.0, 0.05, 8.0]));
    scheduler.open_cycle(100, 100, at(2));
    assert_eq!(ids(scheduler.pick(at(2), 10).unwrap()), [] as [u32; 0]);
    for page in 1..11 {
        scheduler.hint(PageId(page), at(1), PageId(0), ListKind::Feed);
    }
    assert!(scheduler.pick(at(2), 20).unwrap().len() >= 8);
}

#[test]
fn lists_speak_for_their_own_host_only() {
    let mut scheduler = seen(2, "age");
    scheduler.hint(PageId(1), at(5), PageId(0), ListKind::Sitemap);
    assert_eq!((scheduler.hinted(PageId(1)), scheduler.claim(PageId(1), at(6))), (None, None));
}

#[test]
fn a_sitemap_is_no_copy_to_keep_current() {
    let mut scheduler = listed("age");
    for page in 1..11 {
        scheduler.hint(PageId(page), at(0), PageId(0), ListKind::Sitemap);
    }
    let counted: Vec<u32> = scheduler.all_chances_current(at(2)).map(|(page, _)| page.0).collect();
    assert_eq!(counted, (1..11).collect::<Vec<u32>>());
}

#[test]
fn a_page_that_comes_forward_within_a_cycle_is_picked_once() {
    let mut scheduler = seen(12, "age");
    scheduler.set_trust(HostId(0), Trust::from_numbers([200.0, 0.0, 0.0, 200.0, 0.05, 8.0]));
    scheduler.open_cycle(12, 12, at(2));
    let first = scheduler.pick(at(2), 1).unwrap();
    for page in (2..12).step_by(2) {
        scheduler.hint(PageId(page), at(1), PageId(0), ListKind::Feed);
    }
    // They stand where they came to, and where they stood before.
    let mut picks = ids([first, scheduler.pick(at(2), 11).unwrap()].concat());
    assert!(picks[1].is_multiple_of(2), "{picks:?}");
    picks.sort_unstable();
    assert_eq!(picks, (0..12).collect::<Vec<_>>());
}
