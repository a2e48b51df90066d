//! The Link field of a response (RFC 8288), as far as it names documents that belong to a source.

use url::Url;

use crate::parse::normalise;

/// More links than this in one field are not looked at.
const MAX_LINKS: usize = 100;

/// Relations whose targets are worth keeping beside a source.
const RELATIONS: [&str; 4] = ["alternate", "describedby", "next", "meta"];

/// The documents that a field names as other forms of a page, as what describes it or as what comes next.
pub fn links(field: &str, page: &Url) -> Vec<Url> {
    let mut found = Vec::new();
    let mut rest = field;
    for _ in 0..MAX_LINKS {
        let Some((_, after)) = rest.split_once('<') else { break };
        let Some((target, after)) = after.split_once('>') else { break };
        let end = end_of_parameters(after);
        if relations(&after[..end]).any(|relation| RELATIONS.iter().any(|known| relation.eq_ignore_ascii_case(known))) {
            found.extend(normalise::resolve(page, target).ok());
        }
        rest = &after[end..];
    }
    found
}

/// Where the parameters of a link end: at a comma that is not within quotes.
fn end_of_parameters(text: &str) -> usize {
    let mut quoted = false;
    let end = text.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b',' && !quoted
    });
    end.unwrap_or(text.len())
}

fn relations(parameters: &str) -> impl Iterator<Item = &str> {
    let named = parameters.split(';').filter_map(|parameter| parameter.split_once('='));
    let relation = named.filter(|(name, _)| name.trim().eq_ignore_ascii_case("rel"));
    relation.flat_map(|(_, value)| value.trim().trim_matches('"').split_ascii_whitespace())
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

    proptest! {
        #[test]
        fn any_field_is_read(field in "[<>;,=\"a-z/ :.]{0,100}") {
            found(&format!("<a>; rel=next{field}"));
            found(&field);
        }
    }
}
