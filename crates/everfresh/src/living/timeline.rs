//! The versions of one page: when each began, drawn as far as somebody has asked.
//!
//! Changes fall on whole seconds, because that is all `Last-Modified` can say: two versions within one second would
//! make an honest server look like a liar. The version of a page is the number of its changes so far.

use std::iter::{self, Peekable};
use std::ops::Range;

use revisit::{Span, Time};

use super::changes::Moments;

/// Nothing changes after this long: the end of what the truth knows.
pub(super) const HORIZON: Span = Span::from_secs(10 * 366 * 86_400);
/// No page changes more often than this, so that a script with an absurd interval cannot fill the memory.
const MOST_CHANGES: usize = 1_000_000;

/// The life of one page.
pub(super) struct Timeline {
    life: Range<Time>,
    drawn: Vec<Time>,
    upcoming: Peekable<iter::Take<Moments>>,
    horizon: Time,
}

impl Timeline {
    /// A page that exists during `life` and changes at its own moments and whenever one of `listed` happens.
    pub(super) fn new(start: Time, life: Range<Time>, own: Moments, mut listed: Vec<Time>) -> Timeline {
        listed.sort_unstable();
        let moments: Moments = Box::new(merge(own, listed).map(whole_second));
        let upcoming = moments.take(MOST_CHANGES).peekable();
        Timeline { life, drawn: Vec::new(), upcoming, horizon: start + HORIZON }
    }

    /// The version at a time; none while the page does not exist.
    pub(super) fn version_at(&mut self, at: Time) -> Option<u64> {
        self.life.contains(&at).then(|| {
            self.draw_until(at);
            self.drawn.partition_point(|change| *change <= at) as u64
        })
    }

    /// When a version began.
    pub(super) fn began(&self, version: u64) -> Time {
        let change = usize::try_from(version).unwrap_or(usize::MAX).checked_sub(1);
        change.and_then(|change| self.drawn.get(change)).copied().unwrap_or(self.life.start)
    }

    /// The changes after `from`, up to and including `to`.
    pub(super) fn changes(&mut self, from: Time, to: Time) -> &[Time] {
        self.draw_until(to);
        let begin = self.drawn.partition_point(|change| *change <= from);
        let end = self.drawn.partition_point(|change| *change <= to);
        self.drawn.get(begin..end).unwrap_or_default()
    }

    fn draw_until(&mut self, at: Time) {
        let at = at.min(self.horizon);
        while let Some(moment) = self.upcoming.next_if(|moment| *moment <= at) {
            let last = self.drawn.last().copied().unwrap_or(self.life.start);
            if moment > last && moment < self.life.end {
                self.drawn.push(moment);
            }
        }
    }
}

/// The second in which a time lies.
pub(super) fn whole_second(at: Time) -> Time {
    Time::from_secs(at.secs())
}

fn merge(own: Moments, listed: Vec<Time>) -> Moments {
    let (mut own, mut listed) = (own.peekable(), listed.into_iter().peekable());
    Box::new(iter::from_fn(move || match (own.peek(), listed.peek()) {
        (Some(change), Some(listing)) if listing < change => listed.next(),
        (None, _) => listed.next(),
        _ => own.next(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time::from_secs(seconds)
    }

    fn timeline(life: Range<i64>, own: &[i64], listed: &[i64]) -> Timeline {
        let own: Vec<Time> = own.iter().map(|second| at(*second)).collect();
        let listed = listed.iter().map(|second| at(*second)).collect();
        Timeline::new(at(0), at(life.start)..at(life.end), Box::new(own.into_iter()), listed)
    }

    #[test]
    fn versions_count_changes() {
        let mut page = timeline(0..100, &[10, 20], &[15]);
        let versions: Vec<_> = [0, 9, 10, 15, 99].map(|second| page.version_at(at(second))).to_vec();
        assert_eq!(versions, [Some(0), Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!((page.began(0), page.began(2)), (at(0), at(15)));
    }

    #[test]
    fn a_page_changes_only_while_it_exists() {
        let mut page = timeline(10..30, &[5, 10, 20, 30, 40], &[]);
        assert_eq!(page.version_at(at(9)), None);
        assert_eq!(page.version_at(at(10)), Some(0));
        assert_eq!(page.version_at(at(30)), None);
        assert_eq!(page.changes(at(0), at(50)), [at(20)]);
    }

    #[test]
    fn one_second_holds_one_change() {
        let own = [1_000, 1_001, 1_999, 2_000].map(Time::from_millis);
        let mut page = Timeline::new(at(0), at(0)..Time::MAX, Box::new(own.into_iter()), Vec::new());
        assert_eq!(page.version_at(Time::from_millis(1_500)), Some(1));
        assert_eq!(page.changes(Time::MIN, Time::MAX), [at(1), at(2)]);
    }

    #[test]
    fn a_change_is_after_the_earlier_bound_and_not_after_the_later() {
        let mut page = timeline(0..100, &[10, 20, 30], &[]);
        assert_eq!(page.changes(at(10), at(30)), [at(20), at(30)]);
        assert!(page.changes(at(30), at(10)).is_empty());
    }

    #[test]
    fn an_absurd_interval_ends() {
        let mut page = Timeline::new(at(0), at(0)..Time::MAX, Box::new(iter::repeat(at(1))), Vec::new());
        assert_eq!(page.version_at(Time::MAX - Span::DAY), Some(1));
    }
}
