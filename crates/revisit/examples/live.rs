//! The loop of a live crawler, on a toy web in memory: `cargo run -p revisit --example live`.
//!
//! Every hour is a cycle with a budget. The scheduler says which pages are worth its fetches, each host is asked no more often
//! than it bears, and what a visit showed is told to the scheduler, which learns from it. The crate has no clock: a real
//! crawler hands in the time of its own, and this one just counts.

use revisit::policy::registry;
use revisit::{BadScore, Floors, HostId, Manners, Outcome, PageId, Politeness, Scheduler, Signal, Span, Time, Visit};

const PAGES: u32 = 120;
const HOSTS: u32 = 3;
/// Fetches an hour: an eighth of the pages.
const BUDGET: usize = 15;
const WEEKS: i64 = 4;
const BEGIN: Time = Time::from_secs(1_700_000_000);

/// The toy web: every hour a page has a new version with a chance of one in so many, which a hash decides.
fn version(page: PageId, at: Time) -> usize {
    let one_in = [6, 24, 240, 2400][page.index() % 4];
    let changes = |hour: &u64| {
        let mixed = (u64::from(page.0) << 32 | hour).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32 & 0xffff < 0x1_0000 / one_in
    };
    let hours = (at - BEGIN).as_secs() / 3600.0;
    (0..hours as u64).filter(changes).count()
}

/// What a crawler keeps of a page: here the version it saw, otherwise a copy.
type Copies = Vec<Option<usize>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scheduler = Scheduler::new(registry::build("everfresh")?, Span::HOUR, Floors::default());
    let manners = Manners { delay: Span::from_secs(10), longest_delay: Span::MINUTE, connections: 1 };
    let mut hosts = vec![Politeness::new(manners); HOSTS as usize];
    let mut copies: Copies = vec![None; PAGES as usize];

    for number in 0..PAGES {
        let page = scheduler.add(PageId(number), HostId(number % HOSTS), 1.0);
        scheduler.locate(page, &format!("https://host{}.example/{number}", number % HOSTS));
    }
    for hour in 0..WEEKS * 7 * 24 {
        let now = BEGIN + Span::HOUR * hour as f64;
        crawl_an_hour(&mut scheduler, &mut hosts, &mut copies, now)?;
        if hour % (7 * 24) == 7 * 24 - 1 {
            report(&scheduler, &copies, now + Span::HOUR);
        }
    }
    let (page, now) = (PageId(0), BEGIN + Span::DAY * (7 * WEEKS) as f64);
    println!("page {}: {}", page.0, scheduler.reason(page, now));
    Ok(())
}

/// One cycle: what is picked is fetched as soon as its host may be asked, and told to the scheduler.
fn crawl_an_hour(
    scheduler: &mut Scheduler,
    hosts: &mut [Politeness],
    copies: &mut Copies,
    now: Time,
) -> Result<(), BadScore> {
    scheduler.open_cycle(BUDGET, BUDGET, now);
    for page in scheduler.pick(now, BUDGET)? {
        let host = &mut hosts[scheduler.pages().host(page).index()];
        let begun = host.ready_at().unwrap_or(now).max(now);
        host.begin(begun);
        let found = version(page, begun);
        host.end(begun, begun + Span::from_millis(200), Signal::Fine);
        let outcome = match copies[page.index()].replace(found) {
            None => Outcome::First,
            Some(known) if known == found => Outcome::Unchanged,
            Some(_) => Outcome::Changed,
        };
        scheduler.record(&Visit { page, at: begun, outcome });
    }
    Ok(())
}

/// What the scheduler believes of the copies, beside the truth.
fn report(scheduler: &Scheduler, copies: &Copies, now: Time) {
    let ids = (0..PAGES).map(PageId);
    let current = ids.filter(|page| copies[page.index()] == Some(version(*page, now))).count();
    println!(
        "week {}: {:.0} % of the copies are believed to be current, {:.0} % are",
        (now - BEGIN).as_days() / 7.0,
        100.0 * scheduler.expected_freshness(now),
        100.0 * current as f64 / f64::from(PAGES),
    );
}
