//! Sources stay within bounds: they do not wait for each other, end at their limits, pay for every request and stop when told.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::sync::mpsc::{Receiver, channel};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use support::archive::assert_consistent;
use support::collection::everfresh;
use support::judged::Judged;
use support::scripted::{Scripted, Told};

/// Rows from here on, `count` of them if there are so many, each so long that a thousand are a large body.
fn rows(there_are: usize, offset: usize, count: usize) -> Told {
    let lines: String =
        (offset..there_are.min(offset + count)).map(|row| format!("http://s/{row:06}/{}\n", "x".repeat(300))).collect();
    Told::new("text/csv", format!("s\n{lines}"))
}

/// An endpoint that gives at most 1,000 rows at once.
fn endpoint(there_are: usize) -> Scripted {
    Scripted::start(move |asked| {
        let query = asked.parameter("query").unwrap();
        let offset = query.split("OFFSET ").nth(1).map_or(0, |offset| offset.trim().parse().unwrap());
        rows(there_are, offset, 1000)
    })
}

fn add_query(judged: &Judged, host: &str) {
    let file = judged.folder().join("all.rq");
    std::fs::write(&file, "SELECT ?s { ?s ?p ?o } ORDER BY ?s").unwrap();
    judged.printed(&["add", "--kind", "sparql", "--query", file.to_str().unwrap(), &format!("http://{host}/sparql")]);
}

fn word<'a>(visit: &'a Value, name: &str) -> &'a str {
    visit[name].as_str().unwrap_or_default()
}

#[test]
fn six_sources_of_large_parts_do_not_wait_for_each_other() {
    let endpoint = endpoint(2500);
    let hosts: Vec<String> = (0..6).map(|number| format!("data{number}.test")).collect();
    let resolved: Vec<_> = hosts.iter().map(|host| (host.clone(), endpoint.address)).collect();
    let judged = Judged::new(&resolved);
    hosts.iter().for_each(|host| add_query(&judged, host));
    judged.printed(&["run", "--until-idle"]);
    let visits = judged.exported("visits");
    assert_eq!(visits.len(), 6, "{visits:?}");
    assert!(visits.iter().all(|visit| word(visit, "detail") == "CSV, 2501 rows"), "{visits:?}");
    assert_eq!(endpoint.log().len(), 18);
    assert_eq!(assert_consistent(&judged.folder()), 18);
}

/// A catalogue without an end: every part names another one, and holds a comment of so many bytes.
fn endless_catalogue(bytes: usize) -> (Scripted, Judged) {
    let server = Scripted::start(move |asked| {
        let number: usize = asked.url.path().trim_start_matches('/').parse().unwrap_or(0);
        let next = number + 1;
        let comment = "x".repeat(bytes);
        Told::new(
            "text/turtle",
            format!(
                "@prefix hydra: <http://www.w3.org/ns/hydra/core#> . @prefix dcat: <http://www.w3.org/ns/dcat#> .
                 <> a dcat:Catalog ; hydra:next </{next}> .\n# {comment}\n"
            ),
        )
    });
    let judged = Judged::new(&[("data.test".into(), server.address)]);
    judged.printed(&["add", "--catalog", "http://data.test/0"]);
    (server, judged)
}

#[test]
fn a_catalogue_without_an_end_ends_at_its_limit_of_bytes() {
    let (server, judged) = endless_catalogue(100_000);
    let judged = judged.with(&["fetch.max_source_bytes=1MiB"]);
    judged.printed(&["run", "--until-idle"]);
    let visits = judged.exported("visits");
    assert_eq!((visits.len(), word(&visits[0], "rule")), (1, "source-too-large"), "{visits:?}");
    let detail = word(&visits[0], "detail");
    assert!(detail.contains("11 parts are larger than 1048576 bytes") && detail.contains("fetch.max_source_bytes"));
    assert_eq!(server.log().len(), 11);
}

#[test]
fn a_catalogue_without_an_end_ends_at_its_limit_of_parts() {
    let (server, judged) = endless_catalogue(0);
    judged.printed(&["run", "--until-idle"]);
    let visits = judged.exported("visits");
    assert_eq!((visits.len(), word(&visits[0], "rule")), (1, "source-too-large"), "{visits:?}");
    assert!(word(&visits[0], "detail").contains("more than 2000 parts"), "{visits:?}");
    assert_eq!(server.log().len(), 2001);
}

#[test]
fn every_request_of_a_source_is_paid_from_the_budget() {
    let server = Scripted::start(|asked| match asked.parameter("query") {
        Some(query) => {
            let offset = query.split("OFFSET ").nth(1).map_or(0, |offset| offset.trim().parse().unwrap());
            rows(950, offset, 100)
        }
        None => Told::new("text/plain", "a page"),
    });
    let judged = Judged::new(&[("data.test".into(), server.address)]);
    // One request after the other, so that the source is done before the budget is spent on pages.
    let judged = judged.with(&["schedule.budget=20", "fetch.concurrency=1"]);
    add_query(&judged, "data.test");
    let pages: Vec<String> = (0..40).map(|number| format!("http://data.test/{number}")).collect();
    judged.printed(&[&["add"], &pages.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());
    judged.printed(&["run", "--once"]);
    let asked = server.log().iter().filter(|asked| asked.parameter("query").is_some()).count();
    assert_eq!((asked, server.log().len()), (10, 19), "ten for the source, nine for pages, one for robots.txt");
    // What a restart finds in the store is the same.
    let store = everfresh::store::reader(&judged.folder()).unwrap();
    let told = store.visits(0).unwrap();
    assert_eq!(told.iter().map(|told| told.requests).sum::<u32>(), 19);
}

/// An endpoint of many small parts, and word of each request.
fn long_endpoint(parts: usize) -> (Scripted, Receiver<()>) {
    let (tell, told) = channel();
    let server = Scripted::start(move |asked| {
        let query = asked.parameter("query").unwrap();
        let offset = query.split("OFFSET ").nth(1).map_or(0, |offset| offset.trim().parse().unwrap());
        tell.send(()).ok();
        rows(parts * 100 - 1, offset, 100)
    });
    (server, told)
}

#[test]
fn a_signal_ends_a_source_after_the_part_under_way() {
    let (server, told) = long_endpoint(500);
    let judged = Judged::new(&[("data.test".into(), server.address)]);
    add_query(&judged, "data.test");
    let resolve = format!("fetch.resolve.\"data.test\"=\"{}\"", server.address);
    let sets = ["--set", "fetch.allow_private=true", "--set", "fetch.delay=100ms", "--set", &resolve];
    let mut child = everfresh(&judged.folder(), &[&["run"], &sets[..]].concat()).spawn().unwrap();
    (0..3).for_each(|_| told.recv().unwrap());
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(11), "interrupted");
    let asked = server.log().len();
    assert!(asked < 400, "{asked} of 500 parts were asked for");
    assert_eq!(judged.exported("visits").len(), 0, "it is as if it had not begun");

    // The next run makes the visit, whole.
    judged.printed(&["run", "--until-idle"]);
    let visits = judged.exported("visits");
    assert_eq!((visits.len(), word(&visits[0], "detail")), (1, "CSV, 50000 rows"), "{visits:?}");
    assert_eq!(server.log().len(), asked + 500);
}
