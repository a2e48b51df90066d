//! The text of a page as one line: runs of white space become one space, and nothing leads or trails.
//!
//! Layout is not content: two pages that differ only in indentation have the same text, so change detection never sees it. Where
//! layout is content, as in what is no page and in the preformatted parts of pages, lines and indentation are kept, and only
//! what ends a line has one form.

use hashbrown::HashSet;

/// Longest local part and domain of an e-mail address (RFC 5321), which also keep the search linear.
const LOCAL_BYTES: usize = 64;
const DOMAIN_BYTES: usize = 255;
/// More distinct addresses than this are not told apart.
const MAX_ADDRESSES: usize = 10_000;

/// Collects text piece by piece and collapses white space across the pieces.
#[derive(Debug, Default)]
pub(super) struct Collapsed {
    out: Vec<u8>,
    space: bool,
    /// Where text whose layout counts begins, while it is being read.
    kept: usize,
    /// Whether such text goes on behind a carriage return.
    returned: bool,
}

impl Collapsed {
    pub(super) fn with_capacity(bytes: usize) -> Collapsed {
        Collapsed { out: Vec::with_capacity(bytes), ..Collapsed::default() }
    }

    /// What comes next is another word, even if the source has no space here (a block element).
    pub(super) fn separate(&mut self) {
        self.space = true;
    }

    /// Adds a piece of UTF-8 text. A piece may end within a character, which the next one then goes on with.
    pub(super) fn push(&mut self, piece: &[u8]) {
        let piece = self.finish_no_break_space(piece);
        if is_collapsed(piece) {
            return self.push_run(piece);
        }
        let mut start = 0;
        let mut at = 0;
        while let Some(&byte) = piece.get(at) {
            let width = space_width(byte, piece.get(at + 1));
            if width == 0 {
                at += 1;
                continue;
            }
            let next = at + width;
            // A lone space between two words is already in its final form: it stays part of the run.
            let lone = byte == b' '
                && at > start
                && piece.get(next).is_some_and(|&after| space_width(after, piece.get(next + 1)) == 0);
            if !lone {
                self.push_run(&piece[start..at]);
                self.space = true;
                start = next;
            }
            at = next;
        }
        self.push_run(&piece[start..]);
    }

    /// What comes next is text whose layout counts.
    pub(super) fn begin_kept(&mut self) {
        if self.space && !self.out.is_empty() {
            self.out.push(b' ');
        }
        (self.space, self.returned) = (false, false);
        self.kept = self.out.len();
    }

    /// Adds a piece of text whose layout counts: blanks before the end of a line do not, nor how it ends.
    pub(super) fn push_kept(&mut self, piece: &[u8]) {
        if self.space && self.out.len() > self.kept && !piece.is_empty() {
            self.out.push(b' ');
        }
        self.space &= piece.is_empty();
        let mut rest = piece;
        if std::mem::take(&mut self.returned) {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.out.extend_from_slice(&rest[..end]);
            self.end_line();
            self.returned = rest[end] == b'\r' && end + 1 == rest.len();
            let behind = &rest[end + 1..];
            rest = if rest[end] == b'\r' { behind.strip_prefix(b"\n").unwrap_or(behind) } else { behind };
        }
        self.out.extend_from_slice(rest);
    }

    /// Lines without text before the first one that has some are none.
    fn end_line(&mut self) {
        self.trim_kept(|byte| matches!(byte, b' ' | b'\t'));
        if self.out.len() > self.kept {
            self.out.push(b'\n');
        }
    }

    /// What comes next is text whose layout does not count.
    pub(super) fn end_kept(&mut self) {
        self.trim_kept(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
        if self.out.len() == self.kept && self.out.ends_with(b" ") {
            self.out.pop();
        }
        self.space = true;
    }

    fn trim_kept(&mut self, is_trimmed: impl Fn(u8) -> bool) {
        let trimmed = self.out[self.kept..].iter().rev().take_while(|byte| is_trimmed(**byte)).count();
        self.out.truncate(self.out.len() - trimmed);
    }

    /// Takes the second byte of a no-break space whose first one ended the last piece; what is left of this one.
    fn finish_no_break_space<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        match (piece, &self.out[..]) {
            ([0xa0, rest @ ..], [.., 0xc2]) if !self.space => {
                let end = self.out.len() - if self.out.ends_with(b" \xc2") { 2 } else { 1 };
                self.out.truncate(end);
                self.space = true;
                rest
            }
            _ => piece,
        }
    }

    fn push_run(&mut self, run: &[u8]) {
        if run.is_empty() {
            return;
        }
        if self.space && !self.out.is_empty() {
            self.out.push(b' ');
        }
        self.space = false;
        self.out.extend_from_slice(run);
    }

