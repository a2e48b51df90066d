//! The program from outside: what it says and answers when something is wrong, how it stops, what its reports hold.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::Duration;

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::{self, Config};
use everfresh::living::{Changes, LivingWeb, Page, Script, Site};
use everfresh::store;
use revisit::Span;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use support::archive::assert_consistent;
use support::collection::{
    config_for, empty_collection, everfresh, json, new_collection, new_collection_of, printed, refusal, visits,
};
use support::large::{PAGE_BYTES, serve_large_pages};
use tempfile::TempDir;
use url::Url;

// As `everfresh --help` documents them.
const NO_SPACE: i32 = 3;
const WRONG: i32 = 4;
const IN_USE: i32 = 5;
const STORE: i32 = 6;
const INTERRUPTED: i32 = 11;
const INTERRUPTED_TWICE: i32 = 13;

/// Asserts that a command failed with a code and one line, in which all these words are.
fn assert_refused(output: &Output, code: i32, words: &[&str]) {
    let (answered, line) = refusal(output);
    assert_eq!(answered, Some(code), "{line}");
    words.iter().for_each(|word| assert!(line.contains(word), "'{word}' is missing in: {line}"));
}

fn output(folder: &Path, arguments: &[&str]) -> Output {
    everfresh(folder, arguments).output().unwrap()
}

/// A living web of one host that waits `delay` between two requests, and a collection of it.
async fn small_web(pages: usize, delay: Span) -> (LivingWeb, TempDir) {
    let pages = (1..=pages).map(|number| Page::new(&format!("/{number}")).changes(Changes::Never));
    web_of(Site::new("small.test").pages(pages), delay).await
}

async fn web_of(site: Site, delay: Span) -> (LivingWeb, TempDir) {
    let clock = Clock::wall();
    let web = LivingWeb::start(Script::new(1).site(site), clock.clone()).await.unwrap();
    let folder = new_collection(&config_for(&web, delay), &web, clock.now());
    (web, folder)
}

#[test]
fn a_seed_that_is_no_url_is_named() {
    let folder = empty_collection();
    let folder = folder.path();
    assert_refused(&output(folder, &["add", "no url"]), WRONG, &["'no url' is no page", "https://host/path"]);
    assert_refused(&output(folder, &["add", "mailto:a@b.test"]), WRONG, &["mailto:a@b.test"]);
    let list = folder.join("seeds.txt");
    fs::write(&list, "# pages\nhttp://a.test/\nhttp://\n").unwrap();
    assert_refused(
        &output(folder, &["add", "--file", list.to_str().unwrap()]),
        WRONG,
        &["seeds.txt line 3", "'http://'"],
    );
    assert_eq!(json(folder, &["status"])["totals"]["pages"], 0, "all or nothing");
}

#[test]
fn wrong_configuration_is_named_with_its_place() {
    let folder = empty_collection();
    let folder = folder.path();
    let set = |assignment| output(folder, &["run", "--once", "--set", assignment]);
    let environment = |name, value| everfresh(folder, &["run", "--once"]).env(name, value).output().unwrap();
    assert_refused(&set("fetch.delai=3s"), WRONG, &["--set fetch.delai=3s", "`delai`", "`delay`"]);
    assert_refused(&set("fetch.connections=many"), WRONG, &["--set fetch.connections=many", "invalid type"]);
    assert_refused(&set("fetch.delay=3 fortnights"), WRONG, &["3 fortnights", "500ms, 10s"]);
    assert_refused(&environment("EVERFRESH_FETCH_DELAI", "3s"), WRONG, &["EVERFRESH_FETCH_DELAI", "everfresh.toml"]);
    assert_refused(&environment("EVERFRESH_FETCH_CONNECTIONS", "many"), WRONG, &["EVERFRESH_FETCH_CONNECTIONS"]);
    let file = |text: &str| {
        fs::write(folder.join(config::FILE), text).unwrap();
        output(folder, &["run", "--once"])
    };
    assert_refused(&file("[fetch]\ndelai = \"3s\"\n"), WRONG, &["everfresh.toml line 2", "`delai`", "`delay`"]);
    assert_refused(&file("[schedule]\n\nbudget = \"all\"\n"), WRONG, &["everfresh.toml line 3", "invalid type"]);
    assert_refused(&file("[schedule\n"), WRONG, &["everfresh.toml line 1"]);
}

