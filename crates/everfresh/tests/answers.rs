//! What servers answer besides a page and a 404: which answers are versions, which leave the copy alone, and what is archived of
//! them. One crawl in stepped time asks every page again and again, and the server says something else each time.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::HashMap;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Mutex;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::parse::scope::Mode;
use everfresh::pipeline::{self, Goal, Limits, add_seeds};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store::{self, CaptureEntry, Opening, VisitEntry};
use everfresh::units::Duration;
use flate2::Compression;
use revisit::Time;
use support::archive::assert_consistent;
use support::collection::{new_collection_of, visits};
use support::judged::Judged;
use support::scripted::{Asked, Scripted, Told};
use tempfile::TempDir;
use url::Url;

const HTML: &str = "text/html";

/// A server whose pages know how often they were asked, from 1.
fn server(answer: impl Fn(&str, usize) -> Told + Send + Sync + 'static) -> Scripted {
    let asked: Mutex<HashMap<String, usize>> = Mutex::default();
    Scripted::start(move |request: &Asked| {
        let path = request.url.path().to_owned();
        let mut asked = asked.lock().unwrap();
        let times = asked.entry(path.clone()).or_default();
        *times += 1;
        answer(&path, *times)
    })
}

fn config(address: SocketAddr, mode: Mode) -> Config {
    let mut config = Config::default();
    config.schedule.policy = "age".into();
    config.fetch.delay = Duration::secs(0);
    config.fetch.allow_private = true;
    config.fetch.resolve = [("a.test".to_owned(), address.to_string())].into();
    config.scope.mode = mode;
    config
}

/// Crawls these paths of a server, cycle after cycle, until so many visits are made.
async fn crawl(server: &Scripted, mode: Mode, paths: &[&str], max_visits: u64) -> TempDir {
    let clock = Clock::stepped(Time::from_secs(1_790_000_000));
    let config = config(server.address, mode);
    let seeds: Vec<Url> = paths.iter().map(|path| url(path)).collect();
    let folder = new_collection_of(&config, &[], clock.now());
    add_seeds(store::open(folder.path(), Opening::default()).unwrap().as_mut(), &seeds, 1.0, clock.now()).unwrap();
    let (_trigger, shutdown) = Shutdown::new();
    let limits = Limits { goal: Goal::Forever, max_visits: Some(max_visits) };
    let settings = Settings::resolve(config).unwrap();
    pipeline::run(&Collection::at(folder.path()), settings, clock, limits, shutdown, |_| {}).await.unwrap();
    assert_consistent(folder.path());
    folder
}

fn url(path: &str) -> Url {
    Url::parse("http://a.test").unwrap().join(path).unwrap()
}

/// The visits of one page.
fn history(folder: &TempDir, path: &str) -> Vec<VisitEntry> {
    visits(folder.path()).into_iter().filter(|visit| visit.url == url(path).as_str()).collect()
}

/// The first visits of one page as outcome and rule.
fn told(folder: &TempDir, path: &str, most: usize) -> Vec<String> {
    let visits = history(folder, path).into_iter().take(most);
    visits.map(|visit| format!("{} {}", visit.outcome, visit.rule)).collect()
}

/// What the archive holds of one page.
fn captures(folder: &TempDir, path: &str) -> Vec<CaptureEntry> {
    let store = store::reader(folder.path()).unwrap();
    let files = store.files().unwrap().into_iter();
    let captures = files.flat_map(|row| support::archive::captures(store.as_ref(), row.file.id));
    captures.filter(|capture| capture.url == url(path).as_str()).collect()
}

fn packed(content: &[u8], level: Compression) -> Told {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
    encoder.write_all(content).unwrap();
    Told::new("image/png", encoder.finish().unwrap()).field("Content-Encoding", "gzip")
}

