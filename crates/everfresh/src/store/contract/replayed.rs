//! What a replay tells, and in which order.

use revisit::{ListKind, Outcome, PageId, PageOrder};

use super::*;
use crate::sources::Source;
use crate::store::{Event, HintsRow, LinksRow, LostFile, OpenedCycle, SourceRow, Span, replay};

/// What is told, a word each.
fn told(store: &dyn Reader, span: Span) -> Vec<String> {
    let mut words = Vec::new();
    let last = replay(store, span, &mut |event| {
        words.push(match event {
            Event::Host(host) => format!("host {}", host.id.0),
            Event::Page(page) => format!("page {}", page.id.0),
            Event::Links(row) => {
                format!("links {} {:?}", row.page.0, row.targets.iter().map(|page| page.0).collect::<Vec<_>>())
            }
            Event::Hints(row) => format!("list {} {}", row.list.0, row.entries.len()),
            Event::Features(row) => format!("features {}", row.page.0),
            Event::Visit(told) => format!("visit {} {}", told.visit.page.0, told.visit.at.secs()),
            Event::Weight(page, weight) => format!("weight {} {weight}", page.0),
            Event::Trust(host, _) => format!("trust {}", host.0),
            Event::Batch(batch) => format!("batch {}", batch.number),
            Event::Cycle(cycle) => format!("cycle {}", cycle.number),
            Event::Source(page) => format!("source {}", page.0),
            Event::Lost(page) => format!("lost {}", page.0),
            Event::Charged(requests) => format!("charged {requests}"),
            Event::Order(page, order) => format!("order {} {order:?}", page.0),
        });
    });
    assert_eq!(last.unwrap().number, store.last_batch().unwrap().number.min(span.until));
    words
}

fn links(page: u32, targets: &[u32]) -> LinksRow {
    LinksRow { page: PageId(page), targets: ids(targets.iter().copied()) }
}

/// Three batches: two pages are found, one is visited twice and finds another, lists speak.
fn live(kind: &mut Kind) {
    let hint = |list, second| HintsRow {
        list: PageId(list),
        kind: ListKind::Feed,
        at: at(second),
        entries: vec![(PageId(2), at(1))],
    };
    kind.commit(found([0, 2]));
    kind.commit(Batch {
        pages: vec![page(3)],
        visits: vec![captured(0, 5, Outcome::First, 1, 9), captured(2, 6, Outcome::Failed, 1, 60)],
        links: vec![links(0, &[3, 2])],
        hints: vec![hint(0, 5)],
        features: vec![features(0)],
        ..Batch::default()
    });
    let sources = vec![SourceRow { page: PageId(2), source: Source::default() }];
    let made = vec![captured(0, 7, Outcome::Changed, 1, 110)];
    kind.commit(Batch { links: vec![links(0, &[2])], hints: vec![hint(0, 7)], sources, ..visits(made) });
}

#[test]
fn batches_are_told_as_they_were_learned() {
    over_all(|kind| {
        live(kind);
        let first = ["host 0", "page 0", "page 2", "batch 1"];
        let second = ["page 3", "links 0 [2, 3]", "list 0 1", "features 0", "visit 0 5", "visit 2 6", "batch 2"];
        let third = ["links 0 [2]", "list 0 1", "visit 0 7", "batch 3"];
        let ends = ["source 2"];
        assert_eq!(
            told(kind.reader().as_ref(), Span::ALL),
            [&first[..], &second, &third, &ends].concat(),
            "{}",
            kind.name
        );
        let until = told(kind.reader().as_ref(), Span::until(2));
        assert_eq!(until, [&first[..], &second, &ends].concat(), "as it was learned then, though it changed since");
    });
}

#[test]
fn what_came_after_a_batch_is_told_alone() {
    over_all(|kind| {
        live(kind);
        let whole = told(kind.writer.as_ref(), Span::ALL);
        for after in 0..=3 {
            let early = told(kind.writer.as_ref(), Span::until(after));
            let late = told(kind.writer.as_ref(), Span { after, ..Span::ALL });
            let both: Vec<String> = early[..early.len() - 1].iter().chain(&late[1..]).cloned().collect();
            assert_eq!(both, whole, "{} after {after}", kind.name);
        }
        let unknown = replay(kind.writer.as_ref(), Span { after: 9, until: 10, first_cycle: 0 }, &mut |_| {});
        assert!(unknown.is_err());
    });
}

