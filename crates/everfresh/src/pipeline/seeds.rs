//! Seeds: pages the user names. They are known pages like any other, at depth 0.

use revisit::{PageId, Time};
use url::Url;

use super::PipelineError;
use super::known::fingerprint;
use super::memory::Memory;
use crate::settings::Settings;
use crate::store::{Batch, FoundAs, PageRow, Store};

/// What became of the seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Added {
    /// Pages not known before.
    pub added: usize,
    /// Pages known before, which are seeds from now on.
    pub known: usize,
}

/// Makes URLs in normal form seeds of the collection. The caller holds the collection's lock.
pub fn add_seeds(
    store: &mut Store,
    settings: &Settings,
    urls: &[Url],
    weight: f32,
    now: Time,
) -> Result<Added, PipelineError> {
    let mut memory = Memory::rebuild(store, settings, now, true)?;
    let (mut batch, mut added) = (Batch::default(), Added::default());
    let mut next = memory.scheduler.pages().len() as u32;
    for url in urls {
        let print = fingerprint(url.as_str());
        if !memory.known.insert(print) {
            if let Some(page) = store.find(url.as_str(), print)? {
                store.adopt(PageId(page.id), weight)?;
            }
            added.known += 1;
            continue;
        }
        let (host, is_new) = memory.hosts.of(url, settings);
        if is_new {
            batch.hosts.push(memory.hosts.row(host));
        }
        batch.pages.push(PageRow {
            id: PageId(next),
            url: url.as_str().to_owned(),
            fingerprint: print,
            host,
            weight,
            depth: 0,
            hops: 0,
            found_at: now,
            found_as: FoundAs::Seed,
            found_on: None,
        });
        next += 1;
        added.added += 1;
    }
    store.commit(&batch)?;
    Ok(added)
}
