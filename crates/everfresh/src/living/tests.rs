//! The living web as a client meets it: over a real socket, with a clock moved by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use http::header::{self, HeaderMap};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use revisit::{Span, Time};
use tokio::net::TcpStream;

use super::{Answer, Changes, LivingWeb, Noise, Page, Script, Site, Sitemap, Validators};

/// A living web, a clock to turn, and a connection to it.
struct Visit {
    web: LivingWeb,
    now: Arc<AtomicI64>,
    connection: SendRequest<Empty<Bytes>>,
}

struct Got {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

impl Visit {
    async fn to(script: Script) -> Visit {
        let now = Arc::new(AtomicI64::new(script.begins().millis()));
        let hand = Arc::clone(&now);
        let web = LivingWeb::start_told(script, move || Time::from_millis(hand.load(Ordering::SeqCst))).await.unwrap();
        let stream = TcpStream::connect(web.address()).await.unwrap();
        let (connection, driver) = handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(driver);
        Visit { web, now, connection }
    }

    fn later(&self, span: Span) -> Time {
        Time::from_millis(self.now.fetch_add(span.millis(), Ordering::SeqCst)) + span
    }

    async fn get(&mut self, url: &str, headers: &[(&str, &str)]) -> Got {
        let url = url::Url::parse(url).unwrap();
        let path = &url[url::Position::BeforePath..];
        let request = http::Request::get(path).header(header::HOST, url.host_str().unwrap());
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        self.connection.ready().await.unwrap();
        let (parts, body) =
            self.connection.send_request(request.body(Empty::new()).unwrap()).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Got { status: parts.status.as_u16(), headers: parts.headers, body }
    }
}

impl Got {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    fn text(&self) -> String {
        self.body.iter().copied().map(char::from).collect()
    }

    /// The page without the lines that are noise by their class.
    fn without_noise(&self) -> String {
        let noisy = |line: &&str| {
            ["clock", "token", "counter"].iter().any(|class| line.contains(&format!("class=\"{class}\"")))
        };
        self.text().lines().filter(|line| !noisy(line)).collect()
    }
}

#[tokio::test]
async fn what_is_served_changes_when_the_truth_does_and_only_then() {
    let mut visit = Visit::to(Script::demo(11)).await;
    let truth = Arc::clone(visit.web.truth());
    let articles = truth.pages().filter(|page| *page.answer == Answer::Article);
    // The slow, the failing and the impatient ones are of the shop.
    let urls: Vec<&str> = articles.map(|page| page.url).filter(|url| !url.contains("//shop.")).collect();
    let mut seen = vec![None; urls.len()];
    for _ in 0..12 {
        let now = visit.later(Span::HOUR * 7.0);
        for (url, seen) in urls.iter().zip(&mut seen) {
            let got = visit.get(url, &[]).await;
            let version = truth.version_at(url, now);
            assert_eq!(got.status, if version.is_some() { 200 } else { 404 }, "{url}");
            let current = Some((version, got.without_noise()));
            if let (Some((old, before)), Some((new, after))) = (&*seen, &current) {
                assert_eq!(old == new, before == after, "{url} in versions {old:?} and {new:?}");
            }
            *seen = current;
        }
    }
}

#[tokio::test]
async fn validators_save_the_body_until_the_next_change() {
    let script = Script::new(1);
    let change = script.begins() + Span::HOUR;
    let kinds = [Validators::Both, Validators::EntityTag, Validators::LastModified];
    let pages = kinds.map(|kind| Page::new(&format!("/{kind:?}")).validators(kind).changes(Changes::At(vec![change])));
    let mut visit = Visit::to(script.site(Site::new("a.test").pages(pages))).await;
    for kind in kinds {
        visit.now.store((change - Span::HOUR).millis(), Ordering::SeqCst);
        let url = format!("http://a.test/{kind:?}");
        let first = visit.get(&url, &[]).await;
        let (tag, date) = (first.header("etag").to_owned(), first.header("last-modified").to_owned());
        let known: Vec<(&str, &str)> = [("if-none-match", &*tag), ("if-modified-since", &*date)]
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect();
        assert_eq!(known.len(), if kind == Validators::Both { 2 } else { 1 });
        let second = visit.get(&url, &known).await;
        assert_eq!((second.status, second.body.len()), (304, 0), "{kind:?}");
        visit.later(Span::HOUR);
        assert_eq!(visit.get(&url, &known).await.status, 200, "{kind:?}");
    }
    assert_eq!(visit.web.log().iter().filter(|request| request.conditional).count(), 6);
}

#[tokio::test]
async fn noise_is_in_every_answer() {
    let page = Page::new("/").noise(Noise { clock: true, token: true, counter: true }).gzip();
    let mut visit = Visit::to(Script::new(1).site(Site::new("a.test").page(page))).await;
    let first = visit.get("http://a.test/", &[]).await;
    let second = visit.get("http://a.test/", &[]).await;
    assert_ne!(first.body, second.body);
    assert_eq!(first.without_noise(), second.without_noise());
}

#[tokio::test]
async fn gzip_is_sent_to_those_who_accept_it() {
    let mut visit = Visit::to(Script::new(1).site(Site::new("a.test").page(Page::new("/").gzip()))).await;
    let plain = visit.get("http://a.test/", &[]).await;
    let packed = visit.get("http://a.test/", &[("accept-encoding", "br, gzip")]).await;
    assert_eq!((plain.header("content-encoding"), packed.header("content-encoding")), ("", "gzip"));
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*packed.body), &mut unpacked).unwrap();
    assert_eq!(plain.body, unpacked);
}

