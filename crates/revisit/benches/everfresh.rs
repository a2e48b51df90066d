//! What the `everfresh` policy costs: a million pages in 25,000 directories of 500 servers.
//!
//! `cargo bench -p revisit --bench everfresh` crawls twenty cycles with `age`, with `breadth-first`, which is shown links and
//! directories too, and with `everfresh`. For each it prints the seconds of a cycle's plan and picks, the nanoseconds of
//! taking in a visit, and the memory: what `everfresh` has beyond `breadth-first` is its own.
//! Every cycle here refits, as a cycle of a crawl does; live, the rounds that follow within the cycle do not.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, clippy::unwrap_used)]

use std::fs;
use std::time::{Duration, Instant};

use revisit::policy::registry;
use revisit::{Feature, Features, Floors, HostId, Outcome, PageId, Scheduler, Span, Time, Visit};

const PAGES: u32 = 1_000_000;
const HOSTS: u32 = 500;
const DIRECTORIES: u32 = 50;
const BUDGET: usize = 50_000;
const CYCLES: i64 = 20;

fn main() {
    println!("{:14} {:>12} {:>12} {:>14} {:>14}", "policy", "first pick s", "pick s", "visit ns", "bytes a page");
    for name in ["age", "breadth-first", "everfresh"] {
        let before = resident();
        let mut scheduler = filled(name);
        let mut picking = Vec::new();
        let mut visiting = Duration::ZERO;
        for cycle in 2..2 + CYCLES {
            let begun = Instant::now();
            scheduler.open_cycle(BUDGET, BUDGET, at(cycle));
            let picks = scheduler.pick(at(cycle), BUDGET).unwrap();
            picking.push(begun.elapsed().as_secs_f64());
            let begun = Instant::now();
            picks.into_iter().for_each(|page| visit(&mut scheduler, page, cycle));
            visiting += begun.elapsed();
        }
        let nanos = visiting.as_secs_f64() * 1e9 / (BUDGET as f64 * CYCLES as f64);
        let bytes = (resident() - before) as f64 / f64::from(PAGES);
        let usual = picking[1..].iter().sum::<f64>() / (picking.len() - 1) as f64;
        println!("{name:14} {:>12.3} {usual:>12.3} {nanos:>14.0} {bytes:>14.1}", picking[0]);
    }
}

/// All pages, each located, described, linked to from some others, and visited twice.
fn filled(policy: &str) -> Scheduler {
    let mut scheduler = Scheduler::new(registry::build(policy).unwrap(), Span::DAY, Floors::NONE);
    scheduler.reserve(PAGES as usize);
    for number in 0..PAGES {
        let page = scheduler.add(PageId(number), HostId(number % HOSTS), 1.0);
        scheduler.locate(page, &format!("http://h{}.org/d{}/{number}", number % HOSTS, number / HOSTS % DIRECTORIES));
        let bytes = (mixed(number) % 50_000) as f32;
        scheduler.describe(page, &Features::default().with(Feature::TextBytes, bytes));
    }
    for number in 0..PAGES {
        scheduler.link(PageId(number), (1..4).map(|link| PageId(mixed(number ^ link) % PAGES)));
    }
    for cycle in 0..2 {
        (0..PAGES).for_each(|number| visit(&mut scheduler, PageId(number), cycle));
    }
    scheduler.end_replay();
    scheduler
}

/// One page in eight changes in a cycle, the same ones more often than others.
fn visit(scheduler: &mut Scheduler, page: PageId, cycle: i64) {
    let often = mixed(page.0) % 100 < 10;
    let luck = mixed(page.0 ^ (cycle as u32) << 20) % 100;
    let outcome = if luck < if often { 60 } else { 4 } { Outcome::Changed } else { Outcome::Unchanged };
    scheduler.record(&Visit { page, at: at(cycle), outcome });
}

/// A number that looks like chance.
fn mixed(number: u32) -> u32 {
    let mut bits = u64::from(number).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits ^= bits >> 31;
    (bits.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as u32
}

fn at(cycle: i64) -> Time {
    Time::from_secs((cycle + 1) * 86_400)
}

/// Bytes that the operating system holds for the process.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
