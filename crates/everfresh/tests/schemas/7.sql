-- A small collection as version 6 of the schema had it.
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

ALTER TABLE visits ADD COLUMN further INTEGER;
CREATE INDEX visits_with_further ON visits (at) WHERE further IS NOT NULL;
CREATE INDEX visits_lost ON visits (page) WHERE file IS NULL AND outcome IN ('first', 'changed', 'unchanged');

ALTER TABLE files ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN index_length INTEGER NOT NULL DEFAULT 0;
CREATE INDEX pages_that_are_seeds ON pages (id) WHERE found_as = 'seed';

CREATE TABLE asides (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
    since INTEGER NOT NULL,
    payload BLOB NOT NULL
);

CREATE TABLE left_out (reason TEXT PRIMARY KEY, links INTEGER NOT NULL, example TEXT NOT NULL) WITHOUT ROWID;

INSERT INTO meta VALUES ('collection', '42'), ('running', 'no');
INSERT INTO hosts VALUES (0, 'http://a.test', 200, x'557365722d6167656e743a202a', 1000, 9000, NULL, 0), (1, 'http://b.test', NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO pages VALUES
    (0, 'http://a.test/', 100, 0, 1.0, 0, 0, 1000, 'seed', NULL),
    (1, 'http://a.test/1', 101, 0, 1.0, 1, 0, 1000, 'link', 0),
    (2, 'http://b.test/', 102, 1, 2.0, 0, 0, 1000, 'seed', NULL),
    (3, 'http://a.test/3', 103, 0, 1.0, 1, 0, 2000, 'link', 0);
INSERT INTO copies VALUES
    (0, 5000, '"x"', NULL, zeroblob(20), x'0102', -1, NULL),
    (1, 6000, NULL, NULL, zeroblob(20), x'0102', 7, NULL);
INSERT INTO files (id, name, length, since_visit) VALUES (1, 'everfresh-000001.warc.gz', 300, 1), (2, 'everfresh-000002.warc.gz', 200, 4);
INSERT INTO visits (id, page, at, outcome, rule, status, mime, bytes, millis, payload, revisit, file, position, length) VALUES
    (1, 0, 5000, 'first', 'first', 200, 'text/html', 10, 3, zeroblob(20), 0, 1, 100, 50),
    (2, 1, 6000, 'first', 'first', 200, 'text/html', 10, 3, zeroblob(20), 0, 1, 150, 50),
    (3, 2, 7000, 'failed', 'dns', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (4, 0, 8000, 'changed', 'text-differs', 200, 'text/html', 10, 3, zeroblob(20), 0, 1, 200, 50),
    (5, 1, 9000, 'unchanged', 'not-modified', 304, NULL, 0, 3, zeroblob(20), 1, 2, 100, 50);
INSERT INTO features (page, text_bytes, links, images, emails, directory_level, last_modified, nofollow, noindex) VALUES
    (0, 10, 2, 0, 0, 0, 1, 0, 0), (1, 11, 0, 0, 0, 1, 0, 0, 0);
INSERT INTO cycles VALUES (1, 4000, 9500, 5, 2, 1, 1, 0, 1, 0.5);
INSERT INTO trainings VALUES (1, 9000, 'gp.toml', 1, 0.5, 0.4, 3, 'a new model');
INSERT INTO links VALUES (0, x'0102');
INSERT INTO hints VALUES (1, 5500, 5000, 0, 0);
INSERT INTO trust VALUES (0, 1.0, 2.0, 3.0, 4.0, 0.25, 2.0);
INSERT INTO sources VALUES (2, 'linked-data', 'text/turtle', NULL, '{}');
UPDATE visits SET further = 2 WHERE id = 4;
UPDATE files SET indexed = 300, index_length = 99 WHERE id = 1;
INSERT INTO asides VALUES (3, 9000, zeroblob(20));
INSERT INTO left_out VALUES ('calendar', 7, 'http://a.test/2026-01-01');

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

INSERT INTO batches VALUES (1, 6, 4, 2, 3), (2, 6, 4, 2, 4);
INSERT INTO journal VALUES
    (1, x'02010002010200000000'),
    (2, x'0200000200010000'),
    (3, x'0200010000904e0102e7070001000000803f0000004000004040000080400000803e0000004000');
PRAGMA user_version = 7;
