//! The store's contract: what was committed is there, all or nothing, for this connection and the next.

use revisit::site::Trust;
use revisit::{HostId, ListKind, Outcome, PageId, Span, Time, Visit};

use super::*;
use crate::meaning::Rules;
use crate::parse::LeftOut;
use crate::parse::scope::Refusal;
use crate::sources::{Kind, Source};

fn at(second: i64) -> Time {
    Time::from_secs(second)
}

fn host() -> HostRow {
    HostRow {
        id: HostId(0),
        name: "http://a.test".into(),
        robots: Some(RobotsRow { status: 200, body: b"User-agent: *".to_vec(), at: at(1) }),
        last_contact: at(2),
        blocked_until: Time::MIN,
        pause: Span::from_secs(3),
    }
}

fn page(id: u32) -> PageRow {
    PageRow {
        id: PageId(id),
        url: format!("http://a.test/{id}"),
        fingerprint: u64::MAX - u64::from(id),
        host: HostId(0),
        weight: 1.0,
        depth: id,
        hops: 0,
        found_at: at(1),
        found_as: if id == 0 { FoundAs::Seed } else { FoundAs::Link },
        found_on: (id > 0).then_some(PageId(0)),
    }
}

fn visit(page: u32, second: i64, outcome: Outcome) -> VisitRow {
    VisitRow {
        visit: Visit { page: PageId(page), at: at(second), outcome },
        rule: "text-differs".into(),
        detail: Some("because".into()),
        answer: Some(Answer { status: 200, mime: Some("text/html".into()), bytes: 5, millis: 7 }),
        capture: Some(CaptureRow { payload: [9; 20], revisit: false, file: 1, position: 100, length: 50 }),
        parts: Vec::new(),
        further: 0,
    }
}

fn copy(page: u32) -> CopyRow {
    CopyRow {
        page: PageId(page),
        since: at(5),
        etag: Some("\"x\"".into()),
        last_modified: None,
        payload: [9; 20],
        text: vec![1, 2, 3],
        simhash: u64::MAX,
        moved_to: None,
    }
}

fn features() -> FeaturesRow {
    FeaturesRow {
        depth: 0,
        page: PageId(0),
        text_bytes: 1,
        links: 2,
        images: 3,
        emails: 4,
        directory_level: 5,
        last_modified: true,
        nofollow: false,
        noindex: true,
        format: Some(2),
        host_kind: Some(4),
        max_age: Some(3600),
    }
}

fn batch() -> Batch {
    Batch {
        hosts: vec![host()],
        pages: vec![page(0), page(1)],
        files: vec![FileRow { id: 1, name: "a.warc.gz".into(), length: 150 }],
        visits: vec![visit(0, 5, Outcome::First), visit(0, 9, Outcome::Changed)],
        copies: vec![copy(0)],
        features: vec![features()],
        links: vec![LinksRow { page: PageId(0), targets: vec![PageId(1), PageId(0)] }],
        ..Batch::default()
    }
}

#[test]
fn what_was_committed_is_there_for_the_next_connection() {
    let folder = tempfile::tempdir().unwrap();
    Store::open(folder.path()).unwrap().commit(&batch()).unwrap();
    let store = Store::open_reader(folder.path()).unwrap();
    let mut hosts = Vec::new();
    store.each_host(|host| hosts.push(host)).unwrap();
    assert_eq!(hosts, [host()]);
    assert_eq!(store.robots(HostId(0)).unwrap(), host().robots);
    assert_eq!(store.robots(HostId(1)).unwrap(), None);
    assert_eq!(store.seeds().unwrap(), ["http://a.test/0"]);
    let loaded = store.load(&[PageId(1), PageId(0)]).unwrap();
    assert_eq!((loaded[0].depth, loaded[0].copy.clone()), (1, None));
    assert_eq!(loaded[1].copy, Some(copy(0)));
    let mut visits = Vec::new();
    store.each_visit(|visit| visits.push(*visit)).unwrap();
    assert_eq!(visits, batch().visits.iter().map(|row| row.visit).collect::<Vec<_>>());
    let mut captures = 0;
    store.each_capture(1, |_| captures += 1).unwrap();
    assert_eq!(captures, 2);
    let mut found = Vec::new();
    store.each_features(|features| found.push(*features)).unwrap();
    assert_eq!(found, [features()]);
    let mut links = Vec::new();
    store.each_links(|page, targets| links.push((page, targets.collect::<Vec<_>>()))).unwrap();
    assert_eq!(links, [(PageId(0), vec![PageId(0), PageId(1)])]);
    let found = store.find("http://a.test/1", u64::MAX - 1).unwrap().unwrap();
    assert_eq!((found.id, found.found_on.as_deref()), (1, Some("http://a.test/0")));
    assert!(store.find("http://a.test/2", u64::MAX - 1).unwrap().is_none());
}

