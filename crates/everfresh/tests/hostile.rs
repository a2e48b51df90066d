//! A server that tries everything leaves the crawl running, the good pages archived and its failures readable.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::{BTreeMap, BTreeSet};

use everfresh::living::{Hostile, LivingWeb, Page, Script, Site};
use revisit::Time;
use serde_json::Value;
use support::judged::Judged;

const GOOD: &str = "good.living.test";
const MIB: u64 = 1 << 20;

/// What large bodies may hold together (see `fetch::LargeBody`), and what the rest of the program may need: 32 MB of the
/// store's cache, 16 MiB that the writer gathers, small bodies, histories, code.
const MEMORY: u64 = 256 * MIB + 64 * MIB;

/// Every page that must fail, the rule that decides it and what its reason must name: the limit, or the offence.
const FAILURES: [(&str, &str, &str); 11] = [
    ("/huge", "body-too-large", "max_body_bytes"),
    ("/endless-headers", "headers-too-large", "max_header_bytes"),
    ("/gzip-bomb", "decoded-too-large", "max_decoded_bytes"),
    ("/zstd-bomb", "decoded-too-large", "max_decoded_bytes"),
    ("/loop", "redirect-loop", "leads back here"),
    ("/onward/4", "redirect-limit", "fetch.max_redirects"),
    ("/to-file", "bad-redirect", "file:///etc/passwd"),
    ("/drip", "body-too-large", "max_body_bytes"),
    ("/reset", "reset", "connection broke"),
    ("/garbage", "bad-http", "not valid HTTP"),
    ("/short", "reset", "connection broke"),
];

/// Pages that take for ever: each is let go at a limit that nothing else may meet.
const ENDLESS: [(&str, &str, &str); 3] = [
    ("/endless-body", "body-too-large", "fetch.max_body_bytes=64KiB"),
    ("/stall-before-headers", "first-byte-timeout", "fetch.first_byte_timeout=1s"),
    ("/stall-in-body", "total-timeout", "fetch.total_timeout=1s"),
];

/// Keeps out the million pages that "/many-links" names, and what takes for ever; the other families of pages end by depth or
/// trap guard.
const EXCLUDED: &str =
    "scope.exclude=[\"hostile.living.test/[0-9a-f]+$\", \"hostile.living.test/(stall|endless-body)\"]";

async fn good_web() -> LivingWeb {
    let site = Site::new(GOOD).pages((0..40).map(|number| Page::new(&format!("/page/{number}"))));
    LivingWeb::start_told(Script::new(1).site(site), || Time::from_secs(1_800_000_000)).await.unwrap()
}

/// A collection of both webs, whose front pages are the seeds.
fn collection(hostile: &Hostile, web: &LivingWeb) -> Judged {
    let hosts = [(hostile.host().to_owned(), hostile.address()), (GOOD.to_owned(), web.address())];
    let judged = Judged::new(&hosts);
    judged.printed(&["add", &url("/"), &format!("http://{GOOD}/")]);
    judged
}

fn url(path: &str) -> String {
    format!("http://hostile.living.test{path}")
}

/// The last visit of every page.
fn last_visits(judged: &Judged) -> BTreeMap<String, Value> {
    let visits = judged.exported("visits").into_iter();
    visits.map(|visit| (visit["url"].as_str().unwrap().to_owned(), visit)).collect()
}