#[tokio::test(start_paused = true)]
async fn a_success_that_brings_no_whole_version_leaves_the_copy_alone() {
    let paths = ["/202", "/204", "/205", "/206", "/207", "/208", "/226", "/300", "/304", "/302"];
    let server = server(|path, times| {
        let page = Told::new(HTML, "<p>a version");
        match (times, path[1..].parse::<u16>().unwrap()) {
            (2, status @ (204 | 205 | 304)) => Told::new(HTML, "").status(status),
            (2, status) => Told::new(HTML, "<p>a ver").status(status),
            _ => page,
        }
    });
    let folder = crawl(&server, Mode::List, &paths, 10 * 4).await;
    for path in paths {
        assert_eq!(told(&folder, path, 3), ["first first", "failed status", "unchanged same-bytes"], "{path}");
        assert!(history(&folder, path)[1].file.is_none(), "{path}: no more than of any other status is archived");
    }
}

#[tokio::test(start_paused = true)]
async fn other_successes_are_versions_also_empty_ones() {
    let server = server(|path, times| match (path, times) {
        ("/203", 2) => Told::new(HTML, "<p>by a proxy").status(203),
        ("/299", 2) => Told::new(HTML, "<p>of a status nobody knows").status(299),
        ("/empty", 2) => Told::new(HTML, ""),
        _ => Told::new(HTML, "<p>a version"),
    });
    let paths = ["/203", "/299", "/empty"];
    let folder = crawl(&server, Mode::List, &paths, 3 * 3).await;
    for path in paths {
        let expected = ["first first", "changed text-differs", "changed text-differs"];
        assert_eq!(told(&folder, path, 3), expected, "{path}");
    }
}

fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

const FEED: &str = "<rss><channel><title>News</title><item><title>One</title><link>/1</link></item><item><title>Two</title>\
                    <link>/2</link></item></channel></rss>";
const SITEMAP: &str = "<urlset><url><loc>/1</loc></url><url><loc>/2</loc></url></urlset>";
const JSON_FEED: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "/1", "title": "One"}]}"#;
const TABLE: &str = "id,name\n1,\"a pen of gold and of silver\"\n2,\"a nib of gold and of silver\"\n";

