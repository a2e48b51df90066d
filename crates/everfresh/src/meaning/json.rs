//! JSON by its values: the order of keys, white space, escapes and the spelling of numbers do not count.
//!
//! The parser is strict (RFC 8259) and keeps its own stack. Of members with the same name the last one counts, as in nearly
//! every reader. JSON Lines are an array of their records.

mod parser;
mod path;

use std::borrow::Cow;

use super::budget::Budget;
use super::tree::{Builder, Kind, NO_NAME};
use super::{Content, Rules, Unreadable};

use parser::Parser;
pub(super) use path::Path;

/// Stands before each record of a JSON text sequence.
const RECORD: char = '\u{1e}';

/// Reads a JSON document.
pub(super) fn read(text: &str, rules: &Rules, budget: &mut Budget) -> Result<Content<'static>, Unreadable> {
    let paths = paths(rules)?;
    let mut builder = Builder::default();
    let mut parser = Parser::new(text, "JSON");
    parser.value(&paths, &path::start(&paths), &mut builder, budget)?;
    parser.end()?;
    content(builder, rules)
}

/// Reads a document with a JSON value on each line.
pub(super) fn read_lines(text: &str, rules: &Rules, budget: &mut Budget) -> Result<Content<'static>, Unreadable> {
    let paths = paths(rules)?;
    let start = path::start(&paths);
    let mut builder = Builder::default();
    // What begins a record of a JSON text sequence (RFC 7464) is white space here; within a value neither may stand.
    let text = if text.contains(RECORD) { Cow::Owned(text.replace(RECORD, "\n")) } else { Cow::Borrowed(text) };
    let mut parser = Parser::new(&text, "JSON Lines");
    builder.begin(Kind::Array, NO_NAME, budget)?;
    // A record is a document of its own: paths to ignore begin at it.
    while !parser.is_at_end() {
        parser.value(&paths, &start, &mut builder, budget)?;
    }
    builder.end();
    content(builder, rules)
}

/// Checks that JSON is nested no deeper than allowed, for parsers that would not.
pub(super) fn check_depth(text: &str, limit: usize) -> Result<(), Unreadable> {
    let (mut depth, mut in_string, mut is_escaped) = (0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > limit {
                    return Err(Unreadable::TooLarge { what: "levels of nesting", limit });
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

fn paths(rules: &Rules) -> Result<Vec<Path>, Unreadable> {
    rules.ignore.iter().map(|path| Path::parse(path)).collect()
}

/// The places of the members with these names that do not count.
pub(super) fn ignored<'a>(rules: &Rules, names: impl Iterator<Item = Cow<'a, str>>) -> Result<Vec<usize>, Unreadable> {
    let paths = paths(rules)?;
    let start = path::start(&paths);
    let is_ignored = |name: &str| path::enter(&paths, &start, path::Child::Member(name.trim())).is_none();
    Ok(names.enumerate().filter(|(_, name)| is_ignored(name)).map(|(place, _)| place).collect())
}

fn content(builder: Builder, rules: &Rules) -> Result<Content<'static>, Unreadable> {
    let tree = builder.finish().ok_or_else(|| Unreadable::malformed("JSON", "there is no value"))?;
    Ok(tree.into_content("values", rules.any_order))
}

#[cfg(test)]
mod tests;
