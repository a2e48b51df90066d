//! What sitemaps and feeds say of pages, and what that moves in the order of visits.
//!
//! The rule, the same for every policy, which knows nothing of it:
//! - A page that a list says changed since it was last seen goes ahead of all others with the chance [`Trust::urgency`],
//!   even if the policy would not visit it now.
//! - A page that a sitemap read within the last two cycles says is as it was stands for a visit with the chance
//!   [`Trust::need`], at least one in twenty: those test the claim.
//! - A sitemap goes ahead once a cycle if reading it is expected to save more than the one visit it costs: its pages, times
//!   the share of pages visited a cycle, times [`Trust::promise`]. Its pages wait for it, with the chance that it will make
//!   them stand back.
//!
//! A chance is a draw by page and cycle, against the trust there was when the cycle opened, so trust grows and fades page by page
//! and any number of rounds agrees on it, whoever asks and when. What a list says of other hosts' pages does not count: it could spoil their trust. A feed names what is new and drops the rest, so
//! only its dates count, not its silence.

use std::collections::BTreeMap;

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::column::Column;
use crate::page::{HostId, PageId};
use crate::site::{Claim, Trust};
use crate::time::{Span, Time};
use crate::visit::Outcome;

/// For so many cycles a sitemap speaks for its pages after it was read.
const CURRENT: f64 = 2.0;

/// The kind of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub enum ListKind {
    /// Lists all pages it speaks for, with the date of each one's last change.
    Sitemap,
    /// Lists the latest pages only.
    Feed,
}

/// Whether a date is that of a day, without a time of day: nobody changes pages at midnight to the second.
fn is_day(date: Time) -> bool {
    date.millis().rem_euclid(Span::DAY.millis()) == 0
}

/// What was last told of a page, in 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
struct Told {
    /// Seconds since 1970, up to the year 2106; 0 if nobody told.
    modified: u32,
    /// The sitemap that lists the page, and in the highest bit whether the page is a sitemap itself: asked of every page in
    /// every round, that must not cost a search.
    sitemap: u32,
}

const SITEMAP: u32 = 1 << 31;
const NOBODY: u32 = SITEMAP - 1;
const NOTHING: Told = Told { modified: 0, sitemap: NOBODY };

impl Told {
    /// When a page changed of which a list says so. A day without a time of day that was not said before is news, also if the page was
    /// seen on that day: it changed since.
    fn meant_by(self, modified: Time, seen: Option<Time>) -> Time {
        let day = |seconds: i64| seconds.div_euclid(Span::DAY.millis() / 1000);
        let is_news = self.modified > 0 && day(self.modified.into()) < day(modified.secs());
        let seen = seen.filter(|seen| is_day(modified) && is_news && (modified..modified + Span::DAY).contains(seen));
        seen.map_or(modified, |seen| seen + Span::from_secs(1))
    }

    fn sitemap(self) -> Option<PageId> {
        let sitemap = self.sitemap & !SITEMAP;
        (sitemap != NOBODY).then_some(PageId(sitemap))
    }
}

/// A sitemap that listed pages.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, serde::Serialize)]
struct List {
    /// Pages of which it was the last sitemap to tell.
    pages: u32,
    /// In the reading under way: pages seen before, and those of them that it says have changed since.
    listed: u32,
    claimed: u32,
}

/// What lists said, and what it was worth.
#[derive(Debug)]
pub(super) struct Hints {
    told: Column<Told>,
    sitemaps: BTreeMap<PageId, List>,
    trust: Column<Trust>,
    /// What the dates of hosts were worth when the cycle opened, of those that learned more of them since.
    at_opening: BTreeMap<HostId, Trust>,
}

impl Default for Hints {
    fn default() -> Hints {
        Hints {
            told: Column::new(NOTHING),
            sitemaps: BTreeMap::new(),
            trust: Column::new(Trust::default()),
            at_opening: BTreeMap::new(),
        }
    }
}

impl Hints {
    /// Whether nobody said anything: then nothing is moved, and nobody needs to ask.
    pub(super) fn are_none(&self) -> bool {
        self.told.is_usual()
    }

    pub(super) fn keep(&mut self, checkpoint: &mut Checkpoint<'_>) -> Result<(), CheckpointError> {
        self.told.keep(checkpoint)?;
        checkpoint.keep(&mut self.sitemaps)?;
        self.trust.keep(checkpoint)?;
        checkpoint.keep(&mut self.at_opening)
    }

    /// What was learned so far is felt from now on.
    pub(super) fn open_cycle(&mut self) {
        self.at_opening.clear();
    }

