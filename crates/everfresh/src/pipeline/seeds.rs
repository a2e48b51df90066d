//! Seeds: pages the user names. They are known pages like any other, at depth 0.

use std::collections::{HashMap, HashSet};

use revisit::{HostId, PageId, Span, Time};
use url::{Position, Url};

use super::PipelineError;
use super::known::fingerprint;
use crate::sources::Source;
use crate::store::{Batch, FoundAs, HostRow, PageRow, SourceRow, StoreError, Writer, each_numbered};

/// What became of the seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Added {
    /// Pages not known before.
    pub added: usize,
    /// Pages known before, which are seeds from now on.
    pub known: usize,
}

/// Makes URLs in normal form seeds of the collection, all or none. The caller holds the collection's lock.
pub fn add_seeds(store: &mut dyn Writer, urls: &[Url], weight: f32, now: Time) -> Result<Added, PipelineError> {
    add_sources(store, urls, None, weight, now)
}

/// Makes pages seeds of the collection that are asked as `source` says, all or none. The caller holds the collection's lock.
pub fn add_sources(
    store: &mut dyn Writer,
    urls: &[Url],
    source: Option<&Source>,
    weight: f32,
    now: Time,
) -> Result<Added, PipelineError> {
    let described = |page| source.map(|source| SourceRow { page, source: source.clone() });
    let mut hosts: HashMap<String, HostId> = HashMap::new();
    each_numbered::<_, StoreError>(
        |from| store.hosts(from),
        |host| {
            hosts.insert(host.name, host.id);
            Ok(())
        },
    )?;
    let (mut batch, mut added, mut named) = (Batch::default(), Added::default(), HashSet::new());
    // Above all that were ever used, so that nobody gets the number of a page that was deleted.
    let last = store.last_batch()?;
    let (mut next, mut next_host) = (last.next_page, last.next_host);
    for url in urls {
        let print = fingerprint(url.as_str());
        if let Some(page) = store.find(url.as_str(), print)? {
            batch.adopted.push((PageId(page.id), weight));
            batch.sources.extend(described(PageId(page.id)));
            added.known += 1;
            continue;
        }
        if !named.insert(print) {
            continue;
        }
        let name = &url[..Position::BeforePath];
        let host = hosts.get(name).copied().unwrap_or_else(|| {
            let id = HostId(next_host);
            next_host += 1;
            hosts.insert(name.to_owned(), id);
            batch.hosts.push(new_host(id, name));
            id
        });
        batch.pages.push(seed(PageId(next), url, print, host, weight, now));
        batch.sources.extend(described(PageId(next)));
        next += 1;
        added.added += 1;
    }
    store.commit(&batch)?;
    Ok(added)
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
