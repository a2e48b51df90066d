//! Worlds and imports from outside: what the commands write is a trace, and what is wrong is said in one line.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output};

use everfresh::clock::Clock;
use everfresh::living::{LivingWeb, Page, Script, Site};
use everfresh::traces;
use revisit::Span;
use revisit::lab::world;
use serde_json::Value;
use support::collection::{config_for, empty_collection, json, new_collection, refusal};

// As `everfresh --help` documents them.
const FAILED: i32 = 1;
const NO_SPACE: i32 = 3;
const WRONG: i32 = 4;

fn lab(arguments: &[&str], output: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_everfresh"));
    command.arg("lab").args(arguments).arg("--output").arg(output).output().unwrap()
}

fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Asserts that a command fails as wrong input, with one line in which these words are.
fn assert_refused(output: &Output, words: &str) {
    let (code, line) = refusal(output);
    assert!(code == Some(WRONG) && line.contains(words), "{code:?}: '{words}' is missing in: {line}");
}

#[test]
fn a_report_that_cannot_be_written_ends_in_one_line() {
    for arguments in [&["world"][..], &["world", "--json"], &["policies"], &["policies", "--json"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_everfresh"));
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (code, line) = refusal(&command.arg("lab").args(arguments).stdout(full).output().unwrap());
        assert!(code == Some(NO_SPACE) && line.contains("No space left"), "{arguments:?}: {code:?} {line}");
    }
}

#[test]
fn why_a_file_cannot_be_read_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let (code, line) = refusal(&lab(&["import", "nowhere.txt"], folder.path()));
    assert!(code == Some(FAILED) && line.matches("No such file").count() == 1, "{code:?}: {line}");
}

#[test]
fn a_world_is_written_as_the_library_makes_it() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("made/here");
    let arguments = ["world", "general?days=30", "--pages", "500", "--seed", "9", "--json"];
    let counts = report(&lab(&arguments, &trace));
    let made = world::make("general?days=30", 500, 9).unwrap();
    assert_eq!((&counts["pages"], &counts["changes"]), (&500.into(), &made.change_count().into()));
    assert_eq!(counts["name"], "general?days=30");
    assert_eq!(traces::read_with_links(&trace).unwrap(), made);
    assert_refused(&lab(&arguments, &trace), "holds a trace already");
}

#[test]
fn worlds_are_listed_with_their_parameters() {
    let listed = Command::new(env!("CARGO_BIN_EXE_everfresh")).args(["lab", "world", "--json"]).output().unwrap();
    let worlds = report(&listed)["worlds"].clone();
    let names: Vec<&str> = worlds.as_array().unwrap().iter().map(|world| world["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["brdc12-like", "general"]);
    assert_eq!(worlds[1]["parameters"][0]["name"], "days");
}

#[test]
fn day_strings_become_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("days.txt");
    std::fs::write(&file, "0101\n0000\n").unwrap();
    let arguments = ["import", "--format", "days", file.to_str().unwrap(), "--json"];
    let counts = report(&lab(&arguments, &folder.path().join("trace")));
    assert_eq!((&counts["traces"][0]["pages"], &counts["traces"][0]["changes"]), (&2.into(), &2.into()));
    assert_eq!(traces::read(&folder.path().join("trace")).unwrap().change_count(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawled_collection_becomes_as_many_traces_as_asked_for() {
    let site = Site::new("small.test").pages((1..=5).map(|number| Page::new(&format!("/{number}"))));
    let clock = Clock::wall();
    let web = LivingWeb::start(Script::new(1).site(site), clock.clone()).await.unwrap();
    let collection = new_collection(&config_for(&web, Span::ZERO), &web, clock.now());
    let copies = json(collection.path(), &["run", "--until-idle"])["visits"].clone();
    let folder = tempfile::tempdir().unwrap();
    let from = collection.path().to_str().unwrap();
    let drawn = report(&lab(&["import", "--collection", from, "--draws", "2", "--json"], folder.path()));
    assert_eq!(drawn["traces"].as_array().unwrap().len(), 2);
    for draw in ["draw-0", "draw-1"] {
        let trace = traces::read(&folder.path().join(draw)).unwrap();
        assert_eq!(copies, trace.len());
        assert!(trace.ids().all(|page| trace.page(page).text_bytes.is_some_and(|bytes| bytes > 0.0)));
    }
}

#[test]
fn what_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("trace");
    assert_refused(&lab(&["world", "flat"], &output), "there is no world 'flat'; there are brdc12-like, general");
    assert_refused(&lab(&["world", "general?days=0"], &output), "days = '0' is not a number from 1 to 3650");
    let file = folder.path().join("days.txt");
    let import = |text: &str| {
        std::fs::write(&file, text).unwrap();
        lab(&["import", file.to_str().unwrap()], &output)
    };
    assert_refused(&import("01\n02\n"), "days.txt, line 2: '2' in column 2 is neither 0 nor 1");
    assert_refused(&import(""), "days.txt has no page");
    let nothing = folder.path().to_str().unwrap();
    assert_refused(&lab(&["import", "--collection", nothing], &output), "is not a collection");
    let empty = empty_collection();
    assert_refused(&lab(&["import", "--collection", empty.path().to_str().unwrap()], &output), "has no page");
    assert!(!output.exists(), "nothing was written");
}
