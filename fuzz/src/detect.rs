//! Filters as a user writes them, on pages as a server writes them.

use everfresh::detect::{Algorithm, Body, Detector, FilterRules, Filters};
use everfresh::parse::parse;
use url::Url;

use crate::input;

/// Three lines: a selector to drop, one to keep, a pattern to ignore; then the page.
pub(crate) fn filters(input: &[u8]) {
    let (drop, rest) = input::line(input);
    let (keep, rest) = input::line(rest);
    let (ignore, page) = input::line(rest);
    let some = |rule: String| if rule.is_empty() { Vec::new() } else { vec![rule] };
    let rules = FilterRules { drop: some(drop), keep: some(keep), ignore: some(ignore) };
    let Ok(filters) = Filters::compile([&rules]) else { return };
    let parsed = parse(page, Some("text/html; charset=utf-8"), &Url::parse("http://a.example/").expect("a URL"));
    let Ok(text) = filters.text(&parsed, page) else { return };
    let is_one_line = !text.contains(['\n', '\t']) && !text.contains("  ");
    assert!(is_one_line || rules.ignore.is_empty(), "{text:?}");
    assert!(rules != FilterRules::default() || text == parsed.text);
    let detector = Detector { algorithm: Algorithm::default(), near: 0 };
    let body = |payload| Body { payload: [payload; 20], content: page, is_coded: true };
    let judge = |known, payload| detector.judge(known, body(payload), &parsed, &filters);
    let known = judge(None, 0).expect("its elements were matched before").known;
    let again = judge(Some(&known), 1).expect("its elements were matched before");
    assert!(!again.changed, "the same page, and yet changed");
}