#[test]
fn cycles_are_told_after_the_batch_that_was_the_last_when_they_began() {
    over_all(|kind| {
        kind.commit(found([0]));
        let opened = |number, after| OpenedCycle { number, after, ..OpenedCycle::default() };
        // The second was committed with what was done in it, long after what the crawl had learned of.
        kind.commit(Batch { opened: vec![opened(3, 1)], pages: vec![page(1)], ..Batch::default() });
        kind.commit(Batch { pages: vec![page(2)], ..Batch::default() });
        kind.commit(Batch { opened: vec![opened(4, 2), opened(7, 4)], ..Batch::default() });
        let whole = told(kind.reader().as_ref(), Span::ALL);
        let first = ["host 0", "page 0", "batch 1", "cycle 3", "page 1", "batch 2", "cycle 4"];
        let rest = ["page 2", "batch 3", "batch 4", "cycle 7"];
        assert_eq!(whole, [&first[..], &rest].concat(), "{}", kind.name);
        assert_eq!(told(kind.reader().as_ref(), Span::until(2)), first, "{}", kind.name);
        let late = told(kind.reader().as_ref(), Span { after: 2, first_cycle: 4, ..Span::ALL });
        assert_eq!(late, [&["host 0", "cycle 4"][..], &rest].concat(), "{}", kind.name);
    });
}

#[test]
fn pages_that_become_seeds_are_told_with_what_they_matter() {
    over_all(|kind| {
        kind.commit(found([0]));
        kind.commit(Batch { adopted: vec![(PageId(0), 2.5)], ..Batch::default() });
        let words = told(kind.reader().as_ref(), Span::ALL);
        assert_eq!(words, ["host 0", "page 0", "batch 1", "weight 0 2.5", "batch 2"], "{}", kind.name);
        assert_eq!([0, 1].map(|below| kind.writer.count_pages(below).unwrap()), [0, 1]);
    });
}

#[test]
fn orders_are_told_in_order_and_before_the_visits_of_their_batch() {
    over_all(|kind| {
        kind.commit(found([0]));
        let orders =
            [PageOrder::Pause, PageOrder::Visit, PageOrder::Weigh(2.5)].map(|order| (PageId(0), order)).to_vec();
        kind.commit(Batch { orders, ..visits(vec![visit(0, 1, Outcome::First)]) });
        let words = told(kind.reader().as_ref(), Span::ALL);
        let orders = ["order 0 Pause", "order 0 Visit", "order 0 Weigh(2.5)", "visit 0 1", "batch 2"];
        assert_eq!(words[3..], orders, "{}", kind.name);
        assert_eq!(kind.reader().summaries(0).unwrap()[0].weight, 2.5, "{}", kind.name);
        let found = kind.reader().pages(0).unwrap().remove(0);
        assert_eq!(found.weight, 1.0, "{}: it mattered so much before it was told to matter more", kind.name);
    });
}

#[test]
fn lost_copies_are_told_at_the_end() {
    over_all(|kind| {
        live(kind);
        kind.commit(Batch { lost: vec![LostFile { file: 1, length: 0 }], ..Batch::default() });
        assert_eq!(told(kind.writer.as_ref(), Span::ALL).last().unwrap(), "lost 0", "{}", kind.name);
    });
}

#[test]
fn many_small_batches_are_told_whole() {
    over_all(|kind| {
        kind.commit(found([0]));
        for second in 1..200 {
            let made = visits(vec![visit(0, second.into(), Outcome::Changed)]);
            kind.commit(Batch { links: vec![links(0, &[second])], pages: vec![page(second)], ..made });
        }
        let words = told(kind.reader().as_ref(), Span::ALL);
        let of_batch = |number: u32| {
            [
                format!("page {number}"),
                format!("links 0 [{number}]"),
                format!("visit 0 {number}"),
                format!("batch {}", number + 1),
            ]
        };
        assert_eq!(words[3..], (1..200).flat_map(of_batch).collect::<Vec<_>>());
    });
}
