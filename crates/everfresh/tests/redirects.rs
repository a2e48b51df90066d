//! Seeds that moved: the scope follows them within their house, and not to strangers.

#![allow(clippy::unwrap_used)]

mod support;

use everfresh::clock::Clock;
use everfresh::living::{LivingWeb, Page, Script, Site};
use revisit::Span;
use support::collection::{config_for, everfresh, json, new_collection_of};
use url::Url;

async fn crawl(target: &str) -> (LivingWeb, tempfile::TempDir) {
    let script = Script::new(3)
        .site(Site::new("old.house.test").page(Page::new("/").redirects(301, target)))
        .site(Site::new("www.house.test").page(Page::new("/a")).page(Page::new("/b")))
        .site(Site::new("www.stranger.test").page(Page::new("/c")));
    let clock = Clock::wall();
    let web = LivingWeb::start(script, clock.clone()).await.unwrap();
    let seed = Url::parse("http://old.house.test/").unwrap();
    let folder = new_collection_of(&config_for(&web, Span::ZERO), &[seed], clock.now());
    assert!(everfresh(folder.path(), &["run", "--until-idle"]).output().unwrap().status.success());
    (web, folder)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seed_that_moved_within_its_house_takes_the_scope_along() {
    let (_web, folder) = crawl("http://www.house.test/").await;
    let seen = |url: &str| json(folder.path(), &["history", url])["visits"][0]["outcome"].clone();
    assert_eq!(seen("http://old.house.test/"), "gone");
    assert_eq!(seen("http://www.house.test/"), "first");
    assert_eq!(seen("http://www.house.test/b"), "first");
    // The next run knows the new seed from the store.
    assert!(everfresh(folder.path(), &["run", "--until-idle"]).output().unwrap().status.success());
    let visits = json(folder.path(), &["history", "http://www.house.test/b"]);
    assert_eq!(visits["visits"][1]["outcome"], "unchanged");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seed_that_moved_to_a_stranger_is_not_followed_and_says_so() {
    let (web, folder) = crawl("http://www.stranger.test/").await;
    let visit = &json(folder.path(), &["history", "http://old.house.test/"])["visits"][0];
    assert!(visit["detail"].as_str().unwrap().contains("out of scope; 'everfresh add' it"), "{visit}");
    assert!(web.log().iter().all(|request| request.host == "old.house.test"));
}
