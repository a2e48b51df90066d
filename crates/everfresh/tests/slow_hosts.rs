//! However many servers are slow, the others are visited as ever.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

use std::time::Duration;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{LivingWeb, Page, Script, Site};
use everfresh::pipeline::{self, Goal, Limits, Summary, add_seeds};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store::{self, Opening};
use everfresh::units;
use revisit::{Span, Time};

const DELAY: Span = Span::from_millis(200);
const HONEST: &str = "honest.test";
const HONEST_PAGES: usize = 100;
const CONCURRENCY: usize = 8;
/// How long slow servers say nothing; not long enough to be given up.
const SLOW: Duration = Duration::from_secs(18);

/// So many hosts whose pages take long, and one that answers at once.
fn script(slow: usize) -> Script {
    let slow = (0..slow).map(|number| {
        Site::new(&format!("slow-{number}.test")).pages((0..3).map(|page| Page::new(&format!("/{page}")).slow(SLOW)))
    });
    let honest = Site::new(HONEST).pages((1..HONEST_PAGES).map(|page| Page::new(&format!("/{page}"))));
    slow.fold(Script::new(7), Script::site).site(honest)
}

fn settings(web: &LivingWeb) -> Settings {
    let mut config = Config::default();
    config.fetch.delay = units::Duration(DELAY);
    config.fetch.allow_private = true;
    config.fetch.concurrency = CONCURRENCY;
    config.fetch.hosts_per_address = 10_000;
    let address = web.address().to_string();
    config.fetch.resolve = web.hosts().into_iter().map(|host| (host, address.clone())).collect();
    Settings::resolve(config).unwrap()
}

/// Crawls everything; gives what came of it, and the longest time between two requests to the honest host.
async fn crawl(slow: usize) -> (Summary, Span) {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::stepped(script(slow).begins());
    let web = LivingWeb::start(script(slow), clock.clone()).await.unwrap();
    add_seeds(store::open(folder.path(), Opening::default()).unwrap().as_mut(), &web.seeds(), 1.0, clock.now())
        .unwrap();
    let (_trigger, shutdown) = Shutdown::new();
    let limits = Limits { goal: Goal::Idle, max_visits: None };
    let collection = Collection::at(folder.path());
    let summary = pipeline::run(&collection, settings(&web), clock, limits, shutdown, |_| {}).await.unwrap();
    let times: Vec<Time> =
        web.log().iter().filter(|request| request.host == HONEST).map(|request| request.at).collect();
    assert_eq!(times.len(), HONEST_PAGES + 1, "every page and robots.txt once");
    let silence = times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    (summary, silence)
}

#[tokio::test(start_paused = true)]
async fn servers_that_take_long_step_aside() {
    let (summary, silence) = crawl(CONCURRENCY + 4).await;
    assert_eq!(summary.outcomes.failed, 0, "{summary:?}");
    assert!(silence <= DELAY + Span::from_secs(2), "{silence}");
}

#[tokio::test(start_paused = true)]
async fn where_all_places_are_taken_by_the_slow_they_give_way() {
    // Two more than there are places.
    let (summary, silence) = crawl(4 * CONCURRENCY + 2).await;
    assert!(summary.outcomes.failed > 0, "{summary:?}");
    assert!(silence <= Span::from_secs(12), "{silence}");
}
