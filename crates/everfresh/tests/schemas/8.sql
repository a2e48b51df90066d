-- A small collection as version 8 of the schema had it.
PRAGMA foreign_keys = OFF;
BEGIN TRANSACTION;
CREATE TABLE asides (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
    since INTEGER NOT NULL,
    payload BLOB NOT NULL
);
INSERT INTO "asides" VALUES(3,9000,X'0000000000000000000000000000000000000000');
CREATE TABLE batches (
    number INTEGER PRIMARY KEY,
    next_visit INTEGER NOT NULL,
    next_page INTEGER NOT NULL,
    next_host INTEGER NOT NULL,
    next_change INTEGER NOT NULL
, mark INTEGER NOT NULL DEFAULT 0);
INSERT INTO "batches" VALUES(1,6,4,2,3,0);
INSERT INTO "batches" VALUES(2,6,4,2,4,0);
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
INSERT INTO "copies" VALUES(0,5000,'"x"',NULL,X'0000000000000000000000000000000000000000',X'0102',-1,NULL);
INSERT INTO "copies" VALUES(1,6000,NULL,NULL,X'0000000000000000000000000000000000000000',X'0102',7,NULL);
CREATE TABLE counts (what TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "counts" VALUES('changed',1);
INSERT INTO "counts" VALUES('copies',2);
INSERT INTO "counts" VALUES('failed',1);
INSERT INTO "counts" VALUES('first',2);
INSERT INTO "counts" VALUES('gone',0);
INSERT INTO "counts" VALUES('hosts',2);
INSERT INTO "counts" VALUES('pages',4);
INSERT INTO "counts" VALUES('unchanged',1);
CREATE TABLE "cycles" (
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
INSERT INTO "cycles" VALUES(1,4000,NULL,NULL,NULL,9500,5,2,1,1,0,1,0.5);
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
, format INTEGER, host_kind INTEGER, max_age INTEGER);
INSERT INTO "features" VALUES(0,10,2,0,0,0,1,0,0,NULL,NULL,NULL);
INSERT INTO "features" VALUES(1,11,0,0,0,1,0,0,0,NULL,NULL,NULL);
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    length INTEGER NOT NULL,
    since_visit INTEGER NOT NULL
, indexed INTEGER NOT NULL DEFAULT 0, index_length INTEGER NOT NULL DEFAULT 0, until_visit INTEGER NOT NULL DEFAULT 0);
INSERT INTO "files" VALUES(1,'everfresh-000001.warc.gz',300,1,300,99,5);
INSERT INTO "files" VALUES(2,'everfresh-000002.warc.gz',200,4,0,0,6);
CREATE TABLE hints (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
    modified INTEGER NOT NULL,
    told_at INTEGER NOT NULL,
    told_by INTEGER NOT NULL REFERENCES pages (id),
    sitemap INTEGER REFERENCES pages (id)
);
INSERT INTO "hints" VALUES(1,5500,5000,0,0);
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
INSERT INTO "hosts" VALUES(0,'http://a.test',200,X'557365722D6167656E743A202A',1000,9000,NULL,0);
INSERT INTO "hosts" VALUES(1,'http://b.test',NULL,NULL,NULL,NULL,NULL,0);
CREATE TABLE journal (id INTEGER PRIMARY KEY, learned BLOB NOT NULL);
INSERT INTO "journal" VALUES(1,X'02010002010200000000');
INSERT INTO "journal" VALUES(2,X'0200000200010000');
INSERT INTO "journal" VALUES(3,X'0200010000904E0102E7070001000000803F0000004000004040000080400000803E0000004000');
CREATE TABLE left_out (reason TEXT PRIMARY KEY, links INTEGER NOT NULL, example TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "left_out" VALUES('calendar',7,'http://a.test/2026-01-01');
CREATE TABLE links (page INTEGER PRIMARY KEY REFERENCES pages (id), targets BLOB NOT NULL);
INSERT INTO "links" VALUES(0,X'0102');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('collection','42');
INSERT INTO "meta" VALUES('running','no');
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
INSERT INTO "pages" VALUES(0,'http://a.test/',100,0,1.0,0,0,1000,'seed',NULL);
INSERT INTO "pages" VALUES(1,'http://a.test/1',101,0,1.0,1,0,1000,'link',0);
INSERT INTO "pages" VALUES(2,'http://b.test/',102,1,2.0,0,0,1000,'seed',NULL);
INSERT INTO "pages" VALUES(3,'http://a.test/3',103,0,1.0,1,0,2000,'link',0);
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
CREATE TABLE sources (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
    kind TEXT NOT NULL,
    accept TEXT,
    query TEXT,
    rules TEXT NOT NULL
);
INSERT INTO "sources" VALUES(2,'linked-data','text/turtle',NULL,'{}');
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
INSERT INTO "trainings" VALUES(1,9000,'gp.toml',1,0.5,0.4,3,'a new model');
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
, further INTEGER);
INSERT INTO "visits" VALUES(1,0,5000,'first','first',NULL,200,'text/html',10,3,X'0000000000000000000000000000000000000000',0,1,100,50,NULL);
INSERT INTO "visits" VALUES(2,1,6000,'first','first',NULL,200,'text/html',10,3,X'0000000000000000000000000000000000000000',0,1,150,50,NULL);
INSERT INTO "visits" VALUES(3,2,7000,'failed','dns',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "visits" VALUES(4,0,8000,'changed','text-differs',NULL,200,'text/html',10,3,X'0000000000000000000000000000000000000000',0,1,200,50,2);
INSERT INTO "visits" VALUES(5,1,9000,'unchanged','not-modified',NULL,304,NULL,0,3,X'0000000000000000000000000000000000000000',1,2,100,50,NULL);
CREATE INDEX pages_by_fingerprint ON pages (fingerprint);
CREATE INDEX visits_by_page ON visits (page);
CREATE VIEW log AS
    SELECT strftime('%Y-%m-%dT%H:%M:%fZ', visits.at / 1000.0, 'unixepoch') AS time,
           visits.outcome, visits.rule, visits.status, pages.url, visits.detail
    FROM visits JOIN pages ON pages.id = visits.page
    ORDER BY visits.id;
CREATE INDEX visits_lost ON visits (page) WHERE file IS NULL AND outcome IN ('first', 'changed', 'unchanged');
CREATE INDEX pages_that_are_seeds ON pages (id) WHERE found_as = 'seed';
CREATE TRIGGER host_added AFTER INSERT ON hosts BEGIN UPDATE counts SET number = number + 1 WHERE what = 'hosts'; END;
CREATE TRIGGER copy_added AFTER INSERT ON copies BEGIN UPDATE counts SET number = number + 1 WHERE what = 'copies'; END;
CREATE TRIGGER host_deleted AFTER DELETE ON hosts BEGIN UPDATE counts SET number = number - 1 WHERE what = 'hosts'; END;
CREATE TRIGGER page_deleted AFTER DELETE ON pages BEGIN UPDATE counts SET number = number - 1 WHERE what = 'pages'; END;
CREATE TRIGGER copy_deleted AFTER DELETE ON copies BEGIN UPDATE counts SET number = number - 1 WHERE what = 'copies'; END;
CREATE TRIGGER visit_deleted AFTER DELETE ON visits BEGIN UPDATE counts SET number = number - 1 WHERE what = OLD.outcome; END;
CREATE INDEX pages_by_host ON pages (host);
COMMIT;
PRAGMA user_version = 8;