    /// A list says when a page last changed. The latest date stands, whoever told it.
    pub(super) fn tell(&mut self, page: PageId, seen: Option<Time>, modified: Time, list: PageId, kind: ListKind) {
        let mut told = self.told.get(page.index());
        let modified = told.meant_by(modified, seen);
        told.modified = told.modified.max(u32::try_from(modified.secs().max(1)).unwrap_or(u32::MAX));
        if kind == ListKind::Sitemap && list.0 < NOBODY {
            let sitemap = self.sitemaps.entry(list).or_default();
            sitemap.listed += u32::from(seen.is_some());
            sitemap.claimed += u32::from(seen.is_some_and(|seen| modified > seen));
            if told.sitemap() != Some(list) {
                sitemap.pages += 1;
                self.leave(told.sitemap());
                self.mark(list);
                told.sitemap = told.sitemap & SITEMAP | list.0;
            }
        }
        self.told.set(page.index(), told);
    }

    /// A sitemap lost a page to another.
    fn leave(&mut self, sitemap: Option<PageId>) {
        if let Some(sitemap) = sitemap.and_then(|sitemap| self.sitemaps.get_mut(&sitemap)) {
            sitemap.pages = sitemap.pages.saturating_sub(1);
        }
    }

    fn mark(&mut self, sitemap: PageId) {
        let told = self.told.get(sitemap.index());
        self.told.set(sitemap.index(), Told { sitemap: told.sitemap | SITEMAP, ..told });
    }

    /// Whether a page is a sitemap that listed others.
    pub(super) fn is_sitemap(&self, page: PageId) -> bool {
        self.told.get(page.index()).sitemap & SITEMAP != 0
    }

    /// When the lists last said that a page changed.
    pub(super) fn modified(&self, page: PageId) -> Option<Time> {
        let told = self.told.get(page.index());
        (told.modified > 0).then(|| Time::from_secs(i64::from(told.modified)))
    }

    /// The sitemap that lists a page.
    pub(super) fn sitemap_of(&self, page: PageId) -> Option<PageId> {
        self.told.get(page.index()).sitemap()
    }

    /// What is said of a page last `seen` then, if its sitemap was last `read` then.
    pub(super) fn claim(&self, page: PageId, seen: Time, read: Option<Time>, now: Time, cycle: Span) -> Option<Claim> {
        let modified = self.modified(page)?;
        if modified > seen {
            return Some(Claim::Changed);
        }
        // Whether that was before the visit or after it, the date does not say.
        if is_day(modified) && seen < modified + Span::DAY {
            return None;
        }
        read.filter(|read| *read > seen && now - *read <= cycle * CURRENT).map(|_| Claim::Unchanged)
    }

    /// A page of a host was visited; if it is a sitemap, its reading is complete.
    pub(super) fn read(&mut self, page: PageId, host: HostId, outcome: Outcome) {
        let Some(List { listed, claimed, .. }) = self.sitemaps.get_mut(&page) else { return };
        let reading = (std::mem::take(claimed), std::mem::take(listed));
        // A sitemap that changed and told of no page seen before says nothing of changes; one that is as it was says none.
        let tells = reading.1 > 0 || outcome == Outcome::Unchanged;
        if tells && matches!(outcome, Outcome::Changed | Outcome::Unchanged) {
            self.teach(host, |trust| trust.read(reading.0, reading.1));
        }
    }

    /// A visit showed whether a claim was right.
    pub(super) fn check(&mut self, host: HostId, claim: Claim, changed: bool) {
        self.teach(host, |trust| trust.check(claim, changed));
    }

    fn teach(&mut self, host: HostId, lesson: impl FnOnce(&mut Trust)) {
        let mut trust = self.trust(host);
        self.at_opening.entry(host).or_insert(trust);
        lesson(&mut trust);
        self.trust.set(host.index(), trust);
    }

    /// What a host's dates have been worth so far.
    pub(super) fn trust(&self, host: HostId) -> Trust {
        self.trust.get(host.index())
    }

    /// What they were worth when the cycle opened: that is felt in its picks.
    pub(super) fn felt(&self, host: HostId) -> Trust {
        self.at_opening.get(&host).copied().unwrap_or_else(|| self.trust(host))
    }

    pub(super) fn set_trust(&mut self, host: HostId, trust: Trust) {
        self.trust.set(host.index(), trust);
    }

