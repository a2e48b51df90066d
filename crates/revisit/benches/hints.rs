//! What the dates of lists cost: a million pages on a thousand hosts, each with a sitemap of its own.
//!
//! `cargo bench -p revisit --bench hints` prints nanoseconds a page for a round of picks, before and after the sitemaps spoke,
//! and for taking in what they say; and the memory they take.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, clippy::unwrap_used)]

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use revisit::policy::registry;
use revisit::site::Trust;
use revisit::{Floors, HostId, ListKind, Outcome, PageId, Scheduler, Span, Time, Visit};

const PAGES: u32 = 1_000_000;
const HOSTS: u32 = 1_000;
const BUDGET: usize = 50_000;

fn main() {
    let mut scheduler = Scheduler::new(registry::build("age").unwrap(), Span::HOUR, Floors::default());
    for page in 0..PAGES {
        scheduler.add(PageId(page), HostId(page % HOSTS), 1.0);
        scheduler.record(&Visit { page: PageId(page), at: at(0), outcome: Outcome::First });
    }
    scheduler.end_replay();
    let picks = |scheduler: &mut Scheduler, hour| {
        scheduler.open_cycle(BUDGET, BUDGET, at(hour));
        black_box(scheduler.pick(at(hour), BUDGET).unwrap()).len()
    };
    measure("pick, nobody hints", || picks(&mut scheduler, 1));
    let before = resident();
    measure("hint", || hint(&mut scheduler));
    println!("{:24} {:>8.1} bytes a page", "", (resident() - before) as f64 / f64::from(PAGES));
    measure("hint again", || hint(&mut scheduler));
    measure("pick, lists untested", || picks(&mut scheduler, 2));
    for host in 0..HOSTS {
        scheduler.set_trust(HostId(host), Trust::from_numbers([50.0, 1.0, 1.0, 100.0, 0.05, 8.0]));
    }
    measure("pick, lists trusted", || picks(&mut scheduler, 3));
}

fn at(hour: i64) -> Time {
    Time::from_secs(hour * 3600)
}

/// The first page of each host is its sitemap, which says of every twentieth page that it changed.
fn hint(scheduler: &mut Scheduler) -> usize {
    for page in HOSTS..PAGES {
        let modified = at(i64::from((page / HOSTS).is_multiple_of(20)));
        scheduler.hint(PageId(page), modified, PageId(page % HOSTS), ListKind::Sitemap);
    }
    (PAGES - HOSTS) as usize
}

fn measure(what: &str, work: impl FnOnce() -> usize) {
    let begun = Instant::now();
    let done = work();
    let nanos = begun.elapsed().as_secs_f64() * 1e9;
    println!("{what:24} {:>8.1} ns a page, {done} done", nanos / f64::from(PAGES));
}

/// Bytes that the operating system holds for the process.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