#[tokio::test]
async fn sites_have_their_habits() {
    let site = Site::new("a.test")
        .robots("User-agent: *\nDisallow: /private\n")
        .sitemap(Sitemap::Honest)
        .page(Page::new("/moved").redirects(301, "/"))
        .page(Page::new("/gone").fails(410))
        .page(Page::new("/old-letters").latin1())
        .page(Page::new("/down").failing(1.0));
    let mut visit = Visit::to(Script::new(1).site(site)).await;
    let moved = visit.get("http://a.test/moved", &[]).await;
    assert_eq!((moved.status, moved.header("location")), (301, "/"));
    for (path, status) in
        [("gone", 410), ("down", 500), ("nowhere", 404), ("robots.txt", 200), ("sitemap.xml", 200), ("feed.xml", 404)]
    {
        assert_eq!(visit.get(&format!("http://a.test/{path}"), &[]).await.status, status, "{path}");
    }
    let old = visit.get("http://a.test/old-letters", &[]).await;
    assert_eq!(old.header("content-type"), "text/html");
    assert!(std::str::from_utf8(&old.body).is_err());
    assert_eq!(visit.get("http://b.test/", &[]).await.status, 404);
    assert_eq!(visit.get("http://a.test/", &[]).await.header("date"), "Mon, 05 Jan 2026 00:00:00 GMT");
}

#[tokio::test]
async fn an_impatient_client_is_told_to_wait() {
    let mut visit = Visit::to(Script::new(1).site(Site::new("a.test").no_faster_than(Span::from_secs(2)))).await;
    assert_eq!(visit.get("http://a.test/", &[]).await.status, 200);
    visit.later(Span::from_millis(1_999));
    let refused = visit.get("http://a.test/", &[]).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "2"));
    visit.later(Span::from_millis(1));
    assert_eq!(visit.get("http://a.test/", &[]).await.status, 200);
}

#[tokio::test]
async fn the_log_is_complete() {
    let mut visit = Visit::to(Script::new(1).site(Site::new("a.test").page(Page::new("/q?x=1")))).await;
    for path in ["/", "/q?x=1", "/nowhere", "/robots.txt"] {
        visit.get(&format!("http://a.test{path}"), &[("user-agent", "tester/1")]).await;
        visit.later(Span::MINUTE);
    }
    let log = visit.web.log();
    let lines: Vec<_> = log.iter().map(|line| (line.path.as_str(), line.status, line.version)).collect();
    assert_eq!(
        lines,
        [("/", 200, Some(0)), ("/q?x=1", 200, Some(0)), ("/nowhere", 404, None), ("/robots.txt", 404, None)]
    );
    assert!(log.iter().all(|line| line.host == "a.test" && line.user_agent == "tester/1" && !line.conditional));
    assert!(log.windows(2).all(|pair| pair[1].at - pair[0].at == Span::MINUTE));
    assert!(log.iter().all(|line| line.answered == Some(line.at)), "{log:?}");
}

#[tokio::test]
async fn every_page_can_be_reached_from_its_front_page() {
    let mut visit = Visit::to(Script::demo(3)).await;
    let truth = Arc::clone(visit.web.truth());
    visit.later(Span::DAY * 1.5);
    let mut waiting: Vec<String> = visit.web.seeds().iter().map(ToString::to_string).collect();
    let mut known: std::collections::HashSet<String> = waiting.iter().cloned().collect();
    while let Some(url) = waiting.pop() {
        let base = url::Url::parse(&url).unwrap();
        let text = visit.get(&url, &[]).await.text();
        visit.later(Span::from_secs(1));
        for href in text.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let link = base.join(&href.replace("&amp;", "&")).unwrap();
            if link.scheme() == "http" && known.insert(link.to_string()) {
                waiting.push(link.to_string());
            }
        }
    }
    let expected = |page: &super::PageTruth<'_>| page.appears.is_none() && page.vanishes.is_none();
    // A failing directory hides nothing here: only leaves of the shop fail.
    let missing: Vec<_> =
        truth.pages().filter(expected).filter(|page| !known.contains(page.url)).map(|page| page.url).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(truth.forbidden().all(|url| known.contains(url)), "forbidden pages are linked too");
}

#[tokio::test]
async fn a_stopped_web_listens_no_more() {
    let visit = Visit::to(Script::new(1)).await;
    let address = visit.web.address();
    visit.web.stop().await;
    assert!(TcpStream::connect(address).await.is_err());
}
