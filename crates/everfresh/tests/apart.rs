//! Whatever a document does to the one who reads it, it does it to nobody else; and no page kills a crawl twice.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use everfresh::store::VisitEntry;
use rustix::process::{Pid, Signal, getpgid};
use support::collection::{collection_at as collection, everfresh, printed, visits};
use support::processes::{Watch, children, handles, signal, wait_for};
use support::scripted::{Asked, Scripted, Told};
use tempfile::TempDir;

const MIB: u64 = 1 << 20;
/// Rows of a table that takes a process a second or two, so that it is met at it.
const LONG_ROWS: usize = 400_000;
/// The crawl itself, and two documents of some MiB at their limits.
const MEMORY: u64 = 600 * MIB;

/// Crawls until every page was visited, which must succeed, and says how much memory that took at most.
fn crawl(folder: &TempDir) -> u64 {
    let child = everfresh(folder.path(), &["run", "--until-idle"]).spawn().unwrap();
    let watch = Watch::over(child.id());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    watch.most()
}

/// The visits of a page, oldest first.
fn visits_of(folder: &TempDir, url: &str) -> Vec<VisitEntry> {
    visits(folder.path()).into_iter().filter(|visit| visit.url == format!("http://{url}")).collect()
}

fn last_visit(folder: &TempDir, url: &str) -> VisitEntry {
    let mut visits = visits_of(folder, url);
    assert!(!visits.is_empty(), "{url} was not visited");
    visits.pop().unwrap()
}

/// That a page was taken in though nobody could judge it, and that the limit it met is named.
fn assert_archived_unjudged(folder: &TempDir, url: &str, limit: &str) {
    let visit = last_visit(folder, url);
    assert_eq!((visit.outcome.as_str(), visit.file.is_some()), ("first", true), "{visit:?}");
    assert!(visit.detail.as_deref().is_some_and(|detail| detail.contains(limit)), "{visit:?}");
}

#[test]
fn a_tag_of_thousands_of_attributes_is_a_page_like_any_other() {
    let page = format!("<title>t</title><p {}><a href=/next>n</a>", "a=\"1\" ".repeat(6_835));
    let server = Scripted::start(move |asked| match asked.url.path() {
        "/" => Told::new("text/html", page.clone()),
        _ => Told::new("text/html", "next"),
    });
    let folder = collection(server.address, &["a.test/"]);
    for _ in 0..2 {
        crawl(&folder);
        assert!(last_visit(&folder, "a.test/").file.is_some());
        assert_eq!(last_visit(&folder, "a.test/next").status, Some(200));
    }
}

