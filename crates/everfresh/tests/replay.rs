//! A second crawl costs little where nothing changed, says what did, and other people's tools replay the result.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use everfresh::clock::Clock;
use everfresh::fetch::{FetchSettings, Fetcher, Validators as Known};
use everfresh::living::{Changes, LivingWeb, Noise, Page, Request, Script, Site, Validators};
use revisit::{Span, Time};
use serde_json::Value;
use support::judged::Judged;
use url::Url;

const HOST: &str = "replay.living.test";
const NOISE: Noise = Noise { clock: true, token: true, counter: true };

/// Two crawls of a web that lived for some days between them.
struct Twice {
    judged: Judged,
    first: Vec<Value>,
    second: Vec<Value>,
    /// What the server was asked by the second crawl.
    asked: Vec<Request>,
    /// The bodies that the server sent at the time of the first crawl, and of the second.
    bodies: [BTreeMap<String, String>; 2],
}

fn script() -> Script {
    let site = Site::new(HOST)
        .page(Page::new("/tagged").validators(Validators::EntityTag))
        .page(Page::new("/dated").validators(Validators::LastModified).gzip())
        .page(Page::new("/bare").validators(Validators::Absent))
        .page(Page::new("/noisy").validators(Validators::Absent).noise(NOISE))
        .page(Page::new("/changing").changes(Changes::Every(Span::HOUR)))
        .page(Page::new("/changing-bare").changes(Changes::Every(Span::HOUR)).validators(Validators::Absent));
    Script::new(7).site(site)
}

async fn crawl_twice() -> Twice {
    let start = script().begins() + Span::DAY;
    let now = Arc::new(AtomicI64::new(start.millis()));
    let clock = now.clone();
    let web = LivingWeb::start_told(script(), move || Time::from_millis(clock.load(Ordering::SeqCst))).await.unwrap();
    let judged = Judged::new(&[(HOST.into(), web.address())])
        .with(&["detect.drop=[\".clock\", \".token\", \".counter\"]", "fetch.connections=4"]);
    judged.printed(&["add", &format!("http://{HOST}/")]);
    judged.json(&["run", "--until-idle"]);
    let first = judged.exported("visits");
    let before = bodies(&web).await;
    now.store((start + Span::DAY * 3.0).millis(), Ordering::SeqCst);
    // Replay tells captures apart by the second.
    let last = first.iter().filter_map(|visit| visit["at"].as_i64()).max().unwrap();
    Clock::wall().sleep_until(Time::from_secs(last / 1000 + 1)).await;
    let requests = web.log().len();
    judged.json(&["run", "--until-idle"]);
    let asked = web.log().split_off(requests);
    let second = judged.exported("visits").split_off(first.len());
    let bodies = [before, bodies(&web).await];
    Twice { judged, first, second, asked, bodies }
}

/// What the server sends now, by URL.
async fn bodies(web: &LivingWeb) -> BTreeMap<String, String> {
    let resolve = [(HOST.to_owned(), web.address())].into();
    let fetcher =
        Fetcher::new(FetchSettings { allow_private: true, resolve, ..FetchSettings::default() }, Clock::wall())
            .unwrap();
    let mut bodies = BTreeMap::new();
    for page in web.truth().pages() {
        let exchange = fetcher.get(&Url::parse(page.url).unwrap(), &Known::default()).await.unwrap();
        // One character a byte, as the judge of replays writes them.
        let body = exchange.content(1 << 20).unwrap().iter().copied().map(char::from).collect();
        bodies.insert(page.url.to_owned(), body);
    }
    bodies
}

fn url(path: &str) -> String {
    format!("http://{HOST}{path}")
}

fn visit_of<'a>(visits: &'a [Value], path: &str) -> &'a Value {
    visits.iter().find(|visit| visit["url"] == url(path)).unwrap()
}

