//! Seeds: pages the user names. They are known pages like any other, at depth 0.
//!
//! What is written down for them is the same whether a crawl runs, which then knows and numbers pages and hosts, or the store
//! does: see [`Register`].

use std::collections::{HashMap, HashSet};

use revisit::{HostId, PageId, PageOrder, Span, Time};
use serde::{Deserialize, Serialize};
use url::{Position, Url};

use super::PipelineError;
use super::addresses::fingerprint;
use crate::sources::Source;
use crate::store::{Batch, FoundAs, HostRow, PageRow, SourceRow, StoreError, Writer};

/// The most that a page can matter.
const MOST_WEIGHT: f32 = 1e6;

/// Pages that are to be seeds.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Addition {
    /// Their URLs, in normal form.
    pub urls: Vec<Url>,
    /// How they are asked, if not as all pages are.
    pub source: Option<Source>,
    /// How much they matter; 1 for a usual page.
    pub weight: f32,
}

/// What became of the seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Added {
    /// Pages not known before.
    pub added: usize,
    /// Pages known before, which are seeds from now on.
    pub known: usize,
    /// Whether a crawl that runs has taken them in.
    pub by_crawl: bool,
}

impl Added {
    /// What became of these and others.
    pub(super) fn and(self, other: Added) -> Added {
        let (added, known) = (self.added + other.added, self.known + other.known);
        Added { added, known, by_crawl: self.by_crawl || other.by_crawl }
    }
}

/// What is written down for seeds.
#[derive(Default)]
pub(super) struct Seeds {
    pub(super) hosts: Vec<HostRow>,
    pub(super) pages: Vec<PageRow>,
    pub(super) sources: Vec<SourceRow>,
    pub(super) adopted: Vec<(PageId, f32)>,
    /// Who names a page again wants it visited again.
    pub(super) orders: Vec<(PageId, PageOrder)>,
    pub(super) added: Added,
}

/// A page that nobody knew.
pub(super) struct NewPage {
    pub(super) page: PageId,
    pub(super) host: HostId,
    /// Its host, if nobody knew that either.
    pub(super) new_host: Option<HostRow>,
}

/// Who knows pages and hosts, and numbers those that nobody knew.
pub(super) trait Register {
    /// The page with this URL, if it is known.
    fn find(&self, url: &Url, fingerprint: u64) -> Result<Option<PageId>, StoreError>;
    /// Takes in a page that is not.
    fn meet(&mut self, url: &Url, fingerprint: u64) -> Result<NewPage, StoreError>;
}

impl Addition {
    /// Says what is wrong with it, if anything is.
    pub fn check(&self) -> Result<(), String> {
        check_weight(self.weight)?;
        let is_page = |url: &&Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        match self.urls.iter().find(|url| !is_page(url)) {
            Some(other) => Err(format!("'{other}' is no page: write it as https://host/path")),
            None => Ok(()),
        }
    }

    /// What is written down for it.
    pub(super) fn seeds(&self, register: &mut dyn Register, now: Time) -> Result<Seeds, StoreError> {
        let (mut seeds, mut named) = (Seeds::default(), HashSet::new());
        for url in &self.urls {
            let print = fingerprint(url.as_str());
            if !named.insert(print) {
                continue;
            }
            let page = match register.find(url, print)? {
                Some(page) => {
                    seeds.adopted.push((page, self.weight));
                    seeds.orders.push((page, PageOrder::Resume));
                    seeds.added.known += 1;
                    page
                }
                None => {
                    let NewPage { page, host, new_host } = register.meet(url, print)?;
                    seeds.hosts.extend(new_host);
                    seeds.pages.push(seed(page, url, print, host, self.weight, now));
                    seeds.added.added += 1;
                    page
                }
            };
            seeds.sources.extend(self.source.clone().map(|source| SourceRow { page, source }));
        }
        Ok(seeds)
    }
}

/// Says what is wrong with a weight, if anything is.
pub(super) fn check_weight(weight: f32) -> Result<(), String> {
    match weight > 0.0 && weight <= MOST_WEIGHT {
        true => Ok(()),
        false => Err(format!("weight {weight}: must be more than 0 and at most {MOST_WEIGHT}")),
    }
}

/// Makes URLs in normal form seeds of the collection, all or none. The caller holds the collection's lock.
pub fn add_seeds(store: &mut dyn Writer, urls: &[Url], weight: f32, now: Time) -> Result<Added, PipelineError> {
    add_now(store, &Addition { urls: urls.to_vec(), source: None, weight }, now)
}

/// Makes pages seeds of the collection, all or none. The caller holds the collection's lock.
pub(super) fn add_now(store: &mut dyn Writer, addition: &Addition, now: Time) -> Result<Added, PipelineError> {
    // Above all that were ever used, so that nobody gets the number of a page that was deleted.
    let last = store.last_batch()?;
    let mut register = Stored { store, hosts: HashMap::new(), next_page: last.next_page, next_host: last.next_host };
    let Seeds { hosts, pages, sources, adopted, orders, added } = addition.seeds(&mut register, now)?;
    store.commit(&Batch { hosts, pages, sources, adopted, orders, ..Batch::default() })?;
    Ok(added)
}

/// The pages and hosts of a store that nobody else writes to.
struct Stored<'a> {
    store: &'a dyn Writer,
    /// Those that were met.
    hosts: HashMap<String, HostId>,
    next_page: u32,
    next_host: u32,
}

impl Stored<'_> {
    fn host(&mut self, name: &str) -> Result<(HostId, Option<HostRow>), StoreError> {
        let known = self.hosts.get(name).copied();
        if let Some(host) = known.map_or_else(|| self.store.find_host(name), |host| Ok(Some(host)))? {
            return Ok((host, None));
        }
        let host = HostId(self.next_host);
        self.next_host += 1;
        self.hosts.insert(name.to_owned(), host);
        Ok((host, Some(new_host(host, name))))
    }
}

impl Register for Stored<'_> {
    fn find(&self, url: &Url, fingerprint: u64) -> Result<Option<PageId>, StoreError> {
        Ok(self.store.find(url.as_str(), fingerprint)?.map(|page| PageId(page.id)))
    }

    fn meet(&mut self, url: &Url, _: u64) -> Result<NewPage, StoreError> {
        let (host, new_host) = self.host(&url[..Position::BeforePath])?;
        let page = PageId(self.next_page);
        self.next_page += 1;
        Ok(NewPage { page, host, new_host })
    }
}

fn new_host(id: HostId, name: &str) -> HostRow {
    HostRow {
        id,
        name: name.to_owned(),
        robots: None,
        last_contact: Time::MIN,
        blocked_until: Time::MIN,
        pause: Span::ZERO,
    }
}

fn seed(id: PageId, url: &Url, fingerprint: u64, host: HostId, weight: f32, now: Time) -> PageRow {
    PageRow {
        id,
        url: url.as_str().to_owned(),
        fingerprint,
        host,
        weight,
        depth: 0,
        hops: 0,
        found_at: now,
        found_as: FoundAs::Seed,
        found_on: None,
    }
}
