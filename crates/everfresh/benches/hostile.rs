//! A crawl among enemies: 200 hosts that mix every trap of the hostile server, and 20,000 honest pages on 100 hosts.
//!
//! ```sh
//! cargo bench --bench hostile           # crawls everything, then everything again
//! cargo bench --bench hostile -- 20 10  # fewer hosts: 20 hostile ones, 10 honest ones
//! ```
//!
//! It says, and fails unless: the crawl ends with 0; all its processes together hold less than 1.5 GB; every honest page is
//! archived exactly once, and found unchanged the second time; and no honest host waits more than 2 s beyond its delay.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::living::{Hostile, LivingWeb, Page, Request, Script, Site};
use revisit::Time;
use serde_json::Value;

const PAGES_A_HOST: usize = 200;
const TRAPS_A_HOST: usize = 6;
const DELAY: Duration = Duration::from_millis(250);
const LONGEST_SILENCE: Duration = Duration::from_secs(2);
const MOST_MEMORY: u64 = 1_500_000_000;

#[tokio::main]
async fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<usize>().ok());
    let (traps, honest) = (numbers.next().unwrap_or(200), numbers.next().unwrap_or(100));
    let hostile = Hostile::start().await.unwrap();
    let web = LivingWeb::start(honest_script(honest), Clock::wall()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), &hostile, traps, &web);
    let pages = web.truth().pages().count();
    println!("{traps} hosts with {TRAPS_A_HOST} of {} traps each, {pages} honest pages", hostile.traps().len());
    for turn in ["first", "again"] {
        let before = web.log().len();
        let (summary, memory) = run(folder.path());
        let log = web.log().split_off(before);
        let (host, silence) = longest_silence(&log);
        println!(
            "{turn}: {} visits in {:.0} s, {} failed, {} MB in all processes; longest silence {silence:?} ({host})",
            summary["visits"],
            summary["seconds"].as_f64().unwrap(),
            summary["outcomes"]["failed"],
            memory / 1_000_000,
        );
        assert!(memory < MOST_MEMORY, "too much memory");
        assert!(silence <= DELAY + LONGEST_SILENCE, "an honest host was left alone");
        assert_archived(folder.path(), &web, turn);
    }
    println!("every honest page was archived once and found unchanged");
}

/// Honest hosts, whose front pages link to all their pages.
fn honest_script(hosts: usize) -> Script {
    let site = |number: usize| {
        let pages = (1..PAGES_A_HOST).map(|page| Page::new(&format!("/page/{page}")));
        Site::new(&format!("honest-{number}.test")).pages(pages)
    };
    (0..hosts).map(site).fold(Script::new(1), Script::site)
}

/// A collection of both webs, all of whose names lead to one address, which is no reason here to ask them in turn. The traps are dealt to the hosts in turn, so that each has some of them.
fn prepare(folder: &Path, hostile: &Hostile, hosts: usize, web: &LivingWeb) {
    let mut seeds: Vec<String> = web.seeds().iter().map(ToString::to_string).collect();
    let mut resolve: Vec<String> =
        web.hosts().iter().map(|host| format!("\"{host}\" = \"{}\"", web.address())).collect();
    let mut traps = hostile.traps().iter().cycle();
    for number in 0..hosts {
        let host = format!("trap-{number}.test");
        seeds.extend(traps.by_ref().take(TRAPS_A_HOST).map(|trap| format!("http://{host}{}", trap.path)));
        resolve.push(format!("\"{host}\" = \"{}\"", hostile.address()));
    }
    Collection::at(folder).init().unwrap();
    let config = format!(
        "[fetch]\ndelay = \"{}ms\"\nallow_private = true\nhosts_per_address = 1000\n[fetch.resolve]\n{}\n\
         [scope]\nmax_depth = 3\nmax_pages_per_host = 300\nexclude = [\"trap-.*/[0-9a-f]+$\"]\n",
        DELAY.as_millis(),
        resolve.join("\n")
    );
    std::fs::write(folder.join("everfresh.toml"), config).unwrap();
    let list = folder.join("seeds.txt");
    std::fs::write(&list, seeds.join("\n")).unwrap();
    everfresh(folder, &["add", "--file", list.to_str().unwrap()]);
}

/// What a command that must succeed printed.
fn everfresh(folder: &Path, arguments: &[&str]) -> String {
    let output = program(folder, arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_everfresh"));
    program.args(arguments).arg("-C").arg(folder).env("RUST_LOG", "off").stdin(Stdio::null());
    program
}

/// Crawls once; gives its summary, and the most memory that all its processes held at once.
fn run(folder: &Path) -> (Value, u64) {
    let child = program(folder, &["run", "--until-idle", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let (most, going) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(true)));
    let (kept, watched, process) = (Arc::clone(&most), Arc::clone(&going), child.id());
    let watcher = std::thread::spawn(move || {
        while watched.load(Ordering::Relaxed) {
            kept.fetch_max(resident(process), Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    let output = child.wait_with_output().unwrap();
    going.store(false, Ordering::Relaxed);
    watcher.join().unwrap();
    assert!(output.status.success(), "the crawl ended with {}", output.status);
    (serde_json::from_slice(&output.stdout).unwrap(), most.load(Ordering::Relaxed))
}

/// The resident memory of a process and all below it, in bytes.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0);
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let below: u64 = children
        .flat_map(|list| list.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<u32>>())
        .map(resident)
        .sum();
    kilobytes * 1024 + below
}

/// The longest time between two requests to an honest host, and which host that was.
fn longest_silence(log: &[Request]) -> (String, Duration) {
    let mut times: BTreeMap<&str, Vec<Time>> = BTreeMap::new();
    log.iter().for_each(|request| times.entry(&request.host).or_default().push(request.at));
    let silences = times.into_iter().map(|(host, mut times)| {
        times.sort_unstable();
        let gap = times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).fold(0.0, f64::max);
        (host.to_owned(), Duration::from_secs_f64(gap))
    });
    silences.max_by_key(|(_, gap)| *gap).unwrap()
}

/// Every honest page has one capture with a body, and after the second crawl a visit that found it unchanged.
fn assert_archived(folder: &Path, web: &LivingWeb, turn: &str) {
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in everfresh(folder, &["export", "visits"]).lines() {
        let visit: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| visit[key].as_str().unwrap_or_default().to_owned();
        assert!(visit["file"].is_string() || !text("url").contains("honest-"), "not archived: {visit}");
        seen.entry(text("url")).or_default().push(text("outcome"));
    }
    let expected: &[&str] = if turn == "first" { &["first"] } else { &["first", "unchanged"] };
    for page in web.truth().pages() {
        let visits = seen.get(page.url).map(Vec::as_slice).unwrap_or_default();
        assert!(visits == expected, "{}: {visits:?}", page.url);
    }
}
