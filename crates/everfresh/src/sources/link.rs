//! The Link field of a response (RFC 8288), as far as it names documents that belong to a source.

use url::Url;

use crate::parse::normalise;

/// More links than this in one field are not looked at.
const MAX_LINKS: usize = 100;

/// Relations whose targets are worth keeping beside a source.
const RELATIONS: [&str; 4] = ["alternate", "describedby", "next", "meta"];

/// The documents that a field names as other forms of a page, as what describes it or as what comes next. What it says of
/// something else (`anchor`) is none of them.
pub fn links(field: &str, page: &Url) -> Vec<Url> {
    let mut found = Vec::new();
    let mut rest = field;
    for _ in 0..MAX_LINKS {
        let Some((_, after)) = rest.split_once('<') else { break };
        let Some((target, after)) = after.split_once('>') else { break };
        let (parameters, after) = after.split_at(end(after, b','));
        if is_of(parameters, page) && relations(parameters).any(is_kept) {
            found.extend(normalise::resolve(page, target).ok());
        }
        rest = after;
    }
    found
}

fn is_kept(relation: &str) -> bool {
    RELATIONS.iter().any(|known| relation.eq_ignore_ascii_case(known))
}

/// Where the next of these marks is that is not within quotes, or the end.
fn end(text: &str, mark: u8) -> usize {
    let (mut quoted, mut escaped) = (false, false);
    let end = text.bytes().position(|byte| {
        let is_escaped = std::mem::take(&mut escaped);
        escaped = quoted && !is_escaped && byte == b'\\';
        quoted ^= byte == b'"' && !is_escaped;
        byte == mark && !quoted
    });
    end.unwrap_or(text.len())
}

/// Whether a link is one of the page itself.
fn is_of(parameters: &str, page: &Url) -> bool {
    let anchor = value(parameters, "anchor").map(|anchor| normalise::resolve(page, anchor));
    anchor.is_none_or(|anchor| anchor == normalise::normalise(page.clone()))
}

fn relations(parameters: &str) -> impl Iterator<Item = &str> {
    value(parameters, "rel").unwrap_or_default().split_ascii_whitespace()
}

/// The value of the first parameter of this name, which is the one that counts.
fn value<'a>(parameters: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = parameters;
    std::iter::from_fn(|| {
        let (parameter, after) = rest.split_at(end(rest, b';'));
        rest = after.get(1..).unwrap_or_default();
        (!(parameter.is_empty() && after.is_empty())).then_some(parameter)
    })
    .filter_map(|parameter| parameter.split_once('='))
    .find(|(found, _)| found.trim().eq_ignore_ascii_case(name))
    .map(|(_, value)| value.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(field: &str) -> Vec<String> {
        let page = Url::parse("http://a.test/d/x").unwrap();
        links(field, &page).into_iter().map(String::from).collect()
    }

    #[test]
    fn relations_decide() {
        let field = r#"</x.ttl>; rel="alternate"; type="text/turtle", <meta,1>; title="a, b"; REL=describedby, <http://b/c>; rel=license, <y>; rel="first next""#;
        assert_eq!(found(field), ["http://a.test/x.ttl", "http://a.test/d/meta,1", "http://a.test/d/y"]);
        assert_eq!(found("<a"), Vec::<String>::new());
    }

    #[test]
    fn what_stands_in_quotes_is_no_parameter() {
        assert_eq!(found(r#"<a>; title="x; rel=next"; rel=license"#), Vec::<String>::new());
        assert_eq!(found(r#"<a>; title="x \" ; rel=license, "; rel=next, <b>; rel=next"#).len(), 2);
        assert_eq!(found("<a>; rel=license; rel=next"), Vec::<String>::new(), "the first one counts");
    }

    #[test]
    fn a_link_of_something_else_is_none_of_the_page() {
        let field = r##"<a>; rel=next; anchor="/other", <b>; anchor="#part"; rel=next, <c>; rel=next; anchor="http://a.test/d/x""##;
        assert_eq!(found(field), ["http://a.test/d/b", "http://a.test/d/c"]);
    }

    proptest! {
        #[test]
        fn any_field_is_read(field in "[<>;,=\"a-z/ :.]{0,100}") {
            found(&format!("<a>; rel=next{field}"));
            found(&field);
        }
    }
}
