//! Checkpoints that fit, and those that do not.

use revisit::{HostId, Outcome, PageId, Span, Visit};
use tempfile::TempDir;

use super::*;
use crate::config::Config;
use crate::pipeline::{Memory, add_seeds, fingerprint};
use crate::rule::Rule;
use crate::store::{Batch, FoundAs, HostRow, OpenedCycle, Opening, PageRow, VisitRow, Writer};

const PAGES: u32 = 30;
const BUDGET: usize = 10;

fn at(cycle: u64) -> Time {
    Time::from_secs(1_700_000_000) + Span::DAY * cycle as f64
}

fn url(page: u32) -> String {
    format!("http://a.test/{}/{page}", page % 3)
}

fn settings(policy: &str) -> Settings {
    let mut config = Config::default();
    config.schedule.policy = policy.into();
    config.schedule.budget = BUDGET;
    config.schedule.cycle = crate::units::Duration(Span::DAY);
    Settings::resolve(config).unwrap()
}

fn visit(page: u32, cycle: u64) -> VisitRow {
    let outcome = match cycle {
        1..=3 => Outcome::First,
        _ if (u64::from(page) + cycle).is_multiple_of(u64::from(page) % 4 + 1) => Outcome::Changed,
        _ => Outcome::Unchanged,
    };
    let visit = Visit { page: PageId(page), at: at(cycle) + Span::HOUR, outcome };
    let (detail, answer, capture, parts) = (None, None, None, Vec::new());
    VisitRow { visit, rule: Rule::First, detail, answer, capture, parts, requests: 1 + u32::from(page == 7) }
}

/// A cycle, and a batch of visits in it.
fn live(store: &mut dyn Writer, cycle: u64) {
    let after = store.last_batch().unwrap().number;
    let opened = OpenedCycle { number: cycle, at: at(cycle), after, budget: BUDGET as u64, visits: BUDGET as u64 };
    store.commit(&Batch { opened: vec![opened], ..Batch::default() }).unwrap();
    let first = (cycle as u32 - 1) % 3 * 10;
    let visits = (first..first + 10).map(|page| visit(page, cycle)).collect();
    store.commit(&Batch { visits, ..Batch::default() }).unwrap();
}

/// A collection with some cycles behind it.
fn lived(number: u64, cycles: u64) -> (TempDir, Box<dyn Writer>) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = store::open(folder.path(), Opening { durable: false, ..Opening::default() }).unwrap();
    let host = HostRow {
        id: HostId(0),
        name: "http://a.test".into(),
        robots: None,
        last_contact: Time::MIN,
        blocked_until: Time::MIN,
        pause: Span::ZERO,
    };
    let page = |page: u32| PageRow {
        id: PageId(page),
        url: url(page),
        fingerprint: fingerprint(&url(page)),
        host: HostId(0),
        weight: 1.0,
        depth: 0,
        hops: 0,
        found_at: at(0),
        found_as: FoundAs::Link,
        found_on: None,
    };
    let (hosts, pages) = (vec![host], (0..PAGES).map(page).collect());
    store.commit(&Batch { hosts, pages, collection: Some(number), ..Batch::default() }).unwrap();
    (1..=cycles).for_each(|cycle| live(store.as_mut(), cycle));
    (folder, store)
}

/// The last batch that the checkpoint in a folder holds; 0 if it is not used.
fn used(folder: &Path, settings: &Settings) -> u64 {
    let store = store::reader(folder).unwrap();
    Base::load(folder, store.as_ref(), settings, at(100), true).unwrap().batch
}

/// Why the checkpoint in a folder is not used.
fn refused(folder: &Path, settings: &Settings) -> String {
    refused_at(folder, settings, at(100))
}

fn refused_at(folder: &Path, settings: &Settings, now: Time) -> String {
    let store = store::reader(folder).unwrap();
    match Base::read(&folder.join(FILE), store.as_ref(), settings, now, true) {
        Err(Unfit::Because(why)) => why,
        Err(Unfit::Store(error)) => panic!("{error}"),
        Ok(_) => "it is used, or there is none".into(),
    }
}

/// All picks of the next cycle with their reasons, and what is known besides.
fn decisions(folder: &Path, settings: &Settings, cycle: u64) -> (Vec<(u32, String)>, u64, Option<PageId>, u64) {
    let (store, now) = (store::reader(folder).unwrap(), at(cycle));
    let mut memory = Memory::rebuild(folder, store.as_ref(), settings, now, true).unwrap();
    let spent = memory.cycle.as_ref().map_or(0, |cycle| cycle.spent);
    memory.scheduler.open_cycle(BUDGET, BUDGET, now);
    let picks = memory.scheduler.pick(now, BUDGET).unwrap();
    let picks = picks.into_iter().map(|page| (page.0, memory.scheduler.reason(page, now))).collect();
    (picks, memory.batch, memory.addresses.find(fingerprint(&url(7))), spent)
}

#[test]
fn who_begins_with_a_checkpoint_decides_as_who_is_told_all() {
    for policy in ["everfresh", "age", "grimes-ford", "nutch-adaptive", "sampling+b", "lambdacrawl"] {
        let (folder, mut store) = lived(5, 9);
        let settings = settings(policy);
        assert!(make_checkpoint(folder.path(), &settings, at(10)).unwrap());
        let kept = used(folder.path(), &settings);
        assert!(kept > 0, "{policy}");
        for cycle in 10..14 {
            live(store.as_mut(), cycle);
        }
        // A page that became a seed since matters more.
        let known = url::Url::parse(&url(8)).unwrap();
        add_seeds(store.as_mut(), &[known], 50.0, at(13)).unwrap();
        let with = decisions(folder.path(), &settings, 14);
        // The next one begins where the last one ended.
        assert!(make_checkpoint(folder.path(), &settings, at(14)).unwrap());
        assert!(used(folder.path(), &settings) > kept);
        let with_next = decisions(folder.path(), &settings, 14);
        std::fs::remove_file(folder.path().join(FILE)).unwrap();
        let without = decisions(folder.path(), &settings, 14);
        assert_eq!(with, without, "{policy}");
        assert_eq!(with_next, without, "{policy}");
        assert_eq!((without.2, without.3), (Some(PageId(7)), 11), "{policy}: one visit took two requests");
    }
}

