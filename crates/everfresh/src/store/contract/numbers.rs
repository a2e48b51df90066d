//! Numbers are kept as they are, and none is given twice.

use revisit::Outcome;

use super::*;

#[test]
fn batches_are_numbered_one_after_the_other() {
    over_all(|kind| {
        assert_eq!(kind.writer.last_batch().unwrap(), crate::store::BatchRow::default());
        assert_eq!(kind.commit(batch()).batch, 1);
        assert_eq!(kind.commit(Batch::default()).batch, 2);
        let batches = table(|from| kind.writer.batches(from));
        let ends: Vec<_> =
            batches.iter().map(|row| (row.number, row.next_visit, row.next_page, row.next_host)).collect();
        assert_eq!(ends, [(1, 3, 2, 1), (2, 3, 2, 1)]);
        assert_eq!(kind.reader().last_batch().unwrap(), batches[1]);
    });
}

#[test]
fn gaps_stay_gaps() {
    over_all(|kind| {
        kind.commit(Batch { hosts: vec![host(5), host(0)], ..found([0, 3, 4]) });
        kind.commit(Batch { visits: vec![visit(9, 1, Outcome::First), visit(3, 2, Outcome::First)], ..found([9]) });
        let store = kind.reader();
        assert_eq!(host_ids(store.as_ref()), [HostId(0), HostId(5)]);
        assert_eq!(table(|from| store.pages(from)).iter().map(|page| page.id.0).collect::<Vec<_>>(), [0, 3, 4, 9]);
        let last = store.last_batch().unwrap();
        assert_eq!((last.next_page, last.next_host), (10, 6));
        let totals = store.totals().unwrap();
        assert_eq!((totals.hosts, totals.pages, totals.visits), (2, 4, 2));
        assert_eq!(store.load(&ids([9])).unwrap()[0].url, url(9));
        assert_eq!(table(|from| store.summaries(from)).iter().map(|page| page.id).collect::<Vec<_>>(), [0, 3, 4, 9]);
    });
}

#[test]
fn a_number_that_was_given_is_not_given_again() {
    over_all(|kind| {
        kind.commit(found([0, 4]));
        assert!(kind.writer.commit(&found([3])).is_err(), "{}", kind.name);
        assert!(kind.writer.commit(&found([4])).is_err(), "{}", kind.name);
        kind.commit(found([5]));
    });
}
