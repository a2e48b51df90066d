//! The documents speak of what is there: every relative link leads somewhere, and the rules listed are the rules there are.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Markdown files of the project.
fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "crates/revisit/README.md"]
        .map(|name| root().join(name))
        .to_vec();
    for folder in ["docs", "docs/decisions", "docs/results"] {
        let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        found.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    found
}

/// The targets of the relative links in a text.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.starts_with('#'))
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    let mut checked = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for link in links(&text) {
            checked += 1;
            if !document.parent().unwrap().join(link).exists() {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(checked > 30, "only {checked} links were found");
}

#[test]
fn every_word_of_the_glossary_lives_somewhere() {
    let text = fs::read_to_string(root().join("docs/glossary.md")).unwrap();
    let rows = || text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| word "));
    let homeless: Vec<&str> = rows()
        .filter(|row| links(row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap()).next().is_none())
        .collect();
    assert!(homeless.is_empty(), "{homeless:#?}");
    let words: BTreeSet<&str> = rows().filter_map(|row| row.split('|').nth(1)).map(str::trim).collect();
    assert!(rows().count() > 50 && words.len() == rows().count(), "a word has one line");
    for document in ["README.md", "ARCHITECTURE.md"] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        assert!(links(&text).any(|link| link == "docs/glossary.md"), "{document} does not lead to the glossary");
    }
}
