//! Killed at any moment, a crawl loses nothing it acknowledged, forgets no page, keeps archive and index in step with
//! the store, and stays polite to hosts it no longer remembers to have contacted.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::living::{Changes, LivingWeb, Page, Request, Script, Site, Sitemap, Validators};
use everfresh::pipeline::fingerprint;
use everfresh::store::{self, StoreError, each_numbered};
use everfresh::units::Bytes;
use revisit::{Span, Time};
use rustix::process::{Pid, Signal, kill_process};
use support::archive::{assert_consistent, assert_warcio_agrees};
use support::collection::{config_for, everfresh, json, lines, new_collection, printed, visits};

const KILLS: u64 = 20;
const DELAY: Span = Span::from_millis(40);
/// What `patient.test` asks for in its robots.txt.
const CRAWL_DELAY: Span = Span::from_millis(400);
/// How long the slow pages take.
const SLOW: Duration = Duration::from_millis(80);

/// Some two hundred pages on five hosts: at rest, in motion, slow to answer, listed in a sitemap, asking for patience.
fn script(now: Time) -> Script {
    let pages = |folder: &str, count: usize| -> Vec<Page> {
        (1..=count).map(|number| Page::new(&format!("/{folder}/{number}"))).collect()
    };
    let moving = pages("news", 50).into_iter().map(|page| page.changes(Changes::Every(Span::from_secs(3))));
    let slow = pages("archive", 25).into_iter().map(|page| page.slow(SLOW).validators(Validators::Absent).gzip());
    Script::new(20)
        .starting(now - Span::MINUTE)
        .site(Site::new("still.test").pages(pages("page", 50)).page(Page::new("/old").redirects(302, "/page/1")))
        .site(Site::new("moving.test").page(Page::new("/news/").gzip()).pages(moving))
        .site(Site::new("slow.test").pages(slow))
        .site(Site::new("listed.test").sitemap(Sitemap::Honest).pages(pages("item", 50)))
        .site(
            Site::new("patient.test").robots("User-agent: *\nCrawl-delay: 0.4\nDisallow: /x/\n").pages(pages("p", 10)),
        )
}

/// After how many requests each crawl is killed: the same each time, and every fifth before it can have asked anything.
fn moments() -> impl Iterator<Item = usize> {
    let requests = |kill: u64| fingerprint(&format!("kill {kill}")) as usize % 50;
    (0..KILLS).map(move |kill| if kill % 5 == 4 { 0 } else { requests(kill) })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_kills_lose_nothing_and_stay_polite() {
    let clock = Clock::wall();
    let web = LivingWeb::start(script(clock.now()), clock.clone()).await.unwrap();
    let mut config = config_for(&web, DELAY);
    // Small files, so that kills meet files being begun and closed.
    config.archive.roll = Bytes(20_000);
    let collection = new_collection(&config, &web, clock.now());
    let folder = collection.path();
    for requests in moments() {
        kill_after(folder, &web, requests).await;
    }
    interrupt(folder, &web).await;
    let summary = json(folder, &["run", "--until-idle"]);
    assert_eq!((&summary["interrupted"], &summary["waiting"]), (&false.into(), &0.into()), "{summary}");

    assert_every_page_is_there(folder, &web);
    let captured = visits(folder).iter().filter(|visit| visit.file.is_some()).count();
    assert_eq!(assert_consistent(folder), captured);
    assert_eq!(printed(folder, &["export", "cdxj"]).lines().count(), captured);
    assert_warcio_agrees(folder);
    assert_polite(&web.log());
}

/// Runs the crawl, kills it after so many requests, and asserts that what a reader saw before is what a reader sees afterwards.
async fn kill_after(folder: &Path, web: &LivingWeb, requests: usize) {
    let asked = web.log().len();
    let mut child = everfresh(folder, &["run", "--until-idle"]).spawn().unwrap();
    web.asked(asked + requests).await;
    let before = lines(&visits(folder));
    assert_eq!(child.try_wait().unwrap(), None, "the crawl was to be killed at work");
    child.kill().unwrap();
    child.wait().unwrap();
    let after = lines(&visits(folder));
    assert_eq!(after[..before.len()], before, "killed after {requests} requests");
    // What the dead process sent comes before anything that the next one sends.
    web.deserted().await.unwrap();
}

/// Runs the crawl and lets it end in order while it is at work: the next one is told when hosts were last contacted.
async fn interrupt(folder: &Path, web: &LivingWeb) {
    let before = web.log().len();
    let mut child = everfresh(folder, &["run", "--until-idle"]).spawn().unwrap();
    web.asked(before + 20).await;
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(11), "interrupted");
}