    /// Visits that one reading of a sitemap is expected to save, if this share of its pages is visited a cycle; `None` if it
    /// is no sitemap.
    pub(super) fn savings(&self, page: PageId, host: HostId, visited: f64) -> Option<f64> {
        if !self.is_sitemap(page) {
            return None;
        }
        let sitemap = self.sitemaps.get(&page)?;
        Some(f64::from(sitemap.pages) * visited * self.felt(host).promise())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: HostId = HostId(0);
    const LIST: PageId = PageId(9);

    fn at(hour: i64) -> Time {
        Time::from_secs(hour * 3600)
    }

    fn claim(hints: &Hints, seen: i64, read: i64, now: i64) -> Option<Claim> {
        hints.claim(PageId(0), at(seen), Some(at(read)), at(now), Span::HOUR)
    }

    #[test]
    fn a_claim_needs_a_date_and_a_reading_after_the_visit() {
        let mut hints = Hints::default();
        assert_eq!(claim(&hints, 1, 2, 2), None, "nobody told anything");
        hints.tell(PageId(0), None, at(3), LIST, ListKind::Sitemap);
        assert_eq!(claim(&hints, 2, 3, 9), Some(Claim::Changed), "however long ago it was told");
        assert_eq!(claim(&hints, 4, 5, 6), Some(Claim::Unchanged));
        assert_eq!(claim(&hints, 4, 4, 5), None, "the sitemap was read before the page");
        assert_eq!(claim(&hints, 4, 5, 8), None, "that was long ago");
        hints.tell(PageId(0), None, at(1), LIST, ListKind::Feed);
        assert_eq!(hints.modified(PageId(0)), Some(at(3)), "the latest date stands");
    }

    #[test]
    fn a_day_says_nothing_of_what_was_seen_on_it() {
        let mut hints = Hints::default();
        hints.tell(PageId(0), None, at(24), LIST, ListKind::Sitemap);
        assert_eq!(claim(&hints, 23, 25, 26), Some(Claim::Changed));
        assert_eq!(claim(&hints, 30, 31, 32), None, "it may have changed at any hour of that day");
        assert_eq!(claim(&hints, 48, 49, 50), Some(Claim::Unchanged));
        hints.tell(PageId(0), Some(at(53)), at(48), LIST, ListKind::Sitemap);
        assert_eq!(claim(&hints, 53, 60, 60), Some(Claim::Changed), "it was not said before");
        hints.tell(PageId(0), Some(at(61)), at(48), LIST, ListKind::Sitemap);
        assert_eq!(claim(&hints, 61, 62, 62), Some(Claim::Unchanged));
    }

    #[test]
    fn each_page_counts_for_one_sitemap() {
        let mut hints = Hints::default();
        for page in 0..10 {
            hints.tell(PageId(page), None, at(1), LIST, ListKind::Sitemap);
            hints.tell(PageId(page), None, at(2), PageId(8), ListKind::Feed);
        }
        assert_eq!(hints.sitemap_of(PageId(3)), Some(LIST));
        assert_eq!(hints.savings(PageId(8), HOST, 1.0), None, "a feed is no sitemap");
        let savings = hints.savings(LIST, HOST, 0.5).unwrap();
        assert!((savings - 10.0 * 0.5 * 0.95).abs() < 1e-9, "{savings}");
        hints.tell(PageId(3), None, at(1), PageId(7), ListKind::Sitemap);
        assert!(hints.savings(LIST, HOST, 0.5).unwrap() < savings);
    }

    #[test]
    fn a_sitemap_that_is_as_it_was_claims_nothing_new() {
        let mut hints = Hints::default();
        for page in 0..4 {
            hints.tell(PageId(page), Some(at(1)), at(if page == 0 { 2 } else { 0 }), LIST, ListKind::Sitemap);
        }
        hints.read(LIST, HOST, Outcome::Changed);
        assert_eq!(hints.trust(HOST).numbers()[4..], [0.25, 1.0]);
        hints.read(LIST, HOST, Outcome::Unchanged);
        assert_eq!(hints.trust(HOST).numbers()[4..], [0.125, 2.0]);
        hints.read(LIST, HOST, Outcome::Failed);
        hints.read(PageId(3), HOST, Outcome::Unchanged);
        assert_eq!(hints.trust(HOST).numbers()[4..], [0.125, 2.0]);
    }

    #[test]
    fn dates_beyond_all_calendars_do_no_harm() {
        let mut hints = Hints::default();
        for modified in [Time::MIN, Time::MAX] {
            hints.tell(PageId(0), None, modified, LIST, ListKind::Sitemap);
        }
        assert_eq!(hints.modified(PageId(0)).map(Time::secs), Some(i64::from(u32::MAX)));
    }
}
