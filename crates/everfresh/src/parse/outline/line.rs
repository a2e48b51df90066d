//! The text of an element as one line: what an outline says has no line ends of its own.
//!
//! White space collapses but where layout is content. There the end of a line is `\n`, a backslash is doubled, and a blank at the end
//! is `\s` or `\t`, so that nothing reads like anything else. Which texts are written so is to be seen from the outline: those in an
//! element whose layout counts, and those that hold a `<pre>` in escaped markup.

use super::super::text::{Collapsed, collapse};

/// A text as one line; `is_kept` if all of its layout counts.
pub(super) fn one_line(text: &str, is_kept: bool) -> String {
    match tag(text, "<pre") {
        _ if is_kept => escaped(text),
        Some(_) => escaped(&with_preformatted(text)),
        None => collapse(text),
    }
}

/// Escaped markup with its white space collapsed but for what is preformatted in it.
fn with_preformatted(text: &str) -> String {
    let (mut out, mut rest) = (Collapsed::with_capacity(text.len()), text);
    while let Some(begin) = tag(rest, "<pre") {
        let end = tag(&rest[begin..], "</pre").map_or(rest.len(), |length| begin + length);
        out.push(&rest.as_bytes()[..begin]);
        out.begin_kept();
        out.push_kept(&rest.as_bytes()[begin..end]);
        out.end_kept();
        rest = &rest[end..];
    }
    out.push(rest.as_bytes());
    out.finish()
}

/// Where a tag begins, if its name ends there.
fn tag(text: &str, begin: &str) -> Option<usize> {
    let is_tag = |found: &str| {
        let behind = found.as_bytes().get(begin.len());
        let is_named = found.get(..begin.len()).is_some_and(|name| name.eq_ignore_ascii_case(begin));
        is_named && behind.is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))
    };
    text.match_indices('<').map(|(at, _)| at).find(|at| is_tag(&text[*at..]))
}

/// Blanks before the end of a line do not count, nor how it ends.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.replace("\r\n", "\n").split(['\n', '\r']).enumerate() {
        if number > 0 {
            out.truncate(out.trim_end_matches([' ', '\t']).len());
            out.push_str("\\n");
        }
        out.push_str(&line.replace('\\', "\\\\"));
    }
    match out.pop() {
        Some(' ') => out.push_str("\\s"),
        Some('\t') => out.push_str("\\t"),
        last => out.extend(last),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_is_kept_where_it_is_content() {
        for (text, collapsed, kept) in [
            (" a \n b ", "a b", " a\\n b\\s"),
            ("a\r\n\rb\\n\t", "a b\\n", "a\\n\\nb\\\\n\\t"),
            (" \n", "", "\\n"),
            ("", "", ""),
            ("<prefix>  a\n", "<prefix> a", "<prefix>  a\\n"),
        ] {
            assert_eq!(one_line(text, false), collapsed);
            assert_eq!(one_line(text, true), kept);
        }
        assert_eq!(one_line("a \n b<PRE x>\n  c \n</Pre>\n d\\ ", false), "a b<PRE x>\\n  c </Pre> d\\\\");
        assert_eq!(one_line("<pre>a\n  b", false), "<pre>a\\n  b");
    }
}
