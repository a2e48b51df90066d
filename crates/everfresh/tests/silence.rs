//! However others behave, no honest host waits for them: not for what they send, not for what they sent to be judged, and not
//! for what they were at when a crawl was killed.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use everfresh::collection::Collection;
use everfresh::pipeline::{self, Call, Reply};
use everfresh::store::{self, VisitEntry};
use rusqlite::Connection;
use rustix::process::Signal;
use support::collection::{collection_at, everfresh, visits};
use support::processes::{children, signal, wait_for};
use support::scripted::{Scripted, Told};
use tempfile::TempDir;

/// Waiting for others has no end within which a test could.
const PATIENT: [&str; 6] = [
    "--set",
    "fetch.first_byte_timeout=1h",
    "--set",
    "fetch.total_timeout=1h",
    "--set",
    "fetch.hosts_per_address=1000",
];

fn run(folder: &TempDir) -> Child {
    everfresh(folder.path(), &[&["run", "--until-idle"], &PATIENT[..]].concat()).spawn().unwrap()
}

fn hosts(number: usize, path: &str) -> Vec<String> {
    (0..number).map(|host| format!("host-{host}.test/{path}")).collect()
}

fn collection(server: SocketAddr, pages: &[String], honest: Option<&str>) -> TempDir {
    collection_at(server, &pages.iter().map(String::as_str).chain(honest).collect::<Vec<_>>())
}

/// The visits of a host.
fn visits_of(folder: &TempDir, host: &str) -> Vec<VisitEntry> {
    let of_host = |visit: &VisitEntry| visit.url.starts_with(&format!("http://{host}/"));
    visits(folder.path()).into_iter().filter(of_host).collect()
}

fn assert_all_archived(folder: &TempDir, pages: &[String]) {
    let visits = visits(folder.path());
    for page in pages {
        let url = format!("http://{page}");
        assert!(visits.iter().any(|visit| visit.url == url && visit.outcome == "first"), "{url}: {visits:?}");
    }
    assert!(visits.iter().all(|visit| visit.outcome != "failed"), "{visits:?}");
}

/// A page that links to so many others.
fn front(pages: usize) -> Told {
    Told::new("text/html", (0..pages).map(|page| format!("<a href=/{page}>p</a>")).collect::<String>())
}

/// A page of a few hundred kilobytes.
fn large_page() -> Told {
    Told::new("text/html", "<p>word</p>".repeat(40_000))
}

/// A document that never comes to its end keeps one turn for a moment, and none of the room that others' large bodies need.
#[test]
fn a_document_that_is_judged_for_ever_keeps_nobody_waiting() {
    const PAGES: usize = 4;
    let stopped = Arc::<AtomicBool>::default();
    let is_stopped = Arc::clone(&stopped);
    let server = Scripted::start(move |asked| match (asked.url.host_str(), asked.url.path()) {
        (Some("honest.test"), "/") => {
            wait_for(|| is_stopped.load(Ordering::SeqCst).then_some(()));
            front(PAGES)
        }
        (Some("honest.test"), _) => large_page(),
        _ => Told::new("text/csv", "1,2\n".repeat(100_000)),
    });
    let slow = hosts(8, "table.csv");
    let folder = collection(server.address, &slow, Some("honest.test/"));
    let mut crawl = run(&folder);
    let judging = wait_for(|| {
        assert!(crawl.try_wait().unwrap().is_none(), "it ended, and nothing was judged apart");
        children(crawl.id()).first().copied()
    });
    signal(judging, Signal::STOP);
    stopped.store(true, Ordering::SeqCst);
    wait_for(|| (visits_of(&folder, "honest.test").len() == 1 + PAGES).then_some(()));
    wait_for(|| (visits(folder.path()).len() == PAGES + slow.len()).then_some(()));
    signal(judging, Signal::CONT);
    assert!(crawl.wait_with_output().unwrap().status.success());
    assert_all_archived(&folder, &slow);
}

