//! Bytes that came before under another head, or were read by other filters and rules, are read again, and no change is lost by it.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::HashMap;
use std::io::Write;
use std::sync::Mutex;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::parse::scope::Mode;
use everfresh::pipeline::{self, Goal, Limits, add_seeds};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::store::{self, Opening};
use everfresh::units::Duration;
use revisit::{Span, Time};
use support::archive::assert_consistent;
use support::collection::{new_collection_of, visits};
use support::scripted::{Asked, Scripted, Told};
use tempfile::TempDir;
use url::Url;

const HTML: &str = "text/html";
const BEGUN: Time = Time::from_secs(1_790_000_000);

/// A server whose pages know how often they were asked, from 1.
fn server(answer: impl Fn(&Asked, usize) -> Told + Send + Sync + 'static) -> Scripted {
    let asked: Mutex<HashMap<String, usize>> = Mutex::default();
    Scripted::start(move |request: &Asked| {
        let mut asked = asked.lock().unwrap();
        let times = asked.entry(request.url.path().to_owned()).or_default();
        *times += 1;
        answer(request, *times)
    })
}

fn url(path: &str) -> Url {
    Url::parse("http://a.test").unwrap().join(path).unwrap()
}

/// A collection that is crawled again and again under settings that change.
struct Watched {
    folder: TempDir,
    config: Config,
    days: i64,
}

impl Watched {
    fn new(server: &Scripted, mode: Mode, paths: &[&str]) -> Watched {
        let mut config = Config::default();
        config.schedule.policy = "age".into();
        config.fetch.delay = Duration::secs(0);
        config.fetch.allow_private = true;
        config.fetch.resolve = [("a.test".to_owned(), server.address.to_string())].into();
        config.scope.mode = mode;
        let folder = new_collection_of(&config, &[], BEGUN);
        let seeds: Vec<Url> = paths.iter().map(|path| url(path)).collect();
        add_seeds(store::open(folder.path(), Opening::default()).unwrap().as_mut(), &seeds, 1.0, BEGUN).unwrap();
        Watched { folder, config, days: 0 }
    }

    /// Makes so many visits, a week after those before.
    async fn crawl(&mut self, visits: u64) {
        let clock = Clock::stepped(BEGUN + Span::from_secs(7 * 86_400 * self.days));
        self.days += 1;
        let (_trigger, shutdown) = Shutdown::new();
        let limits = Limits { goal: Goal::Forever, max_visits: Some(visits) };
        let settings = Settings::resolve(self.config.clone()).unwrap();
        let collection = Collection::at(self.folder.path());
        pipeline::run(&collection, settings, clock, limits, shutdown, |_| {}).await.unwrap();
        assert_consistent(self.folder.path());
    }

    /// The visits of one page as outcome and rule.
    fn told(&self, path: &str) -> Vec<String> {
        let visits = visits(self.folder.path()).into_iter().filter(|visit| visit.url == url(path).as_str());
        visits.map(|visit| format!("{} {}", visit.outcome, visit.rule)).collect()
    }
}

/// A page with a tag, which is not sent to who has it.
fn tagged(asked: &Asked, tag: &str, media_type: &str, body: &str) -> Told {
    let is_held = asked.headers.get("if-none-match").is_some_and(|held| held == tag);
    let told = if is_held { Told::new(media_type, "").status(304) } else { Told::new(media_type, body) };
    told.field("ETag", tag)
}

#[tokio::test(start_paused = true)]
async fn a_change_after_filters_changed_is_seen_however_many_visits_lie_between() {
    const PAGES: [(&str, &str, &str); 5] = [
        ("/page", HTML, "<p>VERSION</p><i class=clock>1</i>"),
        ("/tagged", HTML, "<p>VERSION</p><i class=clock>1</i>"),
        ("/plain", "text/plain", "a text, VERSION"),
        ("/feed", "application/rss+xml", "<rss><channel><item><title>VERSION</title></item></channel></rss>"),
        ("/data.json", "application/json", "{\"a\": \"VERSION\"}"),
    ];
    let server = server(|asked, times| {
        let (path, media_type, body) = PAGES.iter().find(|page| page.0 == asked.url.path()).unwrap();
        let version = if times < 5 { "one" } else { "two" };
        let body = body.replace("VERSION", version);
        if *path == "/tagged" { tagged(asked, version, media_type, &body) } else { Told::new(media_type, body) }
    });
    let mut watched = Watched::new(&server, Mode::List, &PAGES.map(|page| page.0));
    watched.crawl(5).await;
    watched.config.detect.drop.push(".clock".into());
    watched.config.detect.ignore.push("x+".into());
    watched.config.data.ignore.push("$.nothing".into());
    for _ in 0..4 {
        watched.crawl(5).await;
    }
    for (path, ..) in PAGES {
        let told = watched.told(path);
        let later = if path == "/tagged" { "unchanged not-modified" } else { "unchanged same-bytes" };
        assert_eq!(told[..4], ["first first", "unchanged same-bytes", later, later], "{path}");
        assert!(told[4].starts_with("changed "), "{path}: {told:?}");
    }
    let conditions = server.log().into_iter().filter(|asked| asked.url.path() == "/tagged");
    let conditions: Vec<bool> = conditions.map(|asked| asked.headers.contains_key("if-none-match")).collect();
    assert_eq!(conditions, [false, false, true, true, true], "who has to read it again asks for it whole");
}

