//! What the machine does to a crawl (few handles, stops, signals, a store that is held) is no host's fault and loses nothing.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use everfresh::config::Config;
use everfresh::units;
use revisit::Time;
use rusqlite::Connection;
use rustix::process::Signal;
use support::collection::{everfresh, new_collection_of, visits};
use support::processes::{handles, signal, wait_for};
use support::scripted::{Scripted, Told};
use tempfile::TempDir;
use url::Url;

/// Longer than [`Config`] below waits for an answer, and long enough to be seen as a stop.
const STOPPED: Duration = Duration::from_secs(8);

/// A collection of these hosts, all at one server, with the front page of each for a seed.
fn collection(server: SocketAddr, hosts: &[String]) -> TempDir {
    let mut config = Config::default();
    config.fetch.allow_private = true;
    config.fetch.delay = units::Duration::secs(0);
    config.fetch.first_byte_timeout = units::Duration::secs(6);
    config.fetch.hosts_per_address = 10_000;
    config.fetch.resolve = hosts.iter().map(|host| (host.clone(), server.to_string())).collect();
    let seeds: Vec<Url> = hosts.iter().map(|host| Url::parse(&format!("http://{host}/")).unwrap()).collect();
    new_collection_of(&config, &seeds, Time::from_secs(0))
}

/// A crawl that a shell begins, after these commands of its own.
fn run_after(commands: &str, folder: &TempDir) -> Child {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{commands}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_everfresh"), "run", "-C"]);
    shell.arg(folder.path()).arg("--until-idle").env("RUST_LOG", "warn");
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until something happened while a crawl is at work.
fn meanwhile(run: &mut Child, mut happened: impl FnMut() -> bool) {
    wait_for(|| {
        assert_eq!(run.try_wait().unwrap(), None, "it ended before");
        happened().then_some(())
    });
}

/// A front page with links to so many others.
fn links(pages: usize) -> String {
    (1..=pages).map(|page| format!("<a href=/{page}>{page}</a>")).collect()
}

#[test]
fn few_handles_are_enough_for_many_hosts() {
    const HOSTS: usize = 200;
    let server = Scripted::start(|asked| match asked.url.path() {
        "/" => Told::new("text/html", links(2)),
        _ => Told::new("text/html", "page"),
    });
    let hosts: Vec<String> = (0..HOSTS).map(|host| format!("h{host}.test")).collect();
    let folder = collection(server.address, &hosts);
    let output = run_after("ulimit -n 128", &folder).wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("the system allows 128 open files"), "{said}");
    let visits = visits(folder.path());
    assert_eq!(visits.iter().filter(|visit| visit.outcome == "failed").count(), 0);
    assert_eq!(visits.len(), 3 * HOSTS);
}

#[test]
fn our_own_stop_is_nobodys_failure() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let server = Scripted::start(move |page| match page.url.path() {
        // Nobody answers whoever asks first.
        "/1" if count.fetch_add(1, Ordering::SeqCst) == 0 => Told::new("text/html", "late").after(STOPPED * 10),
        "/" => Told::new("text/html", links(20)),
        _ => Told::new("text/html", "page"),
    });
    let folder = collection(server.address, &["a.test".to_owned()]);
    let mut run = everfresh(folder.path(), &["run", "--until-idle"]).spawn().unwrap();
    meanwhile(&mut run, || asked.load(Ordering::SeqCst) == 1);
    signal(run.id(), Signal::STOP);
    std::thread::sleep(STOPPED);
    signal(run.id(), Signal::CONT);
    assert!(run.wait().unwrap().success());
    let visits = visits(folder.path());
    assert_eq!(visits.iter().filter(|visit| visit.outcome != "first").map(|visit| &visit.rule).next(), None);
    assert_eq!(visits.len(), 21);
}

#[test]
fn who_hangs_up_ends_a_crawl_in_order_unless_it_was_told_to_stay() {
    // A site without end: however late the signal comes, the crawl is at work.
    let pages = AtomicUsize::new(0);
    let server = Scripted::start(move |_| {
        let page = pages.fetch_add(2, Ordering::SeqCst);
        Told::new("text/html", format!("<a href=/{page}>one</a><a href=/{}>another</a>", page + 1))
    });
    let folder = collection(server.address, &["a.test".to_owned()]);
    // Whoever runs the tests may have been told to stay himself.
    let mut run = run_after("set -- env --default-signal=HUP \"$@\"", &folder);
    meanwhile(&mut run, || server.log().len() >= 10);
    signal(run.id(), Signal::HUP);
    assert_eq!(run.wait().unwrap().code(), Some(11));
    assert_eq!(std::fs::read(folder.path().join("under-way")).unwrap().iter().find(|byte| **byte != 0), None);
    let before = server.log().len();
    let mut run = run_after("trap '' HUP", &folder);
    meanwhile(&mut run, || server.log().len() >= before + 10);
    signal(run.id(), Signal::HUP);
    meanwhile(&mut run, || server.log().len() >= before + 30);
    signal(run.id(), Signal::TERM);
    assert_eq!(run.wait().unwrap().code(), Some(11));
}

/// Starting takes long where there is much to read, or somebody holds the store.
#[test]
fn who_is_told_to_end_while_starting_begins_nothing() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let server = Scripted::start_bare(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Told::new("text/plain", "")
    });
    let folder = collection(server.address, &["a.test".to_owned(), "b.test".to_owned()]);
    let holder = Connection::open(folder.path().join("everfresh.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut run = everfresh(folder.path(), &["run", "--until-idle"]).spawn().unwrap();
    let process = run.id();
    meanwhile(&mut run, || handles(process, Signal::TERM));
    signal(run.id(), Signal::TERM);
    holder.execute_batch("COMMIT").unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(11));
    assert_eq!(asked.load(Ordering::SeqCst), 0, "not even a robots.txt is asked for");
}