/// However many hosts have answers that nobody comes to judge, each of them is asked for its next page.
#[test]
fn no_host_waits_for_its_answer_to_be_judged() {
    const HOSTS: usize = 80;
    let next = Arc::<AtomicUsize>::default();
    let asked_next = Arc::clone(&next);
    let server = Scripted::start(move |asked| match asked.url.path() {
        "/graph" => Told::new("application/ld+json", format!("{{\"a:b\": [{}1]}}", "1,".repeat(20 << 10))),
        _ => {
            asked_next.fetch_add(1, Ordering::SeqCst);
            Told::new("text/html", "next")
        }
    });
    let graphs = hosts(HOSTS, "graph");
    let folder = collection(server.address, &[graphs.clone(), hosts(HOSTS, "next")].concat(), None);
    let crawl = run(&folder);
    let mut stopped = Vec::new();
    wait_for(|| {
        for process in children(crawl.id()) {
            signal(process, Signal::STOP);
            stopped.push(process);
        }
        (next.load(Ordering::SeqCst) == HOSTS).then_some(())
    });
    stopped.into_iter().for_each(|process| signal(process, Signal::CONT));
    assert!(crawl.wait_with_output().unwrap().status.success());
    assert_all_archived(&folder, &graphs);
}

/// Hosts that begin large bodies of so many bytes and end them when they are released, beside an honest one whose large pages come
/// at once, but not before all others are at theirs.
struct Holding {
    address: SocketAddr,
    released: Arc<AtomicBool>,
}

impl Holding {
    fn start(hosts: usize, bytes: usize) -> Holding {
        let (released, begun) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let release = Arc::clone(&released);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (release, begun) = (Arc::clone(&release), Arc::clone(&begun));
                thread::spawn(move || {
                    answer(stream, bytes, |is_honest| {
                        if is_honest {
                            return wait_for(|| (begun.load(Ordering::SeqCst) >= hosts).then_some(()));
                        }
                        begun.fetch_add(1, Ordering::SeqCst);
                        wait_for(|| release.load(Ordering::SeqCst).then_some(()));
                    })
                });
            }
        });
        Holding { address, released }
    }
}

/// Answers a request; waits within a large body.
fn answer(mut stream: TcpStream, bytes: usize, wait: impl Fn(bool)) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let is_honest = head.contains("host: honest.test");
    let (media_type, body) = match head.split(' ').nth(1)? {
        "/robots.txt" => ("text/plain", String::new()),
        "/" => ("text/html", (0..3).map(|page| format!("<a href=/{page}>p</a>")).collect()),
        _ if is_honest => ("text/html", "<p>word</p>".repeat(40_000)),
        _ => ("application/octet-stream", "\0".repeat(bytes)),
    };
    let fields = format!("Content-Type: {media_type}\r\nContent-Length: {}\r\nConnection: close", body.len());
    stream.write_all(format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n").as_bytes()).ok()?;
    let (first, rest) = body.split_at(body.len().min(300 << 10));
    stream.write_all(first.as_bytes()).ok()?;
    if !rest.is_empty() {
        wait(is_honest);
    }
    stream.write_all(rest.as_bytes()).ok()
}

/// Large bodies that do not come hold their bytes and nobody's turn; where there is room nobody has to give way.
#[test]
fn large_bodies_that_take_long_keep_no_other_one() {
    let (server, slow) = (Holding::start(40, 1 << 20), hosts(40, "large"));
    let folder = collection(server.address, &slow, Some("honest.test/"));
    let crawl = run(&folder);
    wait_for(|| (visits_of(&folder, "honest.test").len() == 4).then_some(()));
    server.released.store(true, Ordering::SeqCst);
    assert!(crawl.wait_with_output().unwrap().status.success());
    assert_all_archived(&folder, &slow);
}

/// Where there is no room left, who holds most gives way to who needs little; what found none is visited when there is some.
#[test]
fn who_sends_much_does_not_keep_out_who_sends_little() {
    let (server, greedy) = (Holding::start(12, 15 << 20), hosts(12, "large"));
    let folder = collection(server.address, &greedy, Some("honest.test/"));
    let crawl = run(&folder);
    wait_for(|| (visits_of(&folder, "honest.test").len() == 4).then_some(()));
    let archived = |visits: Vec<VisitEntry>| visits.iter().filter(|visit| visit.outcome == "first").count();
    assert_eq!(archived(visits_of(&folder, "honest.test")), 4);
    assert_eq!(archived(visits(folder.path())), 4, "the others are at it still, or wait");
    server.released.store(true, Ordering::SeqCst);
    assert!(crawl.wait_with_output().unwrap().status.success());
    // On a machine that is slow some may have had to give way to their like.
    let is_visited = |visit: &VisitEntry| visit.outcome == "first" || visit.rule == "gave-way";
    let visits = visits(folder.path());
    assert!(visits.len() == 4 + greedy.len() && visits.iter().all(is_visited), "{visits:?}");
}

