//! The budget counts exchanges, by the server's log: robots.txt, redirects and what failed are paid as pages are, and what a cycle picked and
//! did not begin is there for the next.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use everfresh::living::{Changes, Page, Script, Site};
use revisit::Span;
use support::stepped::{CYCLE, Stepped};

const BUDGET: usize = 30;

/// Sites of whose pages every other one leads to another page.
fn sites(hosts: usize) -> Script {
    let site = |host: usize| {
        let page = |number: usize| match number % 2 {
            0 => Page::new(&format!("/{number}")).changes(Changes::Every(CYCLE * 3.0)),
            _ => Page::new(&format!("/{number}")).redirects(302, &format!("/{}", number + 1)),
        };
        Site::new(&format!("h{host}.living.test")).pages((1..9).map(page))
    };
    (0..hosts).map(site).fold(Script::new(5), Script::site)
}

#[tokio::test(start_paused = true)]
async fn over_any_ten_cycles_no_more_exchanges_are_made_than_they_have() {
    let crawled = Stepped::new(sites(12), Span::from_millis(100), BUDGET, |_| {}).await;
    crawled.run_until(60.0).await;
    let requests = crawled.requests(60, |_| true);
    assert!(requests.iter().sum::<usize>() >= 60 * BUDGET * 95 / 100, "nothing is lost either: {requests:?}");
    for (first, ten) in requests.windows(10).enumerate() {
        assert!(ten.iter().sum::<usize>() <= 10 * BUDGET, "from cycle {first} on: {requests:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_stalls_at_one_host_is_spent_at_others() {
    // Answers of the first host take longer than a cycle has for all that is picked of it.
    let slow = (1..40).map(|number| Page::new(&format!("/{number}")).slow(std::time::Duration::from_secs(20)));
    let quick = (1..200).map(|number| Page::new(&format!("/{number}")).changes(Changes::Every(CYCLE)));
    let script = Script::new(5)
        .site(Site::new("slow.living.test").pages(slow))
        .site(Site::new("quick.living.test").pages(quick));
    let change = |config: &mut everfresh::config::Config| {
        config.schedule.cycle = everfresh::units::Duration(CYCLE);
        config.host.insert("slow.living.test".to_owned(), toml::from_str("delay = \"10m\"").unwrap());
    };
    let crawled = Stepped::new(script, Span::from_millis(100), 100, change).await;
    crawled.run_until(12.0).await;
    let requests = crawled.requests(12, |_| true);
    assert!(requests[1..].iter().all(|requests| (95..=105).contains(requests)), "{requests:?}");
}

#[tokio::test(start_paused = true)]
async fn a_weight_reaches_where_a_page_leads() {
    let pages = (1..40).map(|number| Page::new(&format!("/{number}")).changes(Changes::Every(CYCLE * 2.0)));
    let site = Site::new("a.living.test").pages(pages).page(Page::new("/from").redirects(302, "/to"));
    let script = Script::new(5).site(site.page(Page::new("/to").changes(Changes::Every(CYCLE * 2.0))));
    let crawled = Stepped::new(script, Span::from_millis(100), 8, |_| {}).await;
    let from = [url::Url::parse("http://a.living.test/from").unwrap()];
    let mut store = everfresh::store::open(crawled.folder.path(), everfresh::store::Opening::default()).unwrap();
    everfresh::pipeline::add_seeds(store.as_mut(), &from, 10.0, crawled.start).unwrap();
    drop(store);
    crawled.run_until(60.0).await;
    let asked = |path: &str| crawled.web.log().iter().filter(|request| request.path == path).count();
    let others: usize = (1..40).map(|number| asked(&format!("/{number}"))).sum::<usize>() / 39;
    assert!(asked("/to") > 2 * others, "{} visits to the target, {others} to others", asked("/to"));
}
