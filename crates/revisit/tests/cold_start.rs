//! A cold start: pages that were seen once and show only their looks. Whoever reads looks finds changes sooner.
//!
//! No page has a history, so nobody knows either which looks go with changes: that too is learned within the ten cycles.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

use revisit::lab::trace::Trace;
use revisit::lab::world;
use revisit::policy::registry::{POLICIES, build};
use revisit::{Floors, HostId, Outcome, PageId, Scheduler, Span, Time, Visit};

const PAGES: u32 = 5000;
const VISITS: usize = PAGES as usize / 20;
const CYCLES: usize = 10;

/// The mean share of a cycle's visits that find a change, over the first ten cycles; `None` if budget is left unused.
fn change_ratio(trace: &Trace, policy: &str) -> Option<f64> {
    let mut scheduler = Scheduler::new(build(policy).unwrap(), Span::DAY, Floors::NONE);
    let (start, _) = trace.span().unwrap();
    let at = |cycle: usize| start + Span::DAY * (cycle + 1) as f64;
    for page in trace.ids() {
        scheduler.add(page, HostId(0), 1.0);
        scheduler.locate(page, &trace.page(page).url);
        scheduler.describe(page, &trace.page(page).features());
        scheduler.record(&Visit { page, at: at(0), outcome: Outcome::First });
    }
    if let Some(links) = trace.first_links() {
        trace.ids().for_each(|page| scheduler.link(page, links.of(page).iter().copied()));
    }
    scheduler.end_replay();
    let mut seen: Vec<Time> = vec![at(0); trace.len()];
    let (mut found, mut made) = (0, 0);
    for cycle in 1..=CYCLES {
        scheduler.open_cycle(VISITS, VISITS, at(cycle));
        for page in scheduler.pick(at(cycle), VISITS).unwrap() {
            let changed = changed_since(trace, page, seen[page.index()], at(cycle));
            let outcome = if changed { Outcome::Changed } else { Outcome::Unchanged };
            scheduler.record(&Visit { page, at: at(cycle), outcome });
            seen[page.index()] = at(cycle);
            (found, made) = (found + usize::from(changed), made + 1);
        }
    }
    (made * 10 >= 9 * VISITS * CYCLES).then(|| found as f64 / made as f64)
}

fn changed_since(trace: &Trace, page: PageId, from: Time, to: Time) -> bool {
    trace.changes(page).iter().any(|change| (from..to).contains(change))
}

#[test]
fn whoever_reads_looks_finds_changes_sooner() {
    let worlds: Vec<Trace> = (1..=2).map(|seed| world::make("general", PAGES, seed).unwrap()).collect();
    let mean = |policy: &str| {
        let ratios: Option<Vec<f64>> = worlds.iter().map(|world| change_ratio(world, policy)).collect();
        ratios.map(|ratios| ratios.iter().sum::<f64>() / ratios.len() as f64)
    };
    let own = mean("everfresh?objective=changes").unwrap();
    let blind = POLICIES.iter().filter(|entry| {
        let reads_looks =
            entry.name == "clusters" || (entry.name.starts_with("everfresh") && entry.name != "everfresh-looks");
        entry.budgeted() && !reads_looks && !entry.needs_model() && !entry.needs_truth
    });
    let mut compared = 0;
    for entry in blind {
        if let Some(other) = mean(entry.name) {
            println!("{:24} {other:.4}, everfresh {own:.4}", entry.name);
            assert!(own > other, "{} found {other} and everfresh {own}", entry.name);
            compared += 1;
        }
    }
    assert!(compared > 15, "only {compared} policies were compared");
}
