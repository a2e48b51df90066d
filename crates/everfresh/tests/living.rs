//! The main flow on the living web in stepped time: what is there is found, what changes is seen, and nothing else.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{Changes, Judgement, LivingWeb, Observation, Page, Script, Site, compare};
use everfresh::pipeline::{self, Goal, Limits, Memory, Summary, add_seeds, fingerprint};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store::{self, Opening, Reader, StoreError, VisitEntry, each_numbered};
use everfresh::units;
use revisit::policy::registry::POLICIES;
use revisit::{Outcome, PageId, Span, Time};
use support::collection::{config_for, new_collection, visits};
use tempfile::TempDir;
use url::Url;

/// A living web and a collection of it.
struct Crawled {
    web: LivingWeb,
    folder: TempDir,
    config: Config,
}

impl Crawled {
    /// A collection that knows the front pages. What is left to each test is set in `config`.
    fn new(web: LivingWeb, now: Time) -> Crawled {
        let mut config = config_for(&web, Span::ZERO);
        config.detect.drop = [".clock", ".token", ".counter"].map(String::from).to_vec();
        Crawled { folder: new_collection(&config, &web, now), web, config }
    }

    fn add(&self, urls: &[Url], weight: f32, now: Time) {
        let mut store = store::open(self.folder.path(), Opening::default()).unwrap();
        add_seeds(store.as_mut(), urls, weight, now).unwrap();
    }

    fn settings(&self) -> Settings {
        Settings::resolve(self.config.clone()).unwrap()
    }

    async fn run(&self, clock: Clock, limits: Limits) -> Summary {
        let collection = Collection::at(self.folder.path());
        let (_trigger, shutdown) = Shutdown::new();
        pipeline::run(&collection, self.settings(), clock, limits, shutdown, |_| {}).await.unwrap()
    }

    fn store(&self) -> Box<dyn Reader> {
        store::reader(self.folder.path()).unwrap()
    }

    /// Every visit, oldest first.
    fn visits(&self) -> Vec<VisitEntry> {
        visits(self.folder.path())
    }

    /// What a scheduler rebuilt from the store would pick next.
    fn picks(&self, now: Time, most: usize) -> Vec<PageId> {
        let mut memory =
            Memory::rebuild(self.folder.path(), self.store().as_ref(), &self.settings(), now, true).unwrap();
        let budget = self.config.schedule.budget;
        memory.scheduler.open_cycle(budget, budget, now);
        memory.scheduler.pick(now, most).unwrap()
    }

    fn urls(&self, pages: &[PageId]) -> BTreeSet<String> {
        self.store().load(pages).unwrap().into_iter().map(|page| page.url).collect()
    }
}

const ONE_CYCLE: Limits = Limits { goal: Goal::OneCycle, max_visits: None };

/// The visits as the truth can judge them: each at the time at which its request reached the web. The first answered visit
/// of a page belongs to the first request for it, and so on.
fn observations(crawled: &Crawled) -> Vec<Observation> {
    let mut requests: BTreeMap<String, VecDeque<Time>> = BTreeMap::new();
    for request in crawled.web.log() {
        requests.entry(format!("http://{}{}", request.host, request.path)).or_default().push_back(request.at);
    }
    let answered = crawled.visits().into_iter().filter(|visit| visit.status.is_some());
    let observations = answered.map(|visit| Observation {
        at: requests.get_mut(&visit.url).and_then(VecDeque::pop_front).unwrap(),
        judgement: match Outcome::from_name(&visit.outcome).unwrap() {
            Outcome::First | Outcome::Changed => Judgement::Changed,
            Outcome::Unchanged => Judgement::Unchanged,
            Outcome::Gone => Judgement::Gone,
            Outcome::Failed => Judgement::Failed,
        },
        url: visit.url,
    });
    let observations = observations.collect();
    requests.retain(|url, times| !times.is_empty() && !url.ends_with("/robots.txt"));
    assert!(requests.is_empty(), "requests without a visit: {requests:?}");
    observations
}