#[test]
fn answers_beside_the_versions_are_known_until_they_are_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let aside = AsideRow { page: PageId(0), since: at(9), payload: [7; 20] };
    store.commit(&Batch { asides: vec![aside.clone()], ..batch() }).unwrap();
    let known = |store: &Store| store.load(&[PageId(0)]).unwrap().remove(0).aside;
    assert_eq!(known(&store), Some(aside));
    store.forget_captures(1, 0).unwrap();
    assert_eq!(known(&store), None);
}

#[test]
fn what_is_left_out_adds_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    for (links, example) in [(2, "http://a.test/old"), (3, "http://a.test/new")] {
        let mut left_out = LeftOut::default();
        (0..links).for_each(|_| left_out.count(Refusal::CalendarDate, example));
        left_out.count(Refusal::TooLong, example);
        store.commit(&Batch { left_out, ..Batch::default() }).unwrap();
    }
    let entry =
        |reason: &str, links| LeftOutEntry { reason: reason.into(), links, example: "http://a.test/new".into() };
    assert_eq!(store.left_out().unwrap(), [entry("calendar", 5), entry("long-url", 2)]);
}

#[test]
fn a_batch_is_all_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let mut broken = batch();
    broken.pages.push(page(1));
    assert!(store.commit(&broken).is_err());
    assert_eq!(store.totals().unwrap().pages, 0);
    store.commit(&batch()).unwrap();
    assert_eq!(store.totals().unwrap().pages, 2);
}

fn tell(store: &mut Store, list: u32, kind: ListKind, second: i64, modified: i64) {
    let entries = vec![(PageId(2), at(modified))];
    let hints = vec![HintsRow { list: PageId(list), kind, at: at(second), entries }];
    store.commit(&Batch { hints, ..Batch::default() }).unwrap();
}

#[test]
fn the_latest_date_of_a_page_is_kept_and_its_sitemap_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let pages = vec![page(0), page(1), page(2)];
    store.commit(&Batch { pages, ..batch() }).unwrap();
    tell(&mut store, 0, ListKind::Sitemap, 10, 5);
    tell(&mut store, 1, ListKind::Feed, 20, 15);
    tell(&mut store, 0, ListKind::Sitemap, 30, 5);
    let mut told = Vec::new();
    store.each_hint(|page, modified, list, kind| told.push((page, modified, list, kind))).unwrap();
    assert_eq!(told, [(PageId(2), at(15), PageId(0), ListKind::Sitemap)]);
    let told_by = "http://a.test/1".to_owned();
    assert_eq!(
        store.hint(PageId(2)).unwrap(),
        Some(HintEntry { modified: 15_000, told_at: 20_000, told_by }),
        "said first by the feed"
    );
    assert_eq!(store.hint(PageId(1)).unwrap(), None);
}