fn assert_every_page_is_there(folder: &Path, web: &LivingWeb) {
    let store = store::reader(folder).unwrap();
    let mut known = BTreeMap::new();
    let taken: Result<(), StoreError> = each_numbered(
        |from| store.pages(from),
        |page| {
            assert!(known.insert(page.url, page.id).is_none(), "a page is there twice");
            Ok(())
        },
    );
    taken.unwrap();
    for page in web.truth().pages() {
        let copy = known.get(page.url).map(|id| store.load(&[*id]).unwrap().remove(0).copy);
        assert!(matches!(copy, Some(Some(_))), "{}: {copy:?}", page.url);
    }
}

/// No host is contacted sooner than its delay after the end of the contact before, whoever made them.
fn assert_polite(log: &[Request]) {
    let hosts: BTreeSet<&str> = log.iter().map(|request| request.host.as_str()).collect();
    assert_eq!(hosts.len(), 5, "{hosts:?}");
    for host in hosts {
        let mut contacts: Vec<&Request> = log.iter().filter(|request| request.host == host).collect();
        contacts.sort_by_key(|request| request.at);
        for pair in contacts.windows(2) {
            // A contact that a kill cut short has no other end than its beginning.
            let (gap, least) = (pair[1].at - pair[0].answered.unwrap_or(pair[0].at), least_gap(pair[1]));
            assert!(gap >= least, "{host}: {} {gap} after {}", pair[1].path, pair[0].path);
        }
    }
}

/// A crawl whose robots.txt a kill kept from being written down cannot know what it asked for, and asks for it again.
fn least_gap(contact: &Request) -> Span {
    if contact.host == "patient.test" && contact.path != "/robots.txt" { CRAWL_DELAY } else { DELAY }
}

/// A kill between the transaction and the index leaves an old index or none, and somebody may remove one at any time. The next
/// start makes it anew, whatever the clock said and however the crawl before ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn indexes_that_are_not_complete_are_made_at_the_next_start() {
    let clock = Clock::wall();
    let pages = (1..=40).map(|number| Page::new(&format!("/page/{number}")));
    let script = Script::new(1).site(Site::new("still.test").pages(pages));
    let web = LivingWeb::start(script, clock.clone()).await.unwrap();
    let mut config = config_for(&web, Span::ZERO);
    config.archive.roll = Bytes(20_000);
    let collection = new_collection(&config, &web, clock.now());
    let folder = collection.path();
    printed(folder, &["run", "--until-idle"]);
    assert_consistent(folder);

    let indexes = Collection::at(folder).indexes();
    let mut names: Vec<_> = std::fs::read_dir(&indexes).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort_unstable();
    assert!(names.len() > 3, "{names:?}");
    std::fs::remove_file(&names[0]).unwrap();
    let shorter = std::fs::File::options().write(true).open(&names[1]).unwrap();
    shorter.set_len(0).unwrap();
    shorter.set_modified(std::time::SystemTime::now() + Duration::from_secs(86_400)).unwrap();
    std::fs::write(indexes.join("everfresh-999999.cdxj"), "").unwrap();
    let before = std::fs::metadata(&names[2]).unwrap().modified().unwrap();
    printed(folder, &["run", "--until-idle"]);
    assert_consistent(folder);
    assert_eq!(std::fs::metadata(&names[2]).unwrap().modified().unwrap(), before, "what is complete stays");
}
