//! Line ends as every XML reader hands them on (section 2.11 of XML 1.0 and of 1.1). They are replaced before anything else is
//! read: a carriage return that is met later was escaped, and is no end of a line.

use std::borrow::Cow;

const NEXT_LINE: char = '\u{85}';
const LINE_SEPARATOR: char = '\u{2028}';

/// A document whose lines end with line feeds.
pub(super) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let has_more_ends = is_version_1_1(text);
    let next = |rest: &str| match has_more_ends {
        true => rest.find(['\r', NEXT_LINE, LINE_SEPARATOR]),
        false => rest.find('\r'),
    };
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = next(rest) {
        out.push_str(&rest[..at]);
        out.push('\n');
        let mut behind = rest[at..].chars();
        let end = behind.next();
        rest = behind.as_str();
        if end == Some('\r') {
            let second = |c: char| c == '\n' || (has_more_ends && c == NEXT_LINE);
            rest = rest.strip_prefix(second).unwrap_or(rest);
        }
    }
    if out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether a document declares that it is of XML 1.1.
fn is_version_1_1(text: &str) -> bool {
    let declaration = text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    let version = declaration.and_then(|(declaration, _)| declaration.split_once("version"));
    version.and_then(|(_, value)| value.split(['"', '\'']).nth(1)) == Some("1.1")
}
