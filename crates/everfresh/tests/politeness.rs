//! What the crawler does to servers, told from their side: nothing that robots.txt forbids, nothing sooner than asked.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{Answer, LivingWeb, Page, Request, Script, Site};
use everfresh::parse::scope::Mode;
use everfresh::pipeline::{self, Goal, Limits, Summary};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::units::Duration;
use revisit::Span;
use support::collection::{config_for, new_collection, visits};

const DELAY: Span = Span::MINUTE;
/// Times are counted in whole milliseconds.
const CLOCK_STEP: Span = Span::from_millis(1);

async fn crawl(folder: &Path, config: &Config, clock: Clock, limits: Limits) -> Summary {
    let collection = Collection::at(folder);
    let settings = Settings::resolve(config.clone()).unwrap();
    let (_trigger, shutdown) = Shutdown::new();
    pipeline::run(&collection, settings, clock, limits, shutdown, |_| {}).await.unwrap()
}

/// A living web in stepped time, and the configuration to crawl it.
async fn start(script: Script) -> (LivingWeb, Config, Clock) {
    let clock = Clock::stepped(script.begins() + Span::DAY);
    let web = LivingWeb::start(script, clock.clone()).await.unwrap();
    let mut config = config_for(&web, DELAY);
    config.fetch.max_delay = Duration(DELAY * 5.0);
    (web, config, clock)
}

/// The requests to each host, in order.
fn by_host(log: &[Request]) -> BTreeMap<&str, Vec<&Request>> {
    let mut hosts: BTreeMap<&str, Vec<&Request>> = BTreeMap::new();
    for request in log {
        hosts.entry(&request.host).or_default().push(request);
    }
    hosts.values_mut().for_each(|requests| requests.sort_by_key(|request| request.at));
    hosts
}

fn is_robots(request: &Request) -> bool {
    request.path == "/robots.txt"
}

#[tokio::test(start_paused = true)]
async fn days_of_crawling_break_no_rule() {
    let (web, mut config, clock) = start(Script::demo(3)).await;
    config.schedule.cycle = Duration(Span::HOUR * 6.0);
    config.schedule.budget = 120;
    let begin = clock.now();
    let folder = new_collection(&config, &web, begin);
    let limits = Limits { goal: Goal::Forever, max_visits: Some(1000) };
    let summary = crawl(folder.path(), &config, clock.clone(), limits).await;
    let days = (clock.now() - begin).as_days() as usize;
    assert_eq!(summary.visits, 1000);

    let log = web.log();
    assert_nothing_forbidden(&web, &log);
    assert!(log.iter().all(|request| request.user_agent == config.fetch.user_agent));
    assert!(config.fetch.user_agent.starts_with("everfresh/"), "the name robots.txt files are searched for");
    let hosts = by_host(&log);
    assert_eq!(hosts.len(), web.hosts().len());
    for (host, requests) in hosts {
        assert!(is_robots(requests[0]), "{host}: {} came first", requests[0].path);
        assert_apart(host, &requests, DELAY);
        let asked = requests.iter().filter(|request| is_robots(request)).count();
        assert!((2..=1 + days).contains(&asked), "{host}: asked {asked} times for robots.txt in {days} days");
    }
}

fn assert_nothing_forbidden(web: &LivingWeb, log: &[Request]) {
    let truth = web.truth();
    assert!(truth.forbidden().count() > 0);
    for forbidden in truth.forbidden() {
        let asked = log.iter().any(|request| format!("http://{}{}", request.host, request.path) == forbidden);
        assert!(!asked, "{forbidden} was asked for");
    }
}

fn assert_apart(host: &str, requests: &[&Request], least: Span) {
    for pair in requests.windows(2) {
        let gap = pair[1].at - pair[0].at;
        assert!(gap + CLOCK_STEP >= least, "{host}: {} {gap} after {}", pair[1].path, pair[0].path);
    }
}

