//! Other programs use the store beside a crawl, as anybody may: one that holds its lock, one that reads it without end. The
//! crawl waits for them, says so, and can be ended meanwhile.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, ExitStatus};
use std::time::Duration;

use everfresh::clock::Clock;
use everfresh::config::Config;
use everfresh::living::{LivingWeb, Page, Script, Site};
use everfresh::store::FILE;
use everfresh::units::Bytes;
use revisit::Span;
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use support::archive::assert_consistent;
use support::collection::{
    config_for, empty_collection, everfresh, lines, new_collection, new_collection_of, printed, refusal, visits,
};
use tempfile::TempDir;
use url::Url;

const IN_USE: i32 = 5;
const INTERRUPTED: i32 = 11;
/// Orders that wait for the writer, at most.
const QUEUE: usize = 1024;

/// A site of so many pages, and a collection of it.
async fn start(pages: usize, delay: Span, change: impl FnOnce(&mut Config)) -> (LivingWeb, TempDir) {
    let clock = Clock::wall();
    let pages = (1..pages).map(|number| Page::new(&format!("/{number}")));
    let web = LivingWeb::start(Script::new(1).site(Site::new("a.test").pages(pages)), clock.clone()).await.unwrap();
    let mut config = config_for(&web, delay);
    change(&mut config);
    let folder = new_collection(&config, &web, clock.now());
    (web, folder)
}

/// A crawl whose warnings are heard.
struct Crawl {
    process: Child,
    said: BufReader<ChildStderr>,
}

impl Crawl {
    fn start(folder: &Path) -> Crawl {
        let mut process = everfresh(folder, &["run", "--until-idle"]).env("RUST_LOG", "warn").spawn().unwrap();
        let said = BufReader::new(process.stderr.take().unwrap());
        Crawl { process, said }
    }

    /// Waits until it says these words.
    fn hear(&mut self, words: &str) {
        let mut said = Vec::new();
        while !said.last().is_some_and(|line: &String| line.contains(words)) {
            let mut line = String::new();
            let length = self.said.read_line(&mut line).unwrap();
            assert!(length > 0, "it ended without a word of '{words}': {said:#?}");
            said.push(line);
        }
    }

    fn interrupt(&self) {
        kill_process(Pid::from_child(&self.process), Signal::TERM).unwrap();
    }

    /// How it ends, and what it says before.
    fn end(mut self) -> (ExitStatus, String) {
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).unwrap();
        (self.process.wait().unwrap(), rest)
    }
}

/// Another program's connection to the store, after it did something.
fn outsider(folder: &Path, sql: &str) -> Connection {
    let connection = Connection::open(folder.join(FILE)).unwrap();
    connection.busy_timeout(Duration::from_secs(60)).unwrap();
    connection.execute_batch(sql).unwrap();
    connection
}

const LOCK: &str = "BEGIN IMMEDIATE";
const READ: &str = "BEGIN; SELECT count(*) FROM pages";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_waits_for_whoever_holds_the_lock() {
    let (web, collection) = start(100, Span::from_millis(20), |_| {}).await;
    let folder = collection.path();
    let mut crawl = Crawl::start(folder);
    web.asked(5).await;
    let holder = outsider(folder, LOCK);
    let asked = web.log().len();
    crawl.hear("another program holds the lock of everfresh.db");
    web.asked(asked + 10).await;
    holder.execute_batch("COMMIT").unwrap();
    crawl.hear("is over");
    let (ended, rest) = crawl.end();
    assert!(ended.success(), "{rest}");
    assert!(!rest.contains("WARN"), "it is said once: {rest}");
    assert_eq!(visits(folder).len(), 100);
    assert_consistent(folder);
}

