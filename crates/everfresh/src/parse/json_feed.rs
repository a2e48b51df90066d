//! JSON Feed (versions 1 and 1.1): the items are links with a date, as in any other feed.

use serde::Deserialize;
use url::Url;

use super::links::Links;
use super::text::Collapsed;
use super::{Kind, Parsed, collapse, dates, html_text};

const MAX_ITEMS: usize = 10_000;

/// Whether a text begins as such a feed does: as an object that names its version.
pub(super) fn is_feed(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{') && text.contains("://jsonfeed.org/version/")
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Feed {
    title: Option<String>,
    home_page_url: Option<String>,
    next_url: Option<String>,
    items: Vec<Item>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Item {
    url: Option<String>,
    title: Option<String>,
    summary: Option<String>,
    content_text: Option<String>,
    content_html: Option<String>,
    date_published: Option<String>,
    date_modified: Option<String>,
}

/// Reads a feed found at `url`; one that is no JSON after all is text without links.
pub(super) fn parse(document: &str, charset: &'static str, url: &Url) -> Parsed {
    let Ok(feed) = serde_json::from_str::<Feed>(document.trim_start_matches('\u{feff}')) else {
        let parsed = Parsed::plain(Kind::Text, charset, collapse(document), url);
        return Parsed { breaks_off: true, ..parsed };
    };
    let mut links = Links::new(url.clone(), MAX_ITEMS);
    let mut text = Collapsed::with_capacity(document.len() / 2);
    text.push(feed.title.as_deref().unwrap_or_default().as_bytes());
    feed.home_page_url.iter().chain(&feed.next_url).for_each(|target| links.add(target, false, None));
    for item in &feed.items {
        let date = |written: &Option<String>| written.as_deref().and_then(dates::parse);
        if let Some(target) = &item.url {
            links.add(target, false, date(&item.date_modified).max(date(&item.date_published)));
        }
        let html = item.content_html.as_deref().map(html_text);
        for piece in [&item.title, &item.summary, &item.content_text, &html].into_iter().flatten() {
            text.separate();
            text.push(piece.as_bytes());
        }
    }
    Parsed::list(Kind::Feed, charset, text.finish(), links, url)
}

#[cfg(test)]
mod tests {
    use revisit::Time;

    use super::*;

    const FEED: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "next_url": "/2",
        "items": [{"id": "1", "url": "/a", "title": "One", "content_html": "<p>first &amp; best</p>",
                   "date_published": "2024-03-01T12:00:00Z"},
                  {"id": 2, "url": "http://b.org/", "content_text": "two", "date_modified": "2024-03-01T13:00:00Z"}]}"#;

    #[test]
    fn items_are_links_with_dates() {
        let parsed =
            super::super::parse(FEED.as_bytes(), Some("application/feed+json"), &Url::parse("http://a.org/f").unwrap());
        assert_eq!((parsed.kind, parsed.text.as_str()), (Kind::Feed, "News One first & best two"));
        let found: Vec<_> = parsed.links.iter().map(|link| (link.url.as_str(), link.last_modified)).collect();
        let at = |seconds| Some(Time::from_secs(seconds));
        let expected =
            [("http://a.org/2", None), ("http://a.org/a", at(1_709_294_400)), ("http://b.org/", at(1_709_298_000))];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_only_begins_as_one_is_text() {
        let cut = &FEED[..FEED.len() - 9];
        let parsed =
            super::super::parse(cut.as_bytes(), Some("application/json"), &Url::parse("http://a.org/").unwrap());
        assert_eq!((parsed.kind, parsed.links.len(), parsed.breaks_off), (Kind::Text, 0, true));
        assert!(!is_feed("{\"version\": 1}") && !is_feed("see https://jsonfeed.org/version/1"));
    }
}
