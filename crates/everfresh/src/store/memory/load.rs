//! What a start and the next visits need.

use std::collections::BTreeMap;

use revisit::{HostId, Outcome, PageId};

use super::{Memory, ROWS};
use crate::store::{
    BatchRow, FeaturesRow, HostRow, Learned, Load, Loaded, OpenedCycle, PageEntry, Replay, RobotsRow, StoreError,
    ToldVisit, VisitRow,
};

/// Some rows from a number on.
pub(super) fn some<K: Copy + Ord + Into<u64>, V, T>(
    rows: &BTreeMap<K, V>,
    from: u64,
    told: impl Fn(K, &V) -> T,
) -> Vec<T> {
    let rows = rows.iter().skip_while(|(key, _)| (**key).into() < from);
    rows.take(ROWS).map(|(key, row)| told(*key, row)).collect()
}

impl Replay for Memory {
    fn last_batch(&self) -> Result<BatchRow, StoreError> {
        Ok(self.state().batches.last().copied().unwrap_or_default())
    }

    fn batches(&self, from: u64) -> Result<Vec<BatchRow>, StoreError> {
        let state = self.state();
        Ok(state.batches.iter().filter(|batch| batch.number >= from).take(ROWS).copied().collect())
    }

    fn learned(&self, from: u64) -> Result<Vec<(u64, Learned)>, StoreError> {
        Ok(some(&self.state().journal, from, |id, learned| (id, learned.clone())))
    }

    fn hosts(&self, from: u64) -> Result<Vec<HostRow>, StoreError> {
        Ok(some(&self.state().hosts, from, |_, host| host.clone()))
    }

    fn pages(&self, from: u64) -> Result<Vec<PageEntry>, StoreError> {
        let state = self.state();
        Ok(some(&state.pages, from, |_, page| state.as_found(page)))
    }

    fn count_pages(&self, below: u32) -> Result<u64, StoreError> {
        Ok(self.state().pages.range(..below).count() as u64)
    }

    fn visits(&self, from: u64) -> Result<Vec<ToldVisit>, StoreError> {
        Ok(some(&self.state().visits, from, |number, row: &VisitRow| row.told(number)))
    }

    fn opened_cycles(&self, from: u64) -> Result<Vec<OpenedCycle>, StoreError> {
        let state = self.state();
        let opened = state.cycles.range(from..).filter_map(|(_, cycle)| cycle.opened.clone());
        Ok(opened.take(ROWS).collect())
    }

    fn features(&self, pages: &[PageId]) -> Result<Vec<FeaturesRow>, StoreError> {
        let state = self.state();
        let of = |page: &PageId| {
            let (features, page) = (state.features.get(&page.0)?, state.pages.get(&page.0)?);
            Some(FeaturesRow { depth: page.depth, ..*features })
        };
        Ok(pages.iter().filter_map(of).collect())
    }

    fn sources(&self, from: u64) -> Result<Vec<PageId>, StoreError> {
        Ok(some(&self.state().sources, from, |page, _| PageId(page)))
    }

    fn lost(&self, from: u64) -> Result<Vec<PageId>, StoreError> {
        let state = self.state();
        let is_version = |outcome| matches!(outcome, Outcome::First | Outcome::Changed | Outcome::Unchanged);
        let visits = state.visits.values().filter(|row| row.capture.is_none() && is_version(row.visit.outcome));
        let pages = visits.map(|row| row.visit.page.0).filter(|page| !state.copies.contains_key(page));
        let lost: BTreeMap<u32, ()> = pages.map(|page| (page, ())).collect();
        Ok(some(&lost, from, |page, ()| PageId(page)))
    }
}

impl Load for Memory {
    fn load(&self, pages: &[PageId]) -> Result<Vec<Loaded>, StoreError> {
        let state = self.state();
        let loaded = |page: &PageId| {
            let row = state.pages.get(&page.0)?;
            Some(Loaded {
                page: *page,
                host: row.host,
                url: row.url.clone(),
                depth: row.depth,
                hops: row.hops,
                copy: state.copies.get(&page.0).cloned(),
                aside: state.asides.get(&page.0).cloned(),
                source: state.sources.get(&page.0).cloned(),
            })
        };
        Ok(pages.iter().filter_map(loaded).collect())
    }

    fn robots(&self, host: HostId) -> Result<Option<RobotsRow>, StoreError> {
        Ok(self.state().hosts.get(&host.0).and_then(|host| host.robots.clone()))
    }
}