/// Also while the loop itself waits for room before the writer, and so hears no signal.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_that_waits_for_the_lock_can_be_ended() {
    let crowd = |config: &mut Config| (config.fetch.connections, config.fetch.concurrency) = (32, 2 * QUEUE);
    let (web, collection) = start(2 * QUEUE, Span::ZERO, crowd).await;
    let folder = collection.path();
    let mut crawl = Crawl::start(folder);
    web.asked(10).await;
    let holder = outsider(folder, LOCK);
    let before = lines(&visits(folder));
    crawl.hear("another program holds the lock");
    web.asked(QUEUE).await;
    crawl.interrupt();
    let (ended, said) = crawl.end();
    assert_eq!(ended.code(), Some(IN_USE), "{said}");
    assert!(said.contains("everfresh: another program writes to the store: close it and try again"), "{said}");
    holder.execute_batch("COMMIT").unwrap();
    assert_eq!(lines(&visits(folder)), before, "nothing acknowledged is lost, and nothing else is there");
    printed(folder, &["run", "--until-idle"]);
    assert_eq!(assert_consistent(folder), visits(folder).len());
}

#[test]
fn what_cannot_begin_says_who_is_in_the_way() {
    let commands = [&["add", "http://a.test/"][..], &["run", "--once"]];
    let collections = commands.map(|_| empty_collection());
    let _holders = collections.each_ref().map(|folder| outsider(folder.path(), LOCK));
    let started = collections.iter().zip(commands).map(|(folder, command)| everfresh(folder.path(), command).spawn());
    for process in started.collect::<Vec<_>>() {
        let (code, said) = refusal(&process.unwrap().wait_with_output().unwrap());
        assert_eq!(code, Some(IN_USE), "{said}");
        assert!(said.contains("another program writes to the store"), "{said}");
    }
}

/// Enough for a few transactions.
const MAX_LOG: usize = 128 << 10;

/// A crawl that has come to the limit of its log because another program reads the store.
async fn held_up() -> (LivingWeb, TempDir, Crawl, Connection) {
    let limit = |config: &mut Config| config.store.max_log = Bytes(MAX_LOG);
    let (web, collection) = start(400, Span::from_millis(10), limit).await;
    let folder = collection.path();
    let reader = outsider(folder, READ);
    let mut crawl = Crawl::start(folder);
    crawl.hear("has reached 0.1 MB (store.max_log): the crawl waits until the program that reads the store");
    assert!(log_bytes(folder) >= MAX_LOG as u64 && visits(folder).len() < 400, "nothing more is written");
    (web, collection, crawl, reader)
}

fn log_bytes(folder: &Path) -> u64 {
    fs::metadata(folder.join(format!("{FILE}-wal"))).unwrap().len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_waits_for_a_reader_before_its_log_grows_too_large() {
    let (_web, collection, mut crawl, reader) = held_up().await;
    let folder = collection.path();
    reader.execute_batch("COMMIT").unwrap();
    crawl.hear("is over");
    let (ended, rest) = crawl.end();
    assert!(ended.success(), "{rest}");
    assert_eq!(visits(folder).len(), 400);
    assert_consistent(folder);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_that_waits_for_a_reader_ends_in_order() {
    let (_web, collection, crawl, _reader) = held_up().await;
    crawl.interrupt();
    let (ended, rest) = crawl.end();
    assert_eq!(ended.code(), Some(INTERRUPTED), "{rest}");
    assert_consistent(collection.path());
}

/// Whoever reads our output may take their time.
#[test]
fn our_own_questions_do_not_hold_up_the_log() {
    let seeds: Vec<Url> = (0..5000).map(|number| Url::parse(&format!("http://a.test/{number}")).unwrap()).collect();
    let collection = new_collection_of(&Config::default(), &seeds, Clock::wall().now());
    let folder = collection.path();
    let mut export = everfresh(folder, &["export", "pages"]).spawn().unwrap();
    let mut out = export.stdout.take().unwrap();
    out.read_exact(&mut [0]).unwrap();
    let writer = outsider(folder, "UPDATE pages SET weight = 2");
    let busy: i64 = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
    assert_eq!((busy, log_bytes(folder)), (0, 0), "all of the log could be moved");
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest.lines().count(), 5000);
    assert!(export.wait().unwrap().success());
}
