//! Fairness, by the server's log: a burst of new pages, and hosts that are slow, that send away who comes too fast, or that fail, take
//! nothing from small hosts beside them.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::time::Duration;

use everfresh::living::{Changes, Page, Request, Script, Site};
use everfresh::{pipeline, store};
use revisit::Span;
use support::stepped::{CYCLE, Stepped};
use url::Url;

const SMALL: usize = 20;
/// Pages of a small host, its front page among them.
const PAGES: usize = 6;
const CYCLES: usize = 24;
/// The cycle before which pages are named that were not known.
const NAMED: usize = 4;
/// Twice what small hosts can have.
const BUDGET: usize = 2 * SMALL * PAGES;

/// Small hosts all of whose pages change in every cycle.
fn small() -> Script {
    let page = |number: usize| Page::new(&format!("/{number}")).changes(Changes::Every(CYCLE * 0.5));
    let site = |host: usize| Site::new(&format!("small-{host}.living.test")).pages((1..PAGES).map(page));
    (0..SMALL).map(site).fold(Script::new(7), Script::site)
}

fn numbered(pages: usize) -> impl Iterator<Item = Page> {
    (1..pages).map(|number| Page::new(&format!("/{number}")).changes(Changes::Every(CYCLE * 2.0)))
}

/// Crawls small hosts beside another one, of which pages are named after a few cycles; requests to small hosts and to others in each cycle.
async fn asked(script: Script, named: &[Url]) -> (Vec<usize>, Vec<usize>) {
    let crawled = Stepped::new(script, Span::from_millis(100), BUDGET, |_| {}).await;
    crawled.run_until(NAMED as f64).await;
    let mut store = store::open(crawled.folder.path(), store::Opening::default()).unwrap();
    pipeline::add_seeds(store.as_mut(), named, 1.0, crawled.clock.now()).unwrap();
    drop(store);
    crawled.run_until(CYCLES as f64).await;
    let is_small = |request: &Request| request.host.starts_with("small-");
    (crawled.requests(CYCLES, is_small), crawled.requests(CYCLES, |request| !is_small(request)))
}

/// What the site is asked for in all cycles together.
async fn takes_nothing(site: Site, named: &[Url]) -> usize {
    let ((alone, _), (beside, others)) = (asked(small(), &[]).await, asked(small().site(site), named).await);
    for (cycle, (alone, beside)) in alone.iter().zip(&beside).enumerate() {
        assert!(beside >= alone, "cycle {cycle}: {beside} requests to small hosts, {alone} if they are alone");
    }
    others.iter().sum()
}

#[tokio::test(start_paused = true)]
async fn a_burst_takes_nothing_from_small_hosts() {
    let site = Site::new("burst.living.test").pages(numbered(50_000)).page(Page::new("/").fails(404));
    let named = (1..50_000).map(|number| Url::parse(&format!("http://burst.living.test/{number}")).unwrap());
    let had = takes_nothing(site, &named.collect::<Vec<_>>()).await;
    // All that small hosts cannot use: they want half of the budget.
    let left = (CYCLES - NAMED) * BUDGET / 2;
    assert!(had > left * 9 / 10, "the burst was read {had} times of {left}");
}

#[tokio::test(start_paused = true)]
async fn a_slow_host_takes_nothing_from_small_hosts() {
    let site = Site::new("slow.living.test").pages(numbered(400).map(|page| page.slow(Duration::from_secs(10))));
    assert!(takes_nothing(site, &[]).await > 1000);
}

#[tokio::test(start_paused = true)]
async fn a_blocking_host_takes_nothing_from_small_hosts() {
    let site = Site::new("blocking.living.test").pages(numbered(400)).no_faster_than(Span::from_secs(60));
    assert!(takes_nothing(site, &[]).await > 100);
}

#[tokio::test(start_paused = true)]
async fn a_failing_host_takes_nothing_from_small_hosts() {
    let failing = |page: Page, share| if share < 1.0 { page.failing(share) } else { page.fails(501) };
    for share in [0.9, 1.0] {
        let site = Site::new("failing.living.test").pages(numbered(400).map(|page| failing(page, share)));
        assert!(takes_nothing(site, &[]).await > 100, "{share}");
    }
}
