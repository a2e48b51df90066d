//! Live equals lab: on a trace that the living web plays, the whole crawler, sockets and store included, makes the visits that the
//! lab makes, also if it is killed again and again.
//!
//! A trace may tell of a page what the living web cannot show (that it has no text, or fewer links than targets). That is all the same to
//! policies that look at histories alone; `everfresh`, which looks at pages too, is held against the lab on what was shown.
//! (150 weeks of real traces, with kills, are in `cargo bench --bench live_lab`.)

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use everfresh::traces;
use revisit::lab::cut::{Cut, Window};
use revisit::lab::links::Links;
use revisit::lab::run::run_watched;
use revisit::lab::trace::{FIRST_DAY, Trace, TracePage};
use revisit::policy::registry::build;
use revisit::{PageId, Span, Time};
use serde_json::Value;
use support::collection::{refusal, visits};
use support::played::{demo, killed, report};
use tempfile::TempDir;

const PAGES: u32 = 40;
const CYCLES: usize = 60;
const VISITS: usize = 6;
const WINDOW: Window = Window { start: FIRST_DAY, cycle: Span::DAY, cycles: CYCLES, warmup: 2 };

/// Pages in three directories of two hosts, which change every one to nine days: some when a cycle begins to the second, some
/// several times a day.
fn made() -> Trace {
    let end = FIRST_DAY + Span::DAY * (CYCLES + 1) as f64;
    let page = |number: u32| {
        let url = format!("http://{}.example/{}/page-{number}", ["a", "b"][number as usize % 2], number % 3);
        let every = 1 + (number * 5) % 9;
        let days = (0..=CYCLES as u32).filter(|day| (day + number).is_multiple_of(every));
        let times = days.flat_map(|day| {
            let begin = FIRST_DAY + Span::DAY * f64::from(day);
            let hour = begin + Span::HOUR * f64::from(number % 24);
            [hour, hour + Span::from_secs(90)]
        });
        let (text_bytes, links) = (Some((number * 97 % 900) as f32), Some((number % 5) as f32));
        (TracePage { text_bytes, links, ..TracePage::named(url, FIRST_DAY, end) }, times.collect())
    };
    let links = (0..PAGES).map(|from| (PageId(from), PageId(from * 7 % PAGES))).collect();
    let links = Links::new(PAGES as usize, links).ok();
    Trace::new("made", (0..PAGES).map(page)).with_links(links.clone()).with_first_links(links)
}

/// The made trace in a folder.
fn written() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    traces::write(folder.path(), &made()).unwrap();
    folder
}

