//! The links of the `general` world: a top page, directories with an index page each, their members, and links across.
//!
//! A directory of a site is the pages of one level; its index is the first of them. The top page of a site is the index of
//! its shallowest directory. The top links to every index, an index to the members of its directory, a member back to its
//! index, and every index back to the top. Besides, each page links to `cross` pages of its site on average, drawn
//! anywhere in it, and with chance `outward` to a page of a site before its own. A link never changes, so that the links of
//! the first versions are those of the last.

use crate::lab::links::Links;
use crate::lab::random::Random;
use crate::page::PageId;

/// Streams of links are numbered from here, beyond those of pages and sites.
const LINKS: u64 = 1 << 33;
/// Directories of a site are on levels below this one.
const LEVELS: usize = 8;

/// What shapes the links.
pub(super) struct Structure {
    /// Pages a site.
    pub(super) site: u32,
    /// Links of a page to others of its site, on average.
    pub(super) cross: f64,
    /// Chance of a link to a site before its own.
    pub(super) outward: f64,
}

impl Structure {
    /// The links between pages on these levels, numbered in their order.
    pub(super) fn links(&self, levels: &[u8], seed: u64) -> Option<Links> {
        let mut links = Vec::new();
        let site = self.site.max(1) as usize;
        for (number, levels) in levels.chunks(site).enumerate() {
            let first = (number * site) as u32;
            within(first, levels, &mut links);
            for place in 0..levels.len() as u32 {
                self.across(PageId(first + place), first, seed, &mut links);
            }
        }
        // 100 million pages, the most there can be, with 20 links each are fewer than can be numbered.
        Links::new(levels.len(), links).ok()
    }

    /// Links of a page to others that are not near it.
    fn across(&self, page: PageId, first: u32, seed: u64, links: &mut Vec<(PageId, PageId)>) {
        let mut random = Random::stream(seed, LINKS + u64::from(page.0));
        // A whole number of links whose mean is `cross`. Those to pages that a smaller world does not have are dropped.
        let count = (self.cross + random.unit()).floor() as u32;
        links.extend((0..count).map(|_| (page, PageId(first + random.below(self.site.into()) as u32))));
        if first > 0 && random.chance(self.outward) {
            links.push((page, PageId(random.below(first.into()) as u32)));
        }
    }
}

/// The links of a site from its top to its indexes to its members, and back.
fn within(first: u32, levels: &[u8], links: &mut Vec<(PageId, PageId)>) {
    let mut indexes = [None; LEVELS];
    for (page, level) in (first..).map(PageId).zip(levels) {
        let index = indexes[usize::from(*level).min(LEVELS - 1)].get_or_insert(page);
        links.extend([(*index, page), (page, *index)]);
    }
    let mut indexes = indexes.into_iter().flatten();
    let Some(top) = indexes.next() else { return };
    links.extend(indexes.flat_map(|index| [(top, index), (index, top)]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::world;

    fn links(levels: &[u8], cross: f64, outward: f64) -> Vec<(u32, u32)> {
        let links = Structure { site: 4, cross, outward }.links(levels, 1).unwrap();
        links.iter().map(|(source, target)| (source.0, target.0)).collect()
    }

    #[test]
    fn a_site_by_hand() {
        // Page 1 is the top, 0 and 3 are indexes, 2 is a member of 0's directory; 4 is a site of its own.
        let expected = [(0, 1), (0, 2), (1, 0), (1, 3), (2, 0), (3, 1)];
        assert_eq!(links(&[2, 1, 2, 5, 1], 0.0, 0.0), expected);
        assert!(links(&[2, 1, 2, 5, 1], 0.0, 1.0).iter().any(|(source, target)| *source == 4 && *target < 4));
    }

    #[test]
    fn every_page_is_reached_from_the_top_of_its_site() {
        let trace = world::make("general?cross=0&outward=0", 1_000, 3).unwrap();
        let links = trace.links().unwrap();
        let reached = |first: u32| {
            let level = |page: PageId| trace.page(page).directory_level.unwrap() as u32;
            let top = (first..first + 50).map(PageId).min_by_key(|page| (level(*page), *page)).unwrap();
            let mut found = vec![top];
            let mut next = 0;
            while let Some(page) = found.get(next).copied() {
                found.extend(links.of(page).iter().filter(|target| !found.contains(target)).collect::<Vec<_>>());
                next += 1;
            }
            found.len()
        };
        assert!((0..20).all(|site| reached(site * 50) == 50));
    }

    #[test]
    fn links_across_are_as_many_as_told_and_a_larger_world_has_those_of_a_smaller() {
        let made = |pages| world::make("general?cross=3&outward=0.5", pages, 3).unwrap();
        let (small, large) = (made(500), made(2_000));
        let between = |trace: &crate::lab::trace::Trace, most: u32| {
            let kept = |(source, target): &(PageId, PageId)| source.0 < most && target.0 < most;
            trace.links().unwrap().iter().filter(kept).collect::<Vec<_>>()
        };
        assert_eq!(between(&small, 500), between(&large, 500));
        let without = world::make("general?cross=0&outward=0", 2_000, 3).unwrap().links().unwrap().len();
        let more = (large.links().unwrap().len() - without) as f64 / 2_000.0;
        assert!((3.0..3.5).contains(&more), "{more} links a page, a few of them there anyway");
    }
}