#[test]
fn a_document_that_takes_gigabytes_is_judged_by_its_bytes() {
    let numbers = format!("{{\"a:b\": [{}1]}}", "1,".repeat(15 << 20));
    let changed = Arc::new(AtomicBool::new(false));
    let changes = Arc::clone(&changed);
    let server = Scripted::start(move |asked| match (asked.url.path(), changes.load(Ordering::SeqCst)) {
        ("/numbers", _) => Told::packed("application/ld+json", &numbers),
        ("/grows", true) => Told::packed("application/ld+json", &numbers),
        _ => Told::new("application/ld+json", r#"{"a:b": 1}"#),
    });
    let folder = collection(server.address, &["a.test/numbers", "b.test/grows"]);
    let memory = crawl(&folder);
    assert!(memory < MEMORY, "{} MiB", memory / MIB);
    assert_archived_unjudged(&folder, "a.test/numbers", "more memory than a document of its size may");
    changed.store(true, Ordering::SeqCst);
    crawl(&folder);
    let again = last_visit(&folder, "a.test/numbers");
    assert_eq!((again.outcome.as_str(), again.rule.as_str()), ("unchanged", "same-bytes"), "{again:?}");
    let grown = last_visit(&folder, "b.test/grows");
    assert_eq!((grown.outcome.as_str(), grown.rule.as_str()), ("failed", "unjudged"), "no change: {grown:?}");
}

#[test]
fn a_document_that_takes_hours_is_judged_by_its_bytes() {
    let terms: String = (0..20_000).map(|n| format!("\"t{n}\": \"a:{n}\",")).collect();
    let nodes = r#"{"@context": {"x": "a:x"}, "x": 1},"#.repeat(50_000);
    let document = format!("{{\"@context\": {{{terms}\"x\": \"a:x\"}}, \"@graph\": [{nodes}{{}}]}}");
    assert!(document.len() > 2_000_000);
    let server = Scripted::start(move |_| Told::packed("application/ld+json", &document));
    let folder = collection(server.address, &["a.test/contexts"]);
    crawl(&folder);
    assert_archived_unjudged(&folder, "a.test/contexts", "more computing than a document of its size may");
}

/// What nobody can judge is compared as it was decoded: another date or level of its coding is no change, nor is none at all.
#[test]
fn what_nobody_can_judge_is_compared_as_it_was_decoded() {
    let numbers = |number: &str| format!("{{\"a:b\": [{}1]}}", format!("{number},").repeat(1 << 20));
    let (one, two) = (numbers("1"), numbers("2"));
    let packed = |text: &str, date: u32| {
        let builder = flate2::GzBuilder::new().mtime(date);
        let mut encoder = builder.write(Vec::new(), flate2::Compression::new(date % 9 + 1));
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        Told::new("application/ld+json", encoder.finish().unwrap()).field("Content-Encoding", "gzip")
    };
    let version = Arc::<AtomicU32>::default();
    let served = Arc::clone(&version);
    let server = Scripted::start(move |_| match served.load(Ordering::SeqCst) {
        date @ (0 | 1) => packed(&one, date),
        2 => Told::new("application/ld+json", one.clone()),
        date => packed(&two, date),
    });
    let folder = collection(server.address, &["a.test/numbers"]);
    let told =
        [("first", "first"), ("unchanged", "same-content"), ("unchanged", "same-content"), ("changed", "bytes-differ")];
    for (number, told) in told.into_iter().enumerate() {
        version.store(number as u32, Ordering::SeqCst);
        crawl(&folder);
        let visit = last_visit(&folder, "a.test/numbers");
        assert_eq!((visit.outcome.as_str(), visit.rule.as_str()), told, "{number}: {visit:?}");
        assert!(visit.detail.as_deref().is_some_and(|detail| detail.contains("more memory")), "{visit:?}");
    }
}

/// The answers of sources are read before they are judged, to know what to ask next: apart as well if they are large.
#[test]
fn a_catalogue_is_read_apart_whatever_it_is() {
    let numbers = format!("{{\"a:b\": [{}1]}}", "1,".repeat(3 << 19));
    let entry = |n: usize| format!("<d{n}> dcat:distribution [ dcat:downloadURL </{n}.csv> ] .\n");
    let list: String = (0..6_000).map(entry).collect();
    let list = format!("@prefix dcat: <http://www.w3.org/ns/dcat#> .\n{list}");
    assert!(list.len() > 256 << 10);
    let server = Scripted::start(move |asked| match asked.url.path() {
        "/numbers" => Told::packed("application/ld+json", &numbers),
        "/list" => Told::packed("text/turtle", &list),
        _ => Told::new("text/csv", "1,2\n"),
    });
    let folder = collection(server.address, &["a.test/page", "b.test/page"]);
    for catalogue in ["http://a.test/numbers", "http://b.test/list"] {
        printed(folder.path(), &["add", "--catalog", catalogue]);
    }
    let child = everfresh(folder.path(), &["run", "--max-visits", "4"]).spawn().unwrap();
    let watch = Watch::over(child.id());
    assert!(child.wait_with_output().unwrap().status.success());
    let memory = watch.most();
    assert!(memory < MEMORY, "{} MiB", memory / MIB);
    let numbers = last_visit(&folder, "a.test/numbers");
    assert_eq!((numbers.outcome.as_str(), numbers.rule.as_str()), ("failed", "unjudged"), "{numbers:?}");
    let list = last_visit(&folder, "b.test/list");
    assert_eq!((list.outcome.as_str(), list.detail.as_deref()), ("first", Some("CSV, 6001 rows")), "{list:?}");
}

#[test]
fn many_documents_share_the_memory_of_two() {
    let blanks = format!("<a:a> <a:b> {}[] .", "[],".repeat(200_000));
    let server = Scripted::start(move |_| Told::packed("text/turtle", &blanks));
    let pages: Vec<String> = (0..12).map(|host| format!("host-{host}.test/data.ttl")).collect();
    let folder = collection(server.address, &pages.iter().map(String::as_str).collect::<Vec<_>>());
    let memory = crawl(&folder);
    assert!(memory < MEMORY, "{} MiB", memory / MIB);
    pages.iter().for_each(|page| assert!(last_visit(&folder, page).file.is_some()));
}

/// While two documents are being judged, for as long as that may take, other hosts are visited as ever.
#[test]
fn nobody_waits_for_a_document_that_takes_long() {
    const PAGES: usize = 300;
    const ROWS: usize = 100_000;
    let changed = Arc::new(AtomicBool::new(false));
    let changes = Arc::clone(&changed);
    let server = Scripted::start(move |asked| match (asked.url.path(), changes.load(Ordering::SeqCst)) {
        ("/table.csv", false) => Told::packed("text/csv", &"1,2\n".repeat(ROWS)),
        ("/table.csv", true) => Told::packed("text/csv", &"1,3\n".repeat(ROWS)),
        ("/", _) => Told::new("text/html", (1..PAGES).map(|page| format!("<a href=/{page}>p</a>")).collect::<String>()),
        _ => Told::new("text/html", "page"),
    });
    let folder = collection(server.address, &["one.test/table.csv", "two.test/table.csv", "honest.test/"]);
    crawl(&folder);
    changed.store(true, Ordering::SeqCst);
    let before = honest(&server);
    let mut run = everfresh(folder.path(), &["run", "--until-idle"]).spawn().unwrap();
    let judging = wait_for(|| {
        assert!(run.try_wait().unwrap().is_none(), "it ended, and nothing was judged apart");
        Some(children(run.id())).filter(|children| !children.is_empty())
    });
    judging.iter().for_each(|process| signal(*process, Signal::STOP));
    wait_for(|| (honest(&server) >= before + PAGES).then_some(()));
    judging.iter().for_each(|process| signal(*process, Signal::CONT));
    assert!(run.wait_with_output().unwrap().status.success());
    for page in ["one.test/table.csv", "two.test/table.csv"] {
        let visit = last_visit(&folder, page);
        assert_eq!((visit.outcome.as_str(), visit.rule.as_str()), ("changed", "data-differs"), "{visit:?}");
        let detail = visit.detail.unwrap();
        assert_eq!(detail, format!("CSV, {ROWS} rows: 0 added, 0 removed, {ROWS} changed"));
    }
}

/// Ctrl-C and service managers tell all processes at once.
#[test]
fn who_ends_a_crawl_does_not_end_what_is_judged() {
    let server = Scripted::start(|_| Told::packed("text/csv", &"1,2\n".repeat(LONG_ROWS)));
    let folder = collection(server.address, &["one.test/table.csv"]);
    let mut run = everfresh(folder.path(), &["run", "--until-idle"]).spawn().unwrap();
    let judging = wait_for(|| {
        assert!(run.try_wait().unwrap().is_none(), "it ended, and nothing was judged apart");
        children(run.id()).first().copied().filter(|child| handles(*child, Signal::INT))
    });
    assert_ne!(process_group(judging), process_group(run.id()));
    for asked in [Signal::INT, Signal::TERM, Signal::HUP] {
        signal(judging, asked);
    }
    assert!(run.wait_with_output().unwrap().status.success());
    let visit = last_visit(&folder, "one.test/table.csv");
    assert_eq!(
        (visit.rule.as_str(), visit.detail.as_deref()),
        ("first", Some(&*format!("CSV, {LONG_ROWS} rows"))),
        "{visit:?}"
    );
}

/// Who is asked to end does not wait for those who take their time, and what it was at is done at the next start.
#[test]
fn a_crawl_that_is_to_end_waits_for_nobody() {
    let (is_asked, is_over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (asked_for, over) = (Arc::clone(&is_asked), Arc::clone(&is_over));
    let server = Scripted::start(move |asked| match asked.url.path() {
        "/silent" => {
            asked_for.store(true, Ordering::SeqCst);
            wait_for(|| over.load(Ordering::SeqCst).then_some(()));
            Told::new("text/html", "at last")
        }
        _ => Told::packed("text/csv", &"1,2\n".repeat(LONG_ROWS)),
    });
    let folder = collection(server.address, &["one.test/table.csv", "two.test/silent"]);
    let mut run = everfresh(folder.path(), &["run", "--until-idle"]).spawn().unwrap();
    let judging = wait_for(|| {
        assert!(run.try_wait().unwrap().is_none(), "it ended, and nothing was judged apart");
        children(run.id()).first().copied()
    });
    signal(judging, Signal::STOP);
    wait_for(|| is_asked.load(Ordering::SeqCst).then_some(()));
    signal(run.id(), Signal::TERM);
    assert_eq!(run.wait_with_output().unwrap().status.code(), Some(11));
    assert_eq!(visits(folder.path()).len(), 0, "as if nothing had begun");
    is_over.store(true, Ordering::SeqCst);
    crawl(&folder);
    assert_eq!(last_visit(&folder, "two.test/silent").outcome, "first");
    assert_eq!(last_visit(&folder, "one.test/table.csv").detail.as_deref(), Some(&*format!("CSV, {LONG_ROWS} rows")));
}

fn process_group(process: u32) -> Option<Pid> {
    getpgid(Pid::from_raw(process as i32)).ok()
}

fn honest(server: &Scripted) -> usize {
    server.log().iter().filter(|asked| asked.url.host_str() == Some("honest.test")).count()
}

/// A server one page of which kills whoever asks for it: the crawl itself, or the process in which it is asked for.
struct Killer {
    server: Scripted,
    crawl: Arc<AtomicU32>,
    /// Whether it kills.
    armed: Arc<AtomicBool>,
    /// Whether the last one who asked for the page was apart.
    apart: Arc<AtomicBool>,
}

impl Killer {
    fn start(path: &'static str) -> Killer {
        let (crawl, armed, apart) =
            (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(true)), Arc::<AtomicBool>::default());
        let (victim, is_armed, was_apart) = (Arc::clone(&crawl), Arc::clone(&armed), Arc::clone(&apart));
        let answer = move |asked: &Asked| {
            if asked.url.path() == path && asked.url.host_str() == Some("a.test") {
                let crawl = wait_for(|| Some(victim.load(Ordering::SeqCst)).filter(|crawl| *crawl != 0));
                // Who asked waits for an answer; whoever else is at work comes to an end.
                let child = wait_for(|| Some(children(crawl)).filter(|all| all.len() <= 1)).pop();
                was_apart.store(child.is_some(), Ordering::SeqCst);
                if is_armed.load(Ordering::SeqCst) {
                    signal(child.unwrap_or(crawl), Signal::KILL);
                }
            }
            match asked.url.path() {
                "/robots.txt" => Told::new("text/plain", ""),
                "/" => Told::new("text/html", "<a href=/1>1</a><a href=/killer>k</a><a href=/2>2</a><a href=/3>3</a>"),
                _ => Told::new("text/html", "page"),
            }
        };
        Killer { server: Scripted::start_bare(answer), crawl, armed, apart }
    }

    fn run(&self, folder: &TempDir) -> ExitStatus {
        self.crawl.store(0, Ordering::SeqCst);
        let child = everfresh(folder.path(), &["run", "--until-idle"]).spawn().unwrap();
        self.crawl.store(child.id(), Ordering::SeqCst);
        child.wait_with_output().unwrap().status
    }
}

#[test]
fn a_page_that_kills_is_visited_apart_and_rests_until_it_is_survived() {
    let killer = Killer::start("/killer");
    let folder = collection(killer.server.address, &["a.test/"]);
    assert!(!killer.run(&folder).success(), "the first time it does kill");
    for _ in 0..2 {
        assert!(killer.run(&folder).success() && killer.apart.load(Ordering::SeqCst));
        let visit = last_visit(&folder, "a.test/killer");
        assert_eq!((visit.outcome.as_str(), visit.rule.as_str()), ("failed", "crashed"), "{visit:?}");
        assert!(visit.detail.as_deref().is_some_and(|detail| detail.contains("signal 9")), "{visit:?}");
        for page in ["a.test/", "a.test/1", "a.test/2", "a.test/3"] {
            assert!(visits_of(&folder, page).iter().any(|visit| visit.file.is_some()), "{page}");
        }
    }
    killer.armed.store(false, Ordering::SeqCst);
    assert!(killer.run(&folder).success() && killer.apart.load(Ordering::SeqCst));
    assert_eq!(last_visit(&folder, "a.test/killer").outcome, "first");
    assert!(
        killer.run(&folder).success() && !killer.apart.load(Ordering::SeqCst),
        "what was survived is trusted again"
    );
    assert_eq!(last_visit(&folder, "a.test/killer").outcome, "unchanged");
}

#[test]
fn a_robots_txt_that_kills_keeps_only_its_own_host() {
    let killer = Killer::start("/robots.txt");
    let folder = collection(killer.server.address, &["a.test/", "b.test/"]);
    assert!(!killer.run(&folder).success(), "the first time it does kill");
    assert!(killer.run(&folder).success() && killer.apart.load(Ordering::SeqCst));
    let visit = last_visit(&folder, "a.test/");
    assert_eq!((visit.outcome.as_str(), visit.rule.as_str()), ("failed", "crashed"), "{visit:?}");
    assert!(last_visit(&folder, "b.test/3").file.is_some());
}

/// Whatever was under way when a crawl was killed waits for its turn, and nobody waits for it.
#[test]
fn any_number_of_suspected_robots_txt_keeps_nobody_else() {
    const SILENT: usize = 60;
    const PAGES: usize = 20;
    let (asked, released) = (Arc::new(AtomicU32::new(0)), Arc::<AtomicBool>::default());
    let (counted, release) = (Arc::clone(&asked), Arc::clone(&released));
    let server = Scripted::start_bare(move |asked| match (asked.url.host_str(), asked.url.path()) {
        (Some("honest.test"), "/robots.txt") => Told::new("text/plain", ""),
        (Some("honest.test"), "/") => {
            Told::new("text/html", (1..PAGES).map(|page| format!("<a href=/{page}>p</a>")).collect::<String>())
        }
        (Some("honest.test"), _) => Told::new("text/html", "page"),
        _ => {
            counted.fetch_add(1, Ordering::SeqCst);
            wait_for(|| release.load(Ordering::SeqCst).then_some(()));
            Told::new("text/plain", "")
        }
    });
    let silent: Vec<String> = (0..SILENT).map(|host| format!("silent-{host}.test/")).collect();
    let pages: Vec<&str> = silent.iter().map(String::as_str).chain(["honest.test/"]).collect();
    let folder = collection(server.address, &pages);
    let patient = ["--set", "fetch.first_byte_timeout=1h", "--set", "fetch.total_timeout=1h"];
    let address = ["--set", "fetch.hosts_per_address=1000"];
    let run = |more: &[&str]| {
        everfresh(folder.path(), &[&["run", "--until-idle"], &patient[..], &address, more].concat()).spawn().unwrap()
    };
    let mut first = run(&[]);
    wait_for(|| (asked.load(Ordering::SeqCst) >= SILENT as u32 && honest(&server) >= PAGES).then_some(()));
    first.kill().unwrap();
    first.wait().unwrap();
    let before = honest(&server);
    let again = run(&["--set", "fetch.concurrency=4"]);
    wait_for(|| (honest(&server) >= before + PAGES).then_some(()));
    released.store(true, Ordering::SeqCst);
    assert!(again.wait_with_output().unwrap().status.success());
    assert!(silent.iter().all(|page| last_visit(&folder, page).file.is_some()));
}

/// A page that kills is a guess: what the file of a killed crawl says is used with care.
#[test]
fn a_file_of_suspects_full_of_garbage_does_no_harm() {
    let server = Scripted::start(|_| Told::new("text/html", "page"));
    let folder = collection(server.address, &["a.test/"]);
    std::fs::write(folder.path().join("under-way"), vec![0xa5; 12_345]).unwrap();
    crawl(&folder);
    assert!(last_visit(&folder, "a.test/").file.is_some());
    assert_eq!(std::fs::metadata(folder.path().join("under-way")).unwrap().len() % 16, 0);
}
