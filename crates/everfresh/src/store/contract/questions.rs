//! What people ask.

use revisit::{Outcome, PageId};

use super::*;
use crate::sources::{self, Source};
use crate::store::{CaptureRow, LinksRow, Order, PartRow, SourceRow, Totals, VersionEntry, VisitRow};

#[test]
fn pages_are_found_by_their_urls() {
    over_all(|kind| {
        kind.commit(batch());
        let found = kind.writer.find(&url(1), u64::MAX - 1).unwrap().unwrap();
        assert_eq!((found.id, found.found_on), (1, Some(url(0))));
        assert!(kind.writer.find(&url(2), u64::MAX - 1).unwrap().is_none(), "the same fingerprint is not enough");
        let urls = kind.writer.urls(&ids([1, 9])).unwrap();
        assert_eq!(urls.into_iter().collect::<Vec<_>>(), [(PageId(1), url(1))]);
    });
}

#[test]
fn hosts_are_found_by_their_names_with_their_pages_and_links() {
    over_all(|kind| {
        let hosts = vec![host(0), host(3)];
        let on_other = |id: u32| crate::store::PageRow { host: HostId(3), ..page(id) };
        let pages = (0..9).map(|id| if id % 2 == 0 { page(id) } else { on_other(id) }).collect();
        let links = vec![LinksRow::new(PageId(1), ids([2, 0])), LinksRow::new(PageId(4), Vec::new())];
        kind.commit(Batch { hosts, pages, links, ..Batch::default() });
        assert_eq!(kind.writer.find_host(&host(3).name).unwrap(), Some(HostId(3)));
        assert_eq!(kind.writer.find_host("http://other.test").unwrap(), None);
        let on =
            |id| table(|from| kind.writer.pages_on(HostId(id), from)).iter().map(|page| page.id).collect::<Vec<_>>();
        assert_eq!((on(0), on(3), on(9)), (ids([0, 2, 4, 6, 8]), ids([1, 3, 5, 7]), Vec::new()));
        let links = kind.writer.links_of(&ids([0, 4, 1, 99])).unwrap();
        assert_eq!(links, [LinksRow::new(PageId(4), Vec::new()), LinksRow::new(PageId(1), ids([0, 2]))]);
    });
}

#[test]
fn what_there_is_of_everything_is_counted() {
    over_all(|kind| {
        let totals = |kind: &Kind| {
            let Totals { hosts, pages, copies, visits, archive_bytes } = kind.reader().totals().unwrap();
            [hosts, pages, copies, visits, archive_bytes]
        };
        assert_eq!(totals(kind), [0; 5]);
        kind.commit(batch());
        let before = totals(kind);
        kind.commit(Batch {
            hosts: vec![host(0)],
            copies: vec![copy(0)],
            files: vec![file(1, 150)],
            ..Batch::default()
        });
        assert_eq!(totals(kind), before, "{}: what is written again is none more", kind.name);
        let outcomes = [Outcome::First, Outcome::Failed, Outcome::Failed, Outcome::Gone, Outcome::Changed];
        kind.commit(visits(outcomes.map(|outcome| visit(0, 7, outcome)).to_vec()));
        kind.commit(visits(vec![visit(0, 8, Outcome::Unchanged)]));
        let [hosts, pages, copies, visits, bytes] = before;
        assert_eq!(totals(kind), [hosts, pages, copies, visits + 6, bytes]);
        let sum = kind.writer.outcomes().unwrap();
        assert_eq!((sum.total(), sum.failed, sum.unchanged), (visits + 6, 2, 1));
        let told = table(|from| kind.writer.visits(from)).len() as u64;
        assert_eq!(told, visits + 6);
        let another_way = Source { accept: Some("text/turtle".into()), ..Source::default() };
        let sources = vec![SourceRow { page: PageId(0), source: another_way }];
        kind.commit(Batch { sources, ..Batch::default() });
        assert_eq!(totals(kind)[2], copies - 1, "a page that is asked in another way has no copy");
    });
}

#[test]
fn queries_are_found_by_their_endpoint() {
    over_all(|kind| {
        kind.commit(found(0..4));
        let named = |id: u32, url: &str| crate::store::PageRow { url: url.into(), ..page(id) };
        let source = Source { kind: sources::Kind::Sparql, ..Source::default() };
        let pages = vec![named(4, "http://0.test/sparql?query=a"), named(5, "http://0.test/sparql-not")];
        let sources = [4, 5].map(|id| SourceRow { page: PageId(id), source: source.clone() }).to_vec();
        kind.commit(Batch { pages, sources, ..Batch::default() });
        let at = kind.writer.sources_at("http://0.test/sparql").unwrap();
        assert_eq!(at.iter().map(|page| page.id).collect::<Vec<_>>(), [4]);
    });
}

#[test]
fn visits_come_in_order_from_either_end() {
    over_all(|kind| {
        kind.commit(found(0..3));
        (0..20).for_each(|second| _ = kind.commit(visits(vec![visit(second as u32 % 3, second, Outcome::First)])));
        let asked = |of, order| -> Vec<i64> {
            all(|cursor| kind.writer.history(of, order, cursor)).iter().map(|visit| visit.at / 1000).collect()
        };
        assert_eq!(asked(None, Order::OldestFirst), (0..20).collect::<Vec<_>>());
        assert_eq!(asked(None, Order::NewestFirst), (0..20).rev().collect::<Vec<_>>());
        assert_eq!(asked(Some(PageId(1)), Order::NewestFirst), [19, 16, 13, 10, 7, 4, 1]);
        assert!(asked(Some(PageId(9)), Order::OldestFirst).is_empty());
        let entry = all(|cursor| kind.writer.history(None, Order::NewestFirst, cursor)).remove(0);
        assert_eq!((entry.url, entry.file.as_deref(), entry.status), (url(1), Some("1.warc.gz"), Some(200)));
        assert_eq!((kind.writer.outcomes().unwrap().first, kind.writer.first_visit().unwrap()), (20, Some(at(0))));
    });
}

