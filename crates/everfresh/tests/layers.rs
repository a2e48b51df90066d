//! No room imports a later one; only the pipeline sees them all, and nobody looks up at it but the commands and what answers
//! their questions.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// The rooms in flow order.
const ROOMS: [&str; 7] = ["fetch", "parse", "meaning", "sources", "detect", "archive", "store"];
/// What is no step of the flow: it may know the rooms, whose types it configures or reads, but none above them.
const SHARED: [&str; 15] = [
    "clock",
    "handles",
    "units",
    "config",
    "settings",
    "collection",
    "shutdown",
    "traces",
    "models",
    "training",
    "report",
    "versions",
    "output",
    "cpu",
    "rule",
];
/// What stands above the rooms.
const TOP: [&str; 5] = ["pipeline", "query", "experiments", "cli", "living"];

/// Whether one module of the crate may import another.
fn may_import(from: &str, to: &str) -> bool {
    let place = |module: &str| ROOMS.iter().position(|room| *room == module);
    match from {
        _ if from == to => true,
        "cli" => true,
        // Time passes for everybody, and everybody may decide about a visit.
        _ if to == "clock" || to == "rule" => true,
        "pipeline" => !TOP.contains(&to),
        // Answers come from the rooms, and for what only memory knows, from the crawl.
        "query" => to == "pipeline" || !TOP.contains(&to),
        // Experiments work on traces, never on a crawl.
        "experiments" => SHARED.contains(&to),
        // The living web judges us; it must not share our mistakes.
        "living" => false,
        _ if SHARED.contains(&from) => !TOP.contains(&to),
        _ => matches!((place(from), place(to)), (Some(from), Some(to)) if to < from),
    }
}

/// The modules of the crate that a source text imports, where its module is `depth` below the crate's root.
fn imports(text: &str, depth: usize) -> BTreeSet<String> {
    let path = Regex::new(r"\b(crate::|(?:super::)+)(\w+|\{)").unwrap();
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = code.flat_map(|line| path.captures_iter(line));
    let at_root = paths.filter(|path| &path[1] == "crate::" || path[1].matches("super::").count() >= depth);
    at_root.map(|path| path[2].to_owned()).collect()
}

/// What is wrong with the imports of a source text of a module.
fn wrong(module: &str, text: &str, depth: usize) -> Vec<String> {
    let known = |name: &str| name == "{" || modules().any(|module| module == name);
    let imported = imports(text, depth).into_iter().filter(|name| known(name));
    // What a group imports is not looked into: one line a module reads better anyway.
    imported.filter(|name| name == "{" || !may_import(module, name)).collect()
}

fn modules() -> impl Iterator<Item = &'static str> {
    ROOMS.into_iter().chain(SHARED).chain(TOP)
}

#[test]
fn modules_import_only_what_is_below_them() {
    for module in modules() {
        let files = sources(module);
        assert!(!files.is_empty(), "{module} has no files");
        for (file, depth) in files {
            let text = fs::read_to_string(&file).unwrap();
            assert_eq!(wrong(module, &text, depth), Vec::<String>::new(), "{} imports these", file.display());
        }
    }
}

#[test]
fn every_module_has_its_place() {
    let map = fs::read_to_string(source().join("lib.rs")).unwrap();
    let declared: BTreeSet<&str> = map
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ").or(line.strip_prefix("mod "))?.strip_suffix(';'))
        .collect();
    assert_eq!(declared, modules().collect());
}

#[test]
fn the_check_sees_what_it_is_meant_to() {
    let found = |module, text| wrong(module, text, 2);
    assert_eq!(found("fetch", "use crate::store::Store;\n"), ["store"]);
    assert_eq!(found("parse", "fn f() { let _ = crate::pipeline::run; }\n"), ["pipeline"]);
    assert_eq!(found("detect", "    use super::super::archive;\n"), ["archive"]);
    assert_eq!(found("archive", "use crate::{fetch, store};\n"), ["{"]);
    assert_eq!(found("store", "use crate::settings::Settings;\n"), ["settings"]);
    assert_eq!(found("settings", "use crate::pipeline;\n"), ["pipeline"]);
    assert_eq!(found("pipeline", "use crate::cli;\nuse crate::living;\n"), ["cli", "living"]);
    assert_eq!(found("pipeline", "use crate::experiments;\n"), ["experiments"]);
    assert_eq!(found("pipeline", "use crate::query::Query;\n"), ["query"]);
    assert_eq!(found("query", "use crate::pipeline::Memory;\nuse crate::cli::exit;\n"), ["cli"]);
    assert_eq!(found("experiments", "use crate::cli::exit;\nuse crate::store::Store;\n"), ["cli", "store"]);
    assert_eq!(found("training", "use crate::experiments::runs;\n"), ["experiments"]);
    assert_eq!(found("living", "use crate::parse;\n"), ["parse"]);
    let fine = "//! [`crate::store`]\nuse crate::fetch::Exchange;\nuse super::capture::Digest;\n";
    assert_eq!(found("archive", fine), Vec::<String>::new());
    assert_eq!(found("cli", "use crate::pipeline;\n"), Vec::<String>::new());
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The files of a module of the crate, each with its depth below the crate's root.
fn sources(module: &str) -> Vec<(PathBuf, usize)> {
    let single = source().join(format!("{module}.rs"));
    let mut files: Vec<(PathBuf, usize)> = single.exists().then_some((single, 1)).into_iter().collect();
    collect(&source().join(module), 1, &mut files);
    files
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<(PathBuf, usize)>) {
    let entries = fs::read_dir(folder).into_iter().flatten();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, depth + 1, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let is_root = path.file_name().is_some_and(|name| name == "mod.rs");
            files.push((path, if is_root { depth } else { depth + 1 }));
        }
    }
}
