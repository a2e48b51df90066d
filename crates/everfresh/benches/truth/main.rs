//! Every verdict held against the truth: documents of every format in four versions each, half of which differ from the one
//! before in meaning and half only in bytes.
//!
//! ```sh
//! cargo bench --bench truth          # 20,000 documents
//! cargo bench --bench truth -- 400   # fewer
//! ```
//!
//! A version is written anew each time: in another order, with other white space, prefixes, names of blank nodes, quotes and
//! spellings of numbers, in another charset, under another content coding, with other headers. rdflib, lxml and Python's own
//! json and csv say first whether that changed what a document says, so that the truth is not our word alone
//! (`tests/judges/meanings.py`). It says wrong verdicts by kind, and fails if there is one.

#![allow(clippy::unwrap_used)]

mod content;
mod data;
mod document;
mod draw;
mod kind;
mod markup;
mod rdf;
mod results;
mod server;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use document::{Document, VERSIONS};
use everfresh::collection::Collection;
use serde_json::{Value, json};
use server::Server;

const DOCUMENTS: usize = 20_000;
const DOCUMENTS_A_HOST: usize = 200;
const QUERY: &str = "SELECT ?goods ?maker ?name ?note ?price WHERE { ?goods ?p ?o }";
/// Wrong verdicts of a kind that are told one by one.
const MOST_TOLD: usize = 5;

#[tokio::main]
async fn main() {
    let number = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(DOCUMENTS);
    let documents: Vec<Document> = (0..number).map(|document| Document::new(document, hosts(number))).collect();
    let folder = tempfile::tempdir().unwrap();
    let doubtful = judged_by_others(folder.path(), &documents);
    let (server, address) = Server::start(documents).await;
    prepare(folder.path(), &server, address);
    for version in 0..VERSIONS {
        server.turn(version);
        let summary = everfresh(folder.path(), &["run", "--until-idle", "--json"]);
        let summary: Value = serde_json::from_str(&summary).unwrap();
        let seconds = summary["seconds"].as_f64().unwrap();
        println!("version {}: {} visits in {seconds:.0} s", version + 1, summary["visits"]);
    }
    let wrong = compared(&server, &verdicts(folder.path()));
    assert!(doubtful == 0 && wrong == 0, "{wrong} wrong verdicts, {doubtful} truths that others do not share");
}

fn hosts(documents: usize) -> usize {
    documents.div_ceil(DOCUMENTS_A_HOST)
}

/// Puts every version before the tools of others; how many of our truths they do not share.
fn judged_by_others(folder: &Path, documents: &[Document]) -> usize {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert!(Command::new(repository.join("scripts/python-tools.sh")).status().unwrap().success());
    let list = folder.join("versions.jsonl");
    let mut written = BufWriter::new(File::create(&list).unwrap());
    documents.iter().for_each(|document| writeln!(written, "{}", line(document)).unwrap());
    written.flush().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges/meanings.py");
    let judge = Command::new(repository.join("target/python/bin/python")).arg(script).arg(list).output().unwrap();
    assert!(judge.status.success(), "{}", String::from_utf8_lossy(&judge.stderr));
    let told = String::from_utf8(judge.stdout).unwrap();
    let (doubts, count) = told.trim_end().rsplit_once('\n').unwrap_or(("", told.trim_end()));
    println!("{}{count}", if doubts.is_empty() { String::new() } else { format!("{doubts}\n") });
    doubts.lines().count()
}

fn line(document: &Document) -> Value {
    let versions: Vec<Value> = document
        .versions
        .iter()
        .map(|version| {
            let body = data_encoding::BASE64.encode(&version.body);
            json!({ "meaning": version.meaning, "content_type": version.content_type, "body": body })
        })
        .collect();
    json!({ "kind": document.kind.name, "path": document.path, "versions": versions })
}

