//! What a batch makes true.

use revisit::{ListKind, Outcome};

use super::*;
use crate::meaning::Rules;
use crate::parse::LeftOut;
use crate::parse::scope::Refusal;
use crate::sources::{self, Source};
use crate::store::{
    AsideRow, ClosedCycle, HintEntry, HintsRow, HostRow, IndexRow, LeftOutEntry, Lost, LostFile, OpenedCycle, Outcomes,
    RobotsRow, SourceRow, TrainingRow,
};

#[test]
fn what_was_committed_is_there_for_the_next_connection() {
    over_all(|kind| {
        assert_eq!(kind.commit(batch()).batch, 1);
        let store = kind.reader();
        assert_eq!(table(|from| store.hosts(from)), [host(0)]);
        assert_eq!(store.robots(HostId(0)).unwrap(), host(0).robots);
        assert_eq!(store.robots(HostId(1)).unwrap(), None);
        let loaded = store.load(&ids([1, 7, 0])).unwrap();
        assert_eq!(loaded.iter().map(|page| page.page.0).collect::<Vec<_>>(), [1, 0], "as asked, if there");
        assert_eq!((loaded[0].depth, loaded[0].copy.clone()), (1, None));
        assert_eq!(loaded[1].copy, Some(copy(0)));
        let visits: Vec<_> = table(|from| store.visits(from)).into_iter().map(|told| told.visit).collect();
        assert_eq!(visits, batch().visits.iter().map(|row| row.visit).collect::<Vec<_>>());
        assert_eq!(store.features(&ids([0, 1])).unwrap(), [features(0)]);
        let links = table(|from| store.links(from));
        assert_eq!((links.len(), &links[0].targets), (1, &ids([0, 1])));
    });
}

#[test]
fn a_batch_is_all_or_nothing() {
    over_all(|kind| {
        let mut broken = batch();
        broken.pages.push(page(1));
        assert!(kind.writer.commit(&broken).is_err(), "{}", kind.name);
        assert_eq!(kind.writer.totals().unwrap().pages, 0);
        assert_eq!(kind.writer.last_batch().unwrap().number, 0);
        let nowhere = visits(vec![visit(7, 1, Outcome::First)]);
        assert!(kind.writer.commit(&nowhere).is_err(), "{}: a visit needs its page", kind.name);
        kind.commit(batch());
        assert_eq!(kind.writer.totals().unwrap().pages, 2);
    });
}

#[test]
fn the_last_entry_of_a_host_wins_and_its_robots_stay() {
    over_all(|kind| {
        let host = |second, robots| HostRow { last_contact: at(second), robots, ..host(0) };
        let robots = |second| Some(RobotsRow { status: 404, body: Vec::new(), at: at(second) });
        kind.commit(Batch { hosts: vec![host(1, robots(1)), host(3, None), host(2, None)], ..Batch::default() });
        assert_eq!(table(|from| kind.writer.hosts(from)), [host(2, robots(1))]);
        kind.commit(Batch { hosts: vec![host(4, robots(4))], ..Batch::default() });
        assert_eq!(kind.writer.robots(HostId(0)).unwrap(), robots(4));
    });
}

#[test]
fn copies_are_replaced_and_the_first_features_stay() {
    over_all(|kind| {
        assert_eq!(kind.commit(batch()).described, ids([0]));
        let (newer, other) =
            (super::super::CopyRow { since: at(8), ..copy(0) }, super::super::FeaturesRow { links: 99, ..features(0) });
        let committed = kind.commit(Batch { copies: vec![newer.clone()], features: vec![other], ..Batch::default() });
        assert_eq!(committed.described, []);
        assert_eq!(kind.writer.load(&ids([0])).unwrap().remove(0).copy, Some(newer));
        assert_eq!(kind.writer.features(&ids([0])).unwrap(), [features(0)]);
    });
}

