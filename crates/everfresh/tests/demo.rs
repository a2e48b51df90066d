//! The demo is the same on every machine, however busy it is.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// What the demo says, in words or as JSON, and every visit it made.
fn demo(arguments: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("kept");
    let everfresh = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_everfresh")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let folder = folder.to_str().unwrap();
    let said = everfresh(&[&["demo", "--days", "2", "--keep", folder], arguments].concat());
    // Where a record lies depends on how long the names of files are, and what it says on the collection's number.
    let kept = |line: &str| {
        let mut visit: Value = serde_json::from_str(line).unwrap();
        ["file", "position", "length"].iter().for_each(|key| _ = visit.as_object_mut().unwrap().remove(*key));
        visit.to_string()
    };
    let visits: Vec<String> = everfresh(&["export", "visits", "-C", folder]).lines().map(kept).collect();
    (said.replace(folder, "DIR"), visits.join("\n"))
}

/// Keeps a core busy until dropped.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn begin() -> Busy {
        let going = Arc::new(AtomicBool::new(true));
        let kept = going.clone();
        std::thread::spawn(move || while kept.load(Ordering::Relaxed) {});
        Busy(going)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[test]
fn the_same_seed_lives_the_same_life_also_beside_busy_loops() {
    let (said, visits) = demo(&["--json"]);
    let busy: Vec<Busy> = (0..4).map(|_| Busy::begin()).collect();
    let (again, revisits) = demo(&["--json"]);
    drop(busy);
    assert!(visits.lines().count() > 500, "{said}");
    assert!(visits == revisits, "the visits differ");
    let figures = |said: &str| -> Value {
        let mut report: Value = serde_json::from_str(said).unwrap();
        let run = report.as_object_mut().unwrap().remove("run").unwrap();
        assert!(run["seconds"].as_f64().unwrap() > 0.0 && run["cpu_seconds"].as_f64().unwrap() > 0.0, "{run}");
        report
    };
    assert_eq!(figures(&said), figures(&again));
    let (other, _) = demo(&["--json", "--seed", "2"]);
    assert_ne!(figures(&said), figures(&other));
}

#[test]
fn people_are_told_the_same_table() {
    let (said, _) = demo(&[]);
    assert!(said.contains("true freshness") && said.contains("days lived"), "{said}");
    assert_eq!(said, demo(&[]).0);
}
