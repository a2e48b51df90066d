//! What a site says about itself: robots.txt, the sitemap and the feed.

use std::fmt::Write;

use revisit::Time;

use super::render::{escaped, title};
use super::script::{Answer, Sitemap};
use super::truth::Truth;

/// A feed has this many entries at most.
const ENTRIES: usize = 20;
/// The sitemap protocol allows no more.
const SITEMAP_URLS: usize = 50_000;

/// The robots.txt of a site, if it has one.
pub(super) fn robots(truth: &Truth, site: usize) -> Option<String> {
    let site = &truth.sites[site];
    let mut text = site.robots.clone();
    if site.sitemap != Sitemap::Absent {
        let line = format!("\nSitemap: http://{}/sitemap.xml\n", site.host);
        text.get_or_insert_default().push_str(&line);
    }
    text
}

/// The sitemap of a site, if it has one: the articles it has now, without those that robots.txt forbids.
pub(super) fn sitemap(truth: &Truth, site: usize, now: Time) -> Option<String> {
    let kind = truth.sites[site].sitemap;
    let mut xml =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
            .to_owned();
    for (number, began) in articles(truth, site, now).into_iter().take(SITEMAP_URLS) {
        let lastmod = date(if kind == Sitemap::Lying { now } else { began });
        let lastmod = if kind == Sitemap::Days { &lastmod[.."2026-01-05".len()] } else { &lastmod };
        let url = escaped(&truth.subjects[number].url);
        let _ = writeln!(xml, "<url><loc>{url}</loc><lastmod>{lastmod}</lastmod></url>");
    }
    xml.push_str("</urlset>\n");
    (kind != Sitemap::Absent).then_some(xml)
}

/// The Atom feed of a site, if it has one: the latest new or changed articles, latest first.
pub(super) fn feed(truth: &Truth, site: usize, now: Time) -> Option<String> {
    let owner = &truth.sites[site];
    let mut articles = articles(truth, site, now);
    articles.sort_by_key(|(number, began)| (std::cmp::Reverse(*began), *number));
    let host = &owner.host;
    let updated = date(articles.first().map_or(now, |(_, began)| *began));
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>{host}</title><id>http://{host}/</id><updated>{updated}</updated><author><name>{host}</name></author>\n\
         <link rel=\"self\" href=\"http://{host}/feed.xml\"/>\n"
    );
    for (number, began) in articles.into_iter().take(ENTRIES) {
        let subject = &truth.subjects[number];
        let (url, title, updated) = (escaped(&subject.url), title(truth, subject), date(began));
        let _ = writeln!(
            xml,
            "<entry><title>{title}</title><link href=\"{url}\"/><id>{url}</id><updated>{updated}</updated></entry>"
        );
    }
    xml.push_str("</feed>\n");
    owner.feed.then_some(xml)
}

/// The allowed articles that exist now, with the time since which they are as they are.
fn articles(truth: &Truth, site: usize, now: Time) -> Vec<(usize, Time)> {
    let listed = |number: &usize| {
        let subject = &truth.subjects[*number];
        subject.allowed && subject.page.answer == Answer::Article
    };
    let current = |number| truth.current(number, now).map(|(_, began)| (number, began));
    truth.subjects_of(site).filter(listed).filter_map(current).collect()
}

/// A time as sitemaps and feeds write it (RFC 3339).
fn date(at: Time) -> String {
    jiff::Timestamp::from_second(at.secs()).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::living::{Changes, Page, Script, Site};
    use quick_xml::events::Event;
    use revisit::Span;

    fn truth(sitemap: Sitemap) -> (Truth, Time) {
        let script = Script::new(1);
        let start = script.begins();
        let site = Site::new("a.test")
            .robots("User-agent: *\nDisallow: /private/\n")
            .sitemap(sitemap)
            .feed()
            .page(Page::new("/a?x=1&y=2").changes(Changes::At(vec![start + Span::HOUR])))
            .page(Page::new("/late").appears(start + Span::DAY))
            .page(Page::new("/private/x"));
        (Truth::new(script.site(site)), start)
    }

    /// The texts of the elements of a name, from a document that must be well formed.
    fn texts(xml: &str, name: &str) -> Vec<String> {
        let mut reader = quick_xml::Reader::from_str(xml);
        reader.config_mut().check_end_names = true;
        let (mut texts, mut inside) = (Vec::new(), false);
        loop {
            match reader.read_event().unwrap() {
                Event::Start(tag) => {
                    inside = tag.name().as_ref() == name;
                    texts.extend(inside.then(String::new));
                }
                Event::End(_) => inside = false,
                Event::Text(text) if inside => texts.last_mut().unwrap().push_str(&text),
                Event::GeneralRef(entity) if inside => texts.last_mut().unwrap().push_str(&format!("&{};", &*entity)),
                Event::Eof => return texts,
                _ => {}
            }
        }
    }

    #[test]
    fn robots_name_the_sitemap() {
        let (truth, _) = truth(Sitemap::Honest);
        let text = robots(&truth, 0).unwrap();
        assert!(text.contains("Disallow: /private/\n") && text.ends_with("\nSitemap: http://a.test/sitemap.xml\n"));
        assert_eq!(robots(&Truth::new(Script::new(1).site(Site::new("b.test"))), 0), None);
    }

    #[test]
    fn the_sitemap_lists_what_exists_and_is_allowed() {
        let (truth, start) = truth(Sitemap::Honest);
        let xml = sitemap(&truth, 0, start + Span::HOUR).unwrap();
        assert_eq!(texts(&xml, "loc"), ["http://a.test/", "http://a.test/a?x=1&amp;y=2"]);
        assert_eq!(texts(&xml, "lastmod"), ["2026-01-05T00:00:00Z", "2026-01-05T01:00:00Z"]);
        assert_eq!(texts(&sitemap(&truth, 0, start + Span::DAY).unwrap(), "loc").len(), 3);
    }

    #[test]
    fn a_sitemap_of_days_says_no_time_of_day() {
        let (truth, start) = truth(Sitemap::Days);
        let xml = sitemap(&truth, 0, start + Span::HOUR * 5.0).unwrap();
        assert!(texts(&xml, "lastmod").iter().all(|date| date == "2026-01-05"), "{xml}");
    }

    #[test]
    fn a_lying_sitemap_says_now() {
        let (truth, start) = truth(Sitemap::Lying);
        let xml = sitemap(&truth, 0, start + Span::HOUR * 5.0).unwrap();
        assert!(texts(&xml, "lastmod").iter().all(|date| date == "2026-01-05T05:00:00Z"));
    }

    #[test]
    fn the_feed_begins_with_the_latest() {
        let (truth, start) = truth(Sitemap::Absent);
        let xml = feed(&truth, 0, start + Span::DAY).unwrap();
        assert_eq!(texts(&xml, "id")[1..3], ["http://a.test/", "http://a.test/late"]);
        assert_eq!(texts(&xml, "title").len(), 4);
        assert_eq!(sitemap(&truth, 0, start), None);
    }
}
