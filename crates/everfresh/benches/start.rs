//! How long a start takes, and how much memory, with a checkpoint and without: `cargo bench -p everfresh --bench start -- PAGES VISITS`.
//!
//! A store of a made-up crawl is written through its interface, a fifth of the pages a cycle; each start is a process of its own.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use everfresh::config::Config;
use everfresh::pipeline::{CHECKPOINT, Memory, fingerprint, make_checkpoint};
use everfresh::rule::Rule;
use everfresh::settings::Settings;
use everfresh::store::{self, Batch, FoundAs, HostRow, OpenedCycle, Opening, PageRow, VisitRow, Writer};
use revisit::{HostId, Outcome, PageId, Span, Time, Visit};

const PAGES: u32 = 100_000;
const VISITS: u64 = 600_000;
/// Pages on a host.
const ON_A_HOST: u32 = 1000;
/// Rows in a batch.
const TOGETHER: usize = 20_000;

fn at(cycle: u64) -> Time {
    Time::from_secs(1_700_000_000) + Span::DAY * cycle as f64
}

fn settings() -> Settings {
    Settings::resolve(Config::default()).unwrap()
}

fn host(id: u32) -> HostRow {
    let (last_contact, blocked_until, pause) = (Time::MIN, Time::MIN, Span::ZERO);
    HostRow { id: HostId(id), name: format!("http://{id}.test"), robots: None, last_contact, blocked_until, pause }
}

fn page(id: u32) -> PageRow {
    let host = HostId(id / ON_A_HOST);
    let url = format!("http://{}.test/section-{}/page-{id}.html", host.0, id % 20);
    let (found_as, found_on, found_at) = (FoundAs::Link, None, at(0));
    let fingerprint = fingerprint(&url);
    PageRow { id: PageId(id), url, fingerprint, host, weight: 1.0, depth: 1, hops: 0, found_at, found_as, found_on }
}

fn visit(page: u32, cycle: u64, is_first: bool) -> VisitRow {
    let outcome = match (u64::from(page) + cycle) % (u64::from(page) % 30 + 2) {
        _ if is_first => Outcome::First,
        0 => Outcome::Changed,
        _ => Outcome::Unchanged,
    };
    let visit = Visit { page: PageId(page), at: at(cycle) + Span::HOUR, outcome };
    let (detail, answer, capture, parts) = (None, None, None, Vec::new());
    VisitRow { visit, rule: Rule::SameText, detail, answer, capture, parts, requests: 1 }
}

/// Writes a crawl of so many pages and visits; says how many cycles it had.
fn write(store: &mut dyn Writer, pages: u32, visits: u64) -> u64 {
    let hosts = (0..=pages / ON_A_HOST).map(host).collect();
    store.commit(&Batch { hosts, collection: Some(1), ..Batch::default() }).unwrap();
    for from in (0..pages).step_by(TOGETHER) {
        let pages = (from..pages.min(from + TOGETHER as u32)).map(page).collect();
        store.commit(&Batch { pages, ..Batch::default() }).unwrap();
    }
    let budget = u64::from(pages / 5).max(1);
    let cycles = visits.div_ceil(budget);
    for cycle in 0..cycles {
        let after = store.last_batch().unwrap().number;
        let opened = OpenedCycle { number: cycle + 1, at: at(cycle), after, budget, visits: budget };
        store.commit(&Batch { opened: vec![opened], ..Batch::default() }).unwrap();
        let numbers = (cycle * budget..visits.min((cycle + 1) * budget)).collect::<Vec<u64>>();
        for some in numbers.chunks(TOGETHER) {
            let made =
                some.iter().map(|number| visit((number % u64::from(pages)) as u32, cycle, *number < u64::from(pages)));
            store.commit(&Batch { visits: made.collect(), ..Batch::default() }).unwrap();
        }
    }
    cycles
}

/// The most memory that this process ever had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// Starts as `status` does.
fn start(folder: &Path) {
    let (began, settings) = (Instant::now(), settings());
    let store = store::reader(folder).unwrap();
    let memory = Memory::rebuild(folder, store.as_ref(), &settings, at(10_000), true).unwrap();
    let (seconds, pages) = (began.elapsed().as_secs_f64(), memory.scheduler.pages().len());
    let peak = peak_memory();
    println!("{seconds:.2} s, {} MB, {} bytes a page", peak >> 20, peak / pages.max(1) as u64);
}

fn start_apart(name: &str, folder: &Path) {
    print!("{name}: ");
    std::io::Write::flush(&mut std::io::stdout()).unwrap();
    let program = std::env::current_exe().unwrap();
    assert!(Command::new(program).arg("start").arg(folder).status().unwrap().success());
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [start_it, folder] = &arguments[..]
        && start_it == "start"
    {
        return start(Path::new(folder));
    }
    let number = |place: usize| arguments.get(place).map(|number| number.replace('_', "").parse::<u64>().unwrap());
    let (pages, visits) = (number(0).map_or(PAGES, |pages| pages as u32), number(1).unwrap_or(VISITS));
    let folder = tempfile::tempdir().unwrap();
    let mut store = store::open(folder.path(), Opening { durable: false, ..Opening::default() }).unwrap();
    let cycles = write(store.as_mut(), pages, visits);
    drop(store);
    println!("{pages} pages, {visits} visits, {cycles} cycles");
    start_apart("without a checkpoint", folder.path());
    let began = Instant::now();
    assert!(make_checkpoint(folder.path(), &settings(), at(10_000)).unwrap());
    let bytes = std::fs::metadata(folder.path().join(CHECKPOINT)).unwrap().len();
    println!("to make one: {:.2} s, {} MB", began.elapsed().as_secs_f64(), bytes >> 20);
    start_apart("with it", folder.path());
}
