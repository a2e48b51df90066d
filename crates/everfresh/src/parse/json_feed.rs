//! JSON Feed (versions 1 and 1.1): the items are links with a date, as in any other feed.
//!
//! Its text is all of it, with members in the order of their names and one spelling of every value: what is new in an item may
//! be its address, its picture or its author alone. Numbers are exact and half a surrogate pair is U+FFFD, as in other JSON.
//! Members of a type that they should not have are no links and hide no other.

mod plain;

use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use url::Url;

use super::links::Links;
use super::{Kind, Parsed, collapse, dates};

const MAX_ITEMS: usize = 10_000;

/// Whether a text begins as a JSON object does.
pub(super) fn is_object(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
}

/// Whether a text is such a feed, or the beginning of one: an object that names its version.
pub(super) fn is_feed(text: &str) -> bool {
    let mut version = Version(None);
    if is_object(text) {
        // What was read before an error counts.
        let mut reader = serde_json::Deserializer::from_str(text.trim_start_matches('\u{feff}'));
        let _ = reader.deserialize_map(&mut version);
    }
    let version = version.0.as_ref().and_then(Value::as_str).unwrap_or_default();
    version.contains("://jsonfeed.org/version/")
}

/// The version that a document names, of several the last.
struct Version(Option<Value>);

impl<'de> Visitor<'de> for &mut Version {
    type Value = ();

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            if name == "version" {
                self.0 = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Reads a feed found at `url`; one that is no JSON after all is text without links.
pub(super) fn parse(document: &str, charset: &'static str, url: &Url) -> Parsed {
    let Some(feed) = read(document.trim_start_matches('\u{feff}')) else {
        let parsed = Parsed::plain(Kind::Text, charset, collapse(document), url);
        return Parsed { breaks_off: true, ..parsed };
    };
    let mut links = Links::new(url.clone(), MAX_ITEMS);
    let leading = ["home_page_url", "next_url"].into_iter().filter_map(|name| string(&feed[name]));
    leading.for_each(|target| links.add(target, false, None));
    for item in feed["items"].as_array().into_iter().flatten() {
        let date = |name: &str| string(&item[name]).and_then(dates::parse);
        if let Some(target) = string(&item["url"]) {
            links.add(target, false, date("date_modified").max(date("date_published")));
        }
    }
    Parsed::list(Kind::Feed, charset, feed.to_string(), links, url)
}

/// Reads JSON that was [made plain](plain).
fn read(document: &str) -> Option<Value> {
    serde_json::from_str::<IgnoredAny>(document).ok()?;
    serde_json::from_str(&plain::written(document)).ok()
}

/// What a member says, if that is a string.
fn string(member: &Value) -> Option<&str> {
    member.as_str().filter(|text| !text.starts_with(plain::MARK))
}

#[cfg(test)]
mod tests {
    use revisit::Time;

    use super::*;

    const FEED: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "next_url": "/2",
        "items": [{"id": "1", "url": "/a", "title": "One", "content_html": "<p>first &amp; best</p>",
                   "date_published": "2024-03-01T12:00:00Z"},
                  {"id": 2, "url": "http://b.org/", "content_text": "two", "date_modified": "2024-03-01T13:00:00Z"}]}"#;

    fn read(document: &str) -> Parsed {
        let url = Url::parse("http://a.org/f").unwrap();
        super::super::parse(document.as_bytes(), Some("application/feed+json"), &url)
    }

    #[test]
    fn items_are_links_with_dates() {
        let parsed = read(FEED);
        assert_eq!(parsed.kind, Kind::Feed);
        let found: Vec<_> = parsed.links.iter().map(|link| (link.url.as_str(), link.last_modified)).collect();
        let at = |seconds| Some(Time::from_secs(seconds));
        let expected =
            [("http://a.org/2", None), ("http://a.org/a", at(1_709_294_400)), ("http://b.org/", at(1_709_298_000))];
        assert_eq!(found, expected);
    }

    #[test]
    fn only_the_version_of_the_document_itself_makes_it_a_feed() {
        for feed in [
            r#"{"version": "https:\/\/jsonfeed.org\/version\/1.1"}"#.to_owned(),
            r#"{"version": "http://jsonfeed.org/version/1", "items": null}"#.to_owned(),
            format!(
                "\u{feff} {{\"items\": [{{\"title\": \"{}\"}}], \"version\": \"https://jsonfeed.org/version/1\"}}",
                "a".repeat(5000)
            ),
        ] {
            let parsed = read(&feed);
            assert_eq!((parsed.kind, parsed.breaks_off), (Kind::Feed, false), "{feed}");
        }
        for data in [
            r#"{"feeds": [{"spec": "https://jsonfeed.org/version/1.1", "count": 5}]}"#,
            r#"{"feeds": [{"version": "https://jsonfeed.org/version/1.1"}]}"#,
            r#"{"see": "https://jsonfeed.org/version/1.1", "version": 1}"#,
            r#"[{"version": "https://jsonfeed.org/version/1.1"}]"#,
            "see https://jsonfeed.org/version/1",
        ] {
            let parsed = read(data);
            assert_eq!((parsed.kind, parsed.breaks_off), (Kind::Text, false), "{data}");
        }
    }

    #[test]
    fn one_odd_member_hides_no_other() {
        let odd = r#"{"version": "https://jsonfeed.org/version/1.1", "title": 1, "home_page_url": [], "next_url": null,
            "items": [{"title": 5, "url": "/1"}, null, 7, {"url": {}}, {"url": 3}, {"url": "/2", "date_published": 2024}]}"#;
        let parsed = read(odd);
        let found: Vec<_> = parsed.links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(found, ["http://a.org/1", "http://a.org/2"]);
        assert!(!parsed.breaks_off);
    }