#[test]
fn trust_is_there_for_the_next_crawl() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    store.commit(&batch()).unwrap();
    let trust = Trust::from_numbers([1.0, 2.0, 3.0, 4.5, 0.25, 6.0]);
    for trust in [Trust::default(), trust] {
        store.commit(&Batch { trust: vec![(HostId(0), trust)], ..Batch::default() }).unwrap();
    }
    let mut kept = Vec::new();
    store.each_trust(|host, trust| kept.push((host, trust))).unwrap();
    assert_eq!(kept, [(HostId(0), trust)]);
}

#[test]
fn a_newer_store_and_no_store_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.connection.pragma_update(None, "user_version", 99).unwrap();
    drop(store);
    let error = Store::open(folder.path()).err().unwrap().to_string();
    assert_eq!(error, "the store has version 99, this program knows 6: use a newer everfresh");
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join(FILE), vec![b'x'; 5000]).unwrap();
    let error = Store::open(other.path()).err().unwrap().to_string();
    assert!(error.contains("cannot be read as a store"), "{error}");
}

#[test]
fn a_store_left_in_disorder_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    assert!(store.mark_running(true).unwrap());
    assert!(!store.mark_running(true).unwrap());
    store.mark_running(false).unwrap();
    assert!(store.mark_running(true).unwrap());
}

#[test]
fn anyone_can_read_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    store.commit(&batch()).unwrap();
    let line: (String, String) = store
        .connection
        .query_row("SELECT time, url FROM log WHERE outcome = 'changed'", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert_eq!(line, ("1970-01-01T00:00:09.000Z".into(), "http://a.test/0".into()));
}

#[test]
fn a_source_that_is_described_anew_has_no_version_to_compare_with() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    store.commit(&batch()).unwrap();
    let source = Source { kind: Kind::LinkedData, accept: Some("text/turtle".into()), ..Source::default() };
    let mut describe = |source: &Source| {
        let sources = vec![SourceRow { page: PageId(0), source: source.clone() }];
        store.commit(&Batch { sources, ..Batch::default() }).unwrap();
        let held = store.load(&[PageId(0)]).unwrap()[0].copy.is_some();
        store.commit(&Batch { copies: vec![copy(0)], ..Batch::default() }).unwrap();
        (store.source(PageId(0)).unwrap().unwrap() == *source, held)
    };
    assert_eq!(describe(&source), (true, false));
    assert_eq!(describe(&source), (true, true), "nothing is new");
    assert_eq!(describe(&Source { rules: Rules { any_order: true, ..Rules::default() }, ..source }), (true, false));
    assert_eq!(store.source(PageId(1)).unwrap(), None);
    assert!(store.seeds().unwrap().is_empty(), "a source does not open its host");
}

#[test]
fn every_exchange_of_a_visit_is_indexed_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let capture = CaptureRow { payload: [7; 20], revisit: false, file: 1, position: 150, length: 30 };
    let url = "http://a.test/sparql#query-1-2".to_owned();
    let part = PartRow { url: url.clone(), status: 200, mime: Some("text/csv".into()), capture };
    let visits = vec![VisitRow { parts: vec![part], ..visit(0, 5, Outcome::First) }];
    store.commit(&Batch { visits, ..batch() }).unwrap();
    let mut found = Vec::new();
    store.each_capture(1, |capture| found.push((capture.url, capture.position))).unwrap();
    assert_eq!(found[1], ("http://a.test/sparql".to_owned(), 150), "as it was asked");
    let archived = store.archived(PageId(0), at(5)).unwrap();
    assert_eq!((archived.len(), archived[1].url.as_str(), archived[1].position), (2, url.as_str(), 150));
    assert_eq!(store.versions(PageId(0)).unwrap(), [VersionEntry { at: at(5).millis(), changed: true }]);
    assert_eq!(store.archived(PageId(0), at(6)).unwrap(), []);
}

#[test]
fn further_requests_are_counted_from_a_time_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let visits = [(1, 3), (5, 0), (6, 4), (7, 5)];
    let visits = visits.map(|(second, further)| VisitRow { further, ..visit(0, second, Outcome::First) });
    store.commit(&Batch { visits: visits.to_vec(), ..batch() }).unwrap();
    assert_eq!([0, 1, 6, 7].map(|second| store.further_requests(at(second)).unwrap()), [12, 9, 5, 0]);
}

