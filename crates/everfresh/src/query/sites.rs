//! Sites: a top page, the pages it speaks for, what of them changed of late, and what the dates of its host's lists are worth.
//!
//! Sites are those of method B, whatever the policy: it finds more of them than servers have directories, and each has a
//! page that a reader can open. Links and places are read from the store, since few policies have them kept in memory.

use revisit::site::{Sites, Structure, by_links};
use revisit::{HostId, PageId, Scheduler, Time};
use serde::Serialize;
use url::{Position, Url};

use super::Query;
use crate::pipeline::{Dates, Memory};
use crate::store::{LinksRow, PageEntry, PageSummary, StoreError, each_numbered};

/// Changes within so many cycles are of late.
const LATE: f64 = 10.0;
/// Of a server with more pages than this it takes too long to find out the site of one.
const AROUND: usize = 20_000;

/// One site.
#[derive(Debug, Serialize)]
pub struct SiteEntry {
    /// The URL of its top page.
    pub top: String,
    /// What the top page last showed: changed, unchanged, first, or unreached.
    pub top_showed: &'static str,
    /// When, in milliseconds since 1970.
    pub top_seen: Option<i64>,
    /// Pages, the top among them.
    pub pages: usize,
    /// Those that were seen to have changed within the last ten cycles.
    pub changed_of_late: usize,
    /// What the dates of its host's lists are worth.
    pub dates: Dates,
}

/// Pages and their links, told one after the other.
#[derive(Default)]
struct Map {
    structure: Structure,
    /// By rising numbers: sites have the pages by their places in it.
    pages: Vec<(PageId, HostId)>,
}

impl Map {
    fn locate(&mut self, page: &PageEntry) {
        self.structure.locate(PageId(self.pages.len() as u32), &page.url);
        self.pages.push((page.id, page.host));
    }

    fn place(&self, page: PageId) -> Option<PageId> {
        self.pages.binary_search_by_key(&page, |(page, _)| *page).ok().map(|place| PageId(place as u32))
    }

    fn link(&mut self, row: LinksRow) {
        if let Some(page) = self.place(row.page) {
            let targets: Vec<PageId> = row.targets.into_iter().filter_map(|target| self.place(target)).collect();
            self.structure.link(page, targets, self.pages.len());
        }
    }

    fn sites(&self) -> Sites {
        by_links(self.structure.graph(), self.structure.directories(), &self.structure.depths())
    }

    /// The top of the site that a page is in, itself if it is one; a page out of reach is in none.
    fn top_of(&self, page: PageId) -> Option<PageId> {
        let (all, place) = (self.sites(), self.place(page)?);
        let sites = all.of(place);
        let own = sites.iter().find(|site| all.tops(**site).contains(&place));
        let top = own.or(sites.first()).and_then(|site| all.tops(*site).first())?;
        Some(self.pages[top.index()].0)
    }
}

impl Query {
    /// Every site, the largest first.
    pub(super) fn sites(&self, memory: &Memory, now: Time) -> Result<Vec<SiteEntry>, StoreError> {
        let (mut map, scheduler) = (Map::default(), &memory.scheduler);
        each_numbered::<_, StoreError>(
            |from| self.store.pages(from),
            |page| {
                map.locate(&page);
                Ok(())
            },
        )?;
        each_numbered::<_, StoreError>(
            |from| self.store.links(from),
            |row| {
                map.link(row);
                Ok(())
            },
        )?;
        let (sites, page) = (map.sites(), |place: &PageId| map.pages[place.index()].0);
        let tops = sites.ids().filter_map(|site| sites.tops(site).first().map(page));
        let urls = self.store.urls(&tops.collect::<Vec<PageId>>())?;
        // A page without its host is out of reach.
        let known = |page: PageId| scheduler.pages().contains(page).then(|| scheduler.pages().history(page));
        let late = |place: &&PageId| {
            let change = known(page(place)).and_then(|history| history.last_change());
            change.is_some_and(|change| now - change <= self.settings.cycle * LATE)
        };
        let entry = |site| {
            let (top, pages) = (*sites.tops(site).first()?, sites.pages(site));
            let (top, host) = map.pages[top.index()];
            let history = known(top)?;
            Some(SiteEntry {
                top: urls.get(&top).cloned().unwrap_or_default(),
                top_showed: showed(scheduler, top),
                top_seen: history.last_seen().map(Time::millis),
                pages: pages.len(),
                changed_of_late: pages.iter().filter(late).count(),
                dates: Dates::of(scheduler.trust(host)),
            })
        };
        let mut entries: Vec<SiteEntry> = sites.ids().filter_map(entry).collect();
        entries.sort_by_key(|site| std::cmp::Reverse(site.pages));
        Ok(entries)
    }

    /// The top page of the site that a page is in, from the pages of its server alone, since no site goes beyond one. `None` if
    /// it is in none, or its server has too many pages to tell.
    pub(super) fn top_of(&self, page: &PageSummary) -> Result<Option<PageId>, StoreError> {
        let mut pages = Vec::new();
        for host in self.server_of(&page.url)? {
            let mut from = 0;
            while let Some(last) = pages_from(self.store.pages_on(host, from)?, &mut pages) {
                from = u64::from(last.0) + 1;
                if pages.len() > AROUND {
                    return Ok(None);
                }
            }
        }
        pages.sort_unstable_by_key(|page: &PageEntry| page.id);
        let mut map = Map::default();
        pages.iter().for_each(|page| map.locate(page));
        let ids: Vec<PageId> = pages.iter().map(|page| page.id).collect();
        self.store.links_of(&ids)?.into_iter().for_each(|row| map.link(row));
        Ok(map.top_of(PageId(page.id)))
    }

    /// The hosts that are the server of a URL: `http` and `https` lead to the same.
    fn server_of(&self, url: &str) -> Result<Vec<HostId>, StoreError> {
        let Ok(url) = Url::parse(url) else { return Ok(Vec::new()) };
        let authority = &url[Position::BeforeHost..Position::BeforePath];
        let hosts = ["http", "https"].map(|scheme| self.store.find_host(&format!("{scheme}://{authority}")));
        hosts.into_iter().filter_map(Result::transpose).collect()
    }
}

/// Takes in a piece; says what was the last of it, if there was one.
fn pages_from(piece: Vec<PageEntry>, pages: &mut Vec<PageEntry>) -> Option<PageId> {
    let last = piece.last().map(|page| page.id);
    pages.extend(piece);
    last
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
