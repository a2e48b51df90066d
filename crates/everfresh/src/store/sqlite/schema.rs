//! The tables, and how an older file becomes a newer one. `docs/schema.md` explains every column.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::learn;
use crate::store::StoreError;

/// Each entry takes the store from its index to the next version; entries are never changed once released.
const MIGRATIONS: [&str; 9] = [
    r"
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE hosts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    robots_status INTEGER,
    robots_body BLOB,
    robots_at INTEGER,
    last_contact INTEGER,
    blocked_until INTEGER,
    pause INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    fingerprint INTEGER NOT NULL,
    host INTEGER NOT NULL REFERENCES hosts (id),
    weight REAL NOT NULL,
    depth INTEGER NOT NULL,
    hops INTEGER NOT NULL,
    found_at INTEGER NOT NULL,
    found_as TEXT NOT NULL,
    found_on INTEGER REFERENCES pages (id)
);
CREATE INDEX pages_by_fingerprint ON pages (fingerprint);

CREATE TABLE copies (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
    since INTEGER NOT NULL,
    etag TEXT,
    last_modified TEXT,
    payload BLOB NOT NULL,
    text BLOB NOT NULL,
    simhash INTEGER NOT NULL,
    moved_to TEXT
);

CREATE TABLE features (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
    text_bytes INTEGER NOT NULL,
    links INTEGER NOT NULL,
    images INTEGER NOT NULL,
    emails INTEGER NOT NULL,
    directory_level INTEGER NOT NULL,
    last_modified INTEGER NOT NULL,
    nofollow INTEGER NOT NULL,
    noindex INTEGER NOT NULL
);

CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    length INTEGER NOT NULL,
    since_visit INTEGER NOT NULL
);

CREATE TABLE visits (
    id INTEGER PRIMARY KEY,
    page INTEGER NOT NULL REFERENCES pages (id),
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    rule TEXT NOT NULL,
    detail TEXT,
    status INTEGER,
    mime TEXT,
    bytes INTEGER,
    millis INTEGER,
    payload BLOB,
    revisit INTEGER,
    file INTEGER REFERENCES files (id),
    position INTEGER,
    length INTEGER
);
CREATE INDEX visits_by_page ON visits (page);

CREATE TABLE cycles (
    id INTEGER PRIMARY KEY,
    opened_at INTEGER NOT NULL,
    closed_at INTEGER NOT NULL,
    visits INTEGER NOT NULL,
    first INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    gone INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    expected_freshness REAL NOT NULL
);

CREATE VIEW log AS
    SELECT strftime('%Y-%m-%dT%H:%M:%fZ', visits.at / 1000.0, 'unixepoch') AS time,
           visits.outcome, visits.rule, visits.status, pages.url, visits.detail
    FROM visits JOIN pages ON pages.id = visits.page
    ORDER BY visits.id;
",
    r"
CREATE TABLE trainings (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    model TEXT NOT NULL,
    adopted INTEGER NOT NULL,
    freshness REAL,
    freshness_before REAL,
    pages INTEGER NOT NULL,
    detail TEXT NOT NULL
);

CREATE TABLE links (page INTEGER PRIMARY KEY REFERENCES pages (id), targets BLOB NOT NULL);

CREATE TABLE hints (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
    modified INTEGER NOT NULL,
    told_at INTEGER NOT NULL,
    told_by INTEGER NOT NULL REFERENCES pages (id),
    sitemap INTEGER REFERENCES pages (id)
);

CREATE TABLE trust (
    host INTEGER PRIMARY KEY REFERENCES hosts (id),
    claimed_changed REAL NOT NULL,
    claimed_unchanged REAL NOT NULL,
    denied_changed REAL NOT NULL,
    denied_unchanged REAL NOT NULL,
    claimed_share REAL NOT NULL,
    readings REAL NOT NULL
);
",
    r"
ALTER TABLE features ADD COLUMN format INTEGER;
ALTER TABLE features ADD COLUMN host_kind INTEGER;
ALTER TABLE features ADD COLUMN max_age INTEGER;

CREATE TABLE sources (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
    kind TEXT NOT NULL,
    accept TEXT,
    query TEXT,
    rules TEXT NOT NULL
);

CREATE TABLE parts (
    visit INTEGER NOT NULL REFERENCES visits (id),
    number INTEGER NOT NULL,
    url TEXT NOT NULL,
    status INTEGER NOT NULL,
    mime TEXT,
    payload BLOB NOT NULL,
    revisit INTEGER NOT NULL,
    file INTEGER NOT NULL REFERENCES files (id),
    position INTEGER NOT NULL,
    length INTEGER NOT NULL,
    PRIMARY KEY (visit, number)
) WITHOUT ROWID;
",
    r"
ALTER TABLE visits ADD COLUMN further INTEGER;
CREATE INDEX visits_with_further ON visits (at) WHERE further IS NOT NULL;
CREATE INDEX visits_lost ON visits (page) WHERE file IS NULL AND outcome IN ('first', 'changed', 'unchanged');
",
    r"
