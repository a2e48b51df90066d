//! Thousands of hosts at once: each is treated politely, none holds up another.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::time::Duration;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{LivingWeb, Page, Request, Script, Site};
use everfresh::pipeline::{self, Goal, Limits, Summary, add_seeds};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store::{self, Opening};
use everfresh::units;
use revisit::{Span, Time};

const HOSTS: usize = 2000;
const DELAY: Span = Span::from_millis(200);
/// How long one page of the first host takes, longer than all of another host.
const SLOW: Duration = Duration::from_secs(2);

fn script() -> Script {
    let sites = (0..HOSTS).map(|number| {
        let slow = if number == 0 { SLOW } else { Duration::ZERO };
        Site::new(&format!("h{number}.living.test")).page(Page::new("/a").slow(slow)).page(Page::new("/b"))
    });
    sites.fold(Script::new(7), Script::site)
}

fn settings(web: &LivingWeb, delay: Span) -> Settings {
    let mut config = Config::default();
    config.fetch.delay = units::Duration(delay);
    config.fetch.concurrency = 100;
    config.fetch.allow_private = true;
    // All of them are at one address, which would be asked as if they were sixteen.
    config.fetch.hosts_per_address = 10_000;
    let address = web.address().to_string();
    config.fetch.resolve = web.hosts().into_iter().map(|host| (host, address.clone())).collect();
    Settings::resolve(config).unwrap()
}

/// What a crawl of all pages asked for; it began at the script's beginning.
async fn crawled(script: Script, delay: Span) -> (Summary, Vec<Request>) {
    let folder = tempfile::tempdir().unwrap();
    let collection = Collection::at(folder.path());
    let clock = Clock::stepped(script.begins());
    let web = LivingWeb::start(script, clock.clone()).await.unwrap();
    let seeds = web.seeds();
    add_seeds(store::open(folder.path(), Opening::default()).unwrap().as_mut(), &seeds, 1.0, clock.now()).unwrap();
    let (_trigger, shutdown) = Shutdown::new();
    let limits = Limits { goal: Goal::Idle, max_visits: None };
    let summary = pipeline::run(&collection, settings(&web, delay), clock, limits, shutdown, |_| {}).await.unwrap();
    (summary, web.log())
}

#[tokio::test(start_paused = true)]
async fn two_thousand_hosts_are_crawled_side_by_side() {
    let begin = script().begins();
    let (summary, log) = crawled(script(), DELAY).await;
    assert_eq!(summary.outcomes.first, 3 * HOSTS as u64, "{summary:?}");
    let mut last: HashMap<String, Time> = HashMap::new();
    for request in log {
        let (host, path) = (&request.host, &request.path);
        if let Some(before) = last.insert(host.clone(), request.at) {
            let gap = request.at - before;
            assert!(gap >= DELAY, "{host} was asked for {path} only {gap} after the request before");
        }
    }
    assert_eq!(last.len(), HOSTS);
    let done = |host: &String| last[host] < begin + Span::from_millis(SLOW.as_millis() as i64);
    assert_eq!(last.keys().filter(|host| !done(host)).collect::<Vec<_>>(), ["h0.living.test"]);
}

/// All others have pages that wait when those of one host are found.
#[tokio::test(start_paused = true)]
async fn who_is_found_late_does_not_wait_for_those_who_wait() {
    const LATE: Span = Span::from_millis(1_200);
    let delay = Span::from_secs(1);
    let sites = (0..60).map(|number| {
        let slow = if number == 0 { Duration::from_millis(LATE.millis() as u64) } else { Duration::ZERO };
        let pages = (0..20).map(|page| Page::new(&format!("/{page}")));
        Site::new(&format!("h{number}.living.test")).page(Page::new("/").slow(slow)).pages(pages)
    });
    let (summary, log) = crawled(sites.fold(Script::new(7), Script::site), delay).await;
    assert_eq!(summary.outcomes.first, 60 * 21, "{summary:?}");
    let late: Vec<Time> = log.iter().filter(|asked| asked.host == "h0.living.test").map(|asked| asked.at).collect();
    let waited: Vec<Span> = late.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(waited[1] >= LATE + delay, "{waited:?}");
    assert!(waited[1] < LATE + delay + Span::from_millis(500), "{waited:?}");
    assert!(waited[2..].iter().all(|waited| *waited < delay + Span::from_millis(500)), "{waited:?}");
}
