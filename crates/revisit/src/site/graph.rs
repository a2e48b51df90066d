//! Who links to whom, as a crawler learns it: one page's links at a time, replaced when the page changes.
//!
//! Everything that leads a visitor on counts as a link: anchors, frames and redirects alike (Kumagai & Yamana 2004 follow all
//! three). Links of a page to itself and repeated links say nothing and are dropped.
//!
//! All links lie in one column. A page's links are a slice of it, in the order of the ids; a longer list goes to the
//! column's end and leaves a gap behind. When the gaps outweigh what is in use, the column is written anew without them, so a
//! link costs constant time on average and the column never holds more than twice what it needs.

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::PageId;

/// The most links of one page that are kept: as many as one sitemap may list. What comes after them is ignored.
pub(crate) const MOST_LINKS: usize = 50_000;

/// The links between pages. 4 bytes a link, 16 a page, before gaps.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Where each page's links begin in `links`.
    starts: Vec<usize>,
    out_degrees: Vec<u32>,
    in_degrees: Vec<u32>,
    links: Vec<PageId>,
    in_use: usize,
    /// Room to sort one page's links in.
    desk: Vec<PageId>,
}

impl Graph {
    /// Makes room for the pages with ids below `pages`. Links from and to other pages are ignored until there is.
    pub fn grow(&mut self, pages: usize) {
        if pages > self.pages() {
            self.starts.resize(pages, 0);
            self.out_degrees.resize(pages, 0);
            self.in_degrees.resize(pages, 0);
        }
    }

