//! What people ask.

use std::collections::BTreeMap;

use revisit::{HostId, Outcome, PageId, Time};

use super::load::some;
use super::{Memory, ROWS, State};
use crate::sources::Kind;
use crate::store::{
    ArchivedEntry, Ask, CaptureEntry, CaptureRow, Cursor, CycleEntry, FoundAs, HintEntry, IndexRow, LeftOutEntry,
    LinksRow, Order, Outcomes, PageEntry, PageRow, PageSummary, Piece, StoreError, Totals, TrainingRow, VersionEntry,
    VisitEntry, VisitRow,
};

/// The next piece of some rows by rising keys.
fn piece<T>(rows: impl Iterator<Item = (u64, T)>, after: Option<Cursor>) -> Piece<T> {
    let rows = rows.skip_while(|(key, _)| after.is_some_and(|Cursor(_, last)| *key as i64 <= last));
    let rows: Vec<(u64, T)> = rows.take(ROWS).collect();
    let next = rows.last().filter(|_| rows.len() == ROWS).map(|(key, _)| Cursor(0, *key as i64));
    Piece { rows: rows.into_iter().map(|(_, row)| row).collect(), next }
}

impl State {
    fn summary(&self, page: &PageRow) -> PageSummary {
        PageSummary {
            id: page.id.0,
            url: page.url.clone(),
            weight: page.weight.into(),
            depth: page.depth,
            found_as: page.found_as.name().to_owned(),
            found_on: page.found_on.and_then(|page| self.url(page)),
            found_at: page.found_at.millis(),
        }
    }

    fn url(&self, page: PageId) -> Option<String> {
        self.pages.get(&page.0).map(|page| page.url.clone())
    }

    fn file(&self, capture: &CaptureRow) -> Option<String> {
        self.files.get(&capture.file).map(|file| file.file.name.clone())
    }

    fn entry(&self, row: &VisitRow) -> Option<VisitEntry> {
        let (answer, capture) = (row.answer.as_ref(), row.capture.as_ref());
        Some(VisitEntry {
            url: self.url(row.visit.page)?,
            at: row.visit.at.millis(),
            outcome: row.visit.outcome.name().to_owned(),
            rule: row.rule.name().to_owned(),
            detail: row.detail.clone(),
            status: answer.map(|answer| answer.status),
            bytes: answer.map(|answer| answer.bytes),
            millis: answer.map(|answer| answer.millis),
            file: capture.and_then(|capture| self.file(capture)),
            position: capture.map(|capture| capture.position),
            length: capture.map(|capture| capture.length),
        })
    }

    fn captures(&self, row: &VisitRow, file: u32) -> Vec<CaptureEntry> {
        let answer = row.answer.as_ref();
        let own = (self.url(row.visit.page), answer.map_or(0, |answer| answer.status));
        let own = (own.0, own.1, answer.and_then(|answer| answer.mime.clone()), row.capture.as_ref());
        let part = |part: &crate::store::PartRow| (Some(part.url.clone()), part.status, part.mime.clone());
        let parts = row.parts.iter().map(|held| (part(held), Some(&held.capture)));
        let all = std::iter::once(own).chain(parts.map(|((url, status, mime), capture)| (url, status, mime, capture)));
        let entry = |(url, status, mime, capture): (Option<String>, u16, Option<String>, Option<&CaptureRow>)| {
            let CaptureRow { payload, revisit, position, length, .. } = *capture.filter(|held| held.file == file)?;
            let url = url?.split('#').next()?.to_owned();
            Some(CaptureEntry { url, at: row.visit.at, status, mime, payload, revisit, position, length })
        };
        all.filter_map(entry).collect()
    }
}

impl Ask for Memory {
    fn collection(&self) -> Result<Option<u64>, StoreError> {
        Ok(self.state().collection)
    }

    fn is_running(&self) -> Result<bool, StoreError> {
        Ok(self.state().running)
    }

    fn totals(&self) -> Result<Totals, StoreError> {
        let state = self.state();
        Ok(Totals {
            hosts: state.hosts.len() as u64,
            pages: state.pages.len() as u64,
            copies: state.copies.len() as u64,
            visits: state.visits.len() as u64,
            archive_bytes: state.files.values().map(|file| file.file.length).sum(),
        })
    }

    fn outcomes(&self) -> Result<Outcomes, StoreError> {
        let mut outcomes = Outcomes::default();
        self.state().visits.values().for_each(|row| outcomes.count(row.visit.outcome));
        Ok(outcomes)
    }

    fn find(&self, url: &str, fingerprint: u64) -> Result<Option<PageSummary>, StoreError> {
        let state = self.state();
        let found = state.pages.values().find(|page| page.fingerprint == fingerprint && page.url == url);
        Ok(found.map(|page| state.summary(page)))
    }

    fn find_host(&self, name: &str) -> Result<Option<HostId>, StoreError> {
        Ok(self.state().hosts.values().find(|host| host.name == name).map(|host| host.id))
    }

    fn sources_at(&self, endpoint: &str) -> Result<Vec<PageSummary>, StoreError> {
        let state = self.state();
        let queries = state.sources.iter().filter(|(_, source)| source.kind == Kind::Sparql);
        let pages = queries.filter_map(|(page, _)| state.pages.get(page));
        let there =
            |page: &&PageRow| page.url.strip_prefix(endpoint).is_some_and(|rest| rest.starts_with(['?', '&', '#']));
        Ok(pages.filter(there).map(|page| state.summary(page)).collect())
    }

    fn summaries(&self, from: u64) -> Result<Vec<PageSummary>, StoreError> {
        let state = self.state();
        Ok(some(&state.pages, from, |_, page| state.summary(page)))
    }

