//! JSON written so that a reader of the usual kind loses nothing of it, and trips over nothing.
//!
//! Such a reader rounds numbers, refuses half a surrogate pair, and has a bound to how deep values lie. So numbers become
//! strings of their one spelling, the half of a pair becomes U+FFFD, and what lies too deep becomes a string of how it is
//! written, with a mark before the first and the last of them. Strings that begin with the mark themselves have it twice, so
//! that no two values look alike.

use super::super::number;

/// Begins a string that stands for another value. In JSON it is one byte: a feed of nothing but numbers must not become much
/// longer.
pub(super) const MARK: char = '\u{7f}';
/// How deep values are told apart; readers go down to 128.
const MAX_DEPTH: usize = 100;

/// A valid document, written plainly.
pub(super) fn written(document: &str) -> String {
    let mut plain = Plain { out: String::with_capacity(document.len()), rest: document, depth: 0 };
    while let Some(at) = plain.rest.find(|c: char| matches!(c, '"' | '-' | '[' | '{' | ']' | '}' | '0'..='9')) {
        plain.copy(at);
        plain.token();
    }
    plain.copy(plain.rest.len());
    plain.out
}

struct Plain<'t> {
    out: String,
    rest: &'t str,
    depth: usize,
}

impl<'t> Plain<'t> {
    fn token(&mut self) {
        match self.rest.as_bytes()[0] {
            b'"' => self.string(),
            b'[' | b'{' if self.depth == MAX_DEPTH => self.too_deep(),
            b'[' | b'{' => {
                self.depth += 1;
                self.copy(1);
            }
            b']' | b'}' => {
                self.depth = self.depth.saturating_sub(1);
                self.copy(1);
            }
            _ => self.number(),
        }
    }

    /// The next bytes, which are read.
    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn copy(&mut self, length: usize) {
        let taken = self.take(length);
        self.out.push_str(taken);
    }

    fn string(&mut self) {
        let string = self.take(string_length(self.rest));
        let text = &string[1..];
        self.out.push('"');
        if text.starts_with(MARK) || text.get(..6).is_some_and(|escape| escape.eq_ignore_ascii_case("\\u007f")) {
            self.out.push(MARK);
        }
        push_without_halves(text, &mut self.out);
    }

    fn number(&mut self) {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let number = self.take(self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len()));
        self.out.extend(['"', MARK]);
        number::write(number, &mut self.out);
        self.out.push('"');
    }

    fn too_deep(&mut self) {
        let value = self.take(value_length(self.rest));
        self.out.extend(['"', MARK]);
        for character in value.chars() {
            match character {
                '"' | '\\' => self.out.extend(['\\', character]),
                // The only control characters that stand in JSON as they are, and it is no matter which.
                '\n' | '\r' | '\t' => self.out.push(' '),
                _ => self.out.push(character),
            }
        }
        self.out.push('"');
    }
}

/// The length of a string with its quotes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// The length of an array or object.
fn value_length(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0usize);
    while let Some(found) = text[at..].find(['"', '[', '{', ']', '}']) {
        at += found;
        match text.as_bytes()[at] {
            b'"' => at += string_length(&text[at..]) - 1,
            b'[' | b'{' => depth += 1,
            _ => depth = depth.saturating_sub(1),
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The inside of a string; half a pair of surrogates stands for no character.
fn push_without_halves(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let length = match (surrogate(escape), escape.get(6..).and_then(surrogate)) {
            (Some(0xd800..0xdc00), Some(0xdc00..)) => 12,
            (Some(_), _) => {
                out.push(char::REPLACEMENT_CHARACTER);
                rest = &escape[6..];
                continue;
            }
            (None, _) => escape.chars().take(2).map(char::len_utf8).sum(),
        };
        out.push_str(&escape[..length]);
        rest = &escape[length..];
    }
    out.push_str(rest);
}

/// What an escape says, if that is half a pair.
fn surrogate(escape: &str) -> Option<u32> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok().filter(|unit| (0xd800..0xe000).contains(unit))
}