#[test]
fn a_store_that_cannot_be_used_is_left_as_it_is() {
    let folder = empty_collection();
    let file = folder.path().join(store::FILE);
    rusqlite::Connection::open(&file).unwrap().pragma_update(None, "user_version", 999).unwrap();
    for command in [&["run", "--once"][..], &["status"], &["add", "http://a.test/"], &["export", "visits"]] {
        assert_refused(&output(folder.path(), command), STORE, &["version 999", "use a newer everfresh"]);
    }
    let garbage = "garbage ".repeat(1000);
    fs::write(&file, &garbage).unwrap();
    for command in [&["run", "--once"][..], &["status"], &["add", "http://a.test/"]] {
        assert_refused(&output(folder.path(), command), STORE, &["everfresh.db", "restore it from a backup"]);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), garbage);
}

#[test]
fn a_folder_that_is_no_collection_is_told_from_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    assert_refused(&output(folder.path(), &["status"]), WRONG, &["is not a collection", "everfresh init"]);
    let made = Command::new(env!("CARGO_BIN_EXE_everfresh")).arg("init").arg(folder.path()).output().unwrap();
    assert!(made.status.success());
    assert_eq!(json(folder.path(), &["status"])["totals"]["visits"], 0);
    let again = Command::new(env!("CARGO_BIN_EXE_everfresh")).arg("init").arg(folder.path()).output().unwrap();
    assert_refused(&again, WRONG, &["is a collection already"]);
}