    fn links(&self, from: u64) -> Result<Vec<LinksRow>, StoreError> {
        Ok(some(&self.state().links, from, |page, targets| LinksRow { page: PageId(page), targets: targets.clone() }))
    }

    fn pages_on(&self, host: HostId, from: u64) -> Result<Vec<PageEntry>, StoreError> {
        let state = self.state();
        let on_host =
            state.pages.range(u32::try_from(from).unwrap_or(u32::MAX)..).filter(|(_, page)| page.host == host);
        Ok(on_host.take(ROWS).map(|(_, page)| state.as_found(page)).collect())
    }

    fn links_of(&self, pages: &[PageId]) -> Result<Vec<LinksRow>, StoreError> {
        let state = self.state();
        let links = |page: &PageId| Some(LinksRow::new(*page, state.links.get(&page.0)?.clone()));
        Ok(pages.iter().filter_map(links).collect())
    }

    fn urls(&self, pages: &[PageId]) -> Result<BTreeMap<PageId, String>, StoreError> {
        let state = self.state();
        Ok(pages.iter().filter_map(|page| Some((*page, state.url(*page)?))).collect())
    }

    fn seeds(&self, after: Option<Cursor>) -> Result<Piece<String>, StoreError> {
        let state = self.state();
        let is_seed = |page: &&PageRow| page.found_as == FoundAs::Seed && !state.sources.contains_key(&page.id.0);
        let seeds = state.pages.values().filter(is_seed).map(|page| (page.id.0.into(), page.url.clone()));
        Ok(piece(seeds, after))
    }

    fn history(
        &self,
        of: Option<PageId>,
        order: Order,
        after: Option<Cursor>,
    ) -> Result<Piece<VisitEntry>, StoreError> {
        let state = self.state();
        let of = |row: &VisitRow| of.is_none_or(|page| page == row.visit.page);
        let visits = state.visits.iter().filter(|(_, row)| of(row));
        let visits = visits.filter_map(|(id, row)| Some((*id, state.entry(row)?)));
        Ok(match order {
            Order::OldestFirst => piece(visits, after),
            // Keys that rise as numbers fall.
            Order::NewestFirst => piece(visits.rev().map(|(id, entry)| (i64::MAX as u64 - id, entry)), after),
        })
    }

    fn first_visit(&self) -> Result<Option<Time>, StoreError> {
        Ok(self.state().visits.values().next().map(|row| row.visit.at))
    }

    fn versions(&self, page: PageId, after: Option<Cursor>) -> Result<Piece<VersionEntry>, StoreError> {
        let state = self.state();
        let is_version = |row: &VisitRow| {
            let whole = row.capture.as_ref().is_some_and(|capture| !capture.revisit);
            let fine = row.answer.as_ref().is_some_and(|answer| (200..300).contains(&answer.status));
            row.visit.page == page && whole && fine && !matches!(row.visit.outcome, Outcome::Gone | Outcome::Failed)
        };
        let versions = state.visits.iter().filter(|(_, row)| is_version(row));
        let entry = |row: &VisitRow| VersionEntry {
            at: row.visit.at.millis(),
            changed: row.visit.outcome != Outcome::Unchanged,
        };
        Ok(piece(versions.map(|(id, row)| (*id, entry(row))), after))
    }

    fn archived(&self, page: PageId, at: Time) -> Result<Vec<ArchivedEntry>, StoreError> {
        let state = self.state();
        let is_it = |row: &&VisitRow| {
            let whole = row.capture.as_ref().is_some_and(|capture| !capture.revisit);
            row.visit.page == page && row.visit.at == at && whole
        };
        let Some(row) = state.visits.values().rev().find(is_it) else { return Ok(Vec::new()) };
        let entry = |url: String, capture: &CaptureRow| {
            let (position, length) = (capture.position, capture.length);
            Some(ArchivedEntry { url, file: state.file(capture)?, position, length })
        };
        let own = row.capture.as_ref().and_then(|capture| entry(state.url(page)?, capture));
        let parts = row.parts.iter().filter_map(|part| entry(part.url.clone(), &part.capture));
        Ok(own.into_iter().chain(parts).collect())
    }

    fn files(&self) -> Result<Vec<IndexRow>, StoreError> {
        Ok(self.state().files.values().cloned().collect())
    }

    fn captures(&self, file: u32, after: Option<Cursor>) -> Result<Piece<CaptureEntry>, StoreError> {
        let state = self.state();
        let captures = state.visits.values().flat_map(|row| state.captures(row, file));
        Ok(piece((0..).zip(captures), after))
    }

    fn hint(&self, page: PageId) -> Result<Option<HintEntry>, StoreError> {
        let state = self.state();
        let entry = |hint: &super::Hint| {
            let (modified, told_at) = (hint.modified.millis(), hint.told_at.millis());
            Some(HintEntry { modified, told_at, told_by: state.url(hint.told_by)? })
        };
        Ok(state.hints.get(&page.0).and_then(entry))
    }

    fn left_out(&self) -> Result<Vec<LeftOutEntry>, StoreError> {
        let mut left_out: Vec<LeftOutEntry> = self.state().left_out.values().cloned().collect();
        left_out.sort_by_key(|entry| std::cmp::Reverse(entry.links));
        Ok(left_out)
    }

    fn cycles(&self, most: usize) -> Result<Vec<CycleEntry>, StoreError> {
        Ok(self.state().cycles.values().rev().take(most).cloned().collect())
    }

    fn trainings(&self, most: usize) -> Result<Vec<TrainingRow>, StoreError> {
        Ok(self.state().trainings.iter().rev().take(most).cloned().collect())
    }
}
