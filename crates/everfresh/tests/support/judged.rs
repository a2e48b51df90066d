//! A collection crawled by the real program against servers on loopback, and the judges of its archive.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use everfresh::collection::Collection;
use serde_json::Value;
use tempfile::TempDir;

use super::collection;

/// A collection in a folder of its own, below `collections/` as pywb expects it.
pub(crate) struct Judged {
    root: TempDir,
    sets: Vec<String>,
}

static TOOLS: LazyLock<PathBuf> = LazyLock::new(tools);

/// The folder of the tools' programs; `scripts/python-tools.sh` installs them when they are missing.
pub(crate) fn tools() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let installed = Command::new(repository.join("scripts/python-tools.sh")).status().unwrap();
    assert!(installed.success(), "scripts/python-tools.sh failed");
    repository.join("target/python/bin").canonicalize().unwrap()
}

impl Judged {
    /// A new collection that finds these hosts at these addresses and leaves them no time to rest.
    pub(crate) fn new(hosts: &[(String, SocketAddr)]) -> Judged {
        let judged = Judged { root: tempfile::tempdir().unwrap(), sets: Vec::new() };
        Collection::at(judged.folder()).init().unwrap();
        let resolve = hosts.iter().map(|(host, address)| format!("fetch.resolve.\"{host}\"=\"{address}\""));
        let sets: Vec<String> = resolve.collect();
        judged.with(&["fetch.allow_private=true", "fetch.delay=0s"]).with(&sets)
    }

    /// The same collection with more `--set` for every command.
    pub(crate) fn with(mut self, sets: &[impl AsRef<str>]) -> Judged {
        self.sets.extend(sets.iter().map(|set| set.as_ref().to_owned()));
        self
    }

    /// The collection's folder.
    pub(crate) fn folder(&self) -> PathBuf {
        self.root.path().join("collections/demo")
    }

    /// Runs a command that must succeed and returns what it printed.
    pub(crate) fn printed(&self, arguments: &[&str]) -> String {
        let sets = self.sets.iter().flat_map(|set| ["--set", set]);
        collection::printed(&self.folder(), &arguments.iter().copied().chain(sets).collect::<Vec<_>>())
    }

    /// Runs a command that must succeed and print one JSON document.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.printed(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// Every line of an export of `pages` or `visits`.
    pub(crate) fn exported(&self, what: &str) -> Vec<Value> {
        self.printed(&["export", what]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Asserts that `warcio check` finds nothing wrong with any file.
    pub(crate) fn assert_warcio_agrees(&self) {
        self.warcio(&["check"]);
    }

    /// These fields of every record, as `warcio index` sees them.
    pub(crate) fn records(&self, fields: &str) -> Vec<Value> {
        let printed = self.warcio(&["index", "-f", fields]);
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What a command of warcio says of all files.
    fn warcio(&self, arguments: &[&str]) -> String {
        let files = files_in(&self.folder().join("archive"));
        let files: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
        tool(self.root.path(), "warcio", &[arguments, &files[..]].concat(), "")
    }

    /// The lines of all index files.
    pub(crate) fn index_lines(&self) -> Vec<String> {
        let files = files_in(&self.folder().join("indexes")).into_iter();
        let texts: Vec<String> = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        texts.concat().lines().map(String::from).collect()
    }

    /// What pywb, given the collection's folder as it is, answers to each path below the collection.
    pub(crate) fn replayed(&self, paths: &[String]) -> Vec<Value> {
        let script = format!("{}/tests/judges/pywb_replay.py", env!("CARGO_MANIFEST_DIR"));
        let paths: Vec<String> = paths.iter().map(|path| format!("/demo/{path}")).collect();
        let printed = tool(self.root.path(), "python", &[&script], &paths.join("\n"));
        // pywb prints remarks of its own too.
        printed.lines().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files
}

/// Runs a tool in `folder` with `input` and returns what it printed.
fn tool(folder: &Path, program: &str, arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(TOOLS.join(program));
    command.args(arguments).current_dir(folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} {arguments:?} failed\n{out}\n{err}");
    out
}
