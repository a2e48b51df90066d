//! What two versions of a document differ in: counts, and as many lines as a person wants to read.

use std::fmt;

use super::budget::Budget;
use super::{Body, Content, Limits, lines, rdf, table, tree};

/// Lines that are kept; the rest is only counted.
const MAX_LINES: usize = 200;
/// Characters of a value that are shown.
const MAX_CHARACTERS: usize = 120;

/// What two versions differ in.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Delta {
    /// What is counted: triples, values, rows, …
    pub unit: &'static str,
    /// Statements that only the new version has.
    pub added: usize,
    /// Statements that only the old version has.
    pub removed: usize,
    /// Statements in the same place that say something else: JSON values, rows with the same key.
    pub changed: usize,
    /// The first of them, a line each, behind `+`, `-` or `~`.
    pub lines: Vec<String>,
}

impl Delta {
    /// Nothing found yet.
    pub(super) fn new(unit: &'static str) -> Delta {
        Delta { unit, added: 0, removed: 0, changed: 0, lines: Vec::new() }
    }

    /// Whether the versions say the same.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    fn total(&self) -> usize {
        self.added + self.removed + self.changed
    }

    /// Notes a statement that only the new version has. It is written out only if it is shown.
    pub(super) fn add(&mut self, text: impl FnOnce() -> String) {
        self.added += 1;
        self.note('+', text);
    }

    /// Notes a statement that only the old version has.
    pub(super) fn remove(&mut self, text: impl FnOnce() -> String) {
        self.removed += 1;
        self.note('-', text);
    }

    /// Notes a statement that says something else now.
    pub(super) fn change(&mut self, text: impl FnOnce() -> String) {
        self.changed += 1;
        self.note('~', text);
    }

    fn note(&mut self, sign: char, text: impl FnOnce() -> String) {
        if self.lines.len() < MAX_LINES {
            self.lines.push(format!("{sign} {}", text()));
        }
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} added, {} removed", self.unit, self.added, self.removed)?;
        if self.changed > 0 {
            write!(f, ", {} changed", self.changed)?;
        }
        self.lines.iter().try_for_each(|line| write!(f, "\n{line}"))?;
        match self.total().saturating_sub(self.lines.len()) {
            0 => Ok(()),
            more => write!(f, "\n… and {more} more"),
        }
    }
}

/// What two versions differ in. Versions of formats that cannot be compared differ in everything.
///
/// All comparisons take time near the size of the versions but that of graphs, which says more than it must beyond the
/// default limits.
pub fn delta(old: &Content<'_>, new: &Content<'_>) -> Delta {
    compare(old, new, &mut Budget::of(&Limits::default()))
}

/// What two versions differ in, if that can be told within these limits.
pub fn delta_within(old: &Content<'_>, new: &Content<'_>, limits: &Limits) -> Option<Delta> {
    let mut budget = Budget::of(limits);
    let delta = compare(old, new, &mut budget);
    (!budget.is_spent()).then_some(delta)
}

fn compare(old: &Content<'_>, new: &Content<'_>, budget: &mut Budget) -> Delta {
    let mut delta = Delta::new(new.unit);
    if old.digest == new.digest {
        return delta;
    }
    match (&old.body, &new.body) {
        (Body::Graph(old), Body::Graph(new)) => rdf::compare(old, new, &mut delta, budget),
        (Body::Tree(old), Body::Tree(new)) => tree::compare(old, new, &mut delta),
        (Body::Table(old), Body::Table(new)) => table::compare(old, new, &mut delta),
        (Body::Lines(old), Body::Lines(new)) => lines::compare(old, new, &mut delta),
        (Body::Bytes(old), Body::Bytes(new)) => delta.change(|| format!("{old} bytes → {new} bytes")),
        _ => {
            (delta.removed, delta.added) = (old.statements, new.statements);
            delta.lines.push(format!("~ {} {} → {} {}", old.statements, old.unit, new.statements, new.unit));
        }
    }
    delta
}

/// A text as one short line: control characters escaped, the middle left out if it is long.
pub(super) fn short(text: &str) -> String {
    let escape = |text: &str| {
        text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.into() }).collect::<String>()
    };
    let count = text.chars().take(MAX_CHARACTERS + 1).count();
    if count <= MAX_CHARACTERS {
        return escape(text);
    }
    let ends = |place: Option<(usize, char)>| place.map_or(0, |(at, _)| at);
    let head = ends(text.char_indices().nth(MAX_CHARACTERS * 2 / 3));
    let tail = ends(text.char_indices().rev().nth(MAX_CHARACTERS / 3 - 2));
    format!("{}…{}", escape(&text[..head]), escape(&text[tail..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lines_are_cut_short_but_counted() {
        let mut delta = Delta::new("rows");
        (0..300).for_each(|n| delta.add(|| n.to_string()));
        delta.change(|| unreachable!("no longer shown"));
        let shown = delta.to_string();
        assert!(shown.starts_with("rows: 300 added, 0 removed, 1 changed\n+ 0\n+ 1\n"), "{shown}");
        assert!(shown.ends_with("+ 199\n… and 101 more"), "{shown}");
    }

    #[test]
    fn values_are_one_short_line() {
        assert_eq!(short("a\tb\né"), "a\\tb\\né");
        let long = short(&format!("begin{}end", "é".repeat(10_000)));
        assert_eq!(long.chars().count(), MAX_CHARACTERS);
        assert!(long.starts_with("beginé") && long.ends_with("éend") && long.contains('…'));
    }
}
