//! What only the file promises.

use revisit::{HostId, PageId, Span, Time};

use super::*;
use crate::store::{Ask, Batch, Commit, FoundAs, HostRow, PageRow, Replay, RobotsRow};

fn at(second: i64) -> Time {
    Time::from_secs(second)
}

fn host(id: u32, robots: Option<RobotsRow>) -> HostRow {
    let name = format!("http://{id}.test");
    HostRow { id: HostId(id), name, robots, last_contact: at(2), blocked_until: Time::MIN, pause: Span::ZERO }
}

fn page(id: u32) -> PageRow {
    PageRow {
        id: PageId(id),
        url: format!("http://0.test/{id}"),
        fingerprint: id.into(),
        host: HostId(0),
        weight: 1.0,
        depth: 0,
        hops: 0,
        found_at: at(1),
        found_as: FoundAs::Seed,
        found_on: None,
    }
}

fn batch(pages: std::ops::Range<u32>) -> Batch {
    Batch { hosts: vec![host(0, None)], pages: pages.map(page).collect(), ..Batch::default() }
}

fn open(folder: &Path) -> Sqlite {
    Sqlite::open(folder, Opening { durable: false, ..Opening::default() }).unwrap()
}

#[test]
fn a_newer_store_an_older_one_and_no_store_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let reader = |folder: &Path| Sqlite::open_reader(folder).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(reader(folder.path()).starts_with("cannot open the store"), "there is none, and none is made");
    let store = open(folder.path());
    assert_eq!(reader(folder.path()), "");
    store.connection.pragma_update(None, "user_version", 4).unwrap();
    let said = reader(folder.path());
    assert!(said.contains("has version 4, this program reads 9: bring it up to date with 'everfresh run'"), "{said}");
    store.connection.pragma_update(None, "user_version", 99).unwrap();
    drop(store);
    let said = Sqlite::open(folder.path(), Opening::default()).err().unwrap().to_string();
    assert_eq!(said, "the store has version 99, this program knows 9: use a newer everfresh");
    let pipe = tempfile::tempdir().unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, pipe.path().join(FILE), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert!(reader(pipe.path()).contains("it is no file"), "and nobody waits for it");
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join(FILE), vec![b'x'; 5000]).unwrap();
    for said in [Sqlite::open(other.path(), Opening::default()).err().unwrap().to_string(), reader(other.path())] {
        assert!(
            said.contains(&other.path().display().to_string()) && said.contains("cannot be read as a store"),
            "{said}"
        );
    }
}

#[test]
fn readers_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).commit(&batch(0..3)).unwrap();
    let mut reader = Sqlite::open_reader(folder.path()).unwrap();
    assert!(reader.commit(&batch(3..4)).is_err());
    assert_eq!(reader.totals().unwrap().pages, 3);
}

#[test]
fn a_store_where_nobody_may_write_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).commit(&batch(0..3)).unwrap();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let odd = folder.path().join("a ?#% b");
    std::fs::create_dir(&odd).unwrap();
    std::fs::copy(folder.path().join(FILE), odd.join(FILE)).unwrap();
    let store = Sqlite::connect(odd.join(FILE), "?immutable=1", flags, Opening::default()).unwrap();
    assert_eq!(store.totals().unwrap().pages, 3);
    assert!(!log_of(&odd.join(FILE)).exists(), "nothing was made beside it");
}

#[test]
fn a_row_deleted_by_hand_frees_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    store.commit(&Batch { hosts: vec![host(0, None), host(1, None)], ..batch(0..3) }).unwrap();
    store.connection.execute_batch("DELETE FROM pages WHERE id = 2; DELETE FROM hosts WHERE id = 1").unwrap();
    let last = store.last_batch().unwrap();
    let totals = store.totals().unwrap();
    assert_eq!((last.next_page, last.next_host, totals.pages, totals.hosts), (3, 2, 2, 1));
}

#[test]
fn anyone_can_read_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    store.commit(&batch(0..1)).unwrap();
    let sql = "INSERT INTO visits (page, at, outcome, rule) VALUES (0, 9000, 'changed', 'x')";
    store.connection.execute_batch(sql).unwrap();
    let line: (String, String) = store
        .connection
        .query_row("SELECT time, url FROM log WHERE outcome = 'changed'", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert_eq!(line, ("1970-01-01T00:00:09.000Z".into(), "http://0.test/0".into()));
}

#[test]
fn a_log_that_grew_beside_a_reader_is_cut_when_it_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    store.commit(&batch(0..1)).unwrap();
    let reader = Sqlite::open_reader(folder.path()).unwrap();
    reader.connection.execute_batch("BEGIN; SELECT count(*) FROM pages").unwrap();
    let robots = |second| Some(RobotsRow { status: 200, body: vec![second as u8; 4 << 20], at: at(second) });
    for second in 0..12 {
        store.commit(&Batch { hosts: vec![host(0, robots(second))], ..Batch::default() }).unwrap();
    }
    assert!(store.log_bytes() > 40 << 20 && !store.empty_log().unwrap(), "{}", store.log_bytes());
    reader.connection.execute_batch("COMMIT").unwrap();
    assert!(store.empty_log().unwrap());
    store.commit(&Batch { running: Some(true), ..Batch::default() }).unwrap();
    assert!(store.log_bytes() <= log::CUT_TO as u64, "{}", store.log_bytes());
}

#[test]
fn what_cannot_be_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    store.commit(&batch(0..1)).unwrap();
    store.connection.execute_batch("INSERT INTO journal VALUES (1, x'0105')").unwrap();
    let said = store.learned(0).unwrap_err().to_string();
    assert!(said.contains("entry 1 of the journal cannot be read"), "{said}");
    store.connection.execute_batch("PRAGMA foreign_keys = OFF; UPDATE pages SET id = -5").unwrap();
    assert!(matches!(
        store.numbered("SELECT id FROM pages WHERE id > ?1 - 100", 0, 9, |row| row.get::<_, u32>(0)),
        Err(StoreError::Damaged(_))
    ));
}