/// A collection of all documents, those of endpoints as such.
fn prepare(folder: &Path, server: &Server, address: SocketAddr) {
    Collection::at(folder).init().unwrap();
    let names = (0..hosts(server.documents().count())).map(|host| format!("\"h{host}.test\" = \"{address}\"\n"));
    let config = format!(
        "[fetch]\ndelay = \"0s\"\nconnections = 8\nallow_private = true\nhosts_per_address = 1000\n[fetch.resolve]\n{}\
         [scope]\nexclude = [\"away\\\\.test\"]\n",
        names.collect::<String>()
    );
    std::fs::write(folder.join("everfresh.toml"), config).unwrap();
    let (pages, sources, query) = (folder.join("pages.txt"), folder.join("sources.txt"), folder.join("query.rq"));
    let listed = |is_source| {
        let chosen = server.documents().filter(move |document| document.kind.is_source() == is_source);
        chosen.map(|document| format!("http://{}{}\n", document.host, document.path)).collect::<String>()
    };
    std::fs::write(&pages, listed(false)).unwrap();
    std::fs::write(&sources, listed(true)).unwrap();
    std::fs::write(&query, QUERY).unwrap();
    everfresh(folder, &["add", "--file", pages.to_str().unwrap()]);
    let query = query.to_str().unwrap();
    everfresh(folder, &["add", "--kind", "sparql", "--query", query, "--file", sources.to_str().unwrap()]);
}

/// What a command that must succeed printed.
fn everfresh(folder: &Path, arguments: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_everfresh"));
    program.args(arguments).arg("-C").arg(folder).env("RUST_LOG", "off").stdin(Stdio::null());
    let output = program.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Outcomes and the rules that decided, visit by visit, by path.
fn verdicts(folder: &Path) -> BTreeMap<String, Vec<(String, String)>> {
    let mut verdicts: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in everfresh(folder, &["export", "visits"]).lines() {
        let visit: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| visit[key].as_str().unwrap_or_default().to_owned();
        let url = url::Url::parse(&text("url")).unwrap();
        let said = format!("{}, {}", text("rule"), text("detail"));
        verdicts.entry(url.path().to_owned()).or_default().push((text("outcome"), said));
    }
    verdicts
}

/// Prints a line a kind and some of what is wrong; how many verdicts are.
fn compared(server: &Server, verdicts: &BTreeMap<String, Vec<(String, String)>>) -> usize {
    let mut kinds: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    for document in server.documents() {
        let shown = server.shown(&document.path);
        let said = verdicts.get(&document.path).map(Vec::as_slice).unwrap_or_default();
        let (visits, wrong) = kinds.entry(document.kind.name).or_default();
        *visits += shown.len();
        if shown.len() != said.len() || shown.is_empty() {
            wrong.push(format!("{}: {} answers and {} visits", document.path, shown.len(), said.len()));
        }
        for ((expected, told), (outcome, rule)) in expected(document, &shown).into_iter().zip(said) {
            if expected != outcome {
                wrong.push(format!("{}: {outcome}, and should be {expected} ({told}; {rule})", document.path));
            }
        }
    }
    println!("{:<12} {:>8} {:>8}", "kind", "visits", "wrong");
    for (kind, (visits, wrong)) in &kinds {
        println!("{kind:<12} {visits:>8} {:>8}", wrong.len());
        wrong.iter().take(MOST_TOLD).for_each(|told| println!("    {told}"));
    }
    kinds.values().map(|(_, wrong)| wrong.len()).sum()
}

/// What each visit must say, and what it was shown, in words.
fn expected(document: &Document, shown: &[usize]) -> Vec<(&'static str, String)> {
    let mut held = None;
    let each = shown.iter().map(|version| {
        let version = &document.versions[*version];
        let outcome = match held {
            _ if matches!(version.status, 404 | 410) => "gone",
            _ if !version.is_success() => "failed",
            None => "first",
            Some(meaning) if meaning == version.meaning => "unchanged",
            Some(_) => "changed",
        };
        held = if version.is_success() { Some(version.meaning) } else { held };
        (outcome, format!("status {}, {}, {}", version.status, version.content_type, version.coding))
    });
    each.collect()
}
