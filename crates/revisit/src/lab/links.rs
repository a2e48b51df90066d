//! Which page links to which: the structure of sites, in two columns of 32-bit numbers.
//!
//! The targets of all pages lie one after the other, and each page knows where its own begin (compressed sparse rows): 4
//! bytes a link and 4 a page. A link to the page itself, or a second one to the same page, says nothing more and is left out.
//!
//! Links of a trace are often known from its end only. They say where pages stand in their site; who predicts changes must
//! not look at them.

use crate::page::PageId;

/// Links between the pages of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    /// Where each page's targets begin in `targets`, and one more for the end.
    starts: Vec<u32>,
    targets: Vec<PageId>,
}

/// There are more links than can be numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{count} links are more than the 4,294,967,295 that can be held: leave some pages out")]
pub struct TooManyLinks {
    /// How many there are.
    pub count: usize,
}

impl Links {
    /// The links between so many pages, each from a source to a target, in any order. Links of pages that are not among
    /// them are left out.
    ///
    /// ```
    /// use revisit::{PageId, lab::links::Links};
    /// let [top, news, old] = [0, 1, 2].map(PageId);
    /// let links = Links::new(3, vec![(top, old), (news, top), (top, news), (top, news)]).unwrap();
    /// assert_eq!(links.of(top), [news, old]);
    /// assert_eq!((links.of(old), links.len()), (&[][..], 3));
    /// ```
    pub fn new(pages: usize, mut links: Vec<(PageId, PageId)>) -> Result<Links, TooManyLinks> {
        links.retain(|(source, target)| source != target && source.index() < pages && target.index() < pages);
        links.sort_unstable();
        links.dedup();
        u32::try_from(links.len()).map_err(|_| TooManyLinks { count: links.len() })?;
        let mut starts = vec![0; pages + 1];
        links.iter().for_each(|(source, _)| starts[source.index() + 1] += 1);
        (1..starts.len()).for_each(|page| starts[page] += starts[page - 1]);
        Ok(Links { starts, targets: links.into_iter().map(|(_, target)| target).collect() })
    }

    /// How many links there are.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no link.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The pages a page links to, in ascending order; none for a page that is not there.
    pub fn of(&self, page: PageId) -> &[PageId] {
        match (self.starts.get(page.index()), self.starts.get(page.index() + 1)) {
            (Some(from), Some(to)) => &self.targets[*from as usize..*to as usize],
            _ => &[],
        }
    }

    /// Every link, in the order of sources and targets.
    pub fn iter(&self) -> impl Iterator<Item = (PageId, PageId)> {
        let pages = (0..self.starts.len().saturating_sub(1) as u32).map(PageId);
        pages.flat_map(|source| self.of(source).iter().map(move |target| (source, *target)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn links_are_a_set(pages in 0_usize..12, pairs in prop::collection::vec((0_u32..14, 0_u32..14), 0..60)) {
            let pairs: Vec<(PageId, PageId)> = pairs.into_iter().map(|(from, to)| (PageId(from), PageId(to))).collect();
            let inside = |page: &PageId| page.index() < pages;
            let expected: BTreeSet<_> =
                pairs.iter().copied().filter(|(from, to)| from != to && inside(from) && inside(to)).collect();
            let links = Links::new(pages, pairs).unwrap();
            prop_assert_eq!(links.iter().collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>());
            prop_assert!(links.of(PageId(99)).is_empty());
        }
    }
}