    /// The text so far. The pieces came from valid text, so the lossy way is never taken in practice.
    pub(super) fn finish(self) -> String {
        String::from_utf8(self.out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

/// Whether a piece is in its final form: no white space but lone spaces within. It may say no to one that is. All bytes are
/// looked at, many at a time, which takes a fraction of the time of stopping at each word.
fn is_collapsed(piece: &[u8]) -> bool {
    let ([first, ..], [.., last]) = (piece, piece) else { return false };
    let odd = |byte: u8| (byte < b' ') | (byte == 0xc2);
    let pairs = piece.iter().zip(&piece[1..]);
    let within = pairs.fold(false, |found, (&one, &next)| found | odd(one) | ((one == b' ') & (next == b' ')));
    !(within || odd(*last) || *first == b' ' || *last == b' ')
}

/// Whether a character is white space that collapses.
pub(super) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{a0}')
}

/// Bytes of white space here: ASCII white space is one, a no-break space (C2 A0) two, anything else none.
fn space_width(byte: u8, next: Option<&u8>) -> usize {
    match byte {
        b' ' | b'\t' | b'\n' | b'\r' | 0x0c => 1,
        0xc2 if next == Some(&0xa0) => 2,
        _ => 0,
    }
}

/// A whole text with its white space collapsed.
pub(crate) fn collapse(text: &str) -> String {
    let mut collapsed = Collapsed::with_capacity(text.len());
    collapsed.push(text.as_bytes());
    collapsed.finish()
}

/// A whole text with its layout, but for what ends its lines.
pub(super) fn lines(text: &str) -> String {
    let mut lines = Collapsed::with_capacity(text.len());
    lines.begin_kept();
    lines.push_kept(text.as_bytes());
    lines.end_kept();
    lines.finish()
}

/// Distinct e-mail addresses, from `mailto:` links and from text.
#[derive(Debug, Default)]
pub(super) struct Addresses(HashSet<String>);

impl Addresses {
    /// Takes the addresses of a `mailto:` link's target.
    pub(super) fn add_mailto(&mut self, target: &str) {
        let addresses = target.split('?').next().unwrap_or_default();
        for address in addresses.split(',').map(str::trim).filter(|address| address.contains('@')) {
            self.add(address);
        }
    }

    /// Takes every address written in a text.
    pub(super) fn add_text(&mut self, text: &str) {
        for address in text.match_indices('@').filter_map(|(at, _)| address_around(text, at)) {
            self.add(address);
        }
    }

    fn add(&mut self, address: &str) {
        if self.0.len() < MAX_ADDRESSES {
            self.0.insert(address.to_ascii_lowercase());
        }
    }

    pub(super) fn count(&self) -> u32 {
        self.0.len() as u32
    }
}

/// The address around the `@` at `at`: a local part before it, a domain with a dot after it.
fn address_around(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_local = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-');
    let is_domain = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let local = bytes[..at].iter().rev().take(LOCAL_BYTES).take_while(is_local).count();
    let domain = bytes[at + 1..].iter().take(DOMAIN_BYTES).take_while(is_domain).count();
    let end = at + 1 + domain;
    let name = text[at + 1..end].trim_end_matches(['.', '-']);
    let suffix = name.rsplit_once('.')?.1;
    let plausible = local > 0 && suffix.len() >= 2 && suffix.bytes().all(|byte| byte.is_ascii_alphabetic());
    plausible.then(|| &text[at - local..at + 1 + name.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn addresses(text: &str) -> u32 {
        let mut found = Addresses::default();
        found.add_text(text);
        found.count()
    }

    #[test]
    fn white_space_collapses_across_pieces() {
        let mut text = Collapsed::default();
        for piece in [" a", "b ", " c\n\td", "\u{a0}e ", "", " "] {
            text.push(piece.as_bytes());
        }
        text.separate();
        text.push(b"f");
        assert_eq!(text.finish(), "ab c d e f");
    }

    #[test]
    fn a_space_whose_bytes_come_apart_is_a_space() {
        for pieces in [["a\u{a0}", "", "b"].map(str::as_bytes), [b"a\xc2", b"\xa0", b"b"], [b"a \xc2", b"\xa0 ", b" b"]]
        {
            let mut text = Collapsed::default();
            pieces.iter().for_each(|piece| text.push(piece));
            assert_eq!(text.finish(), "a b");
        }
        let mut text = Collapsed::default();
        [&b"\xc2"[..], b"\xa0", b"\xc2", b"\xa9"].iter().for_each(|piece| text.push(piece));
        assert_eq!(text.finish(), "\u{a9}");
    }

    #[test]
    fn the_layout_of_lines_is_kept_but_for_their_ends() {
        assert_eq!(lines("\r\n \n  a:\r\n\tb  c \t\r\rd\n\n \t"), "  a:\n\tb  c\n\nd");
        assert_eq!(lines(" \n\t"), "");
        assert_eq!(lines("a\u{a0}\nb"), "a\u{a0}\nb");
        let mut text = Collapsed::default();
        text.push(b" a  b ");
        text.begin_kept();
        [&b"\n"[..], b" c\r", b"\n", b"\n  d", b"", b" \n"].iter().for_each(|piece| text.push_kept(piece));
        text.separate();
        text.push_kept(b"e");
        text.end_kept();
        text.push(b" f");
        text.begin_kept();
        text.push_kept(b" \n");
        text.end_kept();
        text.push(b"g");
        assert_eq!(text.finish(), "a b  c\n\n  d\n e f g");
    }

    #[test]
    fn addresses_are_counted_once() {
        assert_eq!(addresses("write to me@a.org, ME@A.ORG or you.too+x@b.co.uk."), 2);
        assert_eq!(addresses("@home a@b @@ x@y.1 3@ n@-.a"), 0);
        assert_eq!(addresses(&"@".repeat(100_000)), 0);
        assert_eq!(addresses(&"a".repeat(100_000)), 0);
    }

    proptest! {
        #[test]
        fn collapsing_is_the_same_in_any_pieces(text in "[a \n\u{a0}\u{e9}]{0,40}", cut in 0usize..40) {
            let cut = text.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(text.len());
            let mut pieces = Collapsed::default();
            pieces.push(&text.as_bytes()[..cut]);
            pieces.push(&text.as_bytes()[cut..]);
            let words: Vec<_> = text.split([' ', '\n', '\u{a0}']).filter(|word| !word.is_empty()).collect();
            prop_assert_eq!(pieces.finish(), words.join(" "));
        }
    }
}
