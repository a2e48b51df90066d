//! With every page's rate known, visits by index cost at least a quarter less than LambdaCrawl's at the same bandwidth.
//!
//! LambdaCrawl draws visits at random times, at the best rates there are for that. An index visits a page when its visit is
//! worth most, which spaces visits evenly. Pages change as a Poisson process does; the costs are those of the papers: for
//! harmonic staleness 1 + 1/2 + … + 1/n with n changes unseen, for binary freshness 1 with any.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

use revisit::lab::random::Random;
use revisit::policy::registry::{Supplies, Truth, build_with};
use revisit::{Floors, HostId, Outcome, PageId, Scheduler, Span, Time, Visit};

const PAGES: usize = 600;
/// An hour is short beside every rate and every interval, so that cycles do not round times.
const CYCLE: Span = Span::HOUR;
const VISITS: usize = 5;
const HOURS: usize = 24 * 60;
const LEARNED: usize = 24 * 10;

/// From one change in 200 days to one a day; a page is visited every five days on average. Where most pages change faster
/// than they can be visited, they are stale either way, and even spacing saves less (15 % of the binary cost with rates four
/// times as high).
fn rates() -> Vec<f64> {
    (0..PAGES).map(|page| 0.005 * 200.0_f64.powf(page as f64 / (PAGES - 1) as f64)).collect()
}

/// Costs a page and an hour, harmonic and binary, and visits made an hour.
fn cost(policy: &str, most: usize) -> (f64, f64, f64) {
    let rates = rates();
    let intervals: Vec<Span> = rates.iter().map(|rate| Span::DAY / *rate).collect();
    let truth = Truth { mean_intervals: &intervals, changes: &[] };
    let policy = build_with(policy, Supplies { truth: Some(truth), model: None }).unwrap();
    let mut scheduler = Scheduler::new(policy, CYCLE, Floors::NONE);
    for page in (0..PAGES).map(|page| PageId(page as u32)) {
        scheduler.add(page, HostId(0), 1.0);
        scheduler.record(&Visit { page, at: Time::from_secs(0), outcome: Outcome::First });
    }
    scheduler.end_replay();
    let mut random = Random::stream(7, 0);
    let (mut unseen, mut harmonic, mut binary, mut visits) = (vec![0_u32; PAGES], 0.0, 0.0, 0.0);
    for hour in 1..=HOURS {
        let now = Time::from_secs(hour as i64 * 3600);
        for (unseen, rate) in unseen.iter_mut().zip(&rates) {
            // Several changes within an hour are rare enough to be drawn one after the other.
            let chance = 1.0 - (-rate / 24.0).exp();
            *unseen += u32::from(random.chance(chance));
        }
        // The budget only plans: a randomised crawl makes more visits in some hours than in others.
        scheduler.open_cycle(VISITS, PAGES, now);
        for page in scheduler.pick(now, most).unwrap() {
            let changed = std::mem::take(&mut unseen[page.index()]) > 0;
            let outcome = if changed { Outcome::Changed } else { Outcome::Unchanged };
            scheduler.record(&Visit { page, at: now, outcome });
            visits += f64::from(u8::from(hour > LEARNED));
        }
        if hour > LEARNED {
            harmonic += unseen.iter().map(|n| (1..=*n).map(|i| 1.0 / f64::from(i)).sum::<f64>()).sum::<f64>();
            binary += unseen.iter().filter(|n| **n > 0).count() as f64;
        }
    }
    let hours = (HOURS - LEARNED) as f64;
    (harmonic / hours / PAGES as f64, binary / hours / PAGES as f64, visits / hours)
}

#[test]
fn an_index_costs_a_quarter_less_than_visits_at_random_times() {
    let (random, _, random_visits) = cost("lambdacrawl?rates=known", PAGES);
    let (index, _, index_visits) = cost("index-harmonic?rates=known", VISITS);
    assert!(index_visits <= random_visits * 1.02, "{index_visits} visits an hour against {random_visits}");
    println!("harmonic: {index:.4} against {random:.4}");
    assert!(index < 0.75 * random, "harmonic: {index} against {random}");
    let (_, random, random_visits) = cost("lambdacrawl-binary?rates=known", PAGES);
    let (_, index, index_visits) = cost("index-freshness?rates=known", VISITS);
    assert!(index_visits <= random_visits * 1.02, "{index_visits} visits an hour against {random_visits}");
    println!("binary: {index:.4} against {random:.4}");
    assert!(index < 0.75 * random, "binary: {index} against {random}");
}