#[tokio::test(start_paused = true)]
async fn who_says_too_fast_is_left_alone_as_long_as_asked() {
    let asked = Span::MINUTE * 10.0;
    let pages = (1..=6).map(|number| Page::new(&format!("/{number}")));
    let script = Script::new(4).site(Site::new("strict.test").no_faster_than(asked).pages(pages));
    let (web, mut config, clock) = start(script).await;
    config.schedule.cycle = Duration(Span::HOUR);
    let folder = new_collection(&config, &web, clock.now());
    let limits = Limits { goal: Goal::Forever, max_visits: Some(12) };
    crawl(folder.path(), &config, clock.clone(), limits).await;

    let log = web.log();
    let requests = &by_host(&log)["strict.test"];
    let refusals = requests.windows(2).filter(|pair| pair[0].status == 429);
    let gaps: Vec<Span> = refusals.map(|pair| pair[1].at - pair[0].at).collect();
    assert!(gaps.len() > 1, "{requests:?}");
    assert!(gaps.iter().all(|gap| *gap + CLOCK_STEP >= asked), "{gaps:?}");
}

#[tokio::test(start_paused = true)]
async fn without_its_robots_txt_nothing_of_a_host_is_fetched() {
    let broken = Site::new("broken.test").robots_answer(Answer::Error { status: 503 }).page(Page::new("/page"));
    let absent = Site::new("absent.test").robots_answer(Answer::Error { status: 404 }).page(Page::new("/page"));
    let (web, mut config, clock) = start(Script::new(5).site(broken).site(absent)).await;
    config.schedule.cycle = Duration(Span::HOUR);
    let folder = new_collection(&config, &web, clock.now());
    let limits = Limits { goal: Goal::Forever, max_visits: Some(12) };
    crawl(folder.path(), &config, clock.clone(), limits).await;

    let log = web.log();
    let hosts = by_host(&log);
    assert!(hosts["broken.test"].iter().all(|request| is_robots(request)), "{:?}", hosts["broken.test"]);
    assert!(hosts["absent.test"].iter().any(|request| request.path == "/page"), "{:?}", hosts["absent.test"]);
    let visits = visits(folder.path());
    let refused = visits.iter().find(|visit| visit.url == "http://broken.test/").unwrap();
    assert_eq!((refused.outcome.as_str(), refused.rule.as_str()), ("failed", "robots-unreachable"));
}

/// A robots.txt may be kept on another host, of which nothing else was known. Its rules are those of the host that was
/// asked, and that host is one like all others from then on.
#[tokio::test(start_paused = true)]
async fn a_robots_txt_that_moved_is_followed_and_obeyed() {
    let rules = "User-agent: *\nDisallow: /private/\n";
    let moved = Answer::Redirect { status: 301, to: "http://rules.moved.test/robots.txt".into() };
    let asked = Site::new("www.moved.test")
        .robots(rules)
        .robots_answer(moved)
        .pages(["/open", "/private/page"].map(Page::new))
        .page(Page::new("/away").redirects(302, "http://rules.moved.test/open"))
        .page(Page::new("/further").redirects(302, "http://other.moved.test/"));
    let keeper = Site::new("rules.moved.test").robots(rules).page(Page::new("/open"));
    let (web, mut config, clock) =
        start(Script::new(6).site(asked).site(keeper).site(Site::new("other.moved.test"))).await;
    config.scope.mode = Mode::Domain;
    let folder = support::collection::new_collection_of(&config, &web.seeds()[..1], clock.now());
    let limits = Limits { goal: Goal::Idle, max_visits: None };
    crawl(folder.path(), &config, clock.clone(), limits).await;

    let log = web.log();
    assert_nothing_forbidden(&web, &log);
    let seen = |url: &str| visits(folder.path()).iter().any(|visit| visit.url == url && visit.outcome == "first");
    for url in ["http://www.moved.test/open", "http://rules.moved.test/open", "http://other.moved.test/"] {
        assert!(seen(url), "{url}");
    }
    let numbers = host_numbers(folder.path());
    assert_eq!(numbers, (0..numbers.len() as u32).collect::<Vec<_>>(), "no host is missing");
}