#[test]
fn an_index_is_known_until_what_it_lists_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    store.commit(&batch()).unwrap();
    let file = batch().files.remove(0);
    let unknown = IndexRow { file: file.clone(), indexed: 0, length: 0 };
    assert_eq!(store.indexes().unwrap(), [unknown]);
    let known = IndexRow { indexed: 150, length: 300, file };
    store.put_index(&known).unwrap();
    let grown = FileRow { length: 200, ..known.file.clone() };
    store.commit(&Batch { files: vec![grown.clone()], ..Batch::default() }).unwrap();
    assert_eq!(store.indexes().unwrap(), [IndexRow { file: grown, ..known.clone() }], "it is behind its file");
    store.forget_captures(2, 0).unwrap();
    assert_eq!(store.indexes().unwrap()[0].indexed, 0, "visits in any file may have referred to what is lost");
}

#[test]
fn what_is_read_in_pieces_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let count = 3 * pieces::ROWS as u32 + 1;
    let url = |part: u32| format!("http://a.test/part/{part}");
    let capture = CaptureRow { payload: [7; 20], revisit: false, file: 1, position: 150, length: 30 };
    let part = |number| PartRow { url: url(number), status: 200, mime: None, capture: capture.clone() };
    // More parts than a piece has rows, so that one ends amid those of a visit.
    let large = VisitRow { parts: (0..count).map(part).collect(), ..visit(0, 5, Outcome::First) };
    let mut visits: Vec<VisitRow> = (0..count).map(|page| visit(page, 5, Outcome::First)).collect();
    visits[1] = large;
    let mut other = visit(0, 6, Outcome::Changed);
    other.capture = Some(CaptureRow { file: 2, ..capture.clone() });
    visits.push(other);
    let file = |id: u32| FileRow { id, name: format!("{id}.warc.gz"), length: 150 };
    let pages = (0..count).map(page).collect();
    store.commit(&Batch { pages, visits, files: vec![file(1), file(2)], ..batch() }).unwrap();
    let mut urls = Vec::new();
    store.each_page(|_, _, _, url| urls.push(url.to_owned())).unwrap();
    assert_eq!(urls, (0..count).map(|id| page(id).url).collect::<Vec<_>>());
    let mut captured = Vec::new();
    store.each_capture(1, |capture| captured.push(capture.url)).unwrap();
    let parts: Vec<String> = (0..count).map(url).collect();
    assert!(captured.len() == 2 * count as usize && captured.ends_with(&parts), "{}", captured.len());
    let mut entries = 0;
    let taken = store.each_entry(Some(PageId(0)), |_| {
        entries += 1;
        Ok::<(), StoreError>(())
    });
    taken.unwrap();
    assert_eq!((entries, store.totals().unwrap().visits), (3, u64::from(count) + 1));
}

#[test]
fn a_log_that_grew_beside_a_reader_is_cut_when_it_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    store.wait_for_no_disk().unwrap();
    store.commit(&batch()).unwrap();
    let reader = Store::open_reader(folder.path()).unwrap();
    reader.connection.execute_batch("BEGIN; SELECT count(*) FROM pages").unwrap();
    let robots = |second| Some(RobotsRow { status: 200, body: vec![second as u8; 4 << 20], at: at(second) });
    for second in 0..12 {
        store.commit(&Batch { hosts: vec![HostRow { robots: robots(second), ..host() }], ..Batch::default() }).unwrap();
    }
    assert!(store.log_bytes() > 40 << 20 && !store.empty_log().unwrap(), "{}", store.log_bytes());
    reader.connection.execute_batch("COMMIT").unwrap();
    assert!(store.empty_log().unwrap());
    store.mark_running(true).unwrap();
    assert!(store.log_bytes() <= log::CUT_TO as u64, "{}", store.log_bytes());
}
