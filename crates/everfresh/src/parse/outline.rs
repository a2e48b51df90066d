//! What a list says, element by element: a line for each, with its name and text, indented by what it is in; below it a line
//! for each attribute, in the order of their names.
//!
//! So it counts which element says something and where one ends, and not in which order an entry says what it does. Prefixes,
//! declarations of namespaces and the places of schemas are spelling; that an element is not of its entry's namespace is told
//! by a plus.

use quick_xml::events::BytesStart;

use super::text::{Collapsed, collapse};
use super::xml;

/// Deeper lines begin with how deep they are instead: the text must not be much longer than the document.
const MAX_INDENT: usize = 3;

/// The outline of a list, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Outline {
    lines: String,
    /// Text since the last tag.
    text: Collapsed,
    /// How deep the element lies whose text comes next.
    depth: usize,
    /// Whether the last line is the name of that element and nothing else.
    is_bare: bool,
    /// Where parts to be sorted begin and end, and what they come to.
    parts: Vec<(usize, usize)>,
    sorted: String,
}

impl Outline {
    pub(super) fn with_capacity(bytes: usize) -> Outline {
        Outline { lines: String::with_capacity(bytes), ..Outline::default() }
    }

    /// An element begins.
    pub(super) fn begin(&mut self, depth: usize, element: &BytesStart<'_>, is_foreign: bool) {
        self.flush();
        (self.depth, self.is_bare) = (depth, false);
        let name = element.name();
        let name = xml::local(name.as_ref());
        if name.is_empty() {
            // It is no element of XML, and says nothing.
            return;
        }
        self.line(depth);
        self.lines.push_str(if depth > MAX_INDENT { " " } else { "" });
        self.lines.push_str(if is_foreign { "+" } else { "" });
        self.lines.push_str(name);
        self.is_bare = true;
        for (name, value) in xml::attributes(element) {
            self.line(depth + 1);
            self.lines.extend(["@", &name]);
            let value = collapse(&value);
            if !value.is_empty() {
                self.lines.extend([" ", &value]);
            }
            self.is_bare = false;
        }
    }

    /// A piece of the text of what is open.
    pub(super) fn text(&mut self, piece: &str) {
        self.text.push(piece.as_bytes());
    }

    /// An element ends, and what comes next is text of the one it is in.
    pub(super) fn end(&mut self, depth: usize) {
        self.flush();
        (self.depth, self.is_bare) = (depth, false);
    }

    /// Where the next line will begin.
    pub(super) fn mark(&mut self) -> usize {
        self.flush();
        self.lines.len()
    }

    /// Sorts what was written since the first of these marks, each of which begins a part.
    pub(super) fn sort(&mut self, marks: &[usize]) {
        self.flush();
        let Outline { lines, parts, sorted, .. } = self;
        let ends = marks.iter().skip(1).copied().chain([lines.len()]);
        parts.clear();
        parts.extend(marks.iter().copied().zip(ends));
        let Some(&(begin, _)) = parts.first() else { return };
        let part = |&(begin, end): &(usize, usize)| lines.get(begin..end).unwrap_or_default();
        parts.sort_by(|one, other| part(one).cmp(part(other)));
        sorted.clear();
        parts.iter().for_each(|place| sorted.push_str(part(place)));
        lines.truncate(begin);
        lines.push_str(sorted);
    }

    /// The whole outline.
    pub(super) fn finish(mut self) -> String {
        self.flush();
        // Every line begins with what ends the one before.
        self.lines.drain(..self.lines.len().min(1));
        self.lines
    }

    /// Writes the text since the last tag.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text).finish();
        if text.is_empty() {
            return;
        }
        if !self.is_bare {
            self.line(self.depth + 1);
            self.lines.push(':');
        }
        self.lines.extend([" ", &text]);
        self.is_bare = false;
    }

    fn line(&mut self, depth: usize) {
        self.lines.push('\n');
        match depth {
            0..=MAX_INDENT => self.lines.extend(std::iter::repeat_n(' ', depth)),
            _ => self.lines.push_str(&depth.to_string()),
        }
    }
}
