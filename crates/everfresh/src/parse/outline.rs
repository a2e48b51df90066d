//! What a list says, element by element: a line for each, with its name and text, indented by what it is in; below it, at its
//! own level, a line for each attribute in the order of their names, and one for each text behind an element in it.
//!
//! So it counts which element says something and where one ends, and not in which order an entry says what it does. Prefixes,
//! declarations of namespaces and the places of schemas are spelling; that an element is not of its entry's namespace is told
//! by a plus. White space at the borders of text does not count, but for whether there is any beside an element that stands
//! within a line (`foot<b>ball</b>`): text that goes on without any has a tab before it. All white space counts in
//! preformatted elements and where `xml:space` says so.
//!
//! An outline is at most three times as long as its document, as the characters of a text can be too if it is written in one
//! byte each. So text must not pay for lines, and their tags do. A tag has two bytes beside its name, and therefore room for six: a
//! line end, [three blanks](MAX_INDENT) or less, and what parts the name from a text. An element's own text comes before its
//! attributes, which pay for their lines like a tag. The line of a text behind an element is paid for by what ends that: three of
//! room, if it is the slash of a tag that closes itself, and two that the tag has left if it is as deep as indentation goes.
//! Lines that lie deeper have no indentation, which would have no bound, but say by how many levels one has to go up from the
//! line before, each of which has cost a tag.

mod line;

use quick_xml::events::BytesStart;

use super::shown::{is_inline, is_preformatted};
use super::text::{collapse, is_space};
use super::xml;
use line::one_line;

/// How deep a line may lie that is indented.
const MAX_INDENT: usize = 3;

/// The outline of a list, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Outline {
    lines: String,
    /// The lines of the attributes of the last element, until its own text is known.
    attributes: String,
    /// Text since the last tag.
    text: String,
    /// How many elements are open.
    open: usize,
    /// How many were, behind the last line.
    written: usize,
    /// Whether the last line is the name of the innermost of them and nothing else.
    is_bare: bool,
    /// Whether the next line begins a part to be sorted.
    is_part: bool,
    /// Whether text that comes next goes on with the last one.
    goes_on: bool,
    /// How many elements are open outside of the one whose layout counts, if within one.
    kept: Option<usize>,
    /// Where parts to be sorted begin and end, and what they come to.
    parts: Vec<(usize, usize)>,
    sorted: String,
}

impl Outline {
    pub(super) fn with_capacity(bytes: usize) -> Outline {
        Outline { lines: String::with_capacity(bytes), ..Outline::default() }
    }

    /// An element of the list's own begins within so many others.
    pub(super) fn begin(&mut self, depth: usize, element: &BytesStart<'_>, is_foreign: bool) {
        self.flush();
        self.goes_on = false;
        self.element(depth, element, is_foreign);
    }

    /// An element of what the list tells begins within so many others.
    pub(super) fn begin_inner(&mut self, depth: usize, element: &BytesStart<'_>) {
        self.flush();
        let name = element.name();
        let name = xml::local(name.as_ref()).as_bytes();
        self.goes_on &= is_inline(name);
        self.element(depth, element, false);
        if is_preformatted(name) {
            self.keep();
        }
    }

    /// A piece of the text of what is open.
    pub(super) fn text(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    /// An element of the list's own ends, and what comes next is text of the one it is in, which lies within so many others.
    pub(super) fn end(&mut self, depth: usize) {
        self.flush();
        self.goes_on = false;
        self.close(depth + 1);
        // What was sorted ends with any of its lines.
        self.written = self.open;
    }

    /// An element of what the list tells ends, as above.
    pub(super) fn end_inner(&mut self, depth: usize, name: &str) {
        self.flush();
        self.goes_on &= is_inline(xml::local(name).as_bytes());
        self.close(depth + 1);
    }

    /// Where the next line will begin, with which a part does.
    pub(super) fn mark(&mut self) -> usize {
        self.flush();
        self.is_part = true;
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

    /// Elements end until no more than so many are open.
    fn close(&mut self, open: usize) {
        self.open = self.open.min(open);
        self.kept = self.kept.filter(|outside| *outside < self.open);
    }

    /// The layout of the innermost element counts.
    fn keep(&mut self) {
        self.kept = self.kept.or(self.open.checked_sub(1));
    }

    fn element(&mut self, depth: usize, element: &BytesStart<'_>, is_foreign: bool) {
        self.close(depth);
        let name = element.name();
        let name = xml::local(name.as_ref());
        if name.is_empty() {
            // It is no element of XML, and says nothing.
            return;
        }
        let depth = self.open;
        self.begin_line(depth, is_foreign);
        self.lines.push_str(name);
        self.open += 1;
        (self.written, self.is_bare, self.is_part) = (self.open, true, false);
        for (name, value) in xml::attributes(element) {
            self.attribute(depth, &name, &collapse(&value));
        }
        if xml::attribute(element, "xml:space").is_some_and(|value| value.trim() == "preserve") {
            self.keep();
        }
    }

    /// Begins the line of an element. A plus takes the place of a blank, so that it costs nothing.
    fn begin_line(&mut self, depth: usize, is_foreign: bool) {
        let blanks = depth - usize::from(is_foreign && depth > 0);
        self.lines.push('\n');
        match depth {
            0..=MAX_INDENT => self.lines.extend(std::iter::repeat_n(' ', blanks)),
            _ if self.is_part => self.lines.push_str(if is_foreign { "" } else { "-" }),
            _ => {
                self.lines.push_str(&self.levels_up());
                self.lines.push_str(if is_foreign { "" } else { " " });
            }
        }
        self.lines.push_str(if is_foreign { "+" } else { "" });
    }

    /// How many elements have ended since the last line.
    fn levels_up(&self) -> String {
        self.written.saturating_sub(self.open).to_string()
    }

    fn attribute(&mut self, depth: usize, name: &str, value: &str) {
        let indent = if depth > MAX_INDENT { 0 } else { depth };
        self.attributes.push('\n');
        self.attributes.extend(std::iter::repeat_n(' ', indent));
        self.attributes.extend(["@", name]);
        if !value.is_empty() {
            self.attributes.extend([" ", value]);
        }
    }

    /// Writes the text since the last tag, and what waits for it.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let line = one_line(&text, self.kept.is_some());
        if !line.is_empty() {
            self.begin_text();
            let goes_on = self.goes_on && self.kept.is_none() && !text.starts_with(is_space);
            self.lines.extend([if goes_on { "\t" } else { " " }, &line]);
        }
        if !text.is_empty() {
            self.goes_on = !text.ends_with(is_space);
        }
        self.lines.push_str(&self.attributes);
        self.attributes.clear();
        self.is_bare = false;
    }

    /// The text of an element stands behind its name, or has a line if something else does.
    fn begin_text(&mut self) {
        if self.is_bare {
            return;
        }
        self.lines.push('\n');
        match self.open.saturating_sub(1) {
            depth @ 0..=MAX_INDENT => self.lines.extend(std::iter::repeat_n(' ', depth)),
            _ => self.lines.push_str(&self.levels_up()),
        }
        self.lines.push(':');
        self.written = self.open;
    }
}

#[cfg(test)]
mod tests;
