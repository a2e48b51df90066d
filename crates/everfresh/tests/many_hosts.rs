//! Thousands of hosts at once: each is treated politely, none holds up another.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::time::Duration;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{LivingWeb, Page, Script, Site};
use everfresh::pipeline::{self, Goal, Limits, add_seeds};
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

fn settings(web: &LivingWeb) -> Settings {
    let mut config = Config::default();
    config.fetch.delay = units::Duration(DELAY);
    config.fetch.allow_private = true;
    // All of them are at one address, which would be asked as if they were sixteen.
    config.fetch.hosts_per_address = 10_000;
    let address = web.address().to_string();
    config.fetch.resolve = web.hosts().into_iter().map(|host| (host, address.clone())).collect();
    Settings::resolve(config).unwrap()
}

#[tokio::test(start_paused = true)]
async fn two_thousand_hosts_are_crawled_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let collection = Collection::at(folder.path());
    let begin = script().begins();
    let clock = Clock::stepped(begin);
    let web = LivingWeb::start(script(), clock.clone()).await.unwrap();
    let seeds = web.seeds();
    add_seeds(store::open(folder.path(), Opening::default()).unwrap().as_mut(), &seeds, 1.0, clock.now()).unwrap();
    let (_trigger, shutdown) = Shutdown::new();
    let limits = Limits { goal: Goal::Idle, max_visits: None };
    let summary = pipeline::run(&collection, settings(&web), clock, limits, shutdown, |_| {}).await.unwrap();
    assert_eq!(summary.outcomes.first, 3 * HOSTS as u64, "{summary:?}");
    let mut last: HashMap<String, Time> = HashMap::new();
    for request in web.log() {
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
