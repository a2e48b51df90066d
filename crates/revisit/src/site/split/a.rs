//! Method A: a directory is a site, and its shallowest pages are its tops (section 5.2).
//!
//! All pages of the least depth are tops, as the paper has it. What is a directory is up to
//! [`LonePages`](crate::site::LonePages).

use super::Sites;
use crate::page::PageId;
use crate::site::{Depths, Directories};

/// Splits servers by method A.
pub fn by_directory(directories: &Directories, depths: &Depths) -> Sites {
    let pages_of = directories.pages_by_directory(|page| depths.get(page).is_some());
    let mut order: Vec<(u8, PageId, &[PageId])> = Vec::new();
    for pages in pages_of.iter() {
        // Of equal depths the lowest id: the pages come in the order of their ids.
        if let Some((depth, first)) = pages.iter().filter_map(|page| Some((depths.get(*page)?, *page))).min() {
            order.push((depth, first, pages));
        }
    }
    order.sort_unstable_by_key(|(depth, first, _)| (*depth, *first));
    let sites = order.into_iter().map(|(least, _, pages)| {
        let is_top = move |page: &&PageId| depths.get(**page) == Some(least);
        (pages.iter().filter(is_top).copied(), pages.iter().filter(move |page| !is_top(page)).copied())
    });
    Sites::collect(directories.pages(), sites)
}
