//! Session ids that replay tools leave out of a URL's key, so that one page has one key in every session.
//!
//! Keys are plain lower-case ASCII when they come here. Of several ids of one kind only the last is left out, because
//! that is what the keys in existing indexes were made with.

/// Arguments that are session ids if their value is this many letters and digits.
const ARGUMENTS: [(&str, usize); 3] = [("jsessionid=", 32), ("phpsessid=", 32), ("sid=", 32)];

/// Letters and digits of a session id in a path or in a cookie of ASP.
const ASP_LENGTH: usize = 24;

/// `query` without the arguments known to be session ids. A name may be the end of a longer one.
pub(crate) fn without_query_session(mut query: String) -> String {
    for (name, length) in ARGUMENTS {
        query = without_last(query, name, |rest| alphanumeric(rest, length));
    }
    query = without_last(query, "aspsessionid", |rest| {
        let value = letters(rest, 8)?.strip_prefix('=')?;
        letters(value, ASP_LENGTH)
    });
    without_last(query, "cfid=", |rest| non_empty_value(non_empty_value(rest)?.strip_prefix("&cftoken=")?))
}

/// `path` without the segment ASP.NET puts a session id into: `/(…)/` or `/(s(…)f(…))/`, before a page of its kind.
pub(crate) fn without_path_session(mut path: String) -> String {
    // Nearly no path has one, and looking for the letters is cheap.
    if path.contains(".aspx") {
        path = without_last_segment(path, several_ids);
        path = without_last_segment(path, |rest| alphanumeric(rest, ASP_LENGTH));
    }
    path
}

/// Removes the last occurrence of `name` for which `value` finds where the argument ends, with the `&` behind it.
fn without_last(mut query: String, name: &str, value: impl Fn(&str) -> Option<&str>) -> String {
    let found = query.rmatch_indices(name).find_map(|(start, _)| {
        let rest = value(&query[start + name.len()..])?;
        let rest = if rest.is_empty() { rest } else { rest.strip_prefix('&')? };
        Some(start..query.len() - rest.len())
    });
    if let Some(found) = found {
        query.replace_range(found, "");
    }
    query
}

/// Removes the last segment in parentheses for which `id` finds where the id ends, if a page of ASP.NET follows.
fn without_last_segment(mut path: String, id: impl Fn(&str) -> Option<&str>) -> String {
    let found = path.rmatch_indices("/(").find_map(|(slash, _)| {
        let page = id(&path[slash + 2..])?.strip_prefix(")/")?;
        let name = page.get(1..)?.find(".aspx")?;
        (!page[..=name].contains('?')).then(|| slash + 1..path.len() - page.len())
    });
    if let Some(found) = found {
        path.replace_range(found, "");
    }
    path
}

/// Ids each in parentheses after a letter, at least one: what follows the last.
fn several_ids(text: &str) -> Option<&str> {
    let one = |text| alphanumeric(letters(text, 1)?.strip_prefix('(')?, ASP_LENGTH)?.strip_prefix(')');
    let mut rest = one(text)?;
    while let Some(next) = one(rest) {
        rest = next;
    }
    Some(rest)
}

/// What follows the first `length` bytes of `text` if these are letters and digits.
fn alphanumeric(text: &str, length: usize) -> Option<&str> {
    let (start, rest) = text.split_at_checked(length)?;
    start.bytes().all(|byte| byte.is_ascii_alphanumeric()).then_some(rest)
}

/// What follows the first `length` bytes of `text` if these are letters.
fn letters(text: &str, length: usize) -> Option<&str> {
    let (start, rest) = text.split_at_checked(length)?;
    start.bytes().all(|byte| byte.is_ascii_alphabetic()).then_some(rest)
}

/// What follows a value of at least one byte, up to `&`.
fn non_empty_value(text: &str) -> Option<&str> {
    let end = text.find('&').unwrap_or(text.len());
    (end > 0).then(|| &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

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
