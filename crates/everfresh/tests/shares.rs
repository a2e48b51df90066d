//! How a cycle is shared between pages never seen and pages seen before, by the server's log.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::BTreeSet;

use everfresh::living::{Changes, Page, Script, Site};
use revisit::{Span, Time};
use support::stepped::{CYCLE, Stepped};

const HOST: &str = "a.living.test";

/// A site of so many pages, its front page among them, each changing every seven hours.
fn site(pages: usize) -> Script {
    let page = |number: usize| Page::new(&format!("/{number}")).changes(Changes::Every(CYCLE * 7.0));
    Script::new(5).site(Site::new(HOST).pages((1..pages).map(page)))
}

/// First visits and revisits in each cycle.
fn shares(crawled: &Stepped, cycles: usize) -> Vec<(usize, usize)> {
    let mut seen = BTreeSet::new();
    let mut shares = vec![(0, 0); cycles];
    for request in crawled.web.log().iter().filter(|request| request.path != "/robots.txt") {
        let Some(share) = shares.get_mut(crawled.cycle_of(request)) else { continue };
        match seen.insert((request.host.clone(), request.path.clone())) {
            true => share.0 += 1,
            false => share.1 += 1,
        }
    }
    shares
}

#[tokio::test(start_paused = true)]
async fn a_site_is_read_as_fast_as_the_budget_allows_and_then_revisited() {
    for delay in [Span::ZERO, Span::from_millis(20)] {
        let crawled = Stepped::new(site(541), delay, 200, |_| {}).await;
        crawled.run_until(8.0).await;
        let shares = shares(&crawled, 8);
        let read: usize = shares[..3].iter().map(|(first, _)| first).sum();
        assert_eq!(read, 541, "read within three hours at {delay}: {shares:?}");
        let revisits = |(first, again): &(usize, usize)| first + again >= 190;
        assert!(shares[3..].iter().all(revisits), "then revisits without a gap at {delay}: {shares:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_site_that_grows_faster_than_the_budget_keeps_its_share_of_revisits() {
    for (delay, share) in [(Span::ZERO, 0.3), (Span::from_millis(20), 0.3), (Span::ZERO, 0.05)] {
        let appears = |number: usize, start: Time| start + Span::from_secs(number as i64 * 36);
        let start = Script::new(5).begins() + Span::DAY;
        let pages = (0..2000).map(|number| Page::new(&format!("/{number}")).appears(appears(number, start)));
        let script = Script::new(5).site(Site::new(HOST).pages(pages));
        let crawled = Stepped::new(script, delay, 40, |config| config.schedule.revisit_share = share).await;
        crawled.run_until(12.0).await;
        let shares = shares(&crawled, 12);
        let least = (share * 40.0) as usize;
        // A cycle revisits what the one before it saw, and the first finds little.
        let kept = |(first, again): &(usize, usize)| *again >= least && first + again >= 38;
        assert!(shares[2..].iter().all(kept), "{share} at {delay}: {shares:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_share_for_new_pages_is_a_floor_and_no_ceiling() {
    let crawled = Stepped::new(site(541), Span::from_millis(20), 200, |config| config.schedule.new_share = 0.01).await;
    crawled.run_until(4.0).await;
    let shares = shares(&crawled, 4);
    assert_eq!(shares[..3].iter().map(|(first, _)| first).sum::<usize>(), 541, "{shares:?}");
    assert!(shares[1..].iter().all(|(_, again)| *again >= 10), "{shares:?}");
}