/// The demo's web, crawled for so many visits, from just before the first page vanishes.
async fn demo_crawled(visits: u64) -> (Crawled, Time, Time) {
    let script = Script::demo(1);
    let start = script.begins() + Span::DAY * 3.6;
    let clock = Clock::stepped(start);
    let web = LivingWeb::start(script, clock.clone()).await.unwrap();
    let mut crawled = Crawled::new(web, start);
    crawled.config.schedule.cycle = units::Duration::secs(6 * 3600);
    crawled.config.schedule.budget = 400;
    crawled.config.fetch.delay = units::Duration::secs(30);
    crawled.config.fetch.max_delay = units::Duration::secs(60);
    crawled.run(clock.clone(), Limits { goal: Goal::Forever, max_visits: Some(visits) }).await;
    (crawled, start, clock.now())
}

#[tokio::test(start_paused = true)]
async fn the_living_web_is_found_and_judged_rightly() {
    let (crawled, start, end) = demo_crawled(2000).await;
    let visits = crawled.visits();
    let by_url = |url: &str| visits.iter().filter(move |visit| visit.url == url).collect::<Vec<_>>();
    for page in crawled.web.truth().pages().filter(|page| page.appears.is_none() && page.vanishes.is_none()) {
        assert!(!by_url(page.url).is_empty(), "{} was not visited", page.url);
    }
    for forbidden in crawled.web.truth().forbidden() {
        assert!(by_url(forbidden).iter().all(|visit| visit.rule == "robots"), "{forbidden}");
    }
    assert_ways_found(crawled.store().as_ref());
    assert_answers(&visits);
    assert_gone(&crawled);
    assert_features_stored(&crawled);
    let comparison = compare(crawled.web.truth(), observations(&crawled).into_iter(), start, end);
    assert_eq!(comparison.false_alarms, 0, "{comparison:?}");
    assert!(comparison.changes_caught > 0, "{comparison:?}");
}

/// Pages were found by links and through the sitemap that robots.txt names. The feed, which lists only what is linked
/// too, was read.
fn assert_ways_found(store: &dyn Reader) {
    let mut ways = BTreeSet::new();
    let taken: Result<(), StoreError> = each_numbered(
        |from| store.summaries(from),
        |page| {
            ways.insert(page.found_as);
            Ok(())
        },
    );
    taken.unwrap();
    assert!(["link", "seed", "sitemap"].iter().all(|way| ways.contains(*way)), "{ways:?}");
}

/// Redirects, loops and errors are recorded as what they are.
fn assert_answers(visits: &[VisitEntry]) {
    let expected = [
        ("http://news.living.test/sitemap.xml", "first", "first"),
        ("http://news.living.test/feed.xml", "first", "first"),
        ("http://docs.living.test/latest", "first", "redirect"),
        ("http://wiki.living.test/wiki/renamed", "gone", "moved"),
        ("http://museum.living.test/moved", "gone", "moved"),
        ("http://museum.living.test/elsewhere", "first", "redirect"),
        ("http://museum.living.test/chain/4", "gone", "moved"),
        ("http://museum.living.test/chain/5", "first", "first"),
        ("http://museum.living.test/lost", "gone", "gone"),
        ("http://shop.living.test/sold-out", "gone", "gone"),
        ("http://museum.living.test/broken", "failed", "status"),
    ];
    for (url, outcome, rule) in expected {
        let first = visits.iter().find(|visit| visit.url == url).unwrap();
        assert_eq!((first.outcome.as_str(), first.rule.as_str()), (outcome, rule), "{url}");
    }
    let mut looped = visits.iter().filter(|visit| visit.rule == "redirect-loop");
    assert!(looped.clone().count() > 0);
    assert!(looped.all(|visit| visit.outcome == "failed" && visit.url.starts_with("http://museum.living.test/loop/")));
}

/// Visits after a page vanished say so, and visits before do not.
fn assert_gone(crawled: &Crawled) {
    let vanishing = crawled.web.truth().pages().filter_map(|page| Some((page.url.to_owned(), page.vanishes?)));
    let vanishing: BTreeMap<String, Time> = vanishing.collect();
    let mut gone = 0;
    for visit in observations(crawled).iter().filter(|visit| visit.judgement != Judgement::Failed) {
        let Some(vanishes) = vanishing.get(&visit.url) else { continue };
        let appeared = crawled.web.truth().version_at(&visit.url, visit.at).is_some();
        assert_eq!(visit.judgement == Judgement::Gone, !appeared, "{visit:?}, vanishes at {vanishes:?}");
        gone += usize::from(!appeared);
    }
    assert!(gone > 0, "no page vanished");
}