ALTER TABLE files ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN index_length INTEGER NOT NULL DEFAULT 0;
CREATE INDEX pages_that_are_seeds ON pages (id) WHERE found_as = 'seed';
",
    r"
CREATE TABLE asides (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
    since INTEGER NOT NULL,
    payload BLOB NOT NULL
);

CREATE TABLE left_out (reason TEXT PRIMARY KEY, links INTEGER NOT NULL, example TEXT NOT NULL) WITHOUT ROWID;
",
    r"
CREATE TABLE batches (
    number INTEGER PRIMARY KEY,
    next_visit INTEGER NOT NULL,
    next_page INTEGER NOT NULL,
    next_host INTEGER NOT NULL,
    next_change INTEGER NOT NULL
);
CREATE TABLE journal (id INTEGER PRIMARY KEY, learned BLOB NOT NULL);

CREATE TABLE all_cycles (
    id INTEGER PRIMARY KEY,
    opened_at INTEGER NOT NULL,
    after_batch INTEGER,
    budget INTEGER,
    allowed INTEGER,
    closed_at INTEGER,
    visits INTEGER,
    first INTEGER,
    changed INTEGER,
    unchanged INTEGER,
    gone INTEGER,
    failed INTEGER,
    expected_freshness REAL
);
INSERT INTO all_cycles
    SELECT id, opened_at, NULL, NULL, NULL, closed_at, visits, first, changed, unchanged, gone, failed, expected_freshness
    FROM cycles;
DROP TABLE cycles;
ALTER TABLE all_cycles RENAME TO cycles;

ALTER TABLE files ADD COLUMN until_visit INTEGER NOT NULL DEFAULT 0;
CREATE TEMP TABLE ends AS SELECT file, max(id) + 1 AS until FROM visits WHERE file IS NOT NULL GROUP BY file;
UPDATE files SET until_visit = coalesce((SELECT until FROM temp.ends WHERE ends.file = files.id), since_visit);
DROP TABLE temp.ends;
DROP INDEX visits_with_further;
",
    r"
CREATE TABLE counts (what TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counts VALUES ('first', 0), ('changed', 0), ('unchanged', 0), ('gone', 0), ('failed', 0);
INSERT OR REPLACE INTO counts SELECT outcome, count(*) FROM visits GROUP BY outcome;
INSERT INTO counts SELECT 'hosts', count(*) FROM hosts;
INSERT INTO counts SELECT 'pages', count(*) FROM pages;
INSERT INTO counts SELECT 'copies', count(*) FROM copies;
CREATE TRIGGER host_added AFTER INSERT ON hosts BEGIN UPDATE counts SET number = number + 1 WHERE what = 'hosts'; END;
CREATE TRIGGER copy_added AFTER INSERT ON copies BEGIN UPDATE counts SET number = number + 1 WHERE what = 'copies'; END;
CREATE TRIGGER host_deleted AFTER DELETE ON hosts BEGIN UPDATE counts SET number = number - 1 WHERE what = 'hosts'; END;
CREATE TRIGGER page_deleted AFTER DELETE ON pages BEGIN UPDATE counts SET number = number - 1 WHERE what = 'pages'; END;
CREATE TRIGGER copy_deleted AFTER DELETE ON copies BEGIN UPDATE counts SET number = number - 1 WHERE what = 'copies'; END;
CREATE TRIGGER visit_deleted AFTER DELETE ON visits BEGIN UPDATE counts SET number = number - 1 WHERE what = OLD.outcome; END;

CREATE INDEX pages_by_host ON pages (host);
DROP TABLE trust;
ALTER TABLE batches ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;
",
    r"
ALTER TABLE pages ADD COLUMN first_weight REAL;
",
];

/// The version whose migration writes down what was learned so far: see [`learn::begin`].
const JOURNAL: usize = 7;

/// Brings the store to the version this program knows, one transaction a version: whoever kills it leaves one or the other.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    while version(connection)? < MIGRATIONS.len() {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another program may have done it while this one waited for the lock.
        let version = version(&transaction)?;
        if let Some(migration) = MIGRATIONS.get(version) {
            step(&transaction, migration, version + 1)?;
            transaction.commit()?;
        }
    }
    Ok(())
}

fn step(transaction: &Transaction<'_>, migration: &str, to: usize) -> Result<(), StoreError> {
    transaction.execute_batch(migration)?;
    if to == JOURNAL {
        learn::begin(transaction)?;
    }
    Ok(transaction.pragma_update(None, "user_version", to as i64)?)
}

/// Whether the store is of the version that is read here.
pub(super) fn check(connection: &Connection) -> Result<(), StoreError> {
    let (found, known) = (version(connection)?, MIGRATIONS.len());
    if found < known { Err(StoreError::Older { found, known }) } else { Ok(()) }
}

/// The store's version, if this program knows it.
fn version(connection: &Connection) -> Result<usize, StoreError> {
    let found = connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))? as usize;
    let known = MIGRATIONS.len();
    if found > known { Err(StoreError::Newer { found, known }) } else { Ok(found) }
}
