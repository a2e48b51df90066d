//! `demo --trace` at work, killed now and then.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use everfresh::store;
use serde_json::Value;

use super::processes::wait_for;

/// The real program, about to play a trace.
pub(crate) fn demo(trace: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_everfresh"));
    command.arg("demo").arg("--trace").arg(trace).args(arguments).env("RUST_LOG", "off");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What it reports.
pub(crate) fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Plays a trace, kills the crawl each time it has recorded so many visits, and lets the last one end.
pub(crate) fn killed(trace: &Path, arguments: &[&str], folder: &Path, kills: &[u64]) -> Value {
    let begin = || {
        let mut command = demo(trace, arguments);
        command.arg("--json").arg("--keep").arg(folder);
        command
    };
    for &visits in kills {
        let mut child = begin().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for(|| (recorded(folder) >= visits).then_some(()));
        assert_eq!(child.try_wait().unwrap(), None, "the crawl was to be killed at work");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    report(&begin().output().unwrap())
}

/// Visits that a reader of the store sees; none before there is one.
fn recorded(folder: &Path) -> u64 {
    store::reader(folder).and_then(|store| store.outcomes()).map_or(0, |outcomes| outcomes.total())
}