/// What was under way at a kill is visited apart; who says nothing there lets others have a turn.
#[test]
fn suspects_that_say_nothing_keep_no_other_suspect() {
    const SILENT: usize = 20;
    let (asked, is_again, released) =
        (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
    let (counted, again, release) = (Arc::clone(&asked), Arc::clone(&is_again), Arc::clone(&released));
    let server = Scripted::start(move |asked| {
        counted.fetch_add(1, Ordering::SeqCst);
        let is_honest = asked.url.host_str() == Some("honest.test");
        wait_for(|| {
            let is_over = is_honest && again.load(Ordering::SeqCst) || release.load(Ordering::SeqCst);
            is_over.then_some(())
        });
        Told::new("text/html", "page")
    });
    let silent = hosts(SILENT, "");
    let folder = collection(server.address, &silent, Some("honest.test/"));
    let mut first = run(&folder);
    wait_for(|| (asked.load(Ordering::SeqCst) == SILENT + 1).then_some(()));
    first.kill().unwrap();
    first.wait().unwrap();
    is_again.store(true, Ordering::SeqCst);
    let second = run(&folder);
    wait_for(|| (visits_of(&folder, "honest.test").len() == 1).then_some(()));
    released.store(true, Ordering::SeqCst);
    assert!(second.wait_with_output().unwrap().status.success());
    assert_all_archived(&folder, &silent);
}

/// Lists of thousands of pages that cannot be written, since another program holds the store: the crawl goes on, and answers who
/// asks it. When it is to end, it waits for none of them.
#[test]
fn lists_that_wait_to_be_written_keep_nobody_waiting() {
    const LISTS: usize = 12;
    let (sent, opened) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
    let (is_sent, is_open) = (Arc::clone(&sent), Arc::clone(&opened));
    let server = Scripted::start(move |asked| match asked.url.path() {
        "/sitemap.xml" => {
            wait_for(|| is_open.load(Ordering::SeqCst).then_some(()));
            is_sent.fetch_add(1, Ordering::SeqCst);
            long_sitemap(asked.url.host_str().unwrap())
        }
        _ => Told::new("text/plain", "x"),
    });
    let folder = collection(server.address, &hosts(LISTS, "sitemap.xml"), Some("honest.test/"));
    let crawl = run(&folder);
    wait_for(|| (!visits_of(&folder, "honest.test").is_empty()).then_some(()));
    let outsider = Connection::open(folder.path().join(store::FILE)).unwrap();
    wait_for(|| outsider.execute_batch("BEGIN IMMEDIATE").ok());
    opened.store(true, Ordering::SeqCst);
    let collection = Collection::at(folder.path());
    let in_flight = || match pipeline::call(&collection, &Call::Overview, Duration::from_secs(60)) {
        Ok(Reply::Overview(overview)) => Some(overview.in_flight),
        _ => None,
    };
    wait_for(|| (sent.load(Ordering::SeqCst) >= LISTS && children(crawl.id()).is_empty()).then_some(()));
    assert!(wait_for(in_flight) <= LISTS);
    signal(crawl.id(), Signal::TERM);
    // It says that it ends when it has heard of the signal, which it does between two turns.
    wait_for(|| in_flight().is_none().then_some(()));
    outsider.execute_batch("COMMIT").unwrap();
    assert_eq!(crawl.wait_with_output().unwrap().status.code(), Some(11));
}

/// Lists of one host that wait for each other to be written hold it up until they are, and the crawl goes on then.
#[test]
fn a_host_whose_lists_had_to_wait_is_visited_to_its_end() {
    const LISTS: usize = 4;
    const PAGES: usize = 700;
    let server = Scripted::start(move |asked| match asked.url.path() {
        "/" => Told::new("text/html", (0..LISTS).map(|list| format!("<a href=/list-{list}>l</a>")).collect::<String>()),
        path if path.starts_with("/list-") => {
            // The same pages in each: it is the links that make it large.
            let link = |page: usize| format!("<a href=/{page}/{}>p</a>", "p".repeat(1_500));
            Told::new("text/html", (0..PAGES).map(link).collect::<String>())
        }
        _ => Told::new("text/plain", "x"),
    });
    let folder = collection(server.address, &[], Some("one.test/"));
    assert!(run(&folder).wait_with_output().unwrap().status.success());
    assert_eq!(visits(folder.path()).len(), 1 + LISTS + PAGES);
}

/// A list of pages with long addresses.
fn long_sitemap(host: &str) -> Told {
    let page = |number: usize| format!("<url><loc>http://{host}/{number}/{}</loc></url>", "p".repeat(1_500));
    let pages: String = (0..5_000).map(page).collect();
    Told::packed(
        "application/xml",
        &format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{pages}</urlset>"),
    )
}
