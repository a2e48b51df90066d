//! Sites as `status --sites` and `explain` tell of them: a top page, the pages it speaks for, what of them changed of late,
//! and what the dates of its host's lists are worth.
//!
//! Sites are those of method B, whatever the policy: it finds more of them than servers have directories, and each has a
//! page that a reader can open. Links and places are read from the store, since few policies have them kept in memory.

use std::collections::HashMap;

use revisit::site::by_links;
use revisit::site::{Claim, Sites, Structure, Trust};
use revisit::{HostId, PageId, Scheduler, Span, Time};
use serde::Serialize;

use crate::output;
use crate::store::{Reader, StoreError, each_numbered};

/// Changes within so many cycles are of late.
const LATE: f64 = 10.0;
/// Sites that a table shows; a report in JSON has all.
const SHOWN: usize = 50;

/// One site.
#[derive(Debug, Serialize)]
pub(super) struct SiteReport {
    /// The URL of its top page.
    pub(super) top: String,
    /// What the top page last showed: changed, unchanged, first, or unreached.
    pub(super) top_showed: &'static str,
    /// When, in milliseconds since 1970.
    pub(super) top_seen: Option<i64>,
    /// Pages, the top among them.
    pub(super) pages: usize,
    /// Those that were seen to have changed within the last ten cycles.
    pub(super) changed_of_late: usize,
    /// What the dates of its host's lists are worth.
    pub(super) dates: DatesReport,
}

/// What the dates of a host's lists are worth, from visits of late. A share is absent until a visit tested it.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct DatesReport {
    /// Of pages said to have changed, the share that had.
    pub(super) changed_right: Option<f64>,
    /// Of pages said to be as they were, the share that was.
    pub(super) unchanged_right: Option<f64>,
    /// The chance that a page said to have changed goes ahead of all others.
    pub(super) urgency: f64,
    /// The chance that a page said to be unchanged stands for a visit all the same.
    pub(super) need: f64,
}

impl DatesReport {
    pub(super) fn of(trust: Trust) -> DatesReport {
        let tested = |claim| (trust.tested(claim) > 0.0).then(|| trust.chance(claim));
        DatesReport {
            changed_right: tested(Claim::Changed),
            unchanged_right: tested(Claim::Unchanged).map(|chance| 1.0 - chance),
            urgency: trust.urgency(),
            need: trust.need(),
        }
    }
}

/// The sites of a collection.
pub(super) struct Arranged {
    sites: Sites,
    hosts: HashMap<PageId, HostId>,
}

impl Arranged {
    pub(super) fn read(store: &dyn Reader) -> Result<Arranged, StoreError> {
        let (mut structure, mut hosts, mut end) = (Structure::default(), HashMap::new(), 0);
        each_numbered::<_, StoreError>(
            |from| store.pages(from),
            |page| {
                structure.locate(page.id, &page.url);
                hosts.insert(page.id, page.host);
                end = page.id.index() + 1;
                Ok(())
            },
        )?;
        each_numbered::<_, StoreError>(
            |from| store.links(from),
            |row| {
                if hosts.contains_key(&row.page) {
                    let known = row.targets.into_iter().filter(|target| hosts.contains_key(target));
                    structure.link(row.page, known, end);
                }
                Ok(())
            },
        )?;
        let sites = by_links(structure.graph(), structure.directories(), &structure.depths());
        Ok(Arranged { sites, hosts })
    }

    /// The site that a page is in, its own if it is the top of one; a page out of reach is in none.
    pub(super) fn top_of(&self, page: PageId) -> Option<PageId> {
        let sites = self.sites.of(page);
        let own = sites.iter().find(|site| self.sites.tops(**site).contains(&page));
        own.or(sites.first()).and_then(|site| self.sites.tops(*site).first().copied())
    }

    /// Every site, the largest first.
    pub(super) fn report(
        &self,
        store: &dyn Reader,
        scheduler: &Scheduler,
        cycle: Span,
        now: Time,
    ) -> Result<Vec<SiteReport>, StoreError> {
        let tops = self.sites.ids().filter_map(|site| self.sites.tops(site).first().copied());
        let urls = store.urls(&tops.collect::<Vec<PageId>>())?;
        let report = |site| {
            let (top, pages) = (*self.sites.tops(site).first()?, self.sites.pages(site));
            let host = self.hosts.get(&top)?;
            let history = scheduler.pages().history(top);
            let late = |page: &&PageId| {
                scheduler.pages().history(**page).last_change().is_some_and(|change| now - change <= cycle * LATE)
            };
            Some(SiteReport {
                top: urls.get(&top).cloned().unwrap_or_default(),
                top_showed: showed(scheduler, top),
                top_seen: history.last_seen().map(Time::millis),
                pages: pages.len(),
                changed_of_late: pages.iter().filter(late).count(),
                dates: DatesReport::of(scheduler.trust(*host)),
            })
        };
        let mut reports: Vec<SiteReport> = self.sites.ids().filter_map(report).collect();
        reports.sort_by_key(|site| std::cmp::Reverse(site.pages));
        Ok(reports)
    }
}

/// What a page's last visit showed.
fn showed(scheduler: &Scheduler, page: PageId) -> &'static str {
    let history = scheduler.pages().history(page);
    match history.recent().next() {
        _ if history.failures() > 0 || history.last_seen().is_none() => "unreached",
        None => "first",
        Some(true) => "changed",
        Some(false) => "unchanged",
    }
}

/// The sites as a table.
pub(super) fn table(sites: &[SiteReport], now: Time) -> String {
    let header = ["site", "pages", "changed of late", "top showed", "dates: changed right", "unchanged right"];
    let share = |share: Option<f64>| share.map_or("untested".into(), output::share);
    let row = |site: &SiteReport| {
        let seen = site.top_seen.map_or(String::new(), |seen| format!(" {} ago", now - Time::from_millis(seen)));
        vec![
            output::safe(&site.top),
            output::count(site.pages as u64),
            output::count(site.changed_of_late as u64),
            format!("{}{seen}", site.top_showed),
            share(site.dates.changed_right),
            share(site.dates.unchanged_right),
        ]
    };
    let rows: Vec<Vec<String>> = sites.iter().take(SHOWN).map(row).collect();
    let more = sites.len().saturating_sub(SHOWN);
    let more =
        if more > 0 { format!("\nand {} more: --json has all", output::count(more as u64)) } else { String::new() };
    format!("{}{more}", output::table(&header, &rows))
}
