//! How far a page is from its server's top page (Kumagai & Yamana 2004, section 5.1).
//!
//! The top page has depth 1; each link followed adds one; of several ways the shortest counts. Only links within the server are
//! followed, and only so many times: the paper stopped after 11, which makes 12 the greatest depth. A server may have
//! several top pages: of a frameset each frame counts as one, and so may a sitemap or a feed.
//!
//! [`Depths::measure`] goes over each link at most once. A page's new links can only bring other pages nearer, which
//! [`Depths::shorten`] works out in the pages that do come nearer. Links that went away leave depths too small until the next
//! measuring: finding out what else led there would cost as much.

use super::directory::{Directories, DirectoryId};
use super::graph::Graph;
use crate::page::PageId;

/// How many links the paper followed from a top page.
pub const HOPS: u8 = 11;

/// Every page's depth, one byte each.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Depths {
    /// 0 is out of reach.
    of_pages: Vec<u8>,
    greatest: u8,
}

impl Depths {
    /// Measures from these top pages in at most `hops` links, of which 254 are the most.
    ///
    /// ```
    /// use revisit::{PageId, site::{Depths, Directories, Graph, HOPS}};
    /// let (mut graph, mut directories) = (Graph::default(), Directories::default());
    /// ["http://x.org/", "http://x.org/a", "http://x.org/b"].map(|url| directories.push(url));
    /// graph.grow(3);
    /// graph.replace(PageId(0), [PageId(1)]);
    /// let depths = Depths::measure(&graph, &directories, &directories.top_pages(), HOPS);
    /// assert_eq!([0, 1, 2].map(|page| depths.get(PageId(page))), [Some(1), Some(2), None]);
    /// ```
    pub fn measure(graph: &Graph, directories: &Directories, top_pages: &[PageId], hops: u8) -> Depths {
        let mut depths = Depths { of_pages: vec![0; graph.pages()], greatest: hops.min(254) + 1 };
        let mut queue = Vec::new();
        for page in top_pages {
            // The same top page may be named twice.
            if let Some(depth @ 0) = depths.of_pages.get_mut(page.index()) {
                *depth = 1;
                queue.push(*page);
            }
        }
        depths.spread(graph, directories, queue);
        depths
    }

    /// A page's depth; `None` if it is out of reach.
    pub fn get(&self, page: PageId) -> Option<u8> {
        self.of_pages.get(page.index()).copied().filter(|depth| *depth > 0)
    }

    /// Takes in that a page has new links: pages behind them may be nearer now.
    pub fn shorten(&mut self, graph: &Graph, directories: &Directories, page: PageId) {
        if self.of_pages.len() < graph.pages() {
            self.of_pages.resize(graph.pages(), 0);
        }
        if self.get(page).is_some() {
            self.spread(graph, directories, vec![page]);
        }
    }

    /// Follows links breadth first from pages in the order of their depths.
    fn spread(&mut self, graph: &Graph, directories: &Directories, mut queue: Vec<PageId>) {
        let mut next = 0;
        while let Some(&page) = queue.get(next) {
            next += 1;
            let depth = self.of_pages[page.index()];
            if depth >= self.greatest {
                continue;
            }
            let depth = depth + 1;
            let server = directories.server(page);
            for &target in graph.out(page) {
                let known = &mut self.of_pages[target.index()];
                if (*known == 0 || *known > depth) && is_on(directories, target, server) {
                    *known = depth;
                    queue.push(target);
                }
            }
        }
    }
}

/// Whether a page is on a server. A page whose URL nobody told is on none.
fn is_on(directories: &Directories, page: PageId, server: Option<DirectoryId>) -> bool {
    server.is_some() && directories.server(page) == server
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pages of one server and the links between them.
    fn server(pages: u32, links: &[(u32, u32)]) -> (Graph, Directories) {
        let (mut graph, mut directories) = (Graph::default(), Directories::default());
        graph.grow(pages as usize);
        for page in 0..pages {
            directories.push(&format!("http://x.org/{page}.html"));
            let out = links.iter().filter(|(from, _)| *from == page);
            graph.replace(PageId(page), out.map(|(_, to)| PageId(*to)));
        }
        (graph, directories)
    }

    fn depths(graph: &Graph, directories: &Directories, hops: u8) -> Vec<u8> {
        Depths::measure(graph, directories, &[PageId(0)], hops).of_pages
    }

    /// Their Figure 2: the top page is 1, one more a link, and the shortest of several ways.
    #[test]
    fn figure_2_the_shortest_way_counts() {
        let (graph, directories) = server(6, &[(0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (2, 5), (5, 0)]);
        assert_eq!(depths(&graph, &directories, HOPS), [1, 2, 2, 3, 3, 3]);
    }

    #[test]
    fn a_chain_ends_after_as_many_hops_as_are_followed() {
        let chain: Vec<(u32, u32)> = (0..299).map(|page| (page, page + 1)).collect();
        let (graph, directories) = server(300, &chain);
        assert_eq!(depths(&graph, &directories, HOPS).iter().filter(|depth| **depth > 0).max(), Some(&12));
        assert_eq!(depths(&graph, &directories, 0)[..2], [1, 0]);
        assert_eq!(depths(&graph, &directories, 255).iter().filter(|depth| **depth > 0).count(), 255);
    }

    #[test]
    fn other_servers_and_strangers_are_out_of_reach() {
        let (mut graph, mut directories) = server(2, &[(0, 1)]);
        directories.push("http://y.org/");
        graph.grow(4);
        graph.replace(PageId(1), [PageId(2), PageId(3)]);
        let depths = Depths::measure(&graph, &directories, &[PageId(0), PageId(0), PageId(77)], HOPS);
        assert_eq!(depths.of_pages, [1, 2, 0, 0]);
        assert_eq!(depths.get(PageId(77)), None);
    }

    proptest! {
        #[test]
        fn new_links_shorten_to_what_measuring_anew_finds(
            links in prop::collection::vec((0..20_u32, 0..20_u32), 0..60), page in 0..20_u32,
            more in prop::collection::vec(0..20_u32, 0..5), hops in 0..6_u8,
        ) {
            let (mut graph, directories) = server(20, &links);
            let mut shortened = Depths::measure(&graph, &directories, &[PageId(0)], hops);
            let out: Vec<PageId> = graph.out(PageId(page)).to_vec();
            graph.replace(PageId(page), out.into_iter().chain(more.into_iter().map(PageId)));
            shortened.shorten(&graph, &directories, PageId(page));
            prop_assert_eq!(shortened.of_pages, depths(&graph, &directories, hops));
        }
    }
}
