//! HTTP/2 against servers that nobody here wrote: nginx, which ends connections as it likes, and hyper-h2 with a fault for every
//! host. Whatever they do, every honest page is archived, once.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::thread::{self, sleep};
use std::time::Duration;

use serde_json::Value;
use support::authority::Authority;
use support::collection::visits;
use support::h2_server::H2Server;
use support::judged::Judged;
use support::nginx::{Logged, Nginx};

const NAME: &str = "inner.nginx.test";
const PAGES: usize = 300;
/// Connections to a host.
const CONNECTIONS: usize = 4;
/// Times that nginx logs are rounded.
const ROUNDING: f64 = 0.005;

/// Pages that failed rest for a cycle.
const RESTING: [&str; 1] = ["schedule.cycle=1s"];

/// Does something again and again until it has led to what is awaited.
fn until(awaited: &str, done: impl Fn() -> bool) {
    let found = (0..100).any(|_| {
        let found = done();
        if !found {
            sleep(Duration::from_millis(200));
        }
        found
    });
    assert!(found, "{awaited}");
}

/// What every collection here needs to reach its server.
fn collection(hosts: &[(String, std::net::SocketAddr)], authority: &Authority) -> Judged {
    let judged = Judged::new(hosts).with(&[
        format!("fetch.ca_file={:?}", authority.certificate),
        "fetch.system_roots=false".into(),
        format!("fetch.connections={CONNECTIONS}"),
    ]);
    let seeds: Vec<String> = hosts.iter().map(|(host, _)| format!("https://{host}/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    judged.printed(&[&["add"], &seeds[..]].concat());
    judged
}

/// A front page and the pages it links to, which link to each other.
fn site() -> BTreeMap<String, String> {
    let link = |number: usize| format!("<a href=\"/pages/{number}.html\">page {number}</a>\n");
    let front: String = (0..PAGES).map(link).collect();
    let page =
        |number: usize| format!("<title>{number}</title><p>This is page {number}.{}", link((number + 1) % PAGES));
    let pages = (0..PAGES).map(|number| (format!("/pages/{number}.html"), page(number)));
    pages.chain([("/index.html".to_owned(), front)]).collect()
}

/// nginx with that site. It allows one stream a connection and few requests, and answers no faster than so many a second, so
/// that there is time to disturb it.
fn nginx() -> (Nginx, Judged) {
    let settings = "http2_max_concurrent_streams 1;
         keepalive_requests 7;
         limit_req_zone $server_name zone=all:1m rate=150r/s;
         limit_req zone=all burst=1000;";
    let nginx = Nginx::start(NAME, &site(), settings);
    let judged = collection(&[(NAME.to_owned(), nginx.address)], &nginx.authority);
    (nginx, judged)
}

/// The URLs that responses were archived of, as often as they were.
fn archived(judged: &Judged) -> Vec<String> {
    let records = judged.records("warc-type,warc-target-uri").into_iter();
    let responses = records.filter(|record| record["warc-type"] == "response");
    let mut urls: Vec<String> =
        responses.map(|record| record["warc-target-uri"].as_str().unwrap().to_owned()).collect();
    urls.sort();
    urls
}

/// Asserts that each page of the site is in the archive once, and that the index knows where.
fn assert_archived_once(judged: &Judged) {
    judged.assert_warcio_agrees();
    let mut expected: Vec<String> = (0..PAGES).map(|number| format!("https://{NAME}/pages/{number}.html")).collect();
    expected.push(format!("https://{NAME}/"));
    expected.sort();
    assert_eq!(archived(judged), expected);
    let index = judged.index_lines().concat();
    assert!(expected.iter().all(|url| index.contains(&format!("\"{url}\""))), "all of them are found");
}

/// How many connections were in use at once, at most.
fn most_at_once(log: &[Logged]) -> usize {
    let mut used: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for Logged { connection, begun, ended, .. } in log {
        let (first, last) = used.entry(*connection).or_insert((*begun, *ended));
        (*first, *last) = (first.min(*begun), last.max(*ended));
    }
    let at = |moment: f64| used.values().filter(|(begun, ended)| *begun < moment && moment < *ended - ROUNDING).count();
    used.values().map(|(begun, _)| at(begun + ROUNDING)).max().unwrap_or(0)
}

#[test]
fn nginx_that_ends_connections_and_is_reloaded_loses_no_page() {
    let (nginx, judged) = nginx();
    thread::scope(|scope| {
        let crawl = scope.spawn(|| judged.json(&["run", "--until-idle"]));
        for answered in [PAGES / 5, PAGES / 2] {
            nginx.has_answered(answered);
            nginx.reload();
        }
        crawl.join().unwrap();
    });
    let failed: Vec<Value> = judged.exported("visits").into_iter().filter(|visit| visit["status"] != 200).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert_archived_once(&judged);
    let log = nginx.log();
    let workers: BTreeSet<u32> = log.iter().map(|request| request.worker).collect();
    assert!(workers.len() > 1, "it was reloaded while it was crawled");
    assert!(most_at_once(&log) <= CONNECTIONS, "{} connections at once", most_at_once(&log));
    let connections: BTreeSet<u64> = log.iter().map(|request| request.connection).collect();
    assert!(connections.len() * 3 < log.len(), "{} connections for {} requests", connections.len(), log.len());
}

#[test]
fn nginx_that_stands_still_for_too_long_is_crawled_when_it_goes_on() {
    let (nginx, judged) = nginx();
    let judged = judged.with(&["fetch.first_byte_timeout=3s", "fetch.connect_timeout=3s"]);
    thread::scope(|scope| {
        let crawl = scope.spawn(|| judged.json(&["run", "--until-idle"]));
        nginx.has_answered(PAGES / 5);
        nginx.stand_still();
        let is_late = || visits(&judged.folder()).iter().any(|visit| visit.rule == "first-byte-timeout");
        while !is_late() && !crawl.is_finished() {
            sleep(Duration::from_millis(50));
        }
        nginx.go_on();
        crawl.join().unwrap();
    });
    let visits = judged.exported("visits");
    let urls: BTreeSet<&str> = visits.iter().map(|visit| visit["url"].as_str().unwrap()).collect();
    assert_eq!((visits.len(), urls.len()), (PAGES + 1, PAGES + 1), "each is visited, once a cycle");
    let judged = judged.with(&RESTING);
    until("every page is archived", || {
        judged.json(&["run", "--until-idle"]);
        archived(&judged).len() > PAGES
    });
    assert_archived_once(&judged);
}

/// The hosts of hyper-h2, and what their servers say when they have done what they are there for.
const FAULTS: [(&str, &str); 11] = [
    ("steady", "opened"),
    ("dead", "died"),
    ("deaf", "is deaf"),
    ("leaving", "went away"),
    ("parting", "went away"),
    ("refusing", "refused"),
    ("limiting", "allows none"),
    ("closing", "opened"),
    ("heads", "asked"),
    ("flooding", "asked"),
    ("halved", "closed its half"),
];
const PAGES_OF_A_FAULT: usize = 12;

fn host_of(fault: &str) -> String {
    format!("{fault}.h2.test")
}

/// The visits of every page, by host and path.
fn visits_by_page(judged: &Judged) -> BTreeMap<(String, String), Vec<Value>> {
    let mut visits: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
    for visit in judged.exported("visits") {
        let url = url::Url::parse(visit["url"].as_str().unwrap()).unwrap();
        let fault = url.host_str().unwrap().split('.').next().unwrap().to_owned();
        visits.entry((fault, url.path().to_owned())).or_default().push(visit);
    }
    visits
}

#[test]
fn every_fault_of_hyper_h2_costs_its_own_page_at_most() {
    let hosts: Vec<String> = FAULTS.iter().map(|(fault, _)| host_of(fault)).collect();
    let server = H2Server::start(&hosts, PAGES_OF_A_FAULT);
    let hosts: Vec<_> = hosts.into_iter().map(|host| (host, server.address)).collect();
    // Later than a dead connection is known to be dead, which takes ten seconds.
    let judged = collection(&hosts, &server.authority).with(&["fetch.first_byte_timeout=20s"]);
    judged.json(&["run", "--until-idle"]);
    let visits = visits_by_page(&judged);
    assert_eq!(visits.len(), FAULTS.len() * (PAGES_OF_A_FAULT + 1), "every page is found");
    assert!(visits.values().all(|visits| visits.len() == 1), "every page is visited once a cycle");
    let failed = visits.iter().filter(|(_, visits)| visits[0]["outcome"] == "failed");
    let mut failed: BTreeMap<_, &str> =
        failed.map(|(page, visits)| (page.clone(), visits[0]["rule"].as_str().unwrap())).collect();
    let page = |fault: &str, path: &str| (fault.to_owned(), path.to_owned());
    for path in ["/3", "/4"] {
        assert_eq!(failed.remove(&page("heads", path)), Some("headers-too-large"), "{path}");
    }
    // So much of nothing is a page to some, and an attack to others.
    failed.remove(&page("flooding", "/6"));
    let (deaf, others): (BTreeSet<_>, BTreeSet<_>) = failed.into_iter().partition(|((fault, _), _)| fault == "deaf");
    assert!(others.is_empty(), "{others:?}");
    assert!((1..=CONNECTIONS).contains(&deaf.len()), "{deaf:?}");
    assert!(deaf.iter().all(|(_, rule)| *rule == "first-byte-timeout"), "{deaf:?}");

    let judged = judged.with(&RESTING);
    until("who was deaf answers", || {
        judged.json(&["run", "--until-idle"]);
        let visits = visits_by_page(&judged);
        deaf.iter().all(|(page, _)| visits[page].iter().any(|visit| visit["status"] == 200))
    });
    judged.assert_warcio_agrees();
    assert_faults_happened(&server.end());
}

fn assert_faults_happened(said: &[Value]) {
    // That none is allowed any more may cross a request that is under way.
    let is_late = |event: &str| event.contains("Max inbound streams is 0");
    let is_objection = |event: &str| event.starts_with("objected") && !is_late(event);
    let objections: Vec<&Value> = said.iter().filter(|told| is_objection(told["event"].as_str().unwrap())).collect();
    assert!(objections.is_empty(), "hyper-h2 has nothing to say against us: {objections:?}");
    for (fault, event) in FAULTS {
        let host = host_of(fault);
        let has_happened = said.iter().any(|told| told["host"] == host.as_str() && told["event"] == event);
        assert!(has_happened, "{fault}: {event}");
    }
    let number_of = |fault: &str, event: &str| {
        let host = host_of(fault);
        said.iter().filter(|told| told["host"] == host.as_str() && told["event"] == event).count()
    };
    let asked = number_of("limiting", "asked");
    let enough = asked / 3 + CONNECTIONS;
    assert!(number_of("limiting", "opened") <= 2 * enough, "no more connections than it needs");
    let asked = number_of("refusing", "asked");
    assert!(number_of("refusing", "opened") * 3 < asked, "who refuses a stream is asked on the same connection");
}
