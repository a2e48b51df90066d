//! Pages never seen, waiting for their first visit: by weight, who was not tried before who was in vain, and in order of discovery within a
//! host; hosts taking turns.
//!
//! Turns keep one host's burst of links (a sitemap of 50,000 pages, say) from starving every other host. The next turn is that of
//! the host that had the fewest in this cycle for the weight of its next page, so that it follows from the visits made and not from the
//! order in which they were.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::{HostId, PageId};

/// A page that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Waiting {
    pub(super) host: HostId,
    pub(super) page: PageId,
    pub(super) weight: f32,
    /// In vain, so far.
    pub(super) was_tried: bool,
}

/// Pages of one host and one weight that were all tried or not, by rising numbers.
#[derive(Clone, Debug)]
struct Class {
    weight: f32,
    was_tried: bool,
    pages: VecDeque<PageId>,
}

/// The pages of one host.
#[derive(Clone, Debug, Default)]
struct Line {
    /// By falling weights, who was tried last; none is empty. Nearly always there is one.
    classes: Vec<Class>,
    /// Turns that the host had in this cycle.
    turns: u32,
}

/// When a host's turn comes: those that had fewer for the weight of their next page first, then in a ring that each cycle enters
/// elsewhere.
type Turn = Reverse<(u32, u32, HostId)>;

/// A queue per host, and whose turn it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Fresh {
    lines: Vec<Line>,
    /// The turn of every host that has pages, unless it is full; others may stand there too, and are passed over.
    next: BinaryHeap<Turn>,
    /// Hosts that had no place when they were last asked.
    full: Vec<HostId>,
    /// The host that begins this cycle.
    first: u32,
    waiting: usize,
}

impl Line {
    fn after(turns: u32) -> Line {
        Line { classes: Vec::new(), turns }
    }

    /// The class of a page, made if there is none.
    fn class(&mut self, Waiting { weight, was_tried, .. }: Waiting) -> &mut VecDeque<PageId> {
        let is_before =
            |class: &Class| class.weight > weight || class.weight == weight && was_tried && !class.was_tried;
        let place = self.classes.partition_point(is_before);
        if self.classes.get(place).is_none_or(|class| (class.weight, class.was_tried) != (weight, was_tried)) {
            self.classes.insert(place, Class { weight, was_tried, pages: VecDeque::new() });
        }
        &mut self.classes[place].pages
    }

    /// Takes a page out, if it is there.
    fn remove(&mut self, page: PageId) -> bool {
        let of = |class: &Class| class.pages.binary_search(&page).ok();
        let found = self.classes.iter().enumerate().find_map(|(class, pages)| Some((class, of(pages)?)));
        let Some((class, place)) = found else { return false };
        self.classes[class].pages.remove(place);
        if self.classes[class].pages.is_empty() {
            self.classes.remove(class);
        }
        true
    }

    fn head(&self) -> Option<(PageId, f32)> {
        let class = self.classes.first()?;
        class.pages.front().map(|page| (*page, class.weight))
    }
}

impl Fresh {
    /// The queues of a cycle of this number, in which nobody had a turn.
    pub(super) fn of_cycle(number: u32, waiting: impl Iterator<Item = Waiting>) -> Fresh {
        let mut fresh = Fresh::default();
        waiting.for_each(|waiting| fresh.push(waiting));
        fresh.first = number.checked_rem(fresh.lines.len() as u32).unwrap_or_default();
        fresh.arrange();
        fresh
    }

    /// A page was found, later than all that wait.
    pub(super) fn push(&mut self, waiting: Waiting) {
        let Waiting { host, page, .. } = waiting;
        self.line(host).class(waiting).push_back(page);
        self.waiting += 1;
        if self.lines[host.index()].head().is_some_and(|head| head.0 == page) {
            self.next.extend(self.turn(host));
        }
    }

    /// A page taken before comes back unvisited, and its host has not had that turn.
    pub(super) fn give_back(&mut self, waiting: Waiting) {
        let line = self.line(waiting.host);
        line.turns = line.turns.saturating_sub(1);
        self.put_back(waiting);
    }

