//! Pages never seen, waiting for their first visit: in order of discovery within a host, hosts taking turns.
//!
//! Turns keep one host's burst of links (a sitemap of 50,000 pages, say) from starving every other host. The next turn is that of
//! the host that had the fewest in this cycle, so that it follows from the visits made and not from the order in which they were.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::{HostId, PageId};

/// The pages of one host.
#[derive(Clone, Debug, Default)]
struct Line {
    /// By rising numbers.
    pages: VecDeque<PageId>,
    /// Turns that the host had in this cycle.
    turns: u32,
}

/// When a host's turn comes: those that had fewer first, then in a ring that each cycle enters elsewhere.
type Turn = Reverse<(u32, u32, HostId)>;

/// A queue per host, and whose turn it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Fresh {
    lines: Vec<Line>,
    /// The turn of every host that has pages; others may stand there too, and are passed over.
    next: BinaryHeap<Turn>,
    /// The host that begins this cycle.
    first: u32,
    waiting: usize,
}

impl Fresh {
    /// The queues of a cycle of this number, in which nobody had a turn.
    pub(super) fn of_cycle(number: u32, waiting: impl Iterator<Item = (HostId, PageId)>) -> Fresh {
        let mut fresh = Fresh::default();
        waiting.for_each(|(host, page)| fresh.push(host, page));
        fresh.first = number.checked_rem(fresh.lines.len() as u32).unwrap_or_default();
        fresh.arrange();
        fresh
    }

    /// A page was found, later than all that wait.
    pub(super) fn push(&mut self, host: HostId, page: PageId) {
        self.line(host).pages.push_back(page);
        self.waiting += 1;
        if self.lines[host.index()].pages.len() == 1 {
            self.next.push(self.turn(host));
        }
    }

    /// A page taken before comes back unvisited, and its host has not had that turn.
    pub(super) fn give_back(&mut self, host: HostId, page: PageId) {
        let line = self.line(host);
        line.turns = line.turns.saturating_sub(1);
        self.put_back(host, page);
    }

    /// A page waits again.
    pub(super) fn put_back(&mut self, host: HostId, page: PageId) {
        let line = self.line(host);
        let place = line.pages.partition_point(|other| *other < page);
        line.pages.insert(place, page);
        self.waiting += 1;
        self.next.push(self.turn(host));
    }

    /// A page does not wait any more, if it did.
    pub(super) fn remove(&mut self, host: HostId, page: PageId) {
        let line = self.line(host);
        if let Ok(place) = line.pages.binary_search(&page) {
            line.pages.remove(place);
            self.waiting -= 1;
        }
    }

    /// A host had a turn of which the queues do not know: they have to be made anew.
    pub(super) fn had_turn(&mut self, host: HostId) {
        self.line(host).turns += 1;
    }

    /// The same cycle with other pages waiting.
    pub(super) fn with(&self, waiting: impl Iterator<Item = (HostId, PageId)>) -> Fresh {
        let lines = self.lines.iter().map(|line| Line { pages: VecDeque::new(), turns: line.turns }).collect();
        let mut fresh = Fresh { lines, first: self.first, ..Fresh::default() };
        waiting.for_each(|(host, page)| fresh.push(host, page));
        fresh
    }

    /// Writes down who had how many turns in this cycle, or goes on from there, with nobody waiting.
    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep(&mut self.first)?;
        let mut turns: Vec<u32> = self.lines.iter().map(|line| line.turns).collect();
        checkpoint.keep_rows(&mut turns)?;
        if checkpoint.is_read() {
            let lines = turns.into_iter().map(|turns| Line { pages: VecDeque::new(), turns }).collect();
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

    fn turn(&self, host: HostId) -> Turn {
        // Hosts before the first one come after all others.
        let place = if host.0 < self.first { host.0 | 1 << 31 } else { host.0 };
        Reverse((self.lines[host.index()].turns, place, host))
    }

    fn arrange(&mut self) {
        let hosts = (0..).map(HostId).zip(&self.lines).filter(|(_, line)| !line.pages.is_empty());
        self.next = hosts.map(|(host, _)| self.turn(host)).collect();
    }

    /// How many pages wait.
    pub(super) fn len(&self) -> usize {
        self.waiting
    }

    /// Takes up to `most` pages, one from each host in turn; `claim` takes a place at a host and says whether there was one.
    pub(super) fn take(&mut self, most: usize, mut claim: impl FnMut(HostId) -> bool) -> Vec<PageId> {
        let mut taken = Vec::new();
        let mut full = Vec::new();
        while taken.len() < most {
            let Some(turn) = self.next.pop() else { break };
            let Reverse((_, _, host)) = turn;
            // Who gave a page back, or had its last one taken, stands here for a turn that is not its next.
            if turn != self.turn(host) || self.lines[host.index()].pages.is_empty() {
                continue;
            }
            if !claim(host) {
                full.push(turn);
                continue;
            }
            let line = &mut self.lines[host.index()];
            taken.extend(line.pages.pop_front());
            line.turns += 1;
            if !line.pages.is_empty() {
                self.next.push(self.turn(host));
            }
        }
        self.next.extend(full);
        self.waiting -= taken.len();
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(ids: impl IntoIterator<Item = u32>) -> Vec<PageId> {
        ids.into_iter().map(PageId).collect()
    }

    #[test]
    fn hosts_take_turns_and_full_hosts_are_passed_over() {
        let mut fresh = Fresh::default();
        for page in 0..6 {
            fresh.push(HostId(0), PageId(page));
        }
        fresh.push(HostId(1), PageId(6));
        let mut places = [2, 1];
        let claim = |host: HostId| {
            let free = places[host.index()] > 0;
            places[host.index()] -= i32::from(free);
            free
        };
        assert_eq!(fresh.take(10, claim), pages([0, 6, 1]));
        assert_eq!(fresh.len(), 4);
        assert_eq!(fresh.take(2, |_| true), pages([2, 3]));
        fresh.give_back(HostId(0), PageId(3));
        fresh.give_back(HostId(0), PageId(2));
        assert_eq!(fresh.take(9, |_| true), pages([2, 3, 4, 5]));
        assert_eq!(fresh.len(), 0);
    }

    /// Three hosts with four pages each: page 10·host + place.
    fn waiting() -> impl Iterator<Item = (HostId, PageId)> {
        (0..3).flat_map(|host| (0..4).map(move |place| (HostId(host), PageId(10 * host + place))))
    }

    #[test]
    fn every_cycle_begins_with_another_host() {
        let first = |number| Fresh::of_cycle(number, waiting()).take(4, |_| true);
        assert_eq!(first(0), pages([0, 10, 20, 1]));
        assert_eq!(first(4), pages([10, 20, 0, 11]));
    }

    #[test]
    fn whose_turn_it_is_follows_from_who_had_one() {
        let mut lived = Fresh::of_cycle(4, waiting());
        let taken = lived.take(5, |_| true);
        assert_eq!(taken, pages([10, 20, 0, 11, 21]));
        lived.give_back(HostId(1), PageId(11));
        let mut told = Fresh::of_cycle(4, waiting());
        let visited = [21, 0, 20, 10].map(PageId);
        visited.iter().for_each(|page| told.had_turn(HostId(page.0 / 10)));
        let mut told = told.with(waiting().filter(|(_, page)| !visited.contains(page)));
        assert_eq!((told.len(), lived.len()), (8, 8));
        assert_eq!(told.take(8, |_| true), lived.take(8, |_| true));
    }
}