/// A robots.txt may be kept on a host that wants to be left alone: then it is out of reach, and nobody waits for it.
#[tokio::test]
async fn a_robots_txt_on_a_host_that_is_left_alone_is_out_of_reach() {
    let moved = Answer::Redirect { status: 301, to: "http://keeper.test/robots.txt".into() };
    let asked = Site::new("asked.test").robots_answer(moved);
    let keeper = Site::new("keeper.test").no_faster_than(Span::HOUR * 20.0).pages(["/one", "/two"].map(Page::new));
    let script = Script::new(7).site(keeper).site(asked);
    let begin = script.begins() + Span::DAY;
    let web = LivingWeb::start_told(script, move || begin).await.unwrap();
    let config = config_for(&web, Span::ZERO);
    let seeds = web.seeds();
    let folder = support::collection::new_collection_of(&config, &seeds[..1], begin);
    let standing = || Clock::standing(begin);
    crawl(folder.path(), &config, standing(), Limits { goal: Goal::Idle, max_visits: Some(2) }).await;
    assert!(visits(folder.path()).iter().any(|visit| visit.status == Some(429)), "the keeper wants to be left alone");

    let mut store = everfresh::store::open(folder.path(), everfresh::store::Opening::default()).unwrap();
    pipeline::add_seeds(store.as_mut(), &seeds[1..], 1.0, begin).unwrap();
    drop(store);
    crawl(folder.path(), &config, standing(), Limits { goal: Goal::OneCycle, max_visits: None }).await;
    let visits = visits(folder.path());
    let refused = visits.iter().find(|visit| visit.url == "http://asked.test/").unwrap();
    assert_eq!((refused.outcome.as_str(), refused.rule.as_str()), ("failed", "robots-unreachable"));
    assert!(refused.detail.as_deref().unwrap().contains("keeper.test"), "{refused:?}");
}

fn host_numbers(folder: &Path) -> Vec<u32> {
    let store = everfresh::store::reader(folder).unwrap();
    store.hosts(0).unwrap().iter().map(|host| host.id.0).collect()
}

/// Eight exchanges that met one hang say one thing about their host: it is left alone for a moment, and all is visited.
#[tokio::test(start_paused = true)]
async fn a_hiccup_that_many_exchanges_met_costs_a_host_a_moment() {
    const CONNECTIONS: usize = 8;
    const PAGES: usize = 400;
    let hang = std::time::Duration::from_secs(3);
    // Those found first, which are asked for at once.
    let slow = |number: usize| if number < CONNECTIONS { hang } else { std::time::Duration::ZERO };
    let pages = (0..PAGES).map(|number| Page::new(&format!("/{number:03}")).slow(slow(number)));
    let (web, mut config, clock) = start(Script::new(5).site(Site::new("busy.test").pages(pages))).await;
    config.fetch.delay = Duration(Span::ZERO);
    config.fetch.connections = CONNECTIONS as u32;
    config.fetch.first_byte_timeout = Duration::secs(2);
    let begin = clock.now();
    let folder = new_collection(&config, &web, begin);
    let limits = Limits { goal: Goal::Idle, max_visits: None };
    let summary = crawl(folder.path(), &config, clock.clone(), limits).await;
    let late = visits(folder.path()).iter().filter(|visit| visit.rule == "first-byte-timeout").count();
    assert_eq!(late, CONNECTIONS, "{summary:?}");
    assert_eq!((summary.waiting, summary.outcomes.failed), (0, CONNECTIONS as u64), "{summary:?}");
    assert_eq!(summary.outcomes.first, (PAGES + 1 - CONNECTIONS) as u64, "{summary:?}");
    let took = clock.now() - begin;
    assert!(took < Span::from_secs(20), "it was left alone for {took}");
}
