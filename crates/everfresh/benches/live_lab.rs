//! Live equals lab on real histories: the living web plays 150 weeks of two traces, and what the whole crawler makes of them, also
//! with five kills on the way, stands beside the lab.
//!
//! ```sh
//! cargo bench --bench live_lab -- "$PWD/traces"    # the folder of the traces; a bench runs in the folder of its crate
//! ```

#![allow(clippy::unwrap_used)]

#[path = "../tests/support/played.rs"]
#[allow(dead_code)]
mod played;
#[path = "../tests/support/processes.rs"]
#[allow(dead_code)]
mod processes;

use std::path::{Path, PathBuf};

use serde_json::Value;

const TRACES: [(&str, &str, &str); 2] = [("ota-contrib", "1630454400", "5%"), ("endoflife", "1661990400", "10%")];
const POLICIES: [&str; 3] = ["age", "nad", "everfresh"];

fn main() {
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let folder = PathBuf::from(folder.expect("name the folder of traces"));
    println!(
        "{:12} {:10} {:>5} {:>17} {:>17} {:>17}  the same visits",
        "trace", "policy", "kills", "live", "as shown", "lab"
    );
    for (name, start, budget) in TRACES {
        for policy in POLICIES {
            for kills in [0, 5] {
                let flags =
                    ["--cycle", "7d", "--cycles", "150", "--start", start, "--budget", budget, "--policy", policy];
                println!("{name:12} {policy:10} {kills:>5} {}", row(&played(&folder.join(name), &flags, kills)));
            }
        }
    }
}

/// Plays a trace, killed so many times, evenly over its visits.
fn played(trace: &Path, flags: &[&str], kills: u64) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let all = if kills == 0 { 0 } else { played(trace, flags, 0)["agreement"]["visits"].as_u64().unwrap() };
    let kills: Vec<u64> = (1..=kills).map(|kill| all * kill / (kills + 1)).collect();
    played::killed(trace, flags, &folder.path().join("kept"), &kills)
}

/// Change Ratio and freshness of all three, and how many visits are the lab's.
fn row(report: &Value) -> String {
    let told = ["live", "lab_as_shown", "lab"].map(|side| {
        let of = |key: &str| report[side][key].as_f64().unwrap();
        format!("{:>17}", format!("{:.4} / {:.4}", of("change_ratio"), of("freshness")))
    });
    let same = ["agreement_as_shown", "agreement"].map(|key| {
        let agreement = &report[key];
        format!("{} of {}", agreement["made_by_both"], agreement["visits"])
    });
    format!("{}  {} as shown, {} of the lab", told.join(" "), same[0], same[1])
}
