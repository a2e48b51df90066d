//! A crawl that runs is asked and told: what it says is what the store tells when it has ended, what it confirmed is kept, and
//! nobody who calls it keeps it from its work.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Child;

use everfresh::clock::Clock;
use everfresh::living::{LivingWeb, Page, Script, Site};
use everfresh::store::FILE;
use revisit::Span;
use rusqlite::Connection;
use rustix::process::Signal;
use serde_json::Value;
use support::archive::assert_consistent;
use support::collection::{config_for, everfresh, json, new_collection_of, printed, refusal, visits};
use support::processes::{signal, wait_for};
use tempfile::TempDir;
use url::Url;

const SOCKET: &str = "everfresh.socket";
const WRONG: i32 = 4;
const INTERRUPTED: i32 = 11;

/// A web of two hosts, and a collection of the first.
async fn start(pages: usize, delay: Span) -> (LivingWeb, TempDir) {
    let clock = Clock::wall();
    let site = |host: &str| Site::new(host).pages((1..pages).map(|number| Page::new(&format!("/{number}"))));
    let web = LivingWeb::start(Script::new(1).site(site("a.test")).site(site("b.test")), clock.clone()).await.unwrap();
    let seed = Url::parse("http://a.test/").unwrap();
    let folder = new_collection_of(&config_for(&web, delay), &[seed], clock.now());
    (web, folder)
}

/// A crawl in a process of its own, which ends with the test.
struct Crawl(Child);

impl Crawl {
    /// Begins one, and waits until it answers.
    fn begin(folder: &Path, arguments: &[&str]) -> Crawl {
        let crawl = Crawl(everfresh(folder, arguments).spawn().unwrap());
        live(folder, &["status"]);
        crawl
    }

    fn signal(&self, sent: Signal) {
        signal(self.0.id(), sent);
    }

    fn end(mut self, sent: Signal) -> Option<i32> {
        self.signal(sent);
        self.0.wait().unwrap().code()
    }
}