impl Twice {
    /// Asserts how the second visit of a page ended and whether the page was asked for conditionally.
    fn assert_second(&self, path: &str, conditional: bool, status: u16, outcome: &str, rule: &str) {
        let visit = visit_of(&self.second, path);
        assert_eq!(
            (&visit["outcome"], &visit["rule"], &visit["status"]),
            (&outcome.into(), &rule.into(), &status.into()),
            "{path}"
        );
        let request = self.asked.iter().find(|request| request.path == path).unwrap();
        assert_eq!((request.conditional, request.status), (conditional, status), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_crawl_asks_conditionally_and_knows_change_from_noise() {
    let twice = crawl_twice().await;
    assert!(twice.first.iter().all(|visit| visit["outcome"] == "first"), "{:?}", twice.first);
    assert_eq!((twice.first.len(), twice.second.len()), (7, 7));
    twice.assert_second("/", true, 304, "unchanged", "not-modified");
    twice.assert_second("/tagged", true, 304, "unchanged", "not-modified");
    twice.assert_second("/dated", true, 304, "unchanged", "not-modified");
    twice.assert_second("/bare", false, 200, "unchanged", "same-bytes");
    twice.assert_second("/noisy", false, 200, "unchanged", "same-text");
    twice.assert_second("/changing", true, 200, "changed", "text-differs");
    twice.assert_second("/changing-bare", false, 200, "changed", "text-differs");
    assert!(!twice.asked.iter().any(|request| request.path == "/robots.txt"), "robots.txt is believed for a day");
}

#[tokio::test(flavor = "multi_thread")]
async fn unchanged_pages_cost_a_few_hundred_bytes() {
    let twice = crawl_twice().await;
    for path in ["/", "/tagged", "/dated", "/bare"] {
        let length = visit_of(&twice.second, path)["length"].as_u64().unwrap();
        assert!((1..1000).contains(&length), "{path} cost {length} bytes");
    }
    let records = twice.judged.records("warc-type,warc-target-uri,warc-profile,warc-refers-to-target-uri");
    let revisits = records.iter().filter(|record| record["warc-type"] == "revisit");
    let mut profiles = BTreeMap::<String, Vec<String>>::new();
    for revisit in revisits {
        assert_eq!(revisit["warc-refers-to-target-uri"], revisit["warc-target-uri"]);
        let profile = revisit["warc-profile"].as_str().unwrap().rsplit('/').next().unwrap();
        let urls = profiles.entry(profile.to_owned()).or_default();
        urls.push(revisit["warc-target-uri"].as_str().unwrap().to_owned());
    }
    profiles.values_mut().for_each(|urls| urls.sort_unstable());
    let expected = [
        ("identical-payload-digest".to_owned(), vec![url("/bare")]),
        ("server-not-modified".to_owned(), vec![url("/"), url("/dated"), url("/tagged")]),
    ];
    assert_eq!(profiles, expected.into());
}

#[tokio::test(flavor = "multi_thread")]
async fn warcio_and_pywb_accept_the_collection_as_it_is() {
    let twice = crawl_twice().await;
    twice.judged.assert_warcio_agrees();
    let (mut paths, mut expected) = (Vec::new(), Vec::new());
    for (visits, bodies) in [(&twice.first, &twice.bodies[0]), (&twice.second, &twice.bodies[1])] {
        // No two answers of the noisy page are the same.
        for visit in visits.iter().filter(|visit| visit["url"] != url("/noisy")) {
            let address = visit["url"].as_str().unwrap();
            paths.push(format!("{}id_/{address}", moment(visit)));
            expected.push(&bodies[address]);
        }
    }
    let replayed = twice.judged.replayed(&paths);
    assert_eq!(replayed.len(), 12);
    for ((answer, path), body) in replayed.iter().zip(&paths).zip(expected) {
        assert_eq!((&answer["status"], answer["body"].as_str()), (&200.into(), Some(body.as_str())), "{path}");
    }
    assert_index_served(&twice);
}

/// pywb's CDX server finds both captures of every page, and what we export is what it serves.
fn assert_index_served(twice: &Twice) {
    let paths = ["/", "/tagged", "/dated", "/bare", "/noisy", "/changing", "/changing-bare"];
    let queries = paths.map(|path| format!("cdx?url={}&output=json", url(path)));
    for (answer, path) in twice.judged.replayed(&queries).iter().zip(paths) {
        let served: Vec<Value> =
            answer["body"].as_str().unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let moments: Vec<String> = served.iter().map(|line| line["timestamp"].as_str().unwrap().to_owned()).collect();
        let visits = [&twice.first, &twice.second].map(|visits| moment(visit_of(visits, path)));
        assert_eq!(moments, visits, "{path}");
    }
    let mut indexed = twice.judged.index_lines();
    indexed.sort_unstable();
    assert_eq!(twice.judged.printed(&["export", "cdxj"]).lines().collect::<Vec<_>>(), indexed);
}

/// The time of a visit as replay tools write it.
fn moment(visit: &Value) -> String {
    let time = jiff::Timestamp::from_millisecond(visit["at"].as_i64().unwrap()).unwrap();
    time.strftime("%Y%m%d%H%M%S").to_string()
}
