//! Where pages redirect to, to see a circle before walking it for ever. Only the loop holds this: visits that end at one
//! instant are heard in the order of their pages, so that it does not depend on who was faster which of them closes a circle.

use std::collections::HashMap;

/// Redirects remembered, about: of more, those seen longest ago are forgotten, and a circle among them is seen a round later.
const MOST: usize = 1 << 17;
/// Steps that are followed; a longer way round ends at `fetch.max_redirects`.
const MAX_STEPS: usize = 64;

/// The last redirect seen of each page, as fingerprints.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    young: HashMap<u64, u64>,
    /// What was young before, until there are as many again.
    old: HashMap<u64, u64>,
}

impl Redirects {
    /// A page redirects no more.
    pub(super) fn end(&mut self, from: u64) {
        self.young.remove(&from);
        self.old.remove(&from);
    }

    /// Takes note of a redirect, and says whether following it leads back to where it began.
    pub(super) fn leads_back(&mut self, from: u64, to: u64) -> bool {
        if self.young.len() >= MOST / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(from, to);
        let next = |place: &u64| self.young.get(place).or_else(|| self.old.get(place)).copied();
        std::iter::successors(Some(to), next).take(MAX_STEPS).any(|place| place == from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_seen_by_who_closes_it() {
        let mut redirects = Redirects::default();
        assert!(!redirects.leads_back(1, 2));
        assert!(!redirects.leads_back(2, 3));
        assert!(redirects.leads_back(3, 1) && redirects.leads_back(1, 2));
        assert!(!redirects.leads_back(9, 1), "who leads into a circle is not part of it");
        assert!(redirects.leads_back(5, 5));
    }

    #[test]
    fn a_circle_that_was_broken_is_none() {
        let mut redirects = Redirects::default();
        assert!(!redirects.leads_back(1, 2) && redirects.leads_back(2, 1));
        redirects.end(2);
        assert!(!redirects.leads_back(1, 2));
        assert!(redirects.leads_back(2, 1) && !redirects.leads_back(2, 7) && !redirects.leads_back(1, 2));
    }

    #[test]
    fn no_more_than_so_many_are_remembered() {
        let mut redirects = Redirects::default();
        (0..4 * MOST as u64).for_each(|page| _ = redirects.leads_back(page, page + 1));
        assert!(redirects.young.len() + redirects.old.len() <= MOST);
        let last = 4 * MOST as u64;
        assert!(redirects.leads_back(last, last - 10), "the last ones are");
    }
}
