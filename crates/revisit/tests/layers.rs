//! No room imports a later one.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of this crate in flow order.
const ROOMS: [&str; 12] =
    ["time", "features", "page", "visit", "history", "site", "estimate", "model", "policy", "schedule", "lab", "learn"];

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
