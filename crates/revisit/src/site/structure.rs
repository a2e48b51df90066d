//! All that is known of how pages are arranged: who links to whom, and who lives in which directory.
//!
//! Whoever finds pages tells it page by page; policies are shown the whole of it. What follows from it, depths and sites, is
//! made anew by who needs it, so nothing here can drift.

use super::depth::HOPS;
use super::linked::Linked;
use super::{Depths, Directories, Graph};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::page::PageId;

/// How pages are arranged. Takes no room until somebody tells something.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    graph: Graph,
    /// In place of the graph, where nobody follows links.
    linked: Option<Linked>,
    directories: Directories,
}

impl Structure {
    /// For who reads directories and how many pages link to each, and does not follow links: those are not kept.
    pub(crate) fn without_links() -> Structure {
        Structure { linked: Some(Linked::default()), ..Structure::default() }
    }

    /// Takes in where a page is. What was said of it first stands.
    pub fn locate(&mut self, page: PageId, url: &str) {
        self.directories.locate(page, url);
        if self.linked.is_none() {
            self.graph.grow(self.directories.pages());
        }
    }

    /// Takes in all links of a page in place of those it had, among `pages` pages; tells whether that changed anything.
    pub fn link(&mut self, page: PageId, targets: impl IntoIterator<Item = PageId>, pages: usize) -> bool {
        if let Some(linked) = &mut self.linked {
            return linked.tell(page, targets, pages);
        }
        self.graph.grow(pages);
        self.graph.replace(page, targets)
    }

    /// How many other pages link to a page.
    pub fn in_degree(&self, page: PageId) -> u32 {
        self.linked.as_ref().map_or_else(|| self.graph.in_degree(page), |linked| linked.in_degree(page))
    }

    pub(crate) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        match &mut self.linked {
            Some(linked) => linked.keep(checkpoint)?,
            None => self.graph.keep(checkpoint)?,
        }
        self.directories.keep(checkpoint)
    }

    /// Who links to whom, if that is kept.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Who lives in which directory.
    pub fn directories(&self) -> &Directories {
        &self.directories
    }

    /// Every page's depth below its server's top pages, as far as the paper followed links.
    ///
    /// ```
    /// use revisit::{PageId, site::Structure};
    /// let mut structure = Structure::default();
    /// structure.locate(PageId(0), "http://x.org/");
    /// structure.locate(PageId(1), "http://x.org/news.html");
    /// structure.link(PageId(0), [PageId(1)], 2);
    /// assert_eq!(structure.depths().get(PageId(1)), Some(2));
    /// ```
    pub fn depths(&self) -> Depths {
        Depths::measure(&self.graph, &self.directories, &self.directories.top_pages(), HOPS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_pages_found_later_count_once_they_are_told_again() {
        let mut structure = Structure::default();
        structure.locate(PageId(0), "http://x.org/");
        assert!(!structure.link(PageId(0), [PageId(1)], 1), "nobody knows page 1 yet");
        structure.locate(PageId(1), "http://x.org/a");
        assert!(structure.link(PageId(0), [PageId(1)], 2));
        assert!(!structure.link(PageId(0), [PageId(1)], 2));
        assert_eq!(structure.depths().get(PageId(1)), Some(2));
    }

    #[test]
    fn nothing_told_is_no_panic() {
        let structure = Structure::default();
        assert_eq!((structure.depths().get(PageId(3)), structure.graph().links()), (None, 0));
    }
}
