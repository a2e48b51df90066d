//! Collections of every earlier schema are brought up to date, with the histories they had.

#![allow(clippy::unwrap_used)] // helpers outside of test functions too

use std::path::Path;

use everfresh::config::Config;
use everfresh::pipeline::Memory;
use everfresh::settings::Settings;
use everfresh::store::{self, Event, FILE, Opening, Order, Span, StoreError, replay};
use revisit::{HostId, PageId, Time};
use rusqlite::Connection;
use tempfile::TempDir;

const SCHEMAS: [&str; 8] = [
    include_str!("schemas/1.sql"),
    include_str!("schemas/2.sql"),
    include_str!("schemas/3.sql"),
    include_str!("schemas/4.sql"),
    include_str!("schemas/5.sql"),
    include_str!("schemas/6.sql"),
    include_str!("schemas/7.sql"),
    include_str!("schemas/8.sql"),
];

fn made_of(sql: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join(FILE)).unwrap().execute_batch(sql).unwrap();
    folder
}

/// Every page's history, and what a cycle would pick.
fn rebuilt(folder: &Path) -> (Vec<String>, Vec<u32>) {
    let (store, now) = (store::reader(folder).unwrap(), Time::from_secs(100_000));
    let settings = Settings::resolve(Config::default()).unwrap();
    let mut scheduler = Memory::rebuild(folder, store.as_ref(), &settings, now, true).unwrap().scheduler;
    let histories = scheduler.pages().iter().map(|(page, history)| format!("{} {history:?}", page.0)).collect();
    scheduler.open_cycle(10, 10, now);
    (histories, scheduler.pick(now, 10).unwrap().into_iter().map(|page| page.0).collect())
}

#[test]
fn every_earlier_schema_migrates_with_the_same_histories() {
    let mut before = None;
    for (version, sql) in (1..).zip(SCHEMAS) {
        let folder = made_of(sql);
        let refused = store::reader(folder.path()).err().unwrap();
        assert!(matches!(refused, StoreError::Older { found, known: 9 } if found == version), "{refused}");
        drop(store::open(folder.path(), Opening::default()).unwrap());
        let (histories, picks) = rebuilt(folder.path());
        assert_eq!(histories.len(), 4, "version {version}");
        // Lists and trust, which came with version 2, may move what is picked.
        assert!(before.replace(histories.clone()).is_none_or(|before| before == histories), "version {version}");
        assert!(picks.contains(&3), "version {version}: the page never seen is picked: {picks:?}");
        let store = store::reader(folder.path()).unwrap();
        let piece = store.history(None, Order::OldestFirst, None).unwrap();
        assert_eq!(piece.rows.iter().map(|visit| visit.at).collect::<Vec<_>>(), [5000, 6000, 7000, 8000, 9000]);
        let (totals, outcomes) = (store.totals().unwrap(), store.outcomes().unwrap());
        let counted = [totals.hosts, totals.pages, totals.copies, totals.visits, outcomes.first, outcomes.failed];
        assert_eq!(counted, [2, 4, 2, 5, 2, 1], "version {version}");
        let captures = [1, 2].map(|file| store.captures(file, None).unwrap().rows.len());
        assert_eq!(captures, [3, 1], "version {version}: files that were filled one after the other");
        let last = store.last_batch().unwrap();
        assert_eq!((last.next_visit, last.next_page, last.next_host), (6, 4, 2));
        let cycle = store.cycles(5).unwrap().remove(0);
        assert_eq!(
            (cycle.opened_at, cycle.opened, cycle.closed.unwrap().outcomes.total()),
            (Time::from_secs(4), None, 5)
        );
    }
}

#[test]
fn what_lists_said_is_told_after_the_visits_that_were_made_before() {
    let folder = made_of(SCHEMAS[5]);
    let mut store = store::open(folder.path(), Opening::default()).unwrap();
    let mut words = Vec::new();
    let last = replay(store.as_ref(), Span::ALL, &mut |event| match event {
        Event::Links(row) => words.push(format!("links {:?}", row.targets)),
        Event::Features(row) => words.push(format!("features {}", row.page.0)),
        Event::Visit(told) => words.push(format!("visit {}", told.visit.page.0)),
        Event::Hints(row) => words.push(format!("list {} {:?}", row.list.0, row.entries)),
        Event::Trust(host, trust) => {
            assert_eq!((host, trust.numbers()), (HostId(0), [1.0, 2.0, 3.0, 4.0, 0.25, 2.0]));
            words.push("trust".into());
        }
        _ => {}
    });
    let links = format!("links {:?}", [PageId(1), PageId(3)]);
    let list = format!("list 0 {:?}", [(PageId(1), Time::from_millis(5500))]);
    let visits = ["visit 0", "visit 1", "visit 2", "visit 0", "visit 1"];
    let expected = [&[&*links, "features 0", "features 1"][..], &visits, &[&*list, "trust"]].concat();
    assert_eq!((words, last.unwrap().number), (expected.iter().map(|word| (*word).to_owned()).collect(), 2));
    assert_eq!(store.commit(&store::Batch::default()).unwrap().batch, 3);
}

/// A migration that does not come to its end leaves the store as it was.
#[test]
fn a_migration_that_is_broken_off_leaves_the_version_before() {
    let folder = made_of(SCHEMAS[3]);
    let outsider = Connection::open(folder.path().join(FILE)).unwrap();
    // In the way of a step, amid what it does.
    outsider.execute_batch("CREATE TABLE all_cycles (x)").unwrap();
    assert!(store::open(folder.path(), Opening::default()).is_err());
    let number = |sql: &str| outsider.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(number("PRAGMA user_version"), 6);
    assert_eq!(number("SELECT count(*) FROM sqlite_schema WHERE name IN ('batches', 'journal')"), 0);
    assert_eq!(number("SELECT count(*) FROM cycles"), 1);
    outsider.execute_batch("DROP TABLE all_cycles").unwrap();
    drop(store::open(folder.path(), Opening::default()).unwrap());
    assert_eq!(rebuilt(folder.path()).0.len(), 4);
}
