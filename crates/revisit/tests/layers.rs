//! No room imports a later one, and no family of policies another.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use revisit::policy::registry::POLICIES;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of this crate in flow order.
const ROOMS: [&str; 13] = [
    "checkpoint",
    "time",
    "features",
    "page",
    "visit",
    "history",
    "site",
    "estimate",
    "model",
    "policy",
    "schedule",
    "lab",
    "learn",
];

/// The families of policies, a folder each.
const FAMILIES: [&str; 7] = ["baseline", "score", "interval", "groups", "sites", "optimal", "everfresh"];

/// What the families share.
const SHARED: [&str; 4] = ["draw.rs", "mod.rs", "parameter.rs", "registry.rs"];

/// `page` holds the column of histories, so the two know each other.
const ALLOWED: [(&str, &str); 1] = [("page", "history")];

#[test]
fn rooms_import_only_earlier_rooms() {
    let mut wrong = Vec::new();
    for (place, room) in ROOMS.iter().enumerate() {
        for (file, text) in sources(room) {
            for later in &ROOMS[place + 1..] {
                let imports = text.lines().take_while(|line| !line.contains("#[cfg(test)]"));
                let found = imports.filter(|line| line.contains(&format!("crate::{later}"))).count();
                if found > 0 && !ALLOWED.contains(&(room, later)) {
                    wrong.push(format!("{file} imports {later}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_room_is_checked() {
    let map = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let mut declared: Vec<&str> =
        map.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let mut known = ROOMS.to_vec();
    declared.sort_unstable();
    known.sort_unstable();
    assert_eq!(declared, known);
}

#[test]
fn every_policy_lives_with_its_family() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/policy");
    let mut found: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let mut known = [&FAMILIES[..], &SHARED[..]].concat();
    found.sort_unstable();
    known.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn families_of_policies_do_not_know_each_other() {
    let mut wrong = Vec::new();
    for family in FAMILIES {
        for (file, text) in sources(&format!("policy/{family}")) {
            for other in FAMILIES.iter().filter(|other| **other != family) {
                if text.contains(&format!("policy::{other}")) || text.contains(&format!("super::super::{other}::")) {
                    wrong.push(format!("{file} imports {other}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The pure crate: times, seeds and workers come in as arguments.
#[test]
fn nothing_reaches_outside() {
    let outside = ["env", "fs", "net", "os", "process", "thread", "time"].map(|module| format!("std::{module}::"));
    let reaches = |line: &&str| !line.trim_start().starts_with("//") && outside.iter().any(|path| line.contains(path));
    let files = sources("");
    assert!(files.len() > 100, "only {} files were found", files.len());
    let wrong: Vec<String> = files
        .iter()
        .flat_map(|(file, text)| text.lines().filter(reaches).map(move |line| format!("{file}: {line}")))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// `name` stands for itself, `name…` for all that begin so.
#[test]
fn the_map_names_every_policy() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/policy/mod.rs")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("//! | "));
    let names: Vec<&str> = rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect();
    let named = |policy: &str| {
        names.iter().any(|name| name.strip_suffix('…').map_or(*name == policy, |begin| policy.starts_with(begin)))
    };
    let missing: Vec<&str> = POLICIES.iter().map(|entry| entry.name).filter(|name| !named(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The files of a room, by name, with their text.
fn sources(room: &str) -> Vec<(String, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![source.join(format!("{room}.rs"))];
    files.retain(|single| single.exists());
    collect(&source.join(room), &mut files);
    files.into_iter().map(|file| (file.display().to_string(), fs::read_to_string(&file).unwrap())).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}