impl Drop for Crawl {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a command says when the crawl has answered it, however long that takes on a busy machine.
fn live(folder: &Path, arguments: &[&str]) -> Value {
    wait_for(|| Some(json(folder, arguments)).filter(|answer| answer["live"] == true))
}

/// The URLs of all pages that the user named.
fn seeds(folder: &Path) -> Vec<String> {
    let pages = printed(folder, &["export", "pages"]);
    let pages = pages.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    pages.filter(|page| page["found_as"] == "seed").map(|page| page["url"].as_str().unwrap().to_owned()).collect()
}

/// Sends bytes to the crawl; what it replies.
fn send(folder: &Path, bytes: &[u8]) -> String {
    let mut stream = UnixStream::connect(folder.join(SOCKET)).unwrap();
    stream.write_all(bytes).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_that_runs_answers_for_itself() {
    let (web, collection) = start(300, Span::from_millis(20)).await;
    let folder = collection.path();
    let crawl = Crawl::begin(folder, &["run"]);
    web.asked(5).await;
    let status = live(folder, &["status"]);
    assert_eq!((&status["cycle"]["number"], &status["totals"]["hosts"]), (&1.into(), &1.into()), "{status}");
    assert!(status["picked"].as_u64() > Some(0), "{status}");
    assert!(printed(folder, &["status"]).contains("A crawl runs: "));
    let explained = live(folder, &["explain", "http://a.test/"]);
    assert_eq!(
        (&explained["host"]["name"], &explained["host"]["delay_seconds"]),
        (&"http://a.test".into(), &0.02.into())
    );
    assert_eq!(crawl.end(Signal::TERM), Some(INTERRUPTED));
    assert_eq!(json(folder, &["status"])["live"], false);
    assert_eq!(json(folder, &["explain", "http://a.test/"])["live"], false);
    assert!(!folder.join(SOCKET).exists(), "it leaves no socket behind");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_added_beside_a_crawl_is_visited_with_all_that_is_around_it() {
    let (web, collection) = start(20, Span::ZERO).await;
    let folder = collection.path();
    let crawl = Crawl::begin(folder, &["run"]);
    assert!(printed(folder, &["add", "http://b.test/"]).contains("The crawl that runs takes them in."));
    let asked = |host: &str, path: &str| web.log().iter().any(|request| request.host == host && request.path == path);
    wait_for(|| (asked("b.test", "/19") && asked("a.test", "/3")).then_some(()));
    let again = json(folder, &["add", "http://b.test/", "http://a.test/3"]);
    assert_eq!((&again["added"], &again["known"]), (&0.into(), &2.into()));
    assert_eq!(crawl.end(Signal::TERM), Some(INTERRUPTED));
    assert_eq!(seeds(folder), ["http://a.test/", "http://a.test/3", "http://b.test/"]);
    assert_consistent(folder);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_confirmed_survives_a_kill() {
    let (_web, collection) = start(30, Span::from_millis(5)).await;
    let folder = collection.path();
    for kill in 0..8 {
        let crawl = Crawl::begin(folder, &["run"]);
        let urls: Vec<String> = (0..40).map(|page| format!("http://b.test/of/{kill}/{page}")).collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        let added = json(folder, &[&["add"], &urls[..]].concat());
        crawl.end(Signal::KILL);
        assert_eq!((&added["added"], &added["by_crawl"]), (&40.into(), &true.into()));
        let kept = seeds(folder);
        assert!(urls.iter().all(|url| kept.iter().any(|seed| seed == url)), "kill {kill}: {kept:?}");
    }
    printed(folder, &["run", "--until-idle"]);
    assert_consistent(folder);
}

/// Sources, weights and rules: a crawl writes down what the command would have.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_adds_as_the_command_does_without_one() {
    let (web, collections) = start(5, Span::ZERO).await;
    let (crawled, alone) =
        (collections.path(), new_collection_of(&config_for(&web, Span::ZERO), &[], Clock::wall().now()));
    for folder in [crawled, alone.path()] {
        printed(folder, &["add", "http://a.test/"]);
        printed(folder, &["run", "--until-idle"]);
    }
    let crawl = Crawl::begin(crawled, &["run"]);
    for folder in [crawled, alone.path()] {
        printed(folder, &["add", "--weight", "5", "http://a.test/2", "http://c.test/"]);
        printed(folder, &["add", "--accept", "text/turtle", "--any-order", "http://a.test/3", "http://c.test/x"]);
        printed(folder, &["add", "--kind", "sparql", "http://c.test/sparql"]);
        printed(folder, &["add", "--catalog", "http://c.test/catalogue"]);
        let refused = everfresh(folder, &["add", "--weight", "0", "http://c.test/y"]).output().unwrap();
        assert_eq!(refusal(&refused).0, Some(WRONG));
    }
    assert_eq!(crawl.end(Signal::TERM), Some(INTERRUPTED));
    let told = |folder: &Path| -> Vec<String> {
        let store = Connection::open(folder.join(FILE)).unwrap();
        let sql = "SELECT pages.url || ' ' || weight || ' ' || depth || ' ' || found_as || ' ' || hosts.name || ' ' ||
                coalesce(kind || coalesce(accept, '') || coalesce(query, '') || rules, '') || ' ' || (copies.page IS NULL)
             FROM pages JOIN hosts ON hosts.id = host LEFT JOIN sources ON sources.page = pages.id
                 LEFT JOIN copies ON copies.page = pages.id
             WHERE found_as = 'seed' AND pages.url NOT LIKE '%/3' ORDER BY pages.url";
        let mut statement = store.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(told(crawled), told(alone.path()));
    assert_eq!(told(crawled).len(), 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_calls_without_manners_disturbs_nobody() {
    let (web, collection) = start(60, Span::from_millis(20)).await;
    let folder = collection.path();
    let crawl = Crawl::begin(folder, &["run"]);
    let _silent: Vec<UnixStream> = (0..40).map(|_| UnixStream::connect(folder.join(SOCKET)).unwrap()).collect();
    let mut half = UnixStream::connect(folder.join(SOCKET)).unwrap();
    half.write_all(b"{\"page\":").unwrap();
    let mut endless = UnixStream::connect(folder.join(SOCKET)).unwrap();
    let ended = std::iter::repeat_with(|| endless.write_all(&[b'x'; 1 << 16])).find_map(Result::err).unwrap();
    assert!(matches!(ended.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset), "{ended}");
    for _ in 0..1000 {
        // Who comes when too many wait is sent away, or has to come again.
        drop(UnixStream::connect(folder.join(SOCKET)));
    }
    assert!(wait_for(|| Some(send(folder, b"no call\n")).filter(|reply| !reply.is_empty())).contains("refused"));
    let bad = br#"{"add":{"urls":["mailto:a@b.test"],"source":null,"weight":1.0}}"#;
    assert!(
        wait_for(|| Some(send(folder, &[bad, &b"\n"[..]].concat())).filter(|reply| !reply.is_empty()))
            .contains("no page")
    );
    live(folder, &["explain", "http://a.test/"]);
    web.asked(61).await;
    wait_for(|| (visits(folder).len() == 60).then_some(()));
    assert_eq!(crawl.end(Signal::TERM), Some(INTERRUPTED));
    assert_eq!(json(folder, &["status"])["outcomes"]["failed"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_socket_is_its_owners_and_takes_the_place_of_whatever_was_there() {
    let (_web, collection) = start(5, Span::ZERO).await;
    let folder = collection.path();
    let victim = folder.join("victim");
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, folder.join(SOCKET)).unwrap();
    let found = || fs::symlink_metadata(folder.join(SOCKET)).unwrap();
    assert_eq!(json(folder, &["status"])["live"], false, "a link is not followed");
    let crawl = Crawl::begin(folder, &["run"]);
    assert!(found().file_type().is_socket() && found().permissions().mode() & 0o777 == 0o600, "{:?}", found());
    crawl.end(Signal::KILL);
    assert!(found().file_type().is_socket(), "a kill leaves it");
    assert_eq!(json(folder, &["status"])["live"], false);
    let crawl = Crawl::begin(folder, &["run"]);
    assert_eq!(crawl.end(Signal::TERM), Some(INTERRUPTED));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    let left: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("socket")), "{left:?}");
}

/// The paths of sockets have about a hundred bytes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_path_is_no_obstacle_and_each_crawl_answers_for_its_own() {
    let (_web, collection) = start(5, Span::ZERO).await;
    let parent = tempfile::tempdir().unwrap();
    let long = (0..3).fold(parent.path().to_owned(), |path, _| path.join("a-long-name-".repeat(10)));
    fs::create_dir_all(&long).unwrap();
    fs::copy(collection.path().join("everfresh.toml"), long.join("everfresh.toml")).unwrap();
    printed(&long, &["add", "http://a.test/1", "http://b.test/2", "http://b.test/3"]);
    let crawls = [Crawl::begin(&long, &["run", "--set", "scope.mode=list"]), Crawl::begin(collection.path(), &["run"])];
    wait_for(|| (live(&long, &["status"])["totals"]["visits"] == 3).then_some(()));
    assert_eq!(live(&long, &["status"])["totals"]["hosts"], 2);
    assert_eq!(live(collection.path(), &["status"])["totals"]["hosts"], 1);
    assert!(crawls.into_iter().all(|crawl| crawl.end(Signal::TERM) == Some(INTERRUPTED)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_that_is_stopped_is_not_waited_for() {
    let (web, collection) = start(50, Span::from_millis(20)).await;
    let folder = collection.path();
    let crawl = Crawl::begin(folder, &["run"]);
    web.asked(5).await;
    crawl.signal(Signal::STOP);
    for arguments in [&["status", "--json"][..], &["explain", "http://a.test/", "--json"]] {
        let output = everfresh(folder, arguments).env("RUST_LOG", "warn").output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("does not answer, so the store is asked"), "{said}");
        assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["live"], false);
    }
    crawl.signal(Signal::CONT);
    live(folder, &["status"]);
    assert_eq!(crawl.end(Signal::TERM), Some(INTERRUPTED));
}