    #[test]
    fn all_of_it_counts_but_its_spelling() {
        let feed = |rest: &str| read(&format!(r#"{{"version": "https://jsonfeed.org/version/1.1", {rest}}}"#)).text;
        for (old, new) in [
            (r#""items": []"#, r#""items": [{"url": "/1"}]"#),
            (r#""items": [{"url": "/1"}]"#, r#""items": [{"url": "/2"}]"#),
            (r#""items": [{"content_html": "<img src=a>"}]"#, r#""items": [{"content_html": "<img src=b>"}]"#),
            (r#""items": [{"attachments": [{"url": "a"}]}]"#, r#""items": [{"attachments": [{"url": "b"}]}]"#),
            (r#""items": [{"tags": ["a", "b"]}]"#, r#""items": [{"tags": ["a b"]}]"#),
            (r#""description": "a""#, r#""description": "b""#),
            (r#""authors": [{"name": "a"}]"#, r#""authors": [{"name": "b"}]"#),
            (r#""_x": 12345678901234567890123"#, r#""_x": 12345678901234567890124"#),
            (r#""_x": 0.1"#, r#""_x": 0.10000000000000000001"#),
            (r#""_x": 1"#, r#""_x": "1""#),
            (r#""_x": 1"#, r#""_x": "\u001a1""#),
            (r#""_x": 1"#, r#""_x": "\u007F1""#),
            (r#""_x": "\u007f\u007f1""#, r#""_x": "\u007f1""#),
            (r#""_x": 1"#, "\"_x\": \"\u{7f}1\""),
            (r#""_x": "a b""#, r#""_x": "a  b""#),
        ] {
            assert_ne!(feed(old), feed(new), "{old}");
        }
        assert_eq!(feed(r#""title": "a/b", "items":[ ]"#), feed("\"items\": [],\n\"title\": \"\\u0061\\/b\""));
        assert_eq!(feed(r#""x": [1, -10.0E-1, 1e400, "\"\\", 7]"#), feed(r#""x":[1.0,-1,10e399,"\u0022\\",0.7e1]"#));
    }

    #[test]
    fn half_a_pair_of_surrogates_hides_nothing() {
        let feed = |title: &str| {
            let version = "https://jsonfeed.org/version/1.1";
            read(&format!(r#"{{"version": "{version}", "items": [{{"title": "{title}", "url": "/1"}}]}}"#))
        };
        for half in
            [r"\ud83d", r"a \uDE00 b", r"\ud83d\ud83d\ude00", r"\ud83d\n", r"\ud83dx", r"\\\ud83d", r"\ud83d\u0061"]
        {
            let parsed = feed(half);
            assert_eq!((parsed.kind, parsed.links.len(), parsed.breaks_off), (Kind::Feed, 1, false), "{half}");
            let whole = half
                .replace(r"\ud83d\ude00", "\u{1f600}")
                .replace(r"\ud83d", "\u{fffd}")
                .replace(r"\uDE00", "\u{fffd}");
            assert_eq!(parsed.text, feed(&whole).text, "{half}");
        }
        assert_eq!(feed(r"\\ud83d").text.matches('\u{fffd}').count(), 0, "no escape");
    }

    #[test]
    fn what_lies_deep_hides_nothing() {
        let feed = |inner: &str| {
            let (begin, end) = (r#"[{"a":"#.repeat(200), "}]".repeat(200));
            let version = "https://jsonfeed.org/version/1.1";
            read(&format!(r#"{{"version": "{version}", "_x": {begin}{inner}{end}, "items": [{{"url": "/1"}}]}}"#))
        };
        let parsed = feed(r#""]\"}""#);
        assert_eq!((parsed.kind, parsed.links.len(), parsed.breaks_off), (Kind::Feed, 1, false));
        assert_ne!(feed("1").text, feed("2").text);
    }

    #[test]
    fn a_feed_of_numbers_does_not_grow_much() {
        let feed = format!(r#"{{"version": "https://jsonfeed.org/version/1.1", "_x": [0{}]}}"#, ",1".repeat(1000));
        assert!(read(&feed).text.len() < 3 * feed.len());
    }

    #[test]
    fn what_only_begins_as_one_is_text() {
        let parsed = read(&FEED[..FEED.len() - 9]);
        assert_eq!((parsed.kind, parsed.links.len(), parsed.breaks_off), (Kind::Text, 0, true));
    }

    #[test]
    fn hostile_documents_are_read_in_linear_time() {
        let version = r#"{"version": "https://jsonfeed.org/version/1.1", "x": "#;
        for deep in ["[", "{\"a\":", "[{\"a\":"] {
            assert!(read(&format!("{version}{}", deep.repeat(300_000))).breaks_off);
        }
        read(&"{\"version\":".repeat(300_000));
    }
}
