//! What every registered policy must keep, whatever it computes.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;

use proptest::prelude::*;
use revisit::policy::registry::{Kind, POLICIES, Spending, find};
use revisit::{Floors, HostId, Outcome, PageId, Rank, Scheduler, Span, Time, Visit};
use support::built;

/// A visit at some hour, or none: what a random life of a page is made of.
type Life = Vec<(u8, Outcome)>;

fn lives() -> impl Strategy<Value = Vec<Life>> {
    let outcome = prop::sample::select(vec![
        Outcome::First,
        Outcome::Changed,
        Outcome::Unchanged,
        Outcome::Unchanged,
        Outcome::Gone,
        Outcome::Failed,
    ]);
    prop::collection::vec(prop::collection::vec((1_u8..200, outcome), 0..12), 1..20)
}

fn hour(hours: i64) -> Time {
    Time::from_secs(1_700_000_000 + hours * 3600)
}

/// A scheduler that has seen these lives, visits in the order of their times.
fn replay(policy: &str, lives: &[Life]) -> Scheduler {
    let mut scheduler = Scheduler::new(built(policy), Span::HOUR, Floors::default());
    let mut visits = Vec::new();
    for (index, life) in lives.iter().enumerate() {
        let page = scheduler.add(PageId(index as u32), HostId(index as u32 % 3), 1.0);
        // The first of each server is its top page; some pages are nowhere, and some are linked by nobody.
        if index % 7 != 6 {
            let name = if index < 3 { String::new() } else { format!("{}/{index}", index % 2) };
            scheduler.locate(page, &format!("http://{}.org/{name}", index % 3));
            scheduler.link(page, (0..index as u32 * 2).step_by(index % 4 + 1).map(PageId));
        }
        let mut clock = 0;
        for &(wait, outcome) in life {
            clock += i64::from(wait);
            visits.push(Visit { page, at: hour(clock), outcome });
        }
    }
    for page in (0..lives.len() as u32).step_by(2).map(PageId) {
        scheduler.link(page, (0..lives.len() as u32).filter(|target| target % 5 != 4).map(PageId));
    }
    visits.sort_by_key(|visit| (visit.at, visit.page));
    visits.iter().for_each(|visit| scheduler.record(visit));
    scheduler.end_replay();
    scheduler
}

fn pick(scheduler: &mut Scheduler, now: Time, most: usize) -> Vec<PageId> {
    scheduler.open_cycle(most, most, now);
    scheduler.pick(now, most).unwrap()
}

/// What is picked in two cycles after these lives, and why; the picks of the first are visited before the second.
fn decisions(policy: &str, lives: &[Life]) -> [Vec<(PageId, String)>; 2] {
    let mut scheduler = replay(policy, lives);
    [hour(3000), hour(3024)].map(|now| {
        let picks = pick(&mut scheduler, now, lives.len());
        let reasons = picks.iter().map(|page| (*page, scheduler.reason(*page, now))).collect();
        for page in picks {
            let outcome = match scheduler.pages().history(page).last_seen() {
                None => Outcome::First,
                Some(_) if page.0 % 2 == 0 => Outcome::Changed,
                Some(_) => Outcome::Unchanged,
            };
            scheduler.record(&Visit { page, at: now, outcome });
        }
        reasons
    })
}

proptest! {
    // Every case runs over all policies.
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn scores_are_finite_and_reasons_are_words(lives in lives(), wait in 0_i64..5000) {
        for entry in POLICIES {
            let mut scheduler = replay(entry.name, &lives);
            let now = hour(2400 + wait);
            // To rank one page is to score all of them, and a score that is not finite is refused.
            let rank = scheduler.rank(PageId(wait as u32 % lives.len() as u32), now, lives.len());
            let placed = |rank: Rank| (1..=rank.of).contains(&rank.position) && rank.score.is_finite();
            prop_assert!(rank.as_ref().is_ok_and(|rank| rank.is_none_or(placed)), "{}: {rank:?}", entry.name);
            let pages: BTreeSet<PageId> = (0..lives.len() as u32).map(PageId).collect();
            for &page in &pages {
                prop_assert!(scheduler.reason(page, now).len() > 10, "{}", entry.name);
            }
            let picks = pick(&mut scheduler, now, lives.len());
            let picked: BTreeSet<PageId> = picks.iter().copied().collect();
            prop_assert!(picked.len() == picks.len() && picked.is_subset(&pages), "{}: {picks:?}", entry.name);
        }
    }

    #[test]
    fn numbers_that_nobody_has_are_never_picked_and_never_counted(lives in lives(), wait in 0_i64..5000) {
        for entry in POLICIES {
            let mut scheduler = Scheduler::new(built(entry.name), Span::HOUR, Floors::default());
            let page = |index: usize| PageId(index as u32 * 3 + 1);
            for (index, life) in lives.iter().enumerate() {
                scheduler.add(page(index), HostId(index as u32 % 3 * 2), 1.0);
                scheduler.locate(page(index), &format!("http://{}.org/{index}", index % 3));
                scheduler.link(page(index), (0..lives.len() as u32 * 4).map(PageId));
                for (at, &(_, outcome)) in (0..).zip(life) {
                    scheduler.record(&Visit { page: page(index), at: hour(at), outcome });
                }
            }
            scheduler.end_replay();
            let (now, pages): (_, BTreeSet<PageId>) = (hour(2400 + wait), (0..lives.len()).map(page).collect());
            prop_assert_eq!(scheduler.pages().len(), lives.len());
            let picks = pick(&mut scheduler, now, 10 * lives.len());
            prop_assert!(picks.iter().all(|page| pages.contains(page)), "{}: {picks:?}", entry.name);
        }
    }

    /// A clock may be set back, and then visits are recorded at times that were before.
    #[test]
    fn a_clock_that_was_set_back_leaves_scores_and_beliefs_finite(lives in lives(), now in 0_i64..400) {
        for entry in POLICIES {
            let mut scheduler = Scheduler::new(built(entry.name), Span::HOUR, Floors::default());
            (0..lives.len() as u32).for_each(|page| _ = scheduler.add(PageId(page), HostId(0), 1.0));
            for (page, life) in lives.iter().enumerate() {
                let page = PageId(page as u32);
                for &(at, outcome) in life {
                    // Twice, so that no time passes in between.
                    let visit = Visit { page, at: hour(at.into()), outcome };
                    scheduler.record(&visit);
                    scheduler.record(&visit);
                }
            }
            scheduler.end_replay();
            let picks = pick(&mut scheduler, hour(now), lives.len());
            prop_assert!(picks.len() <= lives.len(), "{}", entry.name);
            let believed = scheduler.expected_freshness(hour(now));
            prop_assert!((0.0..=1.0).contains(&believed), "{}: {believed}", entry.name);
        }
    }

    #[test]
    fn the_same_visits_give_the_same_picks(lives in lives()) {
        // A page that nobody saw is picked by all, so there is always something to compare.
        let lives = [lives, vec![Life::new()]].concat();
        for entry in POLICIES {
            let decided = decisions(entry.name, &lives);
            prop_assert!(!decided[0].is_empty(), "{}", entry.name);
            prop_assert_eq!(decided, decisions(entry.name, &lives), "{}", entry.name);
        }
    }

    #[test]
    fn more_budget_keeps_the_picks_of_less(lives in lives()) {
        // Among pages with a history: the first picks of a large round are the picks of a small one. Policies that
        // solve for the budget are exempt, since the budget is part of their question.
        for entry in POLICIES.iter().filter(|entry| entry.spending != Spending::Solves) {
            let seen: Vec<Life> = lives.iter().map(|life| [&[(1, Outcome::First)], life.as_slice()].concat()).collect();
            let few = pick(&mut replay(entry.name, &seen), hour(3000), 3);
            let many = pick(&mut replay(entry.name, &seen), hour(3000), seen.len());
            prop_assert_eq!(&many[..few.len()], &few[..], "{}", entry.name);
        }
    }
}