fn assert_good_pages_archived(visits: &BTreeMap<String, Value>, web: &LivingWeb) {
    for page in web.truth().pages() {
        let visit = &visits[page.url];
        assert!(visit["outcome"] != "failed" && visit["file"].is_string(), "{visit}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_trap_is_escaped_and_recorded() {
    let (hostile, web) = (Hostile::start().await.unwrap(), good_web().await);
    let judged = collection(&hostile, &web).with(&[
        "fetch.connections=8",
        "fetch.max_body_bytes=16MiB",
        "fetch.max_decoded_bytes=32MiB",
        "fetch.max_redirects=3",
        "scope.max_depth=3",
        EXCLUDED,
    ]);
    let summary = judged.json(&["run", "--until-idle"]);
    assert!(summary["peak_memory_bytes"].as_u64().unwrap() < MEMORY, "{summary}");
    assert_eq!(summary["waiting"], 0);
    let visits = last_visits(&judged);
    assert_good_pages_archived(&visits, &web);
    for trap in hostile.traps().iter().filter(|trap| !trap.fails) {
        let visit = &visits[&url(trap.path)];
        assert_eq!((visit["outcome"].as_str(), visit["status"].as_u64()), (Some("first"), Some(200)), "{visit}");
        assert!(visit["file"].is_string(), "{visit}");
    }
    assert_failures_readable(&judged, &visits);
    assert_redirect_into_the_house_not_followed(&judged, &visits);
    assert_eq!(visits[&url("/smuggled")]["bytes"], 4);
    assert!(!hostile.log().iter().any(|path| path == "/from-image"), "an image has no links, whatever its type says");
    judged.assert_warcio_agrees();
}

/// Exactly the pages above failed, each for its reason, and `history` says so to people and programs.
fn assert_failures_readable(judged: &Judged, visits: &BTreeMap<String, Value>) {
    let failed: BTreeSet<&str> =
        visits.iter().filter(|(_, visit)| visit["outcome"] == "failed").map(|(url, _)| url.as_str()).collect();
    let expected: BTreeSet<String> = FAILURES.iter().map(|(path, ..)| url(path)).collect();
    assert_eq!(failed, expected.iter().map(String::as_str).collect());
    let listed = judged.printed(&["history", "--failed"]);
    for (path, rule, named) in FAILURES {
        let visit = &judged.json(&["history", &url(path)])["visits"][0];
        let detail = visit["detail"].as_str().unwrap();
        assert_eq!((&visit["outcome"], &visit["rule"]), (&"failed".into(), &rule.into()), "{visit}");
        assert!(detail.contains(named), "{visit}");
        assert!(listed.contains(&url(path)) && listed.contains(detail), "{listed}");
    }
    let one = judged.printed(&["history", &url("/huge")]);
    assert!(one.contains("body-too-large") && one.contains("max_body_bytes"), "{one}");
}

/// Loopback must be allowed here, and with it all inner addresses; what keeps the crawl out is then the scope. Without the
/// permission the address itself is refused, which the tests of `fetch` show.
fn assert_redirect_into_the_house_not_followed(judged: &Judged, visits: &BTreeMap<String, Value>) {
    let detail = visits[&url("/to-metadata")]["detail"].as_str().unwrap();
    assert!(detail.starts_with("redirects to http://169.254.169.254/; that is out of scope"), "{detail}");
    let pages = judged.exported("pages");
    assert!(!pages.iter().any(|page| page["url"].as_str().unwrap().contains("169.254.169.254")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_for_ever_is_let_go_at_its_limit() {
    let hostile = Hostile::start().await.unwrap();
    for (path, rule, limit) in ENDLESS {
        let judged = Judged::new(&[(hostile.host().to_owned(), hostile.address())]).with(&["scope.mode=list"]);
        // Without limits to meet the crawl learns what robots.txt says, so that nothing but the trap meets one later.
        judged.printed(&["add", &url("/lying-charset")]);
        assert_eq!(judged.json(&["run", "--until-idle"])["outcomes"]["first"], 1);
        judged.printed(&["add", &url(path)]);
        let judged = judged.with(&[limit]);
        judged.json(&["run", "--until-idle"]);
        let visit = &judged.json(&["history", &url(path)])["visits"][0];
        assert_eq!((&visit["outcome"], &visit["rule"]), (&"failed".into(), &rule.into()), "{visit}");
        let named = limit.split(['.', '=']).nth(1).unwrap();
        assert!(visit["detail"].as_str().unwrap().contains(named), "{visit}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_with_few_connections_gets_through_too() {
    let (hostile, web) = (Hostile::start().await.unwrap(), good_web().await);
    let judged = collection(&hostile, &web).with(&[
        // Met by what stalls, never by a good page on loopback.
        "fetch.total_timeout=15s",
        "fetch.concurrency=2",
        "fetch.connections=2",
        "fetch.max_body_bytes=2MiB",
        "fetch.max_decoded_bytes=2MiB",
        "scope.max_pages_per_host=60",
    ]);
    assert_eq!(judged.json(&["run", "--max-visits", "10"])["visits"], 10);
    let summary = judged.json(&["run", "--until-idle"]);
    assert!(summary["peak_memory_bytes"].as_u64().unwrap() < MEMORY, "{summary}");
    let visits = last_visits(&judged);
    assert_good_pages_archived(&visits, &web);
    assert!(hostile.traps().iter().all(|trap| visits.contains_key(&url(trap.path))));
    let hostile_pages = visits.keys().filter(|url| url.contains(hostile.host())).count();
    assert_eq!(hostile_pages, 60, "what has no end ends at scope.max_pages_per_host");
}

#[tokio::test(flavor = "multi_thread")]
async fn bombs_of_many_hosts_share_the_memory() {
    let hostile = Hostile::start().await.unwrap();
    let hosts = (0..24).map(|number| format!("bomb-{number}.living.test"));
    let hosts: Vec<_> = hosts.map(|host| (host, hostile.address())).collect();
    let judged = Judged::new(&hosts).with(&["scope.mode=list", "fetch.max_decoded_bytes=40MiB"]);
    let bombs: Vec<String> = hosts.iter().map(|(host, _)| format!("http://{host}/gzip-bomb")).collect();
    let bombs: Vec<&str> = bombs.iter().map(String::as_str).collect();
    judged.printed(&[&["add"], &bombs[..]].concat());
    let summary = judged.json(&["run", "--until-idle"]);
    assert_eq!(summary["outcomes"]["failed"], 24, "{summary}");
    assert!(summary["peak_memory_bytes"].as_u64().unwrap() < MEMORY, "{summary}");
    assert!(last_visits(&judged).values().all(|visit| visit["rule"] == "decoded-too-large"));
}
