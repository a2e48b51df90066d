//! The media type that an answer claims, of all that servers write into `Content-Type`.
//!
//! As browsers do it (Fetch, "extract a MIME type"): of several, in one field or in many, the last counts that is one, and what
//! is none is no claim. Two things are read more kindly: white space ends a type like a semicolon does (`text/html
//! charset=utf-8`, as in Chromium), and types that only say that nobody knows are no claim either.

use std::iter::successors;

/// Types that say nothing of a body.
const SAY_NOTHING: [&str; 3] = ["*/*", "unknown/unknown", "application/unknown"];

/// The media type that counts, with its parameters. If it repeats the one before it and that one alone has a charset, it is
/// that one.
pub(crate) fn last_of<'a>(fields: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    fields.flat_map(claims).filter(|claim| is_media_type(essence(claim))).reduce(|before, last| {
        let is_same = essence(before).eq_ignore_ascii_case(essence(last));
        if is_same && parameter(last, "charset").is_none() { before } else { last }
    })
}

/// A media type without its parameters.
pub(crate) fn essence(media_type: &str) -> &str {
    media_type.split([';', ' ', '\t']).next().unwrap_or_default()
}

/// The value of a parameter of a media type, without quotes around it; the first one counts.
pub(crate) fn parameter<'a>(media_type: &'a str, name: &str) -> Option<&'a str> {
    let parameters = media_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut named = parameters.filter(|(found, _)| found.trim().eq_ignore_ascii_case(name));
    named.next().map(|(_, value)| value.trim_matches(|c: char| c.is_whitespace() || c == '"'))
}

/// The parts of a field between commas that are not in quotes.
fn claims(field: &str) -> impl Iterator<Item = &str> {
    let cut = |rest: &str| -> usize {
        let (mut is_quoted, mut is_escaped) = (false, false);
        let ends = |c: char| match c {
            _ if is_escaped => {
                is_escaped = false;
                false
            }
            '\\' => {
                is_escaped = is_quoted;
                false
            }
            '"' => {
                is_quoted = !is_quoted;
                false
            }
            other => other == ',' && !is_quoted,
        };
        rest.find(ends).unwrap_or(rest.len())
    };
    let parts = successors(Some(field.split_at(cut(field))), move |(_, rest)| {
        let rest = rest.strip_prefix(',')?;
        Some(rest.split_at(cut(rest)))
    });
    parts.map(|(part, _)| part.trim())
}

fn is_media_type(essence: &str) -> bool {
    let is_token = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    let is_known = !SAY_NOTHING.iter().any(|nothing| essence.eq_ignore_ascii_case(nothing));
    is_known && essence.split_once('/').is_some_and(|(family, name)| is_token(family) && is_token(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_claim_that_is_one_counts() {
        for (fields, counts) in [
            (&["text/html; charset=utf-8"][..], Some("text/html; charset=utf-8")),
            (&["text/html, text/html"], Some("text/html")),
            (&["text/plain, text/html; charset=utf-8"], Some("text/html; charset=utf-8")),
            (&["text/html; charset=gbk, text/html"], Some("text/html; charset=gbk")),
            (&["text/html; charset=gbk, text/html, text/plain"], Some("text/plain")),
            (&["text/html; a=\"b,c/d\\\",e/f\"; x"], Some("text/html; a=\"b,c/d\\\",e/f\"; x")),
            (&["text/plain", "text/html"], Some("text/html")),
            (&["text/html", "nonsense", "*/*"], Some("text/html")),
            (&["html"], None),
            (&["*/*"], None),
            (&["Unknown/Unknown"], None),
            (&["application/unknown; charset=utf-8"], None),
            (&["/html", "text/", "te xt/html", ""], None),
            (&[], None),
        ] {
            assert_eq!(last_of(fields.iter().copied()), counts, "{fields:?}");
        }
    }

    #[test]
    fn white_space_ends_a_type() {
        assert_eq!(last_of(["text/html charset=utf-8"].into_iter()).map(essence), Some("text/html"));
        assert_eq!(last_of(["text/html\t; charset=utf-8"].into_iter()).map(essence), Some("text/html"));
        assert_eq!(parameter("text/html ; Charset=\"koi8-r\"; charset=b", "charset"), Some("koi8-r"));
    }
}