#[test]
fn what_does_not_fit_is_not_used() {
    let (folder, store) = lived(5, 9);
    let (settings, path) = (settings("everfresh"), folder.path().join(FILE));
    assert_eq!(used(folder.path(), &settings), 0, "there is none");
    assert!(make_checkpoint(folder.path(), &settings, at(10)).unwrap());
    let last = used(folder.path(), &settings);
    assert!(last > 0);
    let other_policy = self::settings("age");
    assert_eq!(refused(folder.path(), &other_policy), "it was made under another policy, model, cycle or version");
    assert_eq!(used(folder.path(), &other_policy), 0, "all is told from the beginning");
    let mut other = self::settings("everfresh");
    other.cycle = Span::HOUR;
    assert_eq!(used(folder.path(), &other), 0, "another cycle");
    for (number, cycles, why) in [(6, 9, "it is of another collection"), (5, 3, "it is newer than the store")] {
        let (elsewhere, _store) = lived(number, cycles);
        std::fs::copy(&path, elsewhere.path().join(FILE)).unwrap();
        assert_eq!(refused(elsewhere.path(), &settings), why);
        assert_eq!(used(elsewhere.path(), &settings), 0, "{why}");
    }
    let whole = std::fs::read(&path).unwrap();
    let other_version = [b"everfresh-keep 1", &whole[16..]].concat();
    for (bytes, why) in [
        (&whole[..whole.len() / 2], "it is cut or damaged"),
        (&whole[..7], "it is cut"),
        (&other_version, "it is of another version"),
        (&vec![7; whole.len()], "it is no checkpoint"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!((refused(folder.path(), &settings).as_str(), used(folder.path(), &settings)), (why, 0));
    }
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(used(folder.path(), &settings), last);
    drop(store);
    let outsider = rusqlite::Connection::open(folder.path().join(store::FILE)).unwrap();
    outsider.execute_batch("DELETE FROM visits WHERE page = 3; DELETE FROM pages WHERE id = 3").unwrap();
    assert_eq!(refused(folder.path(), &settings), "the store has other visits, or pages were deleted");
}

#[test]
fn a_store_that_went_another_way_is_told_by_what_it_holds() {
    let settings = settings("everfresh");
    let [one, other] = ["http://b.test/1", "http://c.test/2"].map(|seed| {
        let (folder, mut store) = lived(5, 9);
        add_seeds(store.as_mut(), &[url::Url::parse(seed).unwrap()], 1.0, at(9)).unwrap();
        live(store.as_mut(), 10);
        (folder, store)
    });
    assert!(make_checkpoint(one.0.path(), &settings, at(11)).unwrap());
    assert!(used(one.0.path(), &settings) > 0);
    std::fs::copy(one.0.path().join(FILE), other.0.path().join(FILE)).unwrap();
    assert_eq!(refused(other.0.path(), &settings), "the store has other visits, or pages were deleted");
}

#[test]
fn what_a_clock_that_was_ahead_made_is_not_used_before_its_time() {
    let (folder, _store) = lived(5, 9);
    let settings = settings("everfresh");
    assert!(make_checkpoint(folder.path(), &settings, at(50)).unwrap());
    assert_eq!(refused_at(folder.path(), &settings, at(49)), "it is from the future, by this clock");
    assert_eq!(refused_at(folder.path(), &settings, at(50)), "it is used, or there is none");
}

#[test]
fn what_is_no_file_is_neither_used_nor_waited_for() {
    let (folder, _store) = lived(5, 3);
    let path = folder.path().join(FILE);
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(refused(folder.path(), &settings("everfresh")), "it is no file");
}

#[test]
fn where_cycles_were_deleted_everything_is_told_again() {
    let (folder, _store) = lived(5, 9);
    let settings = settings("everfresh");
    assert!(make_checkpoint(folder.path(), &settings, at(10)).unwrap());
    let outsider = rusqlite::Connection::open(folder.path().join(store::FILE)).unwrap();
    outsider.execute_batch("DELETE FROM cycles").unwrap();
    assert_eq!(refused(folder.path(), &settings), "cycles were deleted");
}

#[test]
fn a_host_that_was_deleted_takes_its_pages_along() {
    let (folder, _store) = lived(5, 9);
    let settings = settings("everfresh");
    assert!(make_checkpoint(folder.path(), &settings, at(10)).unwrap());
    let outsider = rusqlite::Connection::open(folder.path().join(store::FILE)).unwrap();
    outsider.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM hosts").unwrap();
    assert!(used(folder.path(), &settings) > 0);
    assert_eq!(decisions(folder.path(), &settings, 10).0, []);
}

#[test]
fn a_clock_that_was_ahead_and_a_crawl_that_ends_leave_no_checkpoint() {
    let (folder, _store) = lived(5, 9);
    let settings = settings("everfresh");
    assert!(!make_checkpoint(folder.path(), &settings, at(4)).unwrap(), "visits of the future");
    let store = store::reader(folder.path()).unwrap();
    let extent = Extent::whole(store.as_ref(), at(10)).unwrap();
    assert!(!make(folder.path(), store.as_ref(), &settings, extent, &|| false).unwrap());
    assert!(!folder.path().join(FILE).exists());
}
