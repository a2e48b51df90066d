//! Pages, sitemaps, feeds and their links.

use everfresh::parse::scope::{Mode, Scope, ScopeRules};
use everfresh::parse::{Parsed, normalise, parse};
use everfresh::{archive::surt, sources};
use revisit::Time;
use url::Url;

use crate::input;

const NOW: Time = Time::from_secs(1_700_000_000);

fn page() -> Url {
    Url::parse("http://a.example/d/e?f").expect("a URL")
}

/// A page as HTML and as XHTML: its text, links, directives and features.
pub(crate) fn html(input: &[u8]) {
    checked(input, Some("text/html; charset=utf-8"));
    checked(input, Some("application/xhtml+xml; charset=utf-8"));
}

/// Any body behind any Content-Type: the first line.
pub(crate) fn charsets(input: &[u8]) {
    let (content_type, body) = input::line(input);
    let parsed = checked(body, Some(&content_type));
    // A byte becomes at most one replacement character, and an entity of two bytes at most four: `&b` is none.
    assert!(parsed.text.len() <= 3 * body.len() + 3, "{} bytes of text", parsed.text.len());
}

/// A sitemap or a feed, of whatever syntax.
pub(crate) fn lists(input: &[u8]) {
    checked(input, Some("application/xml"));
    checked(input, None);
}

fn checked(body: &[u8], content_type: Option<&str>) -> Parsed {
    let parsed = parse(body, content_type, &page());
    let mut lines = parsed.text.split('\n');
    assert!(!parsed.text.contains('\r') && lines.all(|line| !line.ends_with([' ', '\t'])), "{:?}", parsed.text);
    assert_eq!(parsed.features.text_bytes as usize, parsed.text.len());
    assert!(parsed.links.len() <= 50_000 && parsed.links.len() <= parsed.features.links as usize);
    parsed.links.iter().map(|link| &link.url).chain(&parsed.canonical).for_each(normal);
    parsed
}

/// A reference (the rest) on a page (the first line).
pub(crate) fn links(input: &[u8]) {
    let (base, reference) = input::line(input);
    let reference = String::from_utf8_lossy(reference);
    let base = Url::parse(&base).unwrap_or_else(|_| page());
    surt::key(&reference);
    sources::links(&reference, &base).iter().for_each(normal);
    let Ok(url) = normalise::resolve(&base, &reference) else { return };
    normal(&url);
    for mode in [Mode::Host, Mode::Domain] {
        let rules = ScopeRules { mode, ..ScopeRules::default() };
        let scope = Scope::new(&rules, [&base]).expect("rules without patterns");
        let _ = scope.admits(&url, 1, NOW);
    }
}

/// What holds of every URL that is kept: it is its own normal form, and indexes can have its key.
fn normal(url: &Url) {
    assert!(matches!(url.scheme(), "http" | "https") && url.has_host(), "{url}");
    assert!(url.fragment().is_none() && url.username().is_empty() && url.password().is_none(), "{url}");
    assert_eq!(normalise::normalise(url.clone()).as_ref(), Ok(url));
    assert_eq!(normalise::absolute(url.as_str()).as_ref(), Ok(url));
    let key = surt::key(url.as_str());
    assert!(key.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()), "{key:?} of {url}");
}