#[tokio::test(start_paused = true)]
async fn what_breaks_off_is_no_change_and_neither_is_the_whole_of_it_again() {
    let paths = ["/feed", "/atom", "/sitemap.xml", "/feed.json", "/table.csv"];
    let server = server(|path, times| {
        // Each breaks off twice, at two places.
        let lost = [0, 24, 44, 0].get(times - 1).copied().unwrap_or_default();
        let cut = |whole: &str| whole[..whole.len() - lost].to_owned();
        match path {
            "/feed" => Told::new("application/rss+xml", cut(FEED)),
            "/atom" => Told::new(HTML, cut(&format!("<feed><!-- {times} --><title>News</title><updated/></feed>"))),
            "/sitemap.xml" => Told::new("application/xml", cut(SITEMAP)),
            "/feed.json" => Told::new("text/plain", cut(JSON_FEED)),
            _ => Told::new("text/csv", cut(TABLE)),
        }
    });
    let folder = crawl(&server, Mode::List, &paths, 5 * 5).await;
    for path in paths {
        // The comment of one of them counts its visits.
        let again = if path == "/atom" { "unchanged same-text" } else { "unchanged same-bytes" };
        assert_eq!(told(&folder, path, 4), ["first first", "failed unjudged", "failed unjudged", again], "{path}");
        let broken = history(&folder, path).swap_remove(1);
        assert!(broken.detail.unwrap().starts_with("nothing can be said of a change, since it "), "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn lists_change_with_all_they_say_and_what_only_looks_like_one_is_data() {
    let foaf = "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:rss='http://purl.org/rss/1.0/' \
                xmlns:f='http://xmlns.com/foaf/0.1/'><f:Person f:age='NUMBER'/></r:RDF>";
    let json_feed = r#"{"version": "https:\/\/jsonfeed.org\/version\/1.1", "items": [{"url": "/NUMBER"}]}"#;
    let json = r#"{"feeds": [{"spec": "https://jsonfeed.org/version/1.1", "count": NUMBER}]}"#;
    let (text, data) = ("changed text-differs", "changed data-differs");
    let pages = [
        ("/atom", "application/atom+xml", "<feed><entry><link href='/NUMBER'/></entry></feed>", text),
        ("/rss", "text/xml", "<rss><channel><item><enclosure url='/NUMBER'/></item></channel></rss>", text),
        ("/sitemap.xml", "text/xml", "<urlset><url><xhtml:link href='/NUMBER'/></url></urlset>", text),
        ("/feed.json", "application/feed+json", json_feed, text),
        ("/feeds", "application/json", json, data),
        ("/foaf", "application/rdf+xml", foaf, data),
        ("/shop", "application/xml", "<feed xmlns='urn:shop'><product price='NUMBER'/></feed>", data),
        ("/urls", "application/xml", "<urlset xmlns='urn:x'><x v='NUMBER'/></urlset>", data),
        ("/other", "application/xml", "<rss><x v='NUMBER'/></rss>", data),
    ];
    let server = server(move |path, times| {
        let (_, media_type, body, _) = pages.iter().find(|page| page.0 == path).unwrap();
        Told::new(media_type, body.replace("NUMBER", &times.to_string()))
    });
    let folder = crawl(&server, Mode::List, &pages.map(|page| page.0), 3 * 9).await;
    for (path, _, _, rule) in pages {
        assert_eq!(told(&folder, path, 2), ["first first", rule], "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_always_breaks_off_is_compared_by_what_could_be_read_of_it() {
    let server = server(|_, times| {
        let (seconds, more) = (times % 60, if times < 3 { "" } else { "<item><title>Two</title></item>" });
        let date = format!("<lastBuildDate>Fri, 01 Mar 2024 13:37:{seconds:02} GMT</lastBuildDate>");
        Told::new("application/rss+xml", format!("<rss><channel>{date}<item><title>One</title></item>{more}"))
    });
    let folder = crawl(&server, Mode::List, &["/feed"], 4).await;
    let expected = ["first first", "unchanged same-content", "changed bytes-differ", "unchanged same-content"];
    assert_eq!(told(&folder, "/feed", 4), expected);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_a_table_says_nothing_of_one() {
    let server = server(|_, times| match times {
        2 => Told::new("text/csv", gzipped(TABLE.as_bytes())),
        3 => Told::new("text/csv", "%PDF-1.7\n%\u{e2}\u{e3}\n1 0 obj\n"),
        _ => Told::new("text/csv", TABLE),
    });
    let folder = crawl(&server, Mode::List, &["/table"], 4).await;
    let expected = ["first first", "failed unjudged", "failed unjudged", "unchanged same-bytes"];
    assert_eq!(told(&folder, "/table", 4), expected);
}

#[tokio::test(start_paused = true)]
async fn what_is_sent_as_text_and_is_none_says_nothing_of_one() {
    const TEXT: &str = "<p>a page of gold and of silver</p>\n";
    let types =
        [("/page", HTML), ("/plain", "text/plain"), ("/xhtml", "application/xhtml+xml"), ("/style", "Text/CSS")];
    let server = server(move |path, times| {
        let media_type = types.iter().find(|(known, _)| *known == path).map_or("", |(_, media_type)| media_type);
        match times {
            2 => Told::new(media_type, gzipped(TEXT.as_bytes())),
            3 => Told::new(media_type, "%PDF-1.7\n%\u{e2}\u{e3}\n1 0 obj\n"),
            _ => Told::new(media_type, TEXT),
        }
    });
    let folder = crawl(&server, Mode::List, &types.map(|(path, _)| path), 4 * 3).await;
    for (path, _) in types {
        assert_eq!(told(&folder, path, 3), ["first first", "failed unjudged", "failed unjudged"], "{path}");
        let detail = history(&folder, path).swap_remove(1).detail.unwrap();
        assert!(detail.contains("and its bytes are no text"), "{detail}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_was_packed_for_a_day_did_not_change_twice() {
    let page = |times: usize| format!("<p>a page of gold and of silver</p>{}", " ".repeat(times));
    let server = server(move |path, times| match (path, times) {
        ("/always", _) => Told::new(HTML, gzipped(format!("<p>{times}").as_bytes())),
        (_, 2) => Told::new(HTML, gzipped(page(1).as_bytes())),
        ("/after", 3..) => Told::new(HTML, "<p>another page"),
        _ => Told::new(HTML, page(times)),
    });
    let folder = crawl(&server, Mode::List, &["/back", "/after", "/always"], 3 * 3).await;
    assert_eq!(told(&folder, "/back", 3), ["first first", "failed unjudged", "unchanged same-text"]);
    assert_eq!(told(&folder, "/after", 3), ["first first", "failed unjudged", "changed text-differs"]);
    assert_eq!(told(&folder, "/always", 3), ["first first", "changed bytes-differ", "changed bytes-differ"]);
}

#[tokio::test(start_paused = true)]
async fn the_body_of_a_404_is_archived_once() {
    let server = server(|_, times| match times {
        1 => Told::new(HTML, "<p>a version"),
        2..5 => Told::new(HTML, "<p>not found").status(404),
        _ => Told::new(HTML, "<p>no such page").status(410),
    });
    let folder = crawl(&server, Mode::List, &["/gone"], 6).await;
    assert_eq!(told(&folder, "/gone", 6), [&["first first"][..], &["gone gone"; 5]].concat());
    let held: Vec<(u16, bool)> =
        captures(&folder, "/gone").iter().map(|capture| (capture.status, capture.revisit)).collect();
    assert_eq!(held, [(200, false), (404, false), (404, true), (404, true), (410, false), (410, true)]);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_decoded_is_archived_and_said_so() {
    let junk = || Told::new(HTML, "no gzip at all").field("Content-Encoding", "gzip");
    let server = server(move |path, times| match (path, times) {
        ("/always", _) | ("/breaks", 2 | 3) => junk(),
        ("/unknown", _) => Told::new(HTML, format!("<p>read{}", " ".repeat(times))).field("Content-Encoding", "utf-8"),
        _ => Told::new(HTML, "<p>a version"),
    });
    let folder = crawl(&server, Mode::List, &["/always", "/breaks", "/unknown"], 3 * 6).await;
    assert_eq!(told(&folder, "/always", 2), ["first first", "unchanged same-bytes"]);
    let detail = history(&folder, "/always")[0].detail.clone().unwrap();
    assert!(detail.contains("judged by its bytes as sent: cannot decode"), "{detail}");
    assert_eq!(
        told(&folder, "/breaks", 4),
        ["first first", "failed decode", "failed decode", "unchanged same-bytes"],
        "nothing can be said of a change, and the copy stays"
    );
    let held: Vec<bool> = captures(&folder, "/breaks").iter().map(|capture| capture.revisit).take(4).collect();
    assert_eq!(held, [false, false, true, true]);
    assert_eq!(told(&folder, "/unknown", 2), ["first first", "unchanged same-text"]);
}

#[tokio::test(start_paused = true)]
async fn a_picture_that_is_packed_otherwise_is_the_same() {
    const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0 pixels pixels pixels pixels";
    let server = server(|_, times| match times {
        1 => packed(PICTURE, Compression::best()),
        2 => Told::new("image/png", PICTURE),
        3 => packed(PICTURE, Compression::none()),
        _ => packed(&[PICTURE, b"and one more"].concat(), Compression::best()),
    });
    let folder = crawl(&server, Mode::List, &["/picture"], 4).await;
    let expected = ["first first", "unchanged same-content", "unchanged same-content", "changed bytes-differ"];
    assert_eq!(told(&folder, "/picture", 4), expected);
}

#[tokio::test(start_paused = true)]
async fn all_fields_of_robots_tags_are_heeded_that_are_for_us() {
    let linking = |to: &str| Told::new(HTML, format!("<a href=/{to}>{to}</a>"));
    let server = server(move |path, _| match path {
        "/ours" => {
            linking("hidden").field("X-Robots-Tag", "otherbot: noindex").field("X-Robots-Tag", "everfresh: none")
        }
        "/theirs" => linking("seen").field("X-Robots-Tag", "otherbot: noindex, nofollow"),
        _ => Told::new(HTML, "<p>a page"),
    });
    let folder = crawl(&server, Mode::Host, &["/ours", "/theirs"], 6).await;
    assert_eq!([history(&folder, "/hidden").len(), history(&folder, "/seen").len().min(1)], [0, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_circle_of_redirects_that_was_broken_is_none() {
    let server = server(|path, times| match (path, times) {
        ("/a", _) => Told::new(HTML, "").status(302).field("Location", "/b"),
        ("/b", 1) => Told::new(HTML, "").status(302).field("Location", "/a"),
        _ => Told::new(HTML, "<p>a page"),
    });
    let folder = crawl(&server, Mode::Host, &["/a", "/b"], 12).await;
    let (a, b) = (told(&folder, "/a", 20), told(&folder, "/b", 20));
    assert_eq!(
        (&*a[0], &b[..2]),
        ("first redirect", &["failed redirect-loop".to_owned(), "first first".to_owned()][..])
    );
    assert_eq!(a.last().unwrap(), "unchanged redirect", "{a:?}");
}

/// A collection of one server that begins with its front page.
fn collection(server: &Scripted) -> Judged {
    let judged = Judged::new(&[("a.test".into(), server.address)]);
    judged.printed(&["add", "http://a.test/"]);
    judged
}

#[test]
fn what_guards_leave_out_is_counted_and_can_be_let_in() {
    let long = "x".repeat(3000);
    let server = server(move |path, times| match path {
        "/" => Told::new(
            HTML,
            format!(
                "<p>{times}<a href=/1969/07/20/><a href=/1969/07/21/><a href=/a/b/a/b/a/b/><a href=/{long}><a href=/ok>"
            ),
        ),
        _ => Told::new(HTML, "<p>a page"),
    });
    let judged = collection(&server);
    let left_out = || {
        let status = judged.json(&["status"]);
        let rows = status["left_out"].as_array().unwrap().iter();
        let row =
            |row: &serde_json::Value| (row["reason"].as_str().unwrap().to_owned(), row["links"].as_u64().unwrap());
        rows.map(row).collect::<Vec<_>>()
    };
    judged.printed(&["run", "--until-idle"]);
    let row = |reason: &str, links| (reason.to_owned(), links);
    assert_eq!(left_out(), [row("calendar", 2), row("long-url", 1), row("repeated-path", 1)]);
    judged.printed(&["run", "--until-idle", "--set", "scope.allow=[\"/1969/\"]"]);
    assert_eq!(left_out(), [row("calendar", 2), row("long-url", 2), row("repeated-path", 2)], "over all runs");
    let found: Vec<String> = judged.exported("pages").iter().map(|page| page["url"].to_string()).collect();
    assert!(found.contains(&"\"http://a.test/1969/07/20/\"".to_owned()), "{found:?}");
    let text = judged.printed(&["status"]);
    assert!(text.contains("Left out 2 times a link such as http://a.test/1969/07/20/: date of an endless"), "{text}");
    assert!(text.contains("a pattern in scope.allow lets it in"), "{text}");
}

#[test]
fn what_is_beyond_a_limit_is_left_out_by_name() {
    let server = server(|path, _| match path {
        "/" => Told::new(HTML, "<a href=/1><a href=/2><a href=/3>"),
        _ => Told::new(HTML, format!("<a href={path}/deeper>")),
    });
    let judged = collection(&server).with(&["scope.max_depth=1", "scope.max_pages_per_host=3"]);
    judged.printed(&["run", "--until-idle"]);
    let expected = serde_json::json!([
        { "reason": "depth", "links": 2, "example": "http://a.test/2/deeper" },
        { "reason": "pages-of-host", "links": 1, "example": "http://a.test/3" },
    ]);
    assert_eq!(judged.json(&["status"])["left_out"], expected);
}

#[test]
fn media_types_are_indexed_in_the_letters_in_which_they_came() {
    let server = server(|_, _| Told::new("Text/HTML; charset=utf-8", "<p>a page"));
    let judged = collection(&server);
    judged.printed(&["run", "--until-idle"]);
    assert!(judged.index_lines()[0].contains(r#""mime":"Text/HTML""#), "{:?}", judged.index_lines());
}