#[test]
fn pieces_stay_whole_while_a_writer_adds() {
    over_all(|kind| {
        kind.commit(found(0..1100));
        kind.commit(visits((0..1100).map(|number| visit(number, number.into(), Outcome::First)).collect()));
        let reader = kind.reader();
        for order in [Order::OldestFirst, Order::NewestFirst] {
            let mut piece = reader.history(None, order, None).unwrap();
            let mut seen: Vec<i64> = Vec::new();
            while let Some(cursor) = piece.next {
                seen.extend(piece.rows.iter().map(|visit| visit.at));
                kind.commit(visits(vec![visit(0, 9999, Outcome::Changed)]));
                piece = reader.history(None, order, Some(cursor)).unwrap();
            }
            seen.extend(piece.rows.iter().map(|visit| visit.at));
            seen.retain(|at| *at != 9_999_000);
            seen.sort_unstable();
            assert_eq!(seen, (0..1100).map(|second| second * 1000).collect::<Vec<i64>>(), "{} {order:?}", kind.name);
        }
    });
}

#[test]
fn every_exchange_of_a_visit_is_indexed_and_read_back() {
    over_all(|kind| {
        let capture = CaptureRow { payload: [7; 20], revisit: false, file: 1, position: 150, length: 30 };
        let asked = "http://a.test/sparql#query-1-2".to_owned();
        let part = PartRow { url: asked.clone(), status: 200, mime: Some("text/csv".into()), capture };
        let visits = vec![VisitRow { parts: vec![part], ..visit(0, 5, Outcome::First) }];
        kind.commit(Batch { visits, ..batch() });
        let found = all(|cursor| kind.writer.captures(1, cursor));
        let part = found.iter().find(|capture| capture.position == 150).unwrap();
        assert_eq!((found.len(), part.url.as_str()), (2, "http://a.test/sparql"), "as it was asked");
        let archived = kind.writer.archived(PageId(0), at(5)).unwrap();
        assert_eq!((archived.len(), archived[1].url.as_str(), archived[1].position), (2, asked.as_str(), 150));
        let versions = all(|cursor| kind.writer.versions(PageId(0), cursor));
        assert_eq!(versions, [VersionEntry { at: at(5).millis(), changed: true }]);
        assert_eq!(kind.writer.archived(PageId(0), at(6)).unwrap(), []);
    });
}

#[test]
fn captures_of_files_that_are_filled_in_turns_are_told_apart() {
    over_all(|kind| {
        kind.commit(Batch { files: vec![file(1, 1), file(2, 1)], ..found(0..8) });
        for page in 0..8 {
            let made = captured(page, page.into(), Outcome::First, page % 2 + 1, page.into());
            kind.commit(Batch { files: vec![file(page % 2 + 1, 9)], ..visits(vec![made]) });
        }
        for file in [1, 2] {
            let found = all(|cursor| kind.writer.captures(file, cursor));
            let positions: Vec<u64> = found.iter().map(|capture| capture.position).collect();
            assert_eq!(positions, (0..8).filter(|page| page % 2 + 1 == u64::from(file)).collect::<Vec<_>>());
        }
        assert!(all(|cursor| kind.writer.captures(3, cursor)).is_empty());
    });
}

#[test]
fn more_captures_than_a_piece_holds_are_all_told() {
    over_all(|kind| {
        let count = 1100_u32;
        let capture = |position| CaptureRow { payload: [7; 20], revisit: false, file: 1, position, length: 30 };
        let part = |number: u32| PartRow { url: url(number), status: 200, mime: None, capture: capture(number.into()) };
        // More parts than a piece has rows, so that one ends amid those of a visit.
        let large = VisitRow { parts: (0..count).map(part).collect(), ..visit(0, 5, Outcome::First) };
        let mut made: Vec<VisitRow> = (0..count).map(|page| visit(page, 5, Outcome::First)).collect();
        made[1] = large;
        let mut other = visit(0, 6, Outcome::Changed);
        other.capture = Some(CaptureRow { file: 2, ..capture(1) });
        made.push(other);
        kind.commit(Batch { visits: made, files: vec![file(1, 150), file(2, 150)], ..found(0..count) });
        let captured = all(|cursor| kind.writer.captures(1, cursor));
        assert_eq!(captured.len(), 2 * count as usize, "{}", kind.name);
        let urls: Vec<String> = table(|from| kind.writer.pages(from)).into_iter().map(|page| page.url).collect();
        assert_eq!(urls, (0..count).map(url).collect::<Vec<_>>());
        assert_eq!(kind.writer.totals().unwrap().visits, u64::from(count) + 1);
    });
}

#[test]
fn what_visits_cost_is_kept() {
    over_all(|kind| {
        let made = [3, 0, 1, 5].map(|requests| VisitRow { requests, ..visit(0, 5, Outcome::First) });
        kind.commit(Batch { visits: made.to_vec(), ..batch() });
        let told = table(|from| kind.writer.visits(from));
        assert_eq!(told.iter().map(|told| told.requests).collect::<Vec<_>>(), [3, 0, 1, 5]);
    });
}
