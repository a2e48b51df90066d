//! Method C: method B, and a site is looked at only if its upper site changed (section 5.4).
//!
//! The upper site is the one of the page that links to the site's top. The paper does not say which, if several pages do or if
//! that page is in several sites. Here it is the page nearest to the server's top page, then the lowest id; and of its sites the
//! one it heads, else the one with the shallowest top. A site that would come before its upper site is looked at in any
//! case: so no two sites can wait for each other.

use super::{SiteId, Sites, by_links};
use crate::page::PageId;
use crate::site::{Depths, Directories, Graph};

/// Splits servers by method C.
pub fn by_hierarchy(graph: &Graph, directories: &Directories, depths: &Depths) -> Sites {
    let mut sites = by_links(graph, directories, depths);
    let mut headed = vec![None; graph.pages()];
    for site in sites.ids() {
        for top in sites.tops(site) {
            headed[top.index()] = Some(site);
        }
    }
    let linking = linking_pages(graph, directories, depths, &headed);
    let upper = |site: SiteId| {
        let linking = linking[site.index()]?;
        let upper = headed[linking.index()].or(sites.of(linking).first().copied())?;
        (upper < site).then_some(upper)
    };
    sites.uppers = sites.ids().map(upper).collect();
    sites
}

/// For each site the page one step nearer to the server's top page that links to the site's top.
fn linking_pages(
    graph: &Graph,
    directories: &Directories,
    depths: &Depths,
    headed: &[Option<SiteId>],
) -> Vec<Option<PageId>> {
    let mut linking = vec![None; headed.iter().flatten().count()];
    for (page, targets) in graph.iter() {
        let Some(depth) = depths.get(page) else { continue };
        let server = directories.server(page);
        for target in targets {
            let Some(site) = headed[target.index()] else { continue };
            let below = depths.get(*target).is_some_and(|below| below > depth);
            if below && directories.server(*target) == server {
                linking[site.index()].get_or_insert(page);
            }
        }
    }
    linking
}