#[test]
fn every_published_method_is_there() {
    let names = "rand age uniform proportional cg nad sad aad gad tx fix dyn window state-1 state-2 gold week historic \
                 bayesian cho-optimal nutch-adaptive stormcrawler-adaptive lambdacrawl lambdacrawl-binary grimes-ford \
                 index-freshness index-age index-harmonic index-changes gp random+bayesian random+historic tree+bayesian \
                 tree+historic breadth-first site-a site-b site-c sampling sampling+a sampling+b sampling+c clusters";
    for name in names.split_whitespace() {
        assert!(find(name).is_ok(), "{name}");
    }
}

#[test]
fn every_policy_says_where_it_comes_from() {
    for entry in POLICIES {
        assert!(!entry.paper.is_empty() && !entry.summary.is_empty(), "{}", entry.name);
        for parameter in entry.parameters {
            assert!(!parameter.meaning.is_empty(), "{} {}", entry.name, parameter.name);
            for value in values(&parameter.kind).into_iter().chain([parameter.default.to_owned()]) {
                let text = format!("{}?{}={value}", entry.name, parameter.name);
                built(&text);
            }
        }
    }
}

/// The values at the edges of what a parameter can be.
fn values(kind: &Kind) -> Vec<String> {
    match kind {
        Kind::Number(least, most) => vec![least.to_string(), most.to_string()],
        Kind::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
    }
}

#[test]
fn a_page_without_history_gets_its_first_visit_under_every_policy() {
    for entry in POLICIES {
        let mut scheduler = replay(entry.name, &[vec![(1, Outcome::First)], vec![]]);
        assert!(pick(&mut scheduler, hour(3000), 1).contains(&PageId(1)), "{}", entry.name);
    }
}

/// How often pages were visited in 60 cycles of two visits, which are too few, if every other one weighs ten times as much.
fn visits_by_weight(policy: &str) -> [usize; 2] {
    const PAGES: u32 = 24;
    let mut scheduler = Scheduler::new(built(policy), Span::DAY, Floors::default());
    let day = |day: i64| hour(24 * day);
    for page in 0..PAGES {
        scheduler.add(PageId(page), HostId(page % 3), if page / 3 % 2 == 0 { 10.0 } else { 1.0 });
        scheduler.locate(PageId(page), &format!("http://{}.org/{}/{page}", page % 3, page % 2));
        scheduler.record(&Visit { page: PageId(page), at: day(0), outcome: Outcome::First });
    }
    scheduler.end_replay();
    let mut visits = [0; 2];
    for cycle in 1..=60 {
        for page in pick(&mut scheduler, day(cycle), 2) {
            // All change alike, every third day.
            let seen = scheduler.pages().history(page).last_seen().unwrap();
            let changed = (cycle - (seen - day(0)).as_days() as i64) >= 3;
            let outcome = if changed { Outcome::Changed } else { Outcome::Unchanged };
            scheduler.record(&Visit { page, at: day(cycle), outcome });
            visits[page.0 as usize / 3 % 2] += 1;
        }
    }
    visits
}

#[test]
fn heavier_pages_are_visited_more_often() {
    for entry in POLICIES {
        let [heavy, light] = visits_by_weight(entry.name);
        assert!(heavy > light, "{}: {heavy} visits to heavy pages, {light} to light ones", entry.name);
    }
}