/// A limit on the size of files stands in for a full disk, as in `archive_crash.rs`.
#[test]
fn a_full_disk_ends_the_crawl_and_loses_nothing() {
    let pages = 8;
    let mut config = Config::default();
    config.fetch.allow_private = true;
    config.fetch.delay = everfresh::units::Duration(Span::ZERO);
    config.fetch.resolve.insert("large.test".into(), serve_large_pages(pages).to_string());
    let seed = Url::parse("http://large.test/").unwrap();
    let folder = new_collection_of(&config, &[seed], Clock::wall().now());
    let blocks = 4 * PAGE_BYTES / 512;
    let full = Command::new("sh")
        .args(["-c", &format!(r#"trap '' XFSZ; ulimit -f {blocks}; exec "$0" "$@""#)])
        .args([env!("CARGO_BIN_EXE_everfresh"), "run", "--until-idle", "-C"])
        .arg(folder.path())
        .env("RUST_LOG", "off")
        .output()
        .unwrap();
    assert_refused(&full, NO_SPACE, &["no space left", ".warc.gz", "free some space"]);
    let before = support::collection::lines(&visits(folder.path()));

    let summary = json(folder.path(), &["run", "--until-idle"]);
    assert_eq!(summary["outcomes"]["failed"], 0, "{summary}");
    let after = support::collection::lines(&visits(folder.path()));
    assert_eq!(after[..before.len()], before, "what was acknowledged is there");
    assert_eq!(json(folder.path(), &["status"])["totals"]["copies"], pages + 1);
    assert_consistent(folder.path());
}

/// SQLite calls what a quota or a limit on the size of files forbids an I/O error, and a full disk alone full.
#[test]
fn a_store_that_may_not_grow_has_no_space() {
    let folder = empty_collection();
    let seeds: String = (0..20_000).map(|number| format!("http://a.test/{number}\n")).collect();
    fs::write(folder.path().join("seeds"), seeds).unwrap();
    let full = Command::new("sh")
        .args([
            "-c",
            r#"trap '' XFSZ; ulimit -f 1000; exec "$0" "$@""#,
            env!("CARGO_BIN_EXE_everfresh"),
            "add",
            "--file",
        ])
        .args([folder.path().join("seeds").as_path(), Path::new("-C"), folder.path()])
        .output()
        .unwrap();
    assert_refused(&full, NO_SPACE, &["no space left for the store", "free some space"]);
    assert_eq!(json(folder.path(), &["status"])["totals"]["pages"], 0, "all or nothing");
}

/// A folder whose parent was not synced is gone after a power cut, with all that was synced in it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_folders_are_synced_in_their_parents() {
    let (_web, folder) = small_web(1, Span::ZERO).await;
    let made = folder.path().join("new/collection");
    let calls = folder.path().join("calls");
    for arguments in [&["init", made.to_str().unwrap()][..], &["run", "-C", folder.path().to_str().unwrap(), "--once"]]
    {
        let traced = Command::new("strace")
            .args(["-f", "-y", "-A", "-e", "trace=mkdir,mkdirat,fsync", "-o"])
            .args([calls.as_path(), Path::new(env!("CARGO_BIN_EXE_everfresh"))])
            .args(arguments)
            .output()
            .expect("scripts/test installs strace");
        assert!(traced.status.success(), "{}", String::from_utf8_lossy(&traced.stderr));
    }
    let calls = fs::read_to_string(calls).unwrap();
    let mut calls = calls.lines();
    let mut synced = Vec::new();
    while let Some(call) = calls.next() {
        let Some(path) = call.split('"').nth(1).filter(|_| call.contains("mkdir") && !call.contains(" = -1")) else {
            continue;
        };
        let parent = format!("<{}>", Path::new(path).parent().unwrap().display());
        assert!(calls.clone().any(|call| call.contains("fsync(") && call.contains(&parent)), "{call}");
        synced.extend(Path::new(path).file_name().map(|name| name.to_str().unwrap()));
    }
    assert_eq!(synced, ["new", "collection", "archive", "indexes"]);
}

/// Starts a run and waits until the living web was asked for so many pages of it.
async fn run_until(web: &LivingWeb, folder: &Path, arguments: &[&str], requests: usize) -> Child {
    let child = everfresh(folder, arguments).spawn().unwrap();
    web.asked(requests).await;
    child
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Who holds the lock and is no crawl cannot be called.
#[test]
fn what_cannot_be_added_now_says_who_is_in_the_way() {
    let folder = empty_collection();
    let _lock = Collection::at(folder.path()).lock("train").unwrap();
    let holder = format!("'everfresh train' (process {})", std::process::id());
    let refused = output(folder.path(), &["add", "http://small.test/new"]);
    assert_refused(&refused, IN_USE, &["is in use by", &holder, "wait for it or stop it"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collection_has_one_writer_and_many_readers() {
    let (web, folder) = small_web(200, Span::from_millis(50)).await;
    let folder = folder.path();
    let running = run_until(&web, folder, &["run"], 3).await;
    let holder = format!("'everfresh run' (process {})", running.id());
    assert_refused(&output(folder, &["run", "--once"]), IN_USE, &["is in use by", &holder, "stop it"]);
    assert_eq!(json(folder, &["status"])["totals"]["hosts"], 1, "readers are welcome");
    signal(&running, Signal::TERM);
    assert_eq!(running.wait_with_output().unwrap().status.code(), Some(INTERRUPTED));
}

/// A program that may write nowhere but where modes allow it, whoever runs it: root may do without them.
fn obeying_modes(program: &str) -> Command {
    let mut command = Command::new("setpriv");
    let powers = "-dac_override,-dac_read_search";
    command.args([&format!("--bounding-set={powers}"), &format!("--inh-caps={powers}"), program]);
    command
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_in_which_nobody_may_write_can_be_read() {
    let (_web, folder) = small_web(5, Span::ZERO).await;
    let folder = folder.path();
    printed(folder, &["run", "--until-idle"]);
    let page = "http://small.test/1";
    let commands =
        [&["status", "--sites"][..], &["history"], &["history", page], &["explain", page], &["export", "cdxj"]];
    let before = commands.map(|command| printed(folder, command));
    let mode = |mode| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    // With the log that a crawl's readers leave behind, and without.
    for is_cleared in [false, true] {
        if is_cleared {
            let store = rusqlite::Connection::open(folder.join(store::FILE)).unwrap();
            store.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        }
        mode(0o555);
        let written = obeying_modes("touch").arg(folder.join("new")).output().unwrap();
        let program = env!("CARGO_BIN_EXE_everfresh");
        let read = commands.map(|command| obeying_modes(program).args(command).arg("-C").arg(folder).output().unwrap());
        mode(0o755);
        assert!(!written.status.success(), "nobody may write there");
        assert_eq!(is_cleared, !folder.join(format!("{}-wal", store::FILE)).exists());
        for ((command, before), output) in commands.into_iter().zip(&before).zip(read) {
            assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
            let said = String::from_utf8(output.stdout).unwrap();
            assert_eq!(said.lines().count(), before.lines().count(), "{command:?}: {said}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_finishes_what_is_under_way() {
    let slow = (1..=200).map(|number| Page::new(&format!("/{number}")).slow(Duration::from_millis(100)));
    let (web, folder) = web_of(Site::new("slow.test").pages(slow), Span::ZERO).await;
    let running = run_until(&web, folder.path(), &["run", "--json"], 5).await;
    signal(&running, Signal::INT);
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(INTERRUPTED));
    let summary: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(summary["interrupted"], true);
    let (visits, asked) =
        (visits(folder.path()), web.log().iter().filter(|request| request.path != "/robots.txt").count());
    assert_eq!((visits.len(), summary["visits"].as_u64()), (asked, Some(asked as u64)), "no request was for nothing");
    assert!(!store::reader(folder.path()).unwrap().is_running().unwrap(), "left in order");
    assert_consistent(folder.path());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_interrupt_stops_at_once() {
    let stalling = Page::new("/").slow(Duration::from_secs(3600));
    let (web, folder) = web_of(Site::new("stalling.test").page(stalling), Span::ZERO).await;
    let mut running = run_until(&web, folder.path(), &["run", "--set", "fetch.first_byte_timeout=1h"], 2).await;
    // Signals that come at once are one signal: how many are needed to be two depends on the machine.
    let ended = loop {
        signal(&running, Signal::INT);
        tokio::time::sleep(Duration::from_millis(50)).await;
        if let Some(ended) = running.try_wait().unwrap() {
            break ended;
        }
    };
    assert_eq!(ended.code(), Some(INTERRUPTED_TWICE));
    assert_eq!(json(folder.path(), &["status"])["waiting"], 1, "the page waits for the next run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_end_where_they_are_told_to() {
    let (web, folder) = small_web(30, Span::ZERO).await;
    let folder = folder.path();
    let plan = json(folder, &["run", "--dry-run"]);
    assert_eq!(plan["visits"][0]["url"], "http://small.test/");
    assert!(plan["budget"].is_u64() && plan["visits"][0]["reason"].is_string(), "{plan}");
    assert!(web.log().is_empty() && visits(folder).is_empty(), "a dry run visits nothing");
    assert_eq!(json(folder, &["run", "--until-idle", "--max-visits", "5"])["visits"], 5);
    let cycle = json(folder, &["run", "--once", "--set", "schedule.budget=7"]);
    assert_eq!((&cycle["visits"], &cycle["cycles"]), (&7.into(), &1.into()));
    let rest = json(folder, &["run", "--until-idle"]);
    assert_eq!((&rest["visits"], &rest["waiting"]), (&31.into(), &0.into()), "{rest}");
    let asked = web.log().iter().filter(|request| request.path != "/robots.txt").count();
    assert_eq!((visits(folder).len(), asked), (43, 43));
}

fn assert_keys(value: &Value, keys: &[&str]) {
    keys.iter().for_each(|key| assert!(value.get(key).is_some(), "no '{key}' in {value:#}"));
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_have_their_keys() {
    let (_web, folder) = small_web(3, Span::ZERO).await;
    let folder = folder.path();
    let run = json(folder, &["run", "--until-idle"]);
    assert_keys(&run, &["visits", "outcomes", "pages", "waiting", "pages_per_second", "rooms", "peak_memory_bytes"]);
    let status = json(folder, &["status"]);
    assert_keys(&status, &["policy", "budget", "totals", "outcomes", "waiting", "expected_freshness", "cycles"]);
    let page = json(folder, &["explain", "http://small.test/1"]);
    assert_keys(&page, &["page", "policy", "reason", "when", "score", "rank", "evidence", "last_visit"]);
    assert_eq!(page["page"]["found_on"], "http://small.test/");
    assert_eq!(page["of"], 4, "every page has a rank: {page}");
    assert_eq!(json(folder, &["history", "http://small.test/1"])["visits"][0]["outcome"], "first");
    let visits = json_lines(&printed(folder, &["export", "visits"]));
    assert_keys(&visits[3], &["url", "at", "outcome", "rule", "status", "file", "position", "length"]);
    let pages = json_lines(&printed(folder, &["export", "pages"]));
    assert_keys(&pages[3], &["url", "weight", "depth", "found_as", "found_on", "found_at"]);
    let index = printed(folder, &["export", "cdxj"]);
    assert!(index.starts_with("test,small)/ 2") && index.lines().is_sorted(), "{index}");
    assert_eq!((visits.len(), pages.len(), index.lines().count()), (4, 4, 4));
}

#[test]
fn the_lab_and_the_demo_report_without_a_collection() {
    let report = |arguments: &[&str]| -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_everfresh")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let policies = report(&["lab", "policies", "--json"]);
    policies["policies"]
        .as_array()
        .unwrap()
        .iter()
        .for_each(|policy| assert_keys(policy, &["name", "paper", "parameters"]));
    let demo = report(&["demo", "--days", "2", "--json"]);
    let counts = ["pages", "visits", "changes_caught", "changes_missed", "fetches_saved"];
    counts.iter().for_each(|key| assert!(demo[key].is_i64(), "{key}: {demo}"));
    let shares = ["true_freshness", "true_freshness_at_cycle_ends", "estimated_freshness"]
        .map(|key| demo[key].as_f64().unwrap());
    assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{demo}");
    assert!(demo["visits"].as_i64().unwrap() > 0, "{demo}");
}