fn tell(kind: &mut Kind, list: u32, told: ListKind, second: i64, modified: i64) {
    let entries = vec![(PageId(2), at(modified))];
    let hints = vec![HintsRow { list: PageId(list), kind: told, at: at(second), entries }];
    kind.commit(Batch { hints, ..Batch::default() });
}

#[test]
fn the_latest_date_of_a_page_is_kept_with_who_said_it_first() {
    over_all(|kind| {
        kind.commit(found(0..3));
        tell(kind, 0, ListKind::Sitemap, 10, 5);
        tell(kind, 1, ListKind::Feed, 20, 15);
        tell(kind, 0, ListKind::Sitemap, 30, 5);
        let said = HintEntry { modified: 15_000, told_at: 20_000, told_by: url(1) };
        assert_eq!(kind.writer.hint(PageId(2)).unwrap(), Some(said));
        assert_eq!(kind.writer.hint(PageId(1)).unwrap(), None);
    });
}

#[test]
fn what_is_left_out_adds_up() {
    over_all(|kind| {
        for (links, example) in [(2, "http://a.test/old"), (3, "http://a.test/new")] {
            let mut left_out = LeftOut::default();
            (0..links).for_each(|_| left_out.count(Refusal::CalendarDate, example));
            left_out.count(Refusal::TooLong, example);
            kind.commit(Batch { left_out, ..Batch::default() });
        }
        let entry =
            |reason: &str, links| LeftOutEntry { reason: reason.into(), links, example: "http://a.test/new".into() };
        assert_eq!(kind.writer.left_out().unwrap(), [entry("calendar", 5), entry("long-url", 2)]);
    });
}

#[test]
fn a_source_that_is_described_anew_has_no_version_to_compare_with() {
    over_all(|kind| {
        kind.commit(batch());
        let source =
            Source { kind: sources::Kind::LinkedData, accept: Some("text/turtle".into()), ..Source::default() };
        let mut describe = |source: &Source| {
            let sources = vec![SourceRow { page: PageId(0), source: source.clone() }];
            kind.commit(Batch { sources, ..Batch::default() });
            let loaded = kind.writer.load(&ids([0])).unwrap().remove(0);
            kind.commit(Batch { copies: vec![copy(0)], ..Batch::default() });
            (loaded.source.as_ref() == Some(source), loaded.copy.is_some())
        };
        assert_eq!(describe(&source), (true, false));
        assert_eq!(describe(&source), (true, true), "nothing is new");
        assert_eq!(describe(&Source { rules: Rules { any_order: true, ..Rules::default() }, ..source }), (true, false));
        assert_eq!(table(|from| kind.writer.sources(from)), ids([0]));
        assert!(all(|cursor| kind.writer.seeds(cursor)).is_empty(), "a source does not open its host");
    });
}

#[test]
fn known_pages_become_seeds() {
    over_all(|kind| {
        kind.commit(batch());
        kind.commit(Batch { adopted: vec![(PageId(1), 5.0)], ..Batch::default() });
        let found = kind.writer.find(&url(1), u64::MAX - 1).unwrap().unwrap();
        assert_eq!((found.found_as.as_str(), found.depth, found.weight), ("seed", 0, 5.0));
        assert_eq!(all(|cursor| kind.writer.seeds(cursor)), [url(0), url(1)]);
    });
}

#[test]
fn cycles_are_there_from_their_beginning() {
    over_all(|kind| {
        let opened = |number| OpenedCycle { number, at: at(1), after: 7, budget: 10, visits: u64::MAX };
        kind.commit(Batch { opened: vec![opened(1)], ..Batch::default() });
        let cycles = kind.writer.cycles(9).unwrap();
        assert_eq!((cycles.len(), cycles[0].number, &cycles[0].closed), (1, 1, &None));
        assert_eq!(cycles[0].opened.as_ref().map(|opened| (opened.after, opened.budget)), Some((7, 10)));
        let outcomes = Outcomes { first: 1, changed: 2, unchanged: 3, gone: 4, failed: 5 };
        let closed = ClosedCycle { number: 1, at: at(2), outcomes, expected_freshness: 0.5 };
        kind.commit(Batch { closed: vec![closed.clone()], opened: vec![opened(2)], ..Batch::default() });
        let cycles = kind.writer.cycles(1).unwrap();
        assert_eq!((cycles.len(), cycles[0].number), (1, 2), "the newest first");
        assert_eq!(kind.writer.cycles(9).unwrap()[1].closed, Some(closed));
    });
}

