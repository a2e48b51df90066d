//! `lab compare` from outside: what repetition adds, what stays as it is, and what is said of input that cannot be used.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::process::{Command, Output};

use everfresh::clock::Clock;
use everfresh::living::{LivingWeb, Page, Script, Site};
use revisit::Span;
use serde_json::Value;
use support::collection::{config_for, json, new_collection, refusal};

fn compare(arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_everfresh"));
    command.args(["lab", "compare"]).args(arguments.split_whitespace()).output().unwrap()
}

fn report(arguments: &str) -> Value {
    let output = compare(&format!("{arguments} --json"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

const WORLD: &str = "--world brdc12-like --pages 300 --budget 5% --policy age,nad";

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn of(report: &Value, policy: usize, measure: &str) -> f64 {
    report["policies"][policy][measure].as_f64().unwrap()
}

#[test]
fn a_single_run_says_what_it_always_said() {
    let once = report(WORLD);
    assert_eq!(keys(&once), ["cycles", "k", "limits", "pages", "policies", "trace"]);
    let measures = ["age_days", "change_ratio", "downloads", "freshness", "name", "precision", "recall"];
    assert_eq!(keys(&once["policies"][0]), measures);
}

#[test]
fn seeds_give_means_with_intervals() {
    let seeds: Vec<Value> = (1..=3).map(|seed| report(&format!("{WORLD} --seed {seed}"))).collect();
    let repeated = report(&format!("{WORLD} --seeds 3"));
    for measure in ["change_ratio", "freshness", "age_days"] {
        let values: Vec<f64> = seeds.iter().map(|seed| of(seed, 1, measure)).collect();
        let mean = values.iter().sum::<f64>() / 3.0;
        let interval = &repeated["policies"][1]["intervals"][measure];
        assert!((of(&repeated, 1, measure) - mean).abs() < 1e-12);
        assert!(interval["low"].as_f64().unwrap() < mean && mean < interval["high"].as_f64().unwrap());
        assert_eq!(interval["min"].as_f64().unwrap(), values.iter().copied().fold(f64::INFINITY, f64::min));
    }
    assert_eq!(repeated["repeated"], serde_json::json!({ "over": "seeds", "count": 3 }));
}

#[test]
fn folds_leave_the_numbers_of_the_whole() {
    let (once, folds) = (report(WORLD), report(&format!("{WORLD} --folds 4 --against age")));
    for measure in ["change_ratio", "precision", "recall", "freshness", "age_days", "downloads"] {
        assert_eq!(once["policies"][1][measure], folds["policies"][1][measure], "{measure}");
    }
    assert_eq!(once["limits"], folds["limits"]);
    assert!(folds["policies"][1]["intervals"]["freshness"]["low"].is_number());
    assert!(folds["policies"][0]["differences"].is_null(), "a policy does not differ from itself");
    let p = folds["policies"][1]["differences"]["change_ratio"]["p"].as_f64().unwrap();
    assert!((0.0..0.05).contains(&p), "NAD aims better than round robin: {p}");
    assert_eq!(report(&format!("{WORLD} --folds 1")), once);
}

#[test]
fn one_run_is_tested_by_its_blocks_and_the_baseline_joins_in() {
    let tested = report("--world brdc12-like --pages 300 --budget 5% --policy nad --against age");
    assert_eq!(tested["against"], serde_json::json!({ "policy": "age", "over": "blocks", "pairs": 10 }));
    assert_eq!((&tested["policies"][0]["name"], &tested["policies"][1]["name"]), (&"nad".into(), &"age".into()));
    assert!(tested["policies"][0]["differences"]["freshness"]["mean"].is_number());
    assert!(tested["policies"][0]["intervals"].is_null());
}

#[test]
fn a_world_in_which_all_pages_stay_is_the_same_for_both_populations() {
    let world = "--world general?days=60 --pages 200 --budget 5% --policy all";
    assert_eq!(report(world), report(&format!("{world} --population all")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collection_is_replayed_as_often_as_asked() {
    let site = Site::new("small.test").pages((1..=5).map(|number| Page::new(&format!("/{number}"))));
    let clock = Clock::wall();
    let web = LivingWeb::start(Script::new(1).site(site), clock.clone()).await.unwrap();
    // With a pause after each of its six requests the crawl takes more than the six cycles of a millisecond.
    let collection = new_collection(&config_for(&web, Span::from_millis(20)), &web, clock.now());
    json(collection.path(), &["run", "--until-idle"]);
    let folder = collection.path().display();
    let said = compare(&format!("--collection {folder} --cycle 1d --cycles 5 --policy age"));
    assert!(refusal(&said).1.contains("move the window or make it shorter"), "a crawl of seconds has no days");
    let drawn =
        report(&format!("--collection {folder} --cycle 1ms --cycles 6 --population all --policy age,nad --draws 3"));
    assert_eq!(drawn["repeated"], serde_json::json!({ "over": "draws", "count": 3 }));
    assert!(drawn["policies"][0]["intervals"]["recall"]["max"].is_number());
}

#[test]
fn what_cannot_be_used_is_said_in_one_line() {
    let refused = [
        ("--policy agee", "there is no policy 'agee'; the nearest names are age"),
        ("--policy age?speed=1", "policy 'age' has no parameter 'speed'"),
        ("--policy ,", "--policy names no policy"),
        ("--budget 0", "'0' is no budget"),
        ("--budget 101%", "'101%' is no budget"),
        ("--start 0 --cycles 9", "move the window or make it shorter"),
        ("--start 0 --cycles 9 --population all", "reaches beyond brdc12-like"),
        ("--cycles 99999999999 --population all", "reaches beyond brdc12-like"),
        ("--cycles 2", "leave nothing to measure"),
        ("--warmup 0", "use at least 1"),
        ("--cycle 0d", "--cycle must be more than 0"),
        ("--seeds 0", "--seeds 0 is not a number from 1 to 1000"),
        ("--seeds 2 --seed 18446744073709551615", "--seed is too large"),
        ("--folds 31", "--folds 31 is more than the 30 pages"),
        ("--folds 2 --seeds 2", "choose one of them"),
        ("--draws 2", "--draws needs a --collection"),
        ("--against agee", "--against: there is no policy 'agee'"),
        ("--against age --cycles 5", "use at least 4 cycles after the warm-up"),
    ];
    for (arguments, words) in refused {
        let (code, line) = refusal(&compare(&format!("--world brdc12-like --pages 30 {arguments}")));
        assert!(code == Some(4) && line.contains(words), "{arguments}: {code:?} {line}");
    }
    let (code, line) = refusal(&compare("--policy age"));
    assert!(code == Some(4) && line.contains("name a --trace, a --world or a --collection"), "{line}");
    let (code, line) = refusal(&compare("--trace somewhere --seeds 2"));
    assert!(code == Some(4) && line.contains("--seeds is for a made-up --world"), "{line}");
}