#[tokio::test(start_paused = true)]
async fn bytes_that_come_under_another_head_are_read_again() {
    let link = |name: &str| format!("<html><a href=/found-{name}>x</a>");
    let packed = |body: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(body.as_bytes()).unwrap();
        Told::new(HTML, encoder.finish().unwrap())
    };
    let server = server(move |asked, times| match (asked.url.path(), times) {
        ("/type", 1) => Told::new("text/plain", link("type")),
        ("/type", _) => Told::new(HTML, link("type")),
        ("/robots", 1) => Told::new(HTML, link("robots")).field("X-Robots-Tag", "nofollow"),
        ("/robots", _) => Told::new(HTML, link("robots")),
        ("/charset", 1) => Told::new("text/html; charset=iso-8859-1", link("\u{e9}")),
        ("/charset", _) => Told::new("text/html; charset=utf-8", link("\u{e9}")),
        ("/coding", 1) => packed(&link("coding")),
        ("/coding", _) => packed(&link("coding")).field("Content-Encoding", "gzip"),
        _ => Told::new(HTML, "<p>found"),
    });
    let pages = ["/type", "/robots", "/charset", "/coding"];
    let mut watched = Watched::new(&server, Mode::Host, &pages);
    watched.crawl(4).await;
    for found in ["/found-type", "/found-robots", "/found-%C3%A9", "/found-coding"] {
        assert_eq!(watched.told(found), Vec::<String>::new());
    }
    for _ in 0..6 {
        watched.crawl(5).await;
    }
    for page in pages {
        assert_eq!(watched.told(page)[..3], ["first first", "unchanged same-bytes", "unchanged same-bytes"], "{page}");
    }
    for found in ["/found-type", "/found-robots", "/found-%C3%A9", "/found-coding"] {
        assert_eq!(watched.told(found).first().map(String::as_str), Some("first first"), "{found}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_judged_is_never_called_unchanged() {
    let server = server(|asked, times| match times {
        2 | 3 => tagged(asked, "broken", "application/json", "{\"a\":"),
        4 => tagged(asked, "whole", "application/json", "{\"a\": 1}"),
        5 => tagged(asked, "other", "application/json", "{\"a\": 2}"),
        _ => tagged(asked, "whole", "application/json", "{\"a\": 1}"),
    });
    let mut watched = Watched::new(&server, Mode::List, &["/data.json"]);
    for _ in 0..5 {
        watched.crawl(1).await;
    }
    let expected =
        ["first first", "failed unjudged", "failed unjudged", "unchanged not-modified", "changed data-differs"];
    assert_eq!(watched.told("/data.json"), expected);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_redirects_to_its_own_url_in_another_spelling_is_had() {
    let elsewhere = |to: &str| Told::new(HTML, "").status(302).field("Location", to);
    let server = server(move |asked, _| match &asked.url[url::Position::BeforePath..] {
        "/~u" => elsewhere("/%7Eu"),
        "/q" => elsewhere("/q?"),
        "/session" => elsewhere("/session?PHPSESSID=8f1ac0d9e7b6a5f4c3d2e1f0a9b8c7d6"),
        "/circle" => elsewhere("/circle?"),
        "/circle?" => elsewhere("/circle"),
        _ => Told::new(HTML, "<p>a page"),
    });
    let paths = ["/~u", "/q", "/session", "/circle"];
    let mut watched = Watched::new(&server, Mode::Host, &paths);
    watched.crawl(4).await;
    watched.crawl(4).await;
    for path in &paths[..3] {
        assert_eq!(watched.told(path)[..2], ["first first", "unchanged same-bytes"], "{path}");
    }
    assert_eq!(watched.told("/circle")[0], "failed redirect-loop");
}

#[tokio::test(start_paused = true)]
async fn data_is_judged_by_what_it_says_whatever_patterns_text_has() {
    let server = server(|asked, times| match (asked.url.path(), times) {
        ("/order.json", 1) => Told::new("application/json", "{\"a\": 1, \"b\": 2}"),
        ("/order.json", _) => Told::new("application/json", "{\"b\": 2, \"a\": 1}"),
        ("/nodes.ttl", 1) => Told::new("text/turtle", "<urn:a> <urn:b> _:x ."),
        ("/nodes.ttl", _) => Told::new("text/turtle", "<urn:a> <urn:b> _:y ."),
        (_, 1) => Told::new("text/csv", "a,b\n1,2\n"),
        _ => Told::new("text/csv", "\"a\",\"b\"\r\n\"1\",\"2\"\r\n"),
    });
    let paths = ["/order.json", "/nodes.ttl", "/quotes.csv"];
    let mut watched = Watched::new(&server, Mode::List, &paths);
    watched.config.detect.ignore.push("[0-9]+ visitors".into());
    watched.crawl(3).await;
    watched.crawl(3).await;
    for path in paths {
        assert_eq!(watched.told(path), ["first first", "unchanged same-data"], "{path}");
    }
}
