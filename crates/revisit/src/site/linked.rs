//! How many pages link to each, without keeping which: six bytes a page instead of four for every link.
//!
//! Links of a page that is read again are mostly those it had. So of a page's later versions only links to pages count that
//! were found since its links were last told: those cannot have been counted before. What is told of links between pages known
//! long ago, and of links that are gone, is not kept track of. As long as pages only ever link to more, the count is exact.

use super::graph::MOST_LINKS;
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::column::Column;
use crate::page::PageId;

/// The number of links to each page.
#[derive(Clone, Debug)]
pub(super) struct Linked {
    in_degrees: Column<u16>,
    /// Above every page that was known when a page's links were last told.
    told: Column<u32>,
    /// Room to sort one page's links in.
    desk: Vec<PageId>,
}

impl Default for Linked {
    fn default() -> Linked {
        Linked { in_degrees: Column::new(0), told: Column::new(0), desk: Vec::new() }
    }
}

impl Linked {
    /// Takes in all links that a page has, among `pages` pages; tells whether that changed anything.
    pub(super) fn tell(&mut self, page: PageId, links: impl IntoIterator<Item = PageId>, pages: usize) -> bool {
        let known = self.told.get(page.index()) as usize;
        let is_new = |target: &PageId| *target != page && (known..pages).contains(&target.index());
        self.desk.clear();
        self.desk.extend(links.into_iter().take(MOST_LINKS).filter(is_new));
        self.desk.sort_unstable();
        self.desk.dedup();
        for target in &self.desk {
            let linked = self.in_degrees.get(target.index());
            self.in_degrees.set(target.index(), linked.saturating_add(1));
        }
        self.told.set(page.index(), pages as u32);
        !self.desk.is_empty()
    }

    /// How many other pages link to a page.
    pub(super) fn in_degree(&self, page: PageId) -> u32 {
        self.in_degrees.get(page.index()).into()
    }

    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.in_degrees.keep(checkpoint)?;
        self.told.keep(checkpoint)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Graph;
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    #[test]
    fn a_page_read_again_counts_once_and_what_it_found_since_too() {
        let mut linked = Linked::default();
        let links = |targets: &[u32]| targets.iter().copied().map(PageId).collect::<Vec<_>>();
        assert!(linked.tell(PageId(0), links(&[0, 1, 1, 2, 9]), 3));
        assert!(!linked.tell(PageId(0), links(&[2, 1]), 3));
        assert!(linked.tell(PageId(0), links(&[1, 2, 3]), 4), "3 was found since");
        assert_eq!([0, 1, 2, 3, 9].map(|page| linked.in_degree(PageId(page))), [0, 1, 1, 1, 0]);
    }

    proptest! {
        #[test]
        fn who_only_ever_links_to_more_is_counted_exactly(
            links in vec(vec(0_u32..40, 0..12), 40),
            tellings in vec((0_u32..40, 1_usize..10), 0..60),
        ) {
            let (mut linked, mut graph, mut pages) = (Linked::default(), Graph::default(), 1);
            for (page, found) in tellings {
                pages += found.min(40 - pages);
                graph.grow(pages);
                if (page as usize) < pages {
                    let links = || links[page as usize].iter().copied().map(PageId);
                    let changed = linked.tell(PageId(page), links(), pages);
                    prop_assert_eq!(graph.replace(PageId(page), links()), changed);
                }
            }
            for page in (0..40).map(PageId) {
                prop_assert_eq!(linked.in_degree(page), graph.in_degree(page));
            }
        }
    }
}
