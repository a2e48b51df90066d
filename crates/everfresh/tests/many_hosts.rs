//! Thousands of hosts at once: each is treated politely, none holds up another.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{LivingWeb, Page, Script, Site};
use everfresh::pipeline::{self, Goal, Limits, add_seeds};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store::Store;
use everfresh::units;

const HOSTS: usize = 2000;
const DELAY: Duration = Duration::from_millis(200);

fn script() -> Script {
    let sites = (0..HOSTS).map(|number| {
        let slow = if number == 0 { Duration::from_secs(2) } else { Duration::ZERO };
        Site::new(&format!("h{number}.living.test")).page(Page::new("/a").slow(slow)).page(Page::new("/b"))
    });
    sites.fold(Script::new(7), Script::site)
}

fn settings(web: &LivingWeb) -> Settings {
    let mut config = Config::default();
    config.fetch.delay = units::Duration(revisit::Span::from_millis(DELAY.as_millis() as i64));
    config.fetch.allow_private = true;
    // All of them are at one address, which would be asked as if they were sixteen.
    config.fetch.hosts_per_address = 10_000;
    let address = web.address().to_string();
    config.fetch.resolve = web.hosts().into_iter().map(|host| (host, address.clone())).collect();
    Settings::resolve(config).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_hosts_are_crawled_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let collection = Collection::at(folder.path());
    let clock = Clock::wall();
    let web = LivingWeb::start(script(), clock.clone()).await.unwrap();
    let seeds = web.seeds();
    add_seeds(&mut Store::open(folder.path()).unwrap(), &seeds, 1.0, clock.now()).unwrap();
    let (_trigger, shutdown) = Shutdown::new();
    let limits = Limits { goal: Goal::Idle, max_visits: None };
    let summary = pipeline::run(&collection, settings(&web), clock, limits, shutdown, |_| {}).await.unwrap();
    assert_eq!(summary.outcomes.first, 3 * HOSTS as u64, "{summary:?}");
    let mut last: HashMap<String, Instant> = HashMap::new();
    for request in web.log() {
        if let Some(before) = last.insert(request.host.clone(), request.wall) {
            let gap = request.wall - before;
            assert!(
                gap >= DELAY,
                "{} was asked for {} only {gap:?} after the request before",
                request.host,
                request.path
            );
        }
    }
    assert_eq!(last.len(), HOSTS);
}
