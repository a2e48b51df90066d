//! Servers split into sites: a few pages that tell whether the others are worth a visit (Kumagai & Yamana 2004, section 5).
//!
//! A site has top pages, which are visited first, and members, which are visited if a top changed. [`by_directory`] is the
//! paper's method A, [`by_links`] its method B, [`by_hierarchy`] its method C, each a file with its readings.
//!
//! What all three share: servers are split one by one, so links between servers count for nothing. Pages out of reach of their
//! server's top pages, those that nobody links to among them, are in no site: no top speaks for them. Sites are numbered by
//! the depth of their top, then by its id, so the numbers follow from what is known and not from the order in which it came.

mod a;
mod b;
mod c;

pub use a::by_directory;
pub use b::by_links;
pub use c::by_hierarchy;

use super::lists::Lists;
use crate::page::PageId;

/// A site, numbered from 0, shallow tops first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
pub struct SiteId(pub u32);

impl SiteId {
    /// The site's place in a column.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The sites of all servers. 8 bytes a membership, 20 a site, 8 a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Sites {
    /// Each site's pages, tops first.
    pages: Lists<PageId>,
    tops: Vec<u32>,
    of_pages: Lists<SiteId>,
    /// Empty unless a method knows of upper sites.
    uppers: Vec<Option<SiteId>>,
}

impl Sites {
    /// Sites in order, each with its tops and its other pages.
    fn collect<T, M>(pages: usize, sites: impl IntoIterator<Item = (T, M)>) -> Sites
    where
        T: IntoIterator<Item = PageId>,
        M: IntoIterator<Item = PageId>,
    {
        let mut built = Sites::default();
        for (tops, members) in sites {
            let mut count = 0;
            let tops = tops.into_iter().inspect(|_| count += 1);
            built.pages.push(tops.chain(members));
            built.tops.push(count);
        }
        let sites = built.pages.iter().zip(0..);
        let memberships = sites.flat_map(|(pages, site)| pages.iter().map(move |page| (page.index(), SiteId(site))));
        built.of_pages = Lists::gather(pages, memberships);
        built
    }

    /// How many sites there are.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is no site.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every site, shallow tops first.
    pub fn ids(&self) -> impl Iterator<Item = SiteId> + use<> {
        (0..self.len() as u32).map(SiteId)
    }

    /// All pages of a site, its tops first, each part in the order of the ids.
    pub fn pages(&self, site: SiteId) -> &[PageId] {
        self.pages.get(site.index())
    }

    /// The pages that tell whether the site changed: at least one.
    pub fn tops(&self, site: SiteId) -> &[PageId] {
        &self.pages(site)[..self.top_count(site)]
    }

    /// The pages its tops speak for.
    pub fn members(&self, site: SiteId) -> &[PageId] {
        &self.pages(site)[self.top_count(site)..]
    }

    /// The sites a page is a top or a member of, in order; none if the page is out of reach.
    pub fn of(&self, page: PageId) -> &[SiteId] {
        self.of_pages.get(page.index())
    }

    /// The site that must have changed for this one to be worth a look. Its number is always lower, so a look at the sites in
    /// order meets upper sites first. `None` if the site is to be looked at in any case.
    pub fn upper(&self, site: SiteId) -> Option<SiteId> {
        self.uppers.get(site.index()).copied().flatten()
    }

    fn top_count(&self, site: SiteId) -> usize {
        self.tops.get(site.index()).map_or(0, |count| *count as usize)
    }
}

#[cfg(test)]
mod tests;
