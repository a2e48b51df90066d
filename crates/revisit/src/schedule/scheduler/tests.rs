//! The scheduler's promises, one a test.

use super::*;
use crate::policy::registry::build;
use crate::schedule::hints::ListKind;
use crate::schedule::orders::Held;
use crate::site::Trust;
use crate::{Outcome, PageOrder};

fn at(hour: i64) -> Time {
    Time::from_secs(hour * 3600)
}

fn seen(pages: u32, policy: &str) -> Scheduler {
    let mut scheduler = Scheduler::new(build(policy).unwrap(), Span::HOUR, Floors { first: 0.5, again: 0.0 });
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

/// Four pages seen on two hosts, four that wait at the first of them; the fourth seen one has a weight.
fn seen_and_waiting(floors: Floors, weight: f32) -> Scheduler {
    let mut scheduler = Scheduler::new(build("age").unwrap(), Span::HOUR, floors);
    for page in 0..4 {
        scheduler.add(PageId(page), HostId(page % 2), if page == 3 { weight } else { 1.0 });
        scheduler.record(&Visit { page: PageId(page), at: at(0), outcome: Outcome::First });
    }
    (4..8).for_each(|page| _ = scheduler.add(PageId(page), HostId(0), 1.0));
    scheduler.end_replay();
    scheduler.open_cycle(100, 100, at(1));
    scheduler
}

#[test]
fn a_page_without_a_copy_is_as_stale_as_any_and_a_heavier_one_goes_before_it() {
    let picks = |weight| ids(seen_and_waiting(Floors::NONE, weight).pick(at(1), 8).unwrap());
    assert_eq!(picks(1.0), [4, 5, 6, 7, 0, 1, 2, 3]);
    assert_eq!(picks(2.0), [3, 4, 5, 6, 7, 0, 1, 2]);
}

#[test]
fn floors_are_kept_over_the_cycle_however_many_are_picked_at_once() {
    for at_once in [1, 3, 8] {
        let mut scheduler = seen_and_waiting(Floors { first: 0.0, again: 0.5 }, 1.0);
        let picks: Vec<u32> = (0..8).flat_map(|_| ids(scheduler.pick(at(1), at_once).unwrap())).collect();
        assert_eq!(picks, [0, 4, 1, 5, 2, 6, 3, 7], "{at_once} at once");
    }
    let mut scheduler = seen_and_waiting(Floors { first: 0.5, again: 0.0 }, 100.0);
    scheduler.order(PageId(1), PageOrder::Weigh(100.0));
    scheduler.open_cycle(100, 100, at(2));
    assert_eq!(ids(scheduler.pick(at(2), 4).unwrap()), [4, 1, 5, 3]);
}

#[test]
fn floors_are_kept_at_each_host() {
    let mut scheduler = Scheduler::new(build("age").unwrap(), Span::HOUR, Floors { first: 0.0, again: 0.25 });
    for page in 0..20 {
        scheduler.add(PageId(page), HostId(page / 10), 1.0);
        // Of the second host nobody waits, and its pages have waited longest.
        if page % 10 < 5 || page >= 10 {
            let at = at(i64::from(page < 10));
            scheduler.record(&Visit { page: PageId(page), at, outcome: Outcome::First });
        }
    }
    scheduler.end_replay();
    scheduler.open_cycle(12, 12, at(2));
    let picks = ids(scheduler.pick(at(2), 12).unwrap());
    let revisits = picks.iter().filter(|page| **page < 5).count();
    assert_eq!(picks.iter().filter(|page| (5..10).contains(*page)).count(), 5, "{picks:?}: all that waited");
    assert_eq!(revisits, 1, "{picks:?}: a quarter of its host's six, though others are worth more");
}

#[test]
fn a_burst_of_new_pages_takes_nothing_from_small_hosts() {
    const HOSTS: u32 = 20;
    const PAGES: u32 = 10 * HOSTS;
    let mut scheduler = Scheduler::new(build("age").unwrap(), Span::HOUR, Floors::default());
    (0..PAGES).for_each(|page| _ = scheduler.add(PageId(page), HostId(page % HOSTS), 1.0));
    let cycle = |scheduler: &mut Scheduler, hour: i64| {
        scheduler.open_cycle(1000, 1000, at(hour));
        let picks = scheduler.pick(at(hour), 1000).unwrap();
        let outcome = Outcome::Unchanged;
        picks.iter().for_each(|page| scheduler.record(&Visit { page: *page, at: at(hour), outcome }));
        (picks.iter().filter(|page| page.0 < PAGES).count() as u32, picks.len())
    };
    assert_eq!(cycle(&mut scheduler, 1), (PAGES, 200));
    (PAGES..50_000).for_each(|page| _ = scheduler.add(PageId(page), HostId(HOSTS), 1.0));
    // Until so many were read that they compete as revisits do.
    for hour in 2..4 {
        assert_eq!(cycle(&mut scheduler, hour), (PAGES, 1000));
    }
}

#[test]
fn unread_pages_go_before_revisits_of_their_own_host() {
    // 541 pages at one host, and five each at twenty others that are seen already; all worth the same after an hour.
    let mut scheduler = Scheduler::new(build("age").unwrap(), Span::HOUR, Floors::default());
    (0..100).for_each(|page| _ = scheduler.add(PageId(page), HostId(1 + page % 20), 1.0));
    let cycle = |scheduler: &mut Scheduler, hour: i64| {
        scheduler.open_cycle(200, 200, at(hour));
        let picks = scheduler.pick(at(hour), 200).unwrap();
        let is_first = |page: &PageId| scheduler.pages().history(*page).last_seen().is_none();
        let first = picks.iter().filter(|page| is_first(page)).count();
        let small = picks.iter().filter(|page| page.0 < 100).count();
        for page in picks {
            scheduler.record(&Visit { page, at: at(hour), outcome: Outcome::Unchanged });
        }
        (first, small)
    };
    assert_eq!(cycle(&mut scheduler, 1), (100, 100));
    (100..641).for_each(|page| _ = scheduler.add(PageId(page), HostId(0), 1.0));
    let shares: Vec<_> = (2..8).map(|hour| cycle(&mut scheduler, hour)).collect();
    assert_eq!(shares.iter().map(|(first, _)| first).sum::<usize>(), 541, "{shares:?}");
    assert!(shares[..2].iter().all(|(_, small)| *small == 100), "until those of the large host are older: {shares:?}");
}

#[test]
fn a_budget_of_one_visit_keeps_revisits_going() {
    let mut scheduler = Scheduler::new(build("age").unwrap(), Span::HOUR, Floors::default());
    (0..500).for_each(|page| _ = scheduler.add(PageId(page), HostId(0), 1.0));
    let mut again = 0;
    for hour in 1..101 {
        scheduler.open_cycle(1, 1, at(hour));
        for page in scheduler.pick(at(hour), 1).unwrap() {
            again += usize::from(scheduler.pages().history(page).last_seen().is_some());
            scheduler.record(&Visit { page, at: at(hour), outcome: Outcome::Unchanged });
        }
    }
    assert!((5..=10).contains(&again), "{again} of a hundred");
}

#[test]
fn where_nobody_is_worth_a_visit_heavier_pages_go_first() {
    let mut scheduler = seen(6, "nad");
    scheduler.weigh(PageId(4), 10.0);
    scheduler.open_cycle(2, 2, at(9));
    assert_eq!(ids(scheduler.pick(at(9), 2).unwrap()), [4, 0]);
}

#[test]
fn who_took_several_requests_is_picked_for_as_many() {
    let mut scheduler = seen(6, "age");
    scheduler.open_cycle(6, 6, at(9));
    scheduler.record(&Visit { page: PageId(0), at: at(9), outcome: Outcome::Unchanged });
    scheduler.charge_visit(PageId(0), 3);
    assert_eq!((scheduler.left(), scheduler.unforeseen(PageId(0), 4)), (2, 1));
    scheduler.open_cycle(7, 7, at(10));
    assert_eq!(
        ids(scheduler.pick(at(10), 9).unwrap()),
        [1, 2, 3, 4, 5, 0],
        "who is begun last may take more than is left"
    );
    scheduler.release(PageId(0));
    scheduler.weigh(PageId(0), 100.0);
    scheduler.open_cycle(6, 6, at(11));
    assert_eq!(scheduler.left(), 1, "five are under way");
    scheduler.open_cycle(10, 10, at(12));
    assert_eq!((ids(scheduler.pick(at(12), 9).unwrap()), scheduler.left()), (vec![0], 1), "it takes four");
}

#[test]
fn a_weight_never_turns_an_order_around() {
    struct Below;
    impl Policy for Below {
        fn score(&self, _: PageId, history: &History, now: Time) -> Option<f64> {
            history.elapsed(now).map(|elapsed| elapsed.as_days() - 100.0)
        }
        fn reason(&self, _: PageId, _: &History, _: Time) -> String {
            "below zero".to_owned()
        }
    }
    let mut scheduler = Scheduler::new(Box::new(Below), Span::HOUR, Floors::NONE);
    for (page, weight) in [(0, 1.0), (1, 10.0), (2, 0.0), (3, 0.5)] {
        scheduler.add(PageId(page), HostId(0), weight);
        scheduler.record(&Visit { page: PageId(page), at: at(0), outcome: Outcome::First });
    }
    scheduler.add(PageId(4), HostId(0), 1.0);
    scheduler.end_replay();
    scheduler.open_cycle(9, 9, at(1));
    assert_eq!(ids(scheduler.pick(at(1), 9).unwrap()), [1, 4, 0, 3, 2]);
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
    let mut scheduler = Scheduler::new(build("age").unwrap(), Span::HOUR, Floors { first: 0.5, again: 0.0 });
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
    let mut scheduler = Scheduler::new(build(policy).unwrap(), Span::HOUR, Floors { first: 0.5, again: 0.0 });
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
