//! A host's failure is the host's, by the server's log: what is queued at a host that does not answer is given back, a host that is down
//! is tried now and then, and when it is back so are its pages.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::BTreeSet;

use everfresh::living::{Changes, Page, Script, Site};
use everfresh::{pipeline, store};
use revisit::Span;
use support::collection::visits;
use support::stepped::{CYCLE, Stepped};
use url::Url;

const DOWN: &str = "down.living.test";
const FINE: &str = "fine.living.test";
const PAGES: usize = 30;
/// The cycle in which the host goes down, and the one in which it is back.
const FROM: usize = 10;
const UNTIL: usize = FROM + 120;

fn script() -> Script {
    let site = |host: &str| {
        let page = |number: usize| Page::new(&format!("/{number}")).changes(Changes::Every(CYCLE * 2.0));
        Site::new(host).pages((1..PAGES).map(page))
    };
    let at = |cycle: usize| Script::new(5).begins() + Span::DAY + CYCLE * (cycle as f64 + 0.3);
    Script::new(5).site(site(DOWN).silent(at(FROM), at(UNTIL))).site(site(FINE))
}

#[tokio::test(start_paused = true)]
async fn pages_of_a_host_that_was_down_are_back_when_it_is() {
    for policy in ["age", "everfresh"] {
        let change = |config: &mut everfresh::config::Config| config.schedule.policy = policy.to_owned();
        let crawled = Stepped::new(script(), Span::from_millis(500), 2 * PAGES, change).await;
        crawled.run_until((UNTIL + 6) as f64).await;
        let log = crawled.web.log();
        let reached = |host: &str, cycles: std::ops::Range<usize>| -> BTreeSet<String> {
            let asked = log.iter().filter(|request| request.host == host && request.status < 500);
            asked.filter(|request| cycles.contains(&crawled.cycle_of(request))).map(|it| it.path.clone()).collect()
        };
        let before = reached(DOWN, 0..FROM);
        assert_eq!(before.len(), PAGES + 1, "{policy}: all pages, and robots.txt");
        let back = reached(DOWN, UNTIL..UNTIL + 3);
        assert!(back.len() >= PAGES, "{policy}: {} of {PAGES} are back within two cycles", back.len());
        let tries = crawled.requests(UNTIL, |request| request.host == DOWN);
        let most = tries[FROM + 2..].iter().max().copied().unwrap();
        assert!(most <= 2, "{policy}: a host that is down is tried once a cycle: {tries:?}");
        assert!(tries[UNTIL - 4..].iter().sum::<usize>() >= 1, "{policy}: and not given up: {tries:?}");
        // Nobody else pays for it.
        let others = crawled.requests(UNTIL, |request| request.host == FINE);
        assert!(others[1..].iter().all(|requests| *requests >= PAGES - 2), "{policy}: {others:?}");
        let failed = visits(crawled.folder.path()).iter().filter(|visit| visit.outcome == "failed").count();
        assert!(failed < 160, "{policy}: {failed} visits failed, one a try and not one a page");
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_down_from_the_beginning_is_read_when_it_is_there() {
    let start = Script::new(5).begins() + Span::DAY;
    let pages = (1..PAGES).map(|number| Page::new(&format!("/{number}")));
    let site = Site::new(DOWN).pages(pages).silent(start, start + CYCLE * 40.5);
    let crawled = Stepped::new(Script::new(5).site(site), Span::from_millis(500), 2 * PAGES, |_| {}).await;
    crawled.run_until(45.0).await;
    let read = crawled.requests(45, |request| request.status == 200 && request.path != "/robots.txt");
    assert!(read[40..43].iter().sum::<usize>() >= PAGES, "{read:?}");
}

/// Pages of a site some of which a proxy cannot have: so many of them, before the others in the order in which they are found.
fn partly_broken(broken: usize, pages: usize) -> Site {
    let path = |number: usize| format!("/{}{number:03}", if number < broken { "a" } else { "b" });
    let page = |number: usize| Page::new(&path(number)).changes(Changes::Every(CYCLE * 2.0));
    let answers = |number: usize| if number < broken { page(number).fails(502) } else { page(number) };
    Site::new(DOWN).pages((0..pages).map(answers))
}

async fn assert_good_pages_are_visited(crawled: &Stepped, broken: usize, good: usize) {
    crawled.run_until(40.0).await;
    let visits = crawled.requests(40, |request| request.path.starts_with("/b"));
    assert!(visits[..15].iter().sum::<usize>() >= good, "all are read: {visits:?}");
    assert!(visits[20..].iter().all(|requests| *requests >= good - 2), "and revisited: {visits:?}");
    let bad = crawled.requests(40, |request| request.path.starts_with("/a"));
    assert!(bad[30..].iter().sum::<usize>() <= 2 * broken, "who fails rests longer and longer: {bad:?}");
}

#[tokio::test(start_paused = true)]
async fn pages_that_a_proxy_cannot_have_take_nothing_from_their_host() {
    for (broken, pages) in [(12, 52), (70, 170)] {
        let script = Script::new(5).site(partly_broken(broken, pages));
        let crawled = Stepped::new(script, Span::from_secs(1), 200, |_| {}).await;
        assert_good_pages_are_visited(&crawled, broken, pages - broken).await;
    }
}

#[tokio::test(start_paused = true)]
async fn nor_if_nothing_of_the_host_was_ever_read() {
    for (broken, pages) in [(12, 52), (70, 170)] {
        let site = partly_broken(broken, pages).page(Page::new("/").fails(502));
        let crawled = Stepped::new(Script::new(5).site(site), Span::from_secs(1), 200, |_| {}).await;
        let named = (0..pages).map(|number| {
            let part = if number < broken { "a" } else { "b" };
            Url::parse(&format!("http://{DOWN}/{part}{number:03}")).unwrap()
        });
        let mut store = store::open(crawled.folder.path(), store::Opening::default()).unwrap();
        pipeline::add_seeds(store.as_mut(), &named.collect::<Vec<_>>(), 1.0, crawled.start).unwrap();
        drop(store);
        assert_good_pages_are_visited(&crawled, broken, pages - broken).await;
    }
}
