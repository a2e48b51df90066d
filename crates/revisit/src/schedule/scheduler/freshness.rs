//! How fresh the replica is expected to be, page by page and as a whole.

use super::Scheduler;
use crate::estimate::gamma::Gamma;
use crate::history::History;
use crate::page::PageId;
use crate::schedule::orders::Held;
use crate::time::Time;

/// Estimates over the whole collection look at no more pages than about this.
const SAMPLE: usize = 50_000;

impl Scheduler {
    /// What the collection as a whole says of change rates.
    pub fn prior(&self) -> Gamma {
        Gamma::fit(self.sample().map(|(_, history)| history))
    }

    /// Pages for estimates over the whole collection: all of them, or every n-th of many.
    fn sample(&self) -> impl Iterator<Item = (PageId, History)> {
        let step = self.pages.len() / SAMPLE + 1;
        self.pages.ids().step_by(step).map(|page| (page, self.pages.history(page)))
    }

    /// The share of the pages that were ever seen; 1 if there are none.
    pub fn coverage(&self) -> f64 {
        if self.pages.is_empty() { 1.0 } else { self.seen as f64 / self.pages.len() as f64 }
    }

    /// The share of the pages seen whose copy is expected to be current; 1 if none was seen. A page that was gone at its last
    /// visit, or could not be reached, has no copy to keep current. A sitemap is read for what it says of others: it changes
    /// whenever one of them does, and nobody wants it for itself. Nor does one count that was removed.
    pub fn expected_freshness(&self, now: Time) -> f64 {
        let (mut sum, mut seen) = (0.0, 0_usize);
        for (_, chance) in self.chances_current(self.sample(), now) {
            sum += chance;
            seen += 1;
        }
        if seen == 0 { 1.0 } else { sum / seen as f64 }
    }

    /// The chance that the copy of a page is current, if it has one that counts.
    pub fn chance_current(&self, page: PageId, now: Time) -> Option<f64> {
        self.chances_current(std::iter::once((page, self.pages.history(page))), now).next().map(|(_, chance)| chance)
    }

    /// The chance that the copy of each page seen is current: as the policy says, or else as its rate does.
    pub fn all_chances_current(&self, now: Time) -> impl Iterator<Item = (PageId, f64)> + '_ {
        self.chances_current(self.pages.iter(), now)
    }

    fn chances_current<'a>(
        &'a self,
        pages: impl Iterator<Item = (PageId, History)> + 'a,
        now: Time,
    ) -> impl Iterator<Item = (PageId, f64)> + 'a {
        let prior = self.prior();
        let copies = pages.filter(|(page, history)| history.failures() == 0 && !self.hints.is_sitemap(*page));
        let copies = copies.filter(|(page, _)| self.held(*page) != Some(Held::Removed));
        copies.filter_map(move |(page, history)| {
            let elapsed = history.elapsed(now)?;
            let usual = || prior.posterior(&history).chance_current(elapsed.as_days());
            let chance = self.policy.chance_current(page, &history, now).unwrap_or_else(usual);
            // Rounding may go beyond.
            Some((page, self.after_claim(page, chance, now).clamp(0.0, 1.0)))
        })
    }
}
