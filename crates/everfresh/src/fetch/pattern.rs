//! The path patterns of robots.txt: `*` for any characters, `$` for the end, everything else as a prefix.
//!
//! Matching goes segment by segment and takes the first place that fits, which leaves the most for the segments to come:
//! a hostile pattern costs time linear in the path and never a backtrack.

use std::borrow::Cow;

/// Stands for "any characters" in a stored pattern. No octet becomes it (see [`decoded`]).
const ANY: char = '\u{100}';
/// Stands for "the path ends here".
const END: char = '\u{101}';

/// The first byte of both.
const LEAD: u8 = 0xc4;

/// The pattern of one rule, decoded.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
pub(super) struct Pattern(Box<str>);

impl Pattern {
    /// Reads the value of a rule; none if it is empty, as such a rule matches nothing. Paths start with a slash, and a
    /// rule that lacks it is meant to have it.
    pub(super) fn parse(value: &[u8]) -> Option<Pattern> {
        let (value, end) = match value.strip_suffix(b"$") {
            Some(value) => (value, Some(END)),
            None => (value, None),
        };
        if value.is_empty() {
            return None;
        }
        let mut pattern = String::with_capacity(value.len() + 2);
        if !value.starts_with(b"/") && !value.starts_with(b"*") {
            pattern.push('/');
        }
        for (number, segment) in value.split(|&byte| byte == b'*').enumerate() {
            if number > 0 && !pattern.ends_with(ANY) {
                pattern.push(ANY);
            }
            pattern.push_str(&decoded(segment));
        }
        pattern.extend(end);
        Some(Pattern(pattern.into_boxed_str()))
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Whether it has to be looked for all over a path.
    pub(super) fn is_wild(&self) -> bool {
        self.0.contains(ANY)
    }

    /// How many words have to be looked for, one behind the other. Nothing but [`ANY`] and [`END`] begins with their byte.
    pub(super) fn words(&self) -> usize {
        memchr::memchr_iter(LEAD, self.0.as_bytes()).count() + 1
    }

    /// Its length, by which rules are weighed.
    pub(super) fn octets(&self) -> usize {
        self.0.chars().count()
    }

    /// Whether a path (with its query), decoded as well, matches.
    pub(super) fn matches(&self, path: &str) -> bool {
        let (pattern, is_anchored) = match self.0.strip_suffix(END) {
            Some(pattern) => (pattern, true),
            None => (&*self.0, false),
        };
        let Some((first, wild)) = pattern.split_once(ANY) else {
            return if is_anchored { path == pattern } else { path.starts_with(pattern) };
        };
        let Some(mut rest) = path.strip_prefix(first) else { return false };
        let (middle, last) = wild.rsplit_once(ANY).unwrap_or(("", wild));
        for segment in middle.split(ANY) {
            match find(rest, segment) {
                Some(at) => rest = &rest[at + segment.len()..],
                None => return false,
            }
        }
        if is_anchored { rest.ends_with(last) } else { find(rest, last).is_some() }
    }
}

/// Ten times as fast as the search of `str` for the short words of patterns.
fn find(text: &str, word: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), word.as_bytes())
}

/// Undoes percent-encoding. Done on both sides of the comparison, this comes to what the RFC asks for, encoding both the
/// same way. Each octet becomes the character of the same number, so the text stays a `str`, whose search is linear.
pub(super) fn decoded(path: &[u8]) -> Cow<'_, str> {
    if path.is_ascii()
        && !path.contains(&b'%')
        && let Ok(plain) = std::str::from_utf8(path)
    {
        return Cow::Borrowed(plain);
    }
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let [first, after @ ..] = rest {
        match (first, after) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                text.push(char::from(hex(*high) << 4 | hex(*low)));
                rest = after;
            }
            _ => {
                text.push(char::from(*first));
                rest = after;
            }
        }
    }
    Cow::Owned(text)
}

/// The value of a hexadecimal digit.
fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Pattern::parse(pattern.as_bytes()).unwrap().matches(&decoded(path.as_bytes()))
    }

    #[test]
    fn special_characters_of_the_rfc() {
        assert!(matches("/this/*/exactly", "/this/is/it/exactly/so"));
        assert!(matches("/this/path/exactly$", "/this/path/exactly"));
        assert!(!matches("/this/path/exactly$", "/this/path/exactly?x"));
        assert!(matches("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"));
        assert!(!matches("/path/file-with-a-%2A.html", "/path/file-with-a-b.html"));
        assert!(matches("/path/foo-%24", "/path/foo-$bar"));
    }

    #[test]
    fn encodings_of_the_rfc() {
        assert!(matches("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"));
        assert!(matches("/foo/bar/\u{30c4}", "/foo/bar/%E3%83%84"));
        assert!(matches("/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"));
        assert!(matches("/foo/bar/%62%61%7A", "/foo/bar/baz"));
    }

    #[test]
    fn prefixes_are_case_sensitive_and_start_at_the_root() {
        assert!(matches("/fish", "/fish.html") && matches("/fish", "/fishheads/yummy"));
        assert!(!matches("/fish", "/Fish.asp") && !matches("/fish", "/catfish"));
        assert!(matches("fish", "/fish") && matches("*.php", "/a/b.php?c"));
        assert!(matches("/*.php$", "/a.php") && !matches("/*.php$", "/a.php5"));
        assert!(matches("/$", "/") && !matches("/$", "/a"));
    }

    #[test]
    fn segments_do_not_overlap() {
        assert!(matches("/*ab*ab$", "/abab") && !matches("/*aba*ba$", "/abab"));
        assert!(matches("/a***b", "/axb") && matches("/a*", "/a"));
    }

    /// The definition, tried out in every way; far too slow for anything but tests.
    fn matches_slowly(pattern: &[u8], path: &[u8]) -> bool {
        match pattern {
            [] => true,
            [b'$'] => path.is_empty(),
            [b'*', rest @ ..] => (0..=path.len()).any(|skipped| matches_slowly(rest, &path[skipped..])),
            [first, rest @ ..] => path.first() == Some(first) && matches_slowly(rest, &path[1..]),
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(pattern in "/[ab/*]{0,8}[$]?", path in "/[ab/]{0,10}") {
            prop_assert_eq!(matches(&pattern, &path), matches_slowly(pattern.as_bytes(), path.as_bytes()));
        }

        #[test]
        fn any_bytes_decode(path in prop::collection::vec(any::<u8>(), 0..60)) {
            prop_assert!(decoded(&path).chars().all(|octet| octet < ANY));
        }
    }
}
