//! Nothing is an id because of its place in a list: rows that somebody deleted shift nothing.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

use std::collections::BTreeMap;
use std::path::Path;

use everfresh::config::Config;
use everfresh::pipeline::{Memory, add_seeds, fingerprint};
use everfresh::rule::Rule;
use everfresh::settings::Settings;
use everfresh::store::{
    self, Batch, FILE, FeaturesRow, FoundAs, HintsRow, HostRow, LinksRow, Opening, PageRow, VisitRow,
};
use revisit::{HostId, ListKind, Outcome, PageId, Span, Time, Visit};
use rusqlite::Connection;
use tempfile::TempDir;
use url::Url;

const HOSTS: u32 = 4;
const PAGES: u32 = 60;

fn at(hour: i64) -> Time {
    Time::from_secs(hour * 3600)
}

fn url(page: u32) -> String {
    format!("http://{}.test/{page}", page % HOSTS)
}

fn host(id: u32) -> HostRow {
    let (last_contact, blocked_until) = (Time::MIN, Time::MIN);
    let name = format!("http://{id}.test");
    HostRow { id: HostId(id), name, robots: None, last_contact, blocked_until, pause: Span::ZERO }
}

fn page(id: u32) -> PageRow {
    PageRow {
        id: PageId(id),
        url: url(id),
        fingerprint: fingerprint(&url(id)),
        host: HostId(id % HOSTS),
        weight: 1.0,
        depth: 1,
        hops: 0,
        found_at: at(0),
        found_as: FoundAs::Link,
        found_on: None,
    }
}

fn visit(page: u32, hour: i64) -> VisitRow {
    let outcome = match (hour, (i64::from(page) + hour) % 3) {
        (0, _) => Outcome::First,
        (_, 0) => Outcome::Changed,
        _ => Outcome::Unchanged,
    };
    let visit = Visit { page: PageId(page), at: at(hour), outcome };
    let (answer, capture, parts) = (None, None, Vec::new());
    VisitRow { visit, rule: Rule::TextDiffers, detail: None, answer, capture, parts, requests: 1 }
}

fn features(page: u32) -> FeaturesRow {
    FeaturesRow {
        page: PageId(page),
        depth: 1,
        text_bytes: page,
        links: 2,
        images: 0,
        emails: 0,
        directory_level: 1,
        last_modified: false,
        nofollow: false,
        noindex: false,
        format: None,
        host_kind: None,
        max_age: None,
    }
}

/// Pages of four hosts, visited now and then, of which a list of theirs speaks; some were never visited.
fn lived() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut store = store::open(folder.path(), Opening { durable: false, ..Opening::default() }).unwrap();
    let (hosts, pages) = ((0..HOSTS).map(host).collect(), (0..PAGES).map(page).collect());
    store.commit(&Batch { hosts, pages, ..Batch::default() }).unwrap();
    for hour in 0..12 {
        let seen = || (0..PAGES - 8).filter(move |page| hour == 0 || i64::from(page % 4) < hour % 5);
        let links = seen().map(|page| LinksRow { page: PageId(page), targets: vec![PageId((page + 4) % PAGES)] });
        let entries = (4..PAGES).step_by(4).map(|page| (PageId(page), at(hour - 1))).collect();
        let hints = vec![HintsRow { list: PageId(0), kind: ListKind::Sitemap, at: at(hour), entries }];
        let features = if hour == 0 { seen().map(features).collect() } else { Vec::new() };
        // A page whose copy is there is not one whose copy was lost.
        let copy = |page: u32| store::CopyRow {
            page: PageId(page),
            since: at(0),
            etag: None,
            last_modified: None,
            payload: [0; 20],
            text: vec![1],
            simhash: 0,
            moved_to: None,
        };
        let (visits, copies) = (seen().map(|page| visit(page, hour)).collect(), seen().map(copy).collect());
        let batch = Batch { visits, copies, features, hints, links: links.collect(), ..Batch::default() };
        store.commit(&batch).unwrap();
    }
    folder
}

/// Every page's history by its number, and who is picked of all, in order.
fn rebuilt(folder: &Path, policy: &str) -> (BTreeMap<u32, String>, Vec<u32>) {
    let mut config = Config::default();
    config.schedule.policy = policy.into();
    // Whose turn a floor makes it depends on how many there are.
    (config.schedule.new_share, config.schedule.revisit_share) = (0.0, 0.0);
    let (settings, store, now) = (Settings::resolve(config).unwrap(), store::reader(folder).unwrap(), at(15));
    let mut scheduler = Memory::rebuild(folder, store.as_ref(), &settings, now, true).unwrap().scheduler;
    let pages = scheduler.pages().iter();
    let said = |page: PageId| (scheduler.hinted(page), scheduler.sitemap_of(page), scheduler.pages().host(page));
    let histories = pages.map(|(page, history)| (page.0, format!("{history:?} {:?}", said(page)))).collect();
    assert_eq!(scheduler.pages().len() as u64, store.totals().unwrap().pages - out_of_reach(folder));
    scheduler.open_cycle(1000, 1000, now);
    (histories, scheduler.pick(now, 1000).unwrap().into_iter().map(|page| page.0).collect())
}

/// Pages whose host is not there.
fn out_of_reach(folder: &Path) -> u64 {
    let sql = "SELECT count(*) FROM pages WHERE host NOT IN (SELECT id FROM hosts)";
    let count: i64 = outsider(folder).query_row(sql, [], |row| row.get(0)).unwrap();
    count as u64
}

fn outsider(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join(FILE)).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    connection
}

#[test]
fn deleted_rows_shift_nothing() {
    let folder = lived();
    let is_gone = |page: u32| [7, 21, 30, 59].contains(&page) || page % HOSTS == 2;
    let before = ["age", "bayesian"].map(|policy| rebuilt(folder.path(), policy));
    let kept = before.clone().map(|(mut histories, mut picks)| {
        histories.retain(|page, _| !is_gone(*page));
        picks.retain(|page| !is_gone(*page));
        (histories, picks)
    });
    let sql = "DELETE FROM pages WHERE id IN (7, 21, 30, 59); DELETE FROM hosts WHERE id = 2";
    outsider(folder.path()).execute_batch(sql).unwrap();
    let after = ["age", "bayesian"].map(|policy| rebuilt(folder.path(), policy));
    for ((mut histories, mut picks), kept) in after.into_iter().zip(kept) {
        histories.retain(|page, _| !is_gone(*page));
        picks.retain(|page| !is_gone(*page));
        assert_eq!((histories, picks), kept);
    }
}

#[test]
fn a_new_page_gets_no_number_that_a_deleted_one_had() {
    let folder = lived();
    outsider(folder.path()).execute_batch("DELETE FROM pages WHERE id >= 50; DELETE FROM hosts WHERE id = 3").unwrap();
    let mut store = store::open(folder.path(), Opening::default()).unwrap();
    let seeds = [Url::parse("http://3.test/new").unwrap(), Url::parse("http://0.test/new").unwrap()];
    assert_eq!(add_seeds(store.as_mut(), &seeds, 1.0, at(20)).unwrap().added, 2);
    let found = seeds.map(|seed| store.find(seed.as_str(), fingerprint(seed.as_str())).unwrap().unwrap().id);
    assert_eq!(found, [PAGES, PAGES + 1]);
    let hosts = store.hosts(0).unwrap().iter().map(|host| host.id.0).collect::<Vec<_>>();
    assert_eq!(hosts, [0, 1, 2, HOSTS], "the host of the same name is another one now");
    assert!(!rebuilt(folder.path(), "age").0.contains_key(&50), "what a deleted page had is nobody's");
}
