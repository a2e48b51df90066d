//! Other people's tools judge our judges of data: rdflib writes graphs, csvkit writes tables.
//!
//! `scripts/python-tools.sh` installs them into `target/python` when they are missing.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use everfresh::meaning::{Content, Format, Limits, Rules, delta, read};
use serde::Deserialize;

/// Graphs that rdflib makes.
const GRAPHS: usize = 60;

/// A syntax of rdflib and a document in it.
type Written = BTreeMap<String, (String, String)>;

/// A graph, written twice, and with one triple more.
#[derive(Deserialize)]
struct Graph {
    seed: usize,
    old: [Written; 2],
    new: Written,
    triples: usize,
}

/// The folder of the tools' programs.
static TOOLS: LazyLock<PathBuf> = LazyLock::new(|| {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let installed = Command::new(repository.join("scripts/python-tools.sh")).status().unwrap();
    assert!(installed.success(), "scripts/python-tools.sh failed");
    repository.join("target/python/bin").canonicalize().unwrap()
});

fn tool(program: &str, arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(TOOLS.join(program));
    let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?} failed");
    String::from_utf8(output.stdout).unwrap()
}

fn format(syntax: &str) -> Format {
    match syntax {
        "turtle" => Format::Turtle,
        "nt" => Format::NTriples,
        "xml" => Format::RdfXml,
        "json-ld" => Format::JsonLd,
        "nquads" => Format::NQuads,
        _ => Format::TriG,
    }
}

fn content((syntax, text): &(String, String)) -> Content<'_> {
    read(format(syntax), text.as_bytes(), "http://e.example/doc", &Rules::default(), &Limits::default()).unwrap()
}

#[test]
fn graphs_written_anew_are_unchanged_and_one_triple_more_is_that_triple() {
    let script = format!("{}/tests/judges/rdflib_graphs.py", env!("CARGO_MANIFEST_DIR"));
    let printed = tool("python", &[&script, &GRAPHS.to_string()], "");
    let graphs: Vec<Graph> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(graphs.len(), GRAPHS);
    let mut seen: BTreeMap<&String, usize> = BTreeMap::new();
    for graph in &graphs {
        let first = content(graph.old[0].values().next().unwrap());
        assert_eq!(first.statements(), graph.triples, "graph {}", graph.seed);
        for (syntax, written) in graph.old.iter().flatten() {
            *seen.entry(syntax).or_insert(0) += 1;
            let found = content(written);
            let difference = delta(&first, &found);
            assert_eq!(found.digest(), first.digest(), "graph {} in {syntax}: {difference}", graph.seed);
        }
        for (syntax, written) in &graph.new {
            let found = delta(&first, &content(written));
            assert_eq!((found.added, found.removed), (1, 0), "graph {} in {syntax}: {found}", graph.seed);
            assert!(found.lines[0].contains(" <http://e.example/more> \"one more\" "), "{found}");
        }
    }
    println!("{seen:?}");
    assert_eq!(seen.len(), 7, "{seen:?}");
}

/// Two documents, and whether rdflib takes them for the same graph.
#[derive(Deserialize)]
struct Pair {
    name: String,
    syntax: String,
    documents: [String; 2],
    same: bool,
}

/// Pairs of which rdflib says something else than the standards do: tags of languages are the same in any case, a string is a
/// string, terms are compared as they are spelled, and JSON has numbers and not kinds of them.
const OTHERWISE: [&str; 8] =
    ["lang case", "xsd:string", "lexical", "int 1 vs 1.0", "lang case", "json number", "big number", "exp number"];

#[test]
fn documents_say_the_same_if_rdflib_says_so() {
    let script = format!("{}/tests/judges/rdflib_pairs.py", env!("CARGO_MANIFEST_DIR"));
    let printed = tool("python", &[&script], "");
    let pairs: Vec<Pair> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut otherwise = Vec::new();
    for Pair { name, syntax, documents: [one, other], same } in &pairs {
        let digest = |document: &String| content(&(syntax.clone(), document.clone())).digest();
        if (digest(one) == digest(other)) != *same {
            otherwise.push(name.as_str());
        }
    }
    assert_eq!((otherwise.as_slice(), pairs.len()), (OTHERWISE.as_slice(), 98));
}

#[test]
fn tables_written_anew_are_unchanged() {
    let table = "id,name,note\n3,pen,\"a, \"\"b\"\"\"\n1,ink,\"two\nlines\"\n2,é,\n";
    let table_of =
        |text: &str, rules: &Rules| read(Format::Csv, text.as_bytes(), "", rules, &Limits::default()).unwrap().digest();
    let quoted = tool("csvformat", &["-U", "1"], table);
    let semicolons = tool("csvformat", &["-D", ";"], table);
    let sorted = tool("csvsort", &["--no-inference", "-c", "id"], table);
    for text in [&quoted, &semicolons] {
        assert!(text != table);
        assert_eq!(table_of(text, &Rules::default()), table_of(table, &Rules::default()), "{text}");
    }
    assert_ne!(table_of(&sorted, &Rules::default()), table_of(table, &Rules::default()));
    let any_order = Rules { any_order: true, ..Rules::default() };
    let keyed = Rules { key: vec!["id".to_owned()], ..Rules::default() };
    for rules in [any_order, keyed] {
        assert_eq!(table_of(&sorted, &rules), table_of(table, &rules));
    }
}