    /// A page waits again.
    pub(super) fn put_back(&mut self, waiting: Waiting) {
        let Waiting { host, page, .. } = waiting;
        let class = self.line(host).class(waiting);
        let place = class.partition_point(|other| *other < page);
        class.insert(place, page);
        self.waiting += 1;
        self.next.extend(self.turn(host));
    }

    /// A page does not wait any more, if it did; says whether it did.
    pub(super) fn remove(&mut self, host: HostId, page: PageId) -> bool {
        let waited = self.line(host).remove(page);
        self.waiting -= usize::from(waited);
        self.next.extend(self.turn(host).filter(|_| waited));
        waited
    }

    /// A host had a turn of which the queues do not know: they have to be made anew.
    pub(super) fn had_turn(&mut self, host: HostId) {
        self.line(host).turns += 1;
    }

    /// The same cycle with other pages waiting.
    pub(super) fn with(&self, waiting: impl Iterator<Item = Waiting>) -> Fresh {
        let lines = self.lines.iter().map(|line| Line::after(line.turns)).collect();
        let mut fresh = Fresh { lines, first: self.first, ..Fresh::default() };
        waiting.for_each(|waiting| fresh.push(waiting));
        fresh
    }

    /// Writes down who had how many turns in this cycle, or goes on from there, with nobody waiting.
    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.first)?;
        let mut turns: Vec<u32> = self.lines.iter().map(|line| line.turns).collect();
        checkpoint.keep_rows(&mut turns)?;
        if checkpoint.is_read() {
            let lines = turns.into_iter().map(Line::after).collect();
            *self = Fresh { lines, first: self.first, ..Fresh::default() };
        }
        Ok(())
    }

    fn line(&mut self, host: HostId) -> &mut Line {
        if self.lines.len() <= host.index() {
            self.lines.resize_with(host.index() + 1, Line::default);
        }
        &mut self.lines[host.index()]
    }

    /// When a host's turn comes, if it has pages.
    fn turn(&self, host: HostId) -> Option<Turn> {
        let line = self.lines.get(host.index())?;
        let (_, weight) = line.head()?;
        let turns = (line.turns + 1) as f32 / weight.max(f32::MIN_POSITIVE);
        // Hosts before the first one come after all others.
        let place = if host.0 < self.first { host.0 | 1 << 31 } else { host.0 };
        // As bits, numbers that are not below zero are in order.
        Some(Reverse((turns.to_bits(), place, host)))
    }

    /// Of the pages of a host that could go next by weight, the one that was found last.
    pub(super) fn farthest(&self, host: HostId) -> Option<PageId> {
        self.lines.get(host.index())?.classes.first()?.pages.back().copied()
    }

    fn arrange(&mut self) {
        let hosts = (0..self.lines.len() as u32).map(HostId);
        self.next = hosts.filter_map(|host| self.turn(host)).collect();
    }

    /// How many pages wait.
    pub(super) fn len(&self) -> usize {
        self.waiting
    }

    /// The next page of a host.
    pub(super) fn look_at(&self, host: HostId) -> Option<Waiting> {
        let class = self.lines.get(host.index())?.classes.first()?;
        let Class { weight, was_tried, ref pages } = *class;
        let page = *pages.front()?;
        Some(Waiting { host, page, weight, was_tried })
    }

    /// The next page of the host whose turn it is among those that `has_place`. It stays.
    pub(super) fn look(&mut self, mut has_place: impl FnMut(HostId) -> bool) -> Option<Waiting> {
        loop {
            let turn = *self.next.peek()?;
            let Reverse((_, _, host)) = turn;
            // Who gave a page back, or had its last one taken, stands here for a turn that is not its next.
            let is_next = self.turn(host) == Some(turn);
            if is_next && has_place(host) {
                return self.look_at(host);
            }
            self.next.pop();
            self.full.extend(is_next.then_some(host));
        }
    }

    /// Takes the next page of a host.
    pub(super) fn take(&mut self, host: HostId) {
        let Some(Waiting { page, .. }) = self.look_at(host) else { return };
        self.line(host).turns += 1;
        self.remove(host, page);
    }

    /// Hosts that had no place may have one again.
    pub(super) fn ask_again(&mut self) {
        let full = std::mem::take(&mut self.full);
        self.next.extend(full.into_iter().filter_map(|host| self.turn(host)).collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(host: u32, page: u32) -> Waiting {
        Waiting { host: HostId(host), page: PageId(page), weight: 1.0, was_tried: false }
    }

    /// Up to so many pages, each from the host whose turn it is.
    fn taken(fresh: &mut Fresh, most: usize, mut has_place: impl FnMut(HostId) -> bool) -> Vec<u32> {
        fresh.ask_again();
        let mut next = |fresh: &mut Fresh| fresh.look(&mut has_place).inspect(|next| fresh.take(next.host));
        (0..most).map_while(|_| next(fresh)).map(|next| next.page.0).collect()
    }

    #[test]
    fn hosts_take_turns_and_full_hosts_are_passed_over() {
        let mut fresh = Fresh::default();
        (0..6).for_each(|page| fresh.push(of(0, page)));
        fresh.push(of(1, 6));
        let mut places = [3, 1];
        let has_place = |host: HostId| {
            places[host.index()] -= 1;
            places[host.index()] >= 0
        };
        assert_eq!(taken(&mut fresh, 10, has_place), [0, 6, 1, 2]);
        assert_eq!(fresh.len(), 3);
        assert_eq!(taken(&mut fresh, 2, |_| true), [3, 4]);
        fresh.give_back(of(0, 4));
        fresh.give_back(of(0, 3));
        assert_eq!(taken(&mut fresh, 9, |_| true), [3, 4, 5]);
        assert_eq!(fresh.len(), 0);
    }

    #[test]
    fn heavier_pages_go_first_and_their_hosts_have_more_turns() {
        let mut fresh = Fresh::default();
        (0..4).for_each(|page| fresh.push(of(0, page)));
        (4..8).for_each(|page| fresh.push(Waiting { weight: 2.0, ..of(1, page) }));
        fresh.push(Waiting { weight: 3.0, ..of(0, 9) });
        assert_eq!(taken(&mut fresh, 9, |_| true), [9, 4, 5, 6, 0, 7, 1, 2, 3]);
    }

    #[test]
    fn who_was_tried_goes_behind_who_was_not() {
        let mut fresh = Fresh::default();
        (0..4).for_each(|page| fresh.push(Waiting { was_tried: page < 2, ..of(0, page) }));
        fresh.push(Waiting { weight: 2.0, was_tried: true, ..of(0, 4) });
        assert_eq!((fresh.farthest(HostId(0)), taken(&mut fresh, 1, |_| true)), (Some(PageId(4)), vec![4]));
        assert_eq!((fresh.farthest(HostId(0)), taken(&mut fresh, 4, |_| true)), (Some(PageId(3)), vec![2, 3, 0, 1]));
    }

    /// Three hosts with four pages each: page 10·host + place.
    fn waiting() -> impl Iterator<Item = Waiting> {
        (0..3).flat_map(|host| (0..4).map(move |place| of(host, 10 * host + place)))
    }

    #[test]
    fn every_cycle_begins_with_another_host() {
        let first = |number| taken(&mut Fresh::of_cycle(number, waiting()), 4, |_| true);
        assert_eq!(first(0), [0, 10, 20, 1]);
        assert_eq!(first(4), [10, 20, 0, 11]);
    }

    #[test]
    fn whose_turn_it_is_follows_from_who_had_one() {
        let mut lived = Fresh::of_cycle(4, waiting());
        assert_eq!(taken(&mut lived, 5, |_| true), [10, 20, 0, 11, 21]);
        lived.give_back(of(1, 11));
        let mut told = Fresh::of_cycle(4, waiting());
        let visited = [21, 0, 20, 10];
        visited.iter().for_each(|page| told.had_turn(HostId(page / 10)));
        let mut told = told.with(waiting().filter(|waiting| !visited.contains(&waiting.page.0)));
        assert_eq!((told.len(), lived.len()), (8, 8));
        assert_eq!(taken(&mut told, 8, |_| true), taken(&mut lived, 8, |_| true));
    }
}
