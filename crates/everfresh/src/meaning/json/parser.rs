//! A strict JSON parser that builds a tree, with a stack of its own.

use super::super::Unreadable;
use super::super::budget::Budget;
use super::super::tree::{Builder, Kind, NO_NAME};
use super::path::{Child, Path, Reached, enter};
use crate::parse::number;

/// A document being parsed.
pub(super) struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    format: &'static str,
    /// A key or string with its escapes resolved.
    unescaped: String,
}

/// An array or object that has begun.
struct Open {
    is_object: bool,
    /// The place of its next member.
    index: usize,
    reached: Vec<Reached>,
    /// It does not count, and so nothing in it does.
    is_ignored: bool,
}

/// A string: as it stands in the text, or unescaped in the parser.
enum Text<'t> {
    Plain(&'t str),
    Unescaped,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, format: &'static str) -> Parser<'t> {
        Parser { text, bytes: text.as_bytes(), at: 0, format, unescaped: String::new() }
    }

    /// Parses a value with all that is in it; `reached` are the places in the paths to ignore at it.
    pub(super) fn value(
        &mut self,
        paths: &[Path],
        reached: &[Reached],
        builder: &mut Builder,
        budget: &mut Budget,
    ) -> Result<(), Unreadable> {
        let root = Open { is_object: false, index: 0, reached: reached.to_vec(), is_ignored: false };
        let mut open: Vec<Open> = Vec::new();
        self.begin(NO_NAME, root, &mut open, builder, budget)?;
        while let Some(parent) = open.last_mut() {
            self.skip_space();
            let close = if parent.is_object { b'}' } else { b']' };
            if self.bytes.get(self.at) == Some(&close) {
                self.at += 1;
                if parent.is_ignored {
                    builder.forget()
                } else {
                    builder.end()
                }
                open.pop();
                continue;
            }
            if parent.index > 0 {
                self.expect(b',')?;
                self.skip_space();
            }
            let (name, child) = self.child(paths, parent, builder)?;
            self.begin(name, child, &mut open, builder, budget)?;
        }
        Ok(())
    }

    /// Reads the name of the next member, if it has one, and what is known of the value to come.
    fn child(&mut self, paths: &[Path], parent: &mut Open, builder: &mut Builder) -> Result<(u32, Open), Unreadable> {
        let index = parent.index;
        parent.index += 1;
        let mut child = Open { is_object: false, index: 0, reached: Vec::new(), is_ignored: false };
        let mut enter = |to: Child<'_>| {
            if !parent.reached.is_empty() {
                let entered = enter(paths, &parent.reached, to);
                child.is_ignored = entered.is_none();
                child.reached = entered.unwrap_or_default();
            }
        };
        if !parent.is_object {
            enter(Child::Index(index));
            return Ok((NO_NAME, child));
        }
        let key = self.string()?;
        let key = match key {
            Text::Plain(text) => text,
            Text::Unescaped => &self.unescaped,
        };
        enter(Child::Member(key));
        let name = builder.name(key);
        self.skip_space();
        self.expect(b':')?;
        Ok((name, child))
    }

    /// Parses a value without children whole, or the beginning of one with.
    fn begin(
        &mut self,
        name: u32,
        mut value: Open,
        open: &mut Vec<Open>,
        builder: &mut Builder,
        budget: &mut Budget,
    ) -> Result<(), Unreadable> {
        self.skip_space();
        let first = self.bytes.get(self.at).copied();
        match first {
            Some(b'{' | b'[') => {
                self.at += 1;
                value.is_object = first == Some(b'{');
                builder.begin(if value.is_object { Kind::Object } else { Kind::Array }, name, budget)?;
                open.push(value);
                Ok(())
            }
            Some(b'"') => {
                let text = self.string()?;
                let text = match text {
                    Text::Plain(text) => text,
                    Text::Unescaped => &self.unescaped,
                };
                leaf(&value, Kind::Text, name, builder, budget, |out| out.push_str(text))
            }
            Some(b'-' | b'0'..=b'9') => {
                let text = self.number()?;
                leaf(&value, Kind::Number, name, builder, budget, |out| number::write(text, out))
            }
            _ => {
                let word = self.literal()?;
                leaf(&value, Kind::Literal, name, builder, budget, |out| out.push_str(word))
            }
        }
    }

    /// Whether nothing but white space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.at == self.bytes.len()
    }

    /// Checks that nothing but white space is left.
    pub(super) fn end(&mut self) -> Result<(), Unreadable> {
        if self.is_at_end() { Ok(()) } else { Err(self.wrong("something follows the value")) }
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Unreadable> {
        if self.bytes.get(self.at) == Some(&byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.wrong(&format!("expected '{}'", byte as char)))
    }

    fn literal(&mut self) -> Result<&'static str, Unreadable> {
        let rest = &self.bytes[self.at..];
        let word = ["null", "true", "false"].into_iter().find(|word| rest.starts_with(word.as_bytes()));
        let word = word.ok_or_else(|| self.wrong("expected a value"))?;
        self.at += word.len();
        Ok(word)
    }

    fn number(&mut self) -> Result<&'t str, Unreadable> {
        let begin = self.at;
        self.at += usize::from(self.bytes[self.at] == b'-');
        let has_zero = self.bytes.get(self.at) == Some(&b'0');
        let digits = self.digits();
        if digits == 0 || (has_zero && digits > 1) {
            return Err(self.wrong("a number begins with nothing or a needless zero"));
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            self.some_digits()?;
        }
        Ok(&self.text[begin..self.at])
    }

    fn digits(&mut self) -> usize {
        let begin = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - begin
    }

    fn some_digits(&mut self) -> Result<(), Unreadable> {
        if self.digits() > 0 { Ok(()) } else { Err(self.wrong("a number breaks off")) }
    }

    fn string(&mut self) -> Result<Text<'t>, Unreadable> {
        self.expect(b'"')?;
        let begin = self.at;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => return self.escaped(begin),
                Some(0..=0x1f) | None => return Err(self.wrong("a string breaks off")),
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        Ok(Text::Plain(&self.text[begin..self.at - 1]))
    }

    /// Goes on with a string at its first escape.
    fn escaped(&mut self, begin: usize) -> Result<Text<'t>, Unreadable> {
        self.unescaped.clear();
        self.unescaped.push_str(&self.text[begin..self.at]);
        loop {
            let begin = self.at;
            while !matches!(self.bytes.get(self.at), Some(b'"' | b'\\' | 0..=0x1f) | None) {
                self.at += 1;
            }
            self.unescaped.push_str(&self.text[begin..self.at]);
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                _ => return Err(self.wrong("a string breaks off")),
            }
        }
        self.at += 1;
        Ok(Text::Unescaped)
    }

    fn escape(&mut self) -> Result<(), Unreadable> {
        let character = match self.bytes.get(self.at + 1) {
            Some(plain @ (b'"' | b'\\' | b'/')) => *plain as char,
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.wrong("no such escape")),
        };
        self.at += 2;
        self.unescaped.push(character);
        Ok(())
    }

    /// `\uXXXX`, or two of them that make one character; half a pair becomes a replacement character.
    fn unicode_escape(&mut self) -> Result<(), Unreadable> {
        let unit = self.unit().ok_or_else(|| self.wrong("no such escape"))?;
        self.at += 6;
        let pair = (0xd800..0xdc00).contains(&unit).then(|| self.unit()).flatten();
        let pair = pair.filter(|low| (0xdc00..0xe000).contains(low));
        self.at += if pair.is_some() { 6 } else { 0 };
        let code = pair.map_or(unit, |low| 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
        self.unescaped.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        Ok(())
    }

    fn unit(&self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 6)?.strip_prefix("\\u")?;
        digits.bytes().try_fold(0, |unit, digit| Some(unit * 16 + (digit as char).to_digit(16)?))
    }

    fn wrong(&self, problem: &str) -> Unreadable {
        let before = &self.bytes[..self.at.min(self.bytes.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Unreadable::malformed(self.format, format!("{problem} at byte {} in line {line}", self.at))
    }
}

/// A value without children, unless it does not count.
fn leaf(
    value: &Open,
    kind: Kind,
    name: u32,
    builder: &mut Builder,
    budget: &mut Budget,
    write: impl FnOnce(&mut String),
) -> Result<(), Unreadable> {
    if value.is_ignored { Ok(()) } else { builder.leaf(kind, name, budget, write) }
}