fn of_made(policy: &str) -> Vec<String> {
    let (cycles, visits) = (CYCLES.to_string(), VISITS.to_string());
    let start = FIRST_DAY.secs().to_string();
    let flags = ["--cycle", "1d", "--cycles", &cycles, "--start", &start, "--budget", &visits, "--policy", policy];
    flags.map(str::to_owned).to_vec()
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// Asserts that live measures are the lab's, and all visits the same.
fn assert_same(report: &Value, lab: &str, agreement: &str) {
    let close = |key: &str| {
        let of = |side: &str| report[side][key].as_f64().unwrap();
        assert!((of("live") - of(lab)).abs() < 1e-9, "{key}: {report:#}");
    };
    ["change_ratio", "freshness", "precision", "recall", "age_days"].iter().for_each(|key| close(key));
    assert_eq!(report[agreement]["made_by_both"], report[agreement]["visits"], "{report:#}");
    assert_eq!(report[agreement]["made_live_only"], 0, "{report:#}");
}

#[test]
fn a_crawl_makes_the_visits_of_the_lab() {
    let trace = written();
    for policy in ["age", "nad"] {
        let kept = tempfile::tempdir().unwrap();
        let folder = kept.path().join("kept");
        let output = demo(trace.path(), &words(&of_made(policy))).arg("--json").arg("--keep").arg(&folder).output();
        assert_same(&report(&output.unwrap()), "lab", "agreement");
        assert_eq!(made_live(&folder), made_in_lab(policy), "{policy}");
    }
    let output = demo(trace.path(), &words(&of_made("everfresh"))).arg("--json").output();
    assert_same(&report(&output.unwrap()), "lab_as_shown", "agreement_as_shown");
}

/// When which page was visited, and whether it had changed.
type Made = BTreeSet<(i64, String, bool)>;

/// Read off the store, without the first copies. Visits are made just before the end of a cycle.
fn made_live(folder: &Path) -> Made {
    let cycle = |at: i64| {
        let since = at + 1 - FIRST_DAY.millis();
        assert_eq!(since % Span::DAY.millis(), 0, "what a killed crawl left is visited at that time too");
        since / Span::DAY.millis()
    };
    let visits = visits(folder).into_iter().filter(|visit| visit.outcome != "first");
    visits.map(|visit| (cycle(visit.at), visit.url, visit.outcome == "changed")).collect()
}

fn made_in_lab(policy: &str) -> Made {
    let (trace, mut made_visits) = (made(), BTreeSet::new());
    let cut = Cut::new(&trace, WINDOW).unwrap();
    let watch = |cycle: usize, place: usize, changed| {
        made_visits.insert((cycle as i64 + 1, trace.page(cut.page(place)).url.clone(), changed));
    };
    run_watched(&cut, build(policy).unwrap(), VISITS, watch).unwrap();
    assert_eq!(made_visits.len(), PAGES as usize * 2 + VISITS * (CYCLES - 2));
    made_visits
}

#[test]
fn five_kills_change_no_visit() {
    let trace = written();
    for policy in ["age", "nad"] {
        let kept = tempfile::tempdir().unwrap();
        let folder = kept.path().join("kept");
        // While first copies are fetched, in the warm-up, and in the first half of what follows.
        let report = killed(trace.path(), &words(&of_made(policy)), &folder, &[1, 60, 130, 190, 260]);
        assert_same(&report, "lab", "agreement");
        assert_eq!(made_live(&folder), made_in_lab(policy), "{policy}");
    }
}

/// The folder of real traces, if it is there.
fn real(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces").join(name);
    folder.join("meta.json").exists().then_some(folder)
}

#[test]
fn real_histories_are_crawled_as_the_lab_says() {
    for (name, start, budget) in [("endoflife", "1661990400", "10%"), ("ota-contrib", "1630454400", "5%")] {
        let Some(trace) = real(name) else { continue };
        for (policy, lab, agreement) in
            [("nad", "lab", "agreement"), ("everfresh", "lab_as_shown", "agreement_as_shown")]
        {
            let flags = ["--cycle", "7d", "--cycles", "40", "--start", start, "--budget", budget, "--policy", policy];
            assert_same(&report(&demo(&trace, &flags).arg("--json").output().unwrap()), lab, agreement);
        }
    }
}

#[test]
fn what_cannot_be_played_is_said_in_a_line() {
    let trace = written();
    let said = |trace: &Path, arguments: &[&str]| refusal(&demo(trace, arguments).output().unwrap());
    let empty = tempfile::tempdir().unwrap();
    traces::write(empty.path(), &Trace::new("empty", [] as [(TracePage, Vec<Time>); 0])).unwrap();
    let cases = [
        (said(Path::new("no-such-folder"), &[]), "no-such-folder"),
        (said(empty.path(), &[]), "has no page"),
        (said(trace.path(), &["--start", "1"]), "move the window"),
        (said(trace.path(), &["--cycles", "2"]), "nothing to measure"),
        (said(trace.path(), &["--cycle", "90m", "--cycles", "90000"]), "move the window"),
        (said(trace.path(), &["--cycle", "1500ms", "--cycles", "9"]), "whole seconds"),
        (said(trace.path(), &["--budget", "none"]), "is no budget"),
        (said(trace.path(), &["--policy", "nobody"]), "nobody"),
    ];
    for ((code, line), expected) in cases {
        assert!(code == Some(4) && line.contains(expected), "{code:?} {line}, not {expected}");
    }
    let other = tempfile::tempdir().unwrap();
    let folder = other.path().join("kept");
    let keep = ["--cycles", "4", "--keep", folder.to_str().unwrap()];
    assert!(demo(trace.path(), &keep).output().unwrap().status.success());
    let another = tempfile::tempdir().unwrap();
    traces::write(another.path(), &Trace::daily("another", 9, [("http://c.example/", vec![1])])).unwrap();
    assert!(said(another.path(), &keep).1.contains("something else"));
}
