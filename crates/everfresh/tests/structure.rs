//! Site structure in a live crawl: links survive a restart and follow the pages, and what a sample of a site shows decides
//! about the rest of it.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{LivingWeb, Script};
use everfresh::pipeline::{self, Goal, Limits};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store::{self, StoreError, each_numbered};
use everfresh::units::Duration;
use revisit::{PageId, Span, Time};
use support::collection::{config_for, visits};
use tempfile::TempDir;
use url::Url;

/// The demo's web under a clock that the test sets, and a collection of some of its hosts.
struct Demo {
    web: LivingWeb,
    now: Arc<AtomicI64>,
    folder: TempDir,
    config: Config,
}

impl Demo {
    async fn start(hosts: &[&str]) -> Demo {
        let script = Script::demo(1);
        let now = Arc::new(AtomicI64::new((script.begins() + Span::DAY).millis()));
        let told = now.clone();
        let web = LivingWeb::start_told(script, move || Time::from_millis(told.load(Ordering::SeqCst))).await.unwrap();
        let mut config = config_for(&web, Span::ZERO);
        // The manual asks for two seconds between requests, and this clock stands still.
        config.fetch.max_delay = Duration(Span::ZERO);
        config.schedule.cycle = Duration(Span::DAY);
        let begin = Time::from_millis(now.load(Ordering::SeqCst));
        let seeds: Vec<Url> =
            web.seeds().into_iter().filter(|seed| hosts.contains(&seed.host_str().unwrap())).collect();
        let folder = support::collection::new_collection_of(&config, &seeds, begin);
        Demo { web, now, folder, config }
    }

    /// Crawls at a time with a clock that stands still.
    async fn crawl(&self, at: Time, goal: Goal) {
        self.now.store(at.millis(), Ordering::SeqCst);
        let settings = Settings::resolve(self.config.clone()).unwrap();
        let (_trigger, shutdown) = Shutdown::new();
        let collection = Collection::at(self.folder.path());
        let limits = Limits { goal, max_visits: None };
        pipeline::run(&collection, settings, Clock::standing(at), limits, shutdown, |_| {}).await.unwrap();
    }

    fn begin(&self) -> Time {
        Script::demo(1).begins() + Span::DAY
    }

    /// The links in the store, by URL.
    fn links(&self) -> BTreeMap<String, BTreeSet<String>> {
        let store = store::reader(self.folder.path()).unwrap();
        let mut urls: BTreeMap<PageId, String> = BTreeMap::new();
        let taken: Result<(), StoreError> = each_numbered(
            |from| store.pages(from),
            |page| {
                urls.insert(page.id, page.url);
                Ok(())
            },
        );
        taken.unwrap();
        let mut links = BTreeMap::new();
        let taken: Result<(), StoreError> = each_numbered(
            |from| store.links(from),
            |row| {
                links.insert(urls[&row.page].clone(), row.targets.iter().map(|page| urls[page].clone()).collect());
                Ok(())
            },
        );
        taken.unwrap();
        links
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_are_kept_with_redirects_and_follow_the_pages() {
    let demo = Demo::start(&["news.living.test", "docs.living.test"]).await;
    demo.crawl(demo.begin(), Goal::Idle).await;
    let links = demo.links();
    assert_eq!(links["http://docs.living.test/latest"], ["http://docs.living.test/v2/".to_owned()].into());
    let section = &links["http://docs.living.test/v1/"];
    assert!((1..=22).all(|chapter| section.contains(&format!("http://docs.living.test/v1/chapter-{chapter}"))));
    let breaking = |links: &BTreeMap<String, BTreeSet<String>>| links["http://news.living.test/breaking/"].len();
    let before = breaking(&links);
    demo.crawl(demo.begin() + Span::DAY * 3.0, Goal::Idle).await;
    assert!(breaking(&demo.links()) > before, "new articles are linked");
}

/// When all pages of the manual's second edition have changed for the first time since the beginning, and how often until then.
fn rebuilt(demo: &Demo) -> Time {
    let chapter = "http://docs.living.test/v2/chapter-1";
    demo.web.truth().changes(chapter, demo.begin(), demo.begin() + Span::DAY * 60.0)[0]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_that_changed_as_a_whole_is_found_within_a_cycle() {
    let mut demo = Demo::start(&["docs.living.test", "museum.living.test"]).await;
    demo.config.schedule.policy = "sampling+b?unit=directory&share=0.15".into();
    demo.crawl(demo.begin(), Goal::Idle).await;
    let known = visits(demo.folder.path()).len();
    demo.config.schedule.budget = 45;
    demo.crawl(rebuilt(&demo) + Span::HOUR, Goal::OneCycle).await;
    let visits = visits(demo.folder.path()).split_off(known);
    assert!(visits.len() <= 45, "{} visits", visits.len());
    let changed: BTreeSet<&str> =
        visits.iter().filter(|visit| visit.outcome == "changed").map(|visit| visit.url.as_str()).collect();
    let missed: Vec<String> = (1..=22)
        .map(|chapter| format!("http://docs.living.test/v2/chapter-{chapter}"))
        .filter(|url| !changed.contains(url.as_str()))
        .collect();
    assert!(missed.is_empty(), "{} visits, {} saw a change, missed {missed:?}", visits.len(), changed.len());
}
