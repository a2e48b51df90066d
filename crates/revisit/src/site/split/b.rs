//! Method B: a top page and the pages of its directory it links to (section 5.3).
//!
//! Tops are pages by which visitors come in: a server's top pages and those linked from another directory of the server.
//! The paper drops a top that has no child and lets the page that links to it be the top instead. It leaves open what
//! else that covers; this is how it is read here:
//!
//! - A child is a page of the directory further from the server's top page. Pages that only link back to their index, as most
//!   pages do, have no child; else nearly every page would be a top of its own.
//! - A dropped page that some top links to is simply a member there.
//! - A page two links away from every top is in the same case as a dropped one: the page that links to it becomes a top.
//! - Of several pages that link to it, the shallowest, then the one with the lowest id. Deep pages choose first, so that a page
//!   that speaks for others does not itself fall to one of them.
//! - A page of whose directory nobody links to it is a site of its own. A server's top page is always a top.
//!
//! So every page in reach is in a site, and a page linked from two tops is in both.

use super::Sites;
use crate::page::PageId;
use crate::site::directory::DirectoryId;
use crate::site::lists::Lists;
use crate::site::{Depths, Directories, Graph};

/// Splits servers by method B.
pub fn by_links(graph: &Graph, directories: &Directories, depths: &Depths) -> Sites {
    let map = Map::new(graph, directories, depths);
    let mut choice = Choice::survey(&map);
    choice.complete(&map);
    let tops = map.by_depth.iter().flatten().filter(|page| choice.flags[page.index()] & TOP != 0);
    Sites::collect(graph.pages(), tops.map(|top| ([*top], map.directory_links(*top))))
}

/// What the split is made from.
struct Map<'a> {
    graph: &'a Graph,
    directories: &'a Directories,
    depths: &'a Depths,
    places: Vec<DirectoryId>,
    /// The pages in reach at each depth, in the order of the ids.
    by_depth: Lists<PageId>,
}

impl<'a> Map<'a> {
    fn new(graph: &'a Graph, directories: &'a Directories, depths: &'a Depths) -> Map<'a> {
        let pages = (0..directories.pages().min(graph.pages()) as u32).map(PageId);
        let in_reach = pages.filter_map(|page| Some((usize::from(depths.get(page)?), page)));
        let by_depth = Lists::gather(usize::from(u8::MAX) + 1, in_reach);
        Map { graph, directories, depths, places: directories.column(), by_depth }
    }

    /// The pages in reach of the same directory that a page links to.
    fn directory_links(&self, page: PageId) -> impl Iterator<Item = PageId> {
        let place = self.places.get(page.index());
        let beside = move |target: &PageId| self.places.get(target.index()) == place;
        let in_reach = |target: &PageId| self.depths.get(*target).is_some();
        self.graph.out(page).iter().copied().filter(move |target| beside(target) && in_reach(target))
    }
}

/// Linked from another directory of the server.
const ENTRANCE: u8 = 1;
/// Links to a deeper page of its directory.
const HAS_CHILD: u8 = 2;
/// Heads a site.
const TOP: u8 = 4;
/// Is a member of a site.
const MEMBER: u8 = 8;

/// Who heads a site, as far as decided.
struct Choice {
    flags: Vec<u8>,
    /// The shallowest page of the directory that links to a page.
    linking: Vec<Option<PageId>>,
}

impl Choice {
    /// One look at every link, shallow pages first.
    fn survey(map: &Map) -> Choice {
        let pages = map.graph.pages();
        let mut choice = Choice { flags: vec![0; pages], linking: vec![None; pages] };
        for page in map.by_depth.iter().flatten() {
            choice.look_at(map, *page);
        }
        choice
    }

    fn look_at(&mut self, map: &Map, page: PageId) {
        let Some(depth) = map.depths.get(page) else { return };
        if depth == 1 {
            self.flags[page.index()] |= TOP;
        }
        let (place, server) = (map.places[page.index()], map.directories.server(page));
        for &target in map.graph.out(page) {
            let Some(below) = map.depths.get(target) else { continue };
            if map.places.get(target.index()) == Some(&place) {
                self.linking[target.index()].get_or_insert(page);
                self.flags[page.index()] |= if below > depth { HAS_CHILD } else { 0 };
            } else if map.directories.server(target) == server {
                self.flags[target.index()] |= ENTRANCE;
            }
        }
    }

    /// Makes tops until every page is in a site.
    fn complete(&mut self, map: &Map) {
        for page in map.by_depth.iter().flatten() {
            let wanted = ENTRANCE | HAS_CHILD;
            if self.flags[page.index()] & TOP != 0 || self.flags[page.index()] & wanted == wanted {
                self.make_top(map, *page);
            }
        }
        for page in map.by_depth.iter().rev().flat_map(|pages| pages.iter().rev()) {
            if self.flags[page.index()] & (TOP | MEMBER) == 0 {
                self.make_top(map, self.linking[page.index()].unwrap_or(*page));
            }
        }
    }

    fn make_top(&mut self, map: &Map, page: PageId) {
        self.flags[page.index()] |= TOP;
        for member in map.directory_links(page) {
            self.flags[member.index()] |= MEMBER;
        }
    }
}
