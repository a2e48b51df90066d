//! Session ids that replay tools leave out of a URL's key, so that one page has one key in every session.

use std::sync::LazyLock;

use regex::Regex;

/// The text before and after the id in groups `a` and `b`. Keys are in lower case by now.
static PATH: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"^(?<a>.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/(?<b>[^?]+\.aspx.*)$",
        r"^(?<a>.*/)\([0-9a-z]{24}\)/(?<b>[^?]+\.aspx.*)$",
    ])
});

static QUERY: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"^(?<a>.*)jsessionid=[0-9a-z]{32}(?:&(?<b>.*))?$",
        r"^(?<a>.*)phpsessid=[0-9a-z]{32}(?:&(?<b>.*))?$",
        r"^(?<a>.*)sid=[0-9a-z]{32}(?:&(?<b>.*))?$",
        r"^(?<a>.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(?<b>.*))?$",
        r"^(?<a>.*)cfid=[^&]+&cftoken=[^&]+(?:&(?<b>.*))?$",
    ])
});

fn compiled(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
}

/// `path` without the ids ASP.NET puts into paths.
pub(crate) fn without_path_session(path: String) -> String {
    // Nearly no path has one, and looking for the letters is much cheaper than the patterns.
    if path.contains(".aspx") { without(path, &PATH) } else { path }
}

/// `query` without the arguments known to be session ids.
pub(crate) fn without_query_session(query: String) -> String {
    let suspicious = ["sid=", "sessionid", "cftoken="].iter().any(|part| query.contains(part));
    if suspicious { without(query, &QUERY) } else { query }
}

fn without(text: String, patterns: &[Regex]) -> String {
    patterns.iter().fold(text, |text, pattern| match pattern.captures(&text) {
        Some(found) => ["a", "b"].iter().filter_map(|group| found.name(group)).map(|part| part.as_str()).collect(),
        None => text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!((PATH.len(), QUERY.len()), (2, 5));
    }

    #[test]
    fn ids_go_and_the_rest_stays() {
        let id = "0123456789abcdef0123456789abcdef";
        assert_eq!(without_query_session(format!("a=1&phpsessid={id}&b=2")), "a=1&b=2");
        assert_eq!(without_query_session(format!("jsessionid={id}")), "");
        assert_eq!(without_query_session("cfid=1&cftoken=2&x=3".into()), "x=3");
        assert_eq!(without_query_session("sid=short&x=3".into()), "sid=short&x=3");
        assert_eq!(without_path_session("/a/(0123456789abcdef01234567)/b.aspx".into()), "/a/b.aspx");
        assert_eq!(without_path_session("/a/(s(0123456789abcdef01234567))/b.aspx".into()), "/a/b.aspx");
        assert_eq!(without_path_session("/a/(note)/b.aspx".into()), "/a/(note)/b.aspx");
    }
}