#[test]
fn facts_and_trainings_are_kept() {
    over_all(|kind| {
        assert_eq!((kind.writer.is_running().unwrap(), kind.writer.collection().unwrap()), (false, None));
        kind.commit(Batch { running: Some(true), collection: Some(u64::MAX), ..Batch::default() });
        kind.commit(Batch { collection: Some(2), ..Batch::default() });
        assert_eq!((kind.writer.is_running().unwrap(), kind.writer.collection().unwrap()), (true, Some(u64::MAX)));
        kind.commit(Batch { running: Some(false), ..Batch::default() });
        assert!(!kind.reader().is_running().unwrap());
        let training = |at| TrainingRow {
            at,
            model: "m".into(),
            adopted: true,
            freshness: None,
            freshness_before: Some(0.5),
            pages: 3,
            detail: "d".into(),
        };
        kind.commit(Batch { trainings: vec![training(1), training(2)], ..Batch::default() });
        assert_eq!(kind.writer.trainings(1).unwrap(), [training(2)]);
    });
}

#[test]
fn an_index_is_known_until_what_it_lists_is_lost() {
    over_all(|kind| {
        kind.commit(batch());
        let unknown = IndexRow { file: file(1, 150), indexed: 0, length: 0 };
        assert_eq!(kind.writer.files().unwrap(), std::slice::from_ref(&unknown));
        let known = IndexRow { indexed: 150, length: 300, ..unknown };
        kind.commit(Batch { indexes: vec![known.clone()], ..Batch::default() });
        kind.commit(Batch { files: vec![file(1, 200)], ..Batch::default() });
        assert_eq!(kind.writer.files().unwrap(), [IndexRow { file: file(1, 200), ..known }], "it is behind its file");
        kind.commit(Batch { lost: vec![LostFile { file: 2, length: 0 }], ..Batch::default() });
        let indexed = kind.writer.files().unwrap()[0].indexed;
        assert_eq!(indexed, 0, "visits in any file may have referred to what is lost");
    });
}

#[test]
fn captures_of_a_file_that_was_cut_are_forgotten_with_all_that_refer_to_them() {
    over_all(|kind| {
        let mut refers = captured(1, 20, Outcome::Unchanged, 2, 10);
        refers.capture.as_mut().unwrap().revisit = true;
        let made = vec![
            captured(0, 5, Outcome::First, 1, 10),
            captured(1, 5, Outcome::First, 1, 60),
            captured(2, 5, Outcome::First, 1, 110),
            refers,
        ];
        let copies = vec![copy(0), copy(1), copy(2)];
        let asides = vec![AsideRow { page: PageId(2), since: at(5), payload: [7; 20] }];
        kind.commit(Batch { visits: made, copies, asides, files: vec![file(1, 160), file(2, 60)], ..found(0..3) });
        let committed = kind.commit(Batch { lost: vec![LostFile { file: 1, length: 100 }], ..Batch::default() });
        assert_eq!(committed.lost, Lost { visits: 3, copies: 2 }, "{}", kind.name);
        let loaded = kind.writer.load(&ids([0, 1, 2])).unwrap();
        assert_eq!(loaded.iter().map(|page| page.copy.is_some()).collect::<Vec<_>>(), [true, false, false]);
        assert_eq!(loaded[2].aside, None);
        assert_eq!(table(|from| kind.writer.lost(from)), ids([1, 2]));
        assert_eq!(kind.writer.files().unwrap()[0].file.length, 60, "up to the first that is not whole");
        assert_eq!((all(|cursor| kind.writer.captures(1, cursor)).len(), kind.writer.totals().unwrap().visits), (1, 4));
    });
}