/// Every page with a copy has its features; a redirect has no content to have features of.
fn assert_features_stored(crawled: &Crawled) {
    let database = rusqlite::Connection::open(crawled.folder.path().join(everfresh::store::FILE)).unwrap();
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let held = "FROM copies LEFT JOIN features ON features.page = copies.page WHERE copies.moved_to IS NULL";
    assert_eq!(count(&format!("SELECT count(*) {held} AND features.page IS NULL")), 0);
    assert!(count(&format!("SELECT count(*) {held} AND text_bytes > 0 AND links > 0")) > 200);
}

/// A small web whose time the test tells, on three hosts that answer at once.
async fn small_web() -> (Crawled, Arc<AtomicI64>, Time) {
    let site = |host: &str| {
        let pages = (1..=6)
            .map(|days| Page::new(&format!("/every-{days}-days")).changes(Changes::Every(Span::DAY * f64::from(days))));
        Site::new(host).pages(pages)
    };
    let script = ["a.living.test", "b.living.test", "c.living.test"].iter().map(|host| site(host));
    let script = script.fold(Script::new(3), Script::site);
    let start = script.begins() + Span::DAY;
    let now = Arc::new(AtomicI64::new(start.millis()));
    let clock = now.clone();
    let web = LivingWeb::start_told(script, move || Time::from_millis(clock.load(Ordering::SeqCst))).await.unwrap();
    (Crawled::new(web, start), now, start)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_policy_crawls_and_picks_the_same_from_memory_and_from_the_store() {
    for policy in POLICIES.iter().filter(|policy| !policy.needs_model()) {
        let (mut crawled, now, start) = small_web().await;
        crawled.config.schedule.policy = policy.name.to_owned();
        // Else it is paid for again.
        crawled.config.fetch.robots_cache = everfresh::units::Duration(Span::DAY * 1000.0);
        let pages = crawled.web.truth().pages().count();
        // Time stands, so that a scheduler rebuilt beside the crawl sees the very same moment.
        let first = crawled.run(Clock::standing(start), ONE_CYCLE).await;
        assert_eq!((first.visits, first.outcomes.first), (pages as u64, pages as u64), "{}", policy.name);
        crawled.config.schedule.budget = 4;
        // Longer than the longest interval with which a method begins.
        for cycle in 1..=4 {
            let later = start + Span::DAY * (f64::from(cycle) * 40.0);
            now.store(later.millis(), Ordering::SeqCst);
            let picks = crawled.picks(later, 4);
            assert!(!picks.is_empty(), "{} wants nothing after 40 days", policy.name);
            assert_eq!(picks, crawled.picks(later, 4), "{}", policy.name);
            let before = crawled.visits().len();
            let summary = crawled.run(Clock::standing(later), ONE_CYCLE).await;
            assert_eq!((summary.outcomes.failed, summary.visits), (0, picks.len() as u64), "{}", policy.name);
            let visited: BTreeSet<String> = crawled.visits().split_off(before).into_iter().map(|v| v.url).collect();
            assert_eq!(visited, crawled.urls(&picks), "{} in cycle {cycle}", policy.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_matters_more_goes_first() {
    let (crawled, _, start) = small_web().await;
    crawled.run(Clock::standing(start), ONE_CYCLE).await;
    let important = Url::parse("http://c.living.test/every-6-days").unwrap();
    let later = start + Span::DAY;
    assert_ne!(crawled.urls(&crawled.picks(later, 1)), [important.to_string()].into());
    crawled.add(std::slice::from_ref(&important), 50.0, later);
    assert_eq!(crawled.urls(&crawled.picks(later, 1)), [important.to_string()].into());
    let page = crawled.store().find(important.as_str(), fingerprint(important.as_str())).unwrap().unwrap();
    assert_eq!((page.weight, page.found_as.as_str()), (50.0, "seed"));
}
