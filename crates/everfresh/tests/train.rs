//! `everfresh train` from outside: models that are the same however they were made, refusals in one line, and models that
//! the lab can use.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use everfresh::rule::Rule;
use everfresh::store::{self, Batch, FeaturesRow, FoundAs, HostRow, Opening, PageRow, VisitRow};
use revisit::{HostId, Outcome, PageId, Span, Time, Visit};
use serde_json::Value;
use support::collection::{empty_collection, refusal};

/// The real program, about to work in a folder. Words are separated by blanks.
fn everfresh(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_everfresh"));
    command.args(arguments.split_whitespace()).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn output(folder: &Path, arguments: &str) -> Output {
    everfresh(folder, arguments).output().unwrap()
}

/// Runs a command that must succeed and print one JSON document.
fn report(folder: &Path, arguments: &str) -> Value {
    let output = output(folder, &format!("{arguments} --json"));
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A report without what depends on the machine.
fn timeless(mut report: Value) -> Value {
    for key in ["cpu_seconds", "breeding_cpu_seconds", "page_cycles_per_cpu_second"] {
        assert!(report.as_object_mut().unwrap().remove(key).is_some_and(|value| value.is_number()), "{key}");
    }
    report
}

fn files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

const SMALL: &str = "train gp --world brdc12-like --pages 400 --population 40 --generations 8 --seed 111 --fold 0";

#[test]
fn a_formula_is_the_same_on_any_number_of_threads_and_the_lab_can_use_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let one = report(folder, &format!("{SMALL} --threads 1"));
    assert_eq!(timeless(one.clone()), timeless(report(folder, &format!("{SMALL} --threads 2"))));
    assert_eq!(
        (&one["pages"], &one["evaluations"], &one["model"]),
        (&[160, 160, 80].into(), &320.into(), &"gp.toml".into())
    );
    assert!(one["train"]["change_ratio"].as_f64() > one["baselines"]["age"].as_f64());
    assert!(["nad", "cg", "tx", "sad", "aad", "gad"].iter().all(|name| one["baselines"][name].is_number()));
    let compared = report(folder, "lab compare --world brdc12-like --pages 400 --budget 5% --policy age,gp:gp.toml");
    assert!(compared["policies"][1]["change_ratio"].as_f64() > compared["policies"][0]["change_ratio"].as_f64());
    let other =
        report(folder, &format!("{SMALL} --gp-seed 7 --objective freshness --terminals n,t,known --choose sum"));
    assert!(other["train"]["freshness"].is_number() && other["test"]["change_ratio"].is_number());
}

/// Killed ten times, the run ends as one that was left alone, with the same file and nothing beside it.
#[test]
fn a_run_that_is_killed_again_and_again_ends_with_the_same_result() {
    const LONG: &str = "train gp --world brdc12-like --pages 1500 --population 120 --generations 40 --seed 3";
    let (alone, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let whole = report(alone.path(), LONG);
    for kill in 0..10 {
        // Every other time at work, else as soon as it begins.
        let said = kill_run(killed.path(), LONG, kill % 2 == 0);
        let resumed = said.contains("going on after generation");
        assert!(resumed || kill < 2 || kill % 2 == 1, "it began anew: {said}");
    }
    let last = report(killed.path(), LONG);
    let bare = |report: Value| {
        let mut report = timeless(report);
        // Equal formulas are remembered while a run lasts, so a resumed one simulates some again.
        report.as_object_mut().unwrap().remove("simulated").unwrap();
        report
    };
    assert_eq!(bare(last), bare(whole));
    let [one, other] = [&alone, &killed].map(|folder| fs::read_to_string(folder.path().join("gp.toml")).unwrap());
    assert_eq!(one, other);
    assert_eq!(files(killed.path()), ["gp.toml"]);
}

/// What a run said until it was killed, which it was at once or when it had written its checkpoint anew.
fn kill_run(folder: &Path, arguments: &str, at_work: bool) -> String {
    let before = written(folder);
    let mut child = everfresh(folder, arguments).spawn().unwrap();
    while at_work && written(folder) == before {
        assert_eq!(child.try_wait().unwrap(), None, "the run was to be killed at work");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    String::from_utf8_lossy(&child.wait_with_output().unwrap().stderr).into_owned()
}

/// When the checkpoint was written, if there is one.
fn written(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder.join("gp.toml.checkpoint")).ok().map(|checkpoint| checkpoint.modified().unwrap())
}

#[test]
fn groups_and_trees_are_told_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let world = "--world general?days=60 --pages 300 --seed 1";
    let groups = report(folder, &format!("train groups {world}"));
    let counts: Vec<_> = groups["choices"].as_array().unwrap().iter().map(|choice| choice["count"].as_u64()).collect();
    assert_eq!(counts, [2, 3, 4, 5, 6].map(Some));
    let pages = groups["choices"][2]["groups"].as_array().unwrap().iter().map(|group| group["pages"].as_u64().unwrap());
    assert_eq!((pages.sum::<u64>(), &groups["chosen"]), (300, &4.into()));
    let tree = report(folder, &format!("train tree {world} --groups 3 --all-features --picture tree.svg"));
    let confusion = tree["test"]["confusion"].as_array().unwrap();
    let counted: u64 =
        confusion.iter().flat_map(|row| row.as_array().unwrap()).map(|count| count.as_u64().unwrap()).sum();
    assert_eq!((confusion.len(), Some(counted)), (3, tree["test"]["pages"].as_u64()));
    assert!(tree["test"]["error"].as_f64().unwrap() < 0.6, "by chance 0.67");
    assert!(fs::read_to_string(folder.join("tree.svg")).unwrap().starts_with("<svg"));
    let policies = "historic:groups.toml,tree+historic:tree.toml,bayesian:tree.toml";
    let compared = report(folder, &format!("lab compare {world} --policy {policies} --folds 2"));
    assert_eq!(compared["policies"].as_array().unwrap().len(), 3);
    assert!((0..3).all(|place| compared["policies"][place]["freshness"].as_f64().unwrap() > 0.1));
}

/// Pages that each change every so many hours, visited once an hour for two days, with one link for each of those hours.
fn watched() -> tempfile::TempDir {
    let folder = empty_collection();
    let at = |hour: i64| Time::from_secs(1_700_000_000 + 3600 * hour);
    let host = HostRow {
        id: HostId(0),
        name: "http://a.test".into(),
        robots: None,
        last_contact: Time::MIN,
        blocked_until: Time::MIN,
        pause: Span::ZERO,
    };
    let page = |id: u32| PageRow {
        id: PageId(id),
        url: format!("http://a.test/{id}"),
        fingerprint: id.into(),
        host: HostId(0),
        weight: 1.0,
        depth: 0,
        hops: 0,
        found_at: at(0),
        found_as: FoundAs::Seed,
        found_on: None,
    };
    let period = |id: u32| 1 + id % 12;
    let features = |id: u32| FeaturesRow {
        depth: 0,
        page: PageId(id),
        text_bytes: 100,
        links: period(id),
        images: 0,
        emails: 0,
        directory_level: 1,
        last_modified: false,
        nofollow: false,
        noindex: false,
        format: None,
        host_kind: None,
        max_age: None,
    };
    let visit = |id: u32, hour: u32| {
        let outcome = match hour {
            0 => Outcome::First,
            hour if hour % period(id) == 0 => Outcome::Changed,
            _ => Outcome::Unchanged,
        };
        let visit = Visit { page: PageId(id), at: at(hour.into()), outcome };
        VisitRow {
            visit,
            rule: Rule::TextDiffers,
            detail: None,
            answer: None,
            capture: None,
            parts: Vec::new(),
            requests: 1,
        }
    };
    let visits = (0..48).flat_map(|hour| (0..60).map(move |id| (id, hour))).map(|(id, hour)| visit(id, hour)).collect();
    let (pages, features) = ((0..60).map(page).collect(), (0..60).map(features).collect());
    let batch = Batch { hosts: vec![host], pages, visits, features, ..Batch::default() };
    store::open(folder.path(), Opening::default()).unwrap().commit(&batch).unwrap();
    folder
}

#[test]
fn a_collection_learns_from_its_own_visits() {
    let collection = watched();
    let elsewhere = tempfile::tempdir().unwrap();
    let named = format!("-C {}", collection.path().display());
    let formula = report(elsewhere.path(), &format!("train gp {named} --budget 10% --population 20 --generations 3"));
    assert_eq!(
        (&formula["cycles"], &formula["pages"]),
        (&47.into(), &[24, 24, 12].into()),
        "the cycle is the collection's"
    );
    let tree = report(collection.path(), "train tree --groups 3");
    assert_eq!(tree["features"], serde_json::json!(["links"]), "the collection is the folder it runs in");
    assert!(tree["test"]["error"].as_f64().unwrap() < 0.3, "{tree}");
    assert_eq!(report(collection.path(), "train groups")["model"], "models/groups.toml");
    assert_eq!(files(&collection.path().join("models")), ["gp.toml", "groups.toml", "tree.toml"]);
    assert_eq!(files(elsewhere.path()), Vec::<String>::new());
}

#[test]
fn what_cannot_be_learned_or_used_is_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    report(folder, "train groups --world general?days=60 --pages 200");
    fs::write(folder.join("gp.toml.checkpoint"), "gp checkpoint 2\nsomething else\n").unwrap();
    fs::write(folder.join("older.toml.checkpoint"), "gp checkpoint 1\nsomething else\n").unwrap();
    fs::write(folder.join("damaged.toml.checkpoint"), "nothing\n").unwrap();
    fs::write(folder.join("damaged.toml"), "version = 1\nformula = \"t *\"\n").unwrap();
    fs::write(folder.join("days.txt"), "00000000\n".repeat(9)).unwrap();
    assert!(output(folder, "lab import --format days days.txt --output still").status.success());
    let world = "--world brdc12-like --pages 100 --population 4 --generations 2";
    let refused = [
        ("train gp", "name a --trace, a --world or a --collection"),
        ("train gp --world brdc12-like --pages 4 --output x.toml", "4 pages cannot be dealt into 5 folds"),
        (&format!("train gp {world} --fold 5 --output x.toml"), "there is no fold 5: use 0 to 4"),
        (&format!("train gp {world} --parsimony 2 --output x.toml"), "parsimony = 2 makes no sense"),
        (&format!("train gp {world} --budget 0%"), "'0%' is no budget"),
        (&format!("train gp {world}"), "gp.toml.checkpoint is the checkpoint of another run"),
        (&format!("train gp {world} --output damaged.toml"), "damaged.toml.checkpoint is no checkpoint"),
        (&format!("train gp {world} --output older.toml"), "older.toml.checkpoint is no checkpoint of this version"),
        ("train gp --world brdc12-like --cycles 2", "leave nothing to measure"),
        ("train gp --collection .", "is not a collection"),
        ("train tree --trace still", "1 different mean change intervals do not make 2 groups"),
        ("train groups --trace still", "1 different mean change intervals do not make 2 groups"),
        ("train tree --world brdc12-like --pages 300", "no feature tells pages apart: links, emails"),
        ("train tree --trace nowhere", "nowhere"),
        ("lab compare --world general --policy gp:nowhere.toml", "cannot read the model nowhere.toml"),
        ("lab compare --world general --policy gp:damaged.toml", "damaged.toml is no model"),
        ("lab compare --world general --policy gp:groups.toml", "scores by a formula, not a model of kind 'groups'"),
        ("lab compare --world general --policy tree+historic:groups.toml", "asks a tree"),
        ("lab compare --world general --policy age --against gp", "--against: policy 'gp' scores by a formula"),
    ];
    for (arguments, words) in refused {
        let (code, line) = refusal(&output(folder, arguments));
        assert!(code == Some(4) && line.contains(words), "{arguments}: {code:?} {line}");
    }
    assert!(report(folder, &format!("train gp {world} --restart"))["formula"].is_string());
}