    pub(crate) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        checkpoint.keep_rows(&mut self.starts)?;
        checkpoint.keep_rows(&mut self.out_degrees)?;
        checkpoint.keep_rows(&mut self.in_degrees)?;
        checkpoint.keep_rows(&mut self.links)?;
        checkpoint.keep(&mut self.in_use)
    }

    /// How many pages there is room for.
    pub fn pages(&self) -> usize {
        self.starts.len()
    }

    /// How many links there are.
    pub fn links(&self) -> usize {
        self.in_use
    }

    /// Takes in all links of a page in place of those it had, at most the first 50,000; tells whether that changed anything.
    ///
    /// ```
    /// use revisit::{PageId, site::Graph};
    /// let mut graph = Graph::default();
    /// graph.grow(3);
    /// assert!(graph.replace(PageId(0), [PageId(2), PageId(0), PageId(1), PageId(2), PageId(77)]));
    /// assert_eq!(graph.out(PageId(0)), [PageId(1), PageId(2)]);
    /// assert!(!graph.replace(PageId(0), [PageId(1), PageId(2)]));
    /// ```
    pub fn replace(&mut self, page: PageId, links: impl IntoIterator<Item = PageId>) -> bool {
        let known = self.pages();
        if page.index() >= known {
            return false;
        }
        let mut desk = std::mem::take(&mut self.desk);
        desk.clear();
        let counts = |target: &PageId| *target != page && target.index() < known;
        desk.extend(links.into_iter().filter(counts).take(MOST_LINKS));
        desk.sort_unstable();
        desk.dedup();
        let changes = self.out(page) != desk;
        if changes {
            self.store(page, &desk);
        }
        self.desk = desk;
        changes
    }

    /// The pages a page links to, in the order of the ids; none if it is not known.
    pub fn out(&self, page: PageId) -> &[PageId] {
        match self.starts.get(page.index()) {
            Some(&from) => &self.links[from..from + self.out_degrees[page.index()] as usize],
            None => &[],
        }
    }

    /// How many other pages link to a page.
    pub fn in_degree(&self, page: PageId) -> u32 {
        self.in_degrees.get(page.index()).copied().unwrap_or_default()
    }

    /// Every page with the pages it links to, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (PageId, &[PageId])> + Clone {
        (0..self.pages() as u32).map(|page| (PageId(page), self.out(PageId(page))))
    }

    fn store(&mut self, page: PageId, targets: &[PageId]) {
        let row = page.index();
        let (from, had) = (self.starts[row], self.out_degrees[row] as usize);
        for target in &self.links[from..from + had] {
            self.in_degrees[target.index()] -= 1;
        }
        for target in targets {
            self.in_degrees[target.index()] += 1;
        }
        if targets.len() <= had {
            self.links[from..from + targets.len()].copy_from_slice(targets);
        } else {
            self.starts[row] = self.append(targets);
        }
        self.out_degrees[row] = targets.len() as u32;
        self.in_use = self.in_use - had + targets.len();
        // Writing anew goes over all pages too, so as many gaps as pages must have come up to pay for it.
        if self.links.len() > 2 * self.in_use + self.pages() {
            self.close_gaps();
        }
    }

    /// Writes at the column's end and returns where. Grows by a quarter, not twofold: most of the memory is here.
    fn append(&mut self, targets: &[PageId]) -> usize {
        let from = self.links.len();
        if from + targets.len() > self.links.capacity() {
            self.links.reserve_exact(targets.len() + from / 4);
        }
        self.links.extend_from_slice(targets);
        from
    }

    fn close_gaps(&mut self) {
        let mut links = Vec::with_capacity(self.in_use);
        for (start, out_degree) in self.starts.iter_mut().zip(&self.out_degrees) {
            let from = links.len();
            links.extend_from_slice(&self.links[*start..*start + *out_degree as usize]);
            *start = from;
        }
        self.links = links;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn graph(pages: usize) -> Graph {
        let mut graph = Graph::default();
        graph.grow(pages);
        graph
    }

    #[test]
    fn a_million_links_on_one_page_are_cut() {
        let mut graph = graph(1_000_001);
        graph.replace(PageId(0), (1..=1_000_000).map(PageId));
        assert_eq!(graph.links(), MOST_LINKS);
        assert_eq!(graph.out(PageId(0)).last(), Some(&PageId(MOST_LINKS as u32)));
        graph.replace(PageId(1), std::iter::repeat_n(PageId(1), 1_000_000));
        assert_eq!(graph.out(PageId(1)), []);
    }

    #[test]
    fn pages_nobody_told_of_are_no_panic() {
        let mut graph = graph(2);
        assert!(!graph.replace(PageId(9), [PageId(0)]));
        assert!(!graph.replace(PageId(0), [PageId(9), PageId(u32::MAX)]));
        assert_eq!((graph.links(), graph.out(PageId(9)), graph.in_degree(PageId(9))), (0, &[][..], 0));
        graph.grow(10);
        assert!(graph.replace(PageId(0), [PageId(9)]));
    }

    /// A site that renames all its pages every day leaves no links behind.
    #[test]
    fn what_is_gone_takes_no_room() {
        let mut graph = Graph::default();
        for day in 0..100 {
            graph.grow((day + 1) * 100);
            let today = move |page: u32| PageId(day as u32 * 100 + page);
            for page in 0..100 {
                graph.replace(today(page), (0..50).map(|link| today((page + link) % 100)));
                if day > 0 {
                    graph.replace(PageId(today(page).0 - 100), []);
                }
            }
        }
        assert_eq!(graph.links(), 100 * 49);
        assert!(graph.links.len() <= 2 * graph.links() + graph.pages());
    }

    proptest! {
        #[test]
        fn it_is_the_same_as_a_map_of_sets(
            steps in prop::collection::vec((0..12_u32, prop::collection::vec(0..14_u32, 0..30)), 0..200)
        ) {
            let mut graph = graph(10);
            let mut model: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            for (page, links) in steps {
                let targets: BTreeSet<u32> = links.iter().copied().filter(|link| *link != page && *link < 10).collect();
                let changes = page < 10 && model.get(&page).cloned().unwrap_or_default() != targets;
                prop_assert_eq!(graph.replace(PageId(page), links.into_iter().map(PageId)), changes);
                if page < 10 {
                    model.insert(page, targets);
                }
            }
            for (page, out) in graph.iter() {
                let expected: Vec<PageId> = model.get(&page.0).into_iter().flatten().copied().map(PageId).collect();
                prop_assert_eq!(out, &expected[..]);
                let linking = model.values().filter(|targets| targets.contains(&page.0)).count();
                prop_assert_eq!(graph.in_degree(page) as usize, linking);
            }
            prop_assert_eq!(graph.links(), model.values().map(BTreeSet::len).sum::<usize>());
            prop_assert!(graph.links.len() <= 2 * graph.links() + graph.pages());
        }
    }
}
